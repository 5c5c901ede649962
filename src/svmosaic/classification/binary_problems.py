"""What classifiers of several binary problems share: classes, their weights, votes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_class_weight

from svmosaic.classification.multiclass import MultiClass, combine_votes
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.utils.sklearn_compat import StrOptions

__all__ = ["BinaryProblems"]


class BinaryProblems(ClassifierMixin):  # type: ignore[misc]
    """Mixin of the classifiers that answer by the decisions of binary problems.

    A subclass sets ``classes_`` and implements `_output_values`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "multi_class": [StrOptions({"ovo", "ovr"})],
        "decision_function_shape": [StrOptions({"ovo", "ovr"})],
    }

    class_weight: dict[Any, float] | str | None
    multi_class: MultiClass
    decision_function_shape: str

    if TYPE_CHECKING:

        def _output_values(self, X: Any) -> DoubleArray:
            """Return values of shape (n_samples, n_machines)."""

    # Training -------------------------------------------------------------------------------

    def _class_weights(self, y: Any, weights: DoubleArray) -> DoubleArray:
        """Return the weights of the rows times those of their classes."""
        if self.class_weight is not None:
            present = np.unique(y[weights > 0])
            if self.class_weight == "balanced":
                # As for repeated rows: every class gets the same total weight.
                totals = np.array([weights[y == c].sum() for c in present])
                per_class = totals.sum() / (present.size * totals)
            else:
                per_class = compute_class_weight(self.class_weight, classes=present, y=y)
            factor = np.ones(y.shape[0])
            for label, value in zip(present, per_class, strict=True):
                factor[y == label] = value
            weights = weights * factor
        return np.ascontiguousarray(weights)

    def _encode(self, y: Any, weights: DoubleArray) -> tuple[Any, IndexArray]:
        """Return the classes of positive weight and the class number of every row."""
        classes = np.unique(y[weights > 0])
        if classes.size < 2:
            raise ValueError(
                f"{type(self).__name__} needs samples of at least 2 classes; the data contain "
                f"only one class: {classes[0]!r}. Check the target column."
            )
        labels = np.minimum(np.searchsorted(classes, y), classes.size - 1)
        return classes, labels.astype(np.int64)

    # Prediction -----------------------------------------------------------------------------

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
            the sums of decisions (one-vs-one); the machines' values (one-vs-rest); or, for
            ``decision_function_shape="ovo"``, the values of all pairs.
        """
        decisions = self._output_values(X)
        if self.classes_.size == 2:
            return decisions[:, 0]
        if self.multi_class == "ovr" or self.decision_function_shape == "ovo":
            return decisions
        return combine_votes(decisions, self.classes_.size)

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
        decisions = self._output_values(X)
        if self.classes_.size == 2:
            return self.classes_[(decisions[:, 0] > 0).astype(np.intp)]
        if self.multi_class == "ovo":
            decisions = combine_votes(decisions, self.classes_.size)
        return self.classes_[decisions.argmax(axis=1)]
