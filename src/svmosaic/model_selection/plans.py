"""The splits of a protocol, and the estimator of each split."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    check_cv,
)
from sklearn.utils import check_consistent_length
from sklearn.utils.multiclass import type_of_target

from svmosaic.metrics.multi_target import is_multi_target_score, make_multi_target_scorer
from svmosaic.model_selection.derived_seeds import derive_seed
from svmosaic.model_selection.evaluation import MakeEstimator, Split, name_scores
from svmosaic.model_selection.pattern_search import PatternSearchCV

__all__ = [
    "Grid",
    "Plan",
    "SearchName",
    "Tuning",
    "inner_folds",
    "make_estimators",
    "nested_splits",
    "plan_nested",
    "plan_random",
    "random_splits",
]

Grid = Mapping[str, Sequence[Any]]
SearchName = Literal["grid", "pattern"]

_SEARCHES = {"grid": GridSearchCV, "pattern": PatternSearchCV}


@dataclass(frozen=True)
class Tuning:
    """How the parameters of a split are chosen; without a grid they are not."""

    grid: Grid | None
    search: SearchName
    inner: Any
    scoring: Any
    n_jobs: int | None = None


@dataclass(frozen=True)
class Plan:
    """What a protocol does, in words and as splits with an estimator for each."""

    text: str
    splits: list[Split]
    make_estimator: MakeEstimator


def plan_nested(
    estimator: Any, X: Any, y: Any, tuning: Tuning, *, outer: Any, repeats: int, random_state: int
) -> Plan:
    """Return the plan of nested cross-validation."""
    splits = nested_splits(estimator, X, y, outer=outer, repeats=repeats, random_state=random_state)
    tuned = (
        "" if tuning.grid is None else f", parameters by {tuning.search} search over inner folds"
    )
    text = f"{len(splits)} outer folds{tuned}"
    return Plan(text, splits, make_estimators(estimator, y, tuning, random_state))


def nested_splits(
    estimator: Any, X: Any, y: Any, *, outer: Any, repeats: int, random_state: int
) -> list[Split]:
    """Return the outer folds of nested cross-validation, the same for all classifiers."""
    check_consistent_length(X, y)
    if repeats < 1 or (repeats > 1 and not isinstance(outer, int)):
        raise ValueError(
            "The 'repeats' of nested_cv must be 1, or more if 'outer' is a number of folds. Got "
            f"{repeats}."
        )
    return [
        Split(repeat, fold, train, test)
        for repeat in range(repeats)
        for fold, (train, test) in enumerate(
            _folds(outer, estimator, y, derive_seed(random_state, "outer", repeat)).split(X, y)
        )
    ]


def plan_random(
    estimator: Any,
    X: Any,
    y: Any,
    tuning: Tuning,
    *,
    n_splits: int,
    test_size: float,
    stratify: bool,
    random_state: int,
) -> Plan:
    """Return the plan of random splits: many, or one that is held out."""
    splits = random_splits(
        estimator,
        X,
        y,
        n_splits=n_splits,
        test_size=test_size,
        stratify=stratify,
        random_state=random_state,
    )
    noun = "random split" if n_splits == 1 else "random splits"
    text = f"{n_splits} {noun}, {test_size:g} of the rows to test on"
    return Plan(text, splits, make_estimators(estimator, y, tuning, random_state))


def random_splits(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_splits: int,
    test_size: float,
    stratify: bool,
    random_state: int,
) -> list[Split]:
    """Return random splits, the same for all classifiers."""
    check_consistent_length(X, y)
    kind = StratifiedShuffleSplit if stratify and _has_classes(estimator, y) else ShuffleSplit
    splitter = kind(
        n_splits, test_size=test_size, random_state=derive_seed(random_state, "random splits")
    )
    return [Split(i, 0, train, test) for i, (train, test) in enumerate(splitter.split(X, y))]


def inner_folds(inner: Any, estimator: Any, y: Any, random_state: int, split: Split) -> Any:
    """Return the splitter of the inner folds of a split, the same for all methods."""
    seed = derive_seed(random_state, "inner", split.repeat, split.fold)
    return _folds(inner, estimator, y, seed)


def _folds(folds: Any, estimator: Any, y: Any, seed: int) -> Any:
    """Return a splitter; a number means shuffled folds, stratified for classifiers."""
    if isinstance(folds, int) and not isinstance(folds, bool):
        if folds < 2:
            raise ValueError(f"Cross-validation needs at least 2 folds. Got {folds}.")
        if not _has_classes(estimator, y):
            return KFold(folds, shuffle=True, random_state=seed)
        # Where no class has as many rows as there are folds, the smallest class says how many.
        counts = np.unique(y, return_counts=True)[1]
        if folds > counts.max():
            folds = max(2, int(counts.min()))
        return StratifiedKFold(folds, shuffle=True, random_state=seed)
    if not hasattr(folds, "split") and not isinstance(folds, Iterable):
        raise ValueError(
            f"The folds must be a number, a splitter or a list of splits. Got {folds!r}."
        )
    return check_cv(folds)


def _has_classes(estimator: Any, y: Any) -> bool:
    return is_classifier(estimator) and type_of_target(y) in ("binary", "multiclass")


def make_estimators(estimator: Any, y: Any, tuning: Tuning, random_state: int) -> MakeEstimator:
    """Return what makes the estimator of a split; a search gets inner folds of its own."""
    grid = tuning.grid
    if tuning.search not in _SEARCHES:
        raise ValueError(f"The 'search' must be 'grid' or 'pattern'. Got {tuning.search!r}.")
    if grid is None:
        return lambda split: estimator
    first = next(iter(name_scores(tuning.scoring).values()))
    if is_multi_target_score(first):
        first = make_multi_target_scorer(first)

    def make(split: Split) -> Any:
        folds = inner_folds(tuning.inner, estimator, y, random_state, split)
        # Nothing to choose from is one candidate, whatever the search.
        kind = _SEARCHES[tuning.search] if grid else GridSearchCV
        return kind(clone(estimator), dict(grid), scoring=first, cv=folds, n_jobs=tuning.n_jobs)

    return make
