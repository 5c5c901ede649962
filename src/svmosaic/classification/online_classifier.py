"""What the online classifiers share: orders of visits, streams by `partial_fit`, their state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar, Self, cast

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from svmosaic.classification.classifier_state import STREAM, check_stream
from svmosaic.classification.convergence import warn_if_late
from svmosaic.classification.kernel_classifier import KernelClassifier
from svmosaic.classification.parameters import POSITIVE_COUNT, POSITIVE_REAL
from svmosaic.classification.training import Training, check_dense, resolve_training_kernel
from svmosaic.engine.class_pairs import MultiClass, split
from svmosaic.engine.kernels import KernelFunction, KernelSpec
from svmosaic.engine.problem import Coefficients, DoubleArray, IndexArray, Problem, Rows, Solution
from svmosaic.engine.rows import make_rows
from svmosaic.engine.settings import VisitOrder
from svmosaic.engine.tasks import OnlineSolution, OnlineTask
from svmosaic.utils.declaration import read_declared, write_declared
from svmosaic.utils.partial_labels import encode_chunk, known_classes
from svmosaic.utils.sklearn_compat import available_if, check_sample_weight, fit_context
from svmosaic.utils.state_codec import NotPlainError, PlainState
from svmosaic.utils.validation import check_training, match_form

__all__ = ["OnlineClassifier", "Visits", "draw_seed", "online_solutions"]

# The visits of one epoch are listed; more than this is a mistake in the weights.
_MOST_VISITS = 10**8


_NOTHING_LEARNED = OnlineSolution(np.empty(0, dtype=np.int64), np.empty(0), status="exhausted")


@dataclass(frozen=True)
class Visits:
    """What an online solver is asked to do.

    Attributes
    ----------
    rows : Rows
        The table.
    kernel : KernelSpec or None
        The kernel; None if its width is not chosen yet.
    tasks : list of OnlineTask
        Samples to visit, and what to start from.
    numbers : sequence of int
        The output that each task belongs to.
    epochs : int
        How often every sample is visited.
    order : {"shuffled", "random", "given"}
        In which order.
    n_outputs : int
        Outputs of the model, those without a task included.
    continues : bool
        Whether these are more samples for a fitted model.
    """

    rows: Rows
    kernel: KernelSpec | None
    tasks: list[OnlineTask]
    numbers: Sequence[int]
    epochs: int
    order: VisitOrder
    n_outputs: int
    continues: bool = False


def _has_samples(estimator: Any) -> bool:
    """Whether new rows can be compared with old ones; their precomputed values are not known."""
    if estimator.kernel == "precomputed":
        raise AttributeError(
            f"partial_fit of {type(estimator).__name__} needs samples, not kernel='precomputed': "
            "new rows have no kernel values with the old ones; pass the kernel as a function."
        )
    return True


class OnlineClassifier(KernelClassifier):
    """Base of the classifiers that learn one visited sample at a time.

    A subclass declares its parameters and implements `_visit`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelClassifier._parameter_constraints,
        "C": POSITIVE_REAL,
        "epochs": POSITIVE_COUNT,
        "fit_intercept": ["boolean"],
        "random_state": ["random_state"],
    }

    _model_file = KernelClassifier._model_file.extend(STREAM, check_stream)

    C: float
    epochs: int
    order: VisitOrder
    fit_intercept: bool
    random_state: Any

    # What a subclass says of itself ---------------------------------------------------------

    def _visit(self, visits: Visits) -> tuple[KernelSpec, list[OnlineSolution]]:
        """Run the solver on each task; return the kernel with its width, and the solutions."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it visits samples.")

    def _resolve_kernel(self, training: Training) -> KernelSpec | None:
        """Return the kernel of the first visits; None if `_visit` chooses its width."""
        return resolve_training_kernel(self, training)

    def _solutions(self) -> list[OnlineSolution]:
        """Return the fitted binary classifiers; their rows are the support vectors."""
        return online_solutions(self, self.expansion_.coefficients, self.expansion_.intercepts)

    def _set_state(self, solutions: list[OnlineSolution], labels: IndexArray) -> None:
        """Set what `_solutions` needs besides the expansion; `labels` are those of all rows."""

    # The state as plain data -----------------------------------------------------------------

    def get_plain_state(self) -> PlainState:
        """Return all that was learned as plain numbers, words and arrays.

        Returns
        -------
        state : PlainState
            What `set_plain_state` takes. Raises TypeError if `random_state` is a generator, whose
            state is not part of it.
        """
        check_is_fitted(self)
        if not isinstance(self.random_state, Integral | None):
            raise NotPlainError(
                f"{type(self.random_state).__name__} cannot be stored; expected a whole number as "
                f"the random_state of {type(self).__name__}"
            )
        return write_declared(self)

    def set_plain_state(self, state: PlainState) -> Self:
        """Continue from a state; samples that follow are learned to the same bits.

        Every part of it is checked before anything is changed, so that a state of unknown origin
        does no harm.

        Parameters
        ----------
        state : PlainState
            What `get_plain_state` returned, for an estimator with the same parameters. Raises
            `ModelFileError` if it cannot be one.

        Returns
        -------
        self : object
            The classifier.
        """
        read_declared(self, state)
        return self

    # Training -------------------------------------------------------------------------------

    @property
    def _in_given_order(self) -> bool:  # type: ignore[override]
        return self.order == "given"

    def _solve(self, training: Training) -> tuple[KernelSpec, list[Solution]]:
        tasks = [OnlineTask(problem) for problem in training.problems]
        kernel = self._resolve_kernel(training)
        n = len(tasks)
        kernel, solutions = self._run(
            Visits(training.rows, kernel, tasks, range(n), int(self.epochs), self.order, n)
        )
        return kernel, list(solutions)

    def _run(self, visits: Visits) -> tuple[KernelSpec, list[OnlineSolution]]:
        _check_visits(visits, type(self).__name__)
        kernel, solutions = self._visit(visits)
        warn_if_late(self, solutions, "raise max_time or lower epochs")
        return kernel, solutions

    def _set_fitted(
        self, training: Training, kernel: KernelSpec, solutions: list[Solution]
    ) -> None:
        super()._set_fitted(training, kernel, solutions)
        online = cast(list[OnlineSolution], solutions)
        self.t_ = np.array([s.t for s in online])
        self.n_samples_seen_ = int(training.X.shape[0])
        self._set_state(online, training.labels)

    # Streams --------------------------------------------------------------------------------

    @available_if(_has_samples)
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Continue with more samples: one pass over them, in the order given.

        `epochs` and `order` do not matter here. Chunks one after another give the model of one
        pass over all their rows. After `fit`, it continues the fitted model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New samples. The first call decides between dense and sparse and between float32 and
            float64, and the number that a `gamma` given by name means.
        y : array-like of shape (n_samples,)
            Class labels. A chunk need not contain all classes.
        classes : array-like of shape (n_classes,), default=None
            All classes that will ever come; needed in the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight 2 is visited twice in a row, one of weight 0 is left out.

        Returns
        -------
        self : object
            The classifier.
        """
        first = not hasattr(self, "classes_")
        known = known_classes(self, classes)
        X, y = check_training(self, X, y, reset=first)
        if not self._takes_sparse:
            check_dense(X, type(self).__name__)
        weights = self._chunk_weights(X, y, sample_weight)
        labels = encode_chunk(self, y, known)
        seen = 0 if first else self.n_samples_seen_
        numbers = seen + np.arange(X.shape[0])
        if not first:
            X, labels, weights, numbers = self._behind_support_vectors(X, labels, weights, numbers)
        training = _chunk_training(X, labels, weights, known, self.kernel, self.multi_class)

        kernel, solutions = self._continue(training, first)
        self._set_fitted(training, kernel, solutions)
        self.support_ = _shortest(numbers[self.support_])
        self.n_samples_seen_ = seen + len(y)
        return self

    def _chunk_weights(self, X: Any, y: Any, sample_weight: Any) -> DoubleArray:
        if self.class_weight == "balanced":
            raise ValueError(
                f"partial_fit of {type(self).__name__} cannot balance classes that it has not "
                "seen yet; pass class_weight as a dict."
            )
        checked = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        weights = np.array(checked, dtype=np.float64)
        for label, factor in cast(dict[Any, float], self.class_weight or {}).items():
            weights[y == label] *= factor
        if not np.any(weights > 0):
            raise ValueError(
                f"{type(self).__name__} needs at least one sample of positive weight; "
                "all weights of this chunk are zero."
            )
        return weights

    def _behind_support_vectors(
        self, X: Any, labels: IndexArray, weights: DoubleArray, numbers: IndexArray
    ) -> tuple[Any, IndexArray, DoubleArray, IndexArray]:
        """Return the chunk behind the support vectors, which have weight 0: no visit."""
        if self.support_.size == 0:
            return X, labels, weights, numbers
        vectors = self.support_vectors_
        X = match_form(X, vectors)
        stack = sp.vstack([vectors, X], format="csr") if sp.issparse(X) else np.vstack([vectors, X])
        of_class = np.repeat(np.arange(self.classes_.size), self.n_support_)
        return (
            stack,
            np.concatenate([of_class, labels]),
            np.concatenate([np.zeros(self.support_.size), weights]),
            np.concatenate([self.support_.astype(np.int64), numbers]),
        )

    def _continue(self, training: Training, first: bool) -> tuple[KernelSpec, list[Solution]]:
        """Visit the samples of a chunk once, in the order given."""
        problems = training.problems
        kernel = self._resolve_kernel(training) if first else self.expansion_.kernel
        before = [_NOTHING_LEARNED for _ in problems] if first else self._solutions()
        # A binary classifier whose classes are not in the chunk stays as it is.
        busy = [m for m, problem in enumerate(problems) if problem.samples.size]
        tasks = [_task(problems[m], before[m]) for m in busy]
        visits = Visits(training.rows, kernel, tasks, busy, 1, "given", len(problems), not first)
        kernel, learned = self._run(visits)
        after: list[Solution] = list(before)
        for m, solution in zip(busy, learned, strict=True):
            after[m] = replace(solution, n_iter=before[m].n_iter + solution.n_iter)
        return kernel, after


def _chunk_training(
    X: Any,
    labels: IndexArray,
    weights: DoubleArray,
    classes: Any,
    kernel: str | KernelFunction,
    multi_class: MultiClass,
) -> Training:
    """Return the problems of a chunk: every row of positive weight is a sample of its own."""
    samples = np.flatnonzero(weights > 0)
    problems = split(samples, labels[samples], weights[samples], classes.size, multi_class)
    rows = make_rows(X, kernel)
    return Training(X, rows, classes, labels, weights, samples, weights[samples], problems)


def _check_visits(visits: Visits, who: str) -> None:
    """Refuse weights that ask for more visits than can be listed."""
    most = max((float(np.ceil(t.problem.weights).sum()) for t in visits.tasks), default=0.0)
    if most > _MOST_VISITS:
        raise ValueError(
            f"{who} visits a sample as often as it weighs, and these weights ask for {most:.3g} "
            f"visits in one epoch; at most {_MOST_VISITS:g} are possible, so scale the weights "
            "down."
        )


def online_solutions(
    model: OnlineClassifier, state: Coefficients, state_intercepts: DoubleArray
) -> list[OnlineSolution]:
    """Return the binary classifiers of a fitted model, with the state that they continue from."""
    coefs = _columns(model.expansion_.coefficients)
    return [
        OnlineSolution(
            support=rows,
            coef=_at(rows, coefs[m]),
            intercept=float(model.intercept_[m]),
            status=cast(Any, str(model.stop_reason_[m])),
            n_iter=int(model.n_iter_[m]),
            state=values,
            state_intercept=float(state_intercepts[m]),
            t=float(model.t_[m]),
        )
        for m, (rows, values) in enumerate(_columns(state))
    ]


def draw_seed(random_state: Any) -> int:
    """Return the seed of a solver: the number given, or one drawn from the generator."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _columns(coefficients: Coefficients) -> list[tuple[IndexArray, DoubleArray]]:
    """Return (support vectors, coefficients) of each binary problem."""
    matrix = coefficients.matrix().tocsc()
    matrix.sort_indices()
    parts = zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
    return [
        (matrix.indices[a:b].astype(np.int64), matrix.data[a:b].astype(np.float64))
        for a, b in parts
    ]


def _task(problem: Problem, start: OnlineSolution) -> OnlineTask:
    return OnlineTask(problem, start.support, start.state, start.state_intercept, start.t)


def _at(rows: IndexArray, column: tuple[IndexArray, DoubleArray]) -> DoubleArray:
    """Return the entries of a sparse column at the given rows."""
    known, values = column
    dense = np.zeros(int(max(rows.max(initial=-1), known.max(initial=-1))) + 1)
    dense[known] = values
    return dense[rows]


def _shortest(numbers: IndexArray) -> Any:
    """Return row numbers as int32, as long as the stream is not longer."""
    fits = numbers.max(initial=0) <= np.iinfo(np.int32).max
    return numbers.astype(np.int32) if fits else numbers
