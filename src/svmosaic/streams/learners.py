"""Learners of any kind as one: scikit-learn's, River's, or both at once."""

from __future__ import annotations

import contextlib
import pickle
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["ChunkLearner", "RiverLearner", "SklearnLearner", "as_learner"]


class ChunkLearner(Protocol):
    """What `prequential` asks of a learner."""

    def learn(self, X: NDArray[np.float64], y: NDArray[Any], classes: NDArray[Any]) -> None:
        """Learn from some samples."""

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Return one label per sample."""

    def size(self) -> dict[str, int]:
        """Return what the model holds, by name."""


class SklearnLearner:
    """An estimator with `partial_fit` and `predict`."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self._begun = False

    def learn(self, X: NDArray[np.float64], y: NDArray[Any], classes: NDArray[Any]) -> None:
        """Learn from some samples; the first time with all classes."""
        if self._begun:
            self.model.partial_fit(X, y)
        else:
            self.model.partial_fit(X, y, classes=classes)
        self._begun = True

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Return one label per sample."""
        return np.asarray(self.model.predict(X))

    def size(self) -> dict[str, int]:
        """Return support vectors, where the model has some, and bytes."""
        return _size_of(self.model)


class RiverLearner:
    """A model of River: `learn_one` and `predict_one`, samples as dictionaries."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self._first: Any = None

    def learn(self, X: NDArray[np.float64], y: NDArray[Any], classes: NDArray[Any]) -> None:
        """Learn from some samples, one by one."""
        if self._first is None:
            self._first = classes[0]
        for row, label in zip(X.tolist(), y.tolist(), strict=True):
            self.model.learn_one(dict(enumerate(row)), label)

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Return one label per sample; the first class where the model does not know."""
        answers = (self.model.predict_one(dict(enumerate(row))) for row in X.tolist())
        return np.array([self._first if answer is None else answer for answer in answers])

    def size(self) -> dict[str, int]:
        """Return bytes."""
        return _size_of(self.model)


def as_learner(model: Any) -> ChunkLearner:
    """Return a learner around a model, by the methods that the model has.

    Parameters
    ----------
    model : object
        It has `learn`, `predict` and `size` already, or `partial_fit` and `predict` (scikit-learn
        and svmosaic), or `learn_one` and `predict_one` (River).

    Returns
    -------
    ChunkLearner
    """
    if all(hasattr(model, name) for name in ("learn", "predict", "size")):
        learner: ChunkLearner = model
        return learner
    if hasattr(model, "partial_fit") and hasattr(model, "predict"):
        return SklearnLearner(model)
    if hasattr(model, "learn_one") and hasattr(model, "predict_one"):
        return RiverLearner(model)
    raise TypeError(
        "A learner needs partial_fit and predict, or learn_one and predict_one. "
        f"{type(model).__name__} has neither; for one that learns all at once see "
        "svmosaic.model_selection."
    )


def _size_of(model: Any) -> dict[str, int]:
    """Return what a model holds: bytes of its pickle, if it has one, and support vectors."""
    size = {}
    with contextlib.suppress(pickle.PicklingError, AttributeError, TypeError):
        size["n_bytes"] = len(pickle.dumps(model, protocol=5))
    support = getattr(model, "n_support_", None)
    if support is not None:
        size["n_support"] = int(np.sum(support))
    return size
