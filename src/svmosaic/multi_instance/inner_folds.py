"""Cross-validation within the training bags: its folds and its score."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, check_cv

from svmosaic.engine.problem import DoubleArray, IndexArray

__all__ = ["Splits", "alike_but_for", "fold_score", "inner_splits", "mean_score"]

Splits = list[tuple[IndexArray, IndexArray]]


def inner_splits(folds: Any, signs: DoubleArray, rng: Any) -> Splits:
    """Return training and left-out bags of each fold, ascending; none where a class has one bag.

    A number means stratified folds, as many as the smaller class allows.
    """
    if isinstance(folds, Integral):
        n_folds = min(int(folds), int(np.sum(signs > 0)), int(np.sum(signs < 0)))
        if n_folds < 2:
            return []
        seed = int(rng.randint(np.iinfo(np.int32).max))
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    found = check_cv(folds).split(np.zeros((signs.size, 1)), signs > 0)
    return [(np.sort(train), np.sort(test)) for train, test in found]


def fold_score(signs: DoubleArray, scores: DoubleArray) -> float:
    """Return the mean of accuracy and area under the ROC curve on left-out bags.

    Accuracy alone has many ties on few bags. A fold of one class has no curve.
    """
    truth = signs > 0
    accuracy = np.count_nonzero((scores > 0) == truth) / truth.size
    positive, negative = scores[truth], scores[~truth]
    if not positive.size or not negative.size:
        return accuracy
    negative.sort()
    # How many pairs are in order; a tie counts one half.
    in_order = negative.searchsorted(positive).sum()
    in_order += negative.searchsorted(positive, side="right").sum()
    return (accuracy + float(in_order) / (2.0 * positive.size * negative.size)) / 2.0


def mean_score(signs: DoubleArray, splits: Splits, scores: Sequence[DoubleArray]) -> float:
    """Return the mean of `fold_score` over folds, from the scores of the left-out bags of each."""
    pairs = zip(splits, scores, strict=True)
    return float(np.mean([fold_score(signs[test], found) for (_, test), found in pairs]))


def alike_but_for(
    candidates: Sequence[dict[str, Any]], *names: str
) -> list[tuple[dict[str, Any], list[int]]]:
    """Group candidates that differ in some parameters only.

    Returns for each group the parameters that its members share and their numbers.
    """
    groups: dict[str, tuple[dict[str, Any], list[int]]] = {}
    for i, candidate in enumerate(candidates):
        shared = {name: value for name, value in candidate.items() if name not in names}
        groups.setdefault(repr(sorted(shared.items())), (shared, []))[1].append(i)
    return list(groups.values())
