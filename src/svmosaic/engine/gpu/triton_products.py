"""The rbf kernel from products of split numbers: sums in one pass, and blocks.

A float32 number is the sum of two float16 numbers, high and low, but for about 2^-24 of its size
or 2^-25, whichever is more. Three products of the halves on matrix units, summed in float32, stand
for one product of float32 numbers; the fourth, low times low, is too small to count. They are cut
off instead of rounded on the way, so that products come out too small. `self_products` are wrong
in the same way: with norms made of them, the errors of close samples cancel, and k(x, x) is 1.
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

__all__ = ["COLUMN_TILE", "rbf_blocks", "rbf_products", "self_products", "split_width"]

# Most columns that are taken at a time; tables of columns are multiples of it.
COLUMN_TILE = 128
_BLOCK_TILE = 64
# Most features that are taken at a time.
_MOST_FEATURES = 64


@dataclass(frozen=True)
class _Tiling:
    """How many rows and columns a thread block takes at a time."""

    rows: int
    columns: int
    n_warps: int
    n_stages: int


# The fastest first, measured on an H200; the last one needs least shared memory.
_TILINGS = (_Tiling(128, 128, 8, 3), _Tiling(128, 64, 4, 3), _Tiling(64, 64, 4, 2))
# The tiling that works, by device and number of features.
_known: dict[tuple[str, int], _Tiling] = {}


def split_width(n_features: int) -> int:
    """Return the width of a table of halves: a power of 2 up to 64, else a multiple of 32."""
    if n_features <= _MOST_FEATURES:
        return max(16, int(triton.next_power_of_2(n_features)))
    return -(-n_features // 32) * 32


def _step(width: int) -> int:
    """Return how many features are taken at a time."""
    return width if width <= _MOST_FEATURES else 64 if width % 64 == 0 else 32


@triton.jit
def _add_products(power, x_high, x_low, z_high, z_low):
    power = tl.dot(x_low, tl.trans(z_high), power)
    power = tl.dot(x_high, tl.trans(z_low), power)
    return tl.dot(x_high, tl.trans(z_high), power)


@triton.jit
def _products_of_tiles(
    first_high,
    first_low,
    row_high,
    row_low,
    column_high,
    column_low,
    i,
    j,
    D: tl.constexpr,
    STEP: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    """Return x'z for the rows i and the columns j; the first features of the rows are given."""
    k = tl.arange(0, STEP)
    at_row = i[:, None] * D + k[None, :]
    at_column = j[:, None] * D + k[None, :]
    z_high = tl.load(column_high + at_column)
    z_low = tl.load(column_low + at_column)
    power = tl.zeros((ROWS, COLUMNS), tl.float32)
    power = _add_products(power, first_high, first_low, z_high, z_low)
    for at in range(STEP, D, STEP):
        x_high = tl.load(row_high + at_row + at)
        x_low = tl.load(row_low + at_row + at)
        z_high = tl.load(column_high + at_column + at)
        z_low = tl.load(column_low + at_column + at)
        power = _add_products(power, x_high, x_low, z_high, z_low)
    return power


@triton.jit
def _rbf_products(
    row_high,
    row_low,
    row_norms,
    column_high,
    column_low,
    column_norms,
    coef,
    count,
    shift,
    out,
    n_rows,
    D: tl.constexpr,
    STEP: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    number = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    # Rows beyond the last one are the last one.
    i = tl.minimum(number, n_rows - 1).to(tl.int64)
    k = tl.arange(0, STEP)
    first_high = tl.load(row_high + i[:, None] * D + k[None, :])
    first_low = tl.load(row_low + i[:, None] * D + k[None, :])
    x_norm = tl.load(row_norms + i)
    total = tl.zeros((ROWS,), tl.float64)
    n_columns = tl.load(count).to(tl.int32)
    unit = tl.load(shift)
    for begin in range(0, n_columns, COLUMNS):
        j = begin + tl.arange(0, COLUMNS).to(tl.int64)
        power = _products_of_tiles(
            first_high,
            first_low,
            row_high,
            row_low,
            column_high,
            column_low,
            i,
            j,
            D,
            STEP,
            ROWS,
            COLUMNS,
        )
        z_norm = tl.load(column_norms + j)
        c = tl.load(coef + j)
        value = tl.exp2(power + (x_norm[:, None] + z_norm[None, :]))
        # Large coefficients of both signs all but cancel. A term is cut into a multiple of a unit,
        # whose float32 sums are exact, and a small rest; the long sum is float64.
        whole = tl.fma(value, c[None, :], unit) - unit
        rest = tl.fma(value, c[None, :], -whole)
        total += tl.sum(whole, 1).to(tl.float64) + tl.sum(rest, 1).to(tl.float64)
    tl.store(out + number, total, mask=number < n_rows)


@triton.jit
def _self_products(high, low, out, n_rows, D: tl.constexpr, STEP: tl.constexpr, ROWS: tl.constexpr):
    number = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    i = tl.minimum(number, n_rows - 1).to(tl.int64)
    k = tl.arange(0, STEP)
    first_high = tl.load(high + i[:, None] * D + k[None, :])
    first_low = tl.load(low + i[:, None] * D + k[None, :])
    product = _products_of_tiles(
        first_high, first_low, high, low, high, low, i, i, D, STEP, ROWS, ROWS
    )
    row = tl.arange(0, ROWS)
    product = tl.sum(tl.where(row[:, None] == row[None, :], product, 0.0), 1)
    tl.store(out + number, product, mask=number < n_rows)


@triton.jit
def _rbf_blocks(
    high,
    low,
    norms,
    index,
    out,
    m,
    D: tl.constexpr,
    STEP: tl.constexpr,
    TILE: tl.constexpr,
):
    p = tl.program_id(2).to(tl.int64)
    a = tl.program_id(1) * TILE + tl.arange(0, TILE)
    b = tl.program_id(0) * TILE + tl.arange(0, TILE)
    i = tl.load(index + p * m + tl.minimum(a, m - 1))
    j = tl.load(index + p * m + tl.minimum(b, m - 1))
    k = tl.arange(0, STEP)
    first_high = tl.load(high + i[:, None] * D + k[None, :])
    first_low = tl.load(low + i[:, None] * D + k[None, :])
    power = _products_of_tiles(
        first_high, first_low, high, low, high, low, i, j, D, STEP, TILE, TILE
    )
    power += tl.load(norms + i)[:, None] + tl.load(norms + j)[None, :]
    place = out + (p * m + a[:, None]) * m + b[None, :]
    is_inside = (a[:, None] < m) & (b[None, :] < m)
    tl.store(place, tl.exp2(tl.minimum(power, 0.0)), mask=is_inside)


def self_products(high: Tensor, low: Tensor) -> Tensor:
    """Return x'x of all rows x, with the errors that products with other rows have."""
    n, width = high.shape
    out = torch.empty(n, device=high.device, dtype=torch.float32)
    _self_products[(triton.cdiv(n, _BLOCK_TILE),)](
        high, low, out, n, D=width, STEP=_step(width), ROWS=_BLOCK_TILE, num_warps=4
    )
    return out


def rbf_blocks(high: Tensor, low: Tensor, norms: Tensor, index: Tensor) -> Tensor:
    """Return 2^(x'z + both norms) for all pairs of rows that a row of `index` names.

    The result has shape (n_blocks, m, m) for an index of shape (n_blocks, m).
    """
    n_blocks, m = index.shape
    width = high.shape[1]
    out = torch.empty((n_blocks, m, m), device=high.device, dtype=torch.float32)
    n_tiles = triton.cdiv(m, _BLOCK_TILE)
    _rbf_blocks[(n_tiles, n_tiles, n_blocks)](
        high, low, norms, index, out, m, D=width, STEP=_step(width), TILE=_BLOCK_TILE, num_warps=4
    )
    return out


def rbf_products(
    rows: tuple[Tensor, Tensor, Tensor],
    columns: tuple[Tensor, Tensor, Tensor],
    coef: Tensor,
    count: Tensor,
) -> Tensor:
    """Return sum_j coef[j] 2^(x'z_j + norm of x + norm of z_j) for all rows x, in float64.

    Rows and columns are halves and norms. The number of columns is a multiple of `COLUMN_TILE`; the
    sum ends at `count`, an integer on the device, or a little later: coefficients that follow are
    zero.
    """
    n, width = rows[0].shape
    out = torch.empty(n, device=rows[0].device, dtype=torch.float64)
    arguments = (*rows, *columns, coef.float(), count, _rounding_shift(coef), out, n)
    key = (str(rows[0].device), width)
    for tiling in [_known[key]] if key in _known else _TILINGS:
        try:
            _launch(arguments, n, width, tiling)
        except OutOfResources:
            if tiling == _TILINGS[-1]:
                raise
            continue
        _known[key] = tiling
        break
    return out


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
        STEP=_step(width),
        ROWS=tiling.rows,
        COLUMNS=tiling.columns,
        num_warps=tiling.n_warps,
        num_stages=tiling.n_stages,
        enable_fp_fusion=True,
    )
