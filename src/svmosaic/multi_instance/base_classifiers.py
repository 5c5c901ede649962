"""Any scikit-learn classifier as a part of a bag classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from svmosaic.engine.problem import DoubleArray

__all__ = ["LARGEST_SEED", "check_takes_weights", "decision_scores", "seeded_copy"]

LARGEST_SEED = np.iinfo(np.int32).max


def seeded_copy(estimator: Any, random_state: np.random.RandomState) -> Any:
    """Return an unfitted copy whose seeds, where they are None, are drawn from `random_state`."""
    copy = clone(estimator)
    seeds = {
        name: random_state.randint(LARGEST_SEED)
        for name, value in sorted(copy.get_params(deep=True).items())
        if name.rpartition("__")[2] == "random_state" and value is None
    }
    return copy.set_params(**seeds) if seeds else copy


def decision_scores(model: Any, X: Any) -> DoubleArray:
    """Return what a classifier fitted to -1 and +1 says: above zero means +1.

    Decision values if it has them, else probability minus a half, else its predictions.
    """
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), dtype=np.float64)
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X)[:, 1] - 0.5, dtype=np.float64)
    return np.asarray(model.predict(X), dtype=np.float64)


def check_takes_weights(estimator: Any, who: str) -> None:
    """Refuse a classifier that cannot weight instances."""
    if not has_fit_parameter(estimator, "sample_weight"):
        raise TypeError(
            f"{who} weights instances and needs a classifier with sample_weight in fit. "
            f"{type(estimator).__name__} has none; take a tree, a forest or an SVM."
        )
