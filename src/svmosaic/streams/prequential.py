"""Prequential evaluation: every sample is first predicted, then learned from."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from svmosaic.streams.baselines import Baselines
from svmosaic.streams.check_point import describe_plan, read_check_point, write_check_point
from svmosaic.streams.learners import ChunkLearner, as_learner, wrapped_model
from svmosaic.streams.prequential_result import PrequentialResult
from svmosaic.streams.resuming import require_untrained, resume
from svmosaic.streams.run_state import Course, RunState, write_run
from svmosaic.streams.running_scores import MEASURES, RunningScores
from svmosaic.streams.stream_protocol import Stream
from svmosaic.streams.walk import Walk

__all__ = ["prequential"]

# The size of a model is measured with the first record and then every this many: it may take long.
_SIZE_EVERY = 10
# The plan of a run with all measures has them in this order, whatever the order of the columns.
_ALL_IN_PLANS = ("accuracy", "kappa", "kappa_m", "kappa_t", "f1_macro")


def prequential(
    learners: Any,
    stream: Stream,
    *,
    n_samples: int | None = None,
    chunk: int = 1000,
    one_by_one: bool | Literal["auto"] = "auto",
    window: int = 1000,
    delay: int = 0,
    metrics: Sequence[str] = MEASURES,
    keep_predictions: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = 10.0,
    progress: Callable[[int, Mapping[str, Mapping[str, Any]]], None] | None = None,
) -> PrequentialResult:
    """Evaluate learners on a stream: predict, then learn, by chunks or sample by sample.

    The first samples are only learned. After that, every sample is predicted before it is learned.
    All learners see the same samples in one pass. Beside them the result has two baselines: the
    previous label ("no-change") and the most frequent class so far ("majority").

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
    one_by_one : bool or "auto", default="auto"
        When labels come. ``"auto"``: learners that learn sample by sample get each label before the
        next sample (`StreamOLLAWV` with its adaptive rule, River's models), others get the labels
        of a chunk together. False: all get them by chunks, as in the dissertation. True: all sample
        by sample, which is slow with estimators that learn in batches; then only the first sample
        is not predicted. Records are written every `chunk` samples. With a `delay`, "auto" is
        False.
    window : int, default=1000
        Predictions in the windowed measures.
    delay : int, default=0
        Samples after which a label arrives: a learner knows those that are at least so old.
    metrics : sequence of str, default=all
        Of ``kappa_t``, ``accuracy``, ``kappa``, ``kappa_m``, ``f1_macro``.
    keep_predictions : bool, default=False
        Keep every label and prediction, in memory and in check-points.
    checkpoint : path-like, default=None
        A file that the state is written to every `checkpoint_seconds`. An interrupted run resumes
        from it, to the same table but for seconds and bytes. It holds plain numbers, all of which
        are checked when they are read, and no code. `StreamOLLAWV` and `StreamOLLAL2` are stored
        in it; other learners learn the samples so far again, so give them untrained and with a
        fixed seed. The file stays after the end.
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
    in_turn = one_by_one == "auto" and delay == 0
    walk = Walk(stream, 1 if one_by_one is True else chunk, delay, in_turn)
    state = _begin(named, stream, window)
    plan = ""
    if checkpoint is not None:
        plans = [
            describe_plan(
                *(named, stream, chunk, when, window, delay, _in_plans(metrics), keep_predictions)
            )
            # A run of an earlier version got all labels by chunks, and continues so.
            for when in ((one_by_one, False) if in_turn else (one_by_one is True,))
        ]
        plan, found = read_check_point(checkpoint, plans)
        if plan != plans[0]:
            walk = Walk(stream, chunk, delay)
        if found is None:
            require_untrained(state)
        else:
            resume(state, found, checkpoint, walk, metrics, keep_predictions=keep_predictions)
    baselines = Baselines(stream.classes, window, delay)
    baseline_records = _repeat_baselines(baselines, state, stream, metrics)
    end = n_samples if n_samples is not None else getattr(stream, "length", None)
    saved = time.monotonic()
    while end is None or state.position < end:
        count = chunk if end is None else min(chunk, end - state.position)
        X, y = stream.read(state.position, count)
        if len(y) == 0:
            break
        for name, course in state.courses.items():
            done = walk.advance(course, X, y, state.position)
            course.scores.add(y, done.predicted)
            if keep_predictions and done.predicted.size:
                course.predictions.append(done.predicted)
            if len(course.records) % _SIZE_EVERY == 0:
                course.size = course.learner.size()
            course.records.append(
                {
                    "learner": name,
                    "begin": state.position,
                    "end": state.position + len(y),
                    **_measure_scores(course.scores, metrics),
                    **done.seconds(),
                    **_count_drifts(course.learner),
                    **course.size,
                }
            )
        baselines.add(y, _n_predicted(state, len(y)))
        baseline_records += _measure_baselines(baselines, state.position, len(y), metrics)
        if keep_predictions:
            state.labels.append(y)
        state.position += len(y)
        if checkpoint is not None and time.monotonic() - saved >= checkpoint_seconds:
            write_check_point(checkpoint, plan, write_run(state))
            saved = time.monotonic()
        if progress is not None:
            last = {name: course.records[-1] for name, course in state.courses.items()}
            try:
                progress(state.position, last)
            except BaseException:
                # All learners have learned this chunk: nothing is lost.
                if checkpoint is not None:
                    write_check_point(checkpoint, plan, write_run(state))
                raise
    if checkpoint is not None:
        write_check_point(checkpoint, plan, write_run(state))
    result = PrequentialResult(
        [record for course in state.courses.values() for record in course.records],
        tuple(getattr(stream, "drifts", ())),
        _join(state.labels),
        baselines=baseline_records,
    )
    if keep_predictions:
        for name, course in state.courses.items():
            result.predictions[name] = _join(course.predictions)
    return result


def _in_plans(metrics: Sequence[str]) -> tuple[str, ...]:
    """Return the measures as plans have always named them: all of them in the order of old."""
    return _ALL_IN_PLANS if tuple(metrics) == MEASURES else tuple(metrics)


def _measure_scores(scores: RunningScores, metrics: Sequence[str]) -> dict[str, float]:
    over_all, recent = scores.scores(), scores.windowed()
    return {name: over_all[name] for name in metrics} | {
        f"window_{name}": recent[name] for name in metrics
    }


def _n_predicted(state: RunState, n_samples: int) -> int:
    """Return how many samples of the last chunk count: those that all learners predicted."""
    counts = [course.scores.n_scored for course in state.courses.values()]
    return min(n_samples, *counts) if counts else 0


def _measure_baselines(
    baselines: Baselines, begin: int, count: int, metrics: Sequence[str]
) -> list[dict[str, Any]]:
    where = {"begin": begin, "end": begin + count}
    return [{"learner": "", **where, **record} for record in baselines.measure(metrics)]


def _repeat_baselines(
    baselines: Baselines, state: RunState, stream: Stream, metrics: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the records up to where a run resumes; a check-point does not hold them."""
    found: list[dict[str, Any]] = []
    if state.position == 0:
        return found
    courses = list(state.courses.values())
    left = state.position - min(course.scores.n_scored for course in courses)
    for record in courses[0].records:
        _, y = stream.read(record["begin"], record["end"] - record["begin"])
        skipped = min(left, len(y))
        left -= skipped
        baselines.add(y, len(y) - skipped)
        found += _measure_baselines(baselines, record["begin"], len(y), metrics)
    return found


def _count_drifts(learner: ChunkLearner) -> dict[str, int]:
    """Return how often a learner restarted, if it says so."""
    count = getattr(wrapped_model(learner), "n_drifts_", None)
    return {} if count is None else {"n_drifts": int(count)}


def _join(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.empty(0)


def _check(chunk: int, window: int, delay: int, metrics: Sequence[str]) -> None:
    for name, value, least in (("chunk", chunk, 1), ("window", window, 1), ("delay", delay, 0)):
        if value < least:
            raise ValueError(f"prequential expects {name} >= {least}. Got {value}.")
    for metric in metrics:
        if metric not in MEASURES:
            raise ValueError(f"prequential has no metric {metric!r}. It has {', '.join(MEASURES)}.")


def _by_name(learners: Any) -> dict[str, Any]:
    if isinstance(learners, Mapping):
        if not learners:
            raise ValueError("prequential expects at least one learner. Got none.")
        return dict(learners)
    return {type(learners).__name__: learners}


def _begin(named: Mapping[str, Any], stream: Stream, window: int) -> RunState:
    courses = {
        name: Course(as_learner(model), RunningScores(stream.classes, window))
        for name, model in named.items()
    }
    return RunState(courses)
