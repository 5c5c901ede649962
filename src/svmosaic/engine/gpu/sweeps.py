"""The exact dual of many samples: blocks of worst violators, solved side by side.

A sweep takes, in each cell of an order in which like samples are close, the variables that want to
grow most and those that want to shrink most; solves all these blocks at once; and goes along their
joint step as far as the objective falls. Cells hardly see each other, so that the step is nearly a
whole one; cells that do are joined. Between two sweeps a few single blocks of the worst violators
of all cells balance them. It ends when the conditions hold on all samples.

Nothing waits for the device except one look at the violation between two sweeps.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from svmosaic.engine.gpu.accelerator import Accelerator, Tensor
from svmosaic.engine.gpu.block_smo import Blocks, solve_blocks
from svmosaic.engine.gpu.clusters import neighbour_order
from svmosaic.engine.gpu.dual import Dual, best_length, packed
from svmosaic.engine.gpu.memory_plan import Sizes
from svmosaic.engine.gpu.monitor import Monitor
from svmosaic.engine.problem import Status

__all__ = ["Limits", "Work", "solve_by_sweeps"]

# With more cells than this, cells wider by a third take fewer sweeps.
_MANY_CELLS = 50
# Several orders in turn, so that no neighbours are parted for ever.
_N_ORDERS = 3
# Parts of the order within which it says nothing.
_LEAF = 512
# A block need not be solved much better than the rest is.
_LOOSENESS = 0.1
# Cells that hinder each other are joined, and parted again when they do not.
_SHORT_STEP = 0.5
_LONG_STEP = 0.95
# What cannot be chosen comes last, but before what has been chosen already.
_LAST = -1e38
# With a larger tolerance, blocks of a float32 kernel work on float32 copies of their gradients.
_ENOUGH_FOR_FLOAT32 = 1e-4
# Recomputed gradients may violate the conditions a little more; then it continues.
_MOST_REFRESHES = 8


@dataclass(frozen=True)
class Limits:
    """When to stop.

    Attributes
    ----------
    tol : float
        Largest violation of the optimality conditions that is accepted.
    max_updates : int
        Limit on the updates of pairs.
    """

    tol: float
    max_updates: int


@dataclass
class Work:
    """What was done.

    Attributes
    ----------
    n_updates : int
        Updates of pairs.
    n_block_values : int
        Kernel values of blocks.
    n_columns : int
        Columns that products of the kernel matrix took.
    n_product_values : int
        Kernel values of these products.
    n_blocks : int
        Blocks solved.
    lengths : list of float
        Lengths of the joint steps.
    """

    n_updates: int = 0
    n_block_values: int = 0
    n_columns: int = 0
    n_product_values: int = 0
    n_blocks: int = 0
    lengths: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class _Step:
    """What one joint step did, on the device, and how many samples its product is for."""

    n_updates: Tensor
    n_moved: Tensor
    n_rows: int
    length: Tensor | None


class _Cells:
    """An order of the samples, cut into as many cells as get along with each other."""

    def __init__(self, order: Tensor, size: int, least: int) -> None:
        self._order = order
        self._least = least
        self._most_cells = max(1, order.numel() // size)
        self.n_cells = self._most_cells

    def matrix(self) -> Tensor:
        """Return the samples of each cell, a row each, filled up with padding."""
        n = self._order.numel()
        width = max(self._least, -(-n // self.n_cells))
        order = torch.nn.functional.pad(self._order, (0, width * self.n_cells - n), value=n)
        return order.view(self.n_cells, width)

    def learn(self, length: float) -> None:
        """Join cells after a short step, part them after a long one."""
        if length < _SHORT_STEP:
            self.n_cells = max(1, self.n_cells // 2)
        elif length > _LONG_STEP:
            self.n_cells = min(self._most_cells, 2 * self.n_cells)


def _joint_step(
    dual: Dual, cells: Tensor, block: int, tol: float, max_updates: int, place: Accelerator
) -> _Step:
    """Solve the block of each cell and go along the joint step."""
    index = _worst_violators(dual, cells, block)
    old = dual.beta[index]
    gradient = dual.gradient[index]
    # Blocks see differences of gradients only; small numbers keep more digits of them.
    gradient = gradient - gradient.mean(dim=1, keepdim=True)
    if tol >= _ENOUGH_FOR_FLOAT32:
        gradient = gradient.to(dual.kernel.dtype)
    blocks = Blocks(
        dual.kernel.blocks(index),
        dual.diagonal[index],
        old.clone(),
        dual.lower[index],
        dual.upper[index],
        gradient,
        dual.epsilon,
    )
    n_updates, _ = solve_blocks(
        blocks,
        tol=tol,
        looseness=_LOOSENESS,
        max_updates=max_updates,
        use_triton=place.use_triton,
    )
    index, goal = index.flatten(), blocks.beta.flatten()
    where, way, count = packed(index, goal - old.flatten(), dual.n)
    product = dual.kernel.products(where, way, count)
    # A single block is solved for what it is worth, a joint step is too long at times.
    length = best_length(dual, index, goal, product) if cells.shape[0] > 1 else None
    dual.go(index, goal, length, product)
    return _Step(n_updates.sum(), count[0], dual.n, length)


def _worst_violators(dual: Dual, cells: Tensor, block: int) -> Tensor:
    """Return the variables of one block per cell, half of them for each direction."""
    up, low = dual.slopes()
    half = block // 2
    # Near the extremes, where it matters, differences keep their digits in float32 as well.
    growing = (up.min() - up).clamp_(min=_LAST).to(dual.kernel.dtype)[cells]
    first = growing.topk(half, dim=1, sorted=False).indices
    shrinking = (low - low.max()).clamp_(min=_LAST).to(dual.kernel.dtype)[cells]
    # A free variable may be urgent on both sides.
    shrinking.scatter_(1, first, -torch.inf)
    second = shrinking.topk(half, dim=1, sorted=False).indices
    return cells.gather(1, torch.cat([first, second], dim=1))


def _singles(
    dual: Dual, n_blocks: int, block: int, tol: float, max_updates: int, place: Accelerator
) -> list[_Step]:
    """Solve single blocks one after the other; samples far from moving hear of it once."""
    n_candidates = max(block, place.sizes.candidates)
    if dual.n <= 2 * n_candidates:
        cells = torch.arange(dual.n, device=dual.beta.device)[None]
        return [_joint_step(dual, cells, block, tol, max_updates, place) for _ in range(n_blocks)]
    everyone = torch.arange(dual.n, device=dual.beta.device)[None]
    candidates = _worst_violators(dual, everyone, n_candidates)[0]
    part = dual.take(candidates)
    cells = everyone[:, :n_candidates]
    steps = [_joint_step(part, cells, block, tol, max_updates, place) for _ in range(n_blocks)]
    goal = part.beta[:-1]
    where, way, count = packed(candidates, goal - dual.beta[candidates], dual.n)
    dual.go(candidates, goal, None, dual.kernel.products(where, way, count))
    return [*steps, _Step(torch.zeros_like(count[0]), count[0], dual.n, None)]


def solve_by_sweeps(
    dual: Dual, limits: Limits, place: Accelerator, monitor: Monitor, work: Work
) -> Status:
    """Solve the dual, in place; return why it stopped."""
    all_cells = _orders(dual, place.sizes)
    n_refreshes = 0
    turn = 0
    violation = _look(dual, [], work, monitor)
    while True:
        if violation <= limits.tol:
            # What was summed up on the way is not quite the gradient.
            n_support = int(dual.refresh())
            work.n_columns += n_support
            work.n_product_values += n_support * dual.n
            n_refreshes += 1
            violation = _look(dual, [], work, monitor)
            if violation <= limits.tol or n_refreshes == _MOST_REFRESHES:
                return "converged"
        if work.n_updates >= limits.max_updates:
            return "max_iter"
        if monitor.is_late:
            return "max_time"
        cells = None
        if all_cells and turn < place.sizes.n_sweeps:
            cells = all_cells[turn % len(all_cells)]
        turn += 1
        before = work.n_updates
        steps = _round(dual, cells, limits, place, work)
        violation = _look(dual, steps, work, monitor)
        if cells is not None and steps[0].length is not None:
            cells.learn(work.lengths[-1])
        if work.n_updates == before:
            # Rounding leaves no pair that can move.
            return "converged"


def _round(
    dual: Dual, cells: _Cells | None, limits: Limits, place: Accelerator, work: Work
) -> list[_Step]:
    """Take a joint step, if there are cells, and single blocks after it."""
    sizes = place.sizes
    block = min(sizes.block, dual.n // 2 * 2)
    tol = 0.5 * limits.tol
    left = limits.max_updates - work.n_updates
    most = min(sizes.updates, left)
    steps = []
    if cells is not None and cells.n_cells > 1:
        each = max(1, min(most, left // cells.n_cells))
        steps.append(_joint_step(dual, cells.matrix(), block, tol, each, place))
        work.n_blocks += cells.n_cells
        work.n_block_values += cells.n_cells * block**2
    n_singles = sizes.n_singles if left > sizes.n_singles * most else 1
    single = min(sizes.single, block)
    steps += _singles(dual, n_singles, single, tol, most, place)
    work.n_blocks += n_singles
    work.n_block_values += n_singles * single**2
    return steps


def _orders(dual: Dual, sizes: Sizes) -> list[_Cells]:
    points = dual.kernel.points()
    if points is None or dual.n < 2 * sizes.cell:
        return []
    orders = [neighbour_order(points, min(_LEAF, sizes.cell), seed) for seed in range(_N_ORDERS)]
    cell = min(max(sizes.cell, dual.n // _MANY_CELLS), sizes.cell + sizes.cell // 3)
    return [_Cells(order, cell, sizes.block) for order in orders]


def _look(dual: Dual, steps: list[_Step], work: Work, monitor: Monitor) -> float:
    """Return the violation and count what was done; the only wait for the device."""
    up, low = dual.slopes()
    figures = [low.max() - up.min()]
    figures += [step.n_updates.double() for step in steps]
    figures += [step.n_moved.double() for step in steps]
    figures += [step.length for step in steps if step.length is not None]
    violation, *counts = torch.stack(figures).tolist()
    n = len(steps)
    work.n_updates += int(sum(counts[:n]))
    moved = [int(count) for count in counts[n : 2 * n]]
    work.n_columns += sum(moved)
    work.n_product_values += sum(
        count * step.n_rows for count, step in zip(moved, steps, strict=True)
    )
    work.lengths += counts[2 * n :]
    monitor.add(int(sum(counts[:n])))
    return float(violation)
