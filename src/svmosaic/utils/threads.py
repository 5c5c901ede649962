"""How many threads a call may use."""

from __future__ import annotations

import functools
import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["available_threads", "one_blas_thread", "resolve_threads"]


def _cgroup_quota() -> float | None:
    """Return the processors a container may use, if it is limited."""
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
    except (OSError, ValueError):
        return None
    return None if quota == "max" else int(quota) / int(period)


def available_threads() -> int:
    """Return the number of processors this process may use: affinity and container limit."""
    affinity = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    quota = _cgroup_quota()
    return affinity if quota is None else max(1, min(affinity, int(quota)))


def resolve_threads(n_jobs: int | None) -> int:
    """Return the number of threads for `n_jobs` as scikit-learn means it.

    None means 1, a negative number counts down from all that are available (-1 is all).
    More than the available ones are never used.
    """
    if n_jobs is None:
        return 1
    available = available_threads()
    if n_jobs < 0:
        return max(1, available + 1 + n_jobs)
    return max(1, min(n_jobs, available))


@functools.cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def one_blas_thread() -> AbstractContextManager[Any]:
    """Return a block in which BLAS and LAPACK use one thread.

    Factorisations of some hundred rows take longer with several threads where others use the
    cores too, and their rounding depends on the number of threads.
    """
    limited: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limited
