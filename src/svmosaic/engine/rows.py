"""From arrays to rows: the forms in which an engine reads samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from svmosaic.engine.kernels import KernelFunction
from svmosaic.engine.problem import (
    CallbackRows,
    CsrRows,
    DenseRows,
    DeviceTable,
    DoubleArray,
    FloatArray,
    PairwiseRows,
    Rows,
)

__all__ = ["dense_kernel_values", "make_rows", "rows_of_samples"]


def make_rows(X: Any, kernel: str | KernelFunction) -> Rows:
    """Return the validated `X` in the form that an engine reads.

    A callable kernel is asked for one column at a time.
    """
    if callable(kernel):
        return _callback_rows(X, kernel)
    if kernel == "precomputed":
        return PairwiseRows(X.values if isinstance(X, DeviceTable) else X)
    return rows_of_samples(X)


def rows_of_samples(X: Any) -> DenseRows | CsrRows | DeviceTable:
    """Return validated samples, dense or sparse, in the form that an engine reads."""
    if isinstance(X, DeviceTable):
        return X
    if sp.issparse(X):
        return CsrRows(X.data, X.indices, X.indptr, X.shape[1])
    return DenseRows(X)


def _callback_rows(X: Any, kernel: KernelFunction) -> CallbackRows:
    n_samples = X.shape[0]

    def column(j: int) -> FloatArray:
        values = dense_kernel_values(kernel(X, X[j : j + 1]))
        if values.shape != (n_samples, 1):
            raise ValueError(
                f"The kernel function must return an array of shape ({n_samples}, 1) for "
                f"{n_samples} and 1 samples. Got shape {values.shape} instead."
            )
        return values[:, 0].copy()

    # Blocks: few calls of the function, little memory for what is off the diagonal.
    block = 64
    diagonal = np.empty(n_samples)
    for begin in range(0, n_samples, block):
        part = X[begin : begin + block]
        diagonal[begin : begin + block] = np.diagonal(dense_kernel_values(kernel(part, part)))
    return CallbackRows(column, diagonal, n_samples)


def dense_kernel_values(values: Any) -> DoubleArray:
    """Return what a kernel function gave as a float64 array."""
    values = values.toarray() if sp.issparse(values) else values
    return np.asarray(values, dtype=np.float64)
