"""What a calibration asks of the classifier inside: its fit, and a column of decisions per pair."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from svmosaic.classification.multiclass_prediction import MulticlassPrediction
from svmosaic.engine.class_pairs import class_pairs
from svmosaic.engine.problem import DoubleArray

__all__ = ["class_scores", "column_classes", "fit_with_weights", "has_pairs", "settled"]


def class_scores(model: Any, X: Any) -> DoubleArray:
    """Return the decision values of a fitted classifier, a column per pair of classes or class.

    One-vs-one classifiers of svmosaic have a column per pair: their votes would hide how far
    samples are from the boundaries.
    """
    if isinstance(model, Pipeline):
        for _, step in model.steps[:-1]:
            X = X if step is None or step == "passthrough" else step.transform(X)
        return class_scores(model.steps[-1][1], X)
    if has_pairs(model) and isinstance(model, MulticlassPrediction):
        return model._output_values(model._check_rows(X))
    values = np.asarray(model.decision_function(X), dtype=np.float64)
    return values[:, np.newaxis] if values.ndim == 1 else values


def has_pairs(model: Any) -> bool:
    """Whether the columns of `class_scores` are pairs of classes."""
    if isinstance(model, Pipeline):
        return has_pairs(model.steps[-1][1])
    if model.classes_.size == 2:
        return True
    if isinstance(model, MulticlassPrediction):
        return model.multi_class == "ovo"
    return getattr(model, "decision_function_shape", None) == "ovo"


def column_classes(model: Any, n_classes: int) -> list[tuple[int, int]]:
    """Return the positive and the negative class of each column; -1 means all others."""
    return class_pairs(n_classes, "ovo" if has_pairs(model) else "ovr")


def fit_with_weights(model: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    """Fit with weights if there are any; in a pipeline they are those of the last step."""
    if sample_weight is None:
        return model.fit(X, y)
    name, final = model.steps[-1] if isinstance(model, Pipeline) else ("", model)
    if not has_fit_parameter(final, "sample_weight"):
        raise TypeError(
            f"{type(final).__name__} takes no sample_weight. Leave it out, or calibrate another "
            "classifier."
        )
    key = f"{name}__sample_weight" if name else "sample_weight"
    return model.fit(X, y, **{key: sample_weight})


def settled(model: Any) -> Any:
    """Return a fitted model with its best model in place of a search."""
    if isinstance(model, Pipeline):
        *before, (name, final) = model.steps
        return Pipeline([*before, (name, settled(final))])
    return settled(model.best_estimator_) if hasattr(model, "best_estimator_") else model
