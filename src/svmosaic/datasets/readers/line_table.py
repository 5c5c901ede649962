"""Text tables with one sample a line: what a format must say of them, and all that follows."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.column_roles import Roles, assign_roles
from svmosaic.datasets.readers.columns import (
    Cells,
    Column,
    DateColumn,
    NominalColumn,
    NumericColumn,
    TextColumn,
)
from svmosaic.datasets.readers.dates import (
    DateOrder,
    has_short_year,
    looks_like_date,
    looks_like_time,
)
from svmosaic.datasets.readers.guessed_column import GuessedColumn
from svmosaic.datasets.readers.numbers import PLAIN, NumberFormat, looks_like_number
from svmosaic.datasets.readers.reader import TABLE_OPTIONS, ColumnNames, Reader, no_line
from svmosaic.datasets.readers.row_source import NumberedRow, Samples
from svmosaic.datasets.readers.table_builder import TableBuilder
from svmosaic.datasets.readers.table_options import TableOptions
from svmosaic.datasets.readers.text import file_error, iter_blocks, shorten

__all__ = ["MISSING", "LayOut", "LineTable", "line_reader", "make_columns"]

# As spreadsheets, databases, R and pandas write a cell without a value.
MISSING = frozenset({"", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "null", "NULL", "None"})
_SAMPLE_LINES = 20


@dataclass(frozen=True)
class LineTable:
    """How a text table with one sample a line is written.

    Attributes
    ----------
    names : tuple of str
        The names of its columns.
    cut : callable
        ``cut(number, line)`` returns the cells of a line, one for each column, without blanks
        around them. The number of the line is for errors.
    n_head_lines : int
        How many of the lines that are not blank come before the first sample.
    missing : frozenset of str
        What a cell without a value looks like.
    numbers : NumberFormat
        How numbers are written.
    delimiter : str or None
        What separates the cells; None: the format leaves no choice of it and of the numbers.
    row_names : bool
        Whether the first column has no heading, and so names the rows. It is then no feature,
        unless the caller says so.
    header : bool or None
        Whether the first line names the columns; None: the format leaves no choice.
    """

    names: tuple[str, ...]
    cut: Callable[[int, str], list[str]]
    n_head_lines: int = 0
    missing: frozenset[str] = MISSING
    numbers: NumberFormat = PLAIN
    delimiter: str | None = None
    row_names: bool = False
    header: bool | None = None


# From a path, its first lines that are not blank and the options to the table.
LayOut = Callable[[Path, Sequence[NumberedRow], TableOptions], LineTable]


def line_reader(
    name: str,
    extensions: tuple[str, ...],
    lay_out: LayOut,
    *,
    recognises: Callable[[str], bool] = no_line,
    options: frozenset[str] = TABLE_OPTIONS,
) -> Reader:
    r"""Make the reader of a text format with one sample a line.

    Columns, targets, names among the values, missing values, limits, bags, several targets and
    streams then work as they do for CSV.

    Parameters
    ----------
    name : str
        What to call the format.
    extensions : tuple of str
        Extensions of its files, with the point.
    lay_out : callable
        ``lay_out(path, lines, options)`` returns the `LineTable` of a file. It gets the first lines
        that are not blank, at most 20, as pairs of line number and text. A function of a module,
        not one inside a function, so that streams can be pickled.
    recognises : callable, default=no_line
        ``recognises(line)`` says whether a line can only be of this format.
    options : frozenset of str, default=TABLE_OPTIONS
        The options of `read_table` that the format has.

    Returns
    -------
    Reader
        For `register_reader`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmosaic.datasets import LineTable, line_reader
    >>> from svmosaic.datasets.readers.table_options import TableOptions
    >>> def lay_out(path, lines, options):
    ...     # Cells of three characters under names of three characters.
    ...     cut = lambda number, line: [line[i : i + 3].strip() for i in range(0, len(line), 3)]
    ...     return LineTable(tuple(cut(*lines[0])), cut, n_head_lines=1)
    >>> reader = line_reader("fixed", (".fix",), lay_out)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.fix")
    ...     _ = path.write_text("len  y\n1.5 no\n  2yes\n")
    ...     data = reader.read(path, TableOptions())
    >>> data.X.tolist(), data.y.tolist()
    ([[1.5], [2.0]], ['no', 'yes'])
    """
    return Reader(
        name=name,
        extensions=extensions,
        read=partial(_read, lay_out),
        recognises=recognises,
        options=options,
        columns=partial(_columns, lay_out),
        rows=partial(LineRows, lay_out),
        cells=partial(_cells, lay_out),
    )


def _filled_lines(path: Path, options: TableOptions) -> Iterator[NumberedRow]:
    """Yield the lines that are not blank, with their numbers."""
    for block in iter_blocks(path, options.max_bytes, encoding=options.encoding):
        for number, line in enumerate(block.lines, block.first):
            if line and not line.isspace():
                yield number, line


def _open(lay_out: LayOut, path: Path, options: TableOptions) -> tuple[LineTable, int]:
    """Return the table, and the number of the last line that was looked at."""
    sample = list(itertools.islice(_filled_lines(path, options), _SAMPLE_LINES))
    if not sample:
        raise file_error(path, 1, "the file is empty. Check the path.")
    return lay_out(path, sample, options), sample[-1][0]


def _columns(lay_out: LayOut, path: Path, options: TableOptions) -> ColumnNames:
    table, _ = _open(lay_out, path, options)
    numbers = None if table.delimiter is None else table.numbers
    return ColumnNames(
        table.names,
        delimiter=table.delimiter,
        numbers=numbers,
        row_names=table.row_names,
        header=table.header,
        missing=table.missing,
    )


def _read(lay_out: LayOut, path: Path, options: TableOptions) -> Dataset:
    table, number = _open(lay_out, path, options)
    roles = assign_roles(table.names, options, path, row_names=table.row_names)
    columns = make_columns(path, table.names, roles, options, table.missing, table.numbers)
    builder = TableBuilder(path, columns, roles, options)
    for number, cells in _table_rows(table, path, options):
        builder.add_row(cells, number)
    return builder.finish(number)


def _cells(lay_out: LayOut, path: Path, options: TableOptions) -> Iterator[tuple[int, list[str]]]:
    return _table_rows(_open(lay_out, path, options)[0], path, options)


def _table_rows(
    table: LineTable, path: Path, options: TableOptions
) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of the samples, with the numbers of their lines."""
    lines = itertools.islice(_filled_lines(path, options), table.n_head_lines, None)
    # Spreadsheets end some files with rows that have delimiters and nothing else.
    empty: list[tuple[int, list[str]]] = []
    for number, line in lines:
        cells = table.cut(number, line)
        if len(cells) > 1 and not any(cells):
            empty.append((number, cells))
            continue
        yield from empty
        empty.clear()
        yield number, cells


def make_columns(
    path: Path,
    names: Sequence[str],
    roles: Roles,
    options: TableOptions,
    missing: frozenset[str] = MISSING,
    numbers: NumberFormat = PLAIN,
) -> list[Column | None]:
    """Return what collects the cells of each column; None for those that are left out.

    Parameters
    ----------
    path : Path
        The file, for error messages.
    names : sequence of str
        The names of the columns.
    roles : Roles
        Which of them are the target, ids, or of a known kind.
    options : TableOptions
        Whether values may be missing, and how dates are written.
    missing : frozenset of str, default=MISSING
        What a cell without a value looks like.
    numbers : NumberFormat, default=PLAIN
        How numbers are written.
    """
    order = options.dates if isinstance(options.dates, str) else None

    def make(j: int, name: str) -> Column | None:
        if j in roles.dropped:
            return None
        if j == roles.id_column:
            return TextColumn()
        is_target, is_numeric = j == roles.target, j in roles.forced_numeric
        allow_nan, option = options.allow_nan and not is_target, options.gap_option
        cells = Cells(path, name, missing, allow_nan, is_target, option, is_numeric, numbers, order)
        if j in roles.forced_dates:
            return DateColumn(cells, roles.forced_dates[j])
        if j in roles.forced_nominal:
            return NominalColumn(cells)
        return NumericColumn(cells) if is_numeric else GuessedColumn(cells)

    return [make(j, name) for j, name in enumerate(names)]


class LineRows:
    """A text table as a source of rows.

    Parameters
    ----------
    lay_out : callable
        What makes the `LineTable` of a file.
    path : Path
        The file, plain or gzip'd.
    options : TableOptions
        Target, kinds of columns, dates, and columns to leave out.
    """

    def __init__(self, lay_out: LayOut, path: Path, options: TableOptions) -> None:
        self.path = path
        self._lay_out = lay_out
        self._options = options
        self._roles = assign_roles(
            self._table.names, options, path, row_names=self._table.row_names
        ).without_ids()
        first = next(self.rows(), None)
        if first is None:
            raise file_error(path, self._last_line, "the table has no rows. Check the file.")
        self._dates: dict[int, DateOrder] = dict(self._roles.forced_dates)
        self._is_nominal = self._find_nominal(first)
        self._found = {
            j: NominalColumn(self._cells(j)) for j, nominal in self._is_nominal.items() if nominal
        }
        self._names: dict[int, tuple[str, ...]] = {}

    @cached_property
    def _table(self) -> LineTable:
        table, self._last_line = _open(self._lay_out, self.path, self._options)
        return table

    def __getstate__(self) -> dict[str, Any]:
        # The table holds a function made on the spot, which no pickle takes.
        return {name: value for name, value in vars(self).items() if name != "_table"}

    def _cells(self, j: int) -> Cells:
        is_target = j == self._roles.target
        table, options = self._table, self._options
        return Cells(
            self.path,
            table.names[j],
            table.missing,
            False,
            is_target,
            options.gap_option,
            j in self._roles.forced_numeric,
            table.numbers,
            options.dates if isinstance(options.dates, str) else None,
        )

    def _find_nominal(self, row: NumberedRow) -> dict[int, bool]:
        # Values may not be missing, so the first row decides for each column, as for a table.
        number, text = row
        kinds = {}
        for j, cell in enumerate(self._table.cut(number, text)[: len(self._table.names)]):
            if j in self._roles.dropped:
                continue
            if cell in self._table.missing:
                raise self._cells(j).missing_value(number)
            kinds[j] = self._holds_names(j, cell, number)
        return kinds

    def _holds_names(self, j: int, cell: str, number: int) -> bool:
        """Return whether a column holds names, as its first cell shows; note one of dates."""
        if j in self._roles.forced_nominal:
            return True
        if j in self._dates or j in self._roles.forced_numeric:
            return False
        if self._table.numbers.is_number(cell):
            return False
        about = self._cells(j)
        if looks_like_number(cell):
            raise about.not_a_number(cell, number)
        if not about.is_target and looks_like_date(cell):
            if about.dates is None or has_short_year(cell):
                raise about.holds_dates(cell)
            self._dates[j] = about.dates
            return False
        if not about.is_target and looks_like_time(cell):
            raise about.holds_times(cell)
        return True

    def rows(self) -> Iterator[NumberedRow]:
        """Yield the text of the samples."""
        return itertools.islice(
            _filled_lines(self.path, self._options), self._table.n_head_lines, None
        )

    def observe(self, rows: Sequence[NumberedRow]) -> Samples:
        """Collect the names in nominal columns, and check all cells."""
        for number, text in rows:
            cells = self._table.cut(number, text)
            if len(cells) != len(self._table.names):
                break  # the conversion below names the row
            for j, column in self._found.items():
                column.convert(cells[j], number)
        return self.convert(rows)

    def settle(self, passed: bool) -> None:
        """Fix the names in nominal columns."""
        if passed:
            none = np.empty(0, dtype=np.int64)
            self._names = {j: c.name_codes(none).categories or () for j, c in self._found.items()}
            return
        for j in self._found:
            if j != self._roles.target:
                raise file_error(
                    self.path,
                    None,
                    f"column {shorten(self._table.names[j])} holds names, which one pass over the "
                    "file must find. Leave 'classes' out, or drop the column.",
                )

    def convert(self, rows: Sequence[NumberedRow]) -> Samples:
        """Return the features and labels of some rows."""
        columns: list[Column | None] = []
        for j in range(len(self._table.names)):
            if j in self._roles.dropped:
                columns.append(None)
            elif self._is_nominal.get(j, False):
                columns.append(NominalColumn(self._cells(j), self._names.get(j)))
            elif j in self._dates:
                columns.append(DateColumn(self._cells(j), self._dates[j]))
            else:
                columns.append(NumericColumn(self._cells(j)))
        builder = TableBuilder(self.path, columns, self._roles, self._options)
        for number, text in rows:
            builder.add_row(self._table.cut(number, text), number)
        data = builder.finish(rows[-1][0])
        return data.X, data.y  # type: ignore[return-value]  # a target is required
