"""Read CSV (comma-separated values) and its kin: tables of text with a delimiter."""

from __future__ import annotations

import csv
import itertools
import re
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from svmosaic.datasets.readers.columns import MAX_ATTRIBUTES
from svmosaic.datasets.readers.line_table import MISSING, LineTable, line_reader
from svmosaic.datasets.readers.numbers import PLAIN, NumberFormat
from svmosaic.datasets.readers.reader import TABLE_OPTIONS
from svmosaic.datasets.readers.table_options import TableOptions
from svmosaic.datasets.readers.text import BLANKS, file_error, shorten, split_plain

__all__ = ["READER", "WHITESPACE", "header_names", "looks_like_header", "warn_of_years"]

WHITESPACE = "whitespace"
# In this order: a comma may be a decimal sign between semicolons, and blanks may follow commas.
_DELIMITERS = ("\t", ";", ",", "|", WHITESPACE)
# At least this many column names 0, 1, 2, ... in a row are hardly data.
_FEWEST_COUNTED_NAMES = 4
# This many years in a row over numbers of another size name columns.
_FEWEST_YEARS = 2
_YEAR = re.compile(r"(1[89]|20|21)\d\d", re.ASCII)
# A group at the front does not begin with 0: 0.123 is no 123.
_GROUPS = r"[1-9]\d{0,2}([. \u00a0\u202f']\d{3})+"
_DECIMAL_COMMA = re.compile(rf"[+-]?(\d*|{_GROUPS}),\d+([eE][+-]?\d+)?", re.ASCII)
_DECIMAL_POINT = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?", re.ASCII)
_POINTS_IN_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+", re.ASCII)
# 1,234 is 1.234 in one country and 1234 in another.
_COMMA_OR_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)
# What Excel writes, and reads, as a first line that names the delimiter.
_EXCEL_DELIMITER = re.compile(r"sep=(.)", re.IGNORECASE)
# R's write.table gives row names a column without a heading.
_ROW_NAMES = "row"
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
    chosen, n_skipped = options.delimiter, 0
    named = _EXCEL_DELIMITER.fullmatch(lines[0][1].strip())
    if named is not None and len(lines) > 1:
        chosen, n_skipped, lines = chosen or named[1], 1, lines[1:]
    if chosen is None:
        chosen = _sniff_delimiter([line for _, line in lines])
    cut = partial(_cut, path, _splitter(chosen))
    number, line = lines[0]
    first = cut(number, line)
    if len(first) > MAX_ATTRIBUTES:
        raise file_error(path, number, f"more than {MAX_ATTRIBUTES} columns. Check the delimiter.")
    others = [cut(other, text) for other, text in lines[1:]]
    if line.startswith("#") and others and all(len(cells) != len(first) for cells in others):
        raise file_error(
            path, number, "the line begins with '#', but comment lines are not read. Remove it."
        )
    numbers = _find_number_format(path, chosen, [first, *others], options)
    if _ends_with_delimiters(first, others, numbers, options.header):
        cut = partial(_cut_named, path, cut, len(first))
        others = [cells[: len(first)] for cells in others]
    if options.header is not False and _lacks_heading(first, others, numbers):
        names = header_names(path, number, [_ROW_NAMES, *first])
        return LineTable(
            names,
            cut,
            n_skipped + 1,
            numbers=numbers,
            delimiter=chosen,
            row_names=True,
            header=True,
        )
    rest = [cells for cells in others if len(cells) == len(first)]
    has_header = options.header
    if has_header is None:
        has_header = looks_like_header(first, rest, numbers)
        if not has_header:
            warn_of_years(path, first, rest, numbers)
    if has_header:
        width = _named_width(first, others)
        if width < len(first):
            cut = partial(_cut_named, path, cut, width)
        if width > 1 and not first[width - 1]:
            raise file_error(
                path,
                number,
                f"the last column, {width}, has cells but no heading. Give it a name, or remove "
                "it.",
            )
        names = header_names(path, number, first[:width])
    else:
        names = tuple(f"x{j + 1}" for j in range(len(first)))
    # The index of pandas and the row names of R's write.csv have an empty heading.
    return LineTable(
        names,
        cut,
        n_skipped + has_header,
        numbers=numbers,
        delimiter=chosen,
        row_names=has_header and len(names) > 1 and not first[0],
        header=has_header,
    )


def _named_width(first: Sequence[str], others: Sequence[Sequence[str]]) -> int:
    """Return how many columns there are without those at the end that Excel left empty."""
    width = len(first)
    while width > 1 and not first[width - 1] and not any(any(c[width - 1 :]) for c in others):
        width -= 1
    return width


def _cut_named(
    path: Path, cut: Callable[[int, str], list[str]], width: int, number: int, line: str
) -> list[str]:
    """Return the cells of the columns that have names, or say that there are more."""
    cells = cut(number, line)
    for cell in cells[width:]:
        if cell:
            raise file_error(
                path, number, f"the cell {shorten(cell)} has no heading. Give its column a name."
            )
    return cells[:width]


def _find_number_format(
    path: Path, delimiter: str, rows: Sequence[Sequence[str]], options: TableOptions
) -> NumberFormat:
    """Return how numbers are written, as the caller says or as the first rows show."""
    for name in ("decimal", "thousands"):
        value = getattr(options, name)
        if value is not None and (len(value) != 1 or value.isalnum() or value in "+-"):
            expected = "'.' or ','" if name == "decimal" else "one character such as ','"
            raise ValueError(f"The {name!r} option must be {expected}. Got {value!r} instead.")
    decimal, thousands = options.decimal, options.thousands or ""
    if decimal not in (None, ".", ","):
        raise ValueError(f"The 'decimal' option must be '.' or ','. Got {decimal!r} instead.")
    if decimal is None:
        # Between commas, a comma in quotes may also be one between groups of digits.
        is_comma = delimiter != "," and thousands != "," and _has_decimal_commas(path, rows)
        decimal = "," if is_comma else "."
    if thousands == decimal:
        raise ValueError(
            f"The 'decimal' and the 'thousands' option cannot both be {decimal!r}. Change one."
        )
    return NumberFormat(decimal, thousands) if decimal == "," or thousands else PLAIN


def _has_decimal_commas(path: Path, rows: Sequence[Sequence[str]]) -> bool:
    cells = [cell for row in rows for cell in row]
    commas = [cell for cell in cells if _DECIMAL_COMMA.fullmatch(cell)]
    if not commas:
        return False
    comma = next((cell for cell in commas if not _COMMA_OR_GROUPS.fullmatch(cell)), None)
    if comma is None:
        raise file_error(
            path,
            None,
            f"the comma in {shorten(commas[0])} may be a decimal comma or a sign between groups of "
            "digits. To say which, pass decimal=',' or thousands=','.",
        )
    for cell in cells:
        if _DECIMAL_POINT.fullmatch(cell) and not _POINTS_IN_GROUPS.fullmatch(cell):
            raise file_error(
                path,
                None,
                f"{shorten(comma)} has a decimal comma and {shorten(cell)} a decimal point. Pass "
                "decimal=',' or decimal='.' to say which one numbers have.",
            )
    return True


def _ends_with_delimiters(
    first: Sequence[str],
    others: Sequence[Sequence[str]],
    numbers: NumberFormat,
    header: bool | None,
) -> bool:
    """Return whether rows, unlike their heading, have a delimiter at the end."""
    width = len(first)
    return (
        header is not False
        and any(len(cells) == width + 1 for cells in others)
        and all(len(cells) in (width, width + 1) and not any(cells[width:]) for cells in others)
        and (header is True or not any(numbers.is_number(cell) for cell in first))
    )


def _lacks_heading(
    first: Sequence[str], others: Sequence[Sequence[str]], numbers: NumberFormat
) -> bool:
    """Return whether the first line names all columns but the first."""
    # One name over two cells may as well be one column of decimal commas.
    return (
        bool(others)
        and len(first) > 1
        and all(len(cells) == len(first) + 1 for cells in others)
        and not any(numbers.is_number(cell) for cell in first)
    )


def _sniff_delimiter(lines: Sequence[str]) -> str:
    counts = {}
    for delimiter in _DELIMITERS:
        split = _splitter(delimiter)
        try:
            counts[delimiter] = [len(split(line)) for line in lines]
        except csv.Error:
            counts[delimiter] = [1]
    fitting = [d for d, widths in counts.items() if widths[0] > 1 and len(set(widths)) == 1]
    if fitting:
        inner = [d for d in fitting[1:] if _have_decimal_commas(d, lines)]
        return inner[0] if fitting[0] == "," and inner else fitting[0]
    if counts[","][0] == 1 and _are_decimal_commas(lines[1:]):
        # One column, in which nothing separates cells.
        return ";"
    # No delimiter fits every line: take the one that cuts most, and let the odd row be named.
    best = max(counts, key=lambda delimiter: max(counts[delimiter]))
    return best if max(counts[best]) > 1 else ","


def _have_decimal_commas(delimiter: str, lines: Sequence[str]) -> bool:
    """Return whether commas are decimal signs in the cells between other delimiters."""
    split = _splitter(delimiter)
    with_commas = [cell for line in lines for cell in split(line) if "," in cell]
    are_decimal = [_DECIMAL_COMMA.fullmatch(cell) is not None for cell in with_commas]
    # Blanks may also be part of the text between commas.
    return all(are_decimal) if delimiter == WHITESPACE else any(are_decimal)


def _are_decimal_commas(lines: Sequence[str]) -> bool:
    """Return whether lines have one number each, some of them with a decimal comma."""
    cells = [line.strip() for line in lines]
    are_commas = [_DECIMAL_COMMA.fullmatch(cell) is not None for cell in cells]
    return any(are_commas) and all(
        is_comma or cell in MISSING or PLAIN.is_number(cell)
        for is_comma, cell in zip(are_commas, cells, strict=True)
    )


def looks_like_header(
    first: Sequence[str], rest: Sequence[Sequence[str]], format: NumberFormat
) -> bool:
    """Return whether the first row names the columns of those below it."""
    is_number = format.is_number
    numbers = [cell for cell in first if is_number(cell)]
    if not rest:
        return not numbers
    if _are_years(numbers):
        return _differ_clearly(first, rest, format)
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


def _are_years(numbers: Sequence[str]) -> bool:
    """Return whether numbers are years in a row, such as 2019, 2020, 2021, up or down."""
    if len(numbers) < _FEWEST_YEARS or not all(map(_YEAR.fullmatch, numbers)):
        return False
    steps = {int(b) - int(a) for a, b in itertools.pairwise(numbers)}
    return steps in ({1}, {-1})


def _differ_clearly(
    first: Sequence[str], rest: Sequence[Sequence[str]], format: NumberFormat
) -> bool:
    """Return whether years of the first row are far from all numbers below them."""
    n_years = n_values = 0
    for j, cell in enumerate(first):
        if not format.is_number(cell):
            continue
        below = [row[j] for row in rest if row[j] not in MISSING]
        if not all(map(format.is_number, below)):
            return False
        values = [format.parse(text) for text in below]
        if not values:
            continue
        span = max(values) - min(values) + 1.0
        if min(values) - span <= float(cell) <= max(values) + span:
            return False
        n_values += len(below)
        n_years += sum(_YEAR.fullmatch(text) is not None for text in below)
    # A few rows of other years are no evidence.
    return 2 * n_years < n_values


def warn_of_years(
    path: Path, first: Sequence[str], rest: Sequence[Sequence[str]], format: NumberFormat
) -> None:
    """Warn that years in the first row are read as data.

    Parameters
    ----------
    path : Path
        The file.
    first, rest : sequence
        The cells of the first row, and of those below it.
    format : NumberFormat
        How numbers are written.
    """
    years = [cell for cell in first if format.is_number(cell)]
    if rest and _are_years(years):
        warnings.warn(
            f"{path.name}: the first row has the years {years[0]} to {years[-1]} and is read as "
            "data, since numbers below are like them. Say whether it names the columns: "
            "header=True or header=False, --header or --no-header.",
            UserWarning,
            stacklevel=2,
        )


def header_names(path: Path, number: int, first: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns from the row of their headings."""
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


def _recognises(line: str) -> bool:
    return _OPEN.fullmatch(line) is None


READER = line_reader(
    "csv",
    (".csv", ".tsv"),
    _lay_out,
    recognises=_recognises,
    options=TABLE_OPTIONS
    | {"delimiter", "header", "numeric_columns", "decimal", "thousands", "dates"},
)
