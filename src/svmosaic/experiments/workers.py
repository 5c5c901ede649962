"""Processes that run cells side by side, and can be stopped or die one by one.

Each process has one cell at a time, so when it dies its cell is known. The processes serve all data
sets of a run without a break between them; a data set is written to a file once and mapped into the
memory of all of them.
"""

from __future__ import annotations

import contextlib
import pickle
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import joblib
import sklearn

from svmosaic.experiments.cells import Cell
from svmosaic.experiments.journal import Entry
from svmosaic.experiments.limits import died, out_of_time
from svmosaic.experiments.spec import ExperimentSpec
from svmosaic.experiments.worker import PROGRAM
from svmosaic.utils.threads import available_threads

__all__ = ["DataCells", "Workers"]

_END_SECONDS = 5.0


class DataCells(NamedTuple):
    """Cells of one data set, and the data: samples and targets, or a stream and nothing."""

    cells: list[Cell]
    X: Any
    y: Any


class _Task(NamedTuple):
    """A cell and the file of its data set."""

    cell: Cell
    path: Path


@dataclass(frozen=True)
class _Death:
    """A process that ended without an answer."""

    task: _Task
    exit_code: int | None
    seconds: float


class _Died(Exception):
    """The process has ended."""


class _TimedOut(Exception):
    """The process was stopped at the limit."""


class Workers:
    """A number of processes for cells; use it in a ``with`` block.

    Parameters
    ----------
    n_workers : int
        Processes at a time.
    time_limit : float or None
        Seconds that a cell may take.
    """

    def __init__(self, n_workers: int, time_limit: float | None) -> None:
        self._time_limit = time_limit
        n_threads = max(1, available_threads() // n_workers)
        self._processes = [_Process(n_threads) for _ in range(n_workers)]

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="svmosaic-", ignore_cleanup_errors=True)
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.stop()
        self._folder.cleanup()

    def run(self, spec: ExperimentSpec, sets: Iterable[DataCells]) -> Iterator[Entry]:
        """Yield the entry of each cell as it finishes.

        A cell whose process dies beside others runs again alone, when all others are finished,
        since the memory may have been taken by a neighbour. If it dies alone, it has failed.
        """
        tasks = _Tasks(sets, Path(self._folder.name))
        deaths: list[_Death] = []
        for outcome in self._side_by_side(spec, tasks):
            if isinstance(outcome, Entry):
                yield outcome
            elif len(self._processes) == 1:
                yield _failed(outcome, twice=False)
            else:
                deaths.append(outcome)
        for death in deaths:
            outcome = self._attempt(self._processes[0], spec, death.task)
            yield _failed(outcome, twice=True) if isinstance(outcome, _Death) else outcome

    def _side_by_side(self, spec: ExperimentSpec, tasks: _Tasks) -> Iterator[Entry | _Death]:
        # None: a process has no more to do.
        outcomes: queue.SimpleQueue[Entry | _Death | BaseException | None] = queue.SimpleQueue()

        def serve(process: _Process) -> None:
            try:
                while (task := tasks.take()) is not None:
                    outcome = self._attempt(process, spec, task)
                    if isinstance(outcome, Entry):
                        tasks.finish(task)
                    outcomes.put(outcome)
                outcomes.put(None)
            except BaseException as error:
                outcomes.put(error)

        threads = [
            threading.Thread(target=serve, args=(process,), daemon=True)
            for process in self._processes
        ]
        for thread in threads:
            thread.start()
        n_busy = len(threads)
        try:
            while n_busy:
                outcome = outcomes.get()
                if isinstance(outcome, BaseException):
                    raise outcome
                if outcome is None:
                    n_busy -= 1
                else:
                    yield outcome
        finally:
            if n_busy:
                # Ctrl-C or an error: nothing more is begun, and what runs is stopped.
                tasks.close()
                for process in self._processes:
                    process.stop()
            for thread in threads:
                thread.join()

    def _attempt(self, process: _Process, spec: ExperimentSpec, task: _Task) -> Entry | _Death:
        begin = time.perf_counter()
        try:
            process.load(task.path)
            begin = time.perf_counter()
            answer: Entry = process.ask(("run", spec, task.cell), self._time_limit)
        except _TimedOut:
            limit = self._time_limit or 0.0
            return out_of_time(task.cell, limit, time.perf_counter() - begin)
        except _Died:
            return _Death(task, process.exit_code, time.perf_counter() - begin)
        return answer


def _failed(death: _Death, *, twice: bool) -> Entry:
    return died(death.task.cell, death.exit_code, death.seconds, twice=twice)


class _Tasks:
    """Hands out the cells of one data set after another, to several threads.

    A data set is loaded when the cells of those before have been handed out, and its file is
    removed when its cells have finished.
    """

    def __init__(self, sets: Iterable[DataCells], folder: Path) -> None:
        self._sets = iter(sets)
        self._folder = folder
        self._waiting: deque[_Task] = deque()
        self._unfinished: Counter[Path] = Counter()
        self._n_sets = 0
        self._closed = False
        self._lock = threading.Lock()

    def take(self) -> _Task | None:
        """Return the next cell; None if there is no other."""
        with self._lock:
            while not (self._waiting or self._closed):
                self._load_next()
            return None if self._closed else self._waiting.popleft()

    def finish(self, task: _Task) -> None:
        """Note that a cell needs its data no longer."""
        with self._lock:
            self._unfinished[task.path] -= 1
            if self._unfinished[task.path] == 0:
                task.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Hand out no more cells."""
        self._closed = True

    def _load_next(self) -> None:
        found = next(self._sets, None)
        if found is None:
            self._closed = True
            return
        self._n_sets += 1
        path = self._folder / f"data-{self._n_sets}.joblib"
        joblib.dump((found.X, found.y), path)
        self._waiting.extend(_Task(cell, path) for cell in found.cells)
        self._unfinished[path] = len(found.cells)


class _Process:
    """One process; started when it is first asked, and again after it has ended."""

    def __init__(self, n_threads: int) -> None:
        self._n_threads = n_threads
        self._process: subprocess.Popen[bytes] | None = None
        self._data: Path | None = None
        self._lock = threading.Lock()
        # Counts the questions, so that a late alarm cannot stop the next one.
        self._question = 0
        self.exit_code: int | None = None

    def load(self, path: Path) -> None:
        """Make sure that the process runs and has the data."""
        if self._process is None:
            self._start()
        if self._data != path:
            self.ask(("load", path), None)
            self._data = path

    def ask(self, order: tuple[Any, ...], time_limit: float | None) -> Any:
        """Return the answer; raise if the process is stopped at the limit or dies."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise _Died
        expired = threading.Event()

        def expire(question: int) -> None:
            with self._lock:
                if self._question == question:
                    expired.set()
                    process.kill()

        alarm = threading.Timer(time_limit or 0.0, expire, (self._question,))
        alarm.daemon = True
        if time_limit is not None:
            alarm.start()
        try:
            _send(process.stdin, order)
            return pickle.load(process.stdout)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            # ValueError: another thread has stopped the process and closed its streams.
            # A process that ends by itself gets the time to do so, and its exit code is reported.
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_END_SECONDS)
            self.stop()
            raise (_TimedOut if expired.is_set() else _Died) from None
        finally:
            alarm.cancel()
            with self._lock:
                self._question += 1
            if expired.is_set():
                self.stop()

    def stop(self) -> None:
        """End the process at once."""
        process, self._process, self._data = self._process, None, None
        if process is None:
            return
        process.kill()
        self.exit_code = process.wait()
        for stream in (process.stdin, process.stdout):
            # What was not sent yet has no reader any more.
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()

    def _start(self) -> None:
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._process = process
        try:
            _send(process.stdin, list(sys.path))
            _send(process.stdin, (sklearn.get_config(), self._n_threads))
            pickle.load(process.stdout)  # type: ignore[arg-type]
        except (OSError, EOFError, pickle.UnpicklingError):
            self.stop()
            raise ChildProcessError(
                "A worker process could not be started; see its output above. Run with one "
                "job, which needs no other process."
            ) from None


def _send(stream: Any, value: object) -> None:
    pickle.dump(value, stream)
    stream.flush()
