"""The page of a prequential run: curves, a table of the end, what was run."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from svmosaic.reports.document import Cell, Details, Document, Row, Section, Table
from svmosaic.reports.figures import Studio
from svmosaic.reports.html import write_html
from svmosaic.reports.numbers import format_score, format_seconds
from svmosaic.utils.wording import plural
from svmosaic.version import __version__

if TYPE_CHECKING:
    from svmosaic.streams import PrequentialResult

__all__ = ["stream_report", "write_stream_report"]

_WINDOW = "window_"
_SIZES = {"n_support": "support vectors", "n_bytes": "model (kB)"}
# Rows of the table along the stream.
_MOST_STAGES = 20


def stream_report(
    result: PrequentialResult, title: str, *, facts: Sequence[tuple[str, str]] = ()
) -> Document:
    """Return the page of a run: who is best at the end, curves along the stream, times and sizes.

    Parameters
    ----------
    result : PrequentialResult
        What `svmosaic.streams.prequential` gave; at least one record.
    title : str
        The heading of the page.
    facts : sequence of tuples of str, default=()
        Names and values of what was run, for the end of the page.

    Returns
    -------
    Document
        `svmosaic.reports.write_html` writes it.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from svmosaic.reports import render, stream_report
    >>> from svmosaic.streams import SEA, prequential
    >>> result = prequential(GaussianNB(), SEA(seed=1), n_samples=3000)
    >>> "GaussianNB" in render(stream_report(result, "SEA"))
    True
    """
    rows = result.summary()
    if not rows:
        raise ValueError("A report needs at least one chunk of a stream. Got a run without any.")
    metrics = [n.removeprefix(_WINDOW) for n in rows[0] if n.startswith(_WINDOW)]
    studio = Studio()
    sections = [
        Section("At the end", _END_TEXT, [_end_table(rows, result.baseline_summary(), metrics)]),
        *(_curve_section(result, metric, studio) for metric in metrics),
        *_alarm_sections(result),
        Section("Time and size", _COST_TEXT, [_cost_table(rows)]),
    ]
    if facts:
        table = Table(("", ""), [list(fact) for fact in facts], align="ll")
        sections.append(Section("What was run", tables=[table]))
    return Document(
        title=title,
        sections=sections,
        summary=_summary(result, rows, studio),
        footer=(
            f"svmosaic {__version__}, {datetime.now(UTC).strftime('%Y-%m-%d %H:%M UTC')}."
            " This page loads nothing from elsewhere."
        ),
        facts=[
            ("learners", str(len(rows))),
            ("samples", f"{rows[0]['n_samples']:,}"),
            ("changes of the concept", str(len(_drifts(result)) or "none known")),
        ],
    )


def write_stream_report(
    result: PrequentialResult,
    title: str,
    path: str | os.PathLike[str],
    *,
    facts: Sequence[tuple[str, str]] = (),
) -> None:
    """Write the page of a run as one HTML file, whole or not at all; see `stream_report`.

    Parameters
    ----------
    result : PrequentialResult
        What `svmosaic.streams.prequential` returned.
    title : str
        The title of the page.
    path : path-like
        The file.
    facts : sequence of tuple of str, default=()
        Names and values for the list at the top of the page.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from svmosaic.reports import write_stream_report
    >>> from svmosaic.streams import SEA, prequential
    >>> result = prequential(GaussianNB(), SEA(seed=1), n_samples=2000)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = pathlib.Path(folder, "sea.html")
    ...     write_stream_report(result, "SEA", page)
    ...     page.stat().st_size > 1000
    True
    """
    write_html(stream_report(result, title, facts=facts), path)


_END_TEXT = (
    "Every sample was predicted before it was learned. Each measure is over all predictions; the "
    "smaller number behind it is over the last window. The best learner of each column is bold. "
    "kappa t compares with the previous label, kappa m with the most frequent class. The last rows "
    "are these two baselines, which see each label as soon as it arrives: a learner that is not "
    "above both has learned nothing."
)
_COST_TEXT = (
    "Seconds are wall-clock time over all chunks. The size was measured at every tenth chunk."
)


_ALARM_TEXT = (
    "How often a learner restarted. The first restart after a change of the concept counts as its "
    "detection; all others are false alarms. A delay is in samples and counts to the end of the "
    "chunk. The mean time ratio is the samples per false alarm, divided by the mean delay, times "
    "the share of changes that were found; larger is better."
)


_RESTART_TEXT = (
    "How often a learner restarted. No change of the concept is known, so that nobody can say "
    "which of these alarms are false."
)


def _summary(result: PrequentialResult, rows: Sequence[Mapping[str, Any]], studio: Studio) -> str:
    drifts = _drifts(result)
    where = ", ".join(f"{drift:,}" for drift in drifts)
    change = f"The concept changes at sample {where}" if drifts else "No change of concept is known"
    text = (
        f"{plural(len(rows), 'learner')} on {rows[0]['n_samples']:,} samples, first predicted and "
        f"then learned. {change}."
    )
    return f"{text}\n\nThis page has no figures. {studio.missing}" if studio.missing else text


def _drifts(result: PrequentialResult) -> list[int]:
    end = max(record["end"] for record in result.records)
    return [drift for drift in result.drifts if drift < end]


def _end_table(
    rows: Sequence[Mapping[str, Any]],
    baselines: Sequence[Mapping[str, Any]],
    metrics: Sequence[str],
) -> Table:
    best = {metric: max(_known(rows, metric), default=math.nan) for metric in metrics}
    cells: list[Row] = [
        [
            row["learner"],
            *(
                Cell(
                    _score(row[metric]),
                    bold=number < len(rows) and row[metric] == best[metric],
                    note=_score(row[f"{_WINDOW}{metric}"]),
                )
                for metric in metrics
            ),
        ]
        for number, row in enumerate([*rows, *baselines])
    ]
    header = ["learner", *(metric.replace("_", " ") for metric in metrics)]
    return Table(header, cells, "Measures at the end", "l" + "r" * len(metrics))


def _alarm_sections(result: PrequentialResult) -> list[Section]:
    """Return the section on alarms, if a learner says when it restarts."""
    scores, drifts = result.alarm_scores(), _drifts(result)
    if not scores:
        return []
    cells = [
        [
            name,
            str(one.n_found + one.n_false),
            f"{one.n_found} of {one.n_found + one.n_missed}" if drifts else "none known",
            str(one.n_false) if drifts else "",
            f"{one.mean_delay:,.0f}" if one.n_found else "",
            f"{one.mean_time_ratio:,.1f}" if math.isfinite(one.mean_time_ratio) else "",
        ]
        for name, one in scores.items()
    ]
    header = [
        *("learner", "restarts", "changes found", "false alarms", "mean delay"),
        "mean time ratio",
    ]
    text = _ALARM_TEXT if drifts else _RESTART_TEXT
    return [Section("Alarms", text, [Table(header, cells, "Alarms", "lrrrrr")])]


def _cost_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    sizes = [name for name in _SIZES if any(name in row for row in rows)]
    cells = [
        [
            row["learner"],
            format_seconds(row["train_seconds"]),
            format_seconds(row["test_seconds"]),
            f"{row['samples_per_second']:,.0f}",
            *(_size(name, row.get(name)) for name in sizes),
        ]
        for row in rows
    ]
    header = ["learner", "training (s)", "test (s)", "samples/s", *(_SIZES[n] for n in sizes)]
    return Table(header, cells, "What it took", "l" + "r" * (len(header) - 1))


def _curve_section(result: PrequentialResult, metric: str, studio: Studio) -> Section:
    def draw() -> Any:
        from svmosaic.plots.stream_curves import plot_prequential

        return plot_prequential(result, metric=metric)

    shown = metric.replace("_", " ")
    figures = studio.draw(draw, f"{shown} along the stream", wide=True)
    table = _stages(result, metric)
    return Section(
        shown, figures=figures, details=[Details("The numbers along the stream", tables=[table])]
    )


def _stages(result: PrequentialResult, metric: str) -> Table:
    """Return the windowed measure at some places of the stream."""
    names = list(result.last())
    columns = {
        name: {record["end"]: record[f"{_WINDOW}{metric}"] for record in result.of(name)}
        for name in names
    }
    ends = sorted({end for column in columns.values() for end in column})
    step = math.ceil(len(ends) / _MOST_STAGES)
    # The last one is always there.
    chosen = ends[len(ends) - 1 :: -step][::-1]
    rows = [
        [f"{end:,}", *(_score(columns[name].get(end, math.nan)) for name in names)]
        for end in chosen
    ]
    caption = f"{metric.replace('_', ' ')} over the last window"
    return Table(["samples", *names], rows, caption, "r" * (1 + len(names)))


def _known(rows: Sequence[Mapping[str, Any]], metric: str) -> list[float]:
    return [row[metric] for row in rows if not math.isnan(row[metric])]


def _score(value: float) -> str:
    return "" if math.isnan(value) else format_score(value)


def _size(name: str, value: int | None) -> str:
    if value is None:
        return ""
    return f"{value / 1000:,.0f}" if name == "n_bytes" else f"{value:,}"
