"""How classifiers of several binary problems predict: decision values, votes, classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.base import ClassifierMixin

from svmosaic.classification.multiclass import MultiClass, choose_classes, combine_votes
from svmosaic.engine.problem import DoubleArray

__all__ = ["MulticlassPrediction"]


class MulticlassPrediction(ClassifierMixin):  # type: ignore[misc]
    """Mixin of the classifiers that consist of binary classifiers, with an output each.

    A subclass sets ``classes_`` and implements `_output_values`.
    """

    multi_class: MultiClass
    decision_function_shape: str

    if TYPE_CHECKING:

        def _output_values(self, X: Any) -> DoubleArray:
            """Return values of shape (n_samples, n_outputs)."""

    def decision_function(self, X: Any) -> DoubleArray:
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
        outputs = self._output_values(X)
        if self.classes_.size == 2:
            return outputs[:, 0]
        if self.multi_class == "ovr" or self.decision_function_shape == "ovo":
            return outputs
        return combine_votes(outputs, self.classes_.size)

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
        outputs = self._output_values(X)
        return self.classes_[choose_classes(outputs, self.classes_.size, self.multi_class)]
