"""A step of OLLAWV on one problem with many samples, in three launches; see `selection`."""
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import triton
import triton.language as tl

from svmosaic.engine.gpu.accelerator import Tensor

__all__ = ["FusedSteps"]

# Rows of a thread block, and most features that it takes at a time.
_ROWS = 128
_FEATURES = 32


@triton.jit
def _take(
    sample, remaining, weights, targets, scores, is_done, n_support, rates, taken, steps, number,
    LEAST_WEIGHT: tl.constexpr, MOST_SUPPORT: tl.constexpr,
):  # fmt: skip
    """Take a step at the worst sample: as much of it as is left, at most 1."""
    s = tl.load(sample)
    done = tl.load(is_done)
    left = tl.load(remaining + s)
    if MOST_SUPPORT > 0:
        is_new = left == tl.load(weights + s)
        known = tl.load(n_support)
        done = tl.where(is_new & (known >= MOST_SUPPORT), 1, done).to(tl.int8)
        tl.store(is_done, done)
        tl.store(n_support, known + (is_new & (done == 0)).to(tl.int64))
    share = tl.where(done != 0, 0.0, tl.minimum(left, 1.0))
    left -= share
    tl.store(remaining + s, left)
    if left < LEAST_WEIGHT:
        tl.store(scores + s, float("inf"))
    tl.store(taken + number, s)
    tl.store(steps + number, share * tl.load(targets + s) * tl.load(rates + number))


@triton.jit
def _change_scores(
    values, n_rows, n_columns, scale, targets, scores, total_weight, taken, steps, number, least,
    ROWS: tl.constexpr, FEATURES: tl.constexpr,
):  # fmt: skip
    """Add the step's kernel column to the scores of some rows, and find the least of them."""
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    is_row = i < n_rows
    s = tl.load(taken + number)
    step = tl.load(steps + number)
    k = tl.arange(0, FEATURES)
    # Differences of the rows themselves: no cancellation as with x'z.
    squares = tl.zeros([ROWS], dtype=values.dtype.element_ty)
    for begin in range(0, n_columns, FEATURES):
        at = begin + k
        is_column = at < n_columns
        z = tl.load(values + s * n_columns + at, mask=is_column, other=0.0)
        here = i[:, None].to(tl.int64) * n_columns + at[None, :]
        x = tl.load(values + here, mask=is_row[:, None] & is_column[None, :], other=0.0)
        difference = x - z[None, :]
        squares += tl.sum(difference * difference, 1)
    column = tl.exp2(-squares * tl.load(scale)).to(tl.float64)
    change = step * column + step / tl.load(total_weight)
    score = tl.load(scores + i, mask=is_row, other=float("inf"))
    score += tl.load(targets + i, mask=is_row, other=1.0) * change
    tl.store(scores + i, score, mask=is_row)
    tl.store(least + tl.program_id(0), tl.min(score, 0))


@triton.jit
def _choose(
    scores, n_rows, least, n_blocks, tie, margin, most_steps, sample, is_done, n_steps, worst,
    number, ROWS: tl.constexpr, BLOCKS: tl.constexpr,
):  # fmt: skip
    """Find the worst score, the first sample that has it but for rounding, and whether to end."""
    b = tl.arange(0, BLOCKS)
    lowest = tl.load(least + b, mask=b < n_blocks, other=float("inf"))
    found = tl.min(lowest, 0)
    limit = found + tl.load(tie)
    block = tl.min(tl.where(lowest <= limit, b, BLOCKS), 0)
    i = tl.arange(0, ROWS)
    at = block * ROWS + i
    score = tl.load(scores + at, mask=at < n_rows, other=float("inf"))
    first = tl.min(tl.where(score <= limit, i, ROWS), 0)
    done = tl.load(is_done)
    count = tl.load(n_steps) + (done == 0).to(tl.int64)
    is_last = (found >= tl.load(margin)) | (count >= tl.load(most_steps))
    tl.store(worst + number, found)
    tl.store(n_steps, count)
    tl.store(is_done, tl.where(is_last, 1, done).to(tl.int8))
    tl.store(sample, (block * ROWS + first).to(tl.int64))


@dataclass(frozen=True)
class FusedSteps:
    """Steps on the state of a selection with one problem.

    Attributes
    ----------
    values : Tensor of shape (n_rows, n_columns)
        Samples whose kernel values are 2^(-scale |x - z|^2).
    scale : Tensor
        The scale, in the type of the values.
    margin : Tensor
        Where it ends; like all numbers here in float64, which launches cannot pass.
    least : Tensor
        The least score of each thread block.
    least_weight : float
        A remaining weight below this is none.
    max_support : int
        Most samples that may be taken; 0 for any number.
    """

    values: Tensor
    scale: Tensor
    margin: Tensor
    least: Tensor
    least_weight: float
    max_support: int

    @classmethod
    def of(
        cls, values: Tensor, scale: float, margin: float, least_weight: float, max_support: int
    ) -> FusedSteps:
        """Return the steps for a table."""
        device = values.device
        return cls(
            values.contiguous(),
            torch.tensor([scale], dtype=values.dtype, device=device),
            torch.tensor([margin], dtype=torch.float64, device=device),
            torch.empty(triton.cdiv(values.shape[0], _ROWS), dtype=torch.float64, device=device),
            least_weight,
            max_support,
        )

    def step(self, state: Any, number: int) -> None:
        """Take one step; `state` has the arrays of `selection`."""
        n_rows, n_columns = self.values.shape
        is_done = state.is_done.view(torch.int8)
        n_blocks = self.least.numel()
        _take[(1,)](
            state.sample, state.remaining, state.weights, state.targets, state.scores, is_done,
            state.n_support, state.rates, state.taken, state.steps, number,
            LEAST_WEIGHT=self.least_weight, MOST_SUPPORT=self.max_support, num_warps=1,
        )  # fmt: skip
        _change_scores[(n_blocks,)](
            self.values, n_rows, n_columns, self.scale, state.targets, state.scores,
            state.total_weight, state.taken, state.steps, number, self.least,
            ROWS=_ROWS, FEATURES=min(_FEATURES, triton.next_power_of_2(n_columns)),
        )  # fmt: skip
        _choose[(1,)](
            state.scores, n_rows, self.least, n_blocks, state.tie, self.margin, state.most_steps,
            state.sample, is_done, state.n_steps, state.worst, number,
            ROWS=_ROWS, BLOCKS=triton.next_power_of_2(n_blocks),
        )  # fmt: skip
