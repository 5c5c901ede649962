"""One learner through one chunk of a stream: each sample is first predicted, then learned from."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmosaic.streams.learners import learns_in_turn
from svmosaic.streams.prequential_result import SECONDS
from svmosaic.streams.run_state import Course
from svmosaic.streams.stream_protocol import Stream

__all__ = ["Pass", "Walk"]


class StopWatch:
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


@dataclass(frozen=True)
class Pass:
    """What a learner predicted for a chunk, and the times that prediction and learning took.

    The first samples of a stream are not predicted: `predicted` is about the last ones. Where both
    are done sample by sample, all of the time is that of training.
    """

    predicted: NDArray[Any]
    train: StopWatch
    test: StopWatch

    def seconds(self) -> dict[str, float]:
        """Return the times by their names in a record."""
        train, test = self.train, self.test
        times = (train.seconds, test.seconds, train.cpu_seconds, test.cpu_seconds)
        return dict(zip(SECONDS, times, strict=True))


@dataclass(frozen=True)
class Walk:
    """How learners go through a stream.

    Attributes
    ----------
    stream : Stream
        Where samples come from.
    step : int
        Samples that are predicted and learned together.
    delay : int
        Samples after which a label arrives.
    in_turn : bool
        Whether a learner that learns sample by sample gets each label before the next sample.
    """

    stream: Stream
    step: int
    delay: int
    in_turn: bool = False

    def advance(
        self,
        course: Course,
        X: NDArray[np.float64],
        y: NDArray[Any],
        begin: int,
        *,
        predict: bool = True,
    ) -> Pass:
        """Predict and learn the chunk whose first sample has the number `begin`."""
        train, test = StopWatch(), StopWatch()
        together = learns_in_turn(course.learner) if self.delay == 0 else None
        if together is not None and (self.in_turn or self.step == 1):
            with train:
                labels = np.asarray(together(X, y, np.asarray(self.stream.classes)))
            # Nobody can predict the first sample, or by chunks the first chunk.
            skipped = min(self.step, len(y)) if course.learned == 0 else 0
            course.learned = begin + len(y)
            return Pass(labels[skipped:] if predict else np.empty(0), train, test)
        predicted: list[NDArray[Any]] = []
        for first in range(0, len(y), self.step):
            part, labels = X[first : first + self.step], y[first : first + self.step]
            if predict and course.learned > 0:
                with test:
                    answers = course.learner.predict(part)
                predicted.append(np.asarray(answers))
            known = self.known_at(begin + first + len(labels))
            if known > course.learned:
                if self.delay == 0:
                    X_new, y_new = part, labels
                else:
                    X_new, y_new = self.stream.read(course.learned, known - course.learned)
                with train:
                    course.learner.learn(X_new, y_new, np.asarray(self.stream.classes))
                course.learned = known
        return Pass(np.concatenate(predicted) if predicted else np.empty(0), train, test)

    def known_at(self, position: int) -> int:
        """Return of how many samples the labels have arrived."""
        return max(0, position - self.delay)
