"""How far average ranks must be apart: Nemenyi (all pairs) and Bonferroni-Dunn (a control).

With k methods on N data sets the difference of two average ranks has the standard error
sqrt(k (k + 1) / (6 N)). All critical values are computed, none is looked up.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from scipy.stats import norm, studentized_range

__all__ = [
    "PostHoc",
    "bonferroni_dunn_critical_value",
    "critical_difference",
    "nemenyi_critical_value",
    "nemenyi_p_value",
    "rank_standard_error",
]

PostHoc = Literal["nemenyi", "bonferroni-dunn"]


def rank_standard_error(n_methods: int, n_datasets: int) -> float:
    """Return the standard error of a difference of two average ranks."""
    return math.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))


def nemenyi_critical_value(n_methods: int, alpha: float = 0.05) -> float:
    """Return the critical value of the Nemenyi test: a studentised range divided by sqrt(2).

    Parameters
    ----------
    n_methods : int
        The number of methods.
    alpha : float, default=0.05
        The level of significance.

    Returns
    -------
    float
        What a difference of average ranks divided by its standard error is compared with.

    Examples
    --------
    >>> from svmosaic.stats import nemenyi_critical_value
    >>> [round(nemenyi_critical_value(k), 3) for k in (2, 3, 4, 5)]
    [1.96, 2.344, 2.569, 2.728]
    """
    _check(n_methods, alpha)
    return float(studentized_range.ppf(1 - alpha, n_methods, np.inf)) / math.sqrt(2)


def bonferroni_dunn_critical_value(n_methods: int, alpha: float = 0.05) -> float:
    """Return the critical value of k - 1 two-sided comparisons with a control.

    Parameters
    ----------
    n_methods : int
        The number of methods.
    alpha : float, default=0.05
        The level of significance.

    Returns
    -------
    float
        What a difference of average ranks divided by its standard error is compared with.

    Examples
    --------
    >>> from svmosaic.stats import bonferroni_dunn_critical_value
    >>> [round(bonferroni_dunn_critical_value(k), 3) for k in (2, 3, 4, 5)]
    [1.96, 2.241, 2.394, 2.498]
    """
    _check(n_methods, alpha)
    return float(norm.isf(alpha / (2 * (n_methods - 1))))


def critical_difference(
    n_methods: int, n_datasets: int, *, alpha: float = 0.05, test: PostHoc = "nemenyi"
) -> float:
    """Return how far two average ranks must be apart to differ significantly.

    Parameters
    ----------
    n_methods, n_datasets : int
        k and N.
    alpha : float, default=0.05
        The family-wise level. A smaller one gives a larger difference.
    test : {"nemenyi", "bonferroni-dunn"}, default="nemenyi"
        All pairs, or one control against the others.

    Returns
    -------
    float
        The critical difference.

    Examples
    --------
    >>> from svmosaic.stats import critical_difference
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    values = {
        "nemenyi": nemenyi_critical_value,
        "bonferroni-dunn": bonferroni_dunn_critical_value,
    }
    if test not in values:
        raise ValueError(
            "The 'test' option of critical_difference must be 'nemenyi' or 'bonferroni-dunn'. "
            f"Got {test!r}."
        )
    if n_datasets < 1:
        raise ValueError(f"critical_difference needs at least 1 data set. Got {n_datasets}.")
    return values[test](n_methods, alpha) * rank_standard_error(n_methods, n_datasets)


def nemenyi_p_value(z: Any, n_methods: int) -> Any:
    """Return p-values of standardised rank differences, for all pairs of methods together."""
    return studentized_range.sf(np.abs(z) * math.sqrt(2), n_methods, np.inf)


def _check(n_methods: int, alpha: float) -> None:
    if n_methods < 2:
        raise ValueError(f"A comparison needs at least 2 methods. Got {n_methods}.")
    if not 0 < alpha < 1:
        raise ValueError(f"The level 'alpha' must be between 0 and 1. Got {alpha}.")
