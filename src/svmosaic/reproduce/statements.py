"""What the statistics say of our numbers, and of the printed ones on the same data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from svmosaic.reproduce.comparison import Numbers
from svmosaic.reproduce.spec import Metric, TableSpec
from svmosaic.stats import compare, score_table, wilcoxon

__all__ = ["statements"]


def statements(
    spec: TableSpec, numbers: Numbers, records: Sequence[Mapping[str, Any]], metric: Metric
) -> list[str]:
    """Return paragraphs on one metric; none where there is too little to compare."""
    if spec.pairs == "splits":
        return _over_splits(spec, numbers, records, metric)
    texts = []
    for paper in (False, True):
        columns = _columns(numbers, metric, paper=paper)
        text = _over_datasets(spec, columns, metric, paper=paper)
        if text is not None:
            texts.append(f"{'The printed numbers' if paper else 'Ours'}: {text}")
        whole = {name: values for name, values in columns.items() if None not in values.values()}
        if paper or not 1 < len(whole) < len(columns):
            continue
        # Methods with gaps have cost the comparison data sets; the others have more to say.
        text = _over_datasets(spec, whole, metric, paper=False)
        if text is not None:
            gaps = ", ".join(name for name in columns if name not in whole)
            texts.append(f"Ours on all data sets, without {gaps}: {text}")
    return texts


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


def _over_datasets(
    spec: TableSpec,
    columns: Mapping[str, Mapping[str, float | None]],
    metric: Metric,
    *,
    paper: bool,
) -> str | None:
    control = spec.control
    if paper and control is not None:
        control = spec.paper_methods.get(control)
    try:
        table = score_table(columns, missing="drop")
        result = compare(
            table,
            metric.higher_is_better,
            control=control if control in table.methods else None,
            measure=metric.label,
        )
    except ValueError:
        # Fewer than two methods or complete data sets.
        return None
    text = result.text()
    if result.control is None:
        return text
    signed = "; ".join(
        f"{pair.versus} p = {pair.wilcoxon.p_value:.2g} ({pair.wins} won, {pair.ties} equal, "
        f"{pair.losses} lost)"
        for pair in result.pairs
    )
    return f"{text} Wilcoxon's signed-rank test of {result.control}, not adjusted: {signed}."


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
