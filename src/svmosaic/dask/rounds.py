"""One exact model from rows that stay where they are.

Solves       the dual of the L1-SVM or of epsilon-SVR over the rows of all partitions.
Method       rounds. Some samples from everywhere begin. They are solved (`sweeps`); the partitions
             bring the values of their other samples up to date, and the worst violators of all
             partitions join. It ends when no sample violates the conditions by more than `tol`.
What travels each row that joins goes to the workers once; after that, changes of coefficients by
             number. Back come, by problem, two extremes, a sum, and numbers of the worst violators.
Result       neither the order of rows nor how they are cut into partitions matters.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from svmosaic.dask.checkpoint import Checkpoint
from svmosaic.dask.in_play import InPlay, Joiners
from svmosaic.dask.sweeps import Sweeps, Traffic
from svmosaic.dask.tasks import (
    Candidates,
    PairSpec,
    Summary,
    begin_state,
    evaluate,
    first_candidates,
    join_rows,
    look,
    n_bytes,
    take_rows,
)
from svmosaic.dask.workers import Workers
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DoubleArray, IndexArray, Status

__all__ = ["Progress", "Settings", "SpreadSolution", "TimeOver", "solve_over_partitions"]

# Samples to begin with, of each class.
LEAST_FIRST = 250
MOST_FIRST = 2000
# In a round, this many join for each support vector, and at least this many.
GROWTH = 1.5
LEAST_JOINING = 500
# Samples in play are solved to a tenth of the violation. While others violate the conditions by
# more than this, by few sweeps and to this at most.
LOOSEST = 1.0
FEW_SWEEPS = 2
# When fewer than this share of the samples in play have joined, the others will be as few.
FEW_JOINING = 0.05
# Until then, this many rows are looked at for each sample in play.
LOOKED_AT = 8.0
MOST_SWEEPS = 200


class TimeOver(Exception):
    """`max_time` is over."""


@dataclass(frozen=True)
class Settings:
    """What is solved, and how exactly.

    Attributes
    ----------
    spec : PairSpec
        The problems.
    C : float
        Upper bound of a coefficient, times the weight of its sample.
    tol : float
        Largest violation of the optimality conditions that is accepted.
    max_time : float
        Limit in seconds; 0 means none.
    device : str or None
        The device of workers that have it.
    """

    spec: PairSpec
    C: float
    tol: float
    max_time: float = 0.0
    device: str | None = None


@dataclass(frozen=True)
class Progress:
    """The progress of a fit after a round."""

    n_rounds: int
    n_sweeps: int
    n_in_play: int
    n_support: int
    violation: float
    seconds: float


@dataclass(frozen=True, eq=False)
class SpreadSolution:
    """The solution of all problems over the samples in play.

    Attributes
    ----------
    in_play : InPlay
        Coefficients, and where the samples come from.
    intercepts, violations, objectives, gaps : ndarray of float64
        By problem.
    status : str
        Why it ended.
    traffic : Traffic
        What it sent.
    """

    in_play: InPlay
    intercepts: DoubleArray
    violations: DoubleArray
    objectives: DoubleArray
    gaps: DoubleArray
    status: Status
    traffic: Traffic


@dataclass
class _Rounds:
    workers: Workers
    partitions: Sequence[Any]
    kernel: KernelSpec
    settings: Settings
    in_play: InPlay
    traffic: Traffic
    began: float

    def __post_init__(self) -> None:
        spec = self.settings.spec
        self.share = 0.0
        self.sizes: list[Any] = []
        self.intercepts = np.zeros(spec.n_problems)
        self.left: list[IndexArray] = [np.empty(0, dtype=np.int64) for _ in self.partitions]
        self.states = [
            self.workers.submit(begin_state, q, spec.n_problems) for q in self.partitions
        ]
        self.joined: list[IndexArray] = [np.empty(0, dtype=np.int64) for _ in self.partitions]
        self.sweeps = Sweeps(
            self.workers, self.kernel, self.in_play, self.traffic, self.check, self.settings.device
        )

    def check(self) -> None:
        limit = self.settings.max_time
        if limit > 0.0 and time.perf_counter() - self.began > limit:
            raise TimeOver

    def add(self, joiners: Joiners) -> None:
        """Let workers put the rows of joining samples together."""
        for q, positions in enumerate(joiners.positions):
            self.joined[q] = np.concatenate([self.joined[q], positions])
            self.left[q] = np.concatenate([self.left[q], positions])
        if joiners.order.size:
            self._add_chunk(joiners.chosen, joiners.order)
        else:
            self.in_play.begins.pop()

    def _add_chunk(self, chosen: Sequence[IndexArray], order: IndexArray) -> None:
        submit = self.workers.submit
        rows = [
            submit(take_rows, partition, positions)
            for partition, positions in zip(self.partitions, chosen, strict=True)
            if positions.size
        ]
        chunk = submit(join_rows, rows, order)
        self.in_play.chunks.append(chunk)
        self.sizes.append(submit(n_bytes, chunk))

    def save(self) -> Checkpoint:
        """Return what is needed to continue from here."""
        in_play = self.in_play
        rows, problems = np.nonzero(in_play.beta)
        has_targets = not self.settings.spec.pairs
        return Checkpoint(
            np.array(in_play.begins),
            in_play.partitions,
            in_play.positions,
            in_play.labels,
            in_play.targets[:, 0] if has_targets else np.zeros(in_play.n),
            in_play.weights,
            np.repeat(np.arange(len(self.left)), [p.size for p in self.left]),
            np.concatenate(self.left),
            in_play.keys,
            rows,
            problems,
            in_play.beta[rows, problems],
        )

    def restore(self, saved: Checkpoint) -> None:
        """Continue from where another fit was."""
        in_play = self.in_play
        in_play.append(
            saved.partitions,
            saved.positions,
            saved.labels,
            saved.targets,
            saved.weights,
            saved.keys,
        )
        in_play.beta[saved.rows, saved.problems] = saved.values
        in_play.touch()
        in_play.begins += saved.begins.tolist()
        for begin, end in zip(in_play.begins, [*in_play.begins[1:], in_play.n], strict=True):
            self._add_chunk(*in_play.rows_from(begin, end, len(self.partitions)))
        for q in range(len(self.partitions)):
            self.left[q] = self.joined[q] = saved.left_positions[saved.left_partitions == q]
        self.sweeps.value_from(0)

    def look_outside(self, least: float, n_most: int, share: float) -> list[Summary]:
        """Update a share of the other samples, and collect their violations."""
        in_play, spec = self.in_play, self.settings.spec
        changes = in_play.changes(in_play.beta - in_play.known)
        held = self.workers.hold(changes, changes.n_bytes)
        chunks = [in_play.chunks[c] for c in changes.chunks]
        all_chunks: list[Any] = []
        coefficients = None
        if share > self.share:
            everything = in_play.changes(in_play.beta)
            all_chunks = [in_play.chunks[c] for c in everything.chunks]
            coefficients = self.workers.hold(everything, everything.n_bytes)
            self.traffic.change_bytes += everything.n_bytes
        self.share = share
        centres = np.empty(spec.n_problems)
        intercepts = np.empty(spec.n_problems)
        for p in range(spec.n_problems):
            lowest, highest = in_play.extremes(p)
            centres[p] = _middle(lowest, highest)
            intercepts[p] = in_play.intercept(p, centres[p])
        submit = self.workers.submit
        self.states = [
            submit(
                evaluate,
                partition,
                state,
                joined,
                share,
                chunks,
                held,
                all_chunks,
                coefficients,
                self.kernel,
                has_threads=True,
                device=self.settings.device,
            )
            for partition, state, joined in zip(
                self.partitions, self.states, self.joined, strict=True
            )
        ]
        self.joined = [np.empty(0, dtype=np.int64) for _ in self.partitions]
        in_play.known = in_play.beta.copy()
        self.traffic.change_bytes += changes.n_bytes
        began = time.perf_counter()
        found = self.workers.gather(
            [
                submit(look, partition, state, spec, centres, intercepts, least, n_most)
                for partition, state in zip(self.partitions, self.states, strict=True)
            ]
        )
        self.traffic.outside_seconds += time.perf_counter() - began
        self.traffic.n_rounds += 1
        self.traffic.result_bytes += sum(48 * s.candidates.positions.size for s in found)
        self.intercepts = intercepts
        return found

    def losses_with(self, intercepts: DoubleArray) -> DoubleArray:
        """Return the losses of the samples outside with other intercepts, which are kept."""
        self.intercepts = intercepts
        spec, centres = self.settings.spec, -intercepts
        found = self.workers.gather(
            [
                self.workers.submit(look, q, state, spec, centres, intercepts, np.inf, 0)
                for q, state in zip(self.partitions, self.states, strict=True)
            ]
        )
        return np.asarray(sum(summary.losses for summary in found))


def _middle(lowest: float, highest: float) -> float:
    if np.isinf(lowest):
        return 0.0 if np.isinf(highest) else highest
    return lowest if np.isinf(highest) else 0.5 * (lowest + highest)


def solve_over_partitions(
    workers: Workers,
    partitions: Sequence[Any],
    n_rows: int,
    kernel: KernelSpec,
    settings: Settings,
    *,
    n_classes: int = 0,
    report: Callable[[Progress], None] | None = None,
    keep: Callable[[Checkpoint], None] | None = None,
    start: Checkpoint | None = None,
) -> SpreadSolution:
    """Solve all problems over the samples of partitions.

    Parameters
    ----------
    workers : Workers
        Who computes.
    partitions : list of handles
        The partitions.
    n_rows : int
        Their rows in all.
    kernel : KernelSpec
        The kernel.
    settings : Settings
        What is solved.
    n_classes : int
        Number of classes; 0 for regression.
    report : callable, optional
        Called after every round.
    keep : callable, optional
        Called after every round with all that is needed to continue from there.
    start : Checkpoint, optional
        Where to continue.
    """
    spec, tol = settings.spec, settings.tol
    began = time.perf_counter()
    rounds = _Rounds(
        workers, partitions, kernel, settings, InPlay(spec, settings.C), Traffic(), began
    )
    in_play = rounds.in_play
    if start is not None:
        rounds.restore(start)
    else:
        n_first = int(np.clip(n_rows // 100, LEAST_FIRST, MOST_FIRST))
        first = workers.gather(
            [workers.submit(first_candidates, q, n_first, n_classes) for q in partitions]
        )
        rounds.add(in_play.join(_smallest_keys(first, n_first, max(1, n_classes)), 1 << 62))
    status: Status = "converged"
    violation, least_seen = 2.0, np.inf
    n_stuck, n_before, are_all_asked, are_few = 0, 0, False, False
    while True:
        try:
            most = MOST_SWEEPS if violation <= LOOSEST or are_few else FEW_SWEEPS
            goal = 0.0 if are_few else min(LOOSEST, 0.1 * violation)
            rounds.sweeps.run(max(0.5 * tol, goal), most)
            rounds.check()
        except TimeOver:
            status = "max_time"
            rounds.sweeps.refresh()
        n_support = int(np.count_nonzero(in_play.beta.any(axis=1)))
        n_most = max(LEAST_JOINING, int(GROWTH * min(n_support, 2 * (n_support - n_before))))
        n_before = n_support
        share = 1.0
        if not are_all_asked:
            share = _next_share(rounds.share, violation, in_play.n / max(1, n_rows))
        summaries = rounds.look_outside(0.5 * tol, n_most, share)
        lowest, highest, losses = _join_summaries(in_play, summaries)
        violations = np.maximum(0.0, highest - lowest)
        violation = float(violations.max())
        if report is not None:
            seconds = time.perf_counter() - began
            n_sweeps, n_rounds = rounds.traffic.n_sweeps, rounds.traffic.n_rounds
            report(Progress(n_rounds, n_sweeps, in_play.n, n_support, violation, seconds))
        if (violation <= tol and share == 1.0) or status == "max_time":
            # Without a free variable, all samples have a say in the intercept.
            middles = [_middle(a, b) for a, b in zip(lowest, highest, strict=True)]
            intercepts = np.array([in_play.intercept(p, m) for p, m in enumerate(middles)])
            if share == 1.0 and np.any(intercepts != rounds.intercepts):
                losses = rounds.losses_with(intercepts)
            break
        joiners = in_play.join([s.candidates for s in summaries], n_most)
        are_few = violation <= LOOSEST and joiners.order.size < FEW_JOINING * in_play.n
        before = in_play.n if not joiners.order.size else in_play.n - joiners.order.size
        rounds.add(joiners)
        if in_play.n == before:
            if share < 1.0:
                # Nobody of the draw: ask all.
                are_all_asked, violation = True, np.inf
            # Nobody is left to join: what is missing is exactness, or more cannot be had.
            n_stuck = n_stuck + 1 if violation >= 0.9 * least_seen and share == 1.0 else 0
            if n_stuck == 3:
                status = "max_iter"
                break
        else:
            rounds.sweeps.value_from(before)
        least_seen = min(least_seen, violation)
        if keep is not None:
            keep(rounds.save())
    figures = [
        in_play.dual_and_primal(p, rounds.intercepts[p], losses[p]) for p in range(spec.n_problems)
    ]
    rounds.traffic.row_bytes = sum(workers.gather(rounds.sizes))
    objectives = np.array([dual for dual, _ in figures])
    gaps = np.array([primal - dual for dual, primal in figures])
    if status == "max_time":
        gaps[:] = np.nan
    return SpreadSolution(
        in_play, rounds.intercepts, violations, objectives, gaps, status, rounds.traffic
    )


def _next_share(share: float, violation: float, in_play: float) -> float:
    """Return the share of all rows to look at: a fair draw to begin with, all at the end.

    `in_play` is the share of the samples in play.
    """
    if violation <= LOOSEST:
        return 1.0
    wanted = max(share, LOOKED_AT * in_play)
    return wanted if wanted < 0.5 else 1.0


def _join_summaries(
    in_play: InPlay, summaries: Sequence[Summary]
) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
    """Return the extremes over all samples, and the losses of those outside, by problem."""
    n_problems = in_play.spec.n_problems
    own = np.array([in_play.extremes(p) for p in range(n_problems)])
    lowest = np.minimum.reduce([own[:, 0], *(s.lowest for s in summaries)])
    highest = np.maximum.reduce([own[:, 1], *(s.highest for s in summaries)])
    # Sums in the order of the partitions.
    losses = np.zeros(n_problems)
    for summary in summaries:
        losses += summary.losses
    return lowest, highest, losses


def _smallest_keys(found: Sequence[Candidates], n_first: int, n_classes: int) -> list[Candidates]:
    """Return the candidates among the first of each class, over all partitions."""
    keys = np.concatenate([c.keys for c in found])
    labels = np.concatenate([c.labels for c in found])
    limits = np.zeros(n_classes, dtype=np.uint64)
    for label in range(n_classes):
        own = np.unique(keys[labels == label])
        limits[label] = own[min(n_first, own.size) - 1] if own.size else 0
    return [c.take(c.keys <= limits[c.labels]) for c in found]
