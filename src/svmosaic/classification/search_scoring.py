"""What a search maximises: from confusion matrices where they are enough, else model by model."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import metrics

from svmosaic.classification.scores import SCORES
from svmosaic.engine.problem import DoubleArray
from svmosaic.utils.sklearn_compat import scorer_parts

__all__ = ["SearchScoring", "far_below", "resolve_scoring"]

# These see nothing but how often each class was predicted for each, so that the counts of the
# engine are enough.
_COUNTING = (
    metrics.accuracy_score,
    metrics.balanced_accuracy_score,
    metrics.cohen_kappa_score,
    metrics.f1_score,
    metrics.fbeta_score,
    metrics.hamming_loss,
    metrics.jaccard_score,
    metrics.matthews_corrcoef,
    metrics.precision_score,
    metrics.recall_score,
    metrics.zero_one_loss,
)

# A model that scores this much lower on its own training rows than on rows that it did not see has
# not learnt what the search found: a share of the score, and standard errors.
_LOWER_SHARE = 0.05
_LOWER_ERRORS = 3.0


@dataclass(frozen=True)
class SearchScoring:
    """A scorer, and the same from confusion matrices if they determine it.

    Attributes
    ----------
    name : str
        What messages call it.
    scorer : callable
        Called as ``scorer(model, X, y)``.
    of_confusion : callable or None
        Gets weights of shape (..., true class, predicted class) and the class labels; returns
        scores of shape (...). None where predictions have to be seen.
    takes_weights : bool
        Whether the scorer has a parameter `sample_weight`.
    methods : tuple of str
        A model needs one of them; empty if that is not known.
    """

    name: str
    scorer: Callable[..., Any]
    of_confusion: Callable[[DoubleArray, Any], DoubleArray] | None
    takes_weights: bool
    methods: tuple[str, ...] = ()

    def score(self, model: Any, X: Any, y: Any, parameters: dict[str, Any]) -> float:
        """Return the score of a fitted model, a number."""
        value = self.scorer(model, X, y, **parameters)
        if not np.isscalar(value) or not np.isreal(value):
            raise ValueError(
                f"The 'scoring' parameter must return a number. {self.name} returned "
                f"{type(value).__name__}; give a function that returns one score."
            )
        return float(value)  # type: ignore[arg-type]


def resolve_scoring(scoring: Any, model: Any, who: str) -> SearchScoring:
    """Return what `scoring` means for models such as `model`.

    Parameters
    ----------
    scoring : str, callable or None
        A name of scikit-learn, or ``scorer(model, X, y)``; None means accuracy.
    model : estimator
        An unfitted model; a scorer that needs a method it does not have is refused.
    who : str
        Who is named in the error.
    """
    name = "accuracy" if scoring is None else scoring
    found = _named_scoring(name) if isinstance(name, str) else _scoring(name)
    # No generator that ends early: Ctrl-C while it is closed would be lost.
    if found.methods and not [method for method in found.methods if hasattr(model, method)]:
        raise ValueError(
            f"{who} expected a scoring that needs predict or decision_function. {found.name!r} "
            f"needs {' or '.join(found.methods)}; choose another one, or search with GridSearchCV "
            "over a calibrated classifier."
        )
    return found


@functools.cache
def _named_scoring(name: str) -> SearchScoring:
    # Kept: scikit-learn copies the scorer, which takes longer than a fit to few samples.
    return _scoring(name)


def _scoring(name: Any) -> SearchScoring:
    scorer = metrics.get_scorer(name) if isinstance(name, str) else name
    called = name if isinstance(name, str) else getattr(name, "__name__", repr(name))
    parts = scorer_parts(scorer)
    if parts is None:
        return SearchScoring(called, scorer, None, _has_weight(scorer))
    of_confusion: Callable[[DoubleArray, Any], DoubleArray] | None = None
    if isinstance(name, str) and name in SCORES:
        of_confusion = _of_table(SCORES[name])
    elif parts.methods == ("predict",) and parts.function in _COUNTING:
        of_confusion = _of_metric(parts.function, parts.sign, parts.parameters)
    return SearchScoring(
        called, scorer, of_confusion, _has_weight(parts.function), tuple(parts.methods)
    )


def far_below(on_training: float, mean: float, deviation: float, n_rows: int) -> bool:
    """Whether a model's score on its training rows contradicts its cross-validated score.

    Parameters
    ----------
    on_training : float
        Its score on training rows.
    mean, deviation : float
        Mean and deviation of its scores over the folds.
    n_rows : int
        Number of the training rows. Of few, scores differ by chance.
    """
    # A share of n rows has a standard error of at most 0.5 / sqrt(n).
    error = max(deviation, 0.5 * abs(mean) / np.sqrt(n_rows))
    return bool(mean - on_training > max(_LOWER_ERRORS * error, _LOWER_SHARE * abs(mean)))


def _has_weight(function: Callable[..., Any]) -> bool:
    try:
        return "sample_weight" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def _of_table(
    score: Callable[[DoubleArray], DoubleArray],
) -> Callable[[DoubleArray, Any], DoubleArray]:
    return lambda confusion, _: score(confusion)


def _of_metric(
    function: Callable[..., float], sign: float, parameters: dict[str, Any]
) -> Callable[[DoubleArray, Any], DoubleArray]:
    def score(confusion: DoubleArray, classes: Any) -> DoubleArray:
        scores = np.empty(confusion.shape[:-2])
        for place in np.ndindex(scores.shape):
            true, predicted = np.nonzero(confusion[place])
            scores[place] = sign * function(
                classes[true],
                classes[predicted],
                sample_weight=confusion[place][true, predicted],
                **parameters,
            )
        return scores

    return score
