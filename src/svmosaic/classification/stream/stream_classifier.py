"""What the classifiers of streams share: classes, chunks from batches of any size, prediction."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from svmosaic.classification.parameters import POSITIVE_COUNT, RUN_PARAMETERS
from svmosaic.classification.stream.expert_pool import ExpertPool
from svmosaic.classification.stream.in_turn import InTurn
from svmosaic.classification.stream.stream_models import (
    Forecast,
    StreamModel,
    class_values,
    predict_codes,
    vote,
)
from svmosaic.classification.stream.stream_state import (
    LEARNER_STATE,
    LearnerState,
    check_settings,
)
from svmosaic.engine.problem import DoubleArray, FloatArray, IndexArray
from svmosaic.utils.atomic_fit import atomic_fit
from svmosaic.utils.declaration import Declaration, OwnState
from svmosaic.utils.estimator import Estimator
from svmosaic.utils.foreign_arrays import require_host
from svmosaic.utils.partial_labels import encode_chunk, known_classes
from svmosaic.utils.shallow_copy import shallow_copy
from svmosaic.utils.sklearn_compat import available_if, fit_context, validate_parameters
from svmosaic.utils.state_codec import PlainState, read_state, write_state
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.validation import check_samples, take_as_is

__all__ = ["ChunkRule", "StreamClassifier"]

# In turn, the first chunks are a quarter of what was learned before, at least this many samples.
_CHUNKS_PER_DOUBLING = 4
_FEWEST = 10


class ChunkRule(Protocol):
    """What learns from chunks: the adaptive or the published rule, or OLLA-L2's."""

    n_drifts: int
    n_threads: int
    # Whether it makes something of the order of samples that are predicted in turn; what it made.
    uses_order: bool
    in_turn: InTurn | None

    @property
    def model(self) -> StreamModel:
        """The model that predicts."""

    @property
    def name(self) -> str:
        """What the model is."""

    def copy(self) -> Self:
        """Return a rule that learns without changing this one."""

    def learn(
        self,
        X: FloatArray,
        codes: IndexArray,
        forecast: Forecast | None = None,
        *,
        in_turn: bool = False,
    ) -> None:
        """Learn from a chunk, whose samples may have been predicted, together or in turn."""


def _learns_in_turn(learner: Any) -> bool:
    """Return whether a learner's rule makes something of labels that come one by one."""
    return bool(learner.uses_order)


class StreamClassifier(ClassifierMixin, Estimator):  # type: ignore[misc]
    """Base of the stream classifiers. A subclass implements `_make_rule`."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "chunk_size": POSITIVE_COUNT,
        "n_jobs": RUN_PARAMETERS["n_jobs"],
    }

    _model_file = Declaration(
        {"_state": OwnState()},
        assemble=lambda model, state: model.set_plain_state(state["_state"]),
    )

    chunk_size: int
    n_jobs: int | None

    _rule: ChunkRule
    # Samples that wait for a full chunk.
    _pending: list[tuple[FloatArray, IndexArray]]
    _n_pending: int
    _n_learned: int
    # Decisions of the model on those that were predicted in turn; not part of the state, because
    # they can be computed again.
    _decided: list[DoubleArray]

    @property
    def uses_order(self) -> bool:
        """Whether the rule makes use of labels that come one after the other."""
        return False

    def _make_rule(self) -> ChunkRule:
        """Return what learns from chunks, before the first one."""
        raise NotImplementedError(f"{type(self).__name__} does not say by what rule it learns.")

    # Training -------------------------------------------------------------------------------

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Forget everything, then learn from samples in the order given.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : object
            The classifier.
        """
        X, y = self._check(X, y, reset=True)
        classes = np.unique(y)
        if classes.size < 2:
            raise ValueError(
                f"{type(self).__name__} needs samples of at least 2 classes; the data contain "
                f"only one class: {classes[0]!r}. Check the target column."
            )
        self._start(classes)
        self._learn_all(X, np.searchsorted(classes, y))
        self._learn_pending()
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, *, forecast: Forecast | None = None
    ) -> Self:
        """Continue with more samples.

        Samples are learned from in chunks of `chunk_size`; smaller batches wait until there are
        enough. Only at the very beginning smaller chunks are learned from, each twice as large as
        the one before.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New samples.
        y : array-like of shape (n_samples,)
            Class labels. A chunk need not contain all classes.
        classes : array-like of shape (n_classes,), default=None
            All classes that will ever come; needed in the first call.
        forecast : Forecast, default=None
            What `forecast` returned for this very `X`. The learner tests itself on samples before
            it learns from them; with the forecast it need not predict them a second time. The
            model does not depend on it.

        Returns
        -------
        self : object
            The classifier.
        """
        if forecast is not None and forecast.X is not X:
            forecast = None
        first = not hasattr(self, "classes_")
        known = known_classes(self, classes)
        X, y = self._check(X, y, reset=first)
        codes = encode_chunk(self, y, known)
        if first:
            self._start(known)
        self._learn_all(X, codes, forecast)
        return self

    @available_if(_learns_in_turn)
    def predict_then_learn(self, X: Any, y: Any, classes: Any = None) -> Any:
        """Predict each sample and then learn from it, in the order given.

        The predictions are those of one call for each sample: every one is made when the labels of
        the samples before it are known, and neither its own label nor a later one is used. This is
        the method for streams whose labels come one after the other. The adaptive rule of
        `StreamOLLAWV` has it: it makes use of the label before, where labels come in runs, and
        learns from smaller chunks at the beginning. Other rules need whole chunks.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New samples, in the order of the stream.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All classes that will ever come; needed in the first call.

        Returns
        -------
        y_predicted : ndarray of shape (n_samples,)
            What was predicted; for the first sample of all the first class.

        Examples
        --------
        >>> import numpy as np
        >>> from svmosaic import StreamOLLAWV
        >>> y = np.arange(300) // 10 % 3
        >>> X = np.random.default_rng(0).normal(size=(300, 2))
        >>> predicted = StreamOLLAWV().predict_then_learn(X, y, classes=[0, 1, 2])
        >>> bool(np.mean(predicted == y) > 0.8)
        True
        """
        predicted: list[IndexArray] = []
        self._learn_in_turn(X, y, classes, predicted)
        return self.classes_[np.concatenate(predicted)]

    @atomic_fit
    def _learn_in_turn(self, X: Any, y: Any, classes: Any, predicted: list[IndexArray]) -> Self:
        first = not hasattr(self, "classes_")
        if first:
            # As with `partial_fit`, the first call does so for all.
            validate_parameters(self)
        known = known_classes(self, classes)
        X, y = self._check(X, y, reset=first)
        codes = encode_chunk(self, y, known)
        if first:
            self._start(known)
        self.n_samples_seen_ += int(codes.size)
        if self._n_learned == 0 and self._n_pending == 0:
            # Nobody can predict it; from it on there is a model.
            predicted.append(np.zeros(1, dtype=np.int64))
            self._take(X[:1], codes[:1])
            self._learn_pending()
            X, codes = X[1:], codes[1:]
        while codes.size:
            count = max(self._wanted_in_turn() - self._n_pending, 1)
            predicted.append(self._predict_piece(X[:count], codes[:count]))
            X, codes = X[count:], codes[count:]
        return self

    def _wanted_in_turn(self) -> int:
        """Return the samples of the next chunk: few at the beginning, ever more.

        Later chunks end at multiples of `chunk_size`. A batch of that size is then one piece.
        """
        size = self.chunk_size
        if self._n_learned < _CHUNKS_PER_DOUBLING * size:
            return min(size, max(self._n_learned // _CHUNKS_PER_DOUBLING, _FEWEST))
        rest = size - self._n_learned % size
        # A few samples alone would say little: two chunks of more than half take their place.
        return rest if 2 * rest >= size else (rest + size) // 2

    def _predict_piece(self, X: FloatArray, codes: IndexArray) -> IndexArray:
        """Predict samples of one chunk in turn; learn from the chunk if it is full then."""
        rule, model = self._rule, self._rule.model
        decisions = model.decide(X, rule.n_threads)
        predicted = vote(model, decisions)
        # What the model says of each chunk is asked for again when the chunk is learned.
        known = [*self._decided, decisions] if self._n_pending else [decisions]
        is_whole = len(known) == len(self._pending) + 1
        if rule.uses_order:
            in_turn = self._in_turn()
            waiting = _join(self._pending) if self._n_pending else None
            guesses = in_turn.guess(X, codes, predicted, waiting)
            predicted = in_turn.choose(guesses, codes)
            in_turn.note(guesses, X, codes)
            # A copy: until the call ends well, the rule stays what it was before. It is shallow,
            # because nothing else of the rule changes before it learns.
            self._rule = rule = shallow_copy(rule)
            rule.in_turn = in_turn
        self._take(X, codes)
        if self._n_pending >= self._wanted_in_turn():
            whole = Forecast(None, None, model, np.concatenate(known)) if is_whole else None
            self._learn_pending(whole, in_turn=True)
        else:
            self._decided = known
        return predicted

    def _in_turn(self) -> InTurn:
        """Return a copy of what the rule made of the order so far."""
        so_far = self._rule.in_turn
        in_turn = InTurn(int(self.classes_.size)) if so_far is None else so_far.copy()
        # `partial_fit` may have learned more since.
        in_turn.begin(*self._last_learned())
        return in_turn

    def _last_learned(self) -> tuple[FloatArray, IndexArray]:
        """Return the last sample and its label."""
        if self._n_pending:
            X, codes = self._pending[-1]
            return X[-1:], codes[-1:]
        assert isinstance(self._rule, ExpertPool)
        return self._rule.window.last(1)

    @available_if(_learns_in_turn)
    def predict_next(self, X: Any) -> Any:
        """Return the class of the sample that comes next, as `predict_then_learn` would.

        Unlike `predict`, it may use the label of the last sample learned from.

        Parameters
        ----------
        X : array-like of shape (1, n_features)
            The sample.

        Returns
        -------
        y : ndarray of shape (1,)
            Its class label.
        """
        X = self._checked(X)
        if len(X) != 1:
            raise ValueError(
                f"{type(self).__name__}.predict_next expects the one sample that comes next. Got "
                f"{len(X)} samples. For several, without their labels, call predict."
            )
        rule, model = self._rule, self._rule.model
        predicted = predict_codes(model, X, resolve_threads(self.n_jobs))
        if rule.uses_order:
            in_turn = self._in_turn()
            waiting = _join(self._pending) if self._n_pending else None
            # The label of the sample itself is looked at by nobody.
            unknown = np.zeros(1, dtype=np.int64)
            predicted = in_turn.choose(in_turn.guess(X, unknown, predicted, waiting), unknown)
        return self.classes_[predicted]

    def _check(self, X: Any, y: Any, *, reset: bool) -> tuple[FloatArray, Any]:
        if take_as_is(self, X, y, reset=reset):
            return X, y
        require_host(type(self).__name__, X, y)
        X, y = validate_data(self, X, y, reset=reset, dtype=[np.float64, np.float32], order="C")
        check_classification_targets(y)
        return X, y

    def _start(self, classes: Any) -> None:
        self.classes_ = classes
        self.n_samples_seen_ = 0
        self._rule = self._make_rule()
        self._pending = []
        self._n_pending = 0
        self._n_learned = 0
        self._decided = []

    def _learn_all(
        self, X: FloatArray, codes: IndexArray, forecast: Forecast | None = None
    ) -> None:
        """Cut a batch, with what waits before it, into chunks and learn from the full ones."""
        self.n_samples_seen_ += int(codes.size)
        n_given = codes.size
        while codes.size:
            # The first call is learned from at once, so that there is always a model.
            wanted = min(self.chunk_size, max(self._n_learned, 1))
            if self._n_learned == 0:
                wanted = min(self.chunk_size, codes.size)
            # None, if `chunk_size` was made smaller than what waits.
            taken = max(wanted - self._n_pending, 0)
            self._take(X[:taken], codes[:taken])
            X, codes = X[taken:], codes[taken:]
            if self._n_pending >= wanted:
                # A forecast is of use if its samples are the chunk.
                is_whole = self._n_pending == n_given and codes.size == 0
                self._learn_pending(forecast if is_whole else None)

    def _take(self, X: FloatArray, codes: IndexArray) -> None:
        """Let samples wait for a full chunk."""
        # Copies: the caller may write into the batch later.
        self._pending = [*self._pending, (X.copy(), codes.copy())]
        self._n_pending += int(codes.size)

    def _learn_pending(self, forecast: Forecast | None = None, *, in_turn: bool = False) -> None:
        if self._n_pending == 0:
            return
        # A copy: until the call ends well, the model stays what it was before.
        rule = self._rule.copy()
        rule.learn(*_join(self._pending), forecast, in_turn=in_turn)
        self._rule = rule
        self._n_learned += self._n_pending
        self._pending, self._n_pending, self._decided = [], 0, []

    # The state as plain data -----------------------------------------------------------------

    def get_plain_state(self) -> PlainState:
        """Return all that was learned as plain numbers, words and arrays.

        Returns
        -------
        state : PlainState
            What `set_plain_state` takes. Raises TypeError if a part has no plain form, such as a
            drift detector of another library.
        """
        check_is_fitted(self)
        learned = LearnerState(
            self.n_features_in_,
            getattr(self, "feature_names_in_", None),
            self.classes_,
            self._n_learned,
            _join(self._pending) if self._n_pending else None,
            self._rule,
        )
        return write_state(LEARNER_STATE, learned)

    @property
    def _state(self) -> PlainState:
        return self.get_plain_state()

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
        found: LearnerState = read_state(LEARNER_STATE, state)
        rule = found.rule
        check_settings(rule, self._make_rule())
        rule.n_threads = resolve_threads(self.n_jobs)
        waiting = [] if found.waiting is None else [found.waiting]
        n_waiting = sum(int(codes.size) for _, codes in waiting)
        fitted: dict[str, Any] = {
            "n_features_in_": found.n_features,
            "classes_": found.classes,
            "n_samples_seen_": found.n_learned + n_waiting,
            "_rule": rule,
            "_pending": waiting,
            "_n_pending": n_waiting,
            "_n_learned": found.n_learned,
            "_decided": [],
        }
        if found.feature_names is not None:
            fitted["feature_names_in_"] = found.feature_names
        before = {name: value for name, value in vars(self).items() if name != "feature_names_in_"}
        # One assignment: nobody sees a part of the new state.
        self.__dict__ = before | fitted
        return self

    # What was learned -----------------------------------------------------------------------

    @property
    def n_support_(self) -> int:
        """Support vectors of the model that predicts; a linear one stores none."""
        check_is_fitted(self)
        return self._rule.model.n_support

    @property
    def model_(self) -> str:
        """The model that predicts: its family and the samples it was trained on."""
        check_is_fitted(self)
        return self._rule.name

    @property
    def n_drifts_(self) -> int:
        """How often the learner started from the beginning."""
        check_is_fitted(self)
        return self._rule.n_drifts

    # Prediction -----------------------------------------------------------------------------

    def decision_function(self, X: Any) -> DoubleArray:
        """Return how far on which side of the boundary each sample lies.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        decision : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Positive for ``classes_[1]`` with two classes. With more: votes of one-vs-one, with ties
            ordered by the sums of decisions. A class not seen of late has the lowest value.
        """
        X = self._checked(X)
        model, n_threads = self._rule.model, resolve_threads(self.n_jobs)
        values = class_values(model, X, self.classes_.size, n_threads)
        if self.classes_.size > 2:
            return values
        return (values[:, 1] - values[:, 0]) / 2

    def predict(self, X: Any) -> Any:
        """Return the class of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        X = self._checked(X)
        model = self._rule.model
        return self.classes_[predict_codes(model, X, resolve_threads(self.n_jobs))]

    def forecast(self, X: Any) -> Forecast:
        """Predict samples that are learned from next, with `partial_fit` of the same `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples. They must not be changed before they are learned from.

        Returns
        -------
        forecast : Forecast
            Its `labels` are what `predict` returns.

        Examples
        --------
        >>> from svmosaic import StreamOLLAWV
        >>> from svmosaic.streams import SEA
        >>> stream, model = SEA(seed=1), StreamOLLAWV(chunk_size=500)
        >>> X, y = stream.read(0, 500)
        >>> model = model.partial_fit(X, y, classes=stream.classes)
        >>> X, y = stream.read(500, 500)
        >>> forecast = model.forecast(X)
        >>> bool((forecast.labels == y).mean() > 0.8)
        True
        >>> model = model.partial_fit(X, y, forecast=forecast)
        """
        checked = self._checked(X)
        model = self._rule.model
        decisions = model.decide(checked, resolve_threads(self.n_jobs))
        labels = self.classes_[vote(model, decisions)]
        return Forecast(X, labels, model, decisions)

    def _checked(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        checked: FloatArray = check_samples(self, X)
        return checked


def _join(chunks: list[tuple[FloatArray, IndexArray]]) -> tuple[FloatArray, IndexArray]:
    if len(chunks) == 1:
        return chunks[0]
    tables, labels = zip(*chunks, strict=True)
    return np.concatenate(tables), np.concatenate(labels)
