"""Scorers by name: scikit-learn's and those of this package."""

from __future__ import annotations

import difflib
from functools import cache
from typing import Any

import sklearn.metrics
from sklearn.metrics import make_scorer

from svmosaic.metrics.confusion import (
    one_point_auc_score,
    specificity_score,
    type_1_error,
    type_2_error,
)
from svmosaic.metrics.kappa import cohen_kappa
from svmosaic.metrics.multi_target import SCORES, make_multi_target_scorer
from svmosaic.metrics.ranking import score_roc_auc_macro

__all__ = ["get_scorer", "scorer_names"]


@cache
def _ours() -> dict[str, Any]:
    rates = {
        "specificity": (specificity_score, True),
        "one_point_auc": (one_point_auc_score, True),
        # As in scikit-learn, an error is negated: a larger score is always better.
        "neg_type_1_error": (type_1_error, False),
        "neg_type_2_error": (type_2_error, False),
    }
    scorers = {name: make_multi_target_scorer(name) for name in SCORES}
    scorers["cohen_kappa"] = make_scorer(cohen_kappa)
    scorers["roc_auc_macro"] = score_roc_auc_macro
    for name, (function, greater) in rates.items():
        scorers[name] = make_scorer(function, greater_is_better=greater)
        scorers[f"{name}_macro"] = make_scorer(function, greater_is_better=greater, average="macro")
    return scorers


def scorer_names(*, ours: bool = False) -> list[str]:
    """Return the names that `get_scorer` knows.

    Parameters
    ----------
    ours : bool, default=False
        Whether to leave out scikit-learn's.

    Returns
    -------
    list of str
        The names.

    Examples
    --------
    >>> from svmosaic.metrics import scorer_names
    >>> "accuracy" in scorer_names(), "accuracy" in scorer_names(ours=True)
    (True, False)
    """
    own = sorted(_ours())
    return own if ours else sorted({*own, *sklearn.metrics.get_scorer_names()})


def get_scorer(name: str) -> Any:
    """Return the scorer of a name, as `sklearn.model_selection` takes it for `scoring`.

    Parameters
    ----------
    name : str
        One of `scorer_names`. A larger score is better for all of them; errors are negated and
        their names begin with ``neg_``.

    Returns
    -------
    callable
        Called with a fitted estimator, samples and targets.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.dummy import DummyClassifier
    >>> from svmosaic.metrics import get_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> get_scorer("one_point_auc")(DummyClassifier().fit(X, y), X, y)
    0.5
    """
    if name in _ours():
        return _ours()[name]
    if name not in sklearn.metrics.get_scorer_names():
        close = difflib.get_close_matches(name, scorer_names(), n=1)
        hint = f"Did you mean {close[0]!r}?" if close else f"Ours are {', '.join(sorted(_ours()))}."
        raise ValueError(f"Neither scikit-learn nor svmosaic has a score {name!r}. {hint}")
    return sklearn.metrics.get_scorer(name)
