"""Two protocols for multi-target regression: one without leaks, and the published one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from svmosaic.metrics.multi_target import (
    average_correlation,
    average_rmse,
    average_rrmse,
    total_mse,
)
from svmosaic.model_selection.derived_seeds import derive_seed
from svmosaic.model_selection.weka_folds import WekaFolds
from svmosaic.regression.multi_target_svr import MultiTargetSVR
from svmosaic.regression.svrcc import SVRCC
from svmosaic.regression.svrrc import SVRRC

__all__ = ["MultiTargetScores", "evaluate_multitarget", "published_regressor"]

DoubleArray = NDArray[np.float64]
MethodName = Literal["SVR", "SVRRC", "SVRCC"]
ProtocolName = Literal["honest", "published"]

# Equations 3.3a to 3.3c; the thesis prints the bases of the powers of ten as 1.
_PUBLISHED_GRID = {
    "gammas": (1e-9, 1e-7, 1e-5, 1e-3, 0.1, 1.0, 5.0, 10.0),
    "Cs": (1.0, 10.0, 100.0),
    "epsilons": (0.01, 0.1, 0.2),
}
_OURS = {"SVR": MultiTargetSVR, "SVRRC": SVRRC, "SVRCC": SVRCC}


@dataclass(frozen=True)
class MultiTargetScores:
    """The measures of each fold, and their means.

    Attributes
    ----------
    acc, mse, armse, arrmse : ndarray of shape (n_folds,)
        Average correlation, mean squared error summed over targets, average root mean squared
        error and average relative root mean squared error; see `svmosaic.metrics.multi_target`.
    """

    acc: DoubleArray
    mse: DoubleArray
    armse: DoubleArray
    arrmse: DoubleArray

    def means(self) -> dict[str, float]:
        """Return the mean of each measure over the folds."""
        return {name: float(values.mean()) for name, values in vars(self).items()}


def evaluate_multitarget(
    method: MethodName | Any,
    X: Any,
    y: Any,
    *,
    protocol: ProtocolName = "honest",
    order: Any = None,
    n_splits: int = 10,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> MultiTargetScores:
    """Estimate how well a method predicts several targets.

    Parameters
    ----------
    method : {"SVR", "SVRRC", "SVRCC"} or estimator
        One of our regressors by the paper's name, or any multi-output regressor.
    X : array-like of shape (n_samples, n_features)
        Inputs; missing values are nan.
    y : array-like of shape (n_samples, n_targets)
        Targets.
    protocol : {"honest", "published"}, default="honest"
        ``"honest"``: seeded folds; missing values, scaling, correlations and parameters see
        training rows only; measures on the original scale. ``"published"``: the protocol behind
        the published tables, for replays only. It leaks: inputs and targets are scaled once on
        all rows. Folds are those of Weka, each link shuffles its rows again, and measures are on
        scaled targets.
    order : array-like of int, default=None
        The chain of "SVRCC", instead of that by correlation.
    n_splits : int, default=10
        Outer folds.
    random_state : int, default=0
        The root of all seeds.
    n_jobs : int, default=None
        Threads of our regressors.

    Returns
    -------
    MultiTargetScores

    Examples
    --------
    >>> from sklearn.datasets import load_linnerud
    >>> from sklearn.linear_model import Ridge
    >>> from svmosaic.experiments.multi_target_evaluation import evaluate_multitarget
    >>> X, Y = load_linnerud(return_X_y=True)
    >>> evaluate_multitarget(Ridge(), X, Y, n_splits=5).arrmse.shape
    (5,)
    """
    X = np.asarray(X, dtype=np.float64)
    Y = np.asarray(y, dtype=np.float64).reshape(X.shape[0], -1)
    if protocol == "published":
        X, Y = _scale_all(SimpleImputer().fit_transform(X)), _scale_all(Y)
        model = published_regressor(method, order, random_state, n_jobs)
        folds: Any = WekaFolds(n_splits)
    elif protocol == "honest":
        regressor = _make_regressor(method, order, {"random_state": random_state, "n_jobs": n_jobs})
        model = make_pipeline(SimpleImputer(), StandardScaler(), regressor)
        seed = derive_seed(random_state, "outer", 0)
        folds = KFold(n_splits, shuffle=True, random_state=seed)
    else:
        raise ValueError(
            f"The 'protocol' of evaluate_multitarget must be 'honest' or 'published'. Got "
            f"{protocol!r}."
        )
    rows = [_evaluate(clone(model), X, Y, train, test) for train, test in folds.split(X)]
    return MultiTargetScores(*np.array(rows).T)


def published_regressor(
    method: MethodName | Any, order: Any = None, random_state: int = 0, n_jobs: int | None = None
) -> Any:
    """Return a regressor as it was for the published tables, for data scaled beforehand.

    Parameters
    ----------
    method : {"SVR", "SVRRC", "SVRCC"} or estimator
        One of our regressors by the paper's name; any other is returned as it is.
    order : array-like of int, default=None
        The chain of "SVRCC".
    random_state : int, default=0
        Seed of the random chains, whose published orders are not known.
    n_jobs : int, default=None
        Threads.

    Examples
    --------
    >>> from svmosaic.experiments.multi_target_evaluation import published_regressor
    >>> published_regressor("SVR").cv
    WekaFolds(n_splits=5, seed=1)
    """
    params: dict[str, Any] = {
        **_PUBLISHED_GRID,
        "scale_targets": False,
        "cv": WekaFolds(5, shuffle_links=True),
        "random_state": random_state,
        "n_jobs": n_jobs,
    }
    if method in ("SVRRC", "SVRCC"):
        params |= {"appended": "true", "search": "grid"}
    return _make_regressor(method, order, params)


def _make_regressor(method: Any, order: Any, params: dict[str, Any]) -> Any:
    if order is not None and method != "SVRCC":
        raise ValueError("An 'order' is for method 'SVRCC' only. Leave it out.")
    if not isinstance(method, str):
        return method
    if method not in _OURS:
        raise ValueError(f"The method must be {', '.join(_OURS)} or an estimator. Got {method!r}.")
    return _OURS[method](**params, **({} if order is None else {"order": order}))


def _scale_all(table: DoubleArray) -> DoubleArray:
    """Return columns of mean 0 and (unbiased) variance 1, as Weka's filter makes them."""
    scale = table.std(axis=0, ddof=1)
    return np.asarray((table - table.mean(axis=0)) / np.where(scale > 0, scale, 1.0))


def _evaluate(
    model: Any, X: DoubleArray, Y: DoubleArray, train: Any, test: Any
) -> tuple[float, float, float, float]:
    predicted = model.fit(X[train], Y[train]).predict(X[test])
    predicted = np.asarray(predicted).reshape(len(test), -1)
    return (
        average_correlation(Y[test], predicted, Y[train]),
        total_mse(Y[test], predicted),
        average_rmse(Y[test], predicted),
        average_rrmse(Y[test], predicted, Y[train]),
    )
