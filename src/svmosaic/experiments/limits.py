"""Cells that end without a result: stopped at their time limit, or killed by the system."""

from __future__ import annotations

import signal
from datetime import UTC, datetime
from typing import Any

from svmosaic.experiments.cells import Cell
from svmosaic.experiments.journal import Entry

__all__ = ["died", "now", "out_of_time"]


def out_of_time(cell: Cell, limit: float, seconds: float) -> Entry:
    """Return the entry of a cell that was stopped at its limit."""
    return _failed(
        cell,
        f"TimeLimit: the cell took longer than its limit of {limit:g} s and was stopped. Raise the "
        "limit (time_limit or --cell-limit) and run it again with --retry-failed.",
        seconds,
    )


def died(cell: Cell, exit_code: int | None, seconds: float, *, twice: bool) -> Entry:
    """Return the entry of a cell whose process ended without an answer."""
    again = ", and again when it ran alone" if twice else ""
    return _failed(
        cell,
        f"WorkerDied: the process of the cell was {_reason(exit_code)}{again}. The usual cause is "
        "a lack of memory. Give the computer more, or the method less (cache_mb, memory_limit_mb), "
        "and run it again with --retry-failed.",
        seconds,
    )


def now() -> str:
    """Return the time in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _reason(exit_code: int | None) -> str:
    if exit_code is None or exit_code >= 0:
        return f"ended with exit code {exit_code}"
    try:
        return f"killed by signal {-exit_code} ({signal.Signals(-exit_code).name})"
    except ValueError:
        return f"killed by signal {-exit_code}"


def _failed(cell: Cell, error: str, seconds: float) -> Entry:
    record: dict[str, Any] = {
        "error": error,
        "traceback": "",
        "warnings": [],
        "cell_seconds": seconds,
        "peak_mb": None,
    }
    return Entry(
        *(cell.key, cell.dataset, cell.method, cell.split.repeat, cell.split.fold),
        *("failed", record, now()),
    )
