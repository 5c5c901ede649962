"""The parts of a model: the estimator, and the steps before it."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

__all__ = ["final_estimator", "list_transformers"]


def final_estimator(model: Any) -> Any:
    """Return the estimator at the end of a model."""
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def list_transformers(model: Any) -> list[Any]:
    """Return what comes before the estimator; of bags, what is applied to their instances."""
    steps = model.steps[:-1] if isinstance(model, Pipeline) else []
    return [getattr(one, "transformer_", one) for _, one in steps]
