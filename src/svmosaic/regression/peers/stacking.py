"""MTS and MTSC, multi-target stacking without and with its correction."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from svmosaic.engine.problem import DoubleArray
from svmosaic.regression.peers.per_target import (
    CORRECTED,
    LeftOut,
    PerTargetRegressor,
    predict_each,
)

__all__ = ["MTS", "MTSC"]


class MTS(PerTargetRegressor):
    """Multi-target stacking: a second regressor per target sees what the first ones predict.

    The first stage is `ST`. In the second, the regressor of a target sees the inputs and the
    first stage's predictions of all other targets. In training these are predictions of rows that
    the first stage was trained on; `MTSC` corrects that.

    Parameters
    ----------
    estimator : estimator, default=None
        The base regressor. None means bagging of 100 regression trees.
    random_state : int, RandomState instance or None, default=None
        Seed of the base regressors.

    Attributes
    ----------
    first_, second_ : list of estimators
        The regressor of each target in both stages.
    n_targets_, n_features_in_ : int
        Number of targets and of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had them.

    References
    ----------
    .. [1] E. Spyromitros-Xioufis, G. Tsoumakas, W. Groves, I. Vlahavas (2016), "Multi-target
       regression via input space expansion", Machine Learning 104, 55-98.
       https://doi.org/10.1007/s10994-016-5546-z

    Examples
    --------
    >>> from sklearn.datasets import load_linnerud
    >>> from sklearn.linear_model import Ridge
    >>> from svmosaic.regression.peers import MTS
    >>> MTS(Ridge()).fit(*load_linnerud(return_X_y=True)).n_targets_
    3
    """

    def __init__(self, estimator: Any = None, *, random_state: Any = None) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def _fit(self, X: DoubleArray, Y: DoubleArray, random_state: Any) -> None:
        self.first_ = [self._train(X, y, random_state) for y in Y.T]
        if self.cv is None:
            estimates = predict_each(self.first_, X)
        else:
            estimates = np.column_stack(
                [
                    self._out_of_fold(model, X, y, random_state)
                    for model, y in zip(self.first_, Y.T, strict=True)
                ]
            )
        self.second_ = [
            self._train(_beside(X, estimates, t), y, random_state) for t, y in enumerate(Y.T)
        ]

    def _predict(self, X: DoubleArray) -> DoubleArray:
        estimates = predict_each(self.first_, X)
        return np.column_stack(
            [model.predict(_beside(X, estimates, t)) for t, model in enumerate(self.second_)]
        )


def _beside(X: DoubleArray, estimates: DoubleArray, target: int) -> DoubleArray:
    """Return the inputs and the estimates of all targets but one."""
    return np.column_stack([X, np.delete(estimates, target, axis=1)])


class MTSC(MTS):
    """Multi-target stacking, corrected: the second stage is trained on rows left out.

    Parameters
    ----------
    estimator : estimator, default=None
        The base regressor. None means bagging of 100 regression trees.
    cv : int or "oob", default=10
        Folds for the first stage's predictions of rows left out. ``"oob"``: the out-of-bag
        predictions of the base regressor, which cost nothing.
    random_state : int, RandomState instance or None, default=None
        Seed of the base regressors and of the folds.
    n_jobs : int, default=None
        Folds at a time, by joblib.

    Attributes
    ----------
    first_, second_ : list of estimators
        The regressor of each target in both stages.
    n_targets_, n_features_in_ : int
        Number of targets and of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had them.

    See Also
    --------
    MTS : Without the correction; also has the reference.

    Examples
    --------
    >>> from sklearn.datasets import load_linnerud
    >>> from sklearn.linear_model import Ridge
    >>> from svmosaic.regression.peers import MTSC
    >>> MTSC(Ridge(), cv=5).fit(*load_linnerud(return_X_y=True)).n_targets_
    3
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MTS._parameter_constraints,
        **CORRECTED,
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        cv: LeftOut = 10,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
