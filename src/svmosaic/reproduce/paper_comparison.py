"""Ours beside the paper's: one record per data set, metric and method."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean, median, pstdev, stdev
from typing import Any

from svmosaic.reproduce.paper_spec import Metric, TableSpec
from svmosaic.reproduce.printed import Printed, read_printed
from svmosaic.stats import rank_scores

__all__ = ["Beside", "Numbers", "ours_beside_printed"]


@dataclass(frozen=True)
class Beside:
    """One number of ours and its printed one.

    Attributes
    ----------
    dataset, metric, method : str
        Which number it is.
    ours : float or None
        Our number; None where it has no result or a fold is missing.
    spread : float or None
        Its standard deviation over the folds.
    rank : float or None
        Of the method among ours on this data set; None unless all methods have a number.
    paper_method : str or None
        The printed method that it is compared with.
    paper : float or None
        The printed number.
    difference : float or None
        Ours minus the printed one.
    paper_rank : float or None
        Of the printed method among the printed ones that ours are compared with.
    """

    dataset: str
    metric: str
    method: str
    ours: float | None
    spread: float | None
    rank: float | None
    paper_method: str | None
    paper: float | None
    difference: float | None
    paper_rank: float | None

    def record(self) -> dict[str, Any]:
        """Return a flat record."""
        return asdict(self)


@dataclass(frozen=True)
class Numbers:
    """All numbers of a table.

    Attributes
    ----------
    datasets, methods, metrics : tuple
        What was compared by what.
    cells : mapping of (data set, metric, method) to Beside
        The numbers.
    repeats : tuple of Numbers
        Those of each repeat of the cross-validation alone; empty where there is one.
    """

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    metrics: tuple[Metric, ...]
    cells: Mapping[tuple[str, str, str], Beside]
    repeats: tuple[Numbers, ...] = ()

    def of(self, metric: str) -> list[Beside]:
        """Return the numbers of a metric, data set by data set."""
        return [self.cells[d, metric, m] for d in self.datasets for m in self.methods]

    def mean_rank(self, metric: str, method: str, *, paper: bool = False) -> float | None:
        """Return a method's mean rank over the data sets where all have one."""
        cells = [self.cells[d, metric, method] for d in self.datasets]
        ranks = [cell.paper_rank if paper else cell.rank for cell in cells]
        known = [rank for rank in ranks if rank is not None]
        return fmean(known) if known else None

    def deviation(self, dataset: str, metric: str, method: str) -> float | None:
        """Return the standard deviation of a number over the repeats."""
        return _deviation([one.cells[dataset, metric, method].ours for one in self.repeats])

    def rank_deviation(self, metric: str, method: str) -> float | None:
        """Return the standard deviation of a method's mean rank over the repeats."""
        return _deviation([one.mean_rank(metric, method) for one in self.repeats])


def _deviation(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return stdev(known) if len(known) == len(values) > 1 else None


def ours_beside_printed(
    spec: TableSpec,
    records: Sequence[Mapping[str, Any]],
    datasets: Sequence[str],
    methods: Sequence[str],
) -> Numbers:
    """Put the records of a run beside the printed numbers."""
    seeds = sorted({record["repeat"] for record in records})
    repeats = tuple(
        _numbers(spec, [r for r in records if r["repeat"] == seed], datasets, methods)
        for seed in (seeds if len(seeds) > 1 else ())
    )
    return replace(_numbers(spec, records, datasets, methods), repeats=repeats)


def _numbers(
    spec: TableSpec,
    records: Sequence[Mapping[str, Any]],
    datasets: Sequence[str],
    methods: Sequence[str],
) -> Numbers:
    printed = {} if spec.printed is None else read_printed(spec.printed)
    folds: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for record in records:
        folds.setdefault((record["dataset"], record["method"]), []).append(record)
    cells = {}
    for metric in spec.metrics:
        for dataset in datasets:
            found = {method: folds.get((dataset, method), []) for method in methods}
            for cell in _row(spec, found, printed, metric, dataset, methods):
                cells[dataset, metric.name, cell.method] = cell
    return Numbers(tuple(datasets), tuple(methods), spec.metrics, cells)


def _row(
    spec: TableSpec,
    folds: Mapping[str, Sequence[Mapping[str, Any]]],
    printed: Printed,
    metric: Metric,
    dataset: str,
    methods: Sequence[str],
) -> list[Beside]:
    most = max(len(found) for found in folds.values())
    summaries = {
        # Numbers over different folds are not comparable.
        method: _summary(found, metric) if found and len(found) == most else (None, None)
        for method, found in folds.items()
    }
    ranks = _ranks({method: ours for method, (ours, _) in summaries.items()}, metric)
    there = spec.printed_as.get(dataset, dataset)
    papers = [name for name in dict.fromkeys(spec.paper_methods.get(m) for m in methods) if name]
    paper_ranks = _ranks({p: printed.get((there, metric.name, p)) for p in papers}, metric)
    row = []
    for method, (ours, spread) in summaries.items():
        name = spec.paper_methods.get(method)
        paper = None if name is None else printed.get((there, metric.name, name))
        row.append(
            Beside(
                dataset=dataset,
                metric=metric.name,
                method=method,
                ours=ours,
                spread=spread,
                rank=ranks.get(method),
                paper_method=name,
                paper=paper,
                difference=None if ours is None or paper is None else ours - paper,
                paper_rank=None if name is None else paper_ranks.get(name),
            )
        )
    return row


def _summary(
    folds: Sequence[Mapping[str, Any]], metric: Metric
) -> tuple[float | None, float | None]:
    values = [record.get(metric.field) for record in folds]
    numbers = [metric.factor * value for value in values if value is not None]
    if len(numbers) < len(values):
        return None, None
    if metric.of_folds == "median":
        return median(numbers), pstdev(numbers)
    if metric.of_folds == "sum":
        n_repeats = len({record["repeat"] for record in folds})
        return math.fsum(numbers) / n_repeats, None
    return fmean(numbers), pstdev(numbers)


def _ranks(values: Mapping[str, float | None], metric: Metric) -> dict[str, float]:
    """Return the rank of each method, 1 is the best; none unless all have a value."""
    known = [value for value in values.values() if value is not None]
    if len(known) < len(values) or len(known) < 2:
        return {}
    (ranks,) = rank_scores([known], higher_is_better=metric.higher_is_better)
    return dict(zip(values, map(float, ranks), strict=True))
