"""Trained models of a stream learner: plain records that predict and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from svmosaic.classification.multiclass import predict_by_votes, votes_of_samples
from svmosaic.classification.stream.chunk_scaling import Scaler
from svmosaic.engine import cpu
from svmosaic.engine.class_pairs import MultiClass, choose_classes
from svmosaic.engine.expansion import KernelExpansion
from svmosaic.engine.problem import DenseRows, DoubleArray, FloatArray, IndexArray

__all__ = [
    "Constant",
    "Forecast",
    "Linear",
    "ScaledExpansion",
    "StreamModel",
    "class_values",
    "outputs_of",
    "predict_codes",
    "sign_of_second",
    "vote",
]


class StreamModel(Protocol):
    """What a stream learner asks of a trained model.

    `classes` are the numbers of the classes that it knows, ascending.
    """

    @property
    def classes(self) -> IndexArray:
        """The numbers of the classes."""

    @property
    def n_support(self) -> int:
        """Support vectors it stores."""

    @property
    def multi_class(self) -> MultiClass:
        """Whether it decides between pairs of classes, or has a score for each class."""

    def decide(self, X: FloatArray, n_threads: int) -> DoubleArray:
        """Return decision values, one column per pair of classes or per class."""


def outputs_of(n_classes: int, n_outputs: int) -> MultiClass | None:
    """Return what the outputs of a model are, by their number; None if they cannot be anything.

    More than three classes have more pairs than classes. Three classes have a model for each pair.

    Examples
    --------
    >>> from svmosaic.classification.stream.stream_models import outputs_of
    >>> outputs_of(3, 3), outputs_of(10, 10), outputs_of(10, 45), outputs_of(10, 9)
    ('ovo', 'ovr', 'ovo', None)
    """
    if n_outputs == n_classes * (n_classes - 1) // 2:
        return "ovo"
    return "ovr" if n_outputs == n_classes > 3 else None


@dataclass(frozen=True)
class Constant:
    """The model of a chunk with one class."""

    classes: IndexArray
    n_support: int = 0
    multi_class: MultiClass = "ovo"

    def decide(self, X: FloatArray, n_threads: int) -> DoubleArray:
        """Return no decision: there is no pair."""
        return np.empty((X.shape[0], 0))


@dataclass(frozen=True)
class Linear:
    """A hyperplane per pair of classes, or per class; the last row of `weights` is intercepts."""

    classes: IndexArray
    scaler: Scaler
    weights: DoubleArray
    n_support: int = 0

    @property
    def multi_class(self) -> MultiClass:
        """What the columns of `weights` are for."""
        return outputs_of(self.classes.size, self.weights.shape[1]) or "ovo"

    def decide(self, X: FloatArray, n_threads: int) -> DoubleArray:
        """Return decision values, one column per hyperplane."""
        weights = np.ascontiguousarray(self.weights.T)
        return cpu.decide_linear(DenseRows(self.scaler(X)), weights, n_threads=n_threads)


@dataclass(frozen=True)
class ScaledExpansion:
    """A kernel expansion of scaled samples with an output per pair of classes, or per class.

    `labels` are the numbers of the vectors' classes.
    """

    classes: IndexArray
    scaler: Scaler
    labels: IndexArray
    expansion: KernelExpansion

    @property
    def n_support(self) -> int:
        """Support vectors."""
        return self.expansion.n_vectors

    @property
    def multi_class(self) -> MultiClass:
        """What the outputs of the expansion are."""
        return outputs_of(self.classes.size, self.expansion.n_outputs) or "ovo"

    def best_vectors(self, count: int) -> tuple[DoubleArray, IndexArray]:
        """Return the support vectors of largest coefficients, not scaled, and their classes."""
        sizes = abs(self.expansion.coefficient_matrix()).sum(axis=1)
        best = np.sort(np.argsort(-sizes, kind="stable")[:count])
        raw = self.expansion.vectors[best] * self.scaler.scale + self.scaler.offset
        return raw, self.labels[best]

    def decide(self, X: FloatArray, n_threads: int) -> DoubleArray:
        """Return decision values, one column per output."""
        return self.expansion.decide(self.scaler(X), n_threads=n_threads)


@dataclass(frozen=True)
class Forecast:
    """What a stream learner predicts for samples that it is going to learn from.

    Attributes
    ----------
    X : array-like of shape (n_samples, n_features)
        The samples, as they were given.
    labels : ndarray of shape (n_samples,)
        The predicted class labels.
    model : StreamModel
        What predicted them.
    decisions : ndarray of shape (n_samples, n_outputs)
        Its decision values.
    """

    X: Any
    labels: Any
    model: StreamModel
    decisions: DoubleArray


def class_values(model: StreamModel, X: FloatArray, n_classes: int, n_threads: int) -> DoubleArray:
    """Return a value per sample and class; the largest is the prediction.

    With two classes the values are minus and plus the decision. A class that the model has not
    seen gets a value below all others.
    """
    known = model.classes
    if known.size == 1:
        values = np.ones((X.shape[0], 1))
    elif known.size == 2:
        # One column, positive for the second class, as everywhere in the library.
        decisions = model.decide(X, n_threads)
        values = np.column_stack([-decisions[:, 0], decisions[:, 0]])
    elif model.multi_class == "ovr":
        values = model.decide(X, n_threads)
    else:
        values = votes_of_samples(lambda rows: model.decide(rows, n_threads), X, known.size)
    if known.size == n_classes:
        return values
    padded = np.repeat(values.min(axis=1, keepdims=True) - 1.0, n_classes, axis=1)
    padded[:, known] = values
    return padded


def sign_of_second(n_classes: int) -> float:
    """Return the sign of decisions for the second class of a pair: 1 with two classes, else -1."""
    return 1.0 if n_classes == 2 else -1.0


def predict_codes(model: StreamModel, X: FloatArray, n_threads: int = 1) -> IndexArray:
    """Return the numbers of the predicted classes."""
    known = model.classes
    if known.size > 2 and model.multi_class == "ovo":
        return known[predict_by_votes(lambda rows: model.decide(rows, n_threads), X, known.size)]
    return vote(model, model.decide(X, n_threads))


def vote(model: StreamModel, decisions: DoubleArray) -> IndexArray:
    """Return the numbers of the classes that the decision values of a model speak for."""
    known = model.classes
    if known.size == 1:
        return np.repeat(known, decisions.shape[0])
    return known[choose_classes(decisions, known.size, model.multi_class)]
