"""From a check-point back to a run: learners that it does not hold learn the stream again."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence

import numpy as np

from svmosaic.exceptions import DataFileError, ModelFileError
from svmosaic.streams.learners import SklearnLearner, StoredModel, wrapped_model
from svmosaic.streams.run_state import Course, RunState, read_run
from svmosaic.streams.walk import Walk
from svmosaic.utils.array_checks import refuse
from svmosaic.utils.state_codec import PlainState

__all__ = ["require_untrained", "resume"]

_log = logging.getLogger("svmosaic")


def require_untrained(state: RunState) -> None:
    """Refuse trained learners that a check-point does not hold: they could not be resumed."""
    for name, course in state.courses.items():
        if not isinstance(wrapped_model(course.learner), StoredModel):
            _require_untrained(name, course)


def _require_untrained(name: str, course: Course) -> None:
    if isinstance(course.learner, SklearnLearner) and course.learner.is_trained:
        raise ValueError(
            f"prequential resumes {name} by learning the stream again from its first sample, but "
            f"{name} is already fitted. Pass an estimator that is not, or no checkpoint."
        )


def resume(
    state: RunState,
    saved: PlainState,
    path: str | os.PathLike[str],
    walk: Walk,
    metrics: Sequence[str],
    *,
    keep_predictions: bool,
) -> None:
    """Set a run that has not begun to what its check-point holds.

    Parameters
    ----------
    state : RunState
        A run at its beginning.
    saved : PlainState
        What the file holds.
    path : path-like
        The file, for messages.
    walk : Walk
        How learners go through the stream.
    metrics : sequence of str
        The measures in the records.
    keep_predictions : bool
        Whether labels and predictions are kept.
    """
    try:
        learners = read_run(state, saved, metrics, keep_predictions=keep_predictions)
        for name, learned in learners.items():
            if learned is not None:
                _restore(state.courses[name], learned, walk)
                state.courses[name].learned = walk.known_at(state.position)
    except ModelFileError as error:
        raise DataFileError(
            f"{path} is not a valid check-point: {error}. Remove it to start over."
        ) from error
    for name, course in state.courses.items():
        if course.learned < walk.known_at(state.position):
            _require_untrained(name, course)
            _log.info(
                "%s learns the first %d samples again: %s does not hold its state.",
                *(name, walk.known_at(state.position), path),
            )
            _learn_again(name, course, walk, path)


def _restore(course: Course, learned: PlainState, walk: Walk) -> None:
    model = wrapped_model(course.learner)
    if not isinstance(model, StoredModel):
        refuse("it holds the state of a learner that takes none")
    fitted = model.set_plain_state(learned)
    X, _ = walk.stream.read(0, 1)
    known = np.unique(np.asarray(walk.stream.classes))
    if fitted.n_features_in_ != X.shape[1] or not np.array_equal(fitted.classes_, known):
        refuse("it holds a learner of other features or classes than those of the stream")


def _learn_again(name: str, course: Course, walk: Walk, path: str | os.PathLike[str]) -> None:
    """Let a learner learn all chunks so far; scores and records are kept as they are.

    Only the last chunk is predicted, to see whether the learner does what it did before.
    """
    for record in course.records:
        begin = record["begin"]
        X, y = walk.stream.read(begin, record["end"] - begin)
        is_last = record is course.records[-1]
        found = walk.advance(course, X, y, begin, predict=is_last)
    if not course.scores.ends_with(found.predicted):
        raise ValueError(
            f"{name} cannot resume from {path}, because it predicts otherwise after learning the "
            "same samples again. Pass it untrained and with a fixed seed, and remove the file."
        )
