"""RC, RCC, ERC and ERCC: one regressor chain or an ensemble, without and with the correction."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from svmosaic.classification.parameters import POSITIVE_COUNT
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.regression.chain_orders import check_order, random_orders
from svmosaic.regression.peers.per_target import CORRECTED, LeftOut, PerTargetRegressor

__all__ = ["ERC", "ERCC", "RC", "RCC"]


class RegressorChains(PerTargetRegressor):
    """One or several regressor chains, averaged."""

    @abstractmethod
    def _orders(self, n_targets: int, random_state: Any) -> IndexArray:
        """Return the orders of the targets, one per row."""

    def _fit(self, X: DoubleArray, Y: DoubleArray, random_state: Any) -> None:
        self.orders_ = self._orders(Y.shape[1], random_state)
        self.chains_ = [self._build_chain(X, Y, order, random_state) for order in self.orders_]

    def _build_chain(
        self, X: DoubleArray, Y: DoubleArray, order: IndexArray, random_state: Any
    ) -> list[Any]:
        """Return the models of a chain: each sees the inputs and the targets before it."""
        models = []
        for position, target in enumerate(order):
            models.append(self._train(X, Y[:, target], random_state))
            if position + 1 < len(order):
                value = Y[:, target]
                if self.cv is not None:
                    value = self._out_of_fold(models[-1], X, value, random_state)
                X = np.column_stack([X, value])
        return models

    def _predict(self, X: DoubleArray) -> DoubleArray:
        values = np.empty((len(self.chains_), X.shape[0], self.n_targets_))
        for chain, (order, models) in enumerate(zip(self.orders_, self.chains_, strict=True)):
            widened = X
            for target, model in zip(order, models, strict=True):
                values[chain, :, target] = model.predict(widened)
                widened = np.column_stack([widened, values[chain, :, target]])
        return np.asarray(values.mean(axis=0))


class RC(RegressorChains):
    """Regressor chain: the regressor of a target sees the inputs and the targets before it.

    In training the true values of the earlier targets are appended, in prediction the predicted
    ones; `RCC` corrects that.

    Parameters
    ----------
    estimator : estimator, default=None
        The base regressor. None means bagging of 100 regression trees.
    order : array-like of int, default=None
        The targets in the order of the chain; None means at random.
    random_state : int, RandomState instance or None, default=None
        Seed of the order and of the base regressors.

    Attributes
    ----------
    chains_ : list of list of estimators
        The regressors of the chain, in its order.
    orders_ : ndarray of shape (1, n_targets)
        The order of the targets.
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
    >>> from svmosaic.regression.peers import RC
    >>> RC(Ridge(), order=[2, 0, 1]).fit(*load_linnerud(return_X_y=True)).orders_.tolist()
    [[2, 0, 1]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PerTargetRegressor._parameter_constraints,
        "order": ["array-like", None],
    }

    def __init__(
        self, estimator: Any = None, *, order: Any = None, random_state: Any = None
    ) -> None:
        self.estimator = estimator
        self.order = order
        self.random_state = random_state

    def _orders(self, n_targets: int, random_state: Any) -> IndexArray:
        if self.order is None:
            return np.asarray(random_state.permutation(n_targets)[np.newaxis], dtype=np.int64)
        return check_order(self.order, n_targets, type(self).__name__)[np.newaxis]


class RCC(RC):
    """Regressor chain, corrected: what is appended in training is predicted for rows left out.

    Parameters
    ----------
    estimator : estimator, default=None
        The base regressor. None means bagging of 100 regression trees.
    order : array-like of int, default=None
        The targets in the order of the chain; None means at random.
    cv : int or "oob", default=10
        Folds for predictions of rows left out. ``"oob"``: the out-of-bag predictions of the base
        regressor, which cost nothing.
    random_state : int, RandomState instance or None, default=None
        Seed of the order, of the folds and of the base regressors.
    n_jobs : int, default=None
        Folds at a time, by joblib.

    Attributes
    ----------
    chains_ : list of list of estimators
        The regressors of the chain, in its order.
    orders_ : ndarray of shape (1, n_targets)
        The order of the targets.
    n_targets_, n_features_in_ : int
        Number of targets and of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had them.

    See Also
    --------
    RC : Without the correction; also has the reference.

    Examples
    --------
    >>> from sklearn.datasets import load_linnerud
    >>> from sklearn.linear_model import Ridge
    >>> from svmosaic.regression.peers import RCC
    >>> RCC(Ridge(), cv=5).fit(*load_linnerud(return_X_y=True)).orders_.shape
    (1, 3)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RC._parameter_constraints,
        **CORRECTED,
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        order: Any = None,
        cv: LeftOut = 10,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.order = order
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs


class ERC(RegressorChains):
    """Ensemble of regressor chains in different random orders, averaged.

    Parameters
    ----------
    estimator : estimator, default=None
        The base regressor. None means bagging of 100 regression trees.
    n_chains : int, default=10
        Chains at most; with few targets there are only n_targets! orders.
    random_state : int, RandomState instance or None, default=None
        Seed of the orders and of the base regressors.

    Attributes
    ----------
    chains_ : list of list of estimators
        The regressors of each chain, in its order.
    orders_ : ndarray of shape (n_chains, n_targets)
        The order of the targets in each chain.
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
    >>> from svmosaic.regression.peers import ERC
    >>> ERC(Ridge()).fit(*load_linnerud(return_X_y=True)).orders_.shape
    (6, 3)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PerTargetRegressor._parameter_constraints,
        "n_chains": POSITIVE_COUNT,
    }

    def __init__(
        self, estimator: Any = None, *, n_chains: int = 10, random_state: Any = None
    ) -> None:
        self.estimator = estimator
        self.n_chains = n_chains
        self.random_state = random_state

    def _orders(self, n_targets: int, random_state: Any) -> IndexArray:
        return random_orders(n_targets, int(self.n_chains), random_state)


class ERCC(ERC):
    """Ensemble of corrected regressor chains in different random orders, averaged.

    Parameters
    ----------
    estimator : estimator, default=None
        The base regressor. None means bagging of 100 regression trees.
    n_chains : int, default=10
        Chains at most; with few targets there are only n_targets! orders.
    cv : int or "oob", default=10
        Folds for predictions of rows left out. ``"oob"``: the out-of-bag predictions of the base
        regressor, which cost nothing.
    random_state : int, RandomState instance or None, default=None
        Seed of the orders, of the folds and of the base regressors.
    n_jobs : int, default=None
        Folds at a time, by joblib.

    Attributes
    ----------
    chains_ : list of list of estimators
        The regressors of each chain, in its order.
    orders_ : ndarray of shape (n_chains, n_targets)
        The order of the targets in each chain.
    n_targets_, n_features_in_ : int
        Number of targets and of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had them.

    See Also
    --------
    ERC : Without the correction; also has the reference.

    Examples
    --------
    >>> from sklearn.datasets import load_linnerud
    >>> from sklearn.linear_model import Ridge
    >>> from svmosaic.regression.peers import ERCC
    >>> ERCC(Ridge(), cv=5).fit(*load_linnerud(return_X_y=True)).orders_.shape
    (6, 3)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ERC._parameter_constraints,
        **CORRECTED,
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_chains: int = 10,
        cv: LeftOut = 10,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_chains = n_chains
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
