"""Turn the cells of a table into feature columns and targets."""

from __future__ import annotations

import difflib
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.dates import (
    DateOrder,
    days_of_date,
    has_short_year,
    looks_like_date,
    looks_like_time,
)
from svmosaic.datasets.readers.numbers import PLAIN, NumberFormat, looks_like_number
from svmosaic.datasets.readers.text import (
    coding_limit,
    file_error,
    in_words,
    memory_limit,
    shorten,
    table_name,
)

__all__ = [
    "MAX_ATTRIBUTES",
    "MAX_NOMINAL_VALUES",
    "Cells",
    "Column",
    "DateColumn",
    "FinishedColumn",
    "GuessedColumn",
    "NominalColumn",
    "NumericColumn",
    "Roles",
    "TableBuilder",
    "TableOptions",
    "TextColumn",
    "assemble_table",
    "assign_roles",
    "check_size",
    "feature_names",
    "find_column",
    "is_number",
    "match_codes",
    "target_values",
    "to_csr",
    "to_dense",
    "triplets",
    "whole_if_integral",
]

MAX_ATTRIBUTES = 1_000_000
MAX_NOMINAL_VALUES = 100_000
# Rows are converted column by column in batches of about this many cells.
_BATCH_CELLS = 200_000
# A NumPy string array gives every element the room of the longest; longer names stay objects, and
# so do those of arrays that would be larger than this.
_LONGEST_ARRAY_STRING = 64
_LARGEST_STRING_ARRAY = 1 << 26
# Comparing a misspelt name with a million others would take minutes.
_MOST_COMPARED_NAMES = 10_000
# Doubles hold every whole number up to here.
_LARGEST_WHOLE = 2.0**53
# A value of a feature that is a whole number with zeros behind its point.
_WHOLE_WITH_ZEROS = re.compile(r"(=-?\d+)\.0+$", re.ASCII)
# A number with a decimal comma, or with commas between its groups of three digits.
_WITH_COMMA = re.compile(r"[+-]?\d*(,\d+)+(\.\d+)?", re.ASCII)

DoubleArray = NDArray[np.float64]
IndexArray = NDArray[np.int64]
Triplets = tuple[IndexArray, IndexArray, DoubleArray]


@dataclass(frozen=True)
class TableOptions:
    """What the caller wants of a file; see `read_table`. A format has some of these options."""

    target: str | int | None = -1
    drop: Sequence[str | int] = ()
    nominal: Literal["onehot", "ordinal"] = "onehot"
    # What a missing name is in its columns of 0 and 1.
    nominal_gaps: Literal["zeros", "nan"] = "zeros"
    nominal_columns: Sequence[str | int] = ()
    numeric_columns: Sequence[str | int] = ()
    delimiter: str | None = None
    header: bool | None = None
    id_column: str | int | None = None
    decimal: str | None = None
    thousands: str | None = None
    # The order of year, month and day in all columns of dates, or in those named.
    dates: DateOrder | Mapping[str, DateOrder] | None = None
    # Of text; None: UTF-8, or what a byte-order mark says.
    encoding: str | None = None
    n_features: int | None = None
    max_features: int | None = None
    allow_nan: bool = False
    dense: bool | None = None
    # Of the text and of each array; None: as much as `memory_limit` says.
    max_bytes: float | None = None
    # What else than correcting a cell without a number helps; empty where nothing does.
    gap_option: str = ", or pass allow_nan=True"


@dataclass(frozen=True)
class Roles:
    """Which columns are the target, ids, left out, or of a kind whatever they look like."""

    target: int | None
    dropped: frozenset[int]
    forced_nominal: frozenset[int]
    forced_numeric: frozenset[int] = frozenset()
    id_column: int | None = None
    forced_dates: Mapping[int, DateOrder] = field(default_factory=dict)

    def is_feature(self, column: int) -> bool:
        """Whether the column is a feature."""
        return column not in (self.target, self.id_column) and column not in self.dropped

    def without_ids(self) -> Roles:
        """Return the same with the ids left out, for what has samples and labels only."""
        ids = frozenset[int]() if self.id_column is None else frozenset({self.id_column})
        return replace(self, dropped=self.dropped | ids, id_column=None)


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
        for j in np.flatnonzero(np.abs(values) >= _LARGEST_WHOLE).tolist():
            if cells[j].lstrip("+-").isdecimal():
                raise file_error(
                    self._cells.path,
                    lines[j],
                    f"the target {shorten(cells[j])} is a whole number of 2^53 or more, which "
                    "cannot be told from its neighbours. List the column in nominal_columns to "
                    "read it as a name.",
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


class GuessedColumn:
    """A column of numbers or of names, whichever most of its values are.

    All values have a say, so the order of the rows does not matter. Among numbers, a name is a slip
    of the pen and an error with its line, never a silent change of the whole column.
    """

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self._column: NumericColumn | NominalColumn | DateColumn | None = None
        self._waiting: list[int] = []  # lines of the missing cells before the first value
        self._slip: tuple[str, int] | None = None  # the first name, and its line

    @property
    def n_values(self) -> int:
        """The number of names, or 1."""
        return 1 if self._column is None else self._column.n_values

    def add(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        """Take more cells."""
        if self._column is None:
            if all(cell in self._cells.missing for cell in cells):
                if not self._cells.allow_nan:
                    raise self._cells.missing_value(lines[0])
                self._waiting.extend(lines)
                return
            self._column = self._decide(cells, lines)
        self._column.add(cells, lines)

    def _decide(
        self, cells: Sequence[str], lines: Sequence[int]
    ) -> NumericColumn | NominalColumn | DateColumn:
        """Choose by the first values, of which there are thousands; `finish` looks at all."""
        counts, is_number = Counter(cells), self._cells.numbers.is_number
        names = {c for c in counts if c not in self._cells.missing and not is_number(c)}
        n_names = sum(counts[name] for name in names)
        n_missing = sum(counts[cell] for cell in counts.keys() & self._cells.missing)
        if n_names:
            pairs = zip(cells, lines, strict=True)
            self._slip = next((cell, line) for cell, line in pairs if cell in names)
        is_numeric = 2 * n_names <= len(cells) - n_missing
        if not is_numeric:
            self._refuse_written_numbers({name: counts[name] for name in names}, cells, lines)
        if is_numeric:
            column: NumericColumn | NominalColumn | DateColumn = NumericColumn(self._cells)
        elif dates := self._most(looks_like_date, names, counts):
            if self._cells.dates is None or has_short_year(dates[0]):
                raise self._cells.holds_dates(dates[0])
            column = DateColumn(self._cells, self._cells.dates)
        elif times := self._most(looks_like_time, names, counts):
            raise self._cells.holds_times(times[0])
        else:
            column = NominalColumn(self._cells)
        if self._waiting:
            blank = next(iter(self._cells.missing))
            column.add([blank] * len(self._waiting), self._waiting)
        return column

    def _most(
        self, is_kind: Callable[[str], bool], names: Collection[str], counts: Mapping[str, int]
    ) -> list[str]:
        """Return the names of a kind in order if at least half of all are; none of a target."""
        if self._cells.is_target:
            return []
        found = sorted(filter(is_kind, names))
        is_most = 2 * sum(counts[name] for name in found) >= sum(counts[name] for name in names)
        return found if is_most else []

    def _refuse_written_numbers(
        self, names: Mapping[str, int], cells: Sequence[str] = (), lines: Sequence[int] = ()
    ) -> None:
        """Refuse a column most of whose names, given with their counts, are numbers to a reader."""
        written = {name for name in names if looks_like_number(name)}
        if written and 2 * sum(names[name] for name in written) >= sum(names.values()):
            pairs = zip(cells, lines, strict=True)
            first = next(((cell, line) for cell, line in pairs if cell in written), None)
            raise self._cells.not_a_number(*(first or (min(written), None)))

    def finish(self) -> FinishedColumn:
        """Return the column; one without any value is all nan."""
        if self._column is None:
            return FinishedColumn(self._cells.name, np.full(len(self._waiting), np.nan))
        finished = self._column.finish()
        if finished.categories is not None and self._slip is not None:
            counts = np.bincount(
                finished.values[finished.values >= 0].astype(np.int64),
                minlength=len(finished.categories),
            )
            are_numbers = [self._cells.numbers.is_number(name) for name in finished.categories]
            if 2 * counts[are_numbers].sum() >= counts.sum():
                raise self._cells.not_a_number(*self._slip)
            known = zip(finished.categories, counts.tolist(), are_numbers, strict=True)
            self._refuse_written_numbers({name: n for name, n, is_one in known if not is_one})
        return finished


class TableBuilder:
    """Collects the rows of a dense table and makes the data set of them.

    Parameters
    ----------
    path : Path
        The file, for error messages.
    columns : sequence of Column or None
        One for each cell of a row; None leaves the cell out.
    roles : Roles
        Which column is the target.
    options : TableOptions
        How to code and store the features.
    """

    def __init__(
        self, path: Path, columns: Sequence[Column | None], roles: Roles, options: TableOptions
    ) -> None:
        self._path = path
        self._columns = columns
        self._roles = roles
        self._options = options
        self._rows: list[list[str]] = []
        self._lines: list[int] = []
        self._n_rows = 0

    def add_row(self, cells: list[str], line: int) -> None:
        """Take the next row."""
        if len(cells) != len(self._columns):
            raise file_error(
                self._path,
                line,
                f"the row has {len(cells)} cells; expected {len(self._columns)}. "
                "Correct the row or the delimiter.",
            )
        self._rows.append(cells)
        self._lines.append(line)
        if len(self._rows) * len(cells) >= _BATCH_CELLS:
            self._flush()

    def _flush(self) -> None:
        if not self._rows:
            return
        for column, cells in zip(self._columns, zip(*self._rows, strict=True), strict=True):
            if column is not None:
                column.add(cells, self._lines)
        self._n_rows += len(self._rows)
        self._rows.clear()
        self._lines.clear()
        self._check_memory()

    def _check_memory(self) -> None:
        """Refuse more rows, or more names in them, than fit."""
        parsed = 8 * self._n_rows * sum(column is not None for column in self._columns)
        most = memory_limit(self._options.max_bytes)
        if parsed > most:
            raise file_error(
                self._path,
                None,
                f"the first {self._n_rows} rows need {in_words(parsed)}; the limit is "
                f"{in_words(most)}. Drop columns, or raise max_bytes.",
            )
        if self._options.dense is not False:
            onehot = self._options.nominal == "onehot"
            widths = {
                j: column.n_values if onehot else 1
                for j, column in enumerate(self._columns)
                if column is not None and self._roles.is_feature(j)
            }
            n_names, widest = max(((n, j) for j, n in widths.items()), default=(0, 0))
            other = f"drop column {widest} with its {n_names} names, " if n_names > 1 else ""
            most = coding_limit(self._options.max_bytes, parsed)
            check_size(self._path, (self._n_rows, sum(widths.values())), most, other)

    def finish(
        self, last_line: int, *, sample_weight: DoubleArray | None = None, description: str = ""
    ) -> Dataset:
        """Return the data set; `last_line` is named when the table has no rows."""
        self._flush()
        if self._n_rows == 0:
            raise file_error(self._path, last_line, "the table has no rows. Check the file.")
        features = [
            column.finish()
            for j, column in enumerate(self._columns)
            if column is not None and self._roles.is_feature(j)
        ]
        target = None if self._roles.target is None else self._columns[self._roles.target]
        y, target_names = (None, None) if target is None else target_values(target.finish())
        X, names = assemble_table(features, self._n_rows, self._options)
        ids = None if self._roles.id_column is None else self._columns[self._roles.id_column]
        return Dataset(
            X=X,
            y=y,
            feature_names=names,
            target_names=target_names,
            sample_weight=sample_weight,
            name=table_name(self._path),
            description=description,
            ids=np.array(ids.texts, dtype=object) if isinstance(ids, TextColumn) else None,
            date_columns=tuple(column.name for column in features if column.is_date),
        )


def assemble_table(
    features: Sequence[FinishedColumn], n_rows: int, options: TableOptions
) -> tuple[Any, tuple[str, ...]]:
    """Return the matrix of some columns, and the names of its features."""
    onehot = options.nominal == "onehot"
    names = tuple(name for column in features for name in feature_names(column, onehot))
    shape = (n_rows, len(names))
    if options.dense is False:
        return _sparse_features(features, shape, onehot), names
    return _dense_features(features, shape, onehot, options.nominal_gaps == "nan"), names


def feature_names(column: FinishedColumn, onehot: bool) -> list[str]:
    """Return the names of the features that a column becomes."""
    if column.categories is None or not onehot:
        return [column.name]
    return [f"{column.name}={value}" for value in column.categories]


def match_codes(names: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Return names of features as a model has them, where codes are written in another way.

    A column of codes that is read as names may have ``1`` in a file of text and ``1.0`` where it
    was kept as a number: both are the same name. ``01`` is another.

    Parameters
    ----------
    names : sequence of str
        The features of a file.
    wanted : sequence of str
        The features of a model.
    """
    known, present = set(wanted), set(names)
    by_code = {_without_zeros(name): name for name in wanted if "=" in name}

    def match(name: str) -> str:
        if name in known or "=" not in name:
            return name
        found = by_code.get(_without_zeros(name))
        return name if found is None or found in present else found

    return [match(name) for name in names]


def _without_zeros(name: str) -> str:
    """Return ``code=1`` for ``code=1.0``."""
    return _WHOLE_WITH_ZEROS.sub(r"\1", name)


def _dense_features(
    features: Sequence[FinishedColumn], shape: tuple[int, int], onehot: bool, names_as_nan: bool
) -> DoubleArray:
    X = np.zeros(shape)
    at = 0
    for column in features:
        if column.categories is None:
            X[:, at] = column.values
            at += 1
        elif onehot:
            rows = np.flatnonzero(column.values >= 0)
            X[rows, at + column.values[rows].astype(np.int64)] = 1.0
            if names_as_nan and rows.size < shape[0]:
                X[column.values < 0, at : at + len(column.categories)] = np.nan
            at += len(column.categories)
        else:
            X[:, at] = np.where(column.values < 0, np.nan, column.values)
            at += 1
    return X


def _sparse_features(
    features: Sequence[FinishedColumn], shape: tuple[int, int], onehot: bool
) -> Any:
    parts = []
    at = 0
    for column in features:
        parts.append(triplets(column, at, onehot))
        at += 1 if column.categories is None or not onehot else len(column.categories)
    return to_csr(parts, shape)


def triplets(column: FinishedColumn, at: int, onehot: bool) -> Triplets:
    """Return the non-zero values of a column whose first feature has the number `at`."""
    if column.categories is not None and onehot:
        rows = np.flatnonzero(column.values >= 0)
        return rows, at + column.values[rows].astype(np.int64), np.ones(rows.size)
    numbers = column.values.astype(np.float64)
    if column.categories is not None:
        numbers[numbers < 0] = np.nan
    rows = np.flatnonzero(numbers)
    return rows, np.full(rows.size, at), numbers[rows]


def to_csr(parts: Sequence[Triplets], shape: tuple[int, int]) -> Any:
    """Join triplets of rows, columns and values into a ``csr_array``."""
    rows, columns, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    return scipy.sparse.csr_array(scipy.sparse.coo_array((values, (rows, columns)), shape=shape))


def target_values(column: FinishedColumn) -> tuple[NDArray[Any], tuple[str, ...] | None]:
    """Return the targets and, when they are names, the names in order."""
    if column.categories is None:
        return whole_if_integral(column.values), None
    longest = max(map(len, column.categories))
    size = 4 * longest * len(column.values)
    is_long = longest > _LONGEST_ARRAY_STRING or size > _LARGEST_STRING_ARRAY
    names = np.array(column.categories, dtype=object if is_long else str)
    return names[column.values.astype(np.int64)], column.categories


def whole_if_integral(values: NDArray[Any]) -> NDArray[Any]:
    """Return int64 when every value is a whole number that a double holds, else the values."""
    if np.all(np.abs(values) <= _LARGEST_WHOLE) and np.all(values == np.floor(values)):
        return values.astype(np.int64)
    return values


def check_size(
    path: Path, shape: tuple[int, int], max_bytes: float | None, advice: str = ""
) -> None:
    """Refuse a dense array that would not fit, before it is made.

    Parameters
    ----------
    path : Path
        The file, for the message.
    shape : tuple of int
        Rows and columns of the array.
    max_bytes : float or None
        The most that it may take; None: `memory_limit`.
    advice : str, default=""
        What else helps, with a comma behind it.
    """
    needed, most = shape[0] * shape[1] * 8, memory_limit(max_bytes)
    if needed > most:
        raise file_error(
            path,
            None,
            f"a dense array of {shape[0]} x {shape[1]} needs {in_words(needed)}; the limit is "
            f"{in_words(most)}. Pass dense=False for a sparse matrix, {advice}or raise max_bytes.",
        )


def to_dense(X: Any, path: Path, max_bytes: float | None = None) -> DoubleArray:
    """Return a sparse matrix as an ndarray, after a look at its size."""
    check_size(path, X.shape, max_bytes)
    dense: DoubleArray = X.toarray()
    return dense


def assign_roles(
    names: Sequence[str], options: TableOptions, path: Path, *, row_names: bool = False
) -> Roles:
    """Find the target and the other columns that the caller named.

    With `row_names`, the first column identifies the rows if the caller said nothing of it.
    """
    # A model with many columns names all of them.
    place = {name: j for j, name in enumerate(names)}

    def find_all(keys: Iterable[str | int]) -> frozenset[int]:
        return frozenset(
            place[key] if key in place else find_column(key, names, path) for key in keys
        )

    def find(key: str | int | None) -> int | None:
        return None if key is None else find_column(key, names, path)

    target, ids = find(options.target), find(options.id_column)
    dropped = find_all(options.drop)
    forced, numeric = find_all(options.nominal_columns), find_all(options.numeric_columns)
    dates: dict[int, DateOrder] = {}
    if isinstance(options.dates, Mapping):
        dates = {find_column(key, names, path): order for key, order in options.dates.items()}
    if both := forced & numeric:
        raise ValueError(
            f"The column {names[min(both)]!r} of {path.name} is in nominal_columns and in "
            "numeric_columns. Leave it out of one."
        )
    if target is not None and target in dropped:
        raise ValueError(
            f"The target {names[target]!r} of {path.name} is also in drop. Name another target, "
            "or pass target=None to read features only."
        )
    if ids is not None and ids == target:
        raise ValueError(
            f"The column {names[ids]!r} of {path.name} cannot be both target and id_column. Name "
            "another target."
        )
    if row_names and 0 not in {target, ids, *dropped, *forced, *numeric, *dates}:
        ids, dropped = (0, dropped) if ids is None else (ids, dropped | {0})
    # What identifies the rows may be dropped as well: it is no feature.
    dropped -= {ids}
    if len(names) - len(dropped) - (target is not None) - (ids is not None) == 0:
        raise file_error(
            path, None, "no feature columns are left. Check the delimiter, the target and drop."
        )
    return Roles(target, dropped, forced, numeric, ids, dates)


def find_column(key: str | int, names: Sequence[str], path: Path) -> int:
    """Return the number of a column, from 0, by its name or by its number."""
    if isinstance(key, str):
        if key in names:
            return names.index(key)
        close = difflib.get_close_matches(key, names[:_MOST_COMPARED_NAMES], n=1)
        hint = f"Did you mean {close[0]!r}?" if close else f"Its first column is {names[0]!r}."
        raise ValueError(f"{path.name} has no column {key!r}. {hint}")
    if not -len(names) <= key < len(names):
        raise ValueError(
            f"{path.name} has {len(names)} columns; got column {key}. Count from 0, or from -1 "
            "at the end."
        )
    return key % len(names)
