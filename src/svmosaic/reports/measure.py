"""One measure of all methods on all data sets: means over folds, the best, the ranks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svmosaic.reports.document import Cell, Row, Table
from svmosaic.reports.numbers import format_count, format_like, format_score, format_seconds
from svmosaic.reports.run_data import RunData
from svmosaic.stats.ranks import rank_scores
from svmosaic.stats.table import DoubleArray, ScoreTable

__all__ = [
    "FIT_SECONDS",
    "MISSING",
    "N_SUPPORT",
    "SCORE_SECONDS",
    "Kind",
    "Measure",
    "kind_of_score",
    "measure",
    "measure_table",
]

# The text of a cell without a value.
MISSING = "–"


@dataclass(frozen=True)
class Kind:
    """What a measure is.

    Attributes
    ----------
    field : str
        Its entry in the records, and the name of its files.
    words : str
        What it is, in a sentence.
    higher_is_better : bool
        Whether the best value is the largest.
    show : callable
        Writes a value.
    """

    field: str
    words: str
    higher_is_better: bool
    show: Callable[[float], str]


def kind_of_score(name: str) -> Kind:
    """Return the kind of a score; all scores of a run are better when they are higher."""
    return Kind(name, name, True, format_score)


FIT_SECONDS = Kind("fit_seconds", "training time", False, format_seconds)
SCORE_SECONDS = Kind("score_seconds", "prediction time", False, format_seconds)
N_SUPPORT = Kind("n_support", "support vectors", False, format_count)


@dataclass(frozen=True, eq=False)
class Measure:
    """The values of a measure.

    Attributes
    ----------
    kind : Kind
        What it is.
    datasets, methods : tuple of str
        Names of rows and columns. Methods without any value are left out.
    means, deviations : ndarray of shape (n_datasets, n_methods)
        Over the folds; nan where there is none.
    counts : ndarray of shape (n_datasets, n_methods)
        Folds with a value.
    """

    kind: Kind
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    means: DoubleArray
    deviations: DoubleArray
    counts: NDArray[np.int64]

    @property
    def complete(self) -> NDArray[np.bool_]:
        """Which cells have as many folds as the fullest of their row; others do not compare."""
        most = self.counts.max(axis=1, keepdims=True, initial=1)
        return np.asarray(self.counts == most)

    @property
    def best(self) -> NDArray[np.bool_]:
        """Which cells are the best of their row, among the complete ones; ties share it."""
        best = np.zeros(self.means.shape, dtype=bool)
        for i, complete in enumerate(self.complete):
            places = np.flatnonzero(complete)
            if places.size > 1:
                best[i, places] = _lowest(self._ranks(self.means[[i]][:, places])[0])
        return best

    @property
    def table(self) -> ScoreTable:
        """The complete rows, as the statistics take them."""
        whole = self.complete.all(axis=1)
        names = np.array(self.datasets, dtype=object)
        return ScoreTable(
            self.means[whole], tuple(names[whole]), self.methods, tuple(names[~whole])
        )

    def average_ranks(self) -> DoubleArray | None:
        """Return the mean rank of each method over complete rows; None if there is nothing."""
        scores = self.table.scores
        if len(self.methods) < 2 or not scores.size:
            return None
        return np.asarray(self._ranks(scores).mean(axis=0))

    def _ranks(self, scores: DoubleArray) -> DoubleArray:
        return rank_scores(scores, higher_is_better=self.kind.higher_is_better)


def measure(run: RunData, kind: Kind) -> Measure:
    """Return a measure of a run; it may have no methods."""
    folds = [
        [_values(run, dataset, method, kind.field) for method in run.methods]
        for dataset in run.datasets
    ]
    keep = [j for j in range(len(run.methods)) if any(row[j] for row in folds)]
    shape = (len(run.datasets), len(keep))
    kept = [row[j] for row in folds for j in keep]
    return Measure(
        kind,
        run.datasets,
        tuple(run.methods[j] for j in keep),
        np.array([_mean(values) for values in kept]).reshape(shape),
        np.array([float(np.std(v)) if v else math.nan for v in kept]).reshape(shape),
        np.array([len(values) for values in kept], dtype=np.int64).reshape(shape),
    )


def measure_table(values: Measure, caption: str) -> Table:
    """Return the values with the best of each row in bold, their means and the average ranks."""
    best, complete = values.best, values.complete
    rows: list[Row] = []
    for i, dataset in enumerate(values.datasets):
        cells = [_cell(values, i, j, bool(best[i, j])) for j in range(len(values.methods))]
        rows.append([dataset, *cells])
    whole = np.flatnonzero(complete.all(axis=1))
    if whole.size and len(values.datasets) > 1:
        means = values.means[whole].mean(axis=0)
        rows += [(), ["Mean", *(values.kind.show(mean) for mean in means)]]
    ranks = values.average_ranks()
    if ranks is not None:
        name = "Average rank" if whole.size > 1 else "Rank"
        if () not in rows:
            rows.append(())
        marks = _lowest(ranks)
        cells = [Cell(f"{r:.2f}", bool(mark)) for r, mark in zip(ranks, marks, strict=True)]
        rows.append([name, *cells])
    header = ["data set", *values.methods]
    return Table(header, rows, caption, "l" + "r" * len(values.methods))


def _cell(values: Measure, i: int, j: int, best: bool) -> Cell:
    count, most = int(values.counts[i, j]), int(values.counts[i].max())
    if not count:
        return Cell(MISSING)
    text = values.kind.show(float(values.means[i, j]))
    if count < most:
        return Cell(text, note=f"{count} of {most} folds")
    note = f"± {format_like(float(values.deviations[i, j]), text)}" if count > 1 else ""
    return Cell(text, best, note)


def _values(run: RunData, dataset: str, method: str, field: str) -> list[float]:
    found = [record.get(field) for record in run.of(dataset, method)]
    return [float(value) for value in found if value is not None and math.isfinite(value)]


def _mean(values: Sequence[float]) -> float:
    # Summed exactly, so that methods with the same scores in another order tie.
    return math.fsum(values) / len(values) if values else math.nan


def _lowest(ranks: DoubleArray) -> NDArray[np.bool_]:
    return np.asarray(np.isclose(ranks, ranks.min(), rtol=0, atol=1e-12))
