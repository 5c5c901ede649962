"""SMO within blocks: many small duals at once, each with its kernel matrix stored.

Every block is      min  1/2 b'Kb - t'b + epsilon |b|_1
over a fixed sum of b and lower <= b <= upper, from where b is. Pairs (i, j): i the variable that
may grow and violates the conditions most, j the one that promises the largest decrease (Fan, Chen
and Lin, JMLR 6, 2005). The slope of epsilon |b| depends on the side of zero and on the direction,
and a step ends at zero at the latest.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from svmosaic.engine.gpu.accelerator import Tensor

__all__ = ["LEAST_CURVATURE", "ROUNDING", "Blocks", "slopes", "solve_blocks"]

LEAST_CURVATURE = 1e-12
# A share of the distance between bounds that only rounding leaves.
ROUNDING = 1e-14
# Steps between two looks at whether all blocks are done: a look waits for the device.
_LOOK_EVERY = 32


@dataclass(frozen=True)
class Blocks:
    """Variables of blocks, all of shape (n_blocks, m).

    Attributes
    ----------
    values : Tensor of shape (n_blocks, m, m)
        The kernel matrices.
    diagonal : Tensor
        k(x, x), exact.
    beta, lower, upper : Tensor of float64
        Coefficients and their bounds. `solve_blocks` changes `beta`.
    gradient : Tensor
        Kb - t, up to a constant for each block; `solve_blocks` changes it.
    epsilon : float
        The cost of |b|.
    """

    values: Tensor
    diagonal: Tensor
    beta: Tensor
    lower: Tensor
    upper: Tensor
    gradient: Tensor
    epsilon: float = 0.0


def slopes(
    beta: Tensor, gradient: Tensor, lower: Tensor, upper: Tensor, epsilon: float
) -> tuple[Tensor, Tensor]:
    """Return the slopes for growing and for shrinking; infinite where a bound is in the way."""
    up = low = gradient
    if epsilon > 0.0:
        # `torch.where` with numbers would be float32, copy them to the device, and wait.
        up = up + (beta >= 0).to(gradient.dtype).mul_(2.0 * epsilon).sub_(epsilon)
        low = low + (beta > 0).to(gradient.dtype).mul_(2.0 * epsilon).sub_(epsilon)
    return up.masked_fill(beta >= upper, torch.inf), low.masked_fill(beta <= lower, -torch.inf)


def solve_blocks(
    blocks: Blocks, *, tol: float, looseness: float, max_updates: int, use_triton: bool
) -> tuple[Tensor, Tensor]:
    """Solve all blocks, in place.

    Parameters
    ----------
    blocks : Blocks
        The variables.
    tol : float
        The violation that is accepted.
    looseness : float
        A share of the first violation of a block that is accepted, too.
    max_updates : int
        Limit on the updates of each block.
    use_triton : bool
        Whether one thread block solves each of them.

    Returns
    -------
    n_updates : Tensor of int64, shape (n_blocks,)
        Updates of each block.
    violation : Tensor, shape (n_blocks,)
        The last violation that was seen.
    """
    if use_triton:
        from svmosaic.engine.gpu.triton_smo import solve_by_thread_blocks

        return solve_by_thread_blocks(blocks, tol, looseness, max_updates)
    return _solve_together(blocks, tol, looseness, max_updates)


def _solve_together(
    blocks: Blocks, tol: float, looseness: float, max_updates: int
) -> tuple[Tensor, Tensor]:
    """Let all blocks step at once; those that are done take steps of length zero."""
    K, diagonal, g = blocks.values, blocks.diagonal, blocks.gradient
    b, lower, upper = blocks.beta, blocks.lower, blocks.upper
    number = torch.arange(b.shape[0], device=b.device)
    n_updates = torch.zeros_like(number)
    goal = torch.zeros(b.shape[0], dtype=g.dtype, device=b.device)
    violation = goal
    for step in range(max_updates + 1):
        growing, shrinking = slopes(b, g, lower, upper, blocks.epsilon)
        least, i = growing.min(1)
        violation = shrinking.amax(1) - least
        if step == 0:
            goal = (looseness * violation).clamp(min=tol)
        is_open = violation > goal
        is_time_to_look = b.device.type == "cpu" or step % _LOOK_EVERY == 0
        if step == max_updates or (is_time_to_look and not bool(is_open.any())):
            break
        row_i = K[number, i].to(g.dtype)
        difference = shrinking - least[:, None]
        curvature = diagonal + diagonal[number, i, None] - 2.0 * row_i
        curvature = curvature.clamp(min=LEAST_CURVATURE)
        gain = (difference.square() / curvature).masked_fill_(difference <= 0, -1.0)
        j = gain.argmax(1)
        b_i, b_j = b[number, i], b[number, j]
        end_i = upper[number, i].masked_fill(b_i < 0, 0.0)
        end_j = lower[number, j].masked_fill(b_j > 0, 0.0)
        length = (difference[number, j] / curvature[number, j]).double()
        length = torch.minimum(torch.minimum(length, end_i - b_i), b_j - end_j)
        length = length.masked_fill_(~is_open, 0.0)
        # Short of its end by rounding, a variable would pass for free.
        width_i = (upper - lower)[number, i] * ROUNDING
        width_j = (upper - lower)[number, j] * ROUNDING
        reaches_i = is_open & (end_i - b_i - length <= width_i)
        reaches_j = is_open & (b_j - end_j - length <= width_j)
        b[number, i] = torch.where(reaches_i, end_i, b_i + length)
        # Blocks that are done have i = j at times; the second write must not undo the first.
        b[number, j] = torch.where(
            is_open, torch.where(reaches_j, end_j, b_j - length), b[number, j]
        )
        g += length[:, None].to(g.dtype) * (row_i - K[number, j].to(g.dtype))
        n_updates += is_open
    return n_updates, violation
