"""The kinds of columns: numbers, names, dates and text, each from the cells of a table."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from svmosaic.datasets.readers.dates import DateOrder, days_of_date, has_short_year
from svmosaic.datasets.readers.numbers import LARGEST_WHOLE, PLAIN, NumberFormat
from svmosaic.datasets.readers.text import file_error, shorten

__all__ = [
    "MAX_ATTRIBUTES",
    "MAX_NOMINAL_VALUES",
    "Cells",
    "Column",
    "DateColumn",
    "DoubleArray",
    "FinishedColumn",
    "IndexArray",
    "NominalColumn",
    "NumericColumn",
    "TextColumn",
    "is_number",
]

MAX_ATTRIBUTES = 1_000_000
MAX_NOMINAL_VALUES = 100_000
# A number with a decimal comma, or with commas between its groups of three digits.
_WITH_COMMA = re.compile(r"[+-]?\d*(,\d+)+(\.\d+)?", re.ASCII)
DoubleArray = NDArray[np.float64]
IndexArray = NDArray[np.int64]


@dataclass(frozen=True)
class Cells:
    """What a column needs to know to read its cells and to name itself in errors."""

    path: Path
    name: str
    missing: frozenset[str]
    allow_nan: bool
    is_target: bool
    gap_option: str
    # Known to hold numbers, whatever its cells look like.
    is_numeric: bool = False
    numbers: NumberFormat = PLAIN
    # How dates are written that become numbers; None: dates are refused.
    dates: DateOrder | None = None

    def missing_value(self, line: int) -> Exception:
        """Make the error for a cell without a value."""
        if self.is_target:
            reason = f"the target {shorten(self.name)} has no value. Fill it in or remove the line."
        else:
            reason = f"column {shorten(self.name)} has no value. Fill it in{self.gap_option}."
        return file_error(self.path, line, reason)

    def not_a_number(self, cell: str, line: int | None) -> Exception:
        """Make the error for a name in a column of numbers."""
        advice = "" if self.is_numeric else ", or list the column in nominal_columns"
        if self.numbers.is_plain and _WITH_COMMA.fullmatch(cell):
            advice += ", or pass decimal=',' or thousands=','"
        elif self.numbers.decimal == "," and PLAIN.is_number(cell):
            advice += ", or pass decimal='.'"
        return file_error(
            self.path,
            line,
            f"column {shorten(self.name)} holds numbers, got {shorten(cell)}. Correct the cell"
            f"{advice}.",
        )

    def holds_times(self, cell: str) -> Exception:
        """Make the error for a column of times of day."""
        return file_error(
            self.path,
            None,
            f"column {shorten(self.name)} holds times such as {shorten(cell)}, which are not read "
            "as numbers. Write them as numbers, for example of minutes; or list the column in "
            "drop, or in nominal_columns.",
        )

    def holds_dates(self, cell: str) -> Exception:
        """Make the error for a column of dates."""
        if has_short_year(cell):
            return file_error(
                self.path,
                None,
                f"column {shorten(self.name)} holds dates such as {shorten(cell)}, whose years "
                "have two digits. Write four, and pass dates; or list the column in drop, or in "
                "nominal_columns.",
            )
        return file_error(
            self.path,
            None,
            f"column {shorten(self.name)} holds dates such as {shorten(cell)}. Pass dates='ymd', "
            "'dmy' or 'mdy', the order of year, month and day, to read them as days; or list the "
            "column in drop, or in nominal_columns.",
        )


@dataclass(frozen=True)
class FinishedColumn:
    """A column read to its end.

    `values` are numbers when `categories` is None; otherwise they are positions in
    `categories`, with -1 for a missing value.
    """

    name: str
    values: DoubleArray | IndexArray
    categories: tuple[str, ...] | None = None
    is_date: bool = False


class Column(Protocol):
    """A column that takes its cells batch by batch."""

    @property
    def n_values(self) -> int:
        """Return how many different names there are so far; 1 for numbers."""

    def add(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        """Take more cells, without blanks around them; `lines` are their line numbers."""

    def finish(self) -> FinishedColumn:
        """Return the column."""


def is_number(text: str) -> bool:
    """Whether a cell reads as a plain number, nan and inf included."""
    return PLAIN.is_number(text)


class NumericColumn:
    """A column of real numbers."""

    n_values = 1

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self._parts: list[DoubleArray] = []

    def add(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        """Take more cells, in bulk when all of them are plain finite numbers."""
        plain = self._cells.numbers.to_plain(cells)
        values = None if plain is None else self._convert_plain(plain)
        if values is None:
            pairs = zip(cells, lines, strict=True)
            values = np.array([self.convert(cell, line) for cell, line in pairs])
        if self._cells.is_target:
            self._refuse_long_labels(values, cells, lines)
        self._parts.append(values)

    def _convert_plain(self, cells: Sequence[str]) -> DoubleArray | None:
        """Return finite numbers as Python writes them, or None if there is anything else."""
        try:
            values = np.fromiter(map(float, cells), np.float64, len(cells))
        except ValueError:
            return None
        text = "".join(cells)
        is_plain = "_" not in text and text.isascii() and np.isfinite(values).all()
        return values if is_plain else None

    def _refuse_long_labels(
        self, values: DoubleArray, cells: Sequence[str], lines: Sequence[int]
    ) -> None:
        """Refuse whole numbers, such as ids, that would become one and the same label."""
        for j in np.flatnonzero(np.abs(values) >= LARGEST_WHOLE).tolist():
            if cells[j].lstrip("+-").isdecimal():
                raise file_error(
                    self._cells.path,
                    lines[j],
                    f"the target {shorten(cells[j])} is a whole number of 2^53 or more, which "
                    "cannot be distinguished from its neighbours. List the column in "
                    "nominal_columns to read it as a name.",
                )

    def convert(self, cell: str, line: int) -> float:
        """Return the number in one cell, or raise the error that names it."""
        about = self._cells
        if cell in about.missing:
            if not about.allow_nan:
                raise about.missing_value(line)
            return math.nan
        try:
            value = about.numbers.parse(cell)
        except ValueError:
            raise about.not_a_number(cell, line) from None
        if not about.allow_nan and not math.isfinite(value):
            advice = "Correct the cell." if about.is_target else f"Correct it{about.gap_option}."
            raise file_error(
                about.path,
                line,
                f"the value {shorten(cell)} of column {shorten(about.name)} is not finite. "
                + advice,
            )
        return value

    def finish(self) -> FinishedColumn:
        """Return the numbers."""
        return FinishedColumn(self._cells.name, np.concatenate(self._parts))


class NominalColumn:
    """A column of names.

    Parameters
    ----------
    cells : Cells
        What to call the column and which cells are missing.
    declared : sequence of str, default=None
        The names allowed, in order. By default every name is, and they are sorted at the end so
        that the coding does not depend on the order of the rows.
    """

    def __init__(self, cells: Cells, declared: Sequence[str] | None = None) -> None:
        self._cells = cells
        self._is_open = declared is None
        self._codes = {value: code for code, value in enumerate(declared or ())}
        self._parts: list[IndexArray] = []

    @property
    def n_values(self) -> int:
        """The number of names."""
        return len(self._codes)

    def add(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        """Take more cells."""
        get = self._codes.get
        # -2 marks what the table does not know yet: a new, a missing or a wrong name.
        codes = [get(cell, -2) for cell in cells]
        if -2 in codes:
            pairs = zip(cells, lines, strict=True)
            codes = [self.convert(cell, line) for cell, line in pairs]
        self._parts.append(np.array(codes, dtype=np.int64))

    def convert(self, cell: str, line: int) -> int:
        """Return the code of one cell, -1 when missing, or raise the error that names it."""
        about = self._cells
        code = self._codes.get(cell)
        if code is not None:
            return code
        if cell in about.missing:
            if not about.allow_nan:
                raise about.missing_value(line)
            return -1
        if not self._is_open:
            raise file_error(
                about.path,
                line,
                f"{shorten(cell)} is not a declared value of column {shorten(about.name)}. "
                "Correct the cell or add the value to the declaration.",
            )
        if len(self._codes) >= MAX_NOMINAL_VALUES:
            raise file_error(
                about.path,
                line,
                f"column {shorten(about.name)} has more than {MAX_NOMINAL_VALUES} different "
                "values. Drop the column if it only identifies the rows.",
            )
        return self._codes.setdefault(cell, len(self._codes))

    def finish(self) -> FinishedColumn:
        """Return the codes and their names."""
        return self.name_codes(np.concatenate(self._parts))

    def name_codes(self, codes: IndexArray) -> FinishedColumn:
        """Return the column for codes that `convert` gave."""
        names = tuple(self._codes)
        if self._is_open and names:
            order = sorted(range(len(names)), key=names.__getitem__)
            rank = np.empty(len(names), dtype=np.int64)
            rank[order] = np.arange(len(names))
            codes = np.where(codes < 0, -1, rank[codes])
            names = tuple(names[i] for i in order)
        return FinishedColumn(self._cells.name, codes, names)


class DateColumn:
    """A column of dates, which become numbers of days.

    Parameters
    ----------
    cells : Cells
        What to call the column and which cells are missing.
    order : {"ymd", "dmy", "mdy"}
        How dates are written.
    """

    n_values = 1

    def __init__(self, cells: Cells, order: DateOrder) -> None:
        self._cells = cells
        self._order: DateOrder = order
        self._parts: list[DoubleArray] = []

    def add(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        """Take more cells."""
        pairs = zip(cells, lines, strict=True)
        self._parts.append(np.array([self.convert(cell, line) for cell, line in pairs]))

    def convert(self, cell: str, line: int) -> float:
        """Return the days of one cell, or raise the error that names it."""
        about = self._cells
        if cell in about.missing:
            if not about.allow_nan:
                raise about.missing_value(line)
            return math.nan
        try:
            return days_of_date(cell, self._order)
        except (ValueError, OverflowError):
            raise file_error(
                about.path,
                line,
                f"column {shorten(about.name)} holds dates in the order {self._order}, got "
                f"{shorten(cell)}. Correct the cell, or pass another order as dates.",
            ) from None

    def finish(self) -> FinishedColumn:
        """Return the days since 1970."""
        return FinishedColumn(self._cells.name, np.concatenate(self._parts), is_date=True)


class TextColumn:
    """A column that is kept as it is: the ids of the rows."""

    n_values = 1

    def __init__(self) -> None:
        self.texts: list[str] = []

    def add(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        """Take more cells."""
        self.texts += cells

    def finish(self) -> FinishedColumn:
        """Ids are no feature."""
        raise TypeError("A column of ids has no numbers.")
