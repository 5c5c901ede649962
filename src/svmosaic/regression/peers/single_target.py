"""ST, single target: the baseline without any link between targets."""

from __future__ import annotations

from typing import Any

from svmosaic.engine.problem import DoubleArray
from svmosaic.regression.peers.per_target import PerTargetRegressor, predict_each

__all__ = ["ST"]


class ST(PerTargetRegressor):
    """Single target: one regressor for each target, without any link between them.

    Parameters
    ----------
    estimator : estimator, default=None
        The base regressor. None means bagging of 100 regression trees.
    random_state : int, RandomState instance or None, default=None
        Seed of the base regressors.

    Attributes
    ----------
    estimators_ : list of estimators
        The regressor of each target.
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
    >>> from svmosaic.regression.peers import ST
    >>> ST(Ridge()).fit(*load_linnerud(return_X_y=True)).n_targets_
    3
    """

    def __init__(self, estimator: Any = None, *, random_state: Any = None) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def _fit(self, X: DoubleArray, Y: DoubleArray, random_state: Any) -> None:
        self.estimators_ = [self._train(X, y, random_state) for y in Y.T]

    def _predict(self, X: DoubleArray) -> DoubleArray:
        return predict_each(self.estimators_, X)
