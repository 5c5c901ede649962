"""Turn the cells of a table into feature columns and targets."""

from __future__ import annotations

import difflib
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from svmosaic.datasets.dataset import Dataset
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
    "FinishedColumn",
    "GuessedColumn",
    "NominalColumn",
    "NumericColumn",
    "Roles",
    "TableBuilder",
    "TableOptions",
    "assign_roles",
    "check_size",
    "feature_names",
    "find_column",
    "is_number",
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

DoubleArray = NDArray[np.float64]
IndexArray = NDArray[np.int64]
Triplets = tuple[IndexArray, IndexArray, DoubleArray]


@dataclass(frozen=True)
class TableOptions:
    """What the caller wants of a file; see `read_table`. A format has some of these options."""

    target: str | int | None = -1
    drop: Sequence[str | int] = ()
    nominal: Literal["onehot", "ordinal"] = "onehot"
    nominal_columns: Sequence[str | int] = ()
    numeric_columns: Sequence[str | int] = ()
    delimiter: str | None = None
    header: bool | None = None
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
    """Which columns are the target, left out, or names or numbers whatever they look like."""

    target: int | None
    dropped: frozenset[int]
    forced_nominal: frozenset[int]
    forced_numeric: frozenset[int] = frozenset()

    def is_feature(self, column: int) -> bool:
        """Whether the column is a feature."""
        return column != self.target and column not in self.dropped


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

    def missing_value(self, line: int) -> Exception:
        """Make the error for a cell without a value."""
        if self.is_target:
            reason = f"the target {shorten(self.name)} has no value. Fill it in or remove the line."
        else:
            reason = f"column {shorten(self.name)} has no value. Fill it in{self.gap_option}."
        return file_error(self.path, line, reason)

    def not_a_number(self, cell: str, line: int) -> Exception:
        """Make the error for a name in a column of numbers."""
        advice = "" if self.is_numeric else ", or list the column in nominal_columns"
        return file_error(
            self.path,
            line,
            f"column {shorten(self.name)} holds numbers, got {shorten(cell)}. Correct the cell"
            f"{advice}.",
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


class Column(Protocol):
    """A column that takes its cells batch by batch."""

    @property
    def n_values(self) -> int:
        """Return how many different names there are so far; 1 for numbers."""

    def add(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        """Take more cells, without blanks around them; `lines` are their line numbers."""

    def finish(self) -> FinishedColumn:
        """Return the column."""


def _parse_number(text: str) -> float:
    # float() also takes 1_000 and the digits of other scripts; a data file should have neither.
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return float(text)


def is_number(text: str) -> bool:
    """Whether a cell reads as a number, nan and inf included."""
    try:
        _parse_number(text)
    except ValueError:
        return False
    return True


class NumericColumn:
    """A column of real numbers."""

    n_values = 1

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self._parts: list[DoubleArray] = []

    def add(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        """Take more cells, in bulk when all of them are plain finite numbers."""
        try:
            values = np.fromiter(map(float, cells), np.float64, len(cells))
        except ValueError:
            values = None
        text = "".join(cells)
        if values is None or "_" in text or not text.isascii() or not np.isfinite(values).all():
            pairs = zip(cells, lines, strict=True)
            values = np.array([self.convert(cell, line) for cell, line in pairs])
        if self._cells.is_target:
            self._refuse_long_labels(values, cells, lines)
        self._parts.append(values)

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
            value = _parse_number(cell)
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


class GuessedColumn:
    """A column of numbers or of names, whichever most of its values are.

    All values have a say, so the order of the rows does not matter. Among numbers, a name is a slip
    of the pen and an error with its line, never a silent change of the whole column.
    """

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self._column: NumericColumn | NominalColumn | None = None
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

    def _decide(self, cells: Sequence[str], lines: Sequence[int]) -> NumericColumn | NominalColumn:
        """Choose by the first values, of which there are thousands; `finish` looks at all."""
        counts = Counter(cells)
        names = {c for c in counts if c not in self._cells.missing and not is_number(c)}
        n_names = sum(counts[name] for name in names)
        n_missing = sum(counts[cell] for cell in counts.keys() & self._cells.missing)
        if n_names:
            pairs = zip(cells, lines, strict=True)
            self._slip = next((cell, line) for cell, line in pairs if cell in names)
        is_numeric = 2 * n_names <= len(cells) - n_missing
        column = NumericColumn(self._cells) if is_numeric else NominalColumn(self._cells)
        if self._waiting:
            blank = next(iter(self._cells.missing))
            column.add([blank] * len(self._waiting), self._waiting)
        return column

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
            are_numbers = [is_number(name) for name in finished.categories]
            if 2 * counts[are_numbers].sum() >= counts.sum():
                raise self._cells.not_a_number(*self._slip)
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
        X, names = self._assemble(features)
        return Dataset(
            X=X,
            y=y,
            feature_names=names,
            target_names=target_names,
            sample_weight=sample_weight,
            name=table_name(self._path),
            description=description,
        )

    def _assemble(self, features: Sequence[FinishedColumn]) -> tuple[Any, tuple[str, ...]]:
        onehot = self._options.nominal == "onehot"
        names = tuple(name for column in features for name in feature_names(column, onehot))
        shape = (self._n_rows, len(names))
        if self._options.dense is False:
            return _sparse_features(features, shape, onehot), names
        return _dense_features(features, shape, onehot), names


def feature_names(column: FinishedColumn, onehot: bool) -> list[str]:
    """Return the names of the features that a column becomes."""
    if column.categories is None or not onehot:
        return [column.name]
    return [f"{column.name}={value}" for value in column.categories]


def _dense_features(
    features: Sequence[FinishedColumn], shape: tuple[int, int], onehot: bool
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


def assign_roles(names: Sequence[str], options: TableOptions, path: Path) -> Roles:
    """Find the target and the other columns that the caller named."""
    target = None if options.target is None else find_column(options.target, names, path)
    dropped = frozenset(find_column(key, names, path) for key in options.drop)
    forced = frozenset(find_column(key, names, path) for key in options.nominal_columns)
    numeric = frozenset(find_column(key, names, path) for key in options.numeric_columns)
    if both := forced & numeric:
        raise ValueError(
            f"The column {names[min(both)]!r} of {path.name} is in nominal_columns and in "
            "numeric_columns. Leave it out of one."
        )
    if target in dropped:
        raise ValueError(
            f"The target {options.target!r} of {path.name} is also in drop. Name another target, "
            "or pass target=None to read features only."
        )
    if len(names) - len(dropped) - (target is not None) == 0:
        raise file_error(
            path, None, "no feature columns are left. Check the delimiter, the target and drop."
        )
    return Roles(target, dropped, forced, numeric)


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
