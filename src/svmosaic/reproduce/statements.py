"""What the statistics say of our numbers, and of the printed ones on the same data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from svmosaic.reproduce.paper_comparison import Numbers
from svmosaic.reproduce.paper_spec import Metric, TableSpec
from svmosaic.stats import Comparison, compare, score_table, wilcoxon
from svmosaic.stats.words import format_p

__all__ = ["compare_records", "statements"]


def statements(
    spec: TableSpec, numbers: Numbers, records: Sequence[Mapping[str, Any]], metric: Metric
) -> list[str]:
    """Return paragraphs on one metric; none where there is too little to compare."""
    if spec.pairs == "splits":
        return _over_splits(spec, numbers, records, metric)
    texts = []
    for paper in (False, True):
        columns = _columns(numbers, metric, paper=paper)
        texts += _paragraphs(
            spec, metric, columns, "The printed numbers" if paper else "Ours", paper
        )
        whole = {name: values for name, values in columns.items() if None not in values.values()}
        if not paper and 1 < len(whole) < len(columns):
            # Methods with gaps have cost the comparison data sets; the others have more to say.
            gaps = ", ".join(name for name in columns if name not in whole)
            texts += _paragraphs(
                spec, metric, whole, f"Ours on all data sets, without {gaps}", False
            )
    return texts


def compare_records(
    spec: TableSpec, numbers: Numbers, metric: Metric, *, paper: bool
) -> Comparison | None:
    """Return our numbers or the printed ones compared; None where there is too little.

    The control of the printed numbers is the printed method of our control, or else the one that
    the table names.
    """
    return _compare(spec, metric, _columns(numbers, metric, paper=paper), paper)


def _columns(
    numbers: Numbers, metric: Metric, *, paper: bool
) -> dict[str, dict[str, float | None]]:
    """Return the numbers of each method by data set, ours or the printed ones."""
    columns: dict[str, dict[str, float | None]] = {}
    for cell in numbers.of(metric.name):
        name = cell.paper_method if paper else cell.method
        if name is not None:
            columns.setdefault(name, {})[cell.dataset] = cell.paper if paper else cell.ours
    return columns


def _compare(
    spec: TableSpec,
    metric: Metric,
    columns: Mapping[str, Mapping[str, float | None]],
    paper: bool,
) -> Comparison | None:
    control = spec.control
    if paper and control is not None:
        control = spec.paper_control or spec.paper_methods.get(control)
    try:
        table = score_table(columns, missing="drop")
        return compare(
            table,
            metric.higher_is_better,
            control=control if control in table.methods else None,
            measure=metric.label,
        )
    except ValueError:
        # Fewer than two methods or complete data sets.
        return None


def _paragraphs(
    spec: TableSpec,
    metric: Metric,
    columns: Mapping[str, Mapping[str, float | None]],
    whose: str,
    paper: bool,
) -> list[str]:
    """Return what the comparison says, and the tests of the control in a sentence or a table."""
    result = _compare(spec, metric, columns, paper)
    if result is None:
        return []
    text = f"{whose}: {result.text()}"
    if result.control is None:
        return [text]
    return [text, _pairs(result)] if spec.details else [f"{text} {_signed(result)}"]


def _signed(result: Comparison) -> str:
    """Return Wilcoxon's test of the control against each other method, in a sentence."""
    signed = "; ".join(
        f"{pair.versus} p = {pair.wilcoxon.p_value:.2g} ({pair.wins} won, {pair.ties} equal, "
        f"{pair.losses} lost)"
        for pair in result.pairs
    )
    return f"Wilcoxon's signed-rank test of {result.control}, not adjusted: {signed}."


def _pairs(result: Comparison) -> str:
    """Return a table of the control against each other method, as the papers print it."""
    lines = [
        f"| {result.control} against | wins, ties, losses | Wilcoxon R+ | R- | Wilcoxon p | "
        "Bonferroni-Dunn p | Holm p |",
        "|---|---|---|---|---|---|---|",
    ]
    for pair in result.pairs:
        test = pair.wilcoxon
        values = (test.p_value, pair.adjusted["bonferroni_dunn"], pair.adjusted["holm"])
        shown = " | ".join(format_p(p).removeprefix("p ").removeprefix("= ") for p in values)
        lines.append(
            f"| {pair.versus} | {pair.wins}, {pair.ties}, {pair.losses} | {test.r_plus:g} | "
            f"{test.r_minus:g} | {shown} |"
        )
    return "\n".join(lines)


def _over_splits(
    spec: TableSpec, numbers: Numbers, records: Sequence[Mapping[str, Any]], metric: Metric
) -> list[str]:
    texts = []
    for dataset in numbers.datasets:
        values = {
            method: {
                (record["repeat"], record["fold"]): record[metric.field]
                for record in records
                if (record["dataset"], record["method"]) == (dataset, method)
            }
            for method in numbers.methods
        }
        control = values.get(spec.control or "", {})
        parts = []
        for method, scores in values.items():
            splits = [split for split in control if split in scores]
            if method != spec.control and splits:
                x, y = ([scores[s] for s in splits], [control[s] for s in splits])
                difference = median(a - b for a, b in zip(x, y, strict=True))
                p = wilcoxon(x, y, higher_is_better=metric.higher_is_better).p_value
                parts.append(f"{method} {difference:+.{metric.digits}f} (p = {p:.1e})")
        if parts:
            texts.append(
                f"{dataset}, median difference to {spec.control} over {len(control)} paired "
                f"splits, with Wilcoxon's p: {'; '.join(parts)}. The splits share rows, so the "
                "p-values overstate the evidence."
            )
    return texts
