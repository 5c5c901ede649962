"""Kernel values on the device: square blocks, and products of the kernel matrix by tiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import torch

from svmosaic.engine.gpu.accelerator import Accelerator, Tensor
from svmosaic.engine.gpu.features import DenseFeatures, Features, read_features, with_padding
from svmosaic.engine.gpu.integer_rbf import LARGEST_NORM, integer_rbf, rbf_scale
from svmosaic.engine.gpu.memory_plan import tile_rows
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import CallbackRows, IndexArray, PairwiseRows, Rows

__all__ = ["KernelValues", "SampleKernel", "kernel_values", "pairwise_values"]


class KernelValues(Protocol):
    """The kernel matrix K of some samples, computed where it is needed.

    Its indices go one further than there are samples: that last row is padding and fills up blocks.
    """

    @property
    def n(self) -> int:
        """Number of samples."""

    @property
    def dtype(self) -> Any:
        """The type of the kernel values."""

    @property
    def diagonal(self) -> Tensor:
        """k(x, x) of all samples and the padding."""

    def take(self, index: Tensor) -> KernelValues:
        """Return the matrix of some of the samples."""

    def blocks(self, index: Tensor) -> Tensor:
        """Return the matrices of samples named by rows of `index`, shape (n_blocks, m, m)."""

    def products(self, columns: Tensor, coef: Tensor, count: Tensor) -> Tensor:
        """Return K[:, columns[:count]] @ coef[:count] in float64; `count` is on the device."""

    def points(self) -> Tensor | None:
        """Return samples whose neighbours have large kernel values; None if there are no such."""


def kernel_values(
    rows: Rows, kernel: KernelSpec, place: Accelerator, samples: IndexArray | None = None
) -> KernelValues:
    """Return the kernel matrix of all rows of a table.

    `samples` are those in use; copies of them must not change anything.
    """
    if isinstance(rows, PairwiseRows):
        return PairwiseKernel(place.tensor(rows.values))
    if isinstance(rows, CallbackRows):
        raise ValueError(
            "A kernel that is a Python function runs on the CPU only; use device=None, or pass a "
            "precomputed kernel matrix."
        )
    features = read_features(rows, place)
    if kernel.kind != "rbf":
        return SampleKernel.of(features, kernel, place)
    origin = features.mean(None if samples is None else place.tensor(samples))
    found = integer_rbf(features, kernel, place, origin)
    return SampleKernel.of(features, kernel, place, origin) if found is None else found


@dataclass(frozen=True)
class SampleKernel:
    """Kernel values between samples.

    Attributes
    ----------
    features : Features
        The samples; for rbf, moved to their mean and scaled, so that the kernel value is
        2^(x'z + norm of x + norm of z).
    norms : Tensor
        For rbf, half the squares of the rows with the sign changed; else empty.
    kernel : KernelSpec
        The kernel.
    place : Accelerator
        Where it is computed.
    """

    features: Features
    norms: Tensor
    kernel: KernelSpec
    place: Accelerator

    @classmethod
    def of(
        cls, features: Features, kernel: KernelSpec, place: Accelerator, origin: Tensor = None
    ) -> SampleKernel:
        """Return the kernel values of a table; `origin` is its mean if it is not given."""
        nothing = torch.empty(0, device=place.device)
        if kernel.kind != "rbf":
            return cls(features, nothing, kernel, place)
        scale = rbf_scale(kernel.gamma)
        moved = features.moved(features.mean() if origin is None else origin, scale)
        norms = -0.5 * moved.squares()
        if features.dtype == torch.float32 and float(norms.min()) < -LARGEST_NORM:
            return cls.of(features.in_float64(), kernel, place, origin)
        return cls(moved, norms.to(moved.dtype), kernel, place)

    @property
    def n(self) -> int:
        """Number of samples."""
        return self.features.n_rows

    @property
    def dtype(self) -> Any:
        """The type of the kernel values."""
        return self.features.dtype

    @property
    def diagonal(self) -> Tensor:
        """k(x, x) of all samples and the padding."""
        kernel = self.kernel
        if kernel.kind in ("rbf", "laplacian"):
            return torch.ones(self.n + 1, dtype=self.dtype, device=self.place.device)
        squares = self.features.squares()
        return _of_products(kernel, squares).to(self.dtype)

    def take(self, index: Tensor) -> SampleKernel:
        """Return the matrix of some of the samples."""
        norms = self.norms[with_padding(index, self.n)] if self.norms.numel() else self.norms
        return SampleKernel(self.features.take(index), norms, self.kernel, self.place)

    def blocks(self, index: Tensor) -> Tensor:
        """Return the matrices of samples named by rows of `index`, shape (n_blocks, m, m)."""
        samples, norms = self.columns(index)
        return self.values((samples, norms), (samples, norms))

    def products(self, columns: Tensor, coef: Tensor, count: Tensor) -> Tensor:
        """Return K[:, columns[:count]] @ coef[:count] in float64; `count` is on the device."""
        known = int(count)
        return self.sums(self.columns(columns[:known]), coef[:known, None])[:, 0]

    def columns(self, index: Tensor) -> tuple[Tensor, Tensor]:
        """Return samples and their norms, dense."""
        return self.features.rows(index), self.norms[index] if self.norms.numel() else None

    def values(self, left: tuple[Tensor, Tensor], right: tuple[Tensor, Tensor]) -> Tensor:
        """Return the kernel values of all pairs of samples, shape (..., n_left, n_right)."""
        return _values(self.kernel, *left, *right)

    def sums(self, columns: tuple[Tensor, Tensor], coef: Tensor) -> Tensor:
        """Return K @ coef in float64 for samples of another table as columns, tile by tile.

        `coef` has shape (n_columns, n_outputs).
        """
        samples, _ = columns
        out = torch.zeros((self.n + 1, coef.shape[1]), dtype=torch.float64, device=coef.device)
        item = samples.element_size() + 8
        step = tile_rows(self.place.free_bytes, samples.shape[0] + samples.shape[1], item)
        for begin in range(0, self.n, step):
            index = torch.arange(begin, min(begin + step, self.n), device=coef.device)
            values = self.values(self.columns(index), columns)
            out[begin : begin + index.numel()] = values.double() @ coef
        return out

    def points(self) -> Tensor | None:
        """Return the samples if their neighbours have large kernel values."""
        if self.kernel.kind not in ("rbf", "laplacian"):
            return None
        return self.features.values[:-1] if isinstance(self.features, DenseFeatures) else None


@dataclass(frozen=True)
class PairwiseKernel:
    """Kernel values that were given; `numbers` are the samples that take part."""

    values: Tensor
    numbers: Tensor = None

    @property
    def n(self) -> int:
        """Number of samples."""
        return int(self.values.shape[0]) if self.numbers is None else int(self.numbers.numel())

    @property
    def dtype(self) -> Any:
        """The type of the kernel values."""
        return self.values.dtype

    @property
    def diagonal(self) -> Tensor:
        """k(x, x) of all samples and the padding."""
        known = self.values.diagonal()
        known = known if self.numbers is None else known[self.numbers]
        return torch.cat([known, known.new_ones(1)])

    def take(self, index: Tensor) -> PairwiseKernel:
        """Return the matrix of some of the samples."""
        return PairwiseKernel(self.values, index if self.numbers is None else self.numbers[index])

    def blocks(self, index: Tensor) -> Tensor:
        """Return the matrices of samples named by rows of `index`, shape (n_blocks, m, m)."""
        rows = self._rows(index)
        return self.values[rows[:, :, None], rows[:, None, :]]

    def products(self, columns: Tensor, coef: Tensor, count: Tensor) -> Tensor:
        """Return K[:, columns[:count]] @ coef[:count] in float64; `count` is on the device."""
        known = int(count)
        rows = self._rows(columns[:known])
        # Rows of a symmetric matrix are its columns, and lie together.
        sums = coef[:known] @ self.values[rows].double()
        sums = sums if self.numbers is None else sums[self.numbers]
        return torch.cat([sums, sums.new_zeros(1)])

    def _rows(self, index: Tensor) -> Tensor:
        # The padding never moves, so that any value will do.
        index = index.clamp(max=self.n - 1)
        return index if self.numbers is None else self.numbers[index]

    def points(self) -> Tensor | None:
        """Return None: there are no samples."""
        return None


def pairwise_values(
    left: Features, right: Features, kernel: KernelSpec, place: Accelerator
) -> tuple[SampleKernel, SampleKernel]:
    """Return two tables whose `columns` and `sums` go together: they have one origin and type."""
    origin = right.mean() if kernel.kind == "rbf" else None
    first, second = (SampleKernel.of(f, kernel, place, origin) for f in (left, right))
    if first.dtype == second.dtype:
        return first, second
    wide = [SampleKernel.of(f.in_float64(), kernel, place, origin) for f in (left, right)]
    return wide[0], wide[1]


def _values(
    kernel: KernelSpec, left: Tensor, left_norms: Tensor, right: Tensor, right_norms: Tensor
) -> Tensor:
    """Return the kernel values of all pairs of samples, shape (..., n_left, n_right)."""
    if kernel.kind == "laplacian":
        return torch.cdist(left, right, p=1.0).mul_(-kernel.gamma).exp_()
    products = left @ right.transpose(-1, -2)
    if kernel.kind == "rbf":
        products += left_norms.unsqueeze(-1)
        products += right_norms.unsqueeze(-2)
        return products.clamp_(max=0.0).exp2_()
    return _of_products(kernel, products)


def _of_products(kernel: KernelSpec, products: Tensor) -> Tensor:
    if kernel.kind == "linear":
        return products
    values = products.mul_(kernel.gamma).add_(kernel.coef0)
    return values.tanh_() if kernel.kind == "sigmoid" else values.pow_(kernel.degree)
