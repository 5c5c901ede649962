"""Calls that run at the same time, in threads."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

__all__ = ["call_elsewhere", "call_side_by_side"]

Result = TypeVar("Result")


@functools.cache
def _threads(count: int) -> ThreadPoolExecutor:
    """Return threads that are kept: to start one takes as long as many a call."""
    return ThreadPoolExecutor(count, thread_name_prefix="svmosaic")


if hasattr(os, "register_at_fork"):
    # A forked process has no threads.
    os.register_at_fork(after_in_child=_threads.cache_clear)


def call_side_by_side(calls: Sequence[Callable[[], Result]], n_threads: int) -> list[Result]:
    """Return what the calls return, in their order.

    Worth it for calls that spend their time outside of Python: in BLAS or in the compiled core.
    Where one raises an exception, the first such exception is raised when all have ended.

    Examples
    --------
    >>> from svmosaic.utils.side_by_side import call_side_by_side
    >>> call_side_by_side([lambda: 1, lambda: 2], n_threads=2)
    [1, 2]
    """
    if n_threads == 1 or len(calls) < 2:
        return [call() for call in calls]
    # The calling thread works too, from the first on; the others begin with the last.
    submit = _threads(min(n_threads, len(calls)) - 1).submit
    others = [submit(call) for call in reversed(calls[1:])]
    try:
        results = [calls[0]()]
        for call, other in zip(calls[1:], reversed(others), strict=True):
            results.append(call() if other.cancel() else other.result())
    finally:
        for other in others:
            other.cancel()
        wait(others)
    return results


def call_elsewhere(calls: Sequence[Callable[[], Result]], n_threads: int) -> list[Result]:
    """Return what the calls return, in their order, while this thread only waits for them.

    For calls of other libraries that do not look at Ctrl-C for long: this thread answers at once.
    Calls that are running then end on their own, and nobody sees their results.

    Examples
    --------
    >>> from svmosaic.utils.side_by_side import call_elsewhere
    >>> call_elsewhere([lambda: 1, lambda: 2], n_threads=1)
    [1, 2]
    """
    # Threads of its own: calls that were given up keep theirs until they end.
    threads = ThreadPoolExecutor(n_threads, thread_name_prefix="svmosaic")
    try:
        others = [threads.submit(call) for call in calls]
        return [other.result() for other in others]
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
