"""Calls that run at the same time, in threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["call_side_by_side"]

Result = TypeVar("Result")


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
    with ThreadPoolExecutor(min(n_threads, len(calls)) - 1) as pool:
        # The calling thread works too, from the first on; the others begin with the last.
        others = [pool.submit(call) for call in reversed(calls[1:])]
        results = [calls[0]()]
        for call, other in zip(calls[1:], reversed(others), strict=True):
            results.append(call() if other.cancel() else other.result())
    return results
