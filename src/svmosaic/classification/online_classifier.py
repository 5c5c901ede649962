"""What the online classifiers share: orders of visits, streams by `partial_fit`, their state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self, cast

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from svmosaic.classification.classifier_state import STREAM, check_stream
from svmosaic.classification.kernel_classifier import KernelClassifier, TrainingSet
from svmosaic.classification.multiclass import gather, split
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import Coefficients, DoubleArray, IndexArray, Problem, Rows, Solution
from svmosaic.engine.rows import make_rows
from svmosaic.engine.settings import VisitOrder
from svmosaic.engine.tasks import OnlineSolution, OnlineTask
from svmosaic.utils.declaration import read_declared, write_declared
from svmosaic.utils.partial_labels import encode_chunk, known_classes
from svmosaic.utils.sklearn_compat import Interval, available_if, check_sample_weight, fit_context
from svmosaic.utils.state_codec import NotPlainError, PlainState
from svmosaic.utils.user_warning import warn_user
from svmosaic.utils.validation import check_training, match_form

__all__ = ["OnlineClassifier"]

# The visits of one epoch are listed; more than this is a mistake in the weights.
_MOST_VISITS = 10**8


@dataclass(frozen=True)
class _Chunk:
    """New samples behind the support vectors of the machine, in one table."""

    table: Any
    labels: IndexArray  # class of every row of the table
    numbers: IndexArray  # number in the stream of every row of the table
    samples: IndexArray  # rows of the table to visit
    weights: DoubleArray  # of these


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
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "epochs": [Interval(Integral, 1, None, closed="left")],
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

    def _visit(
        self,
        rows: Rows,
        kernel: KernelSpec,
        tasks: Sequence[OnlineTask],
        machines: Sequence[int],
        epochs: int,
        order: VisitOrder,
    ) -> list[OnlineSolution]:
        """Run the solver on each task; `machines` are their numbers."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it visits samples.")

    def _raw(self) -> tuple[Coefficients, DoubleArray]:
        """Return the raw coefficients and the raw constant terms."""
        return self.expansion_.coefficients, self.expansion_.intercepts

    def _keep_state(self, solutions: list[OnlineSolution], labels: IndexArray) -> None:
        """Set what `_raw` returns, where it is not the machine itself."""

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
        """Go on from a state; samples that follow are learned to the same bits.

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
    def _canonical_order(self) -> bool:  # type: ignore[override]
        return self.order != "given"

    def _seed(self) -> int:
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _solve(self, rows: Rows, kernel: KernelSpec, problems: list[Problem]) -> list[Solution]:
        tasks = [OnlineTask(problem) for problem in problems]
        return list(self._run(rows, kernel, tasks, range(len(tasks)), int(self.epochs), self.order))

    def _run(
        self,
        rows: Rows,
        kernel: KernelSpec,
        tasks: Sequence[OnlineTask],
        machines: Sequence[int],
        epochs: int,
        order: VisitOrder,
    ) -> list[OnlineSolution]:
        most = max((float(np.ceil(task.problem.weights).sum()) for task in tasks), default=0.0)
        if most > _MOST_VISITS:
            raise ValueError(
                f"{type(self).__name__} visits a sample as often as it weighs, and these weights "
                f"ask for {most:.3g} visits in one epoch; at most {_MOST_VISITS:g} are possible, "
                "so scale the weights down."
            )
        solutions = self._visit(rows, kernel, tasks, machines, epochs, order)
        late = sum(s.status == "max_time" for s in solutions)
        if late:
            warn_user(
                f"{type(self).__name__} stopped at max_time={self.max_time:g} s with {late} of "
                f"{len(solutions)} machines unfinished. The model is what was reached; raise "
                "max_time or lower epochs.",
                ConvergenceWarning,
            )
        return solutions

    def _record(
        self, solutions: list[Solution], problems: list[Problem], training: TrainingSet
    ) -> None:
        online = cast(list[OnlineSolution], solutions)
        self.t_ = np.array([s.t for s in online])
        self.n_samples_seen_ = int(training.X.shape[0])
        self._keep_state(online, training.labels)

    # Streams --------------------------------------------------------------------------------

    @available_if(_has_samples)
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on with more samples: one pass over them, in the order given.

        `epochs` and `order` do not matter here. Chunks one after another give the machine of one
        pass over all their rows. After `fit`, it continues the fitted machine.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New samples. The first call decides between dense and sparse and between float32 and
            float64, and what a `gamma` given by name stands for.
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
        weights = self._chunk_weights(X, y, sample_weight)
        labels = encode_chunk(self, y, known)
        self._learn_chunk(X, labels, weights, known, first)
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
        return weights

    def _learn_chunk(
        self, X: Any, labels: IndexArray, weights: DoubleArray, classes: Any, first: bool
    ) -> None:
        chunk = self._chunk(X, labels, weights, classes.size, first)
        kernel = (
            self._kernel(chunk.table, chunk.samples, chunk.weights, chunk.labels[chunk.samples])
            if first
            else self.expansion_.kernel
        )
        problems = split(
            chunk.samples,
            chunk.labels[chunk.samples],
            chunk.weights,
            classes.size,
            self.multi_class,
        )
        before = self._before(problems, first)
        # A machine whose classes are not in the chunk stays as it is.
        busy = [m for m, problem in enumerate(problems) if problem.samples.size]
        tasks = [_task(problems[m], before[m]) for m in busy]
        after: list[Any] = list(before)
        rows = make_rows(chunk.table, self.kernel)
        learnt = self._run(rows, kernel, tasks, busy, 1, "given")
        for m, solution in zip(busy, learnt, strict=True):
            after[m] = replace(solution, n_iter=before[m].n_iter + solution.n_iter)

        self.n_samples_seen_ = int(X.shape[0]) + (0 if first else self.n_samples_seen_)
        self.classes_ = classes
        found = gather(after, chunk.labels, classes.size)
        self._set_expansion(self._final_kernel(kernel, after), chunk.table, found)
        self.support_ = _shortest(chunk.numbers[found.support])
        self.n_iter_ = np.array([s.n_iter for s in after])
        self.stop_reason_ = np.array([s.status for s in after])
        self.t_ = np.array([s.t for s in after])
        self._keep_state(after, chunk.labels)

    def _chunk(
        self, X: Any, labels: IndexArray, weights: DoubleArray, n_classes: int, first: bool
    ) -> _Chunk:
        samples = np.flatnonzero(weights > 0)
        if samples.size == 0:
            raise ValueError(
                f"{type(self).__name__} needs at least one sample of positive weight; "
                "all weights of this chunk are zero."
            )
        seen = 0 if first else self.n_samples_seen_
        numbers = seen + np.arange(X.shape[0])
        if first or self.support_.size == 0:
            return _Chunk(X, labels, numbers, samples, weights[samples])
        vectors = self.support_vectors_
        X = match_form(X, vectors)
        stack = sp.vstack([vectors, X], format="csr") if sp.issparse(X) else np.vstack([vectors, X])
        of_class = np.repeat(np.arange(n_classes), self.n_support_)
        return _Chunk(
            stack,
            np.concatenate([of_class, labels]),
            np.concatenate([self.support_.astype(np.int64), numbers]),
            samples + self.support_.size,
            weights[samples],
        )

    def _before(self, problems: list[Problem], first: bool) -> list[OnlineSolution]:
        """Return each machine as it is now, over the first rows of the chunk's table."""
        if first:
            nothing = np.empty(0)
            return [
                OnlineSolution(np.empty(0, dtype=np.int64), nothing, status="exhausted")
                for _ in problems
            ]
        raw, raw_intercept = self._raw()
        states = _columns(raw)
        coefs = _columns(self.expansion_.coefficients)
        return [
            OnlineSolution(
                support=rows,
                coef=_at(rows, coefs[m]),
                intercept=float(self.intercept_[m]),
                status=cast(Any, str(self.stop_reason_[m])),
                n_iter=int(self.n_iter_[m]),
                state=state,
                state_intercept=float(raw_intercept[m]),
                t=float(self.t_[m]),
            )
            for m, (rows, state) in enumerate(states)
        ]


def _columns(coefficients: Coefficients) -> list[tuple[IndexArray, DoubleArray]]:
    """Return (support vectors, coefficients) of each binary problem."""
    matrix = coefficients.matrix().tocsc()
    matrix.sort_indices()
    parts = zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
    return [
        (matrix.indices[a:b].astype(np.int64), matrix.data[a:b].astype(np.float64))
        for a, b in parts
    ]


def _task(problem: Problem, machine: OnlineSolution) -> OnlineTask:
    return OnlineTask(problem, machine.support, machine.state, machine.state_intercept, machine.t)


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
