"""Samples on the device: dense, or sparse and made dense some rows at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import torch

from svmosaic.engine.gpu.accelerator import Accelerator, Tensor
from svmosaic.engine.gpu.device_table import DeviceTable
from svmosaic.engine.gpu.memory_plan import require_room
from svmosaic.engine.problem import CsrRows, DenseRows

__all__ = ["DenseFeatures", "Features", "SparseFeatures", "read_features", "read_table"]

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

    def mean(self, index: Tensor | None = None) -> Tensor:
        """Return the mean of some of the rows, or of all."""

    def moved(self, origin: Tensor, scale: float) -> Features:
        """Return the table of (row - origin) * scale."""

    def squares(self) -> Tensor:
        """Return the sum of squares of each row in float64; zero for the row of zeros."""

    def in_float64(self) -> Features:
        """Return the same table in float64."""


def read_table(values: Any, place: Accelerator, *, has_padding: bool = True) -> DeviceTable:
    """Return a dense table on the device.

    Parameters
    ----------
    values : ndarray or torch.Tensor of shape (n_rows, n_columns)
        The table. An array must be float32 or float64; a tensor of another type becomes float64.
    place : Accelerator
        The device.
    has_padding : bool
        Whether a row of zeros follows, as the samples of a solver need it. Without, a tensor that
        is on the device already is not copied.

    Raises
    ------
    MemoryError
        If it does not fit.
    """
    host = values if isinstance(values, np.ndarray) else None
    source = values.detach() if host is None else torch.from_numpy(_writable(host))
    dtype = torch.float32 if source.dtype == torch.float32 else torch.float64
    n, d = source.shape
    if has_padding:
        name = str(dtype).removeprefix("torch.")
        require_room(place.free_bytes, n, d, name, dtype.itemsize, str(place.device))
        storage = torch.empty((n + 1, d), dtype=dtype, device=place.device)
        storage[:n] = source
        storage[n:].zero_()
    else:
        storage = source.to(place.device, dtype).contiguous()
    # One pass tells whether all values are finite and how large they are.
    lowest, highest = torch.stack(torch.aminmax(storage[:n])).tolist()
    return DeviceTable(storage, n, lowest, highest, host)


def read_features(rows: DenseRows | CsrRows | DeviceTable, place: Accelerator) -> Features:
    """Return samples on the device.

    Raises
    ------
    MemoryError
        If they do not fit.
    """
    if isinstance(rows, DeviceTable):
        storage = rows.storage.to(place.device)
        is_padded = storage.shape[0] > rows.n_rows
        pad = torch.nn.functional.pad
        return DenseFeatures(storage if is_padded else pad(storage, (0, 0, 0, 1)))
    if isinstance(rows, DenseRows):
        return DenseFeatures(read_table(rows.values, place).storage)
    free, item = place.free_bytes, rows.values.itemsize
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

    def mean(self, index: Tensor | None = None) -> Tensor:
        """Return the mean of some of the rows, or of all."""
        if index is None:
            # The last row is zero.
            total, n = self.values.sum(dim=0, dtype=torch.float64), self.n_rows
        else:
            parts = (self.values[part].sum(0, dtype=torch.float64) for part in index.split(1 << 18))
            total, n = sum(parts, start=torch.zeros((), device=index.device)), index.numel()
        return (total / max(1, n)).to(self.dtype)

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

    def mean(self, index: Tensor | None = None) -> Tensor:
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
