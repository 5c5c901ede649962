"""Measures of multi-target regression: aCC, MSE, aRMSE and aRRMSE.

Each is computed per target over the test rows and then averaged over the targets, except MSE, which
tables of the literature sum. Where a measure compares with a mean, it is that of the training rows,
if they are given: a model that predicts it has an aRRMSE of 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import make_scorer

__all__ = [
    "SCORES",
    "average_correlation",
    "average_rmse",
    "average_rrmse",
    "in_units_of_training",
    "is_multi_target_score",
    "make_multi_target_scorer",
    "total_mse",
]

DoubleArray = npt.NDArray[np.float64]


def average_correlation(y_true: Any, y_pred: Any, y_train: Any = None) -> float:
    """Return aCC, the mean over the targets of the correlation of true and predicted values.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples, n_targets) or (n_samples,)
        True and predicted values of the test rows.
    y_train : array-like of shape (n_train, n_targets) or (n_train,), default=None
        Targets of the training rows. If given, the true values are centred on the mean of these,
        as Mulan does, and no longer on their own; predictions always on their own.

    Returns
    -------
    float
        From -1 to 1. A target whose true or predicted values do not vary counts 0.

    Examples
    --------
    >>> from svmosaic.metrics.multi_target import average_correlation
    >>> round(average_correlation([[1, 1], [2, 2], [3, 3]], [[1, 3], [2, 2], [3, 1]]), 3)
    0.0
    """
    true, predicted = _columns(y_true, y_pred)
    varies = _varies(true) & _varies(predicted)
    true = true - _centre(true, y_train)
    predicted = predicted - predicted.mean(axis=0)
    norms = np.sqrt((true**2).sum(axis=0) * (predicted**2).sum(axis=0))
    products = (true * predicted).sum(axis=0)
    return float(np.mean(np.where(varies, products / np.where(varies, norms, 1.0), 0.0)))


def total_mse(y_true: Any, y_pred: Any) -> float:
    """Return the sum over the targets of the mean squared error over the rows.

    Equation 3.5 of the thesis on these regressors has a mean over the targets; its table 3.5 has
    this sum.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples, n_targets) or (n_samples,)
        True and predicted values of the test rows.

    Examples
    --------
    >>> from svmosaic.metrics.multi_target import total_mse
    >>> total_mse([[0, 0], [0, 0]], [[1, 2], [1, 2]])
    5.0
    """
    true, predicted = _columns(y_true, y_pred)
    return float(np.sum(np.mean((true - predicted) ** 2, axis=0)))


def average_rmse(y_true: Any, y_pred: Any) -> float:
    """Return aRMSE, the mean over the targets of the root mean squared error.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples, n_targets) or (n_samples,)
        True and predicted values of the test rows.

    Examples
    --------
    >>> from svmosaic.metrics.multi_target import average_rmse
    >>> average_rmse([[0, 0], [0, 0]], [[1, 2], [1, 2]])
    1.5
    """
    true, predicted = _columns(y_true, y_pred)
    return float(np.mean(np.sqrt(np.mean((true - predicted) ** 2, axis=0))))


def average_rrmse(y_true: Any, y_pred: Any, y_train: Any = None) -> float:
    """Return aRRMSE, the mean over the targets of the error relative to that of predicting a mean.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples, n_targets) or (n_samples,)
        True and predicted values of the test rows.
    y_train : array-like of shape (n_train, n_targets) or (n_train,), default=None
        Targets of the training rows, whose mean is compared with. Without them it is the mean of
        `y_true`, which no model can know.

    Returns
    -------
    float
        0 is perfect, 1 as good as the mean. A target for which the mean itself makes no error
        counts 1 if the prediction makes none either, and infinity if it does.

    Examples
    --------
    >>> from svmosaic.metrics.multi_target import average_rrmse
    >>> average_rrmse([[1.0], [3.0]], [[2.0], [2.0]], y_train=[[2.0], [2.0]])
    1.0
    """
    true, predicted = _columns(y_true, y_pred)
    errors = ((true - predicted) ** 2).sum(axis=0)
    of_mean = ((true - _centre(true, y_train)) ** 2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where((errors == 0) & (of_mean == 0), 1.0, errors / of_mean)
    return float(np.mean(np.sqrt(ratios)))


def in_units_of_training(y_true: Any, y_pred: Any, y_train: Any = None) -> Any:
    """Return true and predicted values divided by the standard deviation of each target.

    Errors of targets with different units can be summed then; tables of the literature do it.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples, n_targets) or (n_samples,)
        True and predicted values of the test rows.
    y_train : array-like of shape (n_train, n_targets) or (n_train,), default=None
        Targets of the training rows, whose deviation it is; without them that of `y_true`. A
        target that does not vary stays as it is.

    Returns
    -------
    true, predicted : ndarray of shape (n_samples, n_targets)

    Examples
    --------
    >>> from svmosaic.metrics.multi_target import in_units_of_training, total_mse
    >>> total_mse(*in_units_of_training([[10.0]], [[14.0]], y_train=[[1.0], [3.0], [5.0]]))
    4.0
    """
    true, predicted = _columns(y_true, y_pred)
    train = true if y_train is None else np.asarray(y_train, dtype=np.float64)
    train = train.reshape(len(train), -1)
    # Unbiased, as Weka's filter scales.
    spread = train.std(axis=0, ddof=1) if len(train) > 1 else np.zeros(train.shape[1])
    scale = np.where(_varies(train), spread, 1.0)
    return true / scale, predicted / scale


# Scores by name, higher is better. Each gets true values, predicted values and training targets.
SCORES: dict[str, Callable[[Any, Any, Any], float]] = {
    "average_correlation": average_correlation,
    "neg_total_mse": lambda true, predicted, train: -total_mse(true, predicted),
    "neg_average_rmse": lambda true, predicted, train: -average_rmse(true, predicted),
    "neg_scaled_mse": lambda *values: -total_mse(*in_units_of_training(*values)),
    "neg_scaled_rmse": lambda *values: -average_rmse(*in_units_of_training(*values)),
    "neg_average_rrmse": lambda true, predicted, train: -average_rrmse(true, predicted, train),
}


def is_multi_target_score(scoring: Any) -> bool:
    """Return whether this is a name of `SCORES`.

    Examples
    --------
    >>> from svmosaic.metrics.multi_target import is_multi_target_score
    >>> is_multi_target_score("neg_average_rrmse"), is_multi_target_score("r2")
    (True, False)
    """
    return isinstance(scoring, str) and scoring in SCORES


def make_multi_target_scorer(name: str) -> Any:
    """Return a score of `SCORES` in scikit-learn's form, which knows no training rows.

    Parameters
    ----------
    name : str
        A name of `SCORES`.

    Examples
    --------
    >>> from svmosaic.metrics.multi_target import make_multi_target_scorer
    >>> callable(make_multi_target_scorer("neg_average_rrmse"))
    True
    """
    score = SCORES[name]
    return make_scorer(lambda true, predicted: score(true, predicted, None))


def _columns(y_true: Any, y_pred: Any) -> tuple[DoubleArray, DoubleArray]:
    true, predicted = (np.asarray(y, dtype=np.float64) for y in (y_true, y_pred))
    true, predicted = (y.reshape(len(y), -1) for y in (true, predicted))
    if true.shape != predicted.shape or true.size == 0:
        raise ValueError(
            "True and predicted values must have the same shape and at least one row. Got "
            f"{true.shape} and {predicted.shape}."
        )
    return true, predicted


def _varies(values: DoubleArray) -> npt.NDArray[np.bool_]:
    """Return which columns vary by more than rounding."""
    spread = values.max(axis=0) - values.min(axis=0)
    return np.asarray(spread > 1e-12 * np.abs(values).max(axis=0))


def _centre(true: DoubleArray, y_train: Any) -> DoubleArray:
    if y_train is None:
        return np.asarray(true.mean(axis=0))
    train = np.asarray(y_train, dtype=np.float64)
    train = train.reshape(len(train), -1)
    if train.shape[1] != true.shape[1]:
        raise ValueError(
            f"The training targets must have {true.shape[1]} columns, as the true values. Got "
            f"{train.shape[1]}."
        )
    return np.asarray(train.mean(axis=0))
