"""Compare methods over data sets: ranks, the Friedman test, and what follows from it."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Literal

import numpy as np
from scipy.stats import norm

from svmosaic.stats import adjust
from svmosaic.stats.comparison_record import ComparisonRecord, PairComparison
from svmosaic.stats.latex import pairs_latex, scores_latex
from svmosaic.stats.omnibus import friedman_of_ranks
from svmosaic.stats.rank_difference import (
    PostHoc,
    critical_difference,
    nemenyi_p_value,
    rank_standard_error,
)
from svmosaic.stats.ranks import rank_scores
from svmosaic.stats.signed_rank import Zeros, wilcoxon
from svmosaic.stats.table import DoubleArray, Missing, ScoreTable, score_table
from svmosaic.stats.words import describe

__all__ = ["Comparison", "PairComparison", "compare"]


class Comparison(ComparisonRecord):
    """Methods compared over data sets, as text and as tables; made by `compare`.

    `svmosaic.plots.plot_comparison` draws it.

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

    def text(self) -> str:
        """Return what the tests say, in plain English.

        Returns
        -------
        str
            A paragraph.
        """
        return describe(self)

    def latex(self, part: Literal["scores", "pairs"] = "scores", *, digits: int = 4) -> str:
        """Return a LaTeX table for the package booktabs; names are escaped.

        Parameters
        ----------
        part : {"scores", "pairs"}, default="scores"
            The scores with the best of each row in bold, their means and the average ranks; or
            the comparisons.
        digits : int, default=4
            Digits after the point of the scores.

        Returns
        -------
        str
            The table.
        """
        if part == "pairs":
            return pairs_latex(self)
        if part != "scores":
            raise ValueError(f"The 'part' of latex must be 'scores' or 'pairs'. Got {part!r}.")
        return scores_latex(self, digits)


def compare(
    table: Any,
    higher_is_better: bool = True,
    *,
    control: str | None = None,
    alpha: float = 0.05,
    methods: Any = None,
    datasets: Any = None,
    missing: Missing = "refuse",
    correct_ties: bool = False,
    zeros: Zeros = "split",
    measure: str = "score",
) -> Comparison:
    """Compare methods over data sets by their ranks.

    The Friedman test in Iman and Davenport's form says whether the methods differ at all. Then
    either all pairs are compared (Nemenyi, Holm, Shaffer), or a control with each of the others
    (Bonferroni-Dunn, Holm, Hochberg); Wilcoxon's signed-rank test comes with each pair.

    Parameters
    ----------
    table : ScoreTable, DataFrame, mapping or array-like
        Scores of methods (columns) on data sets (rows), as `score_table` takes them.
    higher_is_better : bool, default=True
        Whether the best score is the largest.
    control : str, default=None
        The method to compare the others with, or "best" for that of the best average rank. None
        compares all pairs. Name the control before you see the scores: one that was chosen by
        them is favoured by the choice, and `text` says so.
    alpha : float, default=0.05
        The family-wise level.
    methods, datasets, missing : optional
        As in `score_table`.
    correct_ties : bool, default=False
        As in `friedman`.
    zeros : {"split", "drop"}, default="split"
        As in `wilcoxon`.
    measure : str, default="score"
        What the scores are, for texts: "accuracy", "seconds".

    Returns
    -------
    Comparison
        Has `frame`, `text`, `latex` and `plot`.

    See Also
    --------
    friedman, wilcoxon, critical_difference : The tests alone.

    References
    ----------
    J. Demsar, "Statistical Comparisons of Classifiers over Multiple Data Sets", JMLR 7 (2006).
    S. Garcia and F. Herrera, "An Extension on 'Statistical Comparisons of Classifiers over
    Multiple Data Sets' for all Pairwise Comparisons", JMLR 9 (2008).

    Examples
    --------
    >>> from svmosaic.stats import compare
    >>> scores = {
    ...     "a": [0.95, 0.90, 0.81, 0.99, 0.70, 0.88],
    ...     "b": [0.94, 0.88, 0.80, 0.98, 0.69, 0.85],
    ...     "c": [0.90, 0.89, 0.75, 0.95, 0.60, 0.80],
    ... }
    >>> result = compare(scores, control="a")
    >>> {name: round(rank, 2) for name, rank in result.average_ranks.items()}
    {'a': 1.0, 'b': 2.17, 'c': 2.83}
    >>> [(pair.versus, round(pair.adjusted["holm"], 3)) for pair in result.pairs]
    [('b', 0.043), ('c', 0.003)]
    """
    if not 0 < alpha < 1:
        raise ValueError(f"The 'alpha' of compare must be between 0 and 1. Got {alpha}.")
    checked = score_table(table, methods=methods, datasets=datasets, missing=missing)
    ranks = rank_scores(checked.scores, higher_is_better=higher_is_better)
    n, k = ranks.shape
    order = np.argsort(ranks.mean(axis=0), kind="stable").tolist()
    place = _control_place(checked, control, order)
    test: PostHoc = "nemenyi" if place is None else "bonferroni-dunn"
    return Comparison(
        table=checked,
        ranks=ranks,
        higher_is_better=higher_is_better,
        alpha=alpha,
        friedman=friedman_of_ranks(ranks, correct_ties=correct_ties),
        control=None if place is None else checked.methods[place],
        control_was_chosen=place is not None and control not in checked.methods,
        critical_difference=critical_difference(k, n, alpha=alpha, test=test),
        pairs=_compare_pairs(checked, ranks, order, place, higher_is_better, alpha, zeros),
        measure=measure,
    )


def _control_place(table: ScoreTable, control: str | None, order: list[int]) -> int | None:
    if control is None:
        return None
    if control in table.methods:
        return table.methods.index(control)
    if control == "best":
        return order[0]
    raise ValueError(
        f"The control {control!r} is not in the table. Its methods are: "
        f"{', '.join(table.methods)}; 'best' takes that of the best average rank."
    )


def _compare_pairs(
    table: ScoreTable,
    ranks: DoubleArray,
    order: list[int],
    control: int | None,
    higher_is_better: bool,
    alpha: float,
    zeros: Zeros,
) -> tuple[PairComparison, ...]:
    n, k = ranks.shape
    if control is None:
        pairs = list(combinations(order, 2))
    else:
        pairs = [(control, j) for j in order if j != control]
    means = ranks.mean(axis=0)
    differences = np.array([means[b] - means[a] for a, b in pairs])
    z = differences / rank_standard_error(k, n)
    p = 2 * norm.sf(np.abs(z))
    adjusted = {"holm": adjust.holm(p)}
    if control is None:
        adjusted = {"nemenyi": nemenyi_p_value(z, k), **adjusted, "shaffer": adjust.shaffer(p, k)}
    else:
        adjusted = {
            "bonferroni_dunn": adjust.bonferroni(p),
            **adjusted,
            "hochberg": adjust.hochberg(p),
        }
    thresholds = adjust.holm_thresholds(p, alpha)
    signed = [
        wilcoxon(
            table.scores[:, a],
            table.scores[:, b],
            higher_is_better=higher_is_better,
            zeros=zeros,
        )
        for a, b in pairs
    ]
    signed_holm = adjust.holm([test.p_value for test in signed])
    return tuple(
        PairComparison(
            method=table.methods[a],
            versus=table.methods[b],
            rank_difference=float(differences[i]),
            z=float(z[i]),
            p_value=float(p[i]),
            adjusted={name: float(values[i]) for name, values in adjusted.items()},
            holm_threshold=float(thresholds[i]),
            wins=int(np.sum(ranks[:, a] < ranks[:, b])),
            ties=int(np.sum(ranks[:, a] == ranks[:, b])),
            losses=int(np.sum(ranks[:, a] > ranks[:, b])),
            wilcoxon=signed[i],
            wilcoxon_holm=float(signed_holm[i]),
        )
        for i, (a, b) in enumerate(pairs)
    )
