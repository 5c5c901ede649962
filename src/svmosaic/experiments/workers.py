"""Processes that run cells side by side, and can be stopped or die one by one.

Each process has one cell at a time, so when it dies its cell is known. The processes serve all data
sets of a run; a data set is written to a file once and mapped into the memory of all of them.
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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import joblib
import sklearn

from svmosaic.experiments.cells import Cell
from svmosaic.experiments.journal import Entry
from svmosaic.experiments.limits import died, out_of_time
from svmosaic.experiments.spec import ExperimentSpec
from svmosaic.experiments.worker import PROGRAM
from svmosaic.utils.threads import available_threads

__all__ = ["Workers"]

_END_SECONDS = 5.0


@dataclass(frozen=True)
class _Death:
    """A process that ended without an answer."""

    cell: Cell
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

    def run(self, spec: ExperimentSpec, cells: Sequence[Cell], X: Any, y: Any) -> Iterator[Entry]:
        """Yield the entry of each cell as it finishes.

        A cell whose process dies beside others runs again alone, since the memory may have been
        taken by a neighbour. If it dies alone, it has failed.
        """
        path = Path(self._folder.name) / "data.joblib"
        joblib.dump((X, y), path)
        try:
            alone = len(self._processes) == 1 or len(cells) == 1
            deaths = []
            for outcome in self._side_by_side(spec, cells, path):
                if isinstance(outcome, Entry):
                    yield outcome
                elif alone:
                    yield died(outcome.cell, outcome.exit_code, outcome.seconds, twice=False)
                else:
                    deaths.append(outcome)
            for death in deaths:
                outcome = self._attempt(self._processes[0], spec, death.cell, path)
                if isinstance(outcome, _Death):
                    yield died(outcome.cell, outcome.exit_code, outcome.seconds, twice=True)
                else:
                    yield outcome
        finally:
            for process in self._processes:
                process.forget_data()
            path.unlink(missing_ok=True)

    def _side_by_side(
        self, spec: ExperimentSpec, cells: Sequence[Cell], path: Path
    ) -> Iterator[Entry | _Death]:
        waiting: queue.SimpleQueue[Cell] = queue.SimpleQueue()
        for cell in cells:
            waiting.put(cell)
        outcomes: queue.SimpleQueue[Entry | _Death | BaseException] = queue.SimpleQueue()

        def serve(process: _Process) -> None:
            try:
                while True:
                    cell = waiting.get_nowait()
                    outcomes.put(self._attempt(process, spec, cell, path))
            except queue.Empty:
                return
            except BaseException as error:
                outcomes.put(error)

        threads = [
            threading.Thread(target=serve, args=(process,), daemon=True)
            for process in self._processes[: len(cells)]
        ]
        for thread in threads:
            thread.start()
        n_left = len(cells)
        try:
            while n_left:
                outcome = outcomes.get()
                if isinstance(outcome, BaseException):
                    raise outcome
                n_left -= 1
                yield outcome
        finally:
            if n_left:
                # Ctrl-C or an error: nothing more is begun, and what runs is stopped.
                with contextlib.suppress(queue.Empty):
                    while True:
                        waiting.get_nowait()
                for process in self._processes:
                    process.stop()
            for thread in threads:
                thread.join()

    def _attempt(
        self, process: _Process, spec: ExperimentSpec, cell: Cell, path: Path
    ) -> Entry | _Death:
        begin = time.perf_counter()
        try:
            process.load(path)
            begin = time.perf_counter()
            answer: Entry = process.ask(("run", spec, cell), self._time_limit)
        except _TimedOut:
            limit = self._time_limit or 0.0
            return out_of_time(cell, limit, time.perf_counter() - begin)
        except _Died:
            return _Death(cell, process.exit_code, time.perf_counter() - begin)
        return answer


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

    def forget_data(self) -> None:
        """Let the next data set be loaded although its file has the same name."""
        self._data = None

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
            # A process that ends by itself is given the time to do so: its exit code is told.
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
                "A worker process could not be started; what it wrote stands above. Run with one "
                "job, which needs no other process."
            ) from None


def _send(stream: Any, value: object) -> None:
    pickle.dump(value, stream)
    stream.flush()
