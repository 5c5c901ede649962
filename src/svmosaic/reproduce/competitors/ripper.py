"""RIPPER for any number of classes, on the binary one of the package wittgenstein."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from svmosaic.utils.atomic_fit import atomic_fit
from svmosaic.utils.estimator import Estimator
from svmosaic.utils.optional import import_optional

__all__ = ["RipperClassifier"]

_SPREAD = 1e4


class RipperClassifier(ClassifierMixin, Estimator):  # type: ignore[misc]
    """Rules by RIPPER, for two or more classes, as in its paper.

    The classes are taken from the rarest to the most frequent. Rules are learnt that tell the first
    from all others, then the samples of that class leave, and so on; the most frequent class has
    no rules and takes what no rule covers. Needs the package wittgenstein, which has the binary
    step. That package cuts numeric features into `n_bins` bins first and its conditions ask for a
    bin, where Weka's JRip asks for a threshold; and it cannot learn without pruning.

    Parameters
    ----------
    n_bins : int, default=10
        Bins of each numeric feature.
    k : int, default=2
        Optimisation passes.
    random_state : int, default=None
        Seed of the split into growing and pruning samples.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    rules_ : list of (class number, ruleset)
        In the order in which they are asked.
    n_features_in_ : int
        Number of features.

    References
    ----------
    W. W. Cohen, "Fast Effective Rule Induction", ICML (1995).
    """

    def __init__(self, *, n_bins: int = 10, k: int = 2, random_state: int | None = None) -> None:
        self.n_bins = n_bins
        self.k = k
        self.random_state = random_state

    @atomic_fit
    def fit(self, X: Any, y: Any) -> Self:
        """Learn the rules.

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
        wittgenstein = import_optional("wittgenstein", "learn rules by RIPPER")
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.classes_, labels = np.unique(y, return_inverse=True)
        self._low, self._width = X.min(axis=0), np.ptp(X, axis=0)
        X = self._stretch(X)
        # The sort is stable, so equally frequent classes keep their order.
        order = np.argsort(np.bincount(labels), kind="stable")
        self.rules_: list[tuple[int, Any]] = []
        rest = np.ones(len(labels), dtype=bool)
        for label in order[:-1]:
            rules = wittgenstein.RIPPER(
                k=self.k, n_discretize_bins=self.n_bins, random_state=self.random_state
            )
            rules.fit(X[rest], (labels[rest] == label).astype(int), pos_class=1)
            self.rules_.append((int(label), rules))
            rest &= labels != label
        self._default = int(order[-1])
        return self

    def predict(self, X: Any) -> Any:
        """Return the class of the first rule that covers each sample.

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
        X = self._stretch(validate_data(self, X, reset=False, dtype=np.float64))
        found = np.full(X.shape[0], self._default)
        free = np.ones(X.shape[0], dtype=bool)
        for label, rules in self.rules_:
            covered = np.asarray(rules.predict(X), dtype=bool) & free
            found[covered] = label
            free &= ~covered
        return self.classes_[found]

    def _stretch(self, X: Any) -> Any:
        """Spread the features: the package rounds the limits of its bins to two decimals."""
        return _SPREAD * (X - self._low) / np.where(self._width > 0, self._width, 1.0)
