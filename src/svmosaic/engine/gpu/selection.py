"""OLLAWV on a device: the worst violator of every problem takes a step, again and again.

``cpp/solvers/ollawv.hpp`` describes the algorithm, ``tests/twins/ollawv.py`` is it line by line.
All problems of a batch step at once. Nothing waits for the device between two steps: a problem that
is done takes steps of size zero until the host looks, once for many steps.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch

from svmosaic.engine.counters import PhaseSeconds, SolveCounters
from svmosaic.engine.gpu.accelerator import Accelerator, Tensor
from svmosaic.engine.gpu.batches import batches_of, filled_matrix
from svmosaic.engine.gpu.features import DenseFeatures
from svmosaic.engine.gpu.integer_rbf import IntegerRbf
from svmosaic.engine.gpu.kernel_values import KernelValues, PairwiseKernel, SampleKernel
from svmosaic.engine.gpu.memory_plan import sizes_within
from svmosaic.engine.gpu.monitor import Monitor
from svmosaic.engine.problem import DoubleArray, IndexArray, Problem, Solution, Status
from svmosaic.engine.settings import OllawvSettings

if TYPE_CHECKING:
    from svmosaic.engine.gpu.triton_selection import FusedSteps

__all__ = ["SelectedPath", "select_all", "solve_by_selection"]

# Steps between two looks at what is done.
_STEPS = 64
# From this look on, the steps between two looks are one launch, if they can be recorded.
_RECORD_AFTER = 3
# Scores closer than this, relative to the largest k(x, x), differ by rounding only.
_ROUNDING = 1e-12
# A remaining weight below this is a rounding error, not a fraction of a sample.
_LEAST_WEIGHT = 1e-12

_RATES: dict[str, Callable[[DoubleArray], DoubleArray]] = {
    "2/sqrt(t)": lambda t: 2.0 / np.sqrt(t),
    "1/sqrt(t)": lambda t: 1.0 / np.sqrt(t),
    "1/t": lambda t: 1.0 / t,
}


@dataclass(frozen=True)
class SelectedPath:
    """The steps of one problem, for C = 1.

    Attributes
    ----------
    taken : ndarray of int64
        Positions in the samples of the problem.
    steps, violations : ndarray of float64
        What was added to the coefficient, and the worst y f(x) after the step.
    status : str
        Why it stopped.
    """

    taken: IndexArray
    steps: DoubleArray
    violations: DoubleArray
    status: Status


# Kernel columns -----------------------------------------------------------------------------


class _Columns(Protocol):
    """Kernel columns of samples of several problems."""

    @property
    def can_be_recorded(self) -> bool:
        """Whether nothing here waits for the device."""

    def times(self, samples: Tensor, steps: Tensor) -> Tensor:
        """Return columns times numbers in float64, shape (n_problems, width)."""


@dataclass(frozen=True)
class _StoredColumns:
    """Kernel matrices of all problems, which are symmetric."""

    values: Tensor
    numbers: Tensor
    can_be_recorded: bool = True

    def times(self, samples: Tensor, steps: Tensor) -> Tensor:
        """Return columns times numbers."""
        return self.values[self.numbers, samples].double().mul_(steps[:, None])


@dataclass(frozen=True)
class _ComputedColumns:
    """Kernel columns of one problem with many samples."""

    kernel: KernelValues
    one: Tensor

    @property
    def can_be_recorded(self) -> bool:
        """Whether nothing here waits for the device."""
        kernel = self.kernel
        return not isinstance(kernel, SampleKernel) or isinstance(kernel.features, DenseFeatures)

    def times(self, samples: Tensor, steps: Tensor) -> Tensor:
        """Return columns times numbers."""
        kernel = self.kernel
        if isinstance(kernel, PairwiseKernel):
            # Rows of a symmetric matrix are its columns, and lie together.
            rows = kernel.values[kernel.numbers[samples]][:, kernel.numbers]
            return rows.double().mul_(steps[:, None])
        if isinstance(kernel, SampleKernel) and isinstance(kernel.features, DenseFeatures):
            norms = kernel.norms if kernel.norms.numel() else None
            column = kernel.values((kernel.features.values, norms), kernel.columns(samples))
            return column.double().mul_(steps)[:-1].view(1, -1)
        return kernel.products(samples, steps, self.one)[None, : kernel.n]


def _fused_steps(
    kernel: KernelValues, settings: OllawvSettings, place: Accelerator
) -> FusedSteps | None:
    """Return steps in few launches for one problem, or None where they are PyTorch's functions."""
    if not place.use_triton:
        return None
    if isinstance(kernel, IntegerRbf):
        values, scale = kernel.rows.numbers(), kernel.scale
    elif (
        isinstance(kernel, SampleKernel)
        and kernel.kernel.kind == "rbf"
        and isinstance(kernel.features, DenseFeatures)
    ):
        values, scale = kernel.features.values, 0.5
    else:
        return None
    from svmosaic.engine.gpu.triton_selection import FusedSteps

    return FusedSteps.of(
        values[: kernel.n], scale, settings.margin, _LEAST_WEIGHT, settings.max_support
    )


# The loop -----------------------------------------------------------------------------------


class _Selection:
    """The state of a batch: arrays of shape (n_problems, width), changed in place."""

    def __init__(
        self,
        problems: Sequence[Problem],
        starts: Sequence[int],
        width: int,
        columns: _Columns,
        largest: Tensor,
        settings: OllawvSettings,
        place: Accelerator,
        fused: FusedSteps | None = None,
    ) -> None:
        self._columns = columns
        self._settings = settings
        self._fused = fused
        self.targets = filled_matrix([p.targets for p in problems], width, np.float64, 1.0, place)
        self.weights = filled_matrix([p.weights for p in problems], width, np.float64, 0.0, place)
        self.remaining = self.weights.clone()
        # What may not be taken, or not any more, has an infinite score.
        self.scores = torch.zeros_like(self.weights).masked_fill_(self.weights <= 0, torch.inf)
        self.sample = place.tensor(np.array(starts), torch.int64)
        totals = [float(p.weights.sum()) for p in problems]
        self.limits = [_step_limit(settings, total) for total in totals]
        self.most_steps = place.tensor(np.array(self.limits), torch.int64)
        share = np.array(totals) if settings.fit_intercept else np.full(len(totals), np.inf)
        self.total_weight = place.tensor(share)
        self.tie = largest * _ROUNDING
        self.is_done = torch.zeros_like(self.sample, dtype=torch.bool)
        self.n_steps, self.n_support = torch.zeros_like(self.sample), torch.zeros_like(self.sample)
        self.rates = torch.zeros(_STEPS, dtype=torch.float64, device=place.device)
        shape = (_STEPS, len(problems))
        self.taken = torch.zeros(shape, dtype=torch.int64, device=place.device)
        self.steps = torch.zeros(shape, dtype=torch.float64, device=place.device)
        self.worst = torch.zeros(shape, dtype=torch.float64, device=place.device)

    def walk(self) -> None:
        """Take as many steps as lie between two looks."""
        for number in range(_STEPS):
            if self._fused is None:
                self._step(number)
            else:
                self._fused.step(self, number)

    def _step(self, number: int) -> None:
        at = self.sample[:, None]
        left = self.remaining.gather(1, at)[:, 0]
        if self._settings.max_support > 0:
            is_new = left == self.weights.gather(1, at)[:, 0]
            self.is_done |= is_new & (self.n_support >= self._settings.max_support)
            self.n_support += is_new & ~self.is_done
        share = left.clamp(max=1.0).masked_fill_(self.is_done, 0.0)
        step = share * self.targets.gather(1, at)[:, 0] * self.rates[number]
        left = left - share
        self.remaining.scatter_(1, at, left[:, None])
        gone = torch.zeros_like(left).masked_fill_(left < _LEAST_WEIGHT, torch.inf)
        self.scores.scatter_add_(1, at, gone[:, None])
        change = self._columns.times(self.sample, step)
        change += (step / self.total_weight)[:, None]
        self.scores.addcmul_(self.targets, change)
        worst = self.scores.amin(1)
        self.taken[number] = self.sample
        self.steps[number] = step
        self.worst[number] = worst
        self.n_steps += ~self.is_done
        # Without a sample left, the worst score is infinite.
        self.is_done |= (worst >= self._settings.margin) | (self.n_steps >= self.most_steps)
        ties = self.scores <= (worst + self.tie)[:, None]
        self.sample.copy_(ties.to(torch.int8).argmax(1))

    @property
    def can_be_recorded(self) -> bool:
        """Whether `walk` can be a graph of CUDA."""
        is_ready = self._fused is not None or self._columns.can_be_recorded
        return self.scores.device.type == "cuda" and is_ready


def _step_limit(settings: OllawvSettings, total_weight: float) -> int:
    if settings.max_iter > 0:
        return settings.max_iter
    return max(1, int(min(settings.max_iter_share * total_weight, 1e15)))


def _run(state: _Selection, settings: OllawvSettings, monitor: Monitor) -> list[SelectedPath]:
    """Walk until all problems are done, or the time is over."""
    n_problems = int(state.sample.numel())
    parts: list[list[tuple[Any, Any, Any]]] = [[] for _ in range(n_problems)]
    known = np.zeros(n_problems, dtype=np.int64)
    graph: Any = None
    n_walks = 0
    while True:
        t = np.arange(n_walks * _STEPS + 1, (n_walks + 1) * _STEPS + 1, dtype=np.float64)
        state.rates.copy_(torch.from_numpy(_RATES[settings.learning_rate](t)))
        if graph is None and n_walks == _RECORD_AFTER and state.can_be_recorded:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                state.walk()
        if graph is None:
            state.walk()
        else:
            graph.replay()
        n_walks += 1
        found = torch.stack([state.taken.double(), state.steps, state.worst]).cpu().numpy()
        n_steps, is_done = torch.stack([state.n_steps, state.is_done.long()]).cpu().numpy()
        for p, count in enumerate(n_steps - known):
            if count:
                parts[p].append(tuple(found[:, :count, p]))
        monitor.add(int((n_steps - known).sum()))
        known = n_steps
        is_late = monitor.is_late
        if is_late or is_done.all():
            break
    paths = []
    for part, limit, done in zip(parts, state.limits, is_done, strict=True):
        taken, steps, worst = (np.concatenate(arrays) for arrays in zip(*part, strict=True))
        status = _status(worst, limit, settings.margin, bool(done))
        paths.append(SelectedPath(taken.astype(np.int64), steps, worst, status))
    return paths


def _status(worst: DoubleArray, limit: int, margin: float, is_done: bool) -> Status:
    if not is_done:
        return "max_time"
    if math.isinf(worst[-1]):
        return "exhausted"
    if worst[-1] >= margin:
        return "converged"
    return "max_iter" if worst.size >= limit else "max_support"


def select_all(
    kernel: KernelValues,
    problems: Sequence[Problem],
    starts: Sequence[int],
    settings: OllawvSettings,
    place: Accelerator,
    monitor: Monitor,
) -> list[SelectedPath]:
    """Return the paths of problems on one table, each from the sample at its start.

    Small problems go together, with their kernel matrices stored.
    """
    item = 4 if str(kernel.dtype).endswith("32") else 8
    found: dict[int, SelectedPath] = {}
    largest_problem = max(p.samples.size for p in problems)
    sizes = sizes_within(place.sizes, place.free_bytes, largest_problem, item)
    small = [i for i, p in enumerate(problems) if p.samples.size <= sizes.stored]
    for width, numbers in batches_of([problems[i] for i in small], item, place):
        chosen = [small[number] for number in numbers]
        part = [problems[i] for i in chosen]
        index = filled_matrix([p.samples for p in part], width, np.int64, kernel.n, place)
        largest = kernel.diagonal[index].double().abs()
        # The padding has a value of its own, which is not that of a sample.
        largest = largest.masked_fill_(index == kernel.n, 0.0).amax(1)
        places = torch.arange(len(part), device=place.device)
        stored = _StoredColumns(kernel.blocks(index), places)
        begins = [starts[i] for i in chosen]
        state = _Selection(part, begins, width, stored, largest, settings, place)
        found.update(zip(chosen, _run(state, settings, monitor), strict=True))
        monitor.n_done += len(part)
    for i, problem in enumerate(problems):
        if i in found:
            continue
        own = kernel.take(place.tensor(problem.samples))
        largest = own.diagonal[:-1].double().abs().amax()[None]
        one = torch.ones(1, dtype=torch.int64, device=place.device)
        state = _Selection(
            [problem],
            [starts[i]],
            own.n,
            _ComputedColumns(own, one),
            largest,
            settings,
            place,
            _fused_steps(own, settings, place),
        )
        found[i] = _run(state, settings, monitor)[0]
        monitor.n_done += 1
    return [found[i] for i in range(len(problems))]


# Solutions ----------------------------------------------------------------------------------


def solve_by_selection(
    kernel: KernelValues,
    problems: Sequence[Problem],
    starts: Sequence[int],
    settings: OllawvSettings,
    place: Accelerator,
    monitor: Monitor,
) -> list[Solution]:
    """Solve problems as OLLAWV does without refinement."""
    began = time.perf_counter()
    paths = select_all(kernel, problems, starts, settings, place, monitor)
    seconds = (time.perf_counter() - began) / len(problems)
    return [
        _solution(problem, path, settings, seconds)
        for problem, path in zip(problems, paths, strict=True)
    ]


def _solution(
    problem: Problem, path: SelectedPath, settings: OllawvSettings, seconds: float
) -> Solution:
    """Return the expansion of a path."""
    alpha = np.zeros(problem.samples.size)
    np.add.at(alpha, path.taken, path.steps)
    support = np.flatnonzero(alpha)
    # Summed step by step, as the margin path does.
    bias = np.cumsum(path.steps / problem.weights.sum())[-1] if settings.fit_intercept else 0.0
    n_steps = int(path.taken.size)
    return Solution(
        support=problem.samples[support],
        coef=settings.C * alpha[support],
        intercept=float(settings.C * bias),
        status=path.status,
        n_iter=n_steps,
        violation=float(path.violations[-1]),
        counters=SolveCounters(
            n_kernel_values=n_steps * problem.samples.size,
            n_columns=n_steps,
            n_selections=n_steps,
        ),
        seconds=PhaseSeconds(total=seconds, selection=seconds),
        path_rows=problem.samples[path.taken],
        path_steps=path.steps,
        path_violations=path.violations,
    )
