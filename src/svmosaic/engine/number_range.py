"""Kernels whose arithmetic leaves the range of the numbers are refused before the core runs."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import CsrRows, DenseRows, DeviceTable, Rows

__all__ = ["require_gamma", "require_grid", "require_kernel", "require_squares"]


def require_kernel(rows: Rows, kernel: KernelSpec) -> None:
    """Raise if distances between the rows, or gamma, leave the range of the rows' numbers."""
    require_grid(rows, kernel, [kernel.gamma])


def require_grid(rows: Rows, kernel: KernelSpec, gammas: Iterable[float]) -> None:
    """Do as `require_kernel` does, for several gammas."""
    for gamma in gammas:
        require_gamma(rows, kernel, gamma)
    if kernel.kind == "rbf" and isinstance(rows, DenseRows | CsrRows | DeviceTable):
        require_squares(rows)


def require_gamma(rows: Rows, kernel: KernelSpec, gamma: float) -> None:
    """Raise if gamma, or gamma / ln 2, is zero or infinite in the precision of the rows.

    The core computes exp(-gamma d) as a power of two.
    """
    if not kernel.uses_gamma or not isinstance(rows, DenseRows | CsrRows | DeviceTable):
        return
    dtype = rows.dtype if isinstance(rows, DeviceTable) else rows.values.dtype
    least, most = _gammas_of(dtype)
    if not least <= gamma <= most:
        raise ValueError(
            f"gamma is {gamma:.3g}, which {np.dtype(dtype)} cannot hold. Scale the features or "
            "give another gamma."
        )


@functools.cache
def _gammas_of(dtype: Any) -> tuple[float, float]:
    """Return the least and the largest gamma. Kept: predictions of few samples ask as well."""
    limits = np.finfo(dtype)
    return float(limits.tiny), math.log(2.0) * float(limits.max)


def require_squares(rows: DenseRows | CsrRows | DeviceTable) -> None:
    """Raise if squared distances between the rows leave the range of their numbers."""
    if isinstance(rows, DeviceTable):
        n_features, largest = rows.shape[1], max(rows.highest, -rows.lowest)
        limits = np.finfo(rows.dtype)
    else:
        values = rows.values
        if values.size == 0:
            return
        n_features = values.shape[1] if isinstance(rows, DenseRows) else rows.n_columns
        largest = max(float(values.max()), -float(values.min()))
        limits = np.finfo(values.dtype)
    # Differences reach twice the largest value; a squared distance sums their squares.
    if largest > math.sqrt(float(limits.max) / (4.0 * n_features)):
        raise ValueError(
            f"Features reach {largest:.3g}, and {limits.dtype} cannot hold the squares of their "
            "differences. Scale the features."
        )
