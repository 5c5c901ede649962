"""Where the progress of a fit is shown.

A solver reports about twenty times a second. `report_progress` sends the reports of every fit
inside its block to a function; without it, ``verbose`` writes a line a second to the log.
"""

from __future__ import annotations

import contextlib
import contextvars
import logging
import time
from collections.abc import Callable, Iterator

__all__ = [
    "current_progress",
    "forward_progress",
    "log_lines",
    "report_progress",
    "report_progress_inside",
]

ProgressFunction = Callable[[int, int, int], None]

_receiver: contextvars.ContextVar[ProgressFunction | None] = contextvars.ContextVar(
    "svmosaic_progress", default=None
)

# Who listens besides: the callbacks of scikit-learn.
_listener: contextvars.ContextVar[ProgressFunction | None] = contextvars.ContextVar(
    "svmosaic_progress_listener", default=None
)

_log = logging.getLogger("svmosaic")


@contextlib.contextmanager
def report_progress(function: ProgressFunction) -> Iterator[None]:
    """Send the progress of fits inside the block to ``function(done, total, steps)``.

    Parameters
    ----------
    function : callable
        Called with the number of binary problems done, their total, and the solver steps so far.
        An exception it raises ends the fit and reaches the caller.

    Yields
    ------
    None
        Nothing; the block is what counts.

    Examples
    --------
    >>> from svmosaic import OLLAWVClassifier, report_progress
    >>> from sklearn.datasets import load_iris
    >>> seen = []
    >>> with report_progress(lambda done, total, steps: seen.append(done)):
    ...     _ = OLLAWVClassifier().fit(*load_iris(return_X_y=True))
    """
    token = _receiver.set(function)
    try:
        yield
    finally:
        _receiver.reset(token)


@contextlib.contextmanager
def forward_progress(function: ProgressFunction) -> Iterator[None]:
    """Send the progress of fits inside the block to a function as well."""
    token = _listener.set(function)
    try:
        yield
    finally:
        _listener.reset(token)


@contextlib.contextmanager
def report_progress_inside(function: ProgressFunction) -> Iterator[None]:
    """Send the progress of fits inside a fit to a function and to nobody else.

    The function reports to those who listen to the outer fit, in units of its own. If they also
    received the inner fits, it would report them twice.
    """
    token = _listener.set(None)
    try:
        with report_progress(function):
            yield
    finally:
        _listener.reset(token)


def log_lines(text: str) -> None:
    """Write lines to the log, one record each."""
    _ensure_handler()
    for line in text.splitlines():
        _log.info("%s", line)


def _ensure_handler() -> None:
    """Write to the standard error stream unless a handler is set."""
    if not logging.getLogger().handlers and not _log.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(message)s"))
        _log.addHandler(handler)
        _log.setLevel(logging.INFO)


def current_progress(name: str, verbose: int) -> ProgressFunction | None:
    """Return the function to report to, or None when nobody listens."""
    shown, listener = _shown_progress(name, verbose), _listener.get()
    if shown is None or listener is None:
        return shown or listener

    def both(done: int, total: int, steps: int) -> None:
        shown(done, total, steps)
        listener(done, total, steps)

    return both


def _shown_progress(name: str, verbose: int) -> ProgressFunction | None:
    receiver = _receiver.get()
    if receiver is not None or not verbose:
        return receiver
    _ensure_handler()
    last = time.monotonic()

    def log_line(done: int, total: int, steps: int) -> None:
        nonlocal last
        if time.monotonic() - last >= 1.0:
            last = time.monotonic()
            _log.info("%s: %d of %d problems done, %d steps", name, done, total, steps)

    return log_line
