"""What every estimator with a kernel shares: parameters, the kernel, prediction, views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from svmosaic.classification.device_data import check_samples_on
from svmosaic.classification.parameters import KERNEL_PARAMETERS, RUN_PARAMETERS
from svmosaic.engine import cpu
from svmosaic.engine.expansion import KernelExpansion
from svmosaic.engine.gamma import DENSE_GAMMA_RULES, resolve_gamma
from svmosaic.engine.kernels import KernelFunction, KernelSpec, kernel_spec
from svmosaic.engine.memory import automatic_cache_mb, cache_within
from svmosaic.engine.problem import (
    Coefficients,
    DeviceTable,
    DoubleArray,
    IndexArray,
    Problem,
    Rows,
)
from svmosaic.engine.protocol import engine_for
from svmosaic.engine.rows import make_rows, rows_of_samples
from svmosaic.engine.views import ExpansionViews
from svmosaic.utils.estimator import Estimator
from svmosaic.utils.foreign_arrays import to_host
from svmosaic.utils.progress import current_progress
from svmosaic.utils.sklearn_compat import check_sample_weight
from svmosaic.utils.threads import resolve_threads

__all__ = [
    "KernelEstimator",
    "check_square",
    "check_weights",
    "distinct_samples",
    "expansion_of_rows",
    "kernel_cache_mb",
    "resolve_kernel",
    "run_options",
]


class KernelEstimator(ExpansionViews, Estimator):
    """Base of the estimators with a kernel whose fitted model is one expansion, ``expansion_``."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**KERNEL_PARAMETERS, **RUN_PARAMETERS}

    kernel: str | KernelFunction
    gamma: float | str
    degree: int
    coef0: float
    n_jobs: int | None
    cache_mb: float | Literal["auto"]
    max_time: float | None
    verbose: int
    # Parameters of some estimators; the others have no limit, and run on the CPU.
    memory_limit_mb: float | None = None
    device: str | None = None

    _takes_sparse: ClassVar[bool] = True

    @property
    def _trained_kernel(self) -> str | KernelFunction:
        """The kernel that training is given; a subclass may compute its values beforehand."""
        return self.kernel

    def _check_rows(self, X: Any) -> Any:
        """Return samples to predict, validated; raise if the estimator is not fitted."""
        check_is_fitted(self)
        return check_samples_on(self, X)

    def _output_values(self, X: Any) -> DoubleArray:
        """Return values of shape (n_samples, n_outputs) for validated samples."""
        return self.expansion_.decide(X, n_threads=resolve_threads(self.n_jobs), device=self.device)

    @property
    def coef_(self) -> DoubleArray:
        """Weights of the features, one row per output; for the linear kernel only."""
        # What it was fitted with, not what `set_params` may have set since.
        fitted = self.expansion_.kernel.kind if hasattr(self, "expansion_") else self.kernel
        if fitted != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        weights = self.expansion_.feature_weights()
        # It is computed when it is asked for: a change to it would be lost without a word.
        weights.flags.writeable = False
        return weights

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = (
            self._takes_sparse
            and self.kernel != "precomputed"
            and not (self.kernel == "rbf" and self.gamma in DENSE_GAMMA_RULES)
        )
        return tags


# Training -----------------------------------------------------------------------------------


def check_square(X: Any, kernel: str | KernelFunction, who: str) -> None:
    """Refuse a precomputed kernel that is not a square dense matrix."""
    if kernel != "precomputed":
        return
    if X.shape[0] != X.shape[1]:
        raise ValueError(
            f"Precomputed matrix must be a square matrix: {who} with kernel='precomputed' expected "
            f"X of shape (n_samples, n_samples). Got {X.shape[0]}x{X.shape[1]} instead; pass the "
            "kernel values of all pairs."
        )
    if sp.issparse(X):
        raise TypeError("Sparse precomputed kernels are not supported. Use X.toarray().")


def check_weights(X: Any, sample_weight: Any, who: str) -> DoubleArray:
    """Return the weights of all rows, some of them positive."""
    if sample_weight is None:
        return np.ones(X.shape[0])
    # scikit-learn asks it for its length only.
    table = np.empty((X.shape[0], 0)) if isinstance(X, DeviceTable) else X
    weights: DoubleArray = check_sample_weight(
        to_host(sample_weight), table, dtype=np.float64, ensure_non_negative=True
    )
    if not np.any(weights > 0):
        raise ValueError(
            f"{who} needs at least one sample of positive weight; all values of sample_weight are "
            "zero."
        )
    return weights


def distinct_samples(
    X: Any,
    kernel: str | KernelFunction,
    labels: IndexArray,
    weights: DoubleArray,
    *,
    n_threads: int = 1,
) -> tuple[IndexArray, DoubleArray]:
    """Return the distinct rows of positive weight in canonical order, and their weights.

    Rows with different `labels` are different. The engine of the table's arrays compares them.
    """
    # A kernel function sees samples, so they are compared as samples.
    rows = make_rows(X, kernel) if kernel == "precomputed" else rows_of_samples(X)
    return engine_for(rows).distinct_rows(rows, labels, weights, n_threads=n_threads)


def resolve_kernel(
    estimator: KernelEstimator,
    X: Any,
    samples: IndexArray,
    weights: DoubleArray,
    labels: IndexArray | None = None,
) -> KernelSpec:
    """Return the kernel that the parameters name, with gamma resolved on the samples to train on.

    `weights` and, in a classifier, `labels` belong to the samples.
    """
    name, degree, coef0 = estimator._trained_kernel, estimator.degree, estimator.coef0
    kernel = kernel_spec(name, degree=degree, coef0=coef0)
    if not kernel.uses_gamma:
        return kernel
    gamma = resolve_gamma(estimator.gamma, X, samples, weights, labels, kernel.kind)
    return kernel_spec(name, gamma, degree, coef0)


def kernel_cache_mb(
    estimator: KernelEstimator, rows: Rows, problems: Sequence[Problem], more_bytes: float = 0.0
) -> float:
    """Return the memory for kernel columns: what was asked for, is free, or a limit leaves.

    `more_bytes` is what the solver needs besides the columns and its usual arrays. On a device
    there are no columns to keep.
    """
    if not cpu.takes(rows):
        return 0.0
    n_threads = resolve_threads(estimator.n_jobs)
    if estimator.memory_limit_mb is None:
        if isinstance(estimator.cache_mb, str):
            return automatic_cache_mb(rows, problems, n_threads)
        return float(estimator.cache_mb)
    return cache_within(
        float(estimator.memory_limit_mb),
        rows,
        problems,
        n_threads,
        type(estimator).__name__,
        more_bytes=more_bytes,
    )


def run_options(estimator: Any) -> dict[str, Any]:
    """Return the options of a run of a solver: threads, time, where to report to."""
    return {
        "n_threads": resolve_threads(estimator.n_jobs),
        "max_time": estimator.max_time or 0.0,
        "progress": current_progress(type(estimator).__name__, estimator.verbose),
    }


def expansion_of_rows(
    kernel: KernelSpec,
    X: Any,
    support: IndexArray,
    coefficients: Coefficients,
    intercepts: DoubleArray,
) -> KernelExpansion:
    """Return the expansion over some rows of the training data `X`."""
    if kernel.kind == "precomputed" and kernel.function is None:
        nothing = np.empty((0, 0), dtype=X.dtype)
        return KernelExpansion(kernel, nothing, coefficients, intercepts, support.astype(np.int64))
    return KernelExpansion(kernel, X[support], coefficients, intercepts)
