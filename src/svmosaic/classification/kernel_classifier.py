"""The road that every kernel classifier takes from a table to a fitted expansion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from svmosaic.classification.binary_problems import BinaryProblems
from svmosaic.classification.classifier_state import KERNEL_CLASSIFIER
from svmosaic.classification.kernel_estimator import KernelEstimator, expansion_of_rows
from svmosaic.classification.multiclass import JoinedSolutions, arrange, gather, split
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DoubleArray, IndexArray, Problem, Rows, Solution
from svmosaic.engine.rows import make_rows
from svmosaic.utils.sklearn_compat import fit_context
from svmosaic.utils.validation import check_training

__all__ = ["KernelClassifier", "TrainingSet"]


@dataclass(frozen=True)
class TrainingSet:
    """What a fit works on.

    `X` and `labels` cover all rows; `samples` are the distinct rows that take part, in the order
    that breaks ties, with their `weights`.
    """

    X: Any
    labels: IndexArray
    samples: IndexArray
    weights: DoubleArray


@dataclass(frozen=True)
class ReadyProblems:
    """What the solver of a fit gets, and the data behind it."""

    rows: Rows
    kernel: KernelSpec
    problems: list[Problem]
    training: TrainingSet


class KernelClassifier(BinaryProblems, KernelEstimator):
    """Base of the kernel classifiers: validation, multi-class, fitted attributes, prediction.

    A subclass declares its own parameters and implements `_solve`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelEstimator._parameter_constraints,
        **BinaryProblems._parameter_constraints,
    }

    # A subclass with more fitted attributes extends it by them.
    _model_file = KERNEL_CLASSIFIER

    # What a subclass says of itself ---------------------------------------------------------

    def _solve(self, rows: Rows, kernel: KernelSpec, problems: list[Problem]) -> list[Solution]:
        """Solve the binary problems."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it solves problems.")

    def _first(self) -> int:
        """Return the position of the first sample, -1 for the central one."""
        return -1

    def _record(
        self, solutions: list[Solution], problems: list[Problem], training: TrainingSet
    ) -> None:
        """Set the attributes that only this solver has."""

    # Training -------------------------------------------------------------------------------

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the machine to training data.

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
        X, y = check_training(self, X, y)
        self._check_square(X)
        weights = self._class_weights(y, self._sample_weights(X, sample_weight))
        classes, labels = self._encode(y, weights)
        return self._fit_encoded(X, classes, labels, weights)

    def _fit_encoded(self, X: Any, classes: Any, labels: IndexArray, weights: DoubleArray) -> Self:
        """Fit to checked samples; `labels` are positions in `classes`."""
        ready = self._prepare(X, classes, labels, weights)
        solutions = self._solve(ready.rows, ready.kernel, ready.problems)
        return self._finish(ready, classes, solutions)

    def _prepare(
        self, X: Any, classes: Any, labels: IndexArray, weights: DoubleArray
    ) -> ReadyProblems:
        """Return the binary problems of checked samples."""
        rows = make_rows(X, self.kernel)
        samples, sample_weights = self._samples(X, labels, weights)
        kernel = self._kernel(X, samples, sample_weights, labels[samples])
        problems = split(
            samples,
            labels[samples],
            sample_weights,
            classes.size,
            self.multi_class,
            first=self._first(),
        )
        training = TrainingSet(X, labels, samples, sample_weights)
        return ReadyProblems(rows, kernel, problems, training)

    def _finish(self, ready: ReadyProblems, classes: Any, solutions: list[Solution]) -> Self:
        """Set the fitted attributes."""
        training = ready.training
        self.classes_ = classes
        found = gather(solutions, training.labels, classes.size)
        self._set_expansion(self._final_kernel(ready.kernel, solutions), training.X, found)
        self.n_iter_ = np.array([s.n_iter for s in solutions])
        self.stop_reason_ = np.array([s.status for s in solutions])
        self._record(solutions, ready.problems, training)
        return self

    def _final_kernel(self, kernel: KernelSpec, solutions: list[Solution]) -> KernelSpec:
        """Return the kernel of the expansion, where solving has chosen its width."""
        return kernel

    def _set_expansion(self, kernel: KernelSpec, X: Any, found: JoinedSolutions) -> None:
        self.expansion_ = expansion_of_rows(
            kernel, X, found.support, found.coefficients, found.intercepts
        )
        self.support_ = found.support.astype(np.int32)
        self.n_support_ = found.n_support.astype(np.int32)

    # Prediction -----------------------------------------------------------------------------

    @property
    def dual_coef_(self) -> DoubleArray:
        """Coefficients of the support vectors, arranged as in scikit-learn's SVC."""
        return arrange(
            self.expansion_.coefficients, self.n_support_, self.classes_.size, self.multi_class
        )
