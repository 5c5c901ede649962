"""Products of the rbf kernel matrix in one pass: nothing is written but the sums."""
# mypy: allow-untyped-defs, allow-incomplete-defs, allow-untyped-decorators

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import triton
import triton.language as tl
from triton.runtime.errors import OutOfResources

from svmosaic.engine.gpu.accelerator import Tensor

__all__ = ["finish_rbf", "rbf_products"]


@dataclass(frozen=True)
class _Tiling:
    """How many rows and columns a thread block takes at a time, and most features of both."""

    rows: int
    columns: int
    most_features: int
    n_warps: int

    def step(self, d: int) -> int:
        """Return how many of d features are taken at a time; 32 divides d."""
        return 64 if self.most_features >= 64 and d % 64 == 0 else 32


# The fastest first, measured on an H200; the last ones need least shared memory.
_TILINGS = (_Tiling(128, 128, 64, 8), _Tiling(128, 64, 64, 4), _Tiling(64, 64, 32, 4))
# The tiling that works, by device and number of features.
_known: dict[tuple[str, int], _Tiling] = {}


@triton.jit
def _rbf_products(
    rows,
    row_norms,
    columns,
    column_norms,
    numbers,
    coef,
    count,
    out,
    n_rows,
    D: tl.constexpr,
    STEP: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    PRECISION: tl.constexpr,
):
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    is_row = i < n_rows
    i64 = i.to(tl.int64)
    k = tl.arange(0, STEP)
    x_norm = tl.load(row_norms + i, mask=is_row, other=0.0)
    first = tl.load(rows + i64[:, None] * D + k[None, :], mask=is_row[:, None], other=0.0)
    total = tl.zeros((ROWS,), tl.float64)
    n_columns = tl.load(count).to(tl.int32)
    for begin in range(0, n_columns, COLUMNS):
        j = begin + tl.arange(0, COLUMNS)
        is_column = j < n_columns
        z = tl.load(columns + j[:, None] * D + k[None, :], mask=is_column[:, None], other=0.0)
        power = tl.dot(first, tl.trans(z), input_precision=PRECISION)
        for at in range(STEP, D, STEP):
            x = tl.load(
                rows + i64[:, None] * D + (at + k)[None, :], mask=is_row[:, None], other=0.0
            )
            z = tl.load(
                columns + j[:, None] * D + (at + k)[None, :], mask=is_column[:, None], other=0.0
            )
            power = tl.dot(x, tl.trans(z), power, input_precision=PRECISION)
        z_norm = tl.load(column_norms + j, mask=is_column, other=0.0)
        c = tl.load(coef + j, mask=is_column, other=0.0)
        power = tl.minimum(power + (x_norm[:, None] + z_norm[None, :]), 0.0)
        # k(x, x) is 1 exactly: rounding makes it smaller, and in a sum of squares that adds up.
        number = tl.load(numbers + j, mask=is_column, other=-1)
        power = tl.where(i64[:, None] == number[None, :], 0.0, power)
        # A few float32 numbers at a time; the long sum is float64.
        total += tl.sum(tl.exp2(power) * c[None, :], 1).to(tl.float64)
    tl.store(out + i, total, mask=is_row)


@triton.jit
def _finish_rbf(values, row_norms, column_norms, n_rows, n_columns, COLUMNS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_norm = tl.load(row_norms + row)
    norms = column_norms + (row // n_rows) * n_columns
    for begin in range(0, n_columns, COLUMNS):
        j = begin + tl.arange(0, COLUMNS)
        is_column = j < n_columns
        place = values + row * n_columns + j
        power = tl.load(place, mask=is_column, other=0.0)
        power += x_norm + tl.load(norms + j, mask=is_column, other=0.0)
        tl.store(place, tl.exp2(tl.minimum(power, 0.0)), mask=is_column)


def finish_rbf(products: Tensor, row_norms: Tensor, column_norms: Tensor) -> Tensor:
    """Turn products x'z of blocks, shape (n_blocks, n, m), into 2^(x'z + both norms), in place."""
    n_blocks, n, m = products.shape
    columns = min(1024, triton.next_power_of_2(m))
    # Versions of Triton differ in whether they fuse a product and a sum if nobody says.
    _finish_rbf[(n_blocks * n,)](
        products, row_norms, column_norms, n, m, COLUMNS=columns, enable_fp_fusion=True
    )
    return products


def rbf_products(
    rows: Tensor,
    row_norms: Tensor,
    columns: Tensor,
    column_norms: Tensor,
    numbers: Tensor,
    coef: Tensor,
    count: Tensor,
) -> Tensor:
    """Return sum_j coef[j] 2^(x'z_j + norm of x + norm of z_j) for all rows x, in float64.

    Tables are float32 with a width that is a multiple of 32; the sum ends at `count`, an integer
    on the device. `numbers` says which row a column is, -1 for none. The product is that of split
    TF32 numbers, which keep 22 bits.
    """
    n, d = rows.shape
    out = torch.empty(n, device=rows.device, dtype=torch.float64)
    arguments = (rows, row_norms, columns, column_norms, numbers, coef.float(), count, out, n)
    key = (str(rows.device), d)
    # Wide tiles are for features that are taken at once.
    fitting = [t for t in _TILINGS if t.columns <= 64 or d <= t.most_features]
    for tiling in [_known[key]] if key in _known else fitting:
        try:
            _launch(arguments, d, tiling)
        except OutOfResources:
            if tiling == fitting[-1]:
                raise
            continue
        _known[key] = tiling
        break
    return out


def _launch(arguments: tuple[Any, ...], d: int, tiling: _Tiling) -> None:
    n = arguments[-1]
    _rbf_products[(triton.cdiv(n, tiling.rows),)](
        *arguments,
        D=d,
        STEP=tiling.step(d),
        ROWS=tiling.rows,
        COLUMNS=tiling.columns,
        PRECISION="tf32x3",
        num_warps=tiling.n_warps,
        enable_fp_fusion=True,
    )
