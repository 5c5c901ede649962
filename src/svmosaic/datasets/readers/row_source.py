"""What a stream needs from a file format: a file as rows, and the way from rows to numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["NumberedRow", "RowSource", "Samples"]

# Line number and text of one sample.
NumberedRow = tuple[int, str]
# Features and labels.
Samples = tuple[NDArray[np.float64], NDArray[Any]]


class RowSource(Protocol):
    """A file as rows of text, and the way from text to numbers.

    Nominal columns without a declaration take their names from a first pass over the file, so
    that a chunk's columns do not depend on what happens to be in the chunk.
    """

    path: Path

    def rows(self) -> Iterator[NumberedRow]:
        """Yield the text of the samples, from the beginning of the file."""

    def observe(self, rows: Sequence[NumberedRow]) -> Samples:
        """Take part of the first pass: check the rows, and return their features and labels.

        Until `settle`, only the labels are of use.
        """

    def settle(self, passed: bool) -> None:
        """End the first pass, or raise if there was none and one is needed."""

    def convert(self, rows: Sequence[NumberedRow]) -> Samples:
        """Return the features and labels of some rows."""
