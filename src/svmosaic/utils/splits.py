"""The folds of a cross-validation as lists of rows."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import KFold, StratifiedKFold, check_cv

__all__ = [
    "Split",
    "classification_splits",
    "regression_splits",
    "splits_that_count",
    "tests_every_row_once",
]

# Of the shuffles of folds that are given as a number.
_SEED = 0
# A generator for each thread, seeded before each use: making one asks the system for entropy, which
# takes longer than all the rest.
_OF_THREAD = threading.local()

Split = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def classification_splits(cv: Any, X: Any, y: Any, groups: Any = None) -> list[Split]:
    """Return the (training rows, test rows) of `cv` for classes `y`.

    A number means stratified folds that are shuffled with a fixed seed: files are often ordered,
    and then folds of neighbours are unlike each other. Splitters and iterables are taken as they
    are.
    """
    rows = np.arange(len(y))
    if cv is None or isinstance(cv, Integral):
        n_splits = 5 if cv is None else int(cv)
        fold_of = _stratified_folds(y, n_splits) if groups is None else None
        if fold_of is not None:
            folds = range(int(fold_of.max()) + 1)
            return [(np.flatnonzero(fold_of != f), np.flatnonzero(fold_of == f)) for f in folds]
        cv = StratifiedKFold(n_splits, shuffle=True, random_state=_SEED)
    # Splitters may name rows by numbers, negative ones too, or by masks.
    splitter = check_cv(cv, y, classifier=True)
    return [(rows[train], rows[test]) for train, test in splitter.split(X, y, groups)]


def regression_splits(cv: Any, X: Any, y: Any, random_state: Any, who: str) -> list[Split]:
    """Return the (training rows, test rows) of `cv`; a number means that many shuffled folds.

    An error names `who`.
    """
    if cv is None or isinstance(cv, Integral):
        n_splits = 5 if cv is None else int(cv)
        if len(y) < n_splits:
            raise ValueError(
                f"{who} expected at least a sample for each of {n_splits} inner folds. Got "
                f"n_samples={len(y)}; pass a smaller 'cv' or more samples."
            )
        cv = KFold(n_splits, shuffle=True, random_state=random_state)
    rows = np.arange(len(y))
    return [(rows[train], rows[test]) for train, test in check_cv(cv).split(X, y)]


def splits_that_count(splits: Sequence[Split], weights: Any, who: str) -> list[Split]:
    """Return the splits that test a row of positive weight; None means that all rows count.

    A weight of zero means that a row is not there. If no split is left, an error names `who`.
    """
    if weights is None:
        found = [split for split in splits if split[1].size]
    else:
        found = [split for split in splits if np.any(np.asarray(weights)[split[1]] > 0)]
    if not found:
        raise ValueError(
            f"{who} expected folds that test a sample of positive weight. Got none; look at 'cv' "
            "and 'sample_weight'."
        )
    return found


def tests_every_row_once(splits: Sequence[Split], n_rows: int) -> bool:
    """Whether every row is in the test part of one split and no more."""
    counts = np.bincount(np.concatenate([test for _, test in splits]), minlength=n_rows)
    return bool(np.all(counts == 1))


def _seeded() -> np.random.RandomState:
    if not hasattr(_OF_THREAD, "random"):
        _OF_THREAD.random = np.random.RandomState()
    random: np.random.RandomState = _OF_THREAD.random
    random.seed(_SEED)
    return random


def _stratified_folds(y: Any, n_splits: int) -> npt.NDArray[np.int64] | None:
    """Return the fold of each row as a shuffled `StratifiedKFold` of scikit-learn deals them out.

    Its own takes longer than tuning on a small table. None where it would warn or
    refuse, so that the words are its own.
    """
    _, first, labels, counts = np.unique(
        y, return_index=True, return_inverse=True, return_counts=True
    )
    if n_splits < 2 or counts.min() < n_splits:
        return None
    # Rows are dealt out one by one as if sorted by class, classes in the order they appear.
    order = np.argsort(first)
    begins = np.cumsum(counts[order]) - counts[order]
    fold_of = np.empty(labels.size, dtype=np.int64)
    random = _seeded()
    for c, begin in zip(order, begins, strict=True):
        # Of the class's rows in that list, fold f gets those at places f, f + n_splits, ...
        places = np.arange(begin, begin + counts[c])
        shares = np.bincount(places % n_splits, minlength=n_splits)
        folds = np.repeat(np.arange(n_splits), shares)
        random.shuffle(folds)
        fold_of[labels == c] = folds
    return fold_of
