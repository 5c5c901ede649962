"""Dense samples on a device of PyTorch, in place of an array of NumPy. Needs no PyTorch itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["DeviceTable", "device_name"]

# Values that are copied to float64 at a time.
_MOST_COPIED = 1 << 26

AnyArray = npt.NDArray[Any]
DoubleArray = npt.NDArray[np.float64]
IndexArray = npt.NDArray[np.int64]


def device_name(tensor: Any) -> str:
    """Return the name of the device of a tensor, as `devices.engine_on` takes it."""
    return "torch:cpu" if tensor.device.type == "cpu" else str(tensor.device)


@dataclass(frozen=True, eq=False)
class DeviceTable:
    """A table on a device; an estimator indexes it as it does an array.

    It is both the `X` of an estimator and the rows of an engine. Lists of rows come back as arrays
    of NumPy, from the host's copy if there is one; a slice is a table on the device again.

    Attributes
    ----------
    storage : torch.Tensor of shape (n_rows, n_columns) or (n_rows + 1, n_columns)
        The values, float32 or float64. A row that follows them is zero.
    n_rows : int
        Number of samples.
    lowest, highest : float
        The least and the largest value; nan if one is nan.
    host : ndarray or None
        The same values in NumPy, where they came from there.
    """

    storage: Any
    n_rows: int
    lowest: float
    highest: float
    host: AnyArray | None = None

    @property
    def values(self) -> Any:
        """The values, a tensor of shape (n_rows, n_columns)."""
        return self.storage[: self.n_rows]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of samples and of features."""
        return self.n_rows, int(self.storage.shape[1])

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values as NumPy names it."""
        return np.dtype(np.float32 if self.storage.element_size() == 4 else np.float64)

    @property
    def device(self) -> str:
        """The name of the device, as `devices.engine_on` takes it."""
        return device_name(self.storage)

    @property
    def is_finite(self) -> bool:
        """Whether no value is nan or infinite."""
        return bool(np.isfinite(self.lowest) and np.isfinite(self.highest))

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, rows: Any) -> Any:
        if isinstance(rows, slice):
            part = self.values[rows]
            host = None if self.host is None else self.host[rows]
            return DeviceTable(part, int(part.shape[0]), self.lowest, self.highest, host)
        if self.host is not None:
            return self.host[rows]
        return self.values[rows].cpu().numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        return np.asarray(self.to_numpy(), dtype=dtype)

    def to_numpy(self) -> AnyArray:
        """Return all values in NumPy."""
        found: AnyArray = self.values.cpu().numpy() if self.host is None else self.host
        return found

    def astype(self, dtype: np.dtype[Any]) -> DeviceTable:
        """Return the table with values of this type."""
        if dtype == self.dtype:
            return self
        storage = self.storage.float() if dtype == np.float32 else self.storage.double()
        return DeviceTable(storage, self.n_rows, self.lowest, self.highest)

    def mean_and_variance(self, samples: IndexArray, weights: DoubleArray) -> tuple[float, float]:
        """Return the mean and the variance of all values of some rows, in float64."""
        n_values = float(weights.sum()) * self.shape[1]
        mean = self._weighted_sum(samples, weights, lambda part: part) / n_values
        square = self._weighted_sum(samples, weights, lambda part: (part - mean).square_())
        return mean, square / n_values

    def _weighted_sum(self, samples: IndexArray, weights: DoubleArray, change: Any) -> float:
        """Return the weighted sum of changed values of some rows."""
        step = max(1, _MOST_COPIED // max(1, self.shape[1]))
        total = 0.0
        for begin in range(0, samples.size, step):
            part = self.values[samples[begin : begin + step]].double()
            sums = change(part).sum(1)
            total += float(sums @ sums.new_tensor(weights[begin : begin + step]))
        return total
