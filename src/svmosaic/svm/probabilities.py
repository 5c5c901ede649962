"""Probabilities of classes as `SVC(probability=True)` has them: sigmoids of its decisions."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np
import sklearn.svm
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import column_or_1d

from svmosaic.utils.array_checks import refuse
from svmosaic.utils.sklearn_compat import take_rows
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
    """Return sigmoids of the decisions that models of the other folds make, and the model."""
    y = column_or_1d(y)
    if sample_weight is not None and np.any(sample_weight <= 0):
        # They take no part in the model either.
        kept = np.flatnonzero(sample_weight > 0)
        X, y, sample_weight = take_rows(X, kept), y[kept], sample_weight[kept]
        if estimator.kernel == "precomputed":
            X = X[:, kept]
    smallest = int(np.unique(y, return_counts=True)[1].min())
    if smallest < 2:
        raise ValueError(
            f"{type(estimator).__name__} with probability=True needs at least 2 samples of every "
            "class for cross-validation. Got a class with 1 sample; leave probability out."
        )
    plain = clone(estimator).set_params(probability=DEFAULT_PROBABILITY)
    folds = StratifiedKFold(min(_FOLDS, smallest))
    calibrated = CalibratedClassifierCV(plain, cv=folds, ensemble=False)
    return calibrated.fit(X, y, sample_weight=sample_weight)


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
