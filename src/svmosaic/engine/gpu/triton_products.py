"""The rbf kernel from products of integers: sums in one pass, and blocks.

Numbers have three digits of base 256 (see `Digits`). Six products of digits on matrix units, summed
in integers, give x'z exactly but for the smallest digits; with x'x and z'z they give the squared
distance without cancellation. Products of split floating-point numbers are as fast, but matrix
units cut their sums off instead of rounding them, and then k(x, z) is too large beside k(x, x) = 1.
"""
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
import triton
import triton.language as tl
from triton.runtime.errors import OutOfResources

from svmosaic.engine.gpu.accelerator import Tensor
from svmosaic.engine.gpu.digits import Digits

__all__ = ["COLUMN_TILE", "rbf_blocks", "rbf_products"]

# Most columns that are taken at a time; tables of columns are multiples of it.
COLUMN_TILE = 128
_BLOCK_TILE = 64


@dataclass(frozen=True)
class _Tiling:
    """How many rows and columns a thread block takes at a time, and most features."""

    rows: int
    columns: int
    features: int
    n_warps: int
    n_stages: int

    def step(self, width: int) -> int:
        """Return how many features are taken at a time, a power of 2 that divides the width."""
        return math.gcd(width, self.features)


# The last one needs least shared memory.
_TILINGS = (
    _Tiling(64, 128, 64, 4, 3),
    _Tiling(128, 64, 64, 4, 2),
    _Tiling(64, 64, 32, 4, 2),
)
# For more features, which would be taken in parts: the first ones are the fastest on an H200.
_WIDE_TILINGS = (_Tiling(128, 64, 128, 4, 2), *_TILINGS[1:])
_VERY_WIDE_TILINGS = (_Tiling(128, 128, 64, 8, 3), *_TILINGS[1:])
# The tiling that works, by device and number of features.
_known: dict[tuple[str, int], _Tiling] = {}


@triton.jit
def _products_of_tiles(
    x_high,
    x_middle,
    x_low,
    row_high,
    row_middle,
    row_low,
    column_high,
    column_middle,
    column_low,
    i,
    j,
    D: tl.constexpr,
    STEP: tl.constexpr,
):
    """Return x'z for the rows i and the columns j: that of high digits, and the rest by 2^16.

    The first features of the rows are given.
    """
    k = tl.arange(0, STEP)
    at_row = i[:, None] * D + k[None, :]
    at_column = j[:, None] * D + k[None, :]
    z_high = tl.trans(tl.load(column_high + at_column))
    z_middle = tl.trans(tl.load(column_middle + at_column))
    z_low = tl.trans(tl.load(column_low + at_column))
    rest = tl.dot(x_high, z_middle, out_dtype=tl.int32)
    rest = tl.dot(x_middle, z_high, rest, out_dtype=tl.int32)
    if D == STEP:
        rest = rest * 256
        rest = tl.dot(x_high, z_low, rest, out_dtype=tl.int32)
        rest = tl.dot(x_low, z_high, rest, out_dtype=tl.int32)
        rest = tl.dot(x_middle, z_middle, rest, out_dtype=tl.int32)
        whole = tl.dot(x_high, z_high, out_dtype=tl.int32)
    else:
        least = tl.dot(x_high, z_low, out_dtype=tl.int32)
        least = tl.dot(x_low, z_high, least, out_dtype=tl.int32)
        least = tl.dot(x_middle, z_middle, least, out_dtype=tl.int32)
        whole = tl.dot(x_high, z_high, out_dtype=tl.int32)
        for at in range(STEP, D, STEP):
            x_high = tl.load(row_high + at_row + at)
            x_middle = tl.load(row_middle + at_row + at)
            x_low = tl.load(row_low + at_row + at)
            z_high = tl.trans(tl.load(column_high + at_column + at))
            z_middle = tl.trans(tl.load(column_middle + at_column + at))
            z_low = tl.trans(tl.load(column_low + at_column + at))
            rest = tl.dot(x_high, z_middle, rest, out_dtype=tl.int32)
            rest = tl.dot(x_middle, z_high, rest, out_dtype=tl.int32)
            least = tl.dot(x_high, z_low, least, out_dtype=tl.int32)
            least = tl.dot(x_low, z_high, least, out_dtype=tl.int32)
            least = tl.dot(x_middle, z_middle, least, out_dtype=tl.int32)
            whole = tl.dot(x_high, z_high, whole, out_dtype=tl.int32)
        rest = rest * 256 + least
    return whole, rest


@triton.jit
def _kernel_values(whole, rest, x_whole, x_rest, z_whole, z_rest, scale):
    """Return 2^(-scale |x - z|^2) from x'z, x'x and z'z; differences of whole parts are exact."""
    whole = 2.0 * whole.to(tl.float32) - (x_whole[:, None] + z_whole[None, :])
    rest = 2.0 * rest.to(tl.float32) - (x_rest[:, None] + z_rest[None, :])
    return tl.exp2((whole + rest * 0.0000152587890625) * scale)


@triton.jit
def _rbf_products(
    row_high,
    row_middle,
    row_low,
    row_wholes,
    row_rests,
    column_high,
    column_middle,
    column_low,
    column_wholes,
    column_rests,
    coef,
    count,
    shift,
    out,
    n_rows,
    scale,
    D: tl.constexpr,
    STEP: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    number = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    # Rows beyond the last one are the last one.
    i = tl.minimum(number, n_rows - 1).to(tl.int64)
    first = i[:, None] * D + tl.arange(0, STEP)[None, :]
    x_high = tl.load(row_high + first)
    x_middle = tl.load(row_middle + first)
    x_low = tl.load(row_low + first)
    x_whole = tl.load(row_wholes + i)
    x_rest = tl.load(row_rests + i)
    total = tl.zeros((ROWS,), tl.float64)
    n_columns = tl.load(count).to(tl.int32)
    unit = tl.load(shift)
    for begin in range(0, n_columns, COLUMNS):
        j = begin + tl.arange(0, COLUMNS).to(tl.int64)
        whole, rest = _products_of_tiles(
            x_high,
            x_middle,
            x_low,
            row_high,
            row_middle,
            row_low,
            column_high,
            column_middle,
            column_low,
            i,
            j,
            D,
            STEP,
        )
        z_whole = tl.load(column_wholes + j)
        z_rest = tl.load(column_rests + j)
        c = tl.load(coef + j)[None, :]
        value = _kernel_values(whole, rest, x_whole, x_rest, z_whole, z_rest, scale)
        # Large coefficients of both signs all but cancel. A term is cut into a multiple of a unit,
        # whose float32 sums are exact, and a small remainder; the long sum is float64.
        multiple = tl.fma(value, c, unit) - unit
        remainder = tl.fma(value, c, -multiple)
        total += tl.sum(multiple, 1).to(tl.float64) + tl.sum(remainder, 1).to(tl.float64)
    tl.store(out + number, total, mask=number < n_rows)


@triton.jit
def _rbf_blocks(
    high,
    middle,
    low,
    wholes,
    rests,
    index,
    out,
    m,
    scale,
    D: tl.constexpr,
    STEP: tl.constexpr,
    TILE: tl.constexpr,
):
    p = tl.program_id(2).to(tl.int64)
    a = tl.program_id(1) * TILE + tl.arange(0, TILE)
    b = tl.program_id(0) * TILE + tl.arange(0, TILE)
    i = tl.load(index + p * m + tl.minimum(a, m - 1))
    j = tl.load(index + p * m + tl.minimum(b, m - 1))
    first = i[:, None] * D + tl.arange(0, STEP)[None, :]
    whole, rest = _products_of_tiles(
        tl.load(high + first),
        tl.load(middle + first),
        tl.load(low + first),
        high,
        middle,
        low,
        high,
        middle,
        low,
        i,
        j,
        D,
        STEP,
    )
    x_whole, x_rest = tl.load(wholes + i), tl.load(rests + i)
    z_whole, z_rest = tl.load(wholes + j), tl.load(rests + j)
    value = _kernel_values(whole, rest, x_whole, x_rest, z_whole, z_rest, scale)
    place = out + (p * m + a[:, None]) * m + b[None, :]
    tl.store(place, value, mask=(a[:, None] < m) & (b[None, :] < m))


def rbf_blocks(table: Digits, index: Tensor, scale: float) -> Tensor:
    """Return 2^(-scale |x - z|^2) for all pairs of rows that a row of `index` names.

    The result has shape (n_blocks, m, m) for an index of shape (n_blocks, m).
    """
    n_blocks, m = index.shape
    out = torch.empty((n_blocks, m, m), device=index.device, dtype=torch.float32)
    n_tiles = triton.cdiv(m, _BLOCK_TILE)
    _rbf_blocks[(n_tiles, n_tiles, n_blocks)](
        *table.arrays,
        index,
        out,
        m,
        scale,
        D=table.width,
        STEP=math.gcd(table.width, 64),
        TILE=_BLOCK_TILE,
        num_warps=4,
        enable_fp_fusion=True,
    )
    return out


def rbf_products(
    rows: Digits, columns: Digits, coef: Tensor, count: Tensor, scale: float
) -> Tensor:
    """Return sum_j coef[j] 2^(-scale |x - z_j|^2) for all rows x, in float64.

    The number of columns is a multiple of `COLUMN_TILE`. The sum ends at `count`, an integer on the
    device, or a little later: coefficients that follow are zero.
    """
    n, width = rows.n, rows.width
    out = torch.empty(n, device=coef.device, dtype=torch.float64)
    shift = _rounding_shift(coef)
    arguments = (*rows.arrays, *columns.arrays, coef.float(), count, shift, out, n, scale)
    key = (str(coef.device), width)
    for tiling in [_known[key]] if key in _known else _tilings(width):
        try:
            _launch(arguments, n, width, tiling)
        except OutOfResources:
            if tiling == _TILINGS[-1]:
                raise
            continue
        _known[key] = tiling
        break
    return out


def _tilings(width: int) -> tuple[_Tiling, ...]:
    """Return the ways to cut products up, the fastest first."""
    return _TILINGS if width <= 64 else _WIDE_TILINGS if width <= 128 else _VERY_WIDE_TILINGS


def _rounding_shift(coef: Tensor) -> Tensor:
    """Return the number that leaves a multiple of its last bit when it is added and taken away.

    `COLUMN_TILE` such multiples of the size of the largest coefficient have an exact sum.
    """
    size = coef.abs().amax().float().log2_().ceil_()
    return (size + math.log2(COLUMN_TILE)).exp2_() * 1.5


def _launch(arguments: tuple[Any, ...], n: int, width: int, tiling: _Tiling) -> None:
    # Versions of Triton differ in whether they fuse a product and a sum if nobody says.
    _rbf_products[(triton.cdiv(n, tiling.rows),)](
        *arguments,
        D=width,
        STEP=tiling.step(width),
        ROWS=tiling.rows,
        COLUMNS=tiling.columns,
        num_warps=tiling.n_warps,
        num_stages=tiling.n_stages,
        enable_fp_fusion=True,
    )
