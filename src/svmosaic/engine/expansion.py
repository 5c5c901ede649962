"""KernelExpansion: what every fitted model of the library is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csr_array

from svmosaic.engine.gpu.devices import is_device_name, is_usable
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import (
    Coefficients,
    DeviceTable,
    DoubleArray,
    IndexArray,
    PairwiseRows,
    Rows,
)
from svmosaic.engine.protocol import engine_for
from svmosaic.engine.rows import dense_kernel_values, rows_of_samples
from svmosaic.utils.validation import canonical_csr, match_form

__all__ = ["KernelExpansion", "kernel_matrix"]

# Rows for which a kernel function is asked at once.
_FUNCTION_ROWS = 512


@dataclass(frozen=True, eq=False)
class KernelExpansion:
    """Functions over shared vectors, f_o(x) = sum_j coefficient(j, o) k(vector_j, x) + intercept_o.

    Attributes
    ----------
    kernel : KernelSpec
        The kernel, with all of its parameters.
    vectors : {ndarray, csr_array} of shape (n_vectors, n_features)
        The samples that take part. For a precomputed kernel an empty array of the type of the
        kernel values.
    coefficients : Coefficients
        Which outputs a vector takes part in, and with what coefficient.
    intercepts : ndarray of shape (n_outputs,)
        Constant terms.
    columns : ndarray of shape (n_vectors,) or None
        For a precomputed kernel, the columns of the kernel matrix that belong to the vectors.
    """

    kernel: KernelSpec
    vectors: Any
    coefficients: Coefficients
    intercepts: DoubleArray
    columns: IndexArray | None = None

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the fields of a pickle; they must fit together and be finite."""
        self.__dict__.update(state)
        _check_fields(self)

    @property
    def n_vectors(self) -> int:
        """Number of vectors."""
        return self.coefficients.n_vectors

    @property
    def n_outputs(self) -> int:
        """Number of functions."""
        return int(self.intercepts.size)

    def decide(self, X: Any, *, n_threads: int = 1, device: str | None = None) -> DoubleArray:
        """Return the values of all functions, shape (n_samples, n_outputs).

        `X` holds samples or, for a precomputed kernel, their kernel values with all training
        samples. A value does not depend on the other rows of `X`. `device` names the engine; a
        device that is not there leaves it to the CPU, which has all that it takes. Samples that
        are on a device already are evaluated there.
        """
        if isinstance(X, DeviceTable):
            device = None if self.kernel.function is not None else X.device
        elif device is not None and is_device_name(device) and not is_usable(device):
            device = None
        if self.n_vectors == 0:
            return np.tile(self.intercepts, (X.shape[0], 1))
        if self.columns is not None:
            # One table serves as rows and as vectors: its columns are the vectors.
            rows: Rows = PairwiseRows(_pairwise_values(X, self.vectors.dtype), symmetric=False)
            return self._decide(rows, rows, self.columns, n_threads, device)
        everyone = np.arange(self.n_vectors)
        if self.kernel.function is not None:
            parts = [np.empty((0, self.n_outputs))]
            samples = X.to_numpy() if isinstance(X, DeviceTable) else X
            for block in _function_blocks(self.kernel, samples, self.vectors):
                rows = PairwiseRows(block, symmetric=False)
                parts.append(self._decide(rows, rows, everyone, n_threads, None))
            return np.concatenate(parts)
        if isinstance(X, DeviceTable):
            X = X.astype(self.vectors.dtype)
        else:
            X = match_form(canonical_csr(X), self.vectors)
        rows, vectors = rows_of_samples(X), rows_of_samples(self.vectors)
        return self._decide(rows, vectors, everyone, n_threads, device)

    def _decide(
        self, rows: Rows, vectors: Rows, support: IndexArray, n_threads: int, device: str | None
    ) -> DoubleArray:
        return engine_for(rows, device).decide(
            rows,
            vectors,
            support,
            self.kernel,
            self.coefficients,
            self.intercepts,
            n_threads=n_threads,
        )

    def kernel_matrix(self, X: Any, *, n_threads: int = 1) -> DoubleArray:
        """Return the kernel values of samples with all vectors, shape (n_samples, n_vectors)."""
        if self.columns is not None:
            return np.asarray(X, dtype=np.float64)[:, self.columns]
        return kernel_matrix(self.kernel, X, self.vectors, n_threads=n_threads)

    def coefficient_matrix(self) -> csr_array:
        """Return the coefficients as a sparse matrix of shape (n_vectors, n_outputs)."""
        return self.coefficients.matrix()

    def feature_weights(self) -> DoubleArray:
        """Return the weights of the features, shape (n_outputs, n_features); linear kernel only."""
        weights = self.coefficient_matrix().T @ self.vectors
        return np.asarray(weights.toarray() if sp.issparse(weights) else weights)


def _check_fields(expansion: KernelExpansion) -> None:
    """Raise ValueError where sizes, indices or numbers of an expansion are impossible."""
    found, vectors, columns = expansion.coefficients, expansion.vectors, expansion.columns
    offsets, outputs = np.asarray(found.offsets), np.asarray(found.outputs)
    n_vectors = vectors.shape[0] if columns is None else np.size(columns)
    numbers = vectors.data if sp.issparse(vectors) else vectors
    faults = {
        "the numbers of vectors and coefficients differ": offsets.size != n_vectors + 1,
        "the offsets of coefficients do not ascend from 0": (
            offsets.size == 0 or offsets[0] != 0 or bool(np.any(np.diff(offsets) < 0))
        ),
        "coefficients are missing": (
            offsets.size == 0 or not offsets[-1] == outputs.size == np.size(found.values)
        ),
        "the numbers of intercepts and outputs differ": (
            np.size(expansion.intercepts) != found.n_outputs
        ),
        "a coefficient belongs to no output": bool(
            np.any((outputs < 0) | (outputs >= found.n_outputs))
        ),
        "a column is negative": columns is not None and bool(np.any(np.asarray(columns) < 0)),
        "a number is not finite": not all(
            np.all(np.isfinite(part)) for part in (numbers, found.values, expansion.intercepts)
        ),
    }
    for fault, is_true in faults.items():
        if is_true:
            raise ValueError(f"The pickled model is damaged: {fault}. Fit it again.")


def kernel_matrix(kernel: KernelSpec, X: Any, Z: Any, *, n_threads: int = 1) -> DoubleArray:
    """Return the kernel values of all pairs of samples, shape (rows of X, rows of Z)."""
    if kernel.function is not None:
        blocks = list(_function_blocks(kernel, X, Z))
        return np.concatenate(blocks) if blocks else np.empty((0, Z.shape[0]))
    rows = rows_of_samples(match_form(canonical_csr(X), Z))
    return engine_for(rows).kernel_matrix(rows, rows_of_samples(Z), kernel, n_threads=n_threads)


def _pairwise_values(X: Any, dtype: Any) -> Any:
    if isinstance(X, DeviceTable):
        return X.astype(dtype).values
    return np.ascontiguousarray(X, dtype=dtype)


def _function_blocks(kernel: KernelSpec, X: Any, Z: Any) -> Iterator[DoubleArray]:
    """Yield the values of a kernel function, some rows of `X` at a time."""
    assert kernel.function is not None
    for begin in range(0, X.shape[0], _FUNCTION_ROWS):
        part = X[begin : begin + _FUNCTION_ROWS]
        values = np.ascontiguousarray(dense_kernel_values(kernel.function(part, Z)))
        if values.shape != (part.shape[0], Z.shape[0]):
            raise ValueError(
                f"The kernel function must return an array of shape ({part.shape[0]}, "
                f"{Z.shape[0]}) for {part.shape[0]} and {Z.shape[0]} samples. Got shape "
                f"{values.shape} instead."
            )
        yield values
