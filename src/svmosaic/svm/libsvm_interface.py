"""What estimators under scikit-learn's names share: its parameters and its attributes."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from svmosaic.classification.kernel_estimator import KernelEstimator
from svmosaic.classification.parameters import KERNEL_PARAMETERS, POSITIVE_REAL
from svmosaic.engine.kernels import KernelFunction
from svmosaic.engine.problem import DoubleArray
from svmosaic.engine.rows import dense_kernel_values
from svmosaic.utils.declaration import Declaration
from svmosaic.utils.sklearn_compat import (
    Interval,
    Options,
    check_sample_weight,
    count_samples,
)
from svmosaic.utils.state_codec import Kind, Whole

__all__ = ["FITTED_PRIVATELY", "LIBSVM_PARAMETERS", "LIBSVM_STATE", "PENALTY", "LibsvmInterface"]

LIBSVM_PARAMETERS: dict[str, list[Any]] = {
    **{name: KERNEL_PARAMETERS[name] for name in ("kernel", "gamma", "degree", "coef0")},
    "tol": POSITIVE_REAL,
    "shrinking": ["boolean"],
    "cache_size": POSITIVE_REAL,
    "verbose": ["verbose"],
    "max_iter": [Options(Integral, {-1}), Interval(Integral, 1, None, closed="left")],
}

PENALTY: dict[str, list[Any]] = {"C": [Interval(Real, 0.0, None, closed="right")]}

# What `fit` sets besides attributes that end in an underscore.
FITTED_PRIVATELY = ("_n_samples_fit", "_X_fit", "_kernel_fit", "_calibrated", "_fit_report")

LIBSVM_STATE: dict[str, Kind] = {"_n_samples_fit": Whole(1)}


class LibsvmInterface(KernelEstimator):
    """Mixin of the estimators with scikit-learn's parameters, before the one that learns.

    A kernel function is called as scikit-learn calls it: with all training samples, which may be
    anything with a length, and never with some of them.
    """

    _model_file: Declaration

    cache_size: float
    max_iter: Any
    stop_reason_: Any
    n_support_: Any

    # Parameters of the estimators below that scikit-learn does not have.
    n_jobs: int | None = None
    max_time: float | None = None
    warm_start: ClassVar[bool] = False

    @property
    def cache_mb(self) -> float | Literal["auto"]:  # type: ignore[override]
        """Memory in MB for kernel columns."""
        return self.cache_size

    # Training --------------------------------------------------------------------------------

    @property
    def _trained_kernel(self) -> str | KernelFunction:
        return "precomputed" if callable(self.kernel) else self.kernel

    def _training_table(self, X: Any, y: Any = None) -> Any:
        """Return what to train on: `X`, or the values of a kernel function."""
        for name in ("_X_fit", "_kernel_fit"):
            self.__dict__.pop(name, None)
        if not callable(self.kernel):
            return X
        check_consistent_length(X, y)
        # The function as well: `set_params` must not change what a fitted model predicts.
        self._X_fit, self._kernel_fit = X, self.kernel
        return _kernel_values(self.kernel, X, X)

    def _note_shape(self, X: Any) -> None:
        """Set what is known of the shape of the training samples."""
        self._n_samples_fit = int(count_samples(X))
        if callable(self.kernel):
            # Training has seen kernel values only.
            self.__dict__.pop("n_features_in_", None)
            shape: tuple[int, ...] = getattr(X, "shape", ())
            if len(shape) == 2:
                self.n_features_in_ = int(shape[1])

    def _positive_weights(self, X: Any, sample_weight: Any) -> DoubleArray | None:
        """Return weights with 0 in place of negative ones, as rows to leave out."""
        if sample_weight is None:
            return None
        given = np.asarray(sample_weight, dtype=np.float64)
        if given.size > 0 and not np.any(given > 0) and not np.any(np.isnan(given)):
            raise ValueError(
                "Invalid input - all samples have zero or negative weights. "
                f"{type(self).__name__} needs at least one positive sample_weight."
            )
        # scikit-learn asks the samples for their number only.
        samples = np.empty((count_samples(X), 0))
        weights: DoubleArray = check_sample_weight(given, samples, dtype=np.float64)
        return np.maximum(weights, 0.0)

    def _iteration_advice(self) -> str:
        return (
            f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing your "
            "data with StandardScaler or MinMaxScaler"
        )

    # Prediction ------------------------------------------------------------------------------

    def _check_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        if int(self.n_support_.sum()) != self.expansion_.n_vectors:
            raise ValueError(
                f"The internal representation of {type(self).__name__} was altered: its numbers "
                "of support vectors and its coefficients do not belong together. Fit it again."
            )
        if "_X_fit" in vars(self):
            return _kernel_values(self._kernel_fit, X, self._X_fit)
        return super()._check_rows(X)

    # Attributes ------------------------------------------------------------------------------

    @property
    def shape_fit_(self) -> tuple[int, ...]:
        """Shape of the training samples."""
        if hasattr(self, "n_features_in_"):
            return self._n_samples_fit, self.n_features_in_
        check_is_fitted(self)
        return (self._n_samples_fit,)

    @property
    def fit_status_(self) -> int:
        """0 if the solver converged, 1 if `max_iter` ended it; `fit` warned then."""
        return int(np.any(self.stop_reason_ == "max_iter"))

    @property
    def dual_coef_(self) -> Any:
        """Coefficients of the support vectors; sparse if the training samples were."""
        coefficients = super().dual_coef_
        form = type(self.support_vectors_)
        return form(coefficients) if self._sparse else coefficients

    @property
    def coef_(self) -> Any:
        """Weights of the features, for the linear kernel; sparse if the training samples were."""
        weights = super().coef_
        if not self._sparse:
            return weights
        weights = type(self.support_vectors_)(weights)
        weights.data.flags.writeable = False
        return weights

    # Names that converters of scikit-learn's models read.

    @property
    def _sparse(self) -> bool:
        return bool(sp.issparse(self.support_vectors_))

    @property
    def _gamma(self) -> float:
        return self.expansion_.kernel.gamma

    @property
    def _n_support(self) -> Any:
        return self.n_support_


def _kernel_values(kernel: Any, X: Any, fitted: Any) -> DoubleArray:
    """Return the values of a kernel function for all pairs of samples."""
    values = np.ascontiguousarray(dense_kernel_values(kernel(X, fitted)))
    expected = (count_samples(X), count_samples(fitted))
    if values.shape != expected:
        raise ValueError(
            f"The kernel function must return an array of shape {expected} for {expected[0]} and "
            f"{expected[1]} samples. Got shape {values.shape} instead."
        )
    return values
