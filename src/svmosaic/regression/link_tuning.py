"""Samples, folds and distances that all links of all chains share, and the tuning of links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmosaic.engine import cpu
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.engine.rows import make_rows
from svmosaic.engine.tasks import RegressionLink, RegressionTuneSettings, TunedRegression
from svmosaic.utils.splits import Split
from svmosaic.utils.spreading import Spread, current_spread

__all__ = ["LinkTable", "LinkTuner", "fold_weights", "make_table"]


@dataclass(frozen=True)
class LinkTable:
    """The distinct samples.

    Attributes
    ----------
    samples : ndarray of int64
        The first row of each distinct sample.
    sample_of : ndarray of int64
        The sample of each row.
    weights : ndarray of float64
        How many rows each sample stands for.
    distances : ndarray of shape (n_samples, n_samples)
        Distances of all pairs, squared or absolute.
    targets : ndarray of shape (n_targets, n_samples)
        Their targets.
    """

    samples: IndexArray
    sample_of: IndexArray
    weights: DoubleArray
    distances: DoubleArray
    targets: DoubleArray


def _number_samples(X: Any, Y: DoubleArray, marks: IndexArray) -> IndexArray:
    """Return the number of the distinct sample of each row, in the order they appear.

    Rows are copies when their features, targets and marks are equal.
    """
    if sp.issparse(X):
        bounds = zip(X.indptr[:-1], X.indptr[1:], strict=True)
        rows = [X.indices[a:b].tobytes() + X.data[a:b].tobytes() for a, b in bounds]
    else:
        rows = [row.tobytes() for row in X]
    others = np.ascontiguousarray(np.column_stack([Y, marks]))
    numbers: dict[tuple[bytes, bytes], int] = {}
    return np.array(
        [
            numbers.setdefault((row, other.tobytes()), len(numbers))
            for row, other in zip(rows, others, strict=True)
        ],
        dtype=np.int64,
    )


def fold_weights(splits: Sequence[Split], sample_of: IndexArray) -> tuple[DoubleArray, DoubleArray]:
    """Return how often each sample counts for training and for testing, one row per fold."""
    n_samples = int(sample_of.max()) + 1
    parts = np.zeros((2, len(splits), n_samples))
    for f, split in enumerate(splits):
        for part, rows in zip(parts, split, strict=True):
            part[f] = np.bincount(sample_of[rows], minlength=n_samples)
    return parts[0], parts[1]


class LinkTuner:
    """Tunes links on one table, each from what was best for its target alone.

    Parameters
    ----------
    table : LinkTable
        The samples.
    settings : RegressionTuneSettings
        The grid.
    n_threads : int
        Threads.
    max_start_bytes : float
        Memory for coefficients to start from.
    progress : callable or None
        Called with how far the work is.
    """

    def __init__(
        self,
        table: LinkTable,
        settings: RegressionTuneSettings,
        n_threads: int,
        max_start_bytes: float,
        progress: Any,
    ) -> None:
        self.table = table
        self.settings = settings
        self._n_threads = n_threads
        self._max_start_bytes = max_start_bytes
        self._progress = progress
        self._starts: DoubleArray | None = None
        self._first: list[int] = []
        self._held: Any = None

    def of_one_candidate(self, number: int) -> LinkTuner:
        """Return a tuner on the same table whose grid is one candidate of this grid."""
        gamma, C, epsilon = self.settings.candidate(number)
        settings = replace(
            self.settings, gammas=np.array([gamma]), Cs=np.array([C]), epsilons=np.array([epsilon])
        )
        return LinkTuner(
            self.table, settings, self._n_threads, self._max_start_bytes, self._progress
        )

    def tune_alone(
        self, folds: tuple[DoubleArray, DoubleArray], *, lead_on: bool
    ) -> list[TunedRegression]:
        """Tune one link per target on the inputs alone, by the whole grid.

        With `lead_on`, later links on the same folds start from here.
        """
        n_targets, n_samples = self.table.targets.shape
        n_bytes = 8.0 * n_targets * self.settings.n_candidates * folds[0].shape[0] * n_samples
        # Coefficients to start from stay where they are: on another computer they are too many.
        is_here = current_spread() is None
        keep = lead_on and n_bytes <= self._max_start_bytes and is_here
        nothing = np.empty(0, dtype=np.int64)
        tuned, kept = self._tune(
            [RegressionLink(t, nothing) for t in range(n_targets)],
            self.table.targets,
            folds,
            keep=keep,
        )
        if lead_on:
            self._starts = kept if keep else None
            self._first = [one.best for one in tuned]
        return tuned

    def tune_links(
        self,
        links: Sequence[tuple[int, Sequence[int]]],
        columns: DoubleArray,
        folds: tuple[DoubleArray, DoubleArray],
    ) -> list[TunedRegression]:
        """Tune links, each a target and the columns beside the inputs.

        After `tune_alone` with `lead_on` they begin with what was best for their target alone;
        the folds must be the same then.
        """
        led = bool(self._first)
        asked = [
            RegressionLink(
                target,
                np.array(beside, dtype=np.int64),
                target if led and self._starts is not None else -1,
                self._first[target] if led and folds[0].size else -1,
            )
            for target, beside in links
        ]
        return self._tune(asked, np.ascontiguousarray(columns), folds, keep=False)[0]

    def _tune(
        self,
        links: Sequence[RegressionLink],
        columns: DoubleArray,
        folds: tuple[DoubleArray, DoubleArray],
        *,
        keep: bool,
    ) -> tuple[list[TunedRegression], DoubleArray]:
        spread = current_spread()
        if spread is not None and len(links) > 1:
            return self._tune_elsewhere(spread, links, columns, folds), np.empty(0)
        return cpu.tune_regression(
            self.table.distances,
            self.table.targets,
            columns,
            links,
            self.table.weights,
            folds,
            self.settings,
            starts=self._starts,
            keep=keep,
            n_threads=self._n_threads,
            progress=self._progress,
        )

    def _tune_elsewhere(
        self,
        spread: Spread,
        links: Sequence[RegressionLink],
        columns: DoubleArray,
        folds: tuple[DoubleArray, DoubleArray],
    ) -> list[TunedRegression]:
        """Let the workers of a cluster tune links; each gets the distances once."""
        if self._held is None:
            self._held = spread.hold((self.table, self.settings))
        n_groups = min(len(links), spread.n_workers)
        items = [(links[group::n_groups], columns, folds) for group in range(n_groups)]
        tuned: list[Any] = [None] * len(links)
        for group, found in enumerate(spread.map(_tune_some, self._held, items)):
            tuned[group::n_groups] = found
        return tuned


def _tune_some(
    held: tuple[LinkTable, RegressionTuneSettings],
    item: tuple[Sequence[RegressionLink], DoubleArray, tuple[DoubleArray, DoubleArray]],
    *,
    n_threads: int,
) -> list[TunedRegression]:
    """Tune some links; runs on a worker."""
    table, settings = held
    links, columns, folds = item
    return cpu.tune_regression(
        table.distances,
        table.targets,
        columns,
        links,
        table.weights,
        folds,
        settings,
        starts=None,
        keep=False,
        n_threads=n_threads,
        progress=None,
    )[0]


def make_table(
    X: Any, Y: DoubleArray, marks: IndexArray, n_threads: int, *, absolute: bool = False
) -> LinkTable:
    """Return the distinct samples of `X` and `Y` with their distances, squared or absolute."""
    sample_of = _number_samples(X, Y, marks)
    samples = np.unique(sample_of, return_index=True)[1]
    rows: Any = make_rows(X[samples], "rbf")
    return LinkTable(
        samples,
        sample_of,
        np.bincount(sample_of).astype(np.float64),
        cpu.pair_distances(rows, rows, absolute=absolute, n_threads=n_threads),
        np.ascontiguousarray(Y[samples].T),
    )
