"""The data of a command from the standard input, where ``-`` stands for a file."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from svmosaic.datasets.readers.text import in_words, memory_limit

__all__ = ["STANDARD_INPUT", "data_of_standard_input"]

STANDARD_INPUT = "-"
# What messages call it.
_NAME = "standard input"
_CHUNK_BYTES = 1 << 20


@contextmanager
def data_of_standard_input(args: argparse.Namespace) -> Iterator[None]:
    """Put what comes by the standard input into a file for the block, if the data are ``-``.

    Files are read more than once, which a pipe does not allow.

    Parameters
    ----------
    args : Namespace
        The arguments of a command; the file takes the place of ``-`` in `data` and in `test`.
    """
    data, test = getattr(args, "data", None), getattr(args, "test", None)
    sources = data if isinstance(data, list) else [data]
    if STANDARD_INPUT not in (*sources, test):
        yield
        return
    if [*sources, test].count(STANDARD_INPUT) > 1:
        raise ValueError("The standard input can be read once only. Name a file for the other.")
    if getattr(args, "scheduler", None) is not None:
        raise ValueError("Workers of a cluster read files, not the standard input. Name files.")
    with tempfile.TemporaryDirectory(prefix="svmosaic-") as folder:
        path = Path(folder, _NAME)
        _copy(path, getattr(args, "max_bytes", None))
        named = [str(path) if source == STANDARD_INPUT else source for source in sources]
        args.data = named if isinstance(data, list) else named[0]
        if test == STANDARD_INPUT:
            args.test = str(path)
        yield


def _copy(path: Path, max_bytes: float | None) -> None:
    most, total = memory_limit(max_bytes), 0
    with path.open("wb") as file:
        while chunk := sys.stdin.buffer.read(_CHUNK_BYTES):
            total += len(chunk)
            if total > most:
                raise ValueError(
                    f"The standard input is longer than {in_words(most)}. Raise --max-bytes, or "
                    "put the data into a file."
                )
            file.write(chunk)
    if not total:
        raise ValueError("The standard input is empty. Send data to it, or name a file.")
