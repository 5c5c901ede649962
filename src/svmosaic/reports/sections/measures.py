"""One section for each measure: scores, times, support vectors."""

from __future__ import annotations

from dataclasses import dataclass

from svmosaic.reports.document import Figure, Section, Table
from svmosaic.reports.figures import Studio
from svmosaic.reports.measure import (
    FIT_SECONDS,
    N_SUPPORT,
    SCORE_SECONDS,
    Measure,
    kind_of_score,
    measure,
    measure_table,
)
from svmosaic.reports.run_data import RunData
from svmosaic.reports.sections.statistics import Findings, find

__all__ = ["MeasurePart", "predict_part", "score_part", "size_part", "time_part"]

_FEW_SIZES = 2


@dataclass(frozen=True, eq=False)
class MeasurePart:
    """A section with what its tables were made of.

    Attributes
    ----------
    section : Section
        What is shown.
    values : Measure
        The values.
    table : Table
        The table of the values.
    findings : Findings
        What the tests say.
    """

    section: Section
    values: Measure
    table: Table
    findings: Findings


def score_part(
    run: RunData, score: str, control: str | None, alpha: float, studio: Studio
) -> MeasurePart:
    """Return the section of a score."""
    values = measure(run, kind_of_score(score))
    caption = (
        f"{score}: means over the folds, with their standard deviations; the best of each row, "
        f"by all its digits, is bold.{_incomplete(values)}"
    )
    table = measure_table(values, caption)
    findings = find(values, control, alpha, studio)
    section = Section(score, findings.text, [table], findings.figures, findings.details)
    return MeasurePart(section, values, table, findings)


def time_part(run: RunData, control: str | None, alpha: float, studio: Studio) -> MeasurePart:
    """Return the section of the training time."""
    values = measure(run, FIT_SECONDS)
    lead = (
        "Seconds to train on one split, the search for parameters included. Times depend on the "
        "computer and on what else it does; those of cells that ran at the same time are longer."
    )
    return _growing_part("Training time", values, lead, "seconds", (control, alpha), run, studio)


def predict_part(run: RunData, control: str | None, alpha: float, studio: Studio) -> MeasurePart:
    """Return the section of the prediction time."""
    values = measure(run, SCORE_SECONDS)
    lead = "Seconds to predict and score the test rows of one split."
    return _growing_part("Prediction time", values, lead, "seconds", (control, alpha), run, studio)


def size_part(
    run: RunData, control: str | None, alpha: float, studio: Studio
) -> MeasurePart | None:
    """Return the section of the support vectors; None if no method has any."""
    values = measure(run, N_SUPPORT)
    if not values.methods:
        return None
    without = [name for name in run.methods if name not in values.methods]
    lead = "Support vectors of the chosen model, those that binary classifiers share counted once."
    if without:
        lead += f" None are known of: {', '.join(without)}."
    return _growing_part(
        "Support vectors", values, lead, "support vectors", (control, alpha), run, studio
    )


def _growing_part(
    title: str,
    values: Measure,
    lead: str,
    ylabel: str,
    test: tuple[str | None, float],
    run: RunData,
    studio: Studio,
) -> MeasurePart:
    caption = (
        f"{title}: means over the folds, with their standard deviations; the lowest of each row "
        f"is bold.{_incomplete(values)}"
    )
    table = measure_table(values, caption)
    findings = find(values, *test, studio)
    figures, note = _growth(title, values, ylabel, run, studio)
    text = "\n\n".join(part for part in (lead, findings.text, note) if part)
    section = Section(title, text, [table], [*figures, *findings.figures], findings.details)
    return MeasurePart(section, values, table, findings)


def _growth(
    title: str, values: Measure, ylabel: str, run: RunData, studio: Studio
) -> tuple[list[Figure], str]:
    """Return the figure of values against rows, or why there is none."""
    rows = [run.shapes[name].get("n_samples") for name in values.datasets]
    if len({n for n in rows if n is not None}) < _FEW_SIZES:
        return [], "The data sets do not differ in their rows, so nothing is drawn against them."
    series = {
        method: [
            (float(n), float(value))
            for n, value, complete in zip(
                rows, values.means[:, j], values.complete[:, j], strict=True
            )
            if n is not None and complete
        ]
        for j, method in enumerate(values.methods)
    }

    def make() -> object:
        from svmosaic.plots.growth import plot_growth

        return plot_growth(series, ylabel=ylabel, xlabel="rows of the data set")

    caption = (
        "Each point is one data set; both axes are logarithmic. Data sets differ in more than "
        "their rows, so a line between two points does not show how time grows."
    )
    return studio.draw(make, f"{title} against the rows of the data set", caption), ""


def _incomplete(values: Measure) -> str:
    left_out = values.table.dropped
    if not left_out or not values.methods:
        return ""
    return (
        f" Means and ranks leave out data sets where a method lacks folds: {', '.join(left_out)}."
    )
