"""How classifiers of several binary problems predict: decision values, votes, classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.base import ClassifierMixin

from svmosaic.classification.device_data import DeviceScore
from svmosaic.classification.multiclass import predict_by_votes, votes_of_samples
from svmosaic.engine.class_pairs import MultiClass, choose_classes
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.utils.foreign_arrays import follow

__all__ = ["MulticlassPrediction"]


class MulticlassPrediction(DeviceScore, ClassifierMixin):  # type: ignore[misc]
    """Mixin of the classifiers that consist of binary classifiers, with an output each.

    A subclass sets ``classes_`` and implements `_check_rows` and `_output_values`.
    """

    multi_class: MultiClass
    decision_function_shape: str

    if TYPE_CHECKING:

        def _check_rows(self, X: Any) -> Any:
            """Return samples to predict, validated; raise if the estimator is not fitted."""

        def _output_values(self, X: Any) -> DoubleArray:
            """Return values of shape (n_samples, n_outputs) for validated samples."""

    def decision_function(self, X: Any) -> Any:
        """Return how far on which side of the boundary each sample lies.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples; for ``kernel="precomputed"``, kernel values against the training samples.

        Returns
        -------
        decision : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Positive for ``classes_[1]`` with two classes. With more: votes, with ties ordered by
            the sums of decisions (one-vs-one); the outputs (one-vs-rest); or, for
            ``decision_function_shape="ovo"``, the values of all pairs.
        """
        return follow(self._decision_values(self._check_rows(X)), X)

    def _decision_values(self, X: Any) -> DoubleArray:
        if self.classes_.size == 2:
            return self._output_values(X)[:, 0]
        if self.multi_class == "ovr" or self.decision_function_shape == "ovo":
            return self._output_values(X)
        return votes_of_samples(self._output_values, X, self.classes_.size)

    def predict(self, X: Any) -> Any:
        """Return the class of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples; for ``kernel="precomputed"``, kernel values against the training samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        numbers = self._class_numbers(self._check_rows(X))
        return follow(self.classes_[numbers], X)

    def _class_numbers(self, X: Any) -> IndexArray:
        n_classes = self.classes_.size
        if n_classes > 2 and self.multi_class == "ovo":
            return predict_by_votes(self._output_values, X, n_classes)
        return choose_classes(self._output_values(X), n_classes, self.multi_class)
