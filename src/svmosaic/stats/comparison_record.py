"""What a comparison of methods over data sets found: plain records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from svmosaic.stats.groups import indistinct_groups
from svmosaic.stats.omnibus import FriedmanTest
from svmosaic.stats.signed_rank import WilcoxonTest
from svmosaic.stats.table import DoubleArray, ScoreTable
from svmosaic.utils.shown_table import ShownAsTable, ShownTable

__all__ = ["ComparisonRecord", "PairComparison"]


@dataclass(frozen=True)
class PairComparison:
    """Two methods compared.

    Attributes
    ----------
    method, versus : str
        The two methods. With a control, `method` is the control.
    rank_difference : float
        Average rank of `versus` minus that of `method`: positive where `method` is better.
    z : float
        The difference in units of its standard error.
    p_value : float
        Two-sided p-value of z, not adjusted for the number of comparisons.
    adjusted : dict of str to float
        Adjusted p-values by procedure: "bonferroni_dunn", "holm" and "hochberg" with a control,
        "nemenyi", "holm" and "shaffer" for all pairs.
    holm_threshold : float
        What Holm's procedure compares `p_value` with. It is not a p-value.
    wins, ties, losses : int
        Data sets on which `method` is better, equal, worse.
    wilcoxon : WilcoxonTest
        Signed-rank test of the two; R+ speaks for `method`.
    wilcoxon_holm : float
        Its p-value, adjusted by Holm's procedure over all comparisons of the table.
    """

    method: str
    versus: str
    rank_difference: float
    z: float
    p_value: float
    adjusted: dict[str, float]
    holm_threshold: float
    wins: int
    ties: int
    losses: int
    wilcoxon: WilcoxonTest
    wilcoxon_holm: float

    def record(self) -> dict[str, Any]:
        """Return one flat record of everything.

        Returns
        -------
        dict
            Names and numbers of the comparison.
        """
        return {
            "method": self.method,
            "versus": self.versus,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "rank_difference": self.rank_difference,
            "z": self.z,
            "p_value": self.p_value,
            **self.adjusted,
            "holm_threshold": self.holm_threshold,
            "r_plus": self.wilcoxon.r_plus,
            "r_minus": self.wilcoxon.r_minus,
            "wilcoxon": self.wilcoxon.p_value,
            "wilcoxon_holm": self.wilcoxon_holm,
        }


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonRecord(ShownAsTable):
    """Methods compared over data sets.

    Attributes
    ----------
    table : ScoreTable
        The scores.
    ranks : ndarray of shape (n_datasets, n_methods)
        The rank of each method on each data set.
    higher_is_better : bool
        Whether the best score is the largest.
    alpha : float
        The level of all tests.
    friedman : FriedmanTest
        Whether the methods differ at all.
    control : str or None
        The method that the others are compared with; None where all pairs are.
    control_was_chosen : bool
        Whether the control was taken because of these scores ("best").
    critical_difference : float
        Of Nemenyi's test, or of Bonferroni and Dunn's with a control.
    pairs : tuple of PairComparison
        The comparisons, from the best ranks to the worst.
    measure : str
        What the scores are, for texts.
    """

    table: ScoreTable
    ranks: DoubleArray
    higher_is_better: bool
    alpha: float
    friedman: FriedmanTest
    control: str | None
    control_was_chosen: bool
    critical_difference: float
    pairs: tuple[PairComparison, ...]
    measure: str = "score"

    @property
    def average_ranks(self) -> dict[str, float]:
        """Average rank of each method, best first."""
        means = self.ranks.mean(axis=0)
        order = np.argsort(means, kind="stable")
        return {self.table.methods[j]: float(means[j]) for j in order}

    @property
    def groups(self) -> list[tuple[str, ...]]:
        """Groups of methods whose average ranks are closer than the critical difference."""
        return indistinct_groups(self.average_ranks, self.critical_difference)

    def _shown(self) -> ShownTable:
        against = "against" if self.control is None else f"against {self.control}"
        header = ["method", "average rank", f"mean {self.measure}", "times best"]
        rows = [
            [
                one["method"],
                f"{one['average_rank']:.2f}",
                f"{one['mean_score']:.4g}",
                str(one["times_best"]),
            ]
            for one in self.frame("methods")
        ]
        if self.control is not None:
            # Of Holm's procedure, which finds at least as much as Bonferroni and Dunn's.
            holm = {pair.versus: f"{pair.adjusted['holm']:.3g}" for pair in self.pairs}
            header.append(f"p {against}")
            rows = [[*row, holm.get(row[0], "control")] for row in rows]
        n, k = self.ranks.shape
        return ShownTable(
            f"{k} methods on {n} data sets by {self.measure}",
            header,
            rows,
            f"Friedman p = {self.friedman.p_value:.3g}, critical difference "
            f"{self.critical_difference:.3g} at the level {self.alpha:g}",
        )

    def frame(self, part: Literal["pairs", "methods"] = "pairs") -> list[dict[str, Any]]:
        """Return plain records; ``pandas.DataFrame(result.frame())`` makes a frame of them.

        Parameters
        ----------
        part : {"pairs", "methods"}, default="pairs"
            One record per comparison of two methods, or one per method.

        Returns
        -------
        list of dict
            One record per pair, or per method.
        """
        if part == "pairs":
            return [pair.record() for pair in self.pairs]
        if part != "methods":
            raise ValueError(f"The 'part' of a frame must be 'pairs' or 'methods'. Got {part!r}.")
        best = self.ranks == self.ranks.min(axis=1, keepdims=True)
        places = {name: j for j, name in enumerate(self.table.methods)}
        return [
            {
                "method": name,
                "average_rank": rank,
                "mean_score": float(self.table.scores[:, places[name]].mean()),
                "times_best": int(best[:, places[name]].sum()),
            }
            for name, rank in self.average_ranks.items()
        ]
