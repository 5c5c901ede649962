"""Scalers that a model carries with it: each one's statistics are those of its own training."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from svmosaic.engine import cpu
from svmosaic.engine.problem import DenseRows, DoubleArray, FloatArray

__all__ = ["FloatTable", "Scaler", "standardise", "to_unit_range"]

# Half the memory, and twice the samples per vector register.
FloatTable = npt.NDArray[np.float32]
# The square of a smaller deviation has lost digits.
_LEAST_SURE = 1e-140
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Scaler:
    """``(x - offset) / scale``, feature by feature."""

    offset: DoubleArray
    scale: DoubleArray

    def __call__(self, X: FloatArray) -> FloatTable:
        """Return scaled samples."""
        return cpu.scale_features(_rows(X), self.offset, self.scale)


def to_unit_range(X: FloatArray) -> Scaler:
    """Return the scaler that takes the features of `X` to [0, 1]."""
    low = X.min(axis=0).astype(np.float64)
    return Scaler(low, _no_zeros(X.max(axis=0) - low))


def standardise(X: FloatArray) -> Scaler:
    """Return the scaler that gives the features of `X` mean 0 and variance 1."""
    mean, deviation = cpu.feature_moments(_rows(X))
    # Of very large and of very small features, squares leave the range of the numbers; and the
    # deviation of a feature that does not vary may be what rounding leaves.
    sure = np.maximum(_LEAST_SURE, _ROUNDING * np.abs(mean))
    for j in np.flatnonzero(~((deviation > sure) & np.isfinite(deviation))):
        mean[j], deviation[j] = _moments_of_any_size(X[:, j])
    return Scaler(mean, _no_zeros(deviation))


def _moments_of_any_size(values: FloatArray) -> tuple[float, float]:
    """Return mean and standard deviation; 0 for values that are all equal."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        return low, 0.0
    largest = max(abs(low), abs(high))
    shares = values.astype(np.float64) / largest
    middle = float(shares.mean())
    shares -= middle
    furthest = float(np.abs(shares).max())
    return largest * middle, largest * (furthest * float((shares / furthest).std()))


def _rows(X: FloatArray) -> DenseRows:
    return DenseRows(np.ascontiguousarray(X))


def _no_zeros(scale: DoubleArray) -> DoubleArray:
    """Return 1 for features that do not vary."""
    return np.where(scale > 0.0, scale, 1.0).astype(np.float64)
