"""The rbf kernel of float32 samples on a GPU, from products of split numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch

from svmosaic.engine.gpu.accelerator import Accelerator, Tensor
from svmosaic.engine.gpu.features import DenseFeatures, Features, with_padding
from svmosaic.engine.kernels import KernelSpec

__all__ = ["LARGEST_NORM", "SplitRbf", "can_split", "rbf_scale"]

# Exponents of rbf are differences of numbers as large as half the squared norms. In float32 they
# are right to about 1e-7 of that; with larger norms the samples are taken as float64.
LARGEST_NORM = 256.0
# Wider tables are multiplied by PyTorch.
_MOST_FEATURES = 1024


def rbf_scale(gamma: float) -> float:
    """Return the factor of features for which the kernel is 2^(-|x - z|^2 / 2)."""
    return math.sqrt(2.0 * gamma / math.log(2.0))


def can_split(features: Features, kernel: KernelSpec, place: Accelerator) -> bool:
    """Return whether the kernel of these samples can be computed from split numbers.

    Their norms, which take a look at all of them, may still be too large.
    """
    return (
        place.use_triton
        and kernel.kind == "rbf"
        and isinstance(features, DenseFeatures)
        and features.dtype == torch.float32
        and features.n_columns <= _MOST_FEATURES
    )


@dataclass(frozen=True)
class SplitRbf:
    """Kernel values between samples, 2^(x'z + norm of x + norm of z); a form of `KernelValues`.

    Attributes
    ----------
    high, low : Tensor of float16, shape (n + 1, width)
        Samples as sums of two numbers, moved and scaled; the last row is zero.
    norms : Tensor of float32, shape (n + 1,)
        Half the products of rows with themselves, with the sign changed.
    """

    high: Tensor
    low: Tensor
    norms: Tensor

    @classmethod
    def of(
        cls, features: DenseFeatures, kernel: KernelSpec, origin: Tensor = None
    ) -> SplitRbf | None:
        """Return the kernel of a table, or None if its norms are too large for float32.

        `origin` is the mean if it is not given.
        """
        from svmosaic.engine.gpu.triton_products import self_products, split_width

        origin = features.mean() if origin is None else origin
        moved = features.moved(origin, rbf_scale(kernel.gamma)).values
        if float(moved.square().sum(dim=1).amax()) > 2.0 * LARGEST_NORM:
            return None
        n_more = split_width(moved.shape[1]) - moved.shape[1]
        moved = torch.nn.functional.pad(moved, (0, n_more))
        high = moved.half()
        low = moved.sub_(high).half()
        return cls(high, low, -0.5 * self_products(high, low))

    @property
    def n(self) -> int:
        """Number of samples."""
        return int(self.high.shape[0]) - 1

    @property
    def dtype(self) -> Any:
        """The type of the kernel values."""
        return torch.float32

    @property
    def diagonal(self) -> Tensor:
        """k(x, x) of all samples and the padding."""
        return torch.ones_like(self.norms)

    def take(self, index: Tensor) -> SplitRbf:
        """Return the matrix of some of the samples."""
        return SplitRbf(*self._rows(with_padding(index, self.n)))

    def blocks(self, index: Tensor) -> Tensor:
        """Return the matrices of samples named by rows of `index`, shape (n_blocks, m, m)."""
        from svmosaic.engine.gpu.triton_products import rbf_blocks

        return rbf_blocks(self.high, self.low, self.norms, index)

    def products(self, columns: Tensor, coef: Tensor, count: Tensor) -> Tensor:
        """Return K[:, columns[:count]] @ coef[:count] in float64; `count` is on the device."""
        return self.products_with(self, columns, coef, count)

    def products_with(
        self, other: SplitRbf, columns: Tensor, coef: Tensor, count: Tensor
    ) -> Tensor:
        """Return sums over columns that are rows of another table with the same origin."""
        from svmosaic.engine.gpu.triton_products import COLUMN_TILE, rbf_products

        n_more = -columns.numel() % COLUMN_TILE
        columns = torch.nn.functional.pad(columns, (0, n_more), value=other.n)
        coef = torch.nn.functional.pad(coef, (0, n_more))
        return rbf_products((self.high, self.low, self.norms), other._rows(columns), coef, count)

    def points(self) -> Tensor:
        """Return the samples, which neighbours are found by."""
        return self.high[:-1].float()

    def _rows(self, index: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.high[index], self.low[index], self.norms[index]
