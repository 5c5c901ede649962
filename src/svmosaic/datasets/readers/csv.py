"""Read CSV (comma-separated values) and its kin: tables of text with a delimiter."""

from __future__ import annotations

import csv
import itertools
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.columns import (
    MAX_ATTRIBUTES,
    Cells,
    Column,
    GuessedColumn,
    NominalColumn,
    TableBuilder,
    TableOptions,
    assign_roles,
    is_number,
)
from svmosaic.datasets.readers.text import (
    BLANKS,
    LineBlock,
    file_error,
    iter_blocks,
    shorten,
    split_plain,
)

__all__ = [
    "MISSING",
    "SAMPLE_LINES",
    "WHITESPACE",
    "Layout",
    "column_names",
    "cut_line",
    "filled_lines",
    "find_layout",
    "read_csv",
]

MISSING = frozenset({"", "?", "NA"})
WHITESPACE = "whitespace"
# In this order: a comma may be a decimal sign between semicolons, and blanks may follow commas.
_DELIMITERS = ("\t", ";", ",", WHITESPACE)
SAMPLE_LINES = 20
# So many column names 0, 1, 2, ... in a row are hardly data.
_FEWEST_COUNTED_NAMES = 4
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")
_BLANK_SEPARATED = re.compile(r'"((?:[^"]|"")*)"(?=\s|$)|([^\s"]\S*)')

_Split = Callable[[str], list[str]]
_NumberedLines = Iterator[tuple[int, str]]


@dataclass(frozen=True)
class Layout:
    """How a table is written: its delimiter, its columns and whether it has a header."""

    split: _Split
    names: tuple[str, ...]
    has_header: bool


def read_csv(
    path: str | os.PathLike[str],
    options: TableOptions | None = None,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
) -> Dataset:
    r"""Read a delimited text table; `svmosaic.datasets.read_table` describes the options.

    Parameters
    ----------
    path : path-like
        The file, plain or gzip'd.
    options : TableOptions, default=None
        Target, nominal columns, missing values and storage.
    delimiter : str, default=None
        One character, or ``"whitespace"`` for runs of blanks. By default the one among tab,
        semicolon, comma and blanks that cuts the first lines into equally many cells.
    header : bool, default=None
        Whether the first line names the columns. By default it does when it looks like names
        above numbers. Without a header the columns are called x1, x2, ...

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmosaic.datasets.readers.csv import read_csv
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.csv")
    ...     _ = path.write_text("size,colour,class\n1.5,red,yes\n2,blue,no\n")
    ...     data = read_csv(path)
    >>> data.feature_names, data.y.tolist()
    (('size', 'colour=blue', 'colour=red'), ['yes', 'no'])
    """
    options = options or TableOptions()
    source = Path(path)
    lines = filled_lines(iter_blocks(source))
    sample = list(itertools.islice(lines, SAMPLE_LINES))
    if not sample:
        raise file_error(source, 1, "the file is empty. Check the path.")
    layout = find_layout(source, sample, delimiter, header)
    roles = assign_roles(layout.names, options, source)

    columns: list[Column | None] = []
    for j, name in enumerate(layout.names):
        is_target = j == roles.target
        allow_nan = options.allow_nan and not is_target
        cells = Cells(source, name, MISSING, allow_nan, is_target, options.gap_option)
        if j in roles.dropped:
            columns.append(None)
        elif j in roles.forced_nominal:
            columns.append(NominalColumn(cells))
        else:
            columns.append(GuessedColumn(cells))
    builder = TableBuilder(source, columns, roles, options)
    number = sample[-1][0]
    for number, line in itertools.chain(sample[layout.has_header :], lines):
        builder.add_row(cut_line(source, number, line, layout.split), number)
    return builder.finish(number)


def column_names(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the names of the columns of a file, without reading it whole."""
    source = Path(path)
    sample = list(itertools.islice(filled_lines(iter_blocks(source)), SAMPLE_LINES))
    if not sample:
        raise file_error(source, 1, "the file is empty. Check the path.")
    return find_layout(source, sample, None, None).names


def filled_lines(blocks: Iterator[LineBlock]) -> _NumberedLines:
    """Yield the lines that are not blank, with their numbers."""
    for block in blocks:
        for number, line in enumerate(block.lines, block.first):
            if line and not line.isspace():
                yield number, line


def _splitter(delimiter: str) -> _Split:
    if delimiter == WHITESPACE:
        return _split_blanks
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise ValueError(
            "The 'delimiter' option must be one character or 'whitespace'. "
            f"Got {delimiter!r} instead."
        )

    def split(line: str) -> list[str]:
        if '"' not in line:
            return split_plain(line, delimiter)
        reader = csv.reader(
            [line], delimiter=delimiter, skipinitialspace=delimiter != " ", strict=True
        )
        return [cell.strip(BLANKS) for cell in next(reader)]

    return split


def _split_blanks(line: str) -> list[str]:
    if '"' not in line:
        return line.split()
    cells = []
    at = 0
    line = line.strip()
    while at < len(line):
        match = _BLANK_SEPARATED.match(line, at)
        if match is None:
            raise csv.Error("a quote is not closed, or text follows it")
        quoted, plain = match.groups()
        cells.append(plain if quoted is None else quoted.replace('""', '"'))
        at = match.end()
        while at < len(line) and line[at].isspace():
            at += 1
    return cells


def cut_line(path: Path, number: int, line: str, split: _Split) -> list[str]:
    """Return the cells of a line, or say what is wrong with it."""
    try:
        return split(line)
    except csv.Error as error:
        raise file_error(
            path,
            number,
            f"the quotes are wrong ({error}). Close each quote on its line.",
        ) from None


def find_layout(
    path: Path, sample: Sequence[tuple[int, str]], delimiter: str | None, header: bool | None
) -> Layout:
    """Find out from the first lines how a table is written."""
    chosen = _sniff_delimiter([line for _, line in sample]) if delimiter is None else delimiter
    split = _splitter(chosen)
    number, line = sample[0]
    first = cut_line(path, number, line, split)
    if len(first) > MAX_ATTRIBUTES:
        raise file_error(path, number, f"more than {MAX_ATTRIBUTES} columns. Check the delimiter.")
    rest = [
        cells
        for other, text in sample[1:]
        if len(cells := cut_line(path, other, text, split)) == len(first)
    ]
    has_header = _looks_like_header(first, rest) if header is None else header
    if has_header:
        names = _header_names(path, number, first)
    else:
        names = tuple(f"x{j + 1}" for j in range(len(first)))
    if chosen == ";":
        _refuse_decimal_comma(path, sample[has_header:], split)
    return Layout(split, names, has_header)


def _sniff_delimiter(lines: Sequence[str]) -> str:
    counts = {}
    for delimiter in _DELIMITERS:
        split = _splitter(delimiter)
        try:
            counts[delimiter] = [len(split(line)) for line in lines]
        except csv.Error:
            counts[delimiter] = [1]
    for delimiter, widths in counts.items():
        if widths[0] > 1 and len(set(widths)) == 1:
            return delimiter
    # No delimiter fits every line: take the one that cuts most, and let the odd row be named.
    best = max(counts, key=lambda delimiter: max(counts[delimiter]))
    return best if max(counts[best]) > 1 else ","


def _looks_like_header(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    numbers = [cell for cell in first if is_number(cell)]
    if not rest:
        return not numbers
    counted = [str(j) for j in range(len(numbers))]
    if numbers and numbers not in (counted, [str(j + 1) for j in range(len(numbers))]):
        return False
    if len(numbers) == len(first):
        return len(numbers) >= _FEWEST_COUNTED_NAMES
    below = [[row[j] for row in rest] for j in range(len(first))]
    names_over_numbers = any(
        not is_number(name)
        and any(cell not in MISSING for cell in cells)
        and all(cell in MISSING or is_number(cell) for cell in cells)
        for name, cells in zip(first, below, strict=True)
        if name not in MISSING
    )
    if names_over_numbers or numbers:
        return names_over_numbers
    # Text over text: a header does not come back in its own column.
    return len(set(first)) == len(first) and all(
        name not in MISSING and name not in cells for name, cells in zip(first, below, strict=True)
    )


def _header_names(path: Path, number: int, first: Sequence[str]) -> tuple[str, ...]:
    names = tuple(name or f"x{j + 1}" for j, name in enumerate(first))
    seen: dict[str, int] = {}
    for j, name in enumerate(names):
        if name in seen:
            raise file_error(
                path,
                number,
                f"columns {seen[name] + 1} and {j + 1} are both called {shorten(name)}. "
                "Rename one, or pass header=False if this is a row of data.",
            )
        seen[name] = j
    return names


def _refuse_decimal_comma(path: Path, sample: Sequence[tuple[int, str]], split: _Split) -> None:
    for number, line in sample:
        for cell in cut_line(path, number, line, split):
            if _DECIMAL_COMMA.fullmatch(cell):
                raise file_error(
                    path,
                    number,
                    f"{shorten(cell)} has a decimal comma. Write numbers with a point.",
                )
