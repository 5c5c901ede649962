"""The methods that multi-target regression is compared with, around any regressor.

ST (single target), MTS and MTSC (stacking, and corrected stacking), RC and RCC (one regressor
chain), ERC and ERCC (ensembles of chains). A multi-output random forest, MORF, is scikit-learn's
``RandomForestRegressor(n_estimators=100)``.
"""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin, clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.regression.chain_orders import check_order, random_orders
from svmosaic.utils.sklearn_compat import HasMethods, Interval, StrOptions, fit_context

__all__ = ["ERC", "ERCC", "MTS", "MTSC", "RC", "RCC", "ST"]

_LARGEST_SEED = np.iinfo(np.int32).max

# Folds, or what each regressor of a bag predicts for the rows outside its sample.
LeftOut = int | Literal["oob"]

# The parameters of methods that append predictions of rows left out.
_CORRECTED: dict[str, list[Any]] = {
    "cv": [Interval(Integral, 2, None, closed="left"), StrOptions({"oob"})],
    "n_jobs": [Integral, None],
}


class _Peer(MetaEstimatorMixin, RegressorMixin, BaseEstimator):  # type: ignore[misc]
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
        self._y_ndim = y.ndim
        Y = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
        self.n_targets_ = Y.shape[1]
        self._fit(X, Y, check_random_state(self.random_state))
        return self

    def predict(self, X: Any) -> DoubleArray:
        """Return the values of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples, n_targets) or (n_samples,)
            Predicted values, in the form that `fit` was given.
        """
        check_is_fitted(self)
        values = self._predict(validate_data(self, X, reset=False, dtype=np.float64))
        return values[:, 0] if self._y_ndim == 1 else values

    @abstractmethod
    def _fit(self, X: DoubleArray, Y: DoubleArray, random_state: Any) -> None: ...

    @abstractmethod
    def _predict(self, X: DoubleArray) -> DoubleArray: ...

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class ST(_Peer):
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
        return np.column_stack([model.predict(X) for model in self.estimators_])


class MTS(_Peer):
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
            estimates = self._first_stage(X)
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

    def _first_stage(self, X: DoubleArray) -> DoubleArray:
        return np.column_stack([model.predict(X) for model in self.first_])

    def _predict(self, X: DoubleArray) -> DoubleArray:
        estimates = self._first_stage(X)
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
        **_CORRECTED,
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


class _Chains(_Peer):
    """One or several regressor chains, averaged."""

    def _orders(self, n_targets: int, random_state: Any) -> IndexArray:
        raise NotImplementedError(f"{type(self).__name__} does not say in which orders it chains.")

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


class RC(_Chains):
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
        **_Peer._parameter_constraints,
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
        **_CORRECTED,
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


class ERC(_Chains):
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
        **_Peer._parameter_constraints,
        "n_chains": [Interval(Integral, 1, None, closed="left")],
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
        **_CORRECTED,
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
