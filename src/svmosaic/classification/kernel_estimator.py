"""What every estimator with a kernel shares: parameters, the kernel, prediction, views."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from svmosaic.engine import cpu
from svmosaic.engine.expansion import KernelExpansion
from svmosaic.engine.gamma import DENSE_GAMMA_RULES, GAMMA_RULES, resolve_gamma
from svmosaic.engine.kernels import KERNELS, KernelFunction, KernelSpec, kernel_spec
from svmosaic.engine.memory import cache_within
from svmosaic.engine.problem import Coefficients, DoubleArray, IndexArray, Problem, Rows
from svmosaic.engine.rows import make_rows, rows_of_samples
from svmosaic.engine.views import ExpansionViews
from svmosaic.utils.sklearn_compat import Interval, StrOptions, check_sample_weight
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.validation import check_samples

__all__ = ["KernelEstimator", "expansion_of_rows"]


class KernelEstimator(ExpansionViews, BaseEstimator):  # type: ignore[misc]
    """Base of the estimators with a kernel whose fitted model is one expansion, ``expansion_``."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions(set(KERNELS)), callable],
        "gamma": [StrOptions(set(GAMMA_RULES)), Interval(Real, 0.0, None, closed="neither")],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "n_jobs": [Integral, None],
        "cache_mb": [Interval(Real, 0.0, None, closed="left")],
        "max_time": [Interval(Real, 0.0, None, closed="neither"), None],
        "verbose": ["verbose"],
    }

    kernel: str | KernelFunction
    gamma: float | str
    degree: int
    coef0: float
    n_jobs: int | None
    cache_mb: float
    max_time: float | None
    verbose: int

    # False where the published method depends on the order of the rows.
    _canonical_order = True

    # Training -------------------------------------------------------------------------------

    def _check_square(self, X: Any) -> None:
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"Precomputed matrix must be a square matrix: {type(self).__name__} with "
                f"kernel='precomputed' expected X of shape (n_samples, n_samples). Got "
                f"{X.shape[0]}x{X.shape[1]} instead; pass the kernel values of all pairs."
            )
        if self.kernel == "precomputed" and sp.issparse(X):
            raise TypeError("Sparse precomputed kernels are not supported. Use X.toarray().")

    def _sample_weights(self, X: Any, sample_weight: Any) -> DoubleArray:
        weights: DoubleArray = check_sample_weight(
            sample_weight, X, dtype=np.float64, ensure_non_negative=True
        )
        if not np.any(weights > 0):
            raise ValueError(
                f"{type(self).__name__} needs at least one sample of positive weight; "
                "all values of sample_weight are zero."
            )
        return weights

    def _samples(
        self, X: Any, labels: IndexArray, weights: DoubleArray
    ) -> tuple[IndexArray, DoubleArray]:
        """Return the rows to train on, in the order that breaks ties, and their weights."""
        if self._canonical_order:
            # A kernel function sees samples, so they are compared as samples.
            pairwise = self.kernel == "precomputed"
            table = make_rows(X, "precomputed") if pairwise else rows_of_samples(X)
            return cpu.distinct_rows(table, labels, weights)
        samples = np.flatnonzero(weights > 0)
        return samples, weights[samples]

    def _kernel(
        self,
        X: Any,
        samples: IndexArray,
        weights: DoubleArray,
        labels: IndexArray | None = None,
    ) -> KernelSpec:
        """Return the kernel with gamma resolved on the samples to train on.

        `weights` and, in a classifier, `labels` belong to the samples.
        """
        kernel = kernel_spec(self.kernel, degree=self.degree, coef0=self.coef0)
        if not kernel.uses_gamma:
            return kernel
        gamma = resolve_gamma(self.gamma, X, samples, weights, labels, kernel.kind)
        return kernel_spec(self.kernel, gamma, self.degree, self.coef0)

    def _cache_mb(self, rows: Rows, problems: Sequence[Problem]) -> float:
        """Return the memory for kernel columns: what was asked for, or what a limit leaves."""
        limit = getattr(self, "memory_limit_mb", None)
        if limit is None:
            return float(self.cache_mb)
        threads = resolve_threads(self.n_jobs)
        return cache_within(float(limit), rows, problems, threads, type(self).__name__)

    # Prediction -----------------------------------------------------------------------------

    def _output_values(self, X: Any) -> DoubleArray:
        """Return values of shape (n_samples, n_outputs)."""
        check_is_fitted(self)
        X = check_samples(self, X)
        return self.expansion_.decide(X, n_threads=resolve_threads(self.n_jobs))

    @property
    def coef_(self) -> DoubleArray:
        """Weights of the features, one row per output; for the linear kernel only."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        return self.expansion_.feature_weights()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        by_balls = self.kernel == "rbf" and self.gamma in DENSE_GAMMA_RULES
        tags.input_tags.sparse = self.kernel != "precomputed" and not by_balls
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


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
