"""Wilcoxon's signed-rank test for two methods on the same data sets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.stats import norm, rankdata

from svmosaic.stats.ranks import ROUNDING, tie_groups
from svmosaic.stats.table import DoubleArray

__all__ = ["WilcoxonTest", "Zeros", "wilcoxon"]

Zeros = Literal["split", "drop"]

# Up to this many differences the null distribution is counted, which takes milliseconds.
_MOST_EXACT = 200


@dataclass(frozen=True)
class WilcoxonTest:
    """Whether one of two methods is better.

    Attributes
    ----------
    r_plus, r_minus : float
        Sums of the ranks of the differences in favour of the first and of the second method.
    n : int
        Differences that were ranked.
    n_zero : int
        Data sets on which both methods have the same score.
    p_value : float
        Two-sided.
    exact : bool
        Whether the p-value was counted over all signs, or comes from the normal approximation.
    """

    r_plus: float
    r_minus: float
    n: int
    n_zero: int
    p_value: float
    exact: bool


def wilcoxon(
    x: Any, y: Any, *, higher_is_better: bool = True, zeros: Zeros = "split"
) -> WilcoxonTest:
    """Test whether paired differences are symmetric around zero.

    Unlike the comparison of average ranks, the result does not depend on which other methods are
    in the table.

    Parameters
    ----------
    x, y : array-like of shape (n_datasets,)
        Scores of the first and the second method on the same data sets. Differences that are
        equal up to rounding errors are ties and share their mean rank.
    higher_is_better : bool, default=True
        Whether the best score is the largest.
    zeros : {"split", "drop"}, default="split"
        What to do about differences of zero. "split" (Demsar): they are ranked with the others,
        and half of their ranks goes to either side; of an odd number one is left out. "drop"
        (Wilcoxon): they are left out.

    Returns
    -------
    WilcoxonTest
        Up to 200 differences its p-value is exact: the share of all ways to give signs to these
        very ranks, ties included, with sums at least as uneven. Zeros keep no sign.

    References
    ----------
    F. Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics Bulletin 1 (1945).
    J. W. Pratt, "Remarks on Zeros and Ties in the Wilcoxon Signed Rank Procedures", JASA 54 (1959).

    Examples
    --------
    >>> from svmosaic.stats import wilcoxon
    >>> test = wilcoxon([0.90, 0.80, 0.85, 0.70, 0.95], [0.88, 0.81, 0.80, 0.66, 0.85])
    >>> test.r_plus, test.r_minus, test.p_value
    (14.0, 1.0, 0.125)
    """
    if zeros not in ("split", "drop"):
        raise ValueError(f"The 'zeros' of wilcoxon must be 'split' or 'drop'. Got {zeros!r}.")
    difference, noise = _differences(x, y, higher_is_better)
    zero = np.abs(difference) <= noise
    n_zero = int(zero.sum())
    # Of an odd number of zeros one is left out, so that the others can be halved.
    n_left_out = n_zero if zeros == "drop" else n_zero % 2
    keep = np.ones(difference.size, dtype=bool)
    keep[np.flatnonzero(zero)[:n_left_out]] = False
    difference = np.where(zero, 0.0, difference)[keep]

    ranks = rankdata(tie_groups(np.abs(difference), noise[keep]))
    shared = float(ranks[difference == 0].sum()) / 2
    r_plus = float(ranks[difference > 0].sum()) + shared
    r_minus = float(ranks[difference < 0].sum()) + shared
    signed = ranks[difference != 0]
    exact = signed.size <= _MOST_EXACT
    p_value = (_exact_p if exact else _normal_p)(signed, abs(r_plus - r_minus))
    return WilcoxonTest(r_plus, r_minus, difference.size, n_zero, p_value, exact)


def _differences(x: Any, y: Any, higher_is_better: bool) -> tuple[DoubleArray, DoubleArray]:
    """Return differences that are positive where the first is better, and their rounding errors."""
    first, second = (np.asarray(scores, dtype=np.float64) for scores in (x, y))
    if first.ndim != 1 or first.shape != second.shape or first.size == 0:
        raise ValueError(
            "wilcoxon needs two equally long sequences of scores. Got shapes "
            f"{first.shape} and {second.shape}."
        )
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("wilcoxon needs finite scores. Leave out data sets without a score.")
    difference = first - second if higher_is_better else second - first
    return difference, ROUNDING * np.maximum(np.abs(first), np.abs(second))


def _exact_p(ranks: DoubleArray, gap: float) -> float:
    """Return the probability of |R+ - R-| >= gap when each rank has either sign equally often."""
    # Mean ranks are multiples of a half, so twice the ranks are whole numbers.
    steps = np.rint(2 * ranks).astype(np.int64)
    total = int(steps.sum())
    chance = np.zeros(total + 1)
    chance[0] = 1.0
    for step in steps:
        chance[step:] = (chance[step:] + chance[: total + 1 - step]) / 2
        chance[:step] /= 2
    sums = np.arange(total + 1)
    return min(1.0, math.fsum(chance[np.abs(2 * sums - total) >= round(2 * gap)]))


def _normal_p(ranks: DoubleArray, gap: float) -> float:
    """Return the normal approximation: R+ - R- has the variance sum of squared ranks."""
    return float(2 * norm.sf(gap / math.sqrt(float(np.sum(ranks**2)))))
