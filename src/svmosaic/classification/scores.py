"""Scores of classifiers from confusion matrices, for many matrices at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from svmosaic.engine.problem import DoubleArray

__all__ = ["SCORES", "accuracy", "balanced_accuracy", "f1_macro"]

# All functions take counts or weights of shape (..., true class, predicted class), and mean what
# scikit-learn's functions of the same names mean.


def accuracy(confusion: DoubleArray) -> DoubleArray:
    """Return the share of samples on the diagonal."""
    hits = np.trace(confusion, axis1=-2, axis2=-1)
    return np.asarray(hits / confusion.sum(axis=(-2, -1)))


def balanced_accuracy(confusion: DoubleArray) -> DoubleArray:
    """Return the mean recall of the classes that occur."""
    hits = np.diagonal(confusion, axis1=-2, axis2=-1)
    totals = confusion.sum(axis=-1)
    occurs = totals > 0
    recall = np.divide(hits, totals, out=np.zeros_like(totals), where=occurs)
    return np.asarray(recall.sum(axis=-1) / occurs.sum(axis=-1))


def f1_macro(confusion: DoubleArray) -> DoubleArray:
    """Return the mean F1 of the classes that occur or are predicted."""
    hits = np.diagonal(confusion, axis1=-2, axis2=-1)
    totals = confusion.sum(axis=-1) + confusion.sum(axis=-2)
    occurs = totals > 0
    f1 = np.divide(2.0 * hits, totals, out=np.zeros_like(totals), where=occurs)
    return np.asarray(f1.sum(axis=-1) / occurs.sum(axis=-1))


SCORES: dict[str, Callable[[DoubleArray], DoubleArray]] = {
    "accuracy": accuracy,
    "balanced_accuracy": balanced_accuracy,
    "f1_macro": f1_macro,
}
