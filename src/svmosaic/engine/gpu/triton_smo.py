"""SMO within blocks, one thread block each; see `block_smo` for the problem and the method."""
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators

from __future__ import annotations

import torch
import triton
import triton.language as tl

from svmosaic.engine.gpu.accelerator import Tensor
from svmosaic.engine.gpu.block_smo import LEAST_CURVATURE, ROUNDING, Blocks

__all__ = ["solve_by_thread_blocks"]

_VARIABLES_PER_WARP = 128


@triton.jit
def _smaller_slope(slope_a, a, room_a, high_a, slope_b, b, room_b, high_b):
    # Of equal slopes the one of the first variable, so that the order of the reduction is free.
    take_a = (slope_a < slope_b) | ((slope_a == slope_b) & (a < b))
    return (
        tl.where(take_a, slope_a, slope_b),
        tl.where(take_a, a, b),
        tl.where(take_a, room_a, room_b),
        tl.maximum(high_a, high_b),
    )


@triton.jit
def _larger_gain(gain_a, a, length_a, room_a, gain_b, b, length_b, room_b):
    take_a = (gain_a > gain_b) | ((gain_a == gain_b) & (a < b))
    return (
        tl.where(take_a, gain_a, gain_b),
        tl.where(take_a, a, b),
        tl.where(take_a, length_a, length_b),
        tl.where(take_a, room_a, room_b),
    )


@triton.jit
def _smo(
    values,
    diagonals,
    betas,
    lowers,
    uppers,
    gradients,
    updates,
    violations,
    m,
    epsilon,
    epsilon_rest,
    tol,
    looseness,
    max_updates,
    CURVATURE: tl.constexpr,
    SMALL: tl.constexpr,
    HAS_TUBE: tl.constexpr,
    LANES: tl.constexpr,
):
    p = tl.program_id(0).to(tl.int64)
    k = tl.arange(0, LANES)
    # Lanes beyond the variables have bounds of zero: they cannot move.
    is_one = k < m
    base = p * m
    b = tl.load(betas + base + k, mask=is_one, other=0.0)
    lower = tl.load(lowers + base + k, mask=is_one, other=0.0)
    upper = tl.load(uppers + base + k, mask=is_one, other=0.0)
    g = tl.load(gradients + base + k, mask=is_one, other=0.0)
    diagonal = tl.load(diagonals + base + k, mask=is_one, other=1.0)
    K = values + base * m
    small = (upper - lower) * SMALL
    width = tl.zeros((LANES,), tl.float64) + epsilon + epsilon_rest
    infinity = float("inf")
    n = 0
    goal = 0.0
    violation = infinity
    while (n < max_updates) & (violation > goal):
        # The slopes for growing and for shrinking, and where each way ends.
        up = g
        low = g
        end_up = upper
        end_low = lower
        if HAS_TUBE:
            up += tl.where(b >= 0, width, -width).to(g.dtype)
            low += tl.where(b > 0, width, -width).to(g.dtype)
            end_up = tl.where(b < 0, 0.0, upper)
            end_low = tl.where(b > 0, 0.0, lower)
        up = tl.where(b < upper, up, infinity)
        low = tl.where(b > lower, low, -infinity)
        least, i, room_i, high = tl.reduce((up, k, end_up - b, low), 0, _smaller_slope)
        violation = (high - least).to(tl.float32)
        if n == 0:
            goal = tl.maximum(tol, looseness * violation)
        if violation > goal:
            row_i = tl.load(K + i * m + k, mask=is_one, other=0.0).to(g.dtype)
            diagonal_i = tl.load(diagonals + base + i)
            difference = low - least
            curvature = tl.maximum((diagonal + diagonal_i).to(g.dtype) - 2.0 * row_i, CURVATURE)
            gain = tl.where(difference > 0, difference * difference / curvature, -1.0)
            _, j, length, room_j = tl.reduce(
                (gain, k, difference / curvature, b - end_low), 0, _larger_gain
            )
            row_j = tl.load(K + j * m + k, mask=is_one, other=0.0).to(g.dtype)
            step = tl.minimum(tl.minimum(length.to(tl.float64), room_i), room_j)
            # A variable ends at its bound or at zero exactly: short of it by rounding, it would
            # pass for free.
            grown = tl.where(room_i - step <= small, end_up, b + step)
            shrunk = tl.where(room_j - step <= small, end_low, b - step)
            b = tl.where(k == i, grown, tl.where(k == j, shrunk, b))
            g += step.to(g.dtype) * (row_i - row_j)
            n += 1
    tl.store(betas + base + k, b, mask=is_one)
    tl.store(gradients + base + k, g, mask=is_one)
    tl.store(updates + p, n)
    tl.store(violations + p, violation)


def solve_by_thread_blocks(
    blocks: Blocks, tol: float, looseness: float, max_updates: int
) -> tuple[Tensor, Tensor]:
    """Do as `block_smo.solve_blocks`."""
    n_blocks, m = blocks.beta.shape
    lanes = triton.next_power_of_2(m)
    n_updates = torch.empty(n_blocks, dtype=torch.int64, device=blocks.beta.device)
    violation = torch.empty(n_blocks, dtype=torch.float32, device=blocks.beta.device)
    # Triton takes numbers as float32; two of them hold a float64.
    epsilon = float(torch.tensor(blocks.epsilon, dtype=torch.float32))
    _smo[(n_blocks,)](
        blocks.values,
        blocks.diagonal,
        blocks.beta,
        blocks.lower,
        blocks.upper,
        blocks.gradient,
        n_updates,
        violation,
        m,
        epsilon,
        blocks.epsilon - epsilon,
        tol,
        looseness,
        max_updates,
        CURVATURE=LEAST_CURVATURE,
        SMALL=ROUNDING,
        HAS_TUBE=blocks.epsilon > 0.0,
        LANES=lanes,
        num_warps=max(1, min(16, lanes // _VARIABLES_PER_WARP)),
        enable_fp_fusion=True,
    )
    return n_updates, violation
