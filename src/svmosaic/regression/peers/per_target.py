"""What the peers share: several regressors of one target each, on widened samples."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from svmosaic.engine.problem import DoubleArray
from svmosaic.regression.multi_target_regressor import MultiTargetRegressor
from svmosaic.utils.sklearn_compat import HasMethods, Interval, StrOptions, fit_context

__all__ = ["CORRECTED", "LeftOut", "PerTargetRegressor", "predict_each"]

_LARGEST_SEED = np.iinfo(np.int32).max

# Folds, or what each regressor of a bag predicts for the rows outside its sample.
LeftOut = int | Literal["oob"]

# The parameters of methods that append predictions of rows left out.
CORRECTED: dict[str, list[Any]] = {
    "cv": [Interval(Integral, 2, None, closed="left"), StrOptions({"oob"})],
    "n_jobs": [Integral, None],
}


class PerTargetRegressor(MetaEstimatorMixin, MultiTargetRegressor):  # type: ignore[misc]
    """Base: several regressors of one target each, on widened samples."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "random_state": ["random_state"],
    }

    # What a method does not offer, it does not have as a parameter.
    estimator: Any
    random_state: Any
    n_jobs: int | None = None
    # How predictions of rows left out are made; None means that none are.
    cv: LeftOut | None = None

    def _base(self) -> Any:
        """Return the base regressor: by default bagging of 100 regression trees."""
        if self.estimator is not None:
            return self.estimator
        # A forest whose trees see all features at every node is bagging, and faster.
        return RandomForestRegressor(n_estimators=100, max_features=1.0, oob_score=self.cv == "oob")

    def _train(self, X: DoubleArray, y: DoubleArray, random_state: Any) -> Any:
        model = clone(self._base())
        if "random_state" in model.get_params():
            model.set_params(random_state=random_state.randint(_LARGEST_SEED))
        return model.fit(X, y)

    def _out_of_fold(
        self, model: Any, X: DoubleArray, y: DoubleArray, random_state: Any
    ) -> DoubleArray:
        """Return predictions for rows left out, by copies of a model or by its own trees."""
        if self.cv == "oob":
            return self._out_of_bag(model)
        folds = KFold(self.cv, shuffle=True, random_state=random_state.randint(_LARGEST_SEED))
        return np.asarray(cross_val_predict(clone(model), X, y, cv=folds, n_jobs=self.n_jobs))

    def _out_of_bag(self, model: Any) -> DoubleArray:
        if not hasattr(model, "oob_prediction_"):
            raise ValueError(
                f"{type(self).__name__} with cv='oob' needs an estimator that predicts its rows "
                f"out of bag, such as RandomForestRegressor(oob_score=True). Got {model!r}."
            )
        return np.asarray(model.oob_prediction_)

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the regressors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples, n_targets) or (n_samples,)
            Target values.

        Returns
        -------
        self : object
            The fitted regressor.
        """
        X, y = validate_data(self, X, y, y_numeric=True, multi_output=True, dtype=np.float64)
        self._fit(X, self._set_targets(y), check_random_state(self.random_state))
        return self

    def _predict_targets(self, X: Any) -> DoubleArray:
        return self._predict(validate_data(self, X, reset=False, dtype=np.float64))

    @abstractmethod
    def _fit(self, X: DoubleArray, Y: DoubleArray, random_state: Any) -> None: ...

    @abstractmethod
    def _predict(self, X: DoubleArray) -> DoubleArray: ...


def predict_each(models: list[Any], X: DoubleArray) -> DoubleArray:
    """Return what each of several models predicts, a column for each."""
    return np.column_stack([model.predict(X) for model in models])
