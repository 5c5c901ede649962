"""How far a prequential run is, and the same as plain data for a check-point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from numbers import Real as RealNumber
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmosaic.streams.learners import ChunkLearner, get_plain_state
from svmosaic.streams.prequential_result import SECONDS
from svmosaic.streams.running_scores import SCORES_STATE, RunningScores
from svmosaic.utils.array_checks import refuse
from svmosaic.utils.state_codec import (
    Array,
    Arrays,
    Inner,
    Labels,
    Listing,
    Maybe,
    NotPlainError,
    PlainState,
    Real,
    Record,
    Scope,
    Whole,
    read_state,
    write_state,
)

__all__ = ["Course", "RunState", "read_run", "write_run"]


@dataclass
class Course:
    """One learner on its way through the stream."""

    learner: ChunkLearner
    scores: RunningScores
    learned: int = 0  # samples learned from
    size: dict[str, int] = field(default_factory=dict)
    records: list[dict[str, Any]] = field(default_factory=list)
    predictions: list[NDArray[Any]] = field(default_factory=list)


@dataclass
class RunState:
    """How far a run is: what a check-point holds."""

    courses: dict[str, Course]
    position: int = 0
    labels: list[NDArray[Any]] = field(default_factory=list)


# As plain data --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Coded:
    """Labels by their numbers among the distinct ones."""

    values: NDArray[Any]
    codes: NDArray[np.int64]

    def labels(self) -> NDArray[Any]:
        return self.values[self.codes]


def _coded(parts: Sequence[NDArray[Any]]) -> _Coded | None:
    if not parts:
        return None
    values, codes = np.unique(np.concatenate(parts), return_inverse=True)
    return _Coded(values, codes.astype(np.int64))


_CODED = Maybe(
    Record(
        _Coded,
        {
            "values": Labels(size="n_values", least=1),
            "codes": Array(("int64",), ("n_labels",), minimum=0, below="n_values"),
        },
    )
)


@dataclass(frozen=True)
class _Numbers:
    """A dict of numbers by name: whole ones, and others, which may be nan or infinite."""

    def pack(self, value: Mapping[str, Any], path: str, arrays: Arrays) -> dict[str, Any]:
        """Return the dict."""
        return {str(name): self._pack(number, path, arrays) for name, number in value.items()}

    def _pack(self, number: Any, path: str, arrays: Arrays) -> Any:
        if isinstance(number, Integral):
            return int(number)
        if isinstance(number, RealNumber):
            return Real().pack(number, path, arrays)
        raise NotPlainError(
            f"a check-point holds numbers about a learner. Got {type(number).__name__} instead"
        )

    def unpack(self, plain: Any, path: str, scope: Scope) -> dict[str, Any]:
        """Return the dict, checked."""
        if not isinstance(plain, dict):
            refuse(f"'{path}' is not a dict")
        return {
            name: _WHOLE.unpack(number, path, scope)
            if type(number) is int
            else _ANY_REAL.unpack(number, path, scope)
            for name, number in plain.items()
        }


_WHOLE = Whole(minimum=-(2**63), maximum=2**63 - 1)
_ANY_REAL = Real(odd=("nan", "inf", "-inf"))


@dataclass(frozen=True)
class _SavedCourse:
    scores: RunningScores
    size: dict[str, int]
    records: list[dict[str, Any]]
    predictions: _Coded | None
    learner: PlainState | None


@dataclass(frozen=True)
class _SavedRun:
    position: int
    labels: _Coded | None
    courses: list[_SavedCourse]


_RUN = Record(
    _SavedRun,
    {
        "position": Whole(size="position"),
        "labels": _CODED,
        "courses": Listing(
            Record(
                _SavedCourse,
                {
                    "scores": SCORES_STATE,
                    "size": _Numbers(),
                    "records": Listing(_Numbers()),
                    "predictions": _CODED,
                    "learner": Maybe(Inner()),
                },
            )
        ),
    },
)


def write_run(state: RunState) -> PlainState:
    """Return the state of a run as plain data.

    A learner that can give its own as plain data is in it; another one learns the stream again.
    """
    courses = [
        _SavedCourse(
            course.scores,
            course.size,
            [{k: v for k, v in record.items() if k != "learner"} for record in course.records],
            _coded(course.predictions),
            get_plain_state(course.learner) if course.learned else None,
        )
        for course in state.courses.values()
    ]
    return write_state(_RUN, _SavedRun(state.position, _coded(state.labels), courses))


def read_run(
    state: RunState, plain: PlainState, metrics: Sequence[str], *, keep_predictions: bool
) -> dict[str, PlainState | None]:
    """Set a run to what was written, all of it checked, but for the learners.

    Parameters
    ----------
    state : RunState
        A run at its beginning.
    plain : PlainState
        What `write_run` returned for a run of the same plan.
    metrics : sequence of str
        The measures in its records.
    keep_predictions : bool
        Whether labels and predictions are part of it.

    Returns
    -------
    learners : dict of str to PlainState or None
        The states of the learners, not checked yet.
    """
    scores = next(iter(state.courses.values())).scores
    sizes = {"n_classes": scores.classes.size, "window": scores.window}
    saved: _SavedRun = read_state(_RUN, plain, **sizes)
    if len(saved.courses) != len(state.courses):
        refuse("it has other learners than expected")
    for one in saved.courses:
        _check_records(one, saved.position, metrics)
        n_kept = 0 if one.predictions is None else one.predictions.codes.size
        if n_kept != (one.scores.n_scored if keep_predictions else 0):
            refuse("it has more or fewer predictions than scores")
    if (saved.labels is None) != (not keep_predictions or saved.position == 0):
        refuse("it has labels without predictions, or the other way round")
    if saved.labels is not None and saved.labels.codes.size != saved.position:
        refuse("it has more or fewer labels than samples")

    state.position = saved.position
    state.labels = [] if saved.labels is None else [saved.labels.labels()]
    for (name, course), one in zip(state.courses.items(), saved.courses, strict=True):
        course.scores = one.scores.of(course.scores.classes, course.scores.window)
        course.size = one.size
        course.records = [{"learner": name, **record} for record in one.records]
        course.predictions = [] if one.predictions is None else [one.predictions.labels()]
    return {name: one.learner for name, one in zip(state.courses, saved.courses, strict=True)}


def _check_records(course: _SavedCourse, position: int, metrics: Sequence[str]) -> None:
    """Refuse records that do not lead from the first sample to the position."""
    measured = {*metrics, *(f"window_{name}" for name in metrics), *SECONDS}
    end = 0
    for record in course.records:
        if not {"begin", "end", *measured} <= set(record):
            refuse("a record lacks an entry")
        whole = [record[name] for name in ("begin", "end", "n_drifts") if name in record]
        if not all(type(value) is int and value >= 0 for value in whole):
            refuse("a record has an entry that is not a whole number from 0")
        if not all(type(record[name]) is float for name in measured):
            refuse("a record has a measure that is not a number")
        if record["begin"] != end or record["end"] <= end:
            refuse("the records do not follow one another")
        end = record["end"]
    if end != position:
        refuse(f"its records end with sample {end}, but it is at sample {position}")
