"""What the classifiers under scikit-learn's names share: votes, ties, weights, probabilities."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from svmosaic.classification.kernel_classifier import KernelClassifier
from svmosaic.classification.multiclass import predict_by_votes, votes_of_samples
from svmosaic.classification.parameters import CLASS_WEIGHT, MULTICLASS_PARAMETERS
from svmosaic.classification.training import Training
from svmosaic.engine.class_pairs import MultiClass
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DoubleArray, IndexArray, Solution
from svmosaic.svm.libsvm_interface import LIBSVM_STATE, LibsvmInterface
from svmosaic.svm.probabilities import (
    NotStored,
    fit_probabilities,
    wants_probabilities,
    warn_if_attribute_is_deprecated,
    warn_if_deprecated,
)
from svmosaic.utils.declaration import MayLack, doubles
from svmosaic.utils.sklearn_compat import StrOptions, available_if, fit_context
from svmosaic.utils.state_codec import Kind

__all__ = ["CLASSIFIER_PARAMETERS", "CLASSIFIER_STATE", "LibsvmClassifier"]

CLASSIFIER_PARAMETERS: dict[str, list[Any]] = {
    **CLASS_WEIGHT,
    "decision_function_shape": MULTICLASS_PARAMETERS["decision_function_shape"],
    "probability": ["boolean", StrOptions({"deprecated"})],
    "break_ties": ["boolean"],
    "random_state": ["random_state"],
}

CLASSIFIER_STATE: dict[str, Kind] = {
    **LIBSVM_STATE,
    "class_weight_": doubles("n_classes"),
    "_calibrated": MayLack(
        NotStored(
            "A model file does not hold the probabilities of SVC and NuSVC. Save one with "
            "probability left out, or pickle this one."
        )
    ),
}


def _has_probabilities(estimator: Any) -> bool:
    if not wants_probabilities(estimator):
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class LibsvmClassifier(LibsvmInterface, KernelClassifier):
    """Mixin of the classifiers with scikit-learn's parameters, before the one that learns."""

    multi_class: ClassVar[MultiClass] = "ovo"  # type: ignore[misc]
    break_ties: bool

    # What scikit-learn says when the weights leave one class.
    _one_class_left = "Invalid input - all samples with positive weights belong to the same class"

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classifier to training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples; for ``kernel="precomputed"``, kernel values of shape
            (n_samples, n_samples); for a callable, whatever it takes. float32 and float64 are kept
            as they are.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight means repetition: 2 counts the row twice; 0 and less leave it out.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        warn_if_deprecated(self)
        self.__dict__.pop("_calibrated", None)
        weights = self._positive_weights(X, sample_weight)
        if weights is not None:
            self._check_two_classes(y, weights)
        super().fit(self._training_table(X, y), y, weights)
        self._note_shape(X)
        if wants_probabilities(self):
            self._calibrated = fit_probabilities(self, X, y, weights)
        return self

    def _check_two_classes(self, y: Any, weights: DoubleArray) -> None:
        """Refuse positive weights of one class only, where there are more."""
        labels = np.asarray(y)
        if labels.shape != weights.shape or np.unique(labels[weights > 0]).size > 1:
            return
        if np.unique(labels).size > 1:
            raise ValueError(
                f"{self._one_class_left}. {type(self).__name__} needs at least two classes with "
                "positive weights."
            )

    def _training_kernel(self, training: Training) -> KernelSpec:
        if training.class_weights is None:
            return super()._training_kernel(training)
        # Weights of classes change the penalty and not the data that gamma="scale" looks at.
        of_samples = training.class_weights[training.labels[training.samples]]
        return super()._training_kernel(replace(training, weights=training.weights / of_samples))

    def _set_fitted(
        self, training: Training, kernel: KernelSpec, solutions: list[Solution]
    ) -> None:
        super()._set_fitted(training, kernel, solutions)
        given = training.class_weights
        self.class_weight_ = np.ones(self.classes_.size) if given is None else given

    def _class_numbers(self, X: Any) -> IndexArray:
        if self.classes_.size == 2:
            return super()._class_numbers(X)
        if self.break_ties:
            chosen: IndexArray = self._decision_values(X).argmax(axis=1)
            return chosen
        return predict_by_votes(self._output_values, X, self.classes_.size, break_ties=False)

    def _decision_values(self, X: Any) -> DoubleArray:
        if self.classes_.size == 2 or self.decision_function_shape == "ovo":
            return super()._decision_values(X)
        return votes_of_samples(self._votes_for_the_first, X, self.classes_.size)

    def _votes_for_the_first(self, X: Any) -> DoubleArray:
        """Return outputs without 0, which `decision_function` of scikit-learn takes for positive.

        Its `predict` takes it for negative.
        """
        outputs = self._output_values(X)
        return np.where(outputs == 0.0, np.finfo(np.float64).tiny, outputs)

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
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError(
                "break_ties must be False when decision_function_shape is 'ovo': ties are broken "
                "by the decisions of one-vs-rest."
            )
        return super().predict(X)

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> DoubleArray:
        """Return the probabilities of the classes, for ``probability=True``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples; for ``kernel="precomputed"``, kernel values against the training samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Their rows sum to 1. The largest one need not be that of `predict`.
        """
        check_is_fitted(self)
        if not hasattr(self, "_calibrated"):
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False. Fit again."
            )
        probabilities: DoubleArray = self._calibrated.predict_proba(X)
        return probabilities

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> DoubleArray:
        """Return the logarithms of `predict_proba`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples; for ``kernel="precomputed"``, kernel values against the training samples.

        Returns
        -------
        logarithms : ndarray of shape (n_samples, n_classes)
            Logarithms of probabilities.
        """
        return np.log(self.predict_proba(X))

    @property
    def probA_(self) -> DoubleArray:
        """Slopes of the sigmoids of ``probability=True``."""
        return self._sigmoids("probA_", "a_")

    @property
    def probB_(self) -> DoubleArray:
        """Offsets of the sigmoids of ``probability=True``."""
        return self._sigmoids("probB_", "b_")

    def _sigmoids(self, name: str, parameter: str) -> DoubleArray:
        check_is_fitted(self)
        warn_if_attribute_is_deprecated(name)
        if not hasattr(self, "_calibrated"):
            return np.empty(0)
        (classifier,) = self._calibrated.calibrated_classifiers_
        return np.array([getattr(sigmoid, parameter) for sigmoid in classifier.calibrators])
