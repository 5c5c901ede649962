"""What a command shows: tables, progress, warnings; and how it writes safely."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from svmosaic.utils.progress import report_progress
from svmosaic.utils.wording import plural

__all__ = [
    "file_size",
    "format_fields",
    "format_table",
    "note",
    "one_line",
    "plain_warnings",
    "show_progress",
    "uninterrupted",
]

ProgressFunction = Callable[[int, int, int], None]

# The values of fields that are shown one by one are aligned in one column too.
_FIELD_WIDTH = 17
# Seconds between the lines of progress where no bar can be drawn.
_PLAIN_SECONDS = 5.0
_VERBOSE_SECONDS = 1.0


# Text ---------------------------------------------------------------------------------------


def one_line(text: object) -> str:
    """Return the text with every run of blanks and line ends as one blank."""
    return " ".join(str(text).split())


def file_size(path: str) -> str:
    """Return the size of a file in words."""
    size = os.path.getsize(path)
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.1f} kB"


def note(text: str) -> None:
    """Write a line to the error stream, which never mixes with a command's output."""
    print(f"svmosaic: {one_line(text)}", file=sys.stderr)


def format_fields(fields: Sequence[tuple[str, object]]) -> str:
    """Return lines of names and values, the values in one column."""
    width = max(_FIELD_WIDTH, *(len(name) for name, _ in fields))
    return "\n".join(f"{name:<{width}}  {value}" for name, value in fields)


def format_table(header: Sequence[str], rows: Sequence[Sequence[object]], align: str) -> str:
    """Return an aligned table as plain text.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    rows : sequence of sequences
        The cells; an empty sequence makes an empty line.
    align : str
        One letter per column: ``l`` or ``r``.
    """
    cells = [[str(cell) for cell in row] for row in rows]
    filled = [list(header), *(row for row in cells if row)]
    widths = [max(len(row[j]) for row in filled) for j in range(len(header))]

    def line(row: Sequence[str]) -> str:
        parts = (
            cell.rjust(width) if side == "r" else cell.ljust(width)
            for cell, width, side in zip(row, widths, align, strict=True)
        )
        return "  ".join(parts).rstrip()

    rule = "  ".join("-" * width for width in widths)
    return "\n".join([line(header), rule, *(line(row) if row else "" for row in cells)])


# Warnings and progress ----------------------------------------------------------------------


@contextlib.contextmanager
def plain_warnings() -> Iterator[None]:
    """Show each warning to the user as one line, without a place in the source."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        note(f"warning: {one_line(message)}")

    with warnings.catch_warnings():
        warnings.filterwarnings("default", category=UserWarning)
        warnings.showwarning = show
        yield


@contextlib.contextmanager
def show_progress(title: str, *, verbose: bool = False) -> Iterator[None]:
    """Show the progress of the fits inside the block on the error stream.

    A terminal gets a bar if the package rich is installed. Elsewhere a line appears every few
    seconds, so that short fits show nothing.
    """
    bar = _rich_bar(title) if sys.stderr.isatty() else None
    if bar is None:
        with report_progress(_plain_lines(title, _VERBOSE_SECONDS if verbose else _PLAIN_SECONDS)):
            yield
        return
    progress, update = bar
    with progress, report_progress(update):
        yield


def _plain_lines(title: str, every: float) -> ProgressFunction:
    start = last = time.monotonic()

    def update(done: int, total: int, steps: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= every:
            last = now
            note(
                f"{title}: {done} of {plural(total, 'problem')}, {steps} steps, {now - start:.0f} s"
            )

    return update


def _rich_bar(title: str) -> tuple[Any, ProgressFunction] | None:
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    except ImportError:
        return None
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[detail]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    # A bar without a total moves to and fro: one binary problem cannot say how far it is.
    task = progress.add_task(title, total=None, detail="")

    def update(done: int, total: int, steps: int) -> None:
        progress.update(
            task,
            completed=done,
            total=total if total > 1 else None,
            detail=f"{done} of {plural(total, 'problem')}, {steps} steps",
        )

    return progress, update


# Files --------------------------------------------------------------------------------------


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait while files are written, so that all of them are or none.

    Writing takes a moment and is the last thing that a command does. A second press ends it, since
    a pipe that nobody reads would make it wait for ever.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    n_presses = 0

    def wait(*_: object) -> None:
        nonlocal n_presses
        n_presses += 1
        if n_presses > 1:
            raise KeyboardInterrupt("the output may be incomplete")

    before = signal.signal(signal.SIGINT, wait)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
