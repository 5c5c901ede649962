"""LIBSVM text files, row by row."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from svmosaic.datasets.readers.columns import DoubleArray
from svmosaic.datasets.readers.libsvm import most_features, refuse_long_labels
from svmosaic.datasets.readers.row_source import NumberedRow, Samples
from svmosaic.datasets.readers.table_options import TableOptions
from svmosaic.datasets.readers.target_values import whole_if_integral
from svmosaic.datasets.readers.text import BLANKS, file_error, iter_blocks
from svmosaic.exceptions import DataFileError

__all__ = ["LibsvmRows"]

_QUOTED_BYTES = 40
# A row with nothing unusual in it; whether the numbers are numbers is seen when they are read.
_PLAIN_ROW = re.compile(r"[^\s:]+(?:[ \t]+[0-9]{1,9}:[^\s:]+)*")
_INDEX = re.compile(r"(-?[0-9]+):")
_QUERY_ID = re.compile(r"-?[0-9]{1,19}")


@dataclass(frozen=True)
class _Pairs:
    """Labels, and features as triplets; rows and columns count from 0."""

    labels: DoubleArray
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: DoubleArray


class LibsvmRows:
    """A LIBSVM text file: ``label index:value index:value ...``.

    Parameters
    ----------
    path : Path
        The file, plain or gzip'd.
    options : TableOptions
        Its `n_features` is the number of columns; None means the largest index of the first pass.
    """

    def __init__(self, path: Path, options: TableOptions) -> None:
        self.path = path
        self._most = most_features(options)
        self._n_features = options.n_features
        self._max_bytes = options.max_bytes
        self._encoding = options.encoding
        self._largest = 0
        self._last_line = 1
        if next(self.rows(), None) is None:
            raise file_error(
                path, max(self._last_line, 1), "the file has no samples. Check the path."
            )

    def rows(self) -> Iterator[NumberedRow]:
        """Yield the text of the samples, without comments."""
        for block in iter_blocks(self.path, self._max_bytes, encoding=self._encoding):
            for number, line in enumerate(block.lines, block.first):
                text = line.partition("#")[0].strip(BLANKS)
                if text:
                    yield number, text
            # A line feed at the end of the file does not begin another line.
            self._last_line = block.first + len(block.lines) - 1

    def observe(self, rows: Sequence[NumberedRow]) -> Samples:
        """Look for the largest index, and check all numbers."""
        pairs = self._parse(rows)
        if pairs.columns.size:
            self._largest = max(self._largest, int(pairs.columns.max()) + 1)
        return np.empty((len(rows), 0)), whole_if_integral(pairs.labels)

    def settle(self, passed: bool) -> None:
        """Fix the number of features."""
        if self._n_features is not None:
            return
        if not passed:
            raise ValueError(
                f"{self.path.name} does not say how many features it has. Pass 'n_features', or "
                "leave 'classes' out."
            )
        if self._largest == 0:
            raise file_error(
                self.path,
                self._last_line,
                "no line so far has a feature. Check the file, or pass n_features.",
            )
        self._n_features = self._largest

    def convert(self, rows: Sequence[NumberedRow]) -> Samples:
        """Return the features and labels of some rows."""
        pairs = self._parse(rows)
        assert self._n_features is not None
        X = np.zeros((len(rows), self._n_features))
        X[pairs.rows, pairs.columns] = pairs.values
        return X, whole_if_integral(pairs.labels)

    def _parse(self, rows: Sequence[NumberedRow]) -> _Pairs:
        pairs = _parse_plain([text for _, text in rows], self._most)
        if pairs is None:
            pairs = _parse_slowly(self.path, rows, self._most)
        if np.any(np.abs(pairs.labels) >= 2.0**53):
            refuse_long_labels(self.path, rows)
        return pairs


def _parse_plain(texts: Sequence[str], most: int) -> _Pairs | None:
    """Read rows in bulk; None if there is anything unusual."""
    joined = " ".join(texts)
    if "_" in joined or not joined.isascii() or not all(map(_PLAIN_ROW.fullmatch, texts)):
        return None
    tokens = joined.replace(":", " ").split()
    try:
        numbers = np.fromiter(map(float, tokens), np.float64, len(tokens))
    except ValueError:
        return None
    # Row i has a label and then counts[i] pairs of index and value.
    counts = np.fromiter((text.count(":") for text in texts), np.int64, len(texts))
    starts = np.cumsum(1 + 2 * counts) - (1 + 2 * counts)
    is_pair = np.ones(numbers.size, dtype=bool)
    is_pair[starts] = False
    index_and_value = numbers[is_pair].reshape(-1, 2)
    rows = np.repeat(np.arange(len(texts)), counts)
    columns = index_and_value[:, 0].astype(np.int64) - 1
    ascends = (np.diff(rows) > 0) | (np.diff(columns) > 0)
    in_range = (columns >= 0) & (columns < most)
    if not (np.isfinite(numbers).all() and ascends.all() and in_range.all()):
        return None
    return _Pairs(numbers[starts], rows, columns, np.ascontiguousarray(index_and_value[:, 1]))


def _parse_slowly(path: Path, rows: Sequence[NumberedRow], most: int) -> _Pairs:
    """Read rows one by one, and raise the error that names the line."""
    labels: list[float] = []
    at: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for i, (number, text) in enumerate(rows):
        try:
            label, pairs = _parse_row(text, most)
        except _RowError as error:
            raise file_error(path, number, str(error)) from None
        labels.append(label)
        at += [i] * len(pairs)
        columns += [index - 1 for index, _ in pairs]
        values += [value for _, value in pairs]
    return _Pairs(
        np.array(labels),
        np.array(at, dtype=np.int64),
        np.array(columns, dtype=np.int64),
        np.array(values, dtype=np.float64),
    )


class _RowError(DataFileError):
    """What is wrong with a row, without the line number."""


# The sentences below are those of the compiled reader; a test compares them.
def _parse_row(text: str, most: int) -> tuple[float, list[tuple[int, float]]]:
    tokens = text.replace("\t", " ").split(" ")
    tokens = [token for token in tokens if token]
    label = _number(tokens[0])
    if label is None:
        raise _RowError(
            f"the label {_quoted(tokens[0])} is not a number. Begin the line with a real number."
        )
    if not math.isfinite(label):
        raise _RowError(
            f"the label {_quoted(tokens[0])} is not finite. Correct the label or remove the line."
        )
    rest = tokens[1:]
    if rest and rest[0].startswith("qid:"):
        if not _QUERY_ID.fullmatch(rest[0].removeprefix("qid:")):
            raise _RowError(
                f"the query id {_quoted(rest[0])} is not an integer. Write it as qid:7."
            )
        rest = rest[1:]
    pairs: list[tuple[int, float]] = []
    previous = 0
    for token in rest:
        previous = _index(token, previous, most)
        pairs.append((previous, _value(token.partition(":")[2], previous)))
    return label, pairs


def _index(token: str, previous: int, most: int) -> int:
    found = _INDEX.match(token)
    if found is None:
        raise _RowError(
            f"expected index:value, got {_quoted(token)}. Write each feature as a whole number, a "
            "colon and a number."
        )
    digits = found[1]
    # Nobody needs an index of twenty digits, and int() takes its time for a million of them.
    index = most + 1 if len(digits) > 19 and digits[0] != "-" else int(digits[:20])
    if digits[0] == "-" or index == 0:
        raise _RowError(
            f"feature index {_quoted(digits)} is below 1; indices count from 1. Renumber the "
            "features."
        )
    if index > most:
        raise _RowError(
            f"feature index {_quoted(digits)} is above the limit of {most}. Correct the index, or "
            "raise n_features or max_features."
        )
    if index <= previous:
        raise _RowError(
            f"feature index {index} does not follow {previous}; indices must ascend. Sort the "
            "pairs of this line."
        )
    return index


def _value(text: str, index: int) -> float:
    value = _number(text)
    if value is None:
        raise _RowError(
            f"the value {_quoted(text)} of feature {index} is not a number. Write a real number "
            "after the colon."
        )
    if not math.isfinite(value):
        raise _RowError(f"the value {_quoted(text)} of feature {index} is not finite. Correct it.")
    return value


def _number(text: str) -> float | None:
    # float() also takes 1_000 and the digits of other scripts; a data file should have neither.
    if "_" in text or not text.isascii():
        return None
    try:
        return float(text)
    except ValueError:
        return None


def _quoted(token: str) -> str:
    data = token.encode()
    shown = "".join(chr(b) if 32 <= b <= 126 else f"\\x{b:02x}" for b in data[:_QUOTED_BYTES])
    return f"'{shown}{'...' if len(data) > _QUOTED_BYTES else ''}'"
