"""Scores and classes of single instances, for classifiers of bags that have a score for each."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from svmosaic.bags import Bags, check_bags
from svmosaic.engine.problem import DoubleArray
from svmosaic.multi_instance.bag_classifier import BagClassifier

__all__ = ["InstanceScorer"]


class InstanceScorer(BagClassifier):
    """Base of the classifiers whose bag has the largest score of its instances."""

    @abstractmethod
    def _score(self, X: Any) -> DoubleArray:
        """Return a score for each instance; above zero means the second class."""

    def decision_instances(self, X: Any) -> DoubleArray:
        """Return scores of instances; a bag has that of its most positive instance.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_instances, n_features), Bags or list of arrays
            The instances, or bags of them.

        Returns
        -------
        scores : ndarray of shape (n_instances,) or (n_instances, n_classes)
            Two classes: above zero means ``classes_[1]``. More: one column per class.
        """
        check_is_fitted(self)
        instances = self._check_instances(X)
        if self.classes_.size == 2:
            return self._score(instances)
        return np.column_stack([one._score(instances) for one in self.binary_classifiers_])

    def predict_instances(self, X: Any) -> NDArray[Any]:
        """Return the class of each instance.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_instances, n_features), Bags or list of arrays
            The instances, or bags of them.

        Returns
        -------
        labels : ndarray of shape (n_instances,)
            Class labels.
        """
        return self._label_scores(self.decision_instances(X))

    def _check_instances(self, X: Any) -> Any:
        name = type(self).__name__
        is_table = sp.issparse(X) or (not isinstance(X, (Bags, list, tuple)) and np.ndim(X) == 2)
        if not is_table:
            return check_bags(X, n_features=self.n_features_in_, who=name).instances
        X = check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32), order="C")
        if X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"{name} was trained on instances with {self.n_features_in_} features. Got "
                f"{X.shape[1]}."
            )
        return X
