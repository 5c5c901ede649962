"""The road that every kernel classifier takes from a table to a fitted expansion."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from svmosaic.backends import cpu
from svmosaic.base import (
    GAMMA_RULES,
    KERNELS,
    KernelFunction,
    kernel_spec,
    make_rows,
    resolve_gamma,
)
from svmosaic.classification.multiclass import (
    Expansion,
    MultiClass,
    combine_votes,
    gather,
    output_matrix,
    split,
)
from svmosaic.problem import (
    DoubleArray,
    IndexArray,
    KernelSpec,
    PairwiseRows,
    Problem,
    Rows,
    Solution,
)
from svmosaic.utils.plain_state import put_together, take_apart
from svmosaic.utils.sklearn_compat import (
    Interval,
    StrOptions,
    check_sample_weight,
    fit_context,
)
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.validation import check_samples, check_training, match_form

__all__ = ["KernelClassifier", "TrainingSet"]

# Rows of a prediction for which a kernel function is asked at once.
_CALLABLE_BLOCK = 512


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


class KernelClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the kernel classifiers: validation, multi-class, fitted attributes, prediction.

    A subclass declares its own parameters and implements `_solve`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions(set(KERNELS)), callable],
        "gamma": [StrOptions(set(GAMMA_RULES)), Interval(Real, 0.0, None, closed="neither")],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "multi_class": [StrOptions({"ovo", "ovr"})],
        "decision_function_shape": [StrOptions({"ovo", "ovr"})],
        "n_jobs": [Integral, None],
        "cache_mb": [Interval(Real, 0.0, None, closed="left")],
        "max_time": [Interval(Real, 0.0, None, closed="neither"), None],
        "verbose": ["verbose"],
    }

    kernel: str | KernelFunction
    gamma: float | str
    degree: int
    coef0: float
    class_weight: dict[Any, float] | str | None
    multi_class: MultiClass
    decision_function_shape: str
    n_jobs: int | None
    cache_mb: float
    max_time: float | None
    verbose: int

    # What a subclass says of itself ---------------------------------------------------------

    # False where the published method depends on the order of the rows.
    _canonical_order = True

    def _solve(self, rows: Rows, kernel: KernelSpec, problems: list[Problem]) -> list[Solution]:
        """Solve the binary problems."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it solves problems.")

    def _start(self) -> int:
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
        weights = self._weights(X, y, sample_weight)
        classes, labels = self._encode(y, weights)

        rows = make_rows(X, self.kernel)
        samples, sample_weights = self._samples(X, rows, labels, weights)
        kernel = kernel_spec(
            self.kernel,
            resolve_gamma(self.gamma, X, samples, sample_weights) if self._uses_gamma() else 1.0,
            self.degree,
            self.coef0,
        )
        problems = split(
            samples,
            labels[samples],
            sample_weights,
            classes.size,
            self.multi_class,
            start=self._start(),
        )
        solutions = self._solve(rows, kernel, problems)

        self.classes_ = classes
        self._gamma = kernel.gamma
        self._set_expansion(gather(solutions, labels, classes.size, self.multi_class), X)
        self.n_iter_ = np.array([s.n_iter for s in solutions])
        self.stop_reason_ = np.array([s.status for s in solutions])
        self._record(solutions, problems, TrainingSet(X, labels, samples, sample_weights))
        return self

    def _check_square(self, X: Any) -> None:
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"Precomputed matrix must be a square matrix: {type(self).__name__} with "
                f"kernel='precomputed' expected X of shape (n_samples, n_samples). Got "
                f"{X.shape[0]}x{X.shape[1]} instead; pass the kernel values of all pairs."
            )
        if self.kernel == "precomputed" and sp.issparse(X):
            raise TypeError("Sparse precomputed kernels are not supported. Use X.toarray().")

    def _weights(self, X: Any, y: Any, sample_weight: Any) -> DoubleArray:
        weights = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if not np.any(weights > 0):
            raise ValueError(
                f"{type(self).__name__} needs at least one sample of positive weight; "
                "all values of sample_weight are zero."
            )
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

    def _samples(
        self, X: Any, rows: Rows, labels: IndexArray, weights: DoubleArray
    ) -> tuple[IndexArray, DoubleArray]:
        """Return the rows to train on, in the order that breaks ties, and their weights."""
        if self._canonical_order:
            # A kernel function sees samples, so they are compared as samples.
            table = make_rows(X, "rbf") if callable(self.kernel) else rows
            return cpu.distinct_rows(table, labels, weights)
        samples = np.flatnonzero(weights > 0)
        return samples, weights[samples]

    def _uses_gamma(self) -> bool:
        return not callable(self.kernel) and self.kernel not in ("linear", "precomputed")

    def _set_expansion(self, expansion: Expansion, X: Any) -> None:
        self.support_ = expansion.support.astype(np.int32)
        self.n_support_ = expansion.n_support.astype(np.int32)
        self.dual_coef_ = expansion.dual_coef
        self.intercept_ = expansion.intercept
        self.support_vectors_ = (
            np.empty((0, 0), dtype=X.dtype)
            if self.kernel == "precomputed"
            else X[expansion.support]
        )

    # Prediction -----------------------------------------------------------------------------

    def _machine_decisions(self, X: Any) -> DoubleArray:
        """Return decision values of shape (n_samples, n_machines)."""
        check_is_fitted(self)
        X = check_samples(self, X)
        coefficients = self._coefficients()
        everyone = np.arange(self.support_.size)
        kernel = kernel_spec(self.kernel, self._gamma, self.degree, self.coef0)
        if self.kernel == "precomputed":
            values = np.ascontiguousarray(X, dtype=self.support_vectors_.dtype)
            rows: Rows = PairwiseRows(values, symmetric=False)
            return self._decide(rows, rows, self.support_.astype(np.int64), kernel, coefficients)
        if callable(self.kernel):
            parts = []
            for begin in range(0, X.shape[0], _CALLABLE_BLOCK):
                block = self.kernel(X[begin : begin + _CALLABLE_BLOCK], self.support_vectors_)
                block = block.toarray() if sp.issparse(block) else block
                rows = PairwiseRows(np.ascontiguousarray(block, dtype=np.float64), symmetric=False)
                parts.append(self._decide(rows, rows, everyone, kernel, coefficients))
            return np.concatenate(parts)
        vectors = self.support_vectors_
        X = match_form(X, vectors)
        return self._decide(
            make_rows(X, self.kernel),
            make_rows(vectors, self.kernel),
            everyone,
            kernel,
            coefficients,
        )

    def _coefficients(self) -> csr_array:
        """Return coefficients with one row per support vector and one column per machine."""
        return output_matrix(self.dual_coef_, self.n_support_, self.classes_.size, self.multi_class)

    def _decide(
        self,
        rows: Rows,
        vectors: Rows,
        support: IndexArray,
        kernel: KernelSpec,
        coefficients: Any,
    ) -> DoubleArray:
        return cpu.decide(
            rows,
            vectors,
            support,
            kernel,
            coefficients,
            self.intercept_,
            n_threads=resolve_threads(self.n_jobs),
        )

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
        decisions = self._machine_decisions(X)
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
        decisions = self._machine_decisions(X)
        if self.classes_.size == 2:
            return self.classes_[(decisions[:, 0] > 0).astype(np.intp)]
        if self.multi_class == "ovo":
            decisions = combine_votes(decisions, self.classes_.size)
        return self.classes_[decisions.argmax(axis=1)]

    @property
    def coef_(self) -> Any:
        """Weights of the features, one row per machine; for the linear kernel only."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        coefficients = self._coefficients()
        coef = coefficients.T @ self.support_vectors_
        return coef.toarray() if sp.issparse(coef) else coef

    # Pickle and its relatives ---------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        """Return the state with sparse matrices taken apart into plain arrays."""
        return {key: take_apart(value) for key, value in super().__getstate__().items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({key: put_together(value) for key, value in state.items()})

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
