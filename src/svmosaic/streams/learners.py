"""Learners of any kind as one: scikit-learn's, River's, or both at once."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from svmosaic.utils.state_codec import NotPlainError, PlainState

__all__ = [
    "ChunkLearner",
    "RiverLearner",
    "SklearnLearner",
    "StoredModel",
    "as_learner",
    "get_plain_state",
    "learns_in_turn",
    "wrapped_model",
]


class ChunkLearner(Protocol):
    """What `prequential` asks of a learner."""

    def learn(self, X: NDArray[np.float64], y: NDArray[Any], classes: NDArray[Any]) -> None:
        """Learn from some samples."""

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Return one label per sample."""

    def size(self) -> dict[str, int]:
        """Return what the model holds, by name."""


@runtime_checkable
class StoredModel(Protocol):
    """An estimator whose state a check-point can hold; others learn the stream again."""

    def get_plain_state(self) -> PlainState:
        """Return all that was learned; raises `NotPlainError` if that has no plain form."""

    def set_plain_state(self, state: PlainState) -> Any:
        """Continue from a state of unknown origin; raises `ModelFileError` if it cannot be one."""


class SklearnLearner:
    """An estimator with `partial_fit` and `predict`."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self._begun = False
        self._forecast: Any = None

    def learn(self, X: NDArray[np.float64], y: NDArray[Any], classes: NDArray[Any]) -> None:
        """Learn from some samples; the first time with all classes."""
        options = {} if self._begun else {"classes": classes}
        if self._forecast is not None:
            # A model that tests itself on new samples need not predict them again.
            options["forecast"] = self._forecast
        self.model.partial_fit(X, y, **options)
        self._begun, self._forecast = True, None

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Return one label per sample."""
        if not hasattr(self.model, "forecast"):
            return np.asarray(self.model.predict(X))
        self._forecast = self.model.forecast(X)
        return np.asarray(self._forecast.labels)

    @property
    def predict_then_learn(self) -> Any:
        """The method of the model that does both, sample by sample; None if it has none."""
        return getattr(self.model, "predict_then_learn", None)

    @property
    def is_trained(self) -> bool:
        """Whether the model has attributes of a fitted estimator."""
        names = getattr(self.model, "__dict__", {})
        return any(name.endswith("_") and name[0] != "_" for name in names)

    def size(self) -> dict[str, int]:
        """Return support vectors, where the model has some, and bytes."""
        return _model_size(self.model)


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

    def predict_then_learn(
        self, X: NDArray[np.float64], y: NDArray[Any], classes: NDArray[Any]
    ) -> NDArray[Any]:
        """Predict each sample, then learn from it."""
        if self._first is None:
            self._first = classes[0]
        answers = []
        for row, label in zip(X.tolist(), y.tolist(), strict=True):
            sample = dict(enumerate(row))
            answer = self.model.predict_one(sample)
            answers.append(self._first if answer is None else answer)
            self.model.learn_one(sample, label)
        return np.array(answers)

    def size(self) -> dict[str, int]:
        """Return bytes."""
        return _model_size(self.model)


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
        It learns and predicts chunks of samples.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from svmosaic.streams import as_learner
    >>> type(as_learner(GaussianNB())).__name__
    'SklearnLearner'
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


def learns_in_turn(
    learner: ChunkLearner,
) -> Callable[[NDArray[np.float64], NDArray[Any], NDArray[Any]], NDArray[Any]] | None:
    """Return the method that predicts and learns sample by sample, for a learner that has one.

    `StreamOLLAWV` with its adaptive rule and River's models do. An estimator that learns in batches
    could be called for each sample too, but each call would cost as much as one for a chunk.
    """
    method: Callable[..., NDArray[Any]] | None = getattr(learner, "predict_then_learn", None)
    return method


def wrapped_model(learner: ChunkLearner) -> Any:
    """Return the model within a learner, or the learner itself."""
    return getattr(learner, "model", learner)


def get_plain_state(learner: ChunkLearner) -> PlainState | None:
    """Return what a learner has learned as plain data; None if it cannot say."""
    model = wrapped_model(learner)
    if not isinstance(model, StoredModel):
        return None
    try:
        return model.get_plain_state()
    except NotPlainError:
        return None


def _model_size(model: Any) -> dict[str, int]:
    """Return what a model holds: bytes of its pickle, if it has one, and support vectors."""
    size = {}
    with contextlib.suppress(pickle.PicklingError, AttributeError, TypeError):
        size["n_bytes"] = len(pickle.dumps(model, protocol=5))
    support = getattr(model, "n_support_", None)
    if support is not None:
        size["n_support"] = int(np.sum(support))
    return size
