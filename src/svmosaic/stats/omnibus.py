"""The Friedman test of equal methods, and Iman and Davenport's form of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import chi2 as chi2_distribution
from scipy.stats import f as f_distribution

from svmosaic.stats.ranks import rank_scores
from svmosaic.stats.table import DoubleArray, score_table

__all__ = ["FriedmanTest", "friedman", "friedman_of_ranks"]


@dataclass(frozen=True)
class FriedmanTest:
    """Whether the methods differ at all.

    Attributes
    ----------
    n_datasets, n_methods : int
        N and k.
    chi2 : float
        Friedman's statistic.
    chi2_p_value : float
        Its p-value by the chi-square distribution with k - 1 degrees of freedom.
    F : float
        Iman and Davenport's statistic (N - 1) chi2 / (N (k - 1) - chi2).
    p_value : float
        Its p-value by the F distribution. It is the better approximation of the two.
    """

    n_datasets: int
    n_methods: int
    chi2: float
    chi2_p_value: float
    F: float
    p_value: float

    @property
    def degrees_of_freedom(self) -> tuple[int, int]:
        """Degrees of freedom of F: k - 1 and (k - 1) (N - 1)."""
        return self.n_methods - 1, (self.n_methods - 1) * (self.n_datasets - 1)


def friedman(
    table: Any, *, higher_is_better: bool = True, correct_ties: bool = False
) -> FriedmanTest:
    """Test whether all methods have the same expected rank.

    Parameters
    ----------
    table : ScoreTable, DataFrame, mapping or array-like
        Scores of methods on data sets, as `score_table` takes them.
    higher_is_better : bool, default=True
        Whether the best score is the largest. The test does not depend on it.
    correct_ties : bool, default=False
        Whether to divide the statistic by the share of the variance that ties leave, as SciPy
        does. Without it (Demsar's formula, and that of the papers) ties make the test
        conservative.

    Returns
    -------
    FriedmanTest
        Both statistics and their p-values.

    References
    ----------
    J. Demsar, "Statistical Comparisons of Classifiers over Multiple Data Sets", JMLR 7 (2006),
    section 3.2.2. R. L. Iman and J. M. Davenport, "Approximations of the critical region of the
    Friedman statistic", Communications in Statistics A9 (1980).

    Examples
    --------
    >>> from svmosaic.stats import friedman
    >>> test = friedman([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]])
    >>> test.chi2, test.F, round(test.p_value, 3)
    (4.5, 3.857142857142857, 0.084)
    """
    checked = score_table(table)
    ranks = rank_scores(checked.scores, higher_is_better=higher_is_better)
    return friedman_of_ranks(ranks, correct_ties=correct_ties)


def friedman_of_ranks(ranks: DoubleArray, *, correct_ties: bool) -> FriedmanTest:
    """Run the test on ranks of shape (n_datasets, n_methods)."""
    n, k = ranks.shape
    spread = float(np.sum((ranks.mean(axis=0) - (k + 1) / 2) ** 2))
    variance = _rank_variance(ranks) if correct_ties else k * (k + 1) / 12
    # All methods tied on all data sets: there is no spread to explain.
    chi2 = n * spread / variance if variance > 0 else 0.0
    rest = n * (k - 1) - chi2
    # All data sets rank the methods alike: nothing is left for the denominator.
    whole = rest <= 1e-12 * n * (k - 1)
    F = math.inf if whole else (n - 1) * chi2 / rest
    return FriedmanTest(
        n_datasets=n,
        n_methods=k,
        chi2=chi2,
        chi2_p_value=float(chi2_distribution.sf(chi2, k - 1)),
        F=F,
        p_value=float(f_distribution.sf(F, k - 1, (k - 1) * (n - 1))),
    )


def _rank_variance(ranks: DoubleArray) -> float:
    """Return the variance of the ranks inside the rows; k (k + 1) / 12 if there is no tie."""
    k = ranks.shape[1]
    return float(np.sum((ranks - (k + 1) / 2) ** 2) / (ranks.shape[0] * (k - 1)))
