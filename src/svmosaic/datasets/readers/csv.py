"""Read CSV (comma-separated values) and its kin: tables of text with a delimiter."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from svmosaic.datasets.readers.columns import MAX_ATTRIBUTES, TableOptions, is_number
from svmosaic.datasets.readers.line_table import MISSING, LineTable, line_reader
from svmosaic.datasets.readers.reader import TABLE_OPTIONS
from svmosaic.datasets.readers.text import BLANKS, file_error, shorten, split_plain

__all__ = ["READER", "WHITESPACE"]

WHITESPACE = "whitespace"
# In this order: a comma may be a decimal sign between semicolons, and blanks may follow commas.
_DELIMITERS = ("\t", ";", ",", WHITESPACE)
# At least this many column names 0, 1, 2, ... in a row are hardly data.
_FEWEST_COUNTED_NAMES = 4
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")
# A comment, or a lone number, may also open a file of another format.
_OPEN = re.compile(r"[%#].*|[-+.\d]+")
_BLANK_SEPARATED = re.compile(r'"((?:[^"]|"")*)"(?=\s|$)|([^\s"]\S*)')

_Split = Callable[[str], list[str]]


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


def _cut(path: Path, split: _Split, number: int, line: str) -> list[str]:
    """Return the cells of a line, or say what is wrong with it."""
    try:
        return split(line)
    except csv.Error as error:
        raise file_error(
            path,
            number,
            f"the quotes are wrong ({error}). Close each quote on its line.",
        ) from None


def _lay_out(path: Path, lines: Sequence[tuple[int, str]], options: TableOptions) -> LineTable:
    """Find out from the first lines how a table is written."""
    chosen = options.delimiter
    if chosen is None:
        chosen = _sniff_delimiter([line for _, line in lines])
    cut = partial(_cut, path, _splitter(chosen))
    number, line = lines[0]
    first = cut(number, line)
    if len(first) > MAX_ATTRIBUTES:
        raise file_error(path, number, f"more than {MAX_ATTRIBUTES} columns. Check the delimiter.")
    rest = [cells for other, text in lines[1:] if len(cells := cut(other, text)) == len(first)]
    has_header = options.header
    if has_header is None:
        has_header = _looks_like_header(first, rest)
    if has_header:
        names = _header_names(path, number, first)
    else:
        names = tuple(f"x{j + 1}" for j in range(len(first)))
    if chosen == ";":
        for number, line in lines[has_header:]:
            _refuse_decimal_comma(path, number, cut(number, line))
    return LineTable(names, cut, n_head_lines=int(has_header))


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


def _refuse_decimal_comma(path: Path, number: int, cells: Sequence[str]) -> None:
    for cell in cells:
        if _DECIMAL_COMMA.fullmatch(cell):
            raise file_error(
                path, number, f"{shorten(cell)} has a decimal comma. Write numbers with a point."
            )


def _recognises(line: str) -> bool:
    return _OPEN.fullmatch(line) is None


READER = line_reader(
    "csv",
    (".csv", ".tsv"),
    _lay_out,
    recognises=_recognises,
    options=TABLE_OPTIONS | {"delimiter", "header", "numeric_columns"},
)
