"""A Dask cluster for a command: the connection, and what its log shows."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

from svmosaic.cli.console import note
from svmosaic.utils.optional import import_optional

__all__ = ["connect", "show_log"]

# Seconds until a scheduler that does not answer is given up.
_CONNECT_SECONDS = 10.0
# What the client of Dask writes to when a connection breaks.
_DASK_LOGS = ("distributed", "distributed.client", "distributed.core", "distributed.utils")


@contextlib.contextmanager
def connect(address: str) -> Iterator[Any]:
    """Return a client of the scheduler at an address, which is the current one in the block."""
    distributed = import_optional("distributed", "use a Dask cluster")
    try:
        client = distributed.Client(address, timeout=_CONNECT_SECONDS)
    except (OSError, ValueError, TypeError) as error:
        raise ConnectionError(
            f"No Dask scheduler answers at {address!r}. Start one with 'dask scheduler', and pass "
            "the address that it shows, such as tcp://host:8786, as --scheduler."
        ) from error
    with _quiet(), client:
        if not client.nthreads():
            raise ConnectionError(
                f"The Dask scheduler at {address!r} has no workers. Start some with 'dask worker "
                f"{address}'."
            )
        try:
            yield client
        except RuntimeError as error:
            # What the library says of workers and schedulers that are gone. Subclasses are faults.
            if type(error) is not RuntimeError:
                raise
            raise ConnectionError(str(error)) from error
        except distributed.CancelledError as error:
            raise ConnectionError(
                f"The Dask scheduler at {address!r} is gone. Start a cluster and run the same "
                "command again."
            ) from error


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep tracebacks of Dask's own attempts to reconnect off the screen."""
    logs = [logging.getLogger(name) for name in _DASK_LOGS]
    levels = [log.level for log in logs]
    for log in logs:
        log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for log, level in zip(logs, levels, strict=True):
            log.setLevel(level)


@contextlib.contextmanager
def show_log(*, verbose: bool) -> Iterator[None]:
    """Show what the library logs in the block: lost workers, and progress if `verbose`."""
    log, handler = logging.getLogger("svmosaic"), _Notes()
    level, propagate = log.level, log.propagate
    log.addHandler(handler)
    log.setLevel(logging.INFO if verbose else logging.WARNING)
    log.propagate = False
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
        log.propagate = propagate


class _Notes(logging.Handler):
    """Writes each record as a line of the error stream."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        warning = "warning: " if record.levelno >= logging.WARNING else ""
        note(f"{warning}{record.getMessage()}")
