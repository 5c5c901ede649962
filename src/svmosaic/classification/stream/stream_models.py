"""Trained models of a stream learner: plain records that predict and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from svmosaic.classification.multiclass import predict_by_votes, votes_of_samples
from svmosaic.classification.stream.chunk_scaling import Scaler
from svmosaic.engine import cpu
from svmosaic.engine.class_pairs import combine_votes
from svmosaic.engine.expansion import KernelExpansion
from svmosaic.engine.problem import DenseRows, DoubleArray, FloatArray, IndexArray

__all__ = [
    "Constant",
    "Forecast",
    "Linear",
    "ScaledExpansion",
    "StreamModel",
    "class_values",
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

    def decide(self, X: FloatArray, n_threads: int) -> DoubleArray:
        """Return decision values, one column per pair of classes."""


@dataclass(frozen=True)
class Constant:
    """The model of a chunk with one class."""

    classes: IndexArray
    n_support: int = 0

    def decide(self, X: FloatArray, n_threads: int) -> DoubleArray:
        """Return no decision: there is no pair."""
        return np.empty((X.shape[0], 0))


@dataclass(frozen=True)
class Linear:
    """A hyperplane per pair of classes; the last row of `weights` holds the intercepts."""

    classes: IndexArray
    scaler: Scaler
    weights: DoubleArray
    n_support: int = 0

    def decide(self, X: FloatArray, n_threads: int) -> DoubleArray:
        """Return decision values, one column per pair of classes."""
        weights = np.ascontiguousarray(self.weights.T)
        return cpu.decide_linear(DenseRows(self.scaler(X)), weights, n_threads=n_threads)


@dataclass(frozen=True)
class ScaledExpansion:
    """A kernel expansion of scaled samples with an output per pair of classes.

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

    def best_vectors(self, count: int) -> tuple[DoubleArray, IndexArray]:
        """Return the support vectors of largest coefficients, not scaled, and their classes."""
        sizes = abs(self.expansion.coefficient_matrix()).sum(axis=1)
        best = np.sort(np.argsort(-sizes, kind="stable")[:count])
        raw = self.expansion.vectors[best] * self.scaler.scale + self.scaler.offset
        return raw, self.labels[best]

    def decide(self, X: FloatArray, n_threads: int) -> DoubleArray:
        """Return decision values, one column per pair of classes."""
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
    decisions : ndarray of shape (n_samples, n_pairs)
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
    if known.size > 2:
        return known[predict_by_votes(lambda rows: model.decide(rows, n_threads), X, known.size)]
    return vote(known, model.decide(X, n_threads))


def vote(known: IndexArray, decisions: DoubleArray) -> IndexArray:
    """Return the numbers of the classes that decision values speak for."""
    if known.size == 1:
        return np.repeat(known, decisions.shape[0])
    if known.size == 2:
        places = (decisions[:, 0] > 0).astype(np.intp)
    else:
        places = combine_votes(decisions, known.size).argmax(axis=1)
    return known[places]
