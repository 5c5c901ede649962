"""What the rank tests say of a measure: in words, as a diagram and as a table of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from svmosaic.reports.document import Cell, Details, Figure, Row, Table
from svmosaic.reports.figures import Studio
from svmosaic.reports.measure import Measure
from svmosaic.reports.numbers import format_p
from svmosaic.stats import Comparison, compare
from svmosaic.utils.wording import plural

__all__ = ["Findings", "find", "pairs_table"]

_FEW = 2


@dataclass(frozen=True, eq=False)
class Findings:
    """What is known of a measure.

    Attributes
    ----------
    text : str
        The findings, or why there are none.
    figures : sequence of Figure
        The critical-difference diagram.
    details : sequence of Details
        The table of pairs.
    comparison : Comparison or None
        All of it, where there is one.
    """

    text: str
    figures: Sequence[Figure] = ()
    details: Sequence[Details] = ()
    comparison: Comparison | None = None


def find(values: Measure, control: str | None, alpha: float, studio: Studio) -> Findings:
    """Compare the methods by a measure, or say why that is not possible."""
    reason = _obstacle(values)
    if reason:
        return Findings(reason)
    # A control without values of this measure is left out of it, not of the page.
    known = control if control == "best" or control in values.methods else None
    try:
        result = compare(
            values.table,
            values.kind.higher_is_better,
            control=known,
            alpha=alpha,
            measure=values.kind.words,
        )
    except ValueError as error:
        return Findings(f"No statistics: {error}")
    text = result.text()
    if control is not None and known is None:
        text += f" {control} has no {values.kind.words} here, so all pairs are compared."
    figures = studio.draw(
        lambda: _diagram(result),
        f"Critical-difference diagram of {values.kind.words}",
        _caption(result),
        wide=True,
    )
    return Findings(text, figures, [_pairs(result)], result)


def _obstacle(values: Measure) -> str:
    n_methods, table = len(values.methods), values.table
    if n_methods < _FEW:
        return "There is one method, so there is nothing to compare and no statistics."
    if len(values.datasets) < _FEW:
        return (
            "There are no statistics: they compare methods over data sets and need at least 2, "
            "and this run has 1. The folds of one data set share their rows; they are not "
            "independent enough to be tested in their place."
        )
    if len(table.datasets) < _FEW:
        return (
            "There are no statistics: they need at least 2 data sets on which every method has "
            f"all folds, and this run has {len(table.datasets)}."
        )
    return ""


def _caption(result: Comparison) -> str:
    if result.control is None:
        return (
            "Average ranks, the best on the left. Bars join methods that Nemenyi's test cannot "
            "tell apart."
        )
    return (
        f"Average ranks, the best on the left. The Bonferroni-Dunn test cannot tell methods in the "
        f"grey interval from {result.control}."
    )


def _pairs(result: Comparison) -> Details:
    what = "all pairs" if result.control is None else f"{result.control} with the others"
    test = result.friedman
    first, second = test.degrees_of_freedom
    text = (
        f"Friedman chi2({first}) = {test.chi2:.4f}, p = {test.chi2_p_value:.3g}; Iman-Davenport "
        f"F({first}, {second}) = {test.F:.4f}, p = {test.p_value:.3g}; critical difference "
        f"{result.critical_difference:.4f} at the level {result.alpha:g}."
    )
    title = f"Comparison of {what} ({plural(len(result.pairs), 'pair')})"
    return Details(title, text, [pairs_table(result)])


def pairs_table(result: Comparison) -> Table:
    """Return the comparisons; adjusted p-values below the level are bold."""
    adjusted = list(result.pairs[0].adjusted)
    header = [
        *("method", "versus", "win/tie/loss", "z", "p"),
        *(f"p {name.replace('_', '-').title()}" for name in adjusted),
        *("R+", "R-", "p Wilcoxon"),
    ]
    rows: list[Row] = [
        [
            pair.method,
            pair.versus,
            f"{pair.wins}/{pair.ties}/{pair.losses}",
            f"{pair.z:.3f}",
            format_p(pair.p_value),
            *(
                Cell(format_p(pair.adjusted[name]), pair.adjusted[name] <= result.alpha)
                for name in adjusted
            ),
            f"{pair.wilcoxon.r_plus:g}",
            f"{pair.wilcoxon.r_minus:g}",
            format_p(pair.wilcoxon.p_value),
        ]
        for pair in result.pairs
    ]
    caption = (
        f"Adjusted p-values of at most {result.alpha:g} are bold; those of z and of Wilcoxon's "
        "test are not adjusted."
    )
    return Table(header, rows, caption, "ll" + "r" * (len(header) - 2))


def _diagram(result: Comparison) -> object:
    # Imported here, so that a report without figures starts without the modules that draw.
    from svmosaic.plots.critical_difference import plot_comparison

    return plot_comparison(result)
