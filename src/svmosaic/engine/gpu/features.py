"""Samples on the device: dense, or sparse and made dense some rows at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import torch

from svmosaic.engine.gpu.accelerator import Accelerator, Tensor
from svmosaic.engine.gpu.memory_plan import require_room
from svmosaic.engine.problem import CsrRows, DenseRows

__all__ = ["DenseFeatures", "Features", "SparseFeatures", "read_features"]

# Of the free memory, what a sparse table may take as a dense one.
_DENSE_SHARE = 0.2


class Features(Protocol):
    """A table of samples. One row more than there are samples is all zeros."""

    @property
    def n_rows(self) -> int:
        """Number of samples."""

    @property
    def n_columns(self) -> int:
        """Number of features."""

    @property
    def dtype(self) -> Tensor:
        """The type of the values."""

    def rows(self, index: Tensor) -> Tensor:
        """Return rows as a dense array, shape (*index.shape, n_columns)."""

    def take(self, index: Tensor) -> Features:
        """Return the table of some of the rows."""

    def mean(self) -> Tensor:
        """Return the mean of the rows."""

    def moved(self, origin: Tensor, scale: float) -> Features:
        """Return the table of (row - origin) * scale."""

    def squares(self) -> Tensor:
        """Return the sum of squares of each row in float64; zero for the row of zeros."""

    def in_float64(self) -> Features:
        """Return the same table in float64."""


def read_features(rows: DenseRows | CsrRows, place: Accelerator) -> Features:
    """Return samples on the device.

    Raises
    ------
    MemoryError
        If they do not fit.
    """
    free, item = place.free_bytes, rows.values.itemsize
    if isinstance(rows, DenseRows):
        n, d = rows.values.shape
        require_room(free, n, d, str(rows.values.dtype), item, str(place.device))
        values = torch.zeros((n + 1, d), dtype=_type_of(rows.values), device=place.device)
        values[:n] = torch.from_numpy(_writable(rows.values))
        return DenseFeatures(values)
    n, d = rows.offsets.size - 1, rows.n_columns
    sparse = SparseFeatures(
        place.tensor(rows.values),
        place.tensor(rows.columns, torch.int64),
        place.tensor(rows.offsets, torch.int64),
        d,
        torch.arange(n + 1, device=place.device),
    )
    if float(n) * d * item > _DENSE_SHARE * free:
        return sparse
    return DenseFeatures(sparse.rows(sparse.numbers))


def _type_of(values: np.ndarray) -> Tensor:
    return torch.float32 if values.dtype == np.float32 else torch.float64


def _writable(values: np.ndarray) -> np.ndarray:
    """Return values that PyTorch wraps without a warning; it never writes to them here."""
    return values if values.flags.writeable else values.copy()


@dataclass(frozen=True)
class DenseFeatures:
    """A dense table whose last row is zero."""

    values: Tensor

    @property
    def n_rows(self) -> int:
        """Number of samples."""
        return int(self.values.shape[0]) - 1

    @property
    def n_columns(self) -> int:
        """Number of features."""
        return int(self.values.shape[1])

    @property
    def dtype(self) -> Tensor:
        """The type of the values."""
        return self.values.dtype

    def rows(self, index: Tensor) -> Tensor:
        """Return rows as a dense array, shape (*index.shape, n_columns)."""
        return self.values[index]

    def take(self, index: Tensor) -> DenseFeatures:
        """Return the table of some of the rows."""
        return DenseFeatures(self.values[with_padding(index, self.n_rows)])

    def mean(self) -> Tensor:
        """Return the mean of the rows."""
        total = self.values.sum(dim=0, dtype=torch.float64)
        return (total / max(1, self.n_rows)).to(self.dtype)

    def moved(self, origin: Tensor, scale: float) -> DenseFeatures:
        """Return the table of (row - origin) * scale."""
        values = (self.values - origin).mul_(scale)
        values[-1] = 0.0
        return DenseFeatures(values)

    def squares(self) -> Tensor:
        """Return the sum of squares of each row in float64."""
        return torch.linalg.vector_norm(self.values, dim=1, dtype=torch.float64).square_()

    def in_float64(self) -> DenseFeatures:
        """Return the same table in float64."""
        return DenseFeatures(self.values.double())


@dataclass(frozen=True)
class SparseFeatures:
    """Compressed rows of which `numbers` are the rows of this table.

    The number after the last one of the compressed rows is a row of zeros.
    """

    values: Tensor
    columns: Tensor
    offsets: Tensor
    n_columns: int
    numbers: Tensor

    @property
    def n_rows(self) -> int:
        """Number of samples."""
        return int(self.numbers.numel()) - 1

    @property
    def dtype(self) -> Tensor:
        """The type of the values."""
        return self.values.dtype

    def rows(self, index: Tensor) -> Tensor:
        """Return rows as a dense array, shape (*index.shape, n_columns)."""
        wanted = self.numbers[index].flatten()
        ends = torch.cat([self.offsets, self.offsets[-1:]])
        begins = ends[wanted]
        lengths = ends[wanted + 1] - begins
        places = torch.repeat_interleave(lengths)
        first = torch.cumsum(lengths, 0) - lengths
        entries = (
            torch.arange(places.numel(), device=places.device) - first[places] + begins[places]
        )
        dense = torch.zeros(
            (wanted.numel(), self.n_columns), dtype=self.dtype, device=self.values.device
        )
        dense[places, self.columns[entries]] = self.values[entries]
        return dense.reshape(*index.shape, self.n_columns)

    def take(self, index: Tensor) -> SparseFeatures:
        """Return the table of some of the rows."""
        numbers = self.numbers[with_padding(index, self.n_rows)]
        return replace(self, numbers=numbers)

    def mean(self) -> Tensor:
        """Return zeros: sparse rows are spread around them, and stay sparse."""
        return torch.zeros(self.n_columns, dtype=self.dtype, device=self.values.device)

    def moved(self, origin: Tensor, scale: float) -> SparseFeatures:
        """Return the table of row * scale; the origin is the mean, which is zero."""
        return replace(self, values=self.values * scale)

    def squares(self) -> Tensor:
        """Return the sum of squares of each row in float64."""
        n = self.offsets.numel() - 1
        of_entry = torch.repeat_interleave(self.offsets.diff())
        sums = torch.zeros(n + 1, dtype=torch.float64, device=self.values.device)
        sums.index_add_(0, of_entry, self.values.double().square())
        return sums[self.numbers]

    def in_float64(self) -> SparseFeatures:
        """Return the same table in float64."""
        return replace(self, values=self.values.double())


def with_padding(index: Tensor, padding: int) -> Tensor:
    """Return the index with the row of zeros at its end."""
    return torch.cat([index, index.new_full((1,), padding)])
