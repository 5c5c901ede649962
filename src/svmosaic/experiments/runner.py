"""Run what is missing of an experiment, in parallel, and commit each cell as it finishes."""

from __future__ import annotations

import os
import platform
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import joblib
from joblib.parallel import BACKENDS, get_active_backend
from sklearn.utils.parallel import Parallel, delayed

from svmosaic.experiments.cells import (
    Cell,
    iter_cells,
    load_data,
)
from svmosaic.experiments.code_version import code_version
from svmosaic.experiments.description import (
    count_numbers,
    describe_setup,
)
from svmosaic.experiments.journal import SUFFIX, Entry, Journal, cell_label, damage_words
from svmosaic.experiments.limits import now
from svmosaic.experiments.one_cell import run_cell
from svmosaic.experiments.order import in_order
from svmosaic.experiments.planned import PlannedCell
from svmosaic.experiments.reuse import entries_from, read_known
from svmosaic.experiments.run_progress import Counter, Progress
from svmosaic.experiments.spec import DataSpec, ExperimentSpec
from svmosaic.experiments.stream_cells import iter_stream_cells, open_stream
from svmosaic.experiments.workers import DataCells, Workers
from svmosaic.utils.threads import available_threads, resolve_threads

__all__ = [
    "RunSummary",
    "journal_path",
    "reuse_results",
    "run_experiment",
]


@dataclass(frozen=True)
class RunSummary:
    """What a run did.

    Attributes
    ----------
    n_cells : int
        Cells of the experiment, or of this shard.
    n_before : int
        Cells that were finished before.
    n_reused : int
        Cells that were taken from the results of another run.
    n_done, n_failed : int
        Cells finished in this run, and those of them that failed.
    seconds : float
        How long it took.
    """

    n_cells: int
    n_before: int
    n_reused: int
    n_done: int
    n_failed: int
    seconds: float


def run_experiment(
    spec: ExperimentSpec,
    folder: str | os.PathLike[str],
    *,
    n_jobs: int | None = None,
    shard: tuple[int, int] = (1, 1),
    retry_failed: bool = False,
    time_limit: float | None = None,
    reuse: str | os.PathLike[str] | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> RunSummary:
    """Run the cells of an experiment that are not finished yet.

    Every finished cell is committed at once. Kill the process at any time: the next call with the
    same folder does what is missing and nothing twice. A cell that raises, that passes its time
    limit or whose process is killed by the system is recorded with its error; the others continue.

    Parameters
    ----------
    spec : ExperimentSpec
        The experiment, from `read_spec`.
    folder : path-like
        Where the journal is; made if it does not exist.
    n_jobs : int, default=None
        Cells at a time, each in a process of its own; 1 and None run them in this process. A
        backend chosen by ``joblib.parallel_config``, such as that of Dask, is used instead. The
        scores do not depend on it.
    shard : tuple of int, default=(1, 1)
        Do the i-th of n shares of the cells, into a journal of its own; for job arrays.
    retry_failed : bool, default=False
        Whether to run cells again that failed before.
    time_limit : float, default=None
        Seconds that a cell may take, data loading not included; None means what the spec says. A
        cell is stopped by ending its process, so that even one job then runs in a process of its
        own, and a backend of joblib is refused.
    reuse : path-like, default=None
        The ``results.csv`` of another run, or that file packed by gzip. Cells with the same data,
        split, method and parameters are taken from it, whatever code computed them.
    progress : callable, default=None
        Called with a `Progress` after each cell.

    Returns
    -------
    RunSummary
        How many cells were finished before, done now, and failed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmosaic.experiments import read_spec, run_experiment
    >>> text = '''
    ... [protocol]
    ... outer = 2
    ... [[data]]
    ... name = "sklearn-iris"
    ... [[methods]]
    ... estimator = "OLLAWVClassifier"
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "compare.toml")
    ...     _ = path.write_text(text)
    ...     first = run_experiment(read_spec(path), folder)
    ...     again = run_experiment(read_spec(path), folder)
    >>> first.n_done, again.n_done
    (2, 0)
    """
    begin = time.monotonic()
    limit = spec.protocol.time_limit if time_limit is None else time_limit
    path = journal_path(folder, shard)
    # Read before anything is written, so that a wrong file leaves nothing behind.
    known = {} if reuse is None else read_known(reuse)
    path.parent.mkdir(parents=True, exist_ok=True)
    with Journal(path) as journal, ExitStack() as stack:
        plan = _begin(journal, spec, shard)
        n_reused = 0 if reuse is None else _take_over(journal, plan, known, Path(reuse).name)
        before = journal.finished()
        skip = {k for k, s in before.items() if s == "done" or not retry_failed}
        missing = {
            name: [cell for cell in cells if cell.key not in skip] for name, cells in plan.items()
        }
        n_cells = sum(map(len, plan.values()))
        counter = Counter(chain(*missing.values()), resolve_threads(n_jobs), progress)
        run_all = _make_runner(n_jobs, limit, stack)
        for entry in run_all(spec, _iter_missing(spec, missing)):
            journal.add(entry)
            counter.count(entry)
    return RunSummary(
        n_cells=n_cells,
        n_before=n_cells - counter.total - n_reused,
        n_reused=n_reused,
        n_done=counter.done,
        n_failed=counter.failed,
        seconds=time.monotonic() - begin,
    )


def reuse_results(
    spec: ExperimentSpec, folder: str | os.PathLike[str], results: str | os.PathLike[str]
) -> int:
    """Take cells from the results of another run and run nothing; return how many there were.

    Parameters
    ----------
    spec : ExperimentSpec
        The experiment, from `read_spec`.
    folder : path-like
        Where the journal is; made if it does not exist.
    results : path-like
        The ``results.csv`` of the other run, or that file packed by gzip.

    Returns
    -------
    int
        The number of cells that were taken.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmosaic.experiments import read_spec, reuse_results, run_experiment, write_results
    >>> text = '''
    ... [protocol]
    ... outer = 2
    ... [[data]]
    ... name = "sklearn-iris"
    ... [[methods]]
    ... estimator = "OLLAWVClassifier"
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "compare.toml")
    ...     _ = path.write_text(text)
    ...     _ = run_experiment(read_spec(path), folder)
    ...     results = write_results(folder, ["accuracy"])[0]
    ...     n_taken = reuse_results(read_spec(path), pathlib.Path(folder, "other"), results)
    >>> n_taken
    2
    """
    path = journal_path(folder)
    known = read_known(results)
    path.parent.mkdir(parents=True, exist_ok=True)
    with Journal(path) as journal:
        return _take_over(journal, _begin(journal, spec, (1, 1)), known, Path(results).name)


def journal_path(folder: str | os.PathLike[str], shard: tuple[int, int] = (1, 1)) -> Path:
    """Return where the journal of a shard is."""
    i, n = shard
    if not 1 <= i <= n:
        raise ValueError(f"The shard must be i of n with 1 <= i <= n. Got {i} of {n}.")
    return Path(folder) / ("journal" + ("" if n == 1 else f"-{i}-of-{n}") + SUFFIX)


Planned = dict[str, list[PlannedCell]]


def _begin(journal: Journal, spec: ExperimentSpec, shard: tuple[int, int]) -> Planned:
    """Return the cells of a shard by data sets, and note that they are to be run."""
    plan = {data.name: _plan_cells(spec, data, shard) for data in spec.data}
    labels = {cell.key: cell.label for cells in plan.values() for cell in cells}
    damaged = [one for one in journal.damaged if not one.key or one.key in labels]
    if damaged:
        warnings.warn(f"{damage_words(damaged)}. Damaged cells are run again.", stacklevel=3)
    journal.begin(labels, now(), _provenance(spec))
    return plan


def _take_over(journal: Journal, plan: Planned, known: dict[str, Entry], source: str) -> int:
    """Enter the cells that another run has answered and this one has not; return how many."""
    done = {key for key, status in journal.finished().items() if status == "done"}
    wanted = [cell for cells in plan.values() for cell in cells if cell.key not in done]
    entries = entries_from(known, source, wanted)
    journal.add(*entries)
    return len(entries)


def _load(spec: ExperimentSpec, data: DataSpec) -> tuple[Any, Any]:
    """Return samples and targets, or a stream and nothing."""
    if spec.protocol.kind == "prequential":
        return open_stream(spec.protocol, data), None
    return load_data(data, gaps=spec.protocol.impute != "none")


def _all_cells(spec: ExperimentSpec, data: DataSpec, X: Any, y: Any) -> Iterator[Cell]:
    if spec.protocol.kind == "prequential":
        return iter_stream_cells(spec, data, X)
    return iter_cells(spec, data, X, y)


def _plan_cells(spec: ExperimentSpec, data: DataSpec, shard: tuple[int, int]) -> list[PlannedCell]:
    """Return a data set's cells in this shard; the data and the splits are let go again."""
    i, n = shard
    X, y = _load(spec, data)
    n_numbers = count_numbers(X, y)
    planned = [
        PlannedCell(
            *(cell.key, cell.question, cell.code, cell.method, n_numbers),
            cell_label(cell.method, cell.dataset, cell.split.repeat, cell.split.fold),
        )
        for cell in _all_cells(spec, data, X, y)
    ]
    # The key is a hash, so its remainder spreads the cells evenly and never changes.
    return [cell for cell in planned if int(cell.key[:12], 16) % n == i - 1]


def _iter_missing(spec: ExperimentSpec, missing: Planned) -> Iterator[DataCells]:
    """Yield the cells to run of each data set, which is loaded when it is asked for."""
    data = {one.name: one for one in spec.data}
    for name, some in in_order(missing):
        wanted = {cell.key for cell in some}
        X, y = _load(spec, data[name])
        cells = [cell for cell in _all_cells(spec, data[name], X, y) if cell.key in wanted]
        yield DataCells(cells, X, y)


RunAll = Callable[[ExperimentSpec, Iterable[DataCells]], Iterator[Entry]]


def _make_runner(n_jobs: int | None, time_limit: float | None, stack: ExitStack) -> RunAll:
    """Return what runs cells: this process, others, or a backend of joblib."""
    backend, configured = get_active_backend()
    if not isinstance(backend, BACKENDS[joblib.parallel.DEFAULT_BACKEND]):
        if time_limit is not None:
            raise ValueError(
                "A time limit needs processes that can be stopped, and the joblib backend "
                f"{type(backend).__name__} has none. Leave out the limit or the backend."
            )
        return _by_joblib(n_jobs)
    n_wanted = configured if n_jobs is None else n_jobs
    if n_wanted in (None, 1) and time_limit is None:
        return _in_this_process
    return stack.enter_context(Workers(resolve_threads(n_wanted), time_limit)).run


def _in_this_process(spec: ExperimentSpec, sets: Iterable[DataCells]) -> Iterator[Entry]:
    return (run_cell(spec, cell, one.X, one.y) for one in sets for cell in one.cells)


def _by_joblib(n_jobs: int | None) -> RunAll:
    def run(spec: ExperimentSpec, sets: Iterable[DataCells]) -> Iterator[Entry]:
        # Unordered: a cell is committed when it is finished, not when those before it are.
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
        entries: Iterator[Entry] = parallel(
            delayed(run_cell)(spec, cell, one.X, one.y) for one in sets for cell in one.cells
        )
        return entries

    return run


def _provenance(spec: ExperimentSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "code": code_version(),
        "python": platform.python_version(),
        "system": platform.platform(),
        "processors": available_threads(),
        "spec": repr(spec),
        **describe_setup(spec),
    }
