"""The scores of a search: what each candidate reached on the inner folds, kept small."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

__all__ = ["search_scores"]

# Above this many candidates the record of a split would be mostly scores of its search.
_MOST_CANDIDATES = 400
_PARAM = "param_"
_DIGITS = 6


def search_scores(model: Any) -> dict[str, Any] | None:
    """Return the candidates of a fitted search and their mean scores.

    Parameters
    ----------
    model : estimator
        A fitted search, or a pipeline that ends in one.

    Returns
    -------
    dict or None
        ``params`` has the values of each parameter, one per candidate, and ``score`` the mean
        scores, None where a score is not finite. None for a model that searched nothing, or more
        than 400 candidates.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from svmosaic.model_selection.search_scores import search_scores
    >>> search = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]})
    >>> search_scores(search.fit(*load_iris(return_X_y=True)))["params"]
    {'max_depth': [1, 3]}
    """
    while isinstance(model, Pipeline):
        model = model.steps[-1][1]
    results = getattr(model, "cv_results_", None)
    if results is None or "mean_test_score" not in results:
        return None
    scores = [float(score) for score in results["mean_test_score"]]
    if len(scores) > _MOST_CANDIDATES:
        return None
    params = {
        name.removeprefix(_PARAM): [_plain(value) for value in values]
        for name, values in results.items()
        if name.startswith(_PARAM)
    }
    return {
        "params": params,
        "score": [round(score, _DIGITS) if math.isfinite(score) else None for score in scores],
    }


def _plain(value: Any) -> Any:
    # A parameter that a candidate does not have is masked.
    if value is np.ma.masked:
        return None
    value = value.item() if hasattr(value, "item") else value
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)
