"""What a fit of a classifier begins with: from checked rows and labels to binary problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import compute_class_weight

from svmosaic.classification.kernel_estimator import (
    KernelEstimator,
    check_square,
    check_weights,
    distinct_samples,
    resolve_kernel,
)
from svmosaic.engine.class_pairs import MultiClass, split
from svmosaic.engine.kernels import KernelFunction, KernelSpec
from svmosaic.engine.problem import DoubleArray, IndexArray, Problem, Rows
from svmosaic.engine.rows import make_rows
from svmosaic.utils.labels import distinct_labels, label_numbers

__all__ = [
    "Training",
    "check_dense",
    "encode_classes",
    "prepare_training",
    "resolve_training_kernel",
    "weigh_rows",
    "weights_of_classes",
]


@dataclass(frozen=True)
class Training:
    """Training data, ready to be solved.

    Attributes
    ----------
    X : {ndarray, sparse matrix}
        All rows, checked.
    rows : Rows
        The same as a table of the engine.
    classes : ndarray of shape (n_classes,)
        Class labels of positive weight.
    labels : ndarray of int64
        The class number of every row.
    row_weights : ndarray of float64
        The weight of every row, that of its class included.
    samples : ndarray of int64
        The rows that take part: distinct ones in canonical order, or all as they were given.
    weights : ndarray of float64
        The weights of the samples.
    problems : list of Problem
        The binary problems over the samples.
    class_weights : ndarray of float64 or None
        What the rows of each class were multiplied by; None for nothing.
    """

    X: Any
    rows: Rows
    classes: Any
    labels: IndexArray
    row_weights: DoubleArray
    samples: IndexArray
    weights: DoubleArray
    problems: list[Problem]
    class_weights: DoubleArray | None = None


def prepare_training(
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    who: str,
    kernel: str | KernelFunction = "rbf",
    class_weight: dict[Any, float] | str | None = None,
    multi_class: MultiClass = "ovo",
    in_given_order: bool = False,
    dense_only: bool = False,
    n_threads: int = 1,
) -> Training:
    """Return the binary problems of checked samples and labels.

    `who` is named in errors. With `in_given_order` every row is a sample of its own; otherwise
    neither the order of the rows nor repetition can matter from here on.
    """
    if dense_only:
        check_dense(X, who)
    check_square(X, kernel, who)
    row_weights = check_weights(X, sample_weight, who)
    class_weights = None
    if class_weight is not None:
        present, per_class = weights_of_classes(y, row_weights, class_weight)
        row_weights = weigh_rows(row_weights, y, present, per_class)
        class_weights = per_class[per_class > 0]
    classes, labels = encode_classes(y, row_weights, who)
    rows = make_rows(X, kernel)
    if in_given_order:
        samples = np.flatnonzero(row_weights > 0)
        weights = row_weights[samples]
    else:
        samples, weights = distinct_samples(X, kernel, labels, row_weights, n_threads=n_threads)
    problems = split(samples, labels[samples], weights, classes.size, multi_class)
    return Training(
        X, rows, classes, labels, row_weights, samples, weights, problems, class_weights
    )


def resolve_training_kernel(estimator: KernelEstimator, training: Training) -> KernelSpec:
    """Return the kernel that the parameters name, with gamma resolved on the training samples."""
    samples = training.samples
    return resolve_kernel(
        estimator, training.X, samples, training.weights, training.labels[samples]
    )


def check_dense(X: Any, who: str) -> None:
    """Refuse a sparse matrix."""
    if sp.issparse(X):
        raise TypeError(
            f"{who} takes dense arrays only. Got a sparse matrix; use X.toarray() if it fits into "
            "memory."
        )


def weigh_rows(weights: DoubleArray, y: Any, present: Any, per_class: DoubleArray) -> DoubleArray:
    """Return the weights of the rows times those of their classes."""
    factor = np.ones(y.shape[0])
    for label, value in zip(present, per_class, strict=True):
        factor[y == label] = value
    return np.ascontiguousarray(weights * factor)


def weights_of_classes(
    y: Any, weights: DoubleArray, class_weight: dict[Any, float] | str | None
) -> tuple[Any, DoubleArray]:
    """Return the classes of positive weight and what `class_weight` multiplies their rows by."""
    present = np.unique(y[weights > 0])
    if class_weight == "balanced":
        # As for repeated rows: every class gets the same total weight.
        totals = np.array([weights[y == c].sum() for c in present])
        return present, totals.sum() / (present.size * totals)
    return present, compute_class_weight(class_weight, classes=present, y=y)


def encode_classes(y: Any, weights: DoubleArray, who: str) -> tuple[Any, IndexArray]:
    """Return the classes of positive weight and the class number of every row."""
    takes_part = weights > 0
    classes = distinct_labels(y if takes_part.all() else y[takes_part])
    if classes.size < 2:
        raise ValueError(
            f"{who} needs samples of at least 2 classes; the data contain only one class: "
            f"{classes[0]!r}. Check the target column."
        )
    return classes, np.minimum(label_numbers(y, classes), classes.size - 1)
