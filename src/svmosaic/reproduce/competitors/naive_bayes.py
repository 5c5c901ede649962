"""Naive Bayes for numbers, with a normal density or a kernel density per feature and class."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import logsumexp
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from svmosaic.utils.atomic_fit import atomic_fit
from svmosaic.utils.estimator import Estimator

__all__ = ["NumericNaiveBayes"]

# Values of the largest array that a prediction makes at a time.
_BLOCK_VALUES = 4_000_000


class NumericNaiveBayes(ClassifierMixin, Estimator):  # type: ignore[misc]
    """Naive Bayes on numeric features, as Weka's NaiveBayes has it.

    Parameters
    ----------
    use_kernel : bool, default=False
        False: one normal density per feature and class. True: the mean of normal densities around
        the training values, whose common deviation is range / sqrt(n) of the class. Prediction then
        costs, per feature, a pass over its distinct training values for each distinct value.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_log_prior_ : ndarray of shape (n_classes,)
        Logarithms of the classes' shares, each count increased by one.
    n_features_in_ : int
        Number of features.

    Notes
    -----
    A deviation is at least a sixth of the feature's precision, the mean distance of its distinct
    values, as in Weka. Densities replace Weka's probabilities of an interval.

    References
    ----------
    G. H. John and P. Langley, "Estimating Continuous Distributions in Bayesian Classifiers", UAI
    (1995).
    """

    def __init__(self, *, use_kernel: bool = False) -> None:
        self.use_kernel = use_kernel

    @atomic_fit
    def fit(self, X: Any, y: Any) -> Self:
        """Estimate the densities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.classes_, labels = np.unique(y, return_inverse=True)
        counts = np.bincount(labels) + 1.0
        self.class_log_prior_ = np.log(counts / counts.sum())
        least = np.array([_precision(column) for column in X.T]) / 6.0
        self._centres, self._widths = [], []
        for label in range(self.classes_.size):
            rows = X[labels == label]
            if self.use_kernel:
                width = np.ptp(rows, axis=0) / np.sqrt(rows.shape[0])
                around = rows
            else:
                width = rows.std(axis=0)
                around = rows.mean(axis=0, keepdims=True)
            self._centres.append([np.unique(column, return_counts=True) for column in around.T])
            self._widths.append(np.maximum(width, least))
        return self

    def predict(self, X: Any) -> Any:
        """Return the most probable class of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        joint = np.tile(self.class_log_prior_, (X.shape[0], 1))
        for j, column in enumerate(X.T):
            # Equal values have equal densities: grey levels and counts have few distinct ones.
            values, places = np.unique(column, return_inverse=True)
            for label, (centres, widths) in enumerate(
                zip(self._centres, self._widths, strict=True)
            ):
                joint[:, label] += _log_density(values, *centres[j], widths[j])[places]
        return self.classes_[joint.argmax(axis=1)]


def _log_density(values: Any, centres: Any, counts: Any, width: float) -> Any:
    """Return the logarithms, but for a constant, of a mean of normal densities."""
    size = max(1, _BLOCK_VALUES // centres.size)
    sums = [
        logsumexp(
            np.log(counts) - 0.5 * ((values[begin : begin + size, None] - centres) / width) ** 2,
            axis=1,
        )
        for begin in range(0, values.size, size)
    ]
    return np.concatenate(sums) - np.log(counts.sum() * width)


def _precision(column: Any) -> float:
    """Return the mean distance of a feature's distinct values; 0.01 where there is one only."""
    values = np.unique(column)
    return float((values[-1] - values[0]) / (values.size - 1)) if values.size > 1 else 0.01
