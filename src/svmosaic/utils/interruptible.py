"""Ctrl-C during a call that neither stops nor comes in parts, such as eigenvalues by LAPACK."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import ParamSpec, TypeVar

__all__ = ["interruptible"]

P = ParamSpec("P")
T = TypeVar("T")

# How often to look for Ctrl-C where the system does not end a wait for it.
_LOOK_SECONDS = 0.05


def interruptible(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what a function returns; on Ctrl-C, raise at once and leave it to its end.

    It runs in a thread of its own while this one waits, so it must release Python's lock and
    change nothing that is used after an interruption. What it has begun continues in the background
    and is dropped; a program that ends then waits for it. Python looks for Ctrl-C in its first
    thread only, so in any other the function is simply called.
    """
    if threading.current_thread() is not threading.main_thread():
        return function(*args, **kwargs)
    outcome: Future[T] = Future()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            outcome.set_result(context.run(function, *args, **kwargs))
        except BaseException as error:
            outcome.set_exception(error)

    # No daemon: where it ends after Python, it would take the whole process with it.
    threading.Thread(target=run).start()
    while not outcome.done():
        wait([outcome], timeout=_LOOK_SECONDS)
    return outcome.result()
