"""Many small duals at once: each is one block with its whole kernel matrix stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from svmosaic.engine.gpu.accelerator import Accelerator, Tensor
from svmosaic.engine.gpu.block_smo import Blocks, slopes, solve_blocks
from svmosaic.engine.gpu.dual import Standing, boxes, feasible, standings
from svmosaic.engine.gpu.kernel_values import KernelValues
from svmosaic.engine.gpu.memory_plan import batch_size
from svmosaic.engine.gpu.monitor import Monitor
from svmosaic.engine.problem import DoubleArray, Problem, Status

__all__ = ["SmallSolution", "batches_of", "filled_matrix", "solve_batch"]

_ALIGNMENT = 16
# Updates of each problem between two questions to the monitor; small ones are fast.
_UPDATES = 16_384
# Recomputed gradients may violate the conditions a little more; then it continues.
_MOST_REFRESHES = 8
# Kernel values that are copied to float64 at a time.
_MOST_COPIED = 1 << 26


@dataclass(frozen=True)
class SmallSolution:
    """The solution of one problem of a batch.

    Attributes
    ----------
    beta : ndarray
        Coefficients of the samples.
    standing : Standing
        What the gradients say.
    status : str
        Why it stopped.
    n_updates : int
        Updates of pairs.
    n_kernel_values : int
        Kernel values computed.
    """

    beta: DoubleArray
    standing: Standing
    status: Status
    n_updates: int
    n_kernel_values: int


def batches_of(
    problems: Sequence[Problem], item_size: int, place: Accelerator
) -> Iterator[tuple[int, list[int]]]:
    """Yield a width and the numbers of problems to be solved together, the largest ones first."""
    # A thread block has a power of 2 of lanes; problems that differ by less go together.
    by_lanes: dict[int, list[int]] = {}
    for number, problem in enumerate(problems):
        by_lanes.setdefault((problem.samples.size - 1).bit_length(), []).append(number)
    for lanes in sorted(by_lanes, reverse=True):
        numbers = by_lanes[lanes]
        widest = max(problems[number].samples.size for number in numbers)
        # Rows of kernel matrices begin where vectors do.
        width = -(-widest // _ALIGNMENT) * _ALIGNMENT
        step = batch_size(place.free_bytes, width, item_size)
        for begin in range(0, len(numbers), step):
            yield width, numbers[begin : begin + step]


def solve_batch(
    problems: Sequence[Problem],
    width: int,
    kernel: KernelValues,
    C: float,
    epsilon: float | None,
    tol: float,
    max_updates: int,
    place: Accelerator,
    monitor: Monitor,
) -> list[SmallSolution]:
    """Solve problems of at most `width` samples on one table.

    Without `epsilon` they are L1-SVMs.
    """
    index = filled_matrix([p.samples for p in problems], width, np.int64, kernel.n, place)
    target = filled_matrix([p.targets for p in problems], width, np.float64, 0.0, place)
    bound = C * filled_matrix([p.weights for p in problems], width, np.float64, 0.0, place)
    lower, upper = boxes(target, bound, epsilon)
    values = kernel.blocks(index)
    beta, gradient = torch.zeros_like(target), -target
    if any(p.initial is not None for p in problems):
        start = [p.samples * 0.0 if p.initial is None else p.initial for p in problems]
        beta = feasible(filled_matrix(start, width, np.float64, 0.0, place), lower, upper)
        gradient = _products(values, beta) - target
    blocks = Blocks(
        values,
        kernel.diagonal[index],
        beta,
        lower,
        upper,
        gradient,
        epsilon or 0.0,
    )
    counts, violation, status = _run(blocks, target, tol, max_updates, place, monitor)
    found = standings(
        beta, blocks.gradient, target, lower, upper, epsilon or 0.0, epsilon is not None
    )
    coef = beta.cpu().numpy()
    return [
        SmallSolution(
            coef[i, : problem.samples.size],
            found[i],
            "converged" if violation[i] <= tol or status == "converged" else status,
            counts[i],
            width**2,
        )
        for i, problem in enumerate(problems)
    ]


def _run(
    blocks: Blocks,
    target: Tensor,
    tol: float,
    max_updates: int,
    place: Accelerator,
    monitor: Monitor,
) -> tuple[list[int], list[float], Status]:
    """Solve the blocks; return updates and violations, and why the last of them stopped."""
    counts = torch.zeros(target.shape[0], dtype=torch.int64, device=place.device)
    n_refreshes = 0
    most = 0
    while True:
        step = min(_UPDATES, max_updates - most)
        n_updates, violation = solve_blocks(
            blocks, tol=tol, looseness=0.0, max_updates=step, use_triton=place.use_triton
        )
        counts += n_updates
        n_new, n_most, n_longest = torch.stack(
            [n_updates.sum(), n_updates.amax(), counts.amax()]
        ).tolist()
        monitor.add(n_new)
        most = n_longest
        is_done = n_most < step
        if is_done:
            # What was summed up on the way is not quite the gradient.
            blocks.gradient.copy_(_products(blocks.values, blocks.beta) - target)
            n_refreshes += 1
        up, low = slopes(blocks.beta, blocks.gradient, blocks.lower, blocks.upper, blocks.epsilon)
        violation = low.amax(1) - up.amin(1)
        status: Status | None = None
        if is_done and (
            n_new == 0 or n_refreshes == _MOST_REFRESHES or bool((violation <= tol).all())
        ):
            status = "converged"
        elif most >= max_updates:
            status = "max_iter"
        elif monitor.is_late:
            status = "max_time"
        if status is not None:
            return counts.tolist(), violation.tolist(), status


def filled_matrix(
    parts: Sequence[np.ndarray], width: int, dtype: type, fill: float, place: Accelerator
) -> Tensor:
    """Return arrays as rows of a matrix, filled up."""
    rows: Any = np.full((len(parts), width), fill, dtype=dtype)
    for row, part in zip(rows, parts, strict=True):
        row[: part.size] = part
    return place.tensor(rows)


def _products(values: Tensor, beta: Tensor) -> Tensor:
    """Return K b of every block in float64."""
    # Some blocks at a time: float64 copies of all matrices may not fit.
    step = max(1, _MOST_COPIED // values.shape[1] ** 2)
    parts = zip(values.split(step), beta.split(step), strict=True)
    return torch.cat([(part.double() @ b[:, :, None])[:, :, 0] for part, b in parts])
