"""What a model costs: its support vectors, and its time beside another's."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

__all__ = ["count_support_vectors", "support_vector_share", "time_improvement"]


def count_support_vectors(model: Any) -> int | None:
    """Return the number of support vectors of a fitted model, or None if it has none.

    Looks into pipelines and searches.
    """
    estimator = model
    while True:
        if isinstance(estimator, Pipeline):
            estimator = estimator.steps[-1][1]
        elif hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        else:
            break
    counts = getattr(estimator, "n_support_", None)
    return None if counts is None else int(np.sum(counts))


def support_vector_share(model: Any, n_samples: int) -> float:
    """Return the support vectors of a fitted model as a share of its training samples, in percent.

    Parameters
    ----------
    model : estimator
        A fitted estimator with `n_support_`; also a pipeline or a search that ends in one.
    n_samples : int
        The number of training samples.

    Returns
    -------
    float
        From 0 to 100; a smaller share predicts faster. A vector that several one-vs-one classifiers
        share counts as the model counts it: once, in svmosaic and in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svmosaic import OLLAWVClassifier
    >>> from svmosaic.metrics import support_vector_share
    >>> X, y = load_iris(return_X_y=True)
    >>> 0 < support_vector_share(OLLAWVClassifier().fit(X, y), len(y)) < 100
    True
    """
    count = count_support_vectors(model)
    if count is None:
        raise ValueError(
            f"{type(model).__name__} has no support vectors ('n_support_'). Give a fitted support "
            "vector machine."
        )
    if n_samples < 1:
        raise ValueError(f"The 'n_samples' must be at least 1. Got {n_samples}.")
    return 100.0 * count / n_samples


def time_improvement(seconds: float, baseline_seconds: float) -> float:
    """Return by how much less time a method takes than a baseline, in percent.

    100 (t_baseline - t) / t_baseline, Eq. 4.2 of Guitart's thesis.

    Parameters
    ----------
    seconds, baseline_seconds : float
        The time of the method, and of the baseline.

    Returns
    -------
    float
        At most 100; 0 where both take the same time, negative where the method takes longer.

    Examples
    --------
    >>> from svmosaic.metrics import time_improvement
    >>> time_improvement(2.0, 8.0), time_improvement(12.0, 8.0)
    (75.0, -50.0)
    """
    if not baseline_seconds > 0 or seconds < 0:
        raise ValueError(
            "time_improvement expects a positive time of the baseline and a time that is not "
            f"negative. Got {baseline_seconds} and {seconds}."
        )
    return 100.0 * (baseline_seconds - seconds) / baseline_seconds
