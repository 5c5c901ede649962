"""The shared vocabulary: a `Problem` goes down to a solver, a `Solution` comes up.

Plain records with the names of ``cpp/core/problem.hpp``. No object with methods crosses the
boundary to the compiled core, and no handle to it is ever stored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from svmosaic.engine.counters import PhaseSeconds, SolveCounters
from svmosaic.engine.gpu.device_table import DeviceTable

__all__ = [
    "CallbackRows",
    "Coefficients",
    "CsrRows",
    "DenseRows",
    "DeviceTable",
    "DoubleArray",
    "FloatArray",
    "IndexArray",
    "PairwiseRows",
    "Problem",
    "Rows",
    "Solution",
    "Status",
]

FloatArray = npt.NDArray[np.floating[Any]]
DoubleArray = npt.NDArray[np.float64]
IndexArray = npt.NDArray[np.int64]

Status = Literal[
    "converged",
    "max_iter",
    "max_support",
    "max_time",
    "exhausted",
    "indefinite",
    "interrupted",
]


@dataclass(frozen=True, eq=False)
class DenseRows:
    """C-contiguous samples, float32 or float64."""

    values: FloatArray


@dataclass(frozen=True, eq=False)
class CsrRows:
    """Sparse samples: compressed rows with sorted indices of 32 or 64 bits."""

    values: FloatArray
    columns: npt.NDArray[np.integer[Any]]
    offsets: npt.NDArray[np.integer[Any]]
    n_columns: int


@dataclass(frozen=True, eq=False)
class PairwiseRows:
    """Kernel values, or what a kernel makes them from, for all pairs of samples.

    ``symmetric`` is true for a training matrix, false for (test, training) pairs.
    """

    values: FloatArray
    symmetric: bool = True


@dataclass(frozen=True, eq=False)
class CallbackRows:
    """A kernel computed by the caller: ``column(j)`` gives k(x_i, x_j) for all rows i."""

    column: Callable[[int], FloatArray]
    diagonal: DoubleArray
    n_rows: int


Rows = DenseRows | CsrRows | PairwiseRows | CallbackRows | DeviceTable


@dataclass(frozen=True, eq=False)
class Coefficients:
    """Which outputs a vector takes part in: compressed rows, one row per vector.

    A vector that several outputs share is evaluated once for all of them.

    Attributes
    ----------
    offsets : ndarray of int64, shape (n_vectors + 1,)
        Where the entries of each vector begin and end.
    outputs : ndarray of int64
        The output of each entry.
    values : ndarray of float64
        The coefficient of each entry.
    n_outputs : int
        Number of outputs.
    """

    offsets: IndexArray
    outputs: IndexArray
    values: DoubleArray
    n_outputs: int = 1

    @classmethod
    def of_matrix(cls, matrix: Any) -> Coefficients:
        """Return a matrix of shape (n_vectors, n_outputs), dense or sparse, without its zeros."""
        matrix = csr_array(matrix)
        return cls(
            matrix.indptr.astype(np.int64),
            matrix.indices.astype(np.int64),
            matrix.data.astype(np.float64, copy=False),
            int(matrix.shape[1]),
        )

    @classmethod
    def of_one_output(cls, values: DoubleArray) -> Coefficients:
        """Return the coefficients of a single function, one per vector."""
        n = values.size
        return cls(np.arange(n + 1), np.zeros(n, dtype=np.int64), np.ascontiguousarray(values))

    @property
    def n_vectors(self) -> int:
        """Number of vectors."""
        return int(self.offsets.size) - 1

    def matrix(self) -> csr_array:
        """Return the coefficients as a sparse matrix of shape (n_vectors, n_outputs)."""
        parts = (self.values, self.outputs, self.offsets)
        return csr_array(parts, shape=(self.n_vectors, self.n_outputs))


@dataclass(frozen=True, eq=False)
class Problem:
    """One binary problem over some rows of a shared table.

    Attributes
    ----------
    samples : ndarray of int64
        The rows that take part. Their order breaks ties.
    targets : ndarray of float64
        +1 or -1 for each sample.
    weights : ndarray of float64
        How often each sample counts; positive.
    first : int
        Position of the sample where an online solver begins; -1 means the central one.
    initial : ndarray of float64 or None
        Signed coefficients, one per sample, that an exact solver begins with.
    """

    samples: IndexArray
    targets: DoubleArray
    weights: DoubleArray
    first: int = -1
    initial: DoubleArray | None = None


def _no_index() -> IndexArray:
    return np.empty(0, dtype=np.int64)


def _no_value() -> DoubleArray:
    return np.empty(0, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Solution:
    """One kernel expansion, f(x) = sum_j coef[j] k(row support[j], x) + intercept.

    Attributes
    ----------
    support : ndarray of int64
        Rows of the table.
    coef : ndarray of float64
        Signed coefficients.
    intercept : float
        The constant term.
    status : str
        Why the solver stopped.
    n_iter : int
        Steps of the solver.
    violation, objective, dual_gap : float
        Where the last solver stood when it stopped; nan where it does not say.
    width : float
        What a nu-SVM finds besides f: the margin before f is scaled to 1 there, or half the width
        of the tube. nan for other solvers.
    counters : SolveCounters
        The work it took.
    seconds : PhaseSeconds
        The time it took, by phase.
    cache_mb : float
        Memory in MB that the kernel columns of all problems together could take; nan if the
        solver does not say.
    path_rows, path_steps, path_violations : ndarray
        The trajectory of an online solver: the row taken, what was added to its coefficient and
        the worst y f(x) after the step, both for C = 1.
    """

    support: IndexArray
    coef: DoubleArray
    intercept: float = 0.0
    status: Status = "converged"
    n_iter: int = 0
    violation: float = 0.0
    objective: float = float("nan")
    dual_gap: float = float("nan")
    width: float = float("nan")
    counters: SolveCounters = field(default_factory=SolveCounters)
    seconds: PhaseSeconds = field(default_factory=PhaseSeconds)
    cache_mb: float = float("nan")
    path_rows: IndexArray = field(default_factory=_no_index)
    path_steps: DoubleArray = field(default_factory=_no_value)
    path_violations: DoubleArray = field(default_factory=_no_value)
