"""Trained machines of a stream learner: plain records that predict and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.sparse import csr_array

from svmosaic.classification.multiclass import combine_votes
from svmosaic.classification.stream.scaling import FloatTable, Scaler
from svmosaic.engine import cpu
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import Coefficients, DenseRows, DoubleArray, FloatArray, IndexArray

__all__ = [
    "Constant",
    "Expansion",
    "Forecast",
    "Linear",
    "Machine",
    "class_values",
    "predict_codes",
    "vote",
]


class Machine(Protocol):
    """What a stream learner asks of a trained machine.

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
    """The machine of a chunk with one class."""

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
        values = self.scaler(X) @ self.weights[:-1] + self.weights[-1]
        return np.asarray(values, dtype=np.float64)


@dataclass(frozen=True)
class Expansion:
    """A kernel expansion per pair of classes over shared support vectors.

    `offsets`, `columns` and `coefficients` are a sparse matrix with a row per vector; `labels` are
    the numbers of the vectors' classes.
    """

    classes: IndexArray
    scaler: Scaler
    kernel: KernelSpec
    vectors: FloatTable
    labels: IndexArray
    offsets: IndexArray
    columns: IndexArray
    coefficients: DoubleArray
    intercepts: DoubleArray

    @property
    def n_support(self) -> int:
        """Support vectors."""
        return int(self.vectors.shape[0])

    def best_vectors(self, count: int) -> tuple[DoubleArray, IndexArray]:
        """Return the support vectors of largest coefficients, not scaled, and their classes."""
        shape = self.n_support, self.intercepts.size
        matrix = csr_array((self.coefficients, self.columns, self.offsets), shape=shape)
        sizes = abs(matrix).sum(axis=1)
        best = np.sort(np.argsort(-sizes, kind="stable")[:count])
        raw = self.vectors[best] * self.scaler.scale + self.scaler.offset
        return raw, self.labels[best]

    def decide(self, X: FloatArray, n_threads: int) -> DoubleArray:
        """Return decision values, one column per pair of classes."""
        return cpu.decide(
            DenseRows(self.scaler(X)),
            DenseRows(self.vectors),
            np.arange(self.n_support),
            self.kernel,
            Coefficients(self.offsets, self.columns, self.coefficients, self.intercepts.size),
            self.intercepts,
            n_threads=n_threads,
        )


@dataclass(frozen=True)
class Forecast:
    """What a stream learner predicts for samples that it is going to learn from.

    Attributes
    ----------
    X : array-like of shape (n_samples, n_features)
        The samples, as they were given.
    labels : ndarray of shape (n_samples,)
        The predicted class labels.
    machine : Machine
        What predicted them.
    decisions : ndarray of shape (n_samples, n_pairs)
        Its decision values.
    """

    X: Any
    labels: Any
    machine: Machine
    decisions: DoubleArray


def class_values(machine: Machine, X: FloatArray, n_classes: int, n_threads: int) -> DoubleArray:
    """Return a value per sample and class; the largest is the prediction.

    With two classes the values are minus and plus the decision. A class that the machine has not
    seen gets a value below all others.
    """
    decisions = machine.decide(X, n_threads)
    known = machine.classes
    if known.size == 1:
        values = np.ones((X.shape[0], 1))
    elif known.size == 2:
        # One column, positive for the second class, as everywhere in the library.
        values = np.column_stack([-decisions[:, 0], decisions[:, 0]])
    else:
        values = combine_votes(decisions, known.size)
    if known.size == n_classes:
        return values
    padded = np.repeat(values.min(axis=1, keepdims=True) - 1.0, n_classes, axis=1)
    padded[:, known] = values
    return padded


def predict_codes(machine: Machine, X: FloatArray, n_threads: int = 1) -> IndexArray:
    """Return the numbers of the predicted classes."""
    return vote(machine.classes, machine.decide(X, n_threads))


def vote(known: IndexArray, decisions: DoubleArray) -> IndexArray:
    """Return the numbers of the classes that decision values speak for."""
    if known.size == 1:
        return np.repeat(known, decisions.shape[0])
    if known.size == 2:
        places = (decisions[:, 0] > 0).astype(np.intp)
    else:
        places = combine_votes(decisions, known.size).argmax(axis=1)
    return known[places]
