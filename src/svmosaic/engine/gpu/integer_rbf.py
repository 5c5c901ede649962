"""The rbf kernel of float32 samples on a GPU, from products of integers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch

from svmosaic.engine.gpu.accelerator import Accelerator, Tensor
from svmosaic.engine.gpu.digits import Digits, step_for
from svmosaic.engine.gpu.features import DenseFeatures, Features, with_padding
from svmosaic.engine.kernels import KernelSpec

__all__ = ["LARGEST_NORM", "IntegerRbf", "integer_pair", "integer_rbf", "rbf_scale"]

# Exponents of rbf are differences of numbers as large as half the squared norms. In float32 they
# are right to about 1e-7 of that; with larger norms the samples are taken as float64.
LARGEST_NORM = 256.0
# Wider tables are multiplied by PyTorch.
_MOST_FEATURES = 1024


def rbf_scale(gamma: float) -> float:
    """Return the factor of features for which the kernel is 2^(-|x - z|^2 / 2)."""
    return math.sqrt(2.0 * gamma / math.log(2.0))


def integer_rbf(
    features: Features, kernel: KernelSpec, place: Accelerator, origin: Tensor
) -> IntegerRbf | None:
    """Return the kernel of a table, or None if integers cannot represent its samples.

    Samples are taken from `origin`, which had best be in their middle.
    """
    tables = _tables(kernel, place, origin, features)
    return None if tables is None else tables[0]


def integer_pair(
    left: Features, right: Features, kernel: KernelSpec, place: Accelerator
) -> tuple[IntegerRbf, IntegerRbf] | None:
    """Return two tables whose `products_with` go together, or None."""
    tables = _tables(kernel, place, right.mean(), left, right)
    return None if tables is None else (tables[0], tables[1])


def _tables(
    kernel: KernelSpec, place: Accelerator, origin: Tensor, *tables: Features
) -> list[IntegerRbf] | None:
    if not place.use_triton or kernel.kind != "rbf":
        return None
    scale = rbf_scale(kernel.gamma)
    figures, dense = [], []
    for table in tables:
        if (
            not isinstance(table, DenseFeatures)
            or table.dtype != torch.float32
            or table.n_columns > _MOST_FEATURES
        ):
            return None
        dense.append(table.values)
        moved = table.moved(origin, scale).values
        figures += [moved.square().sum(dim=1).amax(), moved.abs().amax()]
    figures = torch.stack(figures).tolist()
    square, largest = max(figures[::2]), max(figures[1::2])
    # Not a number is not small.
    if not square <= 2.0 * LARGEST_NORM:
        return None
    step = step_for(largest, math.sqrt(square), origin.numel())
    return [IntegerRbf(Digits.of(rows, origin, scale / step), 0.5 * step**2) for rows in dense]


@dataclass(frozen=True)
class IntegerRbf:
    """Kernel values between samples, 2^(-scale |x - z|^2); a form of `KernelValues`.

    Attributes
    ----------
    rows : Digits
        The samples, moved and scaled; the last row is zero.
    scale : float
        Half the square of the step of the digits.
    """

    rows: Digits
    scale: float

    @property
    def n(self) -> int:
        """Number of samples."""
        return self.rows.n - 1

    @property
    def dtype(self) -> Any:
        """The type of the kernel values."""
        return torch.float32

    @property
    def diagonal(self) -> Tensor:
        """k(x, x) of all samples and the padding."""
        return torch.ones_like(self.rows.wholes)

    def take(self, index: Tensor) -> IntegerRbf:
        """Return the matrix of some of the samples."""
        return IntegerRbf(self.rows.take(with_padding(index, self.n)), self.scale)

    def blocks(self, index: Tensor) -> Tensor:
        """Return the matrices of samples named by rows of `index`, shape (n_blocks, m, m)."""
        from svmosaic.engine.gpu.triton_products import rbf_blocks

        return rbf_blocks(self.rows, index, self.scale)

    def products(self, columns: Tensor, coef: Tensor, count: Tensor) -> Tensor:
        """Return K[:, columns[:count]] @ coef[:count] in float64; `count` is on the device."""
        return self.products_with(self, columns, coef, count)

    def products_with(
        self, other: IntegerRbf, columns: Tensor, coef: Tensor, count: Tensor
    ) -> Tensor:
        """Return sums over columns that are rows of another table of `integer_pair`."""
        from svmosaic.engine.gpu.triton_products import COLUMN_TILE, rbf_products

        n_more = -columns.numel() % COLUMN_TILE
        columns = torch.nn.functional.pad(columns, (0, n_more), value=other.n)
        coef = torch.nn.functional.pad(coef, (0, n_more))
        return rbf_products(self.rows, other.rows.take(columns), coef, count, self.scale)

    def points(self) -> Tensor:
        """Return the samples, which neighbours are found by; two digits will do."""
        return self.rows.high[:-1].float().mul_(256.0).add_(self.rows.middle[:-1])
