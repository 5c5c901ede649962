"""The base of every kernel classifier: from a table to a fitted expansion."""

from __future__ import annotations

import time
from typing import Any, ClassVar, Self

import numpy as np

from svmosaic.classification.classifier_state import KERNEL_CLASSIFIER
from svmosaic.classification.device_data import check_classes_on
from svmosaic.classification.kernel_estimator import KernelEstimator, expansion_of_rows
from svmosaic.classification.multiclass import arrange, gather
from svmosaic.classification.multiclass_prediction import MulticlassPrediction
from svmosaic.classification.parameters import CLASS_WEIGHT, MULTICLASS_PARAMETERS
from svmosaic.classification.training import Training, prepare_training, resolve_training_kernel
from svmosaic.engine.fit_report import ReportedFit, report_fit
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DoubleArray, Solution
from svmosaic.utils.sklearn_compat import fit_context
from svmosaic.utils.threads import resolve_threads

__all__ = ["KernelClassifier"]


class KernelClassifier(MulticlassPrediction, KernelEstimator):
    """Base of the kernel classifiers.

    A subclass declares its own parameters and implements `_solve`; one with more fitted
    attributes extends `_set_fitted` and `_model_file`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelEstimator._parameter_constraints,
        **MULTICLASS_PARAMETERS,
        **CLASS_WEIGHT,
    }

    _model_file = KERNEL_CLASSIFIER

    # A parameter of most classifiers; where weights cannot matter, there is none.
    class_weight: dict[Any, float] | str | None = None

    # True where the published method depends on the order of the rows.
    _in_given_order = False

    def _solve(self, training: Training) -> tuple[KernelSpec, list[Solution]]:
        """Solve the binary problems; return the kernel with its width, and the solutions."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it solves problems.")

    def _training_kernel(self, training: Training) -> KernelSpec:
        """Return the kernel with its width."""
        return resolve_training_kernel(self, training)

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classifier to training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples; for ``kernel="precomputed"``, kernel values of shape
            (n_samples, n_samples). float32 and float64 are kept as they are.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight means repetition: 2 counts the row twice, 0 leaves it out.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        began = time.perf_counter()
        X, y = check_classes_on(self, X, y)
        training = prepare_training(
            X,
            y,
            sample_weight,
            who=type(self).__name__,
            kernel=self._trained_kernel,
            class_weight=self.class_weight,
            multi_class=self.multi_class,
            in_given_order=self._in_given_order,
            dense_only=not self._takes_sparse,
            n_threads=resolve_threads(self.n_jobs),
        )
        return self._fit_prepared(training, time.perf_counter() - began)

    def _fit_prepared(self, training: Training, preparation_seconds: float = 0.0) -> Self:
        """Fit to data that have been checked and prepared, by this estimator or by a search."""
        began = time.perf_counter()
        kernel, solutions = self._solve(training)
        self._set_fitted(training, kernel, solutions)
        if isinstance(self, ReportedFit):
            self._fit_report = report_fit(
                self,
                training.problems,
                solutions,
                n_samples=training.samples.size,
                seconds=preparation_seconds + time.perf_counter() - began,
                preparation_seconds=preparation_seconds,
            )
        return self

    def _set_fitted(
        self, training: Training, kernel: KernelSpec, solutions: list[Solution]
    ) -> None:
        """Set the fitted attributes."""
        found = gather(solutions, training.labels, training.classes.size)
        self.classes_ = training.classes
        self.expansion_ = expansion_of_rows(
            kernel, training.X, found.support, found.coefficients, found.intercepts
        )
        self.support_ = found.support.astype(np.int32)
        self.n_support_ = found.n_support.astype(np.int32)
        self.n_iter_ = np.array([s.n_iter for s in solutions])
        self.stop_reason_ = np.array([s.status for s in solutions])

    @property
    def dual_coef_(self) -> DoubleArray:
        """Coefficients of the support vectors, arranged as in scikit-learn's SVC."""
        return arrange(
            self.expansion_.coefficients, self.n_support_, self.classes_.size, self.multi_class
        )
