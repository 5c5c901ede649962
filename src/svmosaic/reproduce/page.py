"""The page of a reproduced table, in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from svmosaic.experiments.reuse import reuse_words
from svmosaic.experiments.spec import ExperimentSpec
from svmosaic.metrics.multi_target import is_multi_target_score
from svmosaic.reproduce.paper_comparison import Beside, Numbers
from svmosaic.reproduce.paper_spec import Metric, Missing, TableSpec
from svmosaic.reproduce.statements import statements
from svmosaic.stats import meta_ranks

__all__ = ["figure_page", "table_page"]


def table_page(
    spec: TableSpec,
    command: str,
    experiment: ExperimentSpec,
    missing: Missing,
    numbers: Numbers,
    records: Sequence[Mapping[str, Any]],
    failures: Sequence[str],
    made: Mapping[str, str],
) -> str:
    """Return the page: what was run, ours beside the paper's, ranks, statistics, notes."""
    parts = [*_head(spec, command, made), _protocol(experiment)]
    parts += [*_gaps(missing, failures), *_reused(records)]
    parts.append(_how_to_read(numbers))
    for metric in numbers.metrics:
        parts += [f"## {metric.label}", _table(numbers, metric)]
        parts += statements(spec, numbers, records, metric)
    if spec.meta_ranks:
        parts += ["## Ranks over all metrics", _all_ranks(numbers)]
    return "\n\n".join([*parts, *_notes(spec)]) + "\n"


def _how_to_read(numbers: Numbers) -> str:
    text = "A cell is ours, then in brackets the printed number and ours minus it"
    if any(metric.as_ratio for metric in numbers.metrics):
        text += "; with x, how many times ours the printed number is"
    text += ". The best of ours is bold. "
    if numbers.repeats:
        text += (
            f"After ± is the standard deviation over the {len(numbers.repeats)} repeats, each with "
            "a seed of its own; that of a mean rank is over the ranks of each repeat alone. "
        )
    return text + "Ranks in brackets are of the printed numbers on the same data sets."


def figure_page(
    spec: TableSpec,
    command: str,
    pictures: Sequence[str],
    missing: Missing,
    records: Sequence[Mapping[str, Any]],
    failures: Sequence[str],
    made: Mapping[str, str],
) -> str:
    """Return the page of a figure; `records` are those of the table that it shows."""
    parts = [*_head(spec, command, made), *_gaps(missing, failures), *_reused(records)]
    parts += [f"![{spec.title}]({picture})" for picture in pictures]
    return "\n\n".join([*parts, *_notes(spec)]) + "\n"


def _head(spec: TableSpec, command: str, made: Mapping[str, str]) -> list[str]:
    rows = "\n".join(f"| {name} | {value} |" for name, value in made.items())
    return [
        f"# {spec.id}: {spec.title}",
        f"{spec.source}. Made by `{command}`.",
        f"| | |\n|---|---|\n{rows}",
    ]


def _reused(records: Sequence[Mapping[str, Any]]) -> list[str]:
    words = reuse_words(records)
    return [words] if words else []


def _protocol(experiment: ExperimentSpec) -> str:
    p = experiment.protocol
    if p.kind == "prequential":
        return _stream_protocol(experiment)
    if p.kind == "nested":
        text = f"Nested cross-validation, {p.outer} outer and {p.inner} inner folds"
        text += f", {p.repeats} repeats" if p.repeats > 1 else ""
    elif p.kind == "monte-carlo":
        text = f"{p.n_splits} random splits, {p.test_size:g} of the rows to test on"
    else:
        text = f"Hold-out, {p.test_size:g} of the rows to test on, {p.inner} inner folds"
    if (p.kind == "nested" or p.stratify) and not any(map(is_multi_target_score, p.scoring)):
        text += ", stratified"
    if p.impute != "none":
        text += f"; missing values filled with the {p.impute} of the training part"
    scaled = {
        "minmax": "features scaled to [0, 1] by the training part",
        "standard": "features standardised by the training part",
        "none": "features as they are",
    }[p.scale]
    if p.hold_constants and p.scale != "none":
        scaled += ", those that are constant there held at that value"
    methods = "; ".join(_method_text(m, p.search) for m in experiment.methods)
    return f"{text}; {scaled}; seed {p.random_state}. Methods: {methods}."


def _stream_protocol(experiment: ExperimentSpec) -> str:
    p = experiment.protocol
    length = "All samples" if p.samples is None else f"The first {p.samples:,} samples"
    methods = "; ".join(
        f"{method.name} ({method.estimator}{_params_text(method.params)})"
        for method in experiment.methods
    )
    return (
        f"{length} of each stream; every chunk of {p.chunk} is predicted, then learned, the first "
        f"only learned; features as they are; seed {p.random_state}. Methods: {methods}."
    )


def _params_text(params: Mapping[str, Any]) -> str:
    return "".join(f", {name}={value}" for name, value in params.items())


def _method_text(method: Any, search: str) -> str:
    if method.tunes_itself:
        return f"{method.name} ({method.estimator}, tunes itself)"
    if method.grid is None:
        return f"{method.name} ({method.estimator}, no search)"
    sizes = " x ".join(f"{len(values)} {name}" for name, values in method.grid.items())
    return f"{method.name} ({method.estimator}, {search} search of {sizes})"


def _gaps(missing: Missing, failures: Sequence[str]) -> list[str]:
    parts = []
    if missing.data:
        parts.append(f"Left out, not available: {', '.join(missing.data)}.")
    if missing.unfinished:
        parts.append(
            f"Not finished, so left out here: {', '.join(missing.unfinished)}. The same command "
            "resumes with them."
        )
    for name, reason in missing.methods.items():
        parts.append(f"Left out: {name}, because {reason}.")
    if failures:
        parts.append("Failed cells:\n\n" + "\n".join(f"- {failure}" for failure in failures))
    return parts


def _notes(spec: TableSpec) -> list[str]:
    if not spec.notes:
        return []
    return ["## Notes", "\n".join(f"- {note}" for note in spec.notes)]


# The table of a metric ----------------------------------------------------------------------


def _table(numbers: Numbers, metric: Metric) -> str:
    lines = [["data set", *numbers.methods], ["---"] * (1 + len(numbers.methods))]
    for dataset in numbers.datasets:
        cells = [numbers.cells[dataset, metric.name, method] for method in numbers.methods]
        deviations = [numbers.deviation(dataset, metric.name, m) for m in numbers.methods]
        shown = zip(cells, deviations, strict=True)
        lines.append([dataset, *(_cell(c, metric, _is_best(c, cells), d) for c, d in shown)])
    lines.append(["mean", *(_mean(numbers, metric, method) for method in numbers.methods)])
    lines.append(["mean rank", *(_rank(numbers, metric, method) for method in numbers.methods)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _is_best(cell: Beside, cells: Sequence[Beside]) -> bool:
    ranks = [other.rank for other in cells if other.rank is not None]
    return cell.rank is not None and cell.rank == min(ranks)


def _cell(cell: Beside, metric: Metric, best: bool, deviation: float | None) -> str:
    if cell.ours is None:
        return "" if cell.paper is None else f"({cell.paper:.{metric.digits}f})"
    ours = f"{cell.ours:.{metric.digits}f}"
    text = f"**{ours}**" if best else ours
    text += _plus_minus(deviation, metric.digits)
    if cell.paper is None or cell.difference is None:
        return text
    return f"{text} ({_beside(cell.ours, cell.paper, metric)})"


def _plus_minus(deviation: float | None, digits: int) -> str:
    return "" if deviation is None else f" ± {deviation:.{digits}f}"


def _beside(ours: float, paper: float, metric: Metric) -> str:
    """Return the printed number and how ours compares with it."""
    if metric.as_ratio and ours > 0.0:
        return f"{paper:g}, {paper / ours:.0f} x"
    return f"{paper:.{metric.digits}f}, {ours - paper:+.{metric.digits}f}"


def _mean(numbers: Numbers, metric: Metric, method: str) -> str:
    cells = [numbers.cells[d, metric.name, method] for d in numbers.datasets]
    ours = [cell.ours for cell in cells if cell.ours is not None]
    papers = [cell.paper for cell in cells if cell.paper is not None]
    if len(ours) < len(cells):
        return ""
    text = f"{fmean(ours):.{metric.digits}f}"
    if len(papers) < len(cells):
        return text
    return f"{text} ({_beside(fmean(ours), fmean(papers), metric)})"


def _rank(numbers: Numbers, metric: Metric, method: str) -> str:
    ours = numbers.mean_rank(metric.name, method)
    paper = numbers.mean_rank(metric.name, method, paper=True)
    text = "" if ours is None else f"{ours:.2f}"
    text += _plus_minus(numbers.rank_deviation(metric.name, method), 2)
    return text if paper is None else f"{text} ({paper:.2f})"


def _all_ranks(numbers: Numbers) -> str:
    """Return the mean ranks by every metric, their mean, and the mean of the ranks of the ranks."""
    lines = [["method", *(metric.label for metric in numbers.metrics), "mean", "meta-rank"]]
    lines.append(["---"] * len(lines[0]))
    found = {
        metric.name: {
            method: rank
            for method in numbers.methods
            if (rank := numbers.mean_rank(metric.name, method)) is not None
        }
        for metric in numbers.metrics
    }
    # Only methods that every metric ranks can be put in one order.
    methods = [name for name in numbers.methods if all(name in ranks for ranks in found.values())]
    if not methods:
        return "No method has a rank by every metric."
    kept = {metric: {name: ranks[name] for name in methods} for metric, ranks in found.items()}
    meta = meta_ranks(kept)
    for name in sorted(methods, key=lambda name: meta[name]):
        ranks = [of_metric[name] for of_metric in kept.values()]
        values = [*ranks, fmean(ranks), meta[name]]
        lines.append([name, *(f"{value:.2f}" for value in values)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
