"""What all regressors of several targets share: the form of the targets, and tags."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from svmosaic.engine.problem import DoubleArray
from svmosaic.utils.estimator import Estimator

__all__ = ["MultiTargetRegressor"]


class MultiTargetRegressor(RegressorMixin, Estimator):  # type: ignore[misc]
    """Base of the regressors of several targets; one target may be a vector or a column."""

    n_targets_: int
    _y_ndim: int

    def _set_targets(self, y: Any) -> DoubleArray:
        """Keep the form of the targets and return them as columns."""
        self._y_ndim = y.ndim
        Y = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
        self.n_targets_ = Y.shape[1]
        return Y

    def predict(self, X: Any) -> DoubleArray:
        """Return the values of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; sparse rows where `fit` takes them.

        Returns
        -------
        y : ndarray of shape (n_samples, n_targets) or (n_samples,)
            Predicted values, in the form that `fit` was given.
        """
        check_is_fitted(self)
        values = self._predict_targets(X)
        return values[:, 0] if self._y_ndim == 1 else values

    @abstractmethod
    def _predict_targets(self, X: Any) -> DoubleArray:
        """Validate samples and return the values of all targets, shape (n_samples, n_targets)."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
