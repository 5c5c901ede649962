"""Prequential evaluation: every sample is first predicted, then learned from."""

from __future__ import annotations

import csv
import hashlib
import math
import os
import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmosaic.exceptions import DataFileError
from svmosaic.streams.learners import ChunkLearner, as_learner
from svmosaic.streams.running_scores import MEASURES, RunningScores
from svmosaic.streams.stream import Stream
from svmosaic.utils.atomic import atomic_write
from svmosaic.utils.optional import import_optional

__all__ = ["PrequentialResult", "prequential"]

_FORMAT = 2
_SECONDS = ("train_seconds", "test_seconds", "train_cpu_seconds", "test_cpu_seconds")
# The size of a model is measured with the first record and every so many; it may take long.
_SIZE_EVERY = 10
# So many samples tell one stream from another.
_SAMPLES_COMPARED = 100


@dataclass(frozen=True)
class PrequentialResult:
    """The records of an evaluation, one per learner and chunk.

    Attributes
    ----------
    records : list of dict
        ``learner``, ``begin`` and ``end`` (samples), each measure over all predictions so far and
        with ``window_`` before its name over the last ones, ``train_seconds`` and
        ``test_seconds``, the same of the processor as ``train_cpu_seconds`` and
        ``test_cpu_seconds``, and what the learner says of its size, measured with every tenth
        record.
    drifts : tuple of int
        Where the stream changes its concept, if it says so.
    """

    records: list[dict[str, Any]]
    drifts: tuple[int, ...] = ()

    def last(self) -> dict[str, dict[str, Any]]:
        """Return the last record of each learner, by its name."""
        return {record["learner"]: record for record in self.records}

    def of(self, learner: str) -> list[dict[str, Any]]:
        """Return the records of one learner, in order."""
        return [record for record in self.records if record["learner"] == learner]

    def seconds(self) -> dict[str, float]:
        """Return training and test seconds of each learner, all chunks together."""
        sums: dict[str, float] = {}
        for record in self.records:
            spent = record["train_seconds"] + record["test_seconds"]
            sums[record["learner"]] = sums.get(record["learner"], 0.0) + spent
        return sums

    def summary(self) -> list[dict[str, Any]]:
        """Return one record per learner: its measures at the end, and what the whole run took.

        Returns
        -------
        list of dict
            ``learner``, ``n_samples``, the measures over all predictions and over the last
            window, the seconds of all chunks, ``samples_per_second`` of training and test
            together, and the size at the end.

        Examples
        --------
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from svmosaic.streams import SEA, prequential
        >>> (row,) = prequential(GaussianNB(), SEA(seed=1), n_samples=3000).summary()
        >>> row["learner"], row["n_samples"], row["samples_per_second"] > 0
        ('GaussianNB', 3000, True)
        """
        rows = []
        for name, last in self.last().items():
            records = self.of(name)
            sums = {name: math.fsum(record[name] for record in records) for name in _SECONDS}
            spent = sums["train_seconds"] + sums["test_seconds"]
            measured = {k: v for k, v in last.items() if k not in ("learner", "begin", "end")}
            rows.append(
                {
                    "learner": name,
                    "n_samples": last["end"],
                    **measured,
                    **sums,
                    "samples_per_second": last["end"] / spent if spent > 0 else math.inf,
                }
            )
        return rows

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the records as a table; the file appears whole or not at all."""
        with atomic_write(path) as stream:
            writer = csv.DictWriter(stream, self._columns(), restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.records)

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write the records as a parquet file, whole or not at all; needs pyarrow."""
        purpose = "write parquet files"
        arrow = import_optional("pyarrow", purpose)
        parquet = import_optional("pyarrow.parquet", purpose)
        columns = {n: [record.get(n) for record in self.records] for n in self._columns()}
        with atomic_write(path, "wb") as stream:
            parquet.write_table(arrow.table(columns), stream)

    def _columns(self) -> list[str]:
        return list(dict.fromkeys(name for record in self.records for name in record))


@dataclass
class _Course:
    """One learner on its way through the stream."""

    learner: ChunkLearner
    scores: RunningScores
    learned: int = 0  # samples learned from
    size: dict[str, int] = field(default_factory=dict)
    records: list[dict[str, Any]] = field(default_factory=list)


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
        plan = _plan_of(named, stream, chunk, one_by_one, window, delay, tuple(metrics))
    position, courses = _resume(checkpoint, plan) or (0, _begin(named, stream, window))
    end = n_samples if n_samples is not None else getattr(stream, "length", None)
    saved = time.monotonic()
    while end is None or position < end:
        count = chunk if end is None else min(chunk, end - position)
        X, y = stream.read(position, count)
        if len(y) == 0:
            break
        for name, course in courses.items():
            record = _advance(course, stream, X, y, position, 1 if one_by_one else chunk, delay)
            if len(course.records) % _SIZE_EVERY == 0:
                course.size = course.learner.size()
            chosen = {m: record["scores"][m] for m in metrics}
            recent = {f"window_{m}": record["recent"][m] for m in metrics}
            course.records.append(
                {
                    "learner": name,
                    "begin": position,
                    "end": position + len(y),
                    **chosen,
                    **recent,
                    **{name: record[name] for name in _SECONDS},
                    **course.size,
                }
            )
        position += len(y)
        if checkpoint is not None and time.monotonic() - saved >= checkpoint_seconds:
            _save(checkpoint, plan, position, courses)
            saved = time.monotonic()
        if progress is not None:
            try:
                progress(position, {name: course.records[-1] for name, course in courses.items()})
            except BaseException:
                # All learners have learned this chunk: nothing is lost.
                if checkpoint is not None:
                    _save(checkpoint, plan, position, courses)
                raise
    if checkpoint is not None:
        _save(checkpoint, plan, position, courses)
    records = [record for course in courses.values() for record in course.records]
    return PrequentialResult(records, tuple(getattr(stream, "drifts", ())))


def _advance(
    course: _Course,
    stream: Stream,
    X: NDArray[np.float64],
    y: NDArray[Any],
    begin: int,
    step: int,
    delay: int,
) -> dict[str, Any]:
    """Predict and learn one chunk, `step` samples at a time."""
    train, test = _StopWatch(), _StopWatch()
    for first in range(0, len(y), step):
        part, labels = X[first : first + step], y[first : first + step]
        if course.learned > 0:
            with test:
                predicted = course.learner.predict(part)
            course.scores.add(labels, predicted)
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
    return {
        "scores": course.scores.scores(),
        "recent": course.scores.windowed(),
        "train_seconds": train.seconds,
        "test_seconds": test.seconds,
        "train_cpu_seconds": train.cpu_seconds,
        "test_cpu_seconds": test.cpu_seconds,
    }


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


def _begin(named: Mapping[str, Any], stream: Stream, window: int) -> dict[str, _Course]:
    return {
        name: _Course(as_learner(model), RunningScores(stream.classes, window))
        for name, model in named.items()
    }


# Check-points -------------------------------------------------------------------------------


def _plan_of(named: Mapping[str, Any], stream: Any, *options: Any) -> str:
    """Return a hash of what is run: a check-point of something else must not be taken up."""
    models = [f"{name}={_settings_of(model)}" for name, model in named.items()]
    parts = [*models, repr(stream), repr(options)]
    digest = hashlib.sha256("\n".join(parts).encode())
    # Streams of one name and length differ by their samples, for example those of two seeds.
    X, y = stream.read(0, _SAMPLES_COMPARED)
    digest.update(np.ascontiguousarray(X).tobytes())
    digest.update(repr(y.tolist()).encode())
    return digest.hexdigest()


def _settings_of(model: Any) -> str:
    """Return a model in words; of one that has none but its address, the class."""
    kind: Any = type(model)
    return str(kind.__qualname__ if kind.__repr__ is object.__repr__ else repr(model))


def _save(
    path: str | os.PathLike[str], plan: str, position: int, courses: dict[str, _Course]
) -> None:
    try:
        with atomic_write(path, "wb") as out:
            pickle.dump((_FORMAT, plan, position, courses), out, protocol=5)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise TypeError(
            f"prequential cannot write a check-point of {', '.join(courses)}: {error}. Run without "
            "checkpoint, or with learners that can be pickled."
        ) from error


def _resume(
    path: str | os.PathLike[str] | None, plan: str
) -> tuple[int, dict[str, _Course]] | None:
    if path is None or not Path(path).exists():
        return None
    try:
        with open(path, "rb") as stream:
            saved = pickle.load(stream)
    except (pickle.UnpicklingError, EOFError, ValueError, AttributeError, ImportError):
        saved = None
    if not isinstance(saved, tuple) or len(saved) != 4:
        raise DataFileError(
            f"{path} is no check-point of prequential. Remove it or name another file."
        )
    version, saved_plan, position, courses = saved
    if version != _FORMAT or saved_plan != plan:
        raise DataFileError(
            f"{path} is the check-point of another run: learners, stream or options differ. Remove "
            "it or name another file."
        )
    return position, courses
