"""How many threads a call may use."""

from __future__ import annotations

import contextlib
import functools
import math
import multiprocessing
import os
import threading
from collections.abc import Iterator
from typing import Any

from joblib.parallel import BACKENDS, get_active_backend
from threadpoolctl import ThreadpoolController

from svmosaic.utils.control_groups import processor_quota

__all__ = [
    "available_threads",
    "limit_threads",
    "one_blas_thread",
    "resolve_threads",
    "share_of_computer",
]

# Backends of joblib whose workers are on this computer.
_LOCAL_BACKENDS = ("loky", "multiprocessing", "sequential", "threading")
# By these joblib tells its worker processes how many threads libraries may use.
_WORKER_VARIABLES = (
    "BLIS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)

_limit: int | None = None


def resolve_threads(n_jobs: int | None) -> int:
    """Return the number of threads for `n_jobs` as scikit-learn means it.

    None means 1, or the number of an enclosing ``joblib.parallel_config``. A negative number counts
    down from all that are available: -1 is all, -2 all but one. More than that are never used. In
    a worker of joblib, "all" is the share of this worker.

    Parameters
    ----------
    n_jobs : int or None
        The parameter of an estimator.

    Returns
    -------
    n_threads : int
        At least 1.
    """
    wanted = _configured_jobs() if n_jobs is None else int(n_jobs)
    if wanted == 0:
        raise ValueError(
            "n_jobs=0 has no meaning; expected the number of threads, -1 for all, or None for one."
        )
    if wanted == 1:
        return 1
    available = available_threads()
    if wanted < 0:
        return max(1, min(available, _share_of_worker(available)) + 1 + wanted)
    return min(wanted, available)


def available_threads() -> int:
    """Return the number of processors that this process may use.

    The least of its affinity (``os.process_cpu_count`` from Python 3.13 on, which
    ``PYTHON_CPU_COUNT`` can change), the quota of its control group (a container), the environment
    variable ``LOKY_MAX_CPU_COUNT`` and the limit of an enclosing `limit_threads`.
    """
    processors = _processors()
    return processors if _limit is None else min(_limit, processors)


def share_of_computer() -> float:
    """Return the share that is meant for the caller: 1, or less in a worker beside others."""
    processors = _processors()
    return min(available_threads(), _share_of_worker(processors)) / processors


@contextlib.contextmanager
def limit_threads(n_threads: int) -> Iterator[None]:
    """Let this process use at most this many threads inside the block.

    For a process beside others that share the computer, such as a worker of an experiment.
    """
    global _limit
    before, _limit = _limit, n_threads
    try:
        yield
    finally:
        _limit = before


def _processors() -> int:
    limits = [_process_processors(), _group_processors()]
    named = os.environ.get("LOKY_MAX_CPU_COUNT", "")
    limits.append(int(named) if named.isdigit() else None)
    return max(1, min(limit for limit in limits if limit is not None))


def _process_processors() -> int:
    counted: int | None
    if hasattr(os, "process_cpu_count"):
        counted = os.process_cpu_count()
    elif hasattr(os, "sched_getaffinity"):
        counted = len(os.sched_getaffinity(0))
    else:
        counted = os.cpu_count()
    return counted or 1


@functools.cache
def _group_processors() -> int | None:
    # Part of a processor counts as one, as in joblib. Read once: a stream asks with every chunk.
    quota = processor_quota()
    return None if quota is None else math.ceil(quota)


# joblib ---------------------------------------------------------------------------------------


def _configured_jobs() -> int:
    """Return the number of jobs of an enclosing ``parallel_config``; 1 without."""
    backend, n_jobs = get_active_backend()
    local = tuple(BACKENDS[name] for name in _LOCAL_BACKENDS if name in BACKENDS)
    # The jobs of a cluster are not threads of this computer.
    return 1 if n_jobs is None or not isinstance(backend, local) else int(n_jobs)


def _share_of_worker(available: int) -> int:
    """Return how many threads a worker may use beside the others; all of them outside of one."""
    backend, _ = get_active_backend()
    if not getattr(backend, "nesting_level", 0):
        return 1 if multiprocessing.current_process().daemon else available
    if threading.current_thread() is not threading.main_thread():
        return 1  # joblib does not say how many other threads work beside this one
    limits = [os.environ.get(name, "") for name in _WORKER_VARIABLES]
    return min((int(number) for number in limits if number.isdigit()), default=1)


# BLAS -----------------------------------------------------------------------------------------


@functools.cache
def _blas_libraries() -> list[Any]:
    found: list[Any] = ThreadpoolController().select(user_api="blas").lib_controllers
    return found


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS and LAPACK use one thread inside the block.

    Factorisations of some hundred rows take longer with several threads where others use the
    cores too, and their rounding depends on the number of threads.
    """
    # As `ThreadpoolController.limit` does, without the description of every library.
    before = [(library, library.num_threads) for library in _blas_libraries()]
    try:
        for library, _ in before:
            library.set_num_threads(1)
        yield
    finally:
        for library, number in before:
            library.set_num_threads(number)
