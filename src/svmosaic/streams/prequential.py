"""Prequential evaluation: every sample is first predicted, then learned from."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmosaic.streams.check_point import plan_of, read_check_point, write_check_point
from svmosaic.streams.learners import ChunkLearner, as_learner
from svmosaic.streams.prequential_result import SECONDS, PrequentialResult
from svmosaic.streams.running_scores import MEASURES, RunningScores
from svmosaic.streams.stream import Stream

__all__ = ["prequential"]

# The size of a model is measured with the first record and every so many; it may take long.
_SIZE_EVERY = 10


@dataclass
class _Course:
    """One learner on its way through the stream."""

    learner: ChunkLearner
    scores: RunningScores
    learned: int = 0  # samples learned from
    size: dict[str, int] = field(default_factory=dict)
    records: list[dict[str, Any]] = field(default_factory=list)
    predictions: list[NDArray[Any]] = field(default_factory=list)


@dataclass
class _State:
    """How far a run is: what a check-point holds."""

    courses: dict[str, _Course]
    position: int = 0
    labels: list[NDArray[Any]] = field(default_factory=list)


def prequential(
    learners: Any,
    stream: Stream,
    *,
    n_samples: int | None = None,
    chunk: int = 1000,
    one_by_one: bool = False,
    window: int = 1000,
    delay: int = 0,
    metrics: Sequence[str] = MEASURES,
    keep_predictions: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = 10.0,
    progress: Callable[[int, Mapping[str, Mapping[str, Any]]], None] | None = None,
) -> PrequentialResult:
    """Let learners predict a stream and learn from it, chunk by chunk or sample by sample.

    The first samples are only learned from. After that every sample is predicted before it is
    learned from. All learners see the same samples in one pass.

    Parameters
    ----------
    learners : model or mapping of str to model
        Anything that `as_learner` takes: models with `partial_fit`, River's models.
    stream : Stream
        Where samples come from; it has `classes` and `read(begin, count)`.
    n_samples : int, default=None
        Where to stop; None means the end of the stream.
    chunk : int, default=1000
        Samples that are predicted and learned together; also how often a record is written.
    one_by_one : bool, default=False
        Predict and learn each sample alone. Records are still written every `chunk` samples.
    window : int, default=1000
        Predictions in the windowed measures.
    delay : int, default=0
        Samples after which a label arrives: a learner knows those that are at least so old.
    metrics : sequence of str, default=all
        Of ``accuracy``, ``kappa``, ``kappa_m``, ``kappa_t``, ``f1_macro``.
    keep_predictions : bool, default=False
        Keep every label and prediction, in memory and in check-points.
    checkpoint : path-like, default=None
        A file that the state is written to every `checkpoint_seconds` and that a killed run
        continues from, to the same table but for seconds and bytes. It is a pickle: open none that
        you do not trust. It stays after the end.
    checkpoint_seconds : float, default=10.0
        Least time between two writes.
    progress : callable, default=None
        Called after each chunk with the samples so far and the last record of each learner. If it
        raises, the run ends there, with a check-point if it has one.

    Returns
    -------
    PrequentialResult

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from svmosaic.streams import SEA, prequential
    >>> result = prequential(GaussianNB(), SEA(seed=1), n_samples=5000)
    >>> bool(result.last()["GaussianNB"]["accuracy"] > 0.8)
    True
    """
    _check(chunk, window, delay, metrics)
    named = _by_name(learners)
    plan = ""
    if checkpoint is not None:
        plan = plan_of(
            named, stream, chunk, one_by_one, window, delay, tuple(metrics), keep_predictions
        )
    state = read_check_point(checkpoint, plan) or _begin(named, stream, window)
    end = n_samples if n_samples is not None else getattr(stream, "length", None)
    saved = time.monotonic()
    while end is None or state.position < end:
        count = chunk if end is None else min(chunk, end - state.position)
        X, y = stream.read(state.position, count)
        if len(y) == 0:
            break
        for name, course in state.courses.items():
            step = 1 if one_by_one else chunk
            found = _advance(course, stream, X, y, state.position, step, delay, keep_predictions)
            if len(course.records) % _SIZE_EVERY == 0:
                course.size = course.learner.size()
            course.records.append(
                {
                    "learner": name,
                    "begin": state.position,
                    "end": state.position + len(y),
                    **_measures_of(course.scores, metrics),
                    **found,
                    **_drifts_of(course.learner),
                    **course.size,
                }
            )
        if keep_predictions:
            state.labels.append(y)
        state.position += len(y)
        if checkpoint is not None and time.monotonic() - saved >= checkpoint_seconds:
            write_check_point(checkpoint, plan, state)
            saved = time.monotonic()
        if progress is not None:
            last = {name: course.records[-1] for name, course in state.courses.items()}
            try:
                progress(state.position, last)
            except BaseException:
                # All learners have learned this chunk: nothing is lost.
                if checkpoint is not None:
                    write_check_point(checkpoint, plan, state)
                raise
    if checkpoint is not None:
        write_check_point(checkpoint, plan, state)
    result = PrequentialResult(
        [record for course in state.courses.values() for record in course.records],
        tuple(getattr(stream, "drifts", ())),
        _join(state.labels),
    )
    if keep_predictions:
        for name, course in state.courses.items():
            result.predictions[name] = _join(course.predictions)
    return result


def _advance(
    course: _Course,
    stream: Stream,
    X: NDArray[np.float64],
    y: NDArray[Any],
    begin: int,
    step: int,
    delay: int,
    keep_predictions: bool,
) -> dict[str, float]:
    """Predict and learn one chunk, `step` samples at a time; return the times it took."""
    train, test = _StopWatch(), _StopWatch()
    said: list[NDArray[Any]] = []
    for first in range(0, len(y), step):
        part, labels = X[first : first + step], y[first : first + step]
        if course.learned > 0:
            with test:
                predicted = course.learner.predict(part)
            course.scores.add(labels, predicted)
            said.append(np.asarray(predicted))
        # Labels that are old enough have arrived.
        known = max(0, begin + first + len(labels) - delay)
        if known > course.learned:
            if delay == 0:
                X_new, y_new = part, labels
            else:
                X_new, y_new = stream.read(course.learned, known - course.learned)
            with train:
                course.learner.learn(X_new, y_new, np.asarray(stream.classes))
            course.learned = known
    if keep_predictions and said:
        course.predictions.append(np.concatenate(said))
    times = (train.seconds, test.seconds, train.cpu_seconds, test.cpu_seconds)
    return dict(zip(SECONDS, times, strict=True))


def _measures_of(scores: RunningScores, metrics: Sequence[str]) -> dict[str, float]:
    over_all, recent = scores.scores(), scores.windowed()
    return {name: over_all[name] for name in metrics} | {
        f"window_{name}": recent[name] for name in metrics
    }


def _drifts_of(learner: ChunkLearner) -> dict[str, int]:
    """Return how often a learner began anew, if it says so."""
    count = getattr(getattr(learner, "model", learner), "n_drifts_", None)
    return {} if count is None else {"n_drifts": int(count)}


def _join(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.empty(0)


class _StopWatch:
    """Sums the time of its ``with`` blocks, of the clock and of the processor."""

    def __init__(self) -> None:
        self.seconds = self.cpu_seconds = 0.0
        self._began = (0.0, 0.0)

    def __enter__(self) -> None:
        self._began = (time.perf_counter(), time.process_time())

    def __exit__(self, *_: object) -> None:
        clock, processor = self._began
        self.seconds += time.perf_counter() - clock
        self.cpu_seconds += time.process_time() - processor


def _check(chunk: int, window: int, delay: int, metrics: Sequence[str]) -> None:
    for name, value, least in (("chunk", chunk, 1), ("window", window, 1), ("delay", delay, 0)):
        if value < least:
            raise ValueError(f"prequential expects {name} >= {least}. Got {value}.")
    for metric in metrics:
        if metric not in MEASURES:
            raise ValueError(
                f"prequential knows no metric {metric!r}. It has {', '.join(MEASURES)}."
            )


def _by_name(learners: Any) -> dict[str, Any]:
    if isinstance(learners, Mapping):
        if not learners:
            raise ValueError("prequential expects at least one learner. Got none.")
        return dict(learners)
    return {type(learners).__name__: learners}


def _begin(named: Mapping[str, Any], stream: Stream, window: int) -> _State:
    courses = {
        name: _Course(as_learner(model), RunningScores(stream.classes, window))
        for name, model in named.items()
    }
    return _State(courses)
