"""A search over a grid of parameters, for every method and every score."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import UndefinedMetricWarning

from svmosaic.bags import Bags
from svmosaic.cli.data_kinds import data_kind
from svmosaic.cli.folds import make_folds
from svmosaic.cli.methods import fit_weighted
from svmosaic.cli.preparation import Preparation
from svmosaic.metrics import get_scorer, scorer_names

__all__ = ["GridSearch", "check_grid", "check_scoring", "default_grid", "find_scorer"]

# How many values each parameter gets unless the user names them: a search of the exact models
# costs a fit for each candidate and fold.
_CS = (1.0, 10.0, 100.0)
_LAMBDAS = (0.1, 1.0, 10.0)
_GAMMA_STEPS = (-2, -1, 0, 1)
_EPSILON_SHARES = (0.01, 0.1)
# Scores of two classes that have a mean over several, whose name ends with _macro.
_OF_TWO_CLASSES = (
    *("roc_auc", "f1", "precision", "recall", "jaccard", "specificity", "one_point_auc"),
    *("neg_type_1_error", "neg_type_2_error"),
)
# Scores of several classes that need probabilities, and one that does not.
_OF_PROBABILITIES = {"roc_auc_ovr", "roc_auc_ovo", "roc_auc_ovr_weighted", "roc_auc_ovo_weighted"}


def find_scorer(name: str | None, estimator: Any) -> tuple[str, Any]:
    """Return name and function of a score; by default accuracy, or R2 of a regressor.

    Parameters
    ----------
    name : str or None
        A name of `svmosaic.metrics.scorer_names`.
    estimator : estimator
        What is to be scored.
    """
    if name is None:
        name = "r2" if is_regressor(estimator) else "accuracy"
    if name not in scorer_names():
        raise ValueError(
            f"There is no --scoring {name}. Use for example accuracy, balanced_accuracy, f1_macro "
            "or roc_auc; for numbers, r2 or neg_mean_absolute_error."
        )
    if name in _OF_PROBABILITIES and not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"--scoring {name} needs probabilities, which the method does not give. Use "
            "roc_auc_macro, which needs decision values."
        )
    return name, get_scorer(name)


def check_scoring(name: str, y: Any, who: str) -> None:
    """Refuse a score of two classes where there are more, and say which one to use.

    Parameters
    ----------
    name : str
        The score.
    y : ndarray
        The classes of all samples.
    who : str
        The data, for the message.
    """
    n_classes = np.unique(y).size if y.ndim == 1 else 0
    if name not in _OF_TWO_CLASSES or n_classes <= 2:
        return
    raise ValueError(
        f"--scoring {name} is for two classes, and {who} has {n_classes}. Use {name}_macro, the "
        "mean over the classes."
    )


def default_grid(estimator: Any, X: Any, y: Any) -> dict[str, list[Any]]:
    """Return values to try for the parameters that matter most; none if the method tunes itself.

    Parameters
    ----------
    estimator : estimator
        The method.
    X : {ndarray, sparse matrix} of shape (n_samples, n_features) or Bags
        Prepared features.
    y : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Labels or targets.
    """
    params = estimator.get_params()
    grid: dict[str, list[Any]] = {}
    if "Cs" in params or isinstance(params.get("C"), tuple):
        return grid
    if "C" in params:
        grid["C"] = list(_CS)
    if isinstance(params.get("lam"), float):
        grid["lam"] = list(_LAMBDAS)
    if params.get("gamma") == "scale" and params.get("kernel") != "linear":
        grid["gamma"] = [_scale_gamma(X) * 4.0**k for k in _GAMMA_STEPS]
    if "epsilon" in params:
        deviation = float(np.std(y)) or 1.0
        grid["epsilon"] = [share * deviation for share in _EPSILON_SHARES]
    return grid


def _scale_gamma(X: Any) -> float:
    """Return 1 / (number of features x variance), as the rule "scale" has it."""
    table = X.instances if isinstance(X, Bags) else X
    if hasattr(table, "toarray"):
        mean = float(table.mean())
        variance = float(table.multiply(table).mean()) - mean * mean
    else:
        variance = float(table.var())
    return 1.0 / (table.shape[1] * variance) if variance > 0 else 1.0


class GridSearch:
    """Scores of all candidates by cross-validation; steps are trained in each fold.

    Parameters
    ----------
    estimator : estimator
        The method, with the parameters that are not searched.
    grid : dict
        Values to try, by the name of their parameter.
    n_folds : int
        Number of folds.
    scorer : callable
        ``scorer(model, X, y)``; larger is better.

    Attributes
    ----------
    cv_results_ : dict of ndarrays
        Parameters, mean and deviation of the score of each candidate.
    best_params_ : dict
        The candidate with the largest mean; the first of several.
    best_score_ : float
        Its mean score.
    best_estimator_ : estimator
        It, trained on all data.
    """

    def __init__(
        self, estimator: Any, grid: dict[str, list[Any]], n_folds: int, scorer: Any
    ) -> None:
        self.estimator = estimator
        self.grid = grid
        self.n_folds = n_folds
        self.scorer = scorer

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        new_preparation: Callable[[Any], Preparation],
        who: str,
    ) -> Preparation:
        """Search, train the best candidate on all data, and return the steps before it.

        Parameters
        ----------
        X : {ndarray, sparse matrix} of shape (n_samples, n_features) or Bags
            Features as they were read.
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Labels or targets.
        sample_weight : ndarray of shape (n_samples,) or None
            Weights of the rows.
        new_preparation : callable
            ``new_preparation(X)`` returns steps that are not trained yet.
        who : str
            The data, for messages.
        """
        folds = self._prepared_folds(X, y, sample_weight, new_preparation, who)
        candidates = [
            dict(zip(self.grid, values, strict=True))
            for values in itertools.product(*self.grid.values())
        ]
        scores = np.array([[self._score(one, *fold) for fold in folds] for one in candidates])
        if not np.isfinite(scores).all():
            raise ValueError(
                f"The score of a fold of {who} is no number: {self.n_folds} folds of {len(y)} "
                "samples are too small for it. Lower --cv, or choose another --scoring."
            )
        best = int(scores.mean(axis=1).argmax())
        self.cv_results_ = {
            **{
                f"param_{name}": np.array([one[name] for one in candidates], dtype=object)
                for name in self.grid
            },
            "mean_test_score": scores.mean(axis=1),
            "std_test_score": scores.std(axis=1),
        }
        self.best_params_, self.best_score_ = candidates[best], float(scores[best].mean())
        preparation = new_preparation(X)
        prepared = preparation.fit_transform(X)
        self.best_estimator_ = self._fit(self.best_params_, prepared, y, sample_weight)
        return preparation

    def _prepared_folds(
        self, X: Any, y: Any, weight: Any, new_preparation: Callable[[Any], Preparation], who: str
    ) -> list[tuple[Any, ...]]:
        parts = []
        stratified = is_classifier(self.estimator)
        for train, test in make_folds(y, self.n_folds, stratified=stratified, who=who):
            preparation = new_preparation(X[train])
            prepared = preparation.fit_transform(X[train])
            of_train = None if weight is None else weight[train]
            parts.append((prepared, y[train], of_train, preparation.transform(X[test]), y[test]))
        return parts

    def _score(
        self, candidate: dict[str, Any], X: Any, y: Any, weight: Any, X_test: Any, y_test: Any
    ) -> float:
        model = self._fit(candidate, X, y, weight)
        try:
            with warnings.catch_warnings():
                # What is undefined is nan, which `fit` refuses.
                warnings.simplefilter("ignore", UndefinedMetricWarning)
                return float(self.scorer(model, X_test, y_test))
        except AttributeError as error:
            raise ValueError(
                f"{type(model).__name__} does not have what --scoring asks of it ({error}). "
                "Choose another."
            ) from None

    def _fit(self, candidate: dict[str, Any], X: Any, y: Any, weight: Any) -> Any:
        model = clone(self.estimator).set_params(**candidate)
        if data_kind(model) != "rows":
            weight = None
        return fit_weighted(model, X, y, weight, "The file")


def check_grid(estimator: Any, grid: dict[str, list[Any]], who: str) -> None:
    """Refuse parameters that the method does not have.

    Parameters
    ----------
    estimator : estimator
        The method.
    grid : dict
        Values to try, by the name of their parameter.
    who : str
        The method, for the message.
    """
    known = estimator.get_params()
    for name in grid:
        if name not in known:
            raise ValueError(f"{who} has no parameter {name!r}. It has: {', '.join(known)}.")
