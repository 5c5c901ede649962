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

__all__ = [
    "CallbackRows",
    "CsrRows",
    "DenseRows",
    "DoubleArray",
    "FloatArray",
    "IndexArray",
    "KernelKind",
    "KernelSpec",
    "PairwiseRows",
    "Problem",
    "Rows",
    "Solution",
    "Status",
]

FloatArray = npt.NDArray[np.floating[Any]]
DoubleArray = npt.NDArray[np.float64]
IndexArray = npt.NDArray[np.int64]

KernelKind = Literal["linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"]
Status = Literal[
    "converged",
    "max_iter",
    "max_support",
    "max_time",
    "exhausted",
    "indefinite",
    "interrupted",
]


@dataclass(frozen=True)
class KernelSpec:
    """A kernel and its parameters, all numbers resolved."""

    kind: KernelKind
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0


@dataclass(frozen=True)
class DenseRows:
    """C-contiguous samples, float32 or float64."""

    values: FloatArray


@dataclass(frozen=True)
class CsrRows:
    """Sparse samples: compressed rows with sorted indices of 32 or 64 bits."""

    values: FloatArray
    columns: npt.NDArray[np.integer[Any]]
    offsets: npt.NDArray[np.integer[Any]]
    n_columns: int


@dataclass(frozen=True)
class PairwiseRows:
    """Kernel values, or what a kernel makes them from, for all pairs of samples.

    ``symmetric`` is true for a training matrix, false for (test, training) pairs.
    """

    values: FloatArray
    symmetric: bool = True


@dataclass(frozen=True)
class CallbackRows:
    """A kernel computed by the caller: ``column(j)`` gives k(x_i, x_j) for all rows i."""

    column: Callable[[int], FloatArray]
    diagonal: DoubleArray
    n_rows: int


Rows = DenseRows | CsrRows | PairwiseRows | CallbackRows


@dataclass(frozen=True)
class Problem:
    """One binary machine over some rows of a shared table.

    Attributes
    ----------
    samples : ndarray of int64
        The rows that take part. Their order breaks ties.
    targets : ndarray of float64
        +1 or -1 for each sample.
    weights : ndarray of float64
        How often each sample counts; positive.
    start : int
        Position of the sample where an online solver begins; -1 means the central one.
    """

    samples: IndexArray
    targets: DoubleArray
    weights: DoubleArray
    start: int = -1


def _no_index() -> IndexArray:
    return np.empty(0, dtype=np.int64)


def _no_value() -> DoubleArray:
    return np.empty(0, dtype=np.float64)


@dataclass(frozen=True)
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
    n_iter, n_updates, n_columns : int
        Steps of the online loop, updates of the exact solver, kernel columns computed.
    violation, objective, dual_gap : float
        Where the last solver stood when it stopped; nan where it does not say.
    seconds : float
        Time spent on this machine.
    path_rows, path_steps, path_violations : ndarray
        The trajectory of an online solver: the row taken, what was added to its coefficient and
        the worst y f(x) after the step, both for C = 1.
    """

    support: IndexArray
    coef: DoubleArray
    intercept: float = 0.0
    status: Status = "converged"
    n_iter: int = 0
    n_updates: int = 0
    n_columns: int = 0
    violation: float = 0.0
    objective: float = float("nan")
    dual_gap: float = float("nan")
    seconds: float = 0.0
    path_rows: IndexArray = field(default_factory=_no_index)
    path_steps: DoubleArray = field(default_factory=_no_value)
    path_violations: DoubleArray = field(default_factory=_no_value)
