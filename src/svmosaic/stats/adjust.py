"""P-values adjusted for the number of hypotheses that are tested together.

An adjusted p-value is the smallest level at which its hypothesis is rejected while the chance of
any false rejection in the family stays below that level.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import comb
from typing import Any

import numpy as np

from svmosaic.stats.table import DoubleArray

__all__ = ["bonferroni", "hochberg", "holm", "holm_thresholds", "shaffer"]


def bonferroni(p_values: Any) -> DoubleArray:
    """Return the p-values times their number. This is Dunn's test against a control.

    Parameters
    ----------
    p_values : array-like of shape (n,)
        One p-value for each comparison.

    Returns
    -------
    ndarray of shape (n,)
        The adjusted p-values, in the same order.

    Examples
    --------
    >>> from svmosaic.stats import bonferroni
    >>> bonferroni([0.25, 0.5, 0.125]).tolist()
    [0.75, 1.0, 0.375]
    """
    p = _checked(p_values)
    return np.minimum(1.0, p * p.size)


def holm(p_values: Any) -> DoubleArray:
    """Return the p-values of Holm's step-down procedure; valid however they depend.

    Parameters
    ----------
    p_values : array-like of shape (n,)
        One p-value for each comparison.

    Returns
    -------
    ndarray of shape (n,)
        The adjusted p-values, in the same order.

    Examples
    --------
    >>> from svmosaic.stats import holm
    >>> holm([0.25, 0.5, 0.125]).tolist()
    [0.5, 0.5, 0.375]
    """
    p = _checked(p_values)
    return _step_down(p, [p.size - i for i in range(p.size)])


def hochberg(p_values: Any) -> DoubleArray:
    """Return the p-values of Hochberg's step-up procedure.

    It rejects whatever Holm's does and sometimes more. It needs p-values that are independent or
    positively dependent; comparisons with one control are.

    Parameters
    ----------
    p_values : array-like of shape (n,)
        One p-value for each comparison.

    Returns
    -------
    ndarray of shape (n,)
        The adjusted p-values, in the same order.

    Examples
    --------
    >>> from svmosaic.stats import hochberg
    >>> hochberg([0.04, 0.03, 0.02]).tolist()
    [0.04, 0.04, 0.04]
    """
    p = _checked(p_values)
    order = np.argsort(-p, kind="stable")
    # The largest p counts once, the next twice, and so on; none may exceed a larger one's.
    stepped = np.minimum.accumulate(p[order] * np.arange(1, p.size + 1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, stepped)
    return adjusted


def shaffer(p_values: Any, n_methods: int) -> DoubleArray:
    """Return the p-values of Shaffer's static procedure for all pairs of methods.

    Not every set of pair hypotheses can be true at once: if a = b is false, then a = c or b = c is.
    So fewer hypotheses need to be allowed for than in Holm's procedure.

    Parameters
    ----------
    p_values : array-like of shape (n_methods * (n_methods - 1) / 2,)
        One p-value per pair.
    n_methods : int
        The number of methods.

    Returns
    -------
    ndarray of shape (n_methods * (n_methods - 1) / 2,)
        The adjusted p-values, in the same order.

    References
    ----------
    J. P. Shaffer, "Modified Sequentially Rejective Multiple Test Procedures", JASA 81 (1986).

    Examples
    --------
    >>> from svmosaic.stats import shaffer
    >>> shaffer([0.25, 0.0625, 0.125], 3).tolist()
    [0.25, 0.1875, 0.1875]
    """
    p = _checked(p_values)
    if p.size != comb(n_methods, 2):
        raise ValueError(
            f"{n_methods} methods have {comb(n_methods, 2)} pairs. Got {p.size} p-values."
        )
    possible = sorted(_true_counts(n_methods))
    # After i rejections at most p.size - i hypotheses are true, and only certain numbers can be.
    factors = [max(c for c in possible if c <= p.size - i) for i in range(p.size)]
    return _step_down(p, factors)


def holm_thresholds(p_values: Any, alpha: float) -> DoubleArray:
    """Return what Holm's procedure compares each p-value with: alpha / (m - i + 1) for the i-th.

    A hypothesis is rejected if its p-value and all smaller ones are at or below their thresholds.
    Papers often print these thresholds under the name of Holm's p-values; they are not p-values.
    """
    p = _checked(p_values)
    thresholds = np.empty_like(p)
    thresholds[np.argsort(p, kind="stable")] = alpha / (p.size - np.arange(p.size))
    return thresholds


@cache
def _true_counts(k: int) -> frozenset[int]:
    """Return how many pair hypotheses of k methods can be true together.

    Methods fall into groups of equals; a group of j has j (j - 1) / 2 true pairs.
    """
    if k <= 1:
        return frozenset({0})
    return frozenset(comb(j, 2) + rest for j in range(1, k + 1) for rest in _true_counts(k - j))


def _step_down(p: DoubleArray, factors: Sequence[int]) -> DoubleArray:
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.maximum(factors, 1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, stepped)
    return adjusted


def _checked(p_values: Any) -> DoubleArray:
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not np.all((p >= 0) & (p <= 1)):
        raise ValueError(
            "p-values must be a sequence of numbers from 0 to 1. Got "
            f"{'values outside' if p.ndim == 1 else f'shape {p.shape}'}."
        )
    return p
