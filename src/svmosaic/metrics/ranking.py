"""Scores of the order in which a model puts samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import Pipeline

__all__ = ["score_roc_auc_macro"]


def score_roc_auc_macro(
    model: Any, X: Any, y: Any, sample_weight: NDArray[np.float64] | None = None
) -> float:
    """Return the area under the ROC curve, as the mean over all classes against the others.

    Unlike scikit-learn's ``roc_auc_ovr`` it needs no probabilities: only the order of the samples
    counts, which decision values give.

    Parameters
    ----------
    model : estimator
        A fitted classifier with ``decision_function`` or ``predict_proba``.
    X : array-like of shape (n_samples, n_features)
        The samples.
    y : array-like of shape (n_samples,)
        Their classes. A class that none of them has does not count.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.

    Returns
    -------
    float
        Between 0 and 1; 0.5 for a model that puts the samples in any order. nan if all samples are
        of one class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svmosaic import OLLAWVClassifier
    >>> from svmosaic.metrics import get_scorer
    >>> X, y = load_iris(return_X_y=True)
    >>> get_scorer("roc_auc_macro")(OLLAWVClassifier().fit(X, y), X, y) > 0.99
    True
    """
    labels, values = np.asarray(y), _class_values(model, X)
    areas = [
        roc_auc_score(labels == label, values[:, j], sample_weight=sample_weight)
        for j, label in enumerate(model.classes_)
        if 0 < np.count_nonzero(labels == label) < labels.size
    ]
    return float(np.mean(areas)) if areas else float("nan")


def _class_values(model: Any, X: Any) -> NDArray[Any]:
    """Return a value for each sample and class, larger for a class that is more likely."""
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    if hasattr(model, "decision_function"):
        values = np.asarray(model.decision_function(X))
        if values.ndim == 1:
            return np.column_stack([-values, values])
        if getattr(last, "decision_function_shape", "ovr") == "ovr":
            return values
        raise ValueError(
            "roc_auc_macro needs one decision value for each class. Use "
            "decision_function_shape='ovr'."
        )
    return np.asarray(model.predict_proba(X))
