"""Ranks of methods on data sets, and ranks over several measures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.stats import rankdata

from svmosaic.stats.table import DoubleArray, score_table

__all__ = ["average_ranks", "meta_ranks", "rank_scores", "tie_groups"]

# Two numbers that differ by less than this share of their size differ by rounding errors only:
# 0.3 and 0.1 + 0.2 are a tie. 2^-46 is 64 units in the last place.
ROUNDING = 2.0**-46


def rank_scores(scores: Any, *, higher_is_better: bool = True) -> DoubleArray:
    """Return the rank of each score in its row: 1 is the best, ties share their mean rank.

    Scores that differ by rounding errors only (less than 1.5e-14 of their size) are ties.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_methods)
        The scores, all finite.
    higher_is_better : bool, default=True
        Whether the best score is the largest.

    Returns
    -------
    ranks : ndarray of shape (n_datasets, n_methods)
        Every row sums to k (k + 1) / 2.

    Examples
    --------
    >>> from svmosaic.stats import rank_scores
    >>> rank_scores([[0.9, 0.7, 0.9], [0.1, 0.2, 0.3]]).tolist()
    [[1.5, 3.0, 1.5], [3.0, 2.0, 1.0]]
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 2 or not np.isfinite(values).all():
        raise ValueError(
            "rank_scores expects finite scores of shape (n_datasets, n_methods). Got "
            f"{'numbers that are not finite' if values.ndim == 2 else f'shape {values.shape}'}."
        )
    groups = np.array([tie_groups(row, ROUNDING * np.abs(row)) for row in values])
    return np.asarray(rankdata(-groups if higher_is_better else groups, axis=1))


def tie_groups(values: DoubleArray, noise: DoubleArray) -> Any:
    """Return numbers from small to large; values within the noise of a neighbour share one."""
    order = np.argsort(values, kind="stable")
    ordered, error = values[order], noise[order]
    apart = np.diff(ordered) > np.maximum(error[1:], error[:-1])
    groups = np.empty(values.size, dtype=np.int64)
    groups[order] = np.concatenate([[0], np.cumsum(apart)])
    return groups


def average_ranks(table: Any, *, higher_is_better: bool = True) -> dict[str, float]:
    """Return the mean rank of each method over the data sets.

    Parameters
    ----------
    table : ScoreTable, DataFrame, mapping or array-like
        Scores of methods on data sets, as `score_table` takes them.
    higher_is_better : bool, default=True
        Whether the best score is the largest.

    Returns
    -------
    dict of str to float
        In the order of the table; 1 is the best.

    Examples
    --------
    >>> from svmosaic.stats import average_ranks
    >>> average_ranks({"SVC": [0.9, 0.8], "tree": [0.9, 0.7]})
    {'SVC': 1.25, 'tree': 1.75}
    """
    checked = score_table(table)
    ranks = rank_scores(checked.scores, higher_is_better=higher_is_better).mean(axis=0)
    return dict(zip(checked.methods, ranks.tolist(), strict=True))


def meta_ranks(ranks: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return the ranks of average ranks, averaged over several measures.

    For each measure the methods are ranked by their average ranks; the mean of these ranks over
    the measures is the meta-rank. It describes; it is not a test, because measures of the same
    runs are not independent.

    Parameters
    ----------
    ranks : mapping of str to mapping
        For each measure, the average rank of each method, such as `average_ranks` gives.

    Returns
    -------
    dict of str to float
        In the order of the first measure; 1 is the best.

    Examples
    --------
    >>> from svmosaic.stats import meta_ranks
    >>> meta_ranks({"accuracy": {"a": 1.2, "b": 1.8}, "time": {"a": 1.5, "b": 1.5}})
    {'a': 1.25, 'b': 1.75}
    """
    if not ranks:
        raise ValueError("meta_ranks needs the average ranks of at least one measure. Got none.")
    methods = tuple(next(iter(ranks.values())))
    for measure, of_measure in ranks.items():
        if set(of_measure) != set(methods):
            odd = sorted(set(of_measure) ^ set(methods))[0]
            raise ValueError(
                f"The method {odd!r} is not ranked by all measures; see {measure!r}. Every measure "
                "must rank the same methods."
            )
    values = np.array([[of_measure[name] for name in methods] for of_measure in ranks.values()])
    means = rank_scores(values, higher_is_better=False).mean(axis=0)
    return dict(zip(methods, means.tolist(), strict=True))
