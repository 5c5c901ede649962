"""From problems to solutions: the exact L1-SVM and epsilon-SVR on a device."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from svmosaic.engine.counters import PhaseSeconds, SolveCounters
from svmosaic.engine.gpu.accelerator import Accelerator
from svmosaic.engine.gpu.batches import batches_of, solve_batch
from svmosaic.engine.gpu.dual import Dual, Standing, standing_of
from svmosaic.engine.gpu.kernel_values import KernelValues
from svmosaic.engine.gpu.memory_plan import sizes_within
from svmosaic.engine.gpu.monitor import Monitor
from svmosaic.engine.gpu.sweeps import Limits, Work, solve_by_sweeps
from svmosaic.engine.problem import DoubleArray, Problem, Solution, Status
from svmosaic.engine.settings import OllawvSettings, SmoSettings

__all__ = ["ExactSettings", "solve_exactly"]


@dataclass(frozen=True)
class ExactSettings:
    """What the exact dual depends on.

    Attributes
    ----------
    C : float
        Upper bound of a coefficient, times the weight of its sample.
    epsilon : float or None
        Half the width of the tube; None for classification.
    tol : float
        Largest violation of the optimality conditions that is accepted.
    max_iter : int
        Limit on updates; 0 means max(10 million, 100 n).
    """

    C: float
    epsilon: float | None
    tol: float
    max_iter: int

    @classmethod
    def of(cls, settings: Any) -> ExactSettings | None:
        """Return the settings of a solver of the core, or None if it is not an exact one."""
        if isinstance(settings, SmoSettings):
            is_regression = settings.loss == "epsilon_insensitive"
            epsilon = settings.epsilon if is_regression else None
            return cls(settings.C, epsilon, settings.tol, settings.max_iter)
        if isinstance(settings, OllawvSettings) and settings.refine.refinement == "full":
            refine = settings.refine
            return cls(refine.C, None, refine.tol, refine.max_iter)
        return None

    def max_updates(self, n_samples: int) -> int:
        """Return the limit on the updates of a problem."""
        return self.max_iter if self.max_iter > 0 else max(10_000_000, 100 * n_samples)


def solve_exactly(
    kernel: KernelValues,
    problems: Sequence[Problem],
    settings: ExactSettings,
    place: Accelerator,
    monitor: Monitor,
) -> list[Solution]:
    """Solve problems on one table; small ones together, large ones one after the other."""
    item = 4 if str(kernel.dtype).endswith("32") else 8
    largest = max(p.samples.size for p in problems)
    place = replace(place, sizes=sizes_within(place.sizes, place.free_bytes, largest, item))
    solutions: dict[int, Solution] = {}
    small = [i for i, p in enumerate(problems) if p.samples.size <= place.sizes.small]
    for width, numbers in batches_of([problems[i] for i in small], item, place):
        chosen = [small[number] for number in numbers]
        parts = _solve_small([problems[i] for i in chosen], width, kernel, settings, place, monitor)
        solutions.update(zip(chosen, parts, strict=True))
    for i, problem in enumerate(problems):
        if i not in solutions:
            solutions[i] = _solve_large(problem, kernel, settings, place, monitor)
            monitor.n_done += 1
    return [solutions[i] for i in range(len(problems))]


def _solve_small(
    problems: list[Problem],
    width: int,
    kernel: KernelValues,
    settings: ExactSettings,
    place: Accelerator,
    monitor: Monitor,
) -> list[Solution]:
    began = time.perf_counter()
    limit = settings.max_updates(width)
    found = solve_batch(
        problems,
        width,
        kernel,
        settings.C,
        settings.epsilon,
        settings.tol,
        limit,
        place,
        monitor,
    )
    monitor.n_done += len(problems)
    share = (time.perf_counter() - began) / len(problems)
    return [
        _solution(
            problem,
            part.beta,
            part.standing,
            part.status,
            SolveCounters(
                n_kernel_values=part.n_kernel_values,
                n_columns=problem.samples.size,
                n_updates=part.n_updates,
                n_blocks=1,
            ),
            PhaseSeconds(total=share, solving=share),
        )
        for problem, part in zip(problems, found, strict=True)
    ]


def _solve_large(
    problem: Problem,
    table: KernelValues,
    settings: ExactSettings,
    place: Accelerator,
    monitor: Monitor,
) -> Solution:
    began = time.perf_counter()
    kernel = table.take(place.tensor(problem.samples))
    dual = Dual.of(problem, kernel, settings.C, settings.epsilon, place)
    started = time.perf_counter()
    work = Work()
    limits = Limits(settings.tol, settings.max_updates(problem.samples.size))
    status = solve_by_sweeps(dual, limits, place, monitor, work)
    solved = time.perf_counter()
    standing = standing_of(dual)
    beta = dual.beta[:-1].cpu().numpy()
    ended = time.perf_counter()
    counters = SolveCounters(
        n_kernel_values=work.n_block_values + work.n_product_values,
        n_columns=work.n_columns,
        n_updates=work.n_updates,
        n_blocks=work.n_blocks,
        n_sweeps=len(work.lengths),
        theta_sum=float(sum(work.lengths)),
        theta_min=min(work.lengths, default=1.0),
    )
    seconds = PhaseSeconds(
        total=ended - began,
        start=started - began,
        solving=solved - started,
        certificate=ended - solved,
    )
    return _solution(problem, beta, standing, status, counters, seconds)


def _solution(
    problem: Problem,
    beta: DoubleArray,
    standing: Standing,
    status: Status,
    counters: SolveCounters,
    seconds: PhaseSeconds,
) -> Solution:
    support = np.flatnonzero(beta)
    # As on the CPU, a run that ran out of time claims nothing.
    is_late = status == "max_time"
    return Solution(
        support=problem.samples[support],
        coef=beta[support],
        intercept=standing.intercept,
        status=status,
        n_iter=counters.n_updates,
        violation=standing.violation,
        objective=float("nan") if is_late else standing.objective,
        dual_gap=float("nan") if is_late else standing.gap,
        counters=counters,
        seconds=seconds,
    )
