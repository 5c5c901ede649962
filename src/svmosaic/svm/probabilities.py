"""Probabilities of classes as `SVC(probability=True)` has them: sigmoids of its decisions."""

from __future__ import annotations

import inspect
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import sklearn.svm
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import column_or_1d

from svmosaic.engine.problem import IndexArray
from svmosaic.utils.array_checks import refuse
from svmosaic.utils.sklearn_compat import take_rows
from svmosaic.utils.splits import Split
from svmosaic.utils.state_codec import Scope
from svmosaic.utils.user_warning import warn_user

__all__ = [
    "DEFAULT_PROBABILITY",
    "NotStored",
    "fit_probabilities",
    "wants_probabilities",
    "warn_if_attribute_is_deprecated",
    "warn_if_deprecated",
]

_SIGNATURE = inspect.signature(sklearn.svm.SVC).parameters
# "deprecated" from scikit-learn 1.9 on, False before.
DEFAULT_PROBABILITY: Any = (
    _SIGNATURE["probability"].default if "probability" in _SIGNATURE else False
)

_FOLDS = 5


def wants_probabilities(estimator: Any) -> bool:
    """Whether the parameter `probability` asks for probabilities."""
    return estimator.probability != "deprecated" and bool(estimator.probability)


def warn_if_deprecated(estimator: Any) -> None:
    """Warn of the parameter `probability` where scikit-learn does."""
    if DEFAULT_PROBABILITY == "deprecated" and estimator.probability != "deprecated":
        who = type(estimator).__name__
        warn_user(
            f"The `probability` parameter of {who} is deprecated, as in scikit-learn. Use "
            f"CalibratedClassifierCV({who}(), ensemble=False) instead.",
            FutureWarning,
        )


def warn_if_attribute_is_deprecated(name: str) -> None:
    """Warn of the attributes `probA_` and `probB_` where scikit-learn does."""
    if DEFAULT_PROBABILITY == "deprecated":
        warn_user(
            f"Attribute `{name}` was deprecated with `probability`. Use CalibratedClassifierCV.",
            FutureWarning,
        )


def fit_probabilities(estimator: Any, X: Any, y: Any, sample_weight: Any) -> CalibratedClassifierCV:
    """Return a fitted classifier with sigmoids of the decisions that models of other folds make.

    As in LIBSVM, neither a class of one row nor a `nu` that is infeasible in a fold is an error:
    the only row of its class is in every training part, and `nu` is lowered in the folds.
    """
    y = column_or_1d(y)
    if sample_weight is not None and np.any(sample_weight <= 0):
        # They take no part in the model either.
        kept = np.flatnonzero(sample_weight > 0)
        X, y, sample_weight = take_rows(X, kept), y[kept], sample_weight[kept]
        if estimator.kernel == "precomputed":
            X = X[:, kept]
    labels = np.unique(y, return_inverse=True)[1]
    splits = _folds(labels)
    plain = clone(estimator).set_params(probability=DEFAULT_PROBABILITY)
    if hasattr(plain, "nu") and plain.class_weight is None:
        plain.set_params(nu=min(plain.nu, _largest_nu(labels, sample_weight, splits)))
    calibrated = CalibratedClassifierCV(plain, cv=splits, ensemble=False)
    calibrated.fit(X, y, sample_weight=sample_weight)
    # The model of all rows is there already: with the `nu` that was asked for, and with a column
    # for every row of a precomputed kernel.
    (classifier,) = calibrated.calibrated_classifiers_
    classifier.estimator = copy(estimator)
    return calibrated


def _folds(labels: IndexArray) -> list[Split]:
    """Return folds that test every row once; the only row of a class is in all training parts."""
    counts = np.bincount(labels)
    alone, shared = np.flatnonzero(counts[labels] == 1), np.flatnonzero(counts[labels] > 1)
    if shared.size == 0:
        # Nothing can be left out. Platt's targets keep the probabilities away from 0 and 1.
        return [(alone, alone)]
    folds = StratifiedKFold(min(_FOLDS, int(counts[counts > 1].min())))
    splits = [
        (np.union1d(shared[train], alone), shared[test])
        for train, test in folds.split(shared, labels[shared])
    ]
    train, test = splits[0]
    return [(train, np.union1d(test, alone)), *splits[1:]]


def _largest_nu(labels: IndexArray, weights: Any, splits: list[Split]) -> float:
    """Return the largest `nu` that is feasible in the training parts of all folds."""
    largest = 1.0
    for train, _ in splits:
        given = None if weights is None else weights[train]
        totals = np.bincount(labels[train], given)
        largest = min(largest, 2.0 * totals.min() / (totals.min() + totals.max()))
    return float(largest)


@dataclass(frozen=True)
class NotStored:
    """The kind of an attribute that model files cannot hold; `reason` says what to do."""

    reason: str

    def pack(self, value: Any, path: str, arrays: Any) -> Any:
        """Raise TypeError."""
        raise TypeError(self.reason)

    def unpack(self, plain: Any, path: str, scope: Scope) -> Any:
        """Refuse the file."""
        refuse(f"'{path}' is not part of any model")
