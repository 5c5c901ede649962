"""CSV (comma-separated values) files, row by row."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from svmosaic.datasets.readers.columns import (
    Cells,
    NominalColumn,
    NumericColumn,
    TableBuilder,
    TableOptions,
    assign_roles,
    is_number,
)
from svmosaic.datasets.readers.csv import (
    MISSING,
    SAMPLE_LINES,
    Layout,
    cut_line,
    filled_lines,
    find_layout,
)
from svmosaic.datasets.readers.text import file_error, iter_blocks, shorten
from svmosaic.streams.files.source import NumberedRow
from svmosaic.streams.stream import Samples

__all__ = ["CsvSource"]


class CsvSource:
    """A delimited text table.

    Parameters
    ----------
    path : Path
        The file, plain or gzip'd.
    options : TableOptions
        Target, nominal columns, and columns to leave out.
    delimiter : str or None
        What stands between cells; None finds it.
    header : bool or None
        Whether the first line names the columns; None finds out.
    """

    def __init__(
        self, path: Path, options: TableOptions, delimiter: str | None, header: bool | None
    ) -> None:
        self.path = path
        self._options = options
        self._delimiter = delimiter
        self._header = header
        self._roles = assign_roles(self._layout.names, options, path)
        first = next(self.rows(), None)
        if first is None:
            raise file_error(path, self._last_line, "the table has no rows. Check the file.")
        self._is_nominal = self._find_nominal(first)
        self._found = {
            j: NominalColumn(self._cells(j)) for j, nominal in self._is_nominal.items() if nominal
        }
        self._names: dict[int, tuple[str, ...]] = {}

    @cached_property
    def _layout(self) -> Layout:
        sample = list(itertools.islice(filled_lines(iter_blocks(self.path)), SAMPLE_LINES))
        if not sample:
            raise file_error(self.path, 1, "the file is empty. Check the path.")
        self._last_line = sample[-1][0]
        return find_layout(self.path, sample, self._delimiter, self._header)

    def __getstate__(self) -> dict[str, Any]:
        # The layout holds a function made on the spot, which no pickle takes.
        return {name: value for name, value in vars(self).items() if name != "_layout"}

    def _cells(self, j: int) -> Cells:
        is_target = j == self._roles.target
        return Cells(
            self.path, self._layout.names[j], MISSING, False, is_target, self._options.gap_option
        )

    def _find_nominal(self, row: NumberedRow) -> dict[int, bool]:
        # Values may not be missing, so the first row decides for each column, as in `read_csv`.
        number, text = row
        cells = cut_line(self.path, number, text, self._layout.split)
        kinds = {}
        for j, cell in enumerate(cells[: len(self._layout.names)]):
            if j in self._roles.dropped:
                continue
            if cell in MISSING:
                raise self._cells(j).missing_value(number)
            kinds[j] = j in self._roles.forced_nominal or not is_number(cell)
        return kinds

    def rows(self) -> Iterator[NumberedRow]:
        """Yield the text of the samples."""
        return itertools.islice(
            filled_lines(iter_blocks(self.path)), int(self._layout.has_header), None
        )

    def observe(self, rows: Sequence[NumberedRow]) -> Samples:
        """Collect the names in nominal columns, and check all cells."""
        for number, text in rows:
            cells = cut_line(self.path, number, text, self._layout.split)
            if len(cells) != len(self._layout.names):
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
                    f"column {shorten(self._layout.names[j])} holds names, which one pass over the "
                    "file must find. Leave 'classes' out, or drop the column.",
                )

    def convert(self, rows: Sequence[NumberedRow]) -> Samples:
        """Return the features and labels of some rows."""
        columns: list[NumericColumn | NominalColumn | None] = []
        for j in range(len(self._layout.names)):
            if j in self._roles.dropped:
                columns.append(None)
            elif self._is_nominal.get(j, False):
                columns.append(NominalColumn(self._cells(j), self._names.get(j)))
            else:
                columns.append(NumericColumn(self._cells(j)))
        builder = TableBuilder(self.path, columns, self._roles, self._options)
        for number, text in rows:
            builder.add_row(cut_line(self.path, number, text, self._layout.split), number)
        data = builder.finish(rows[-1][0])
        return data.X, data.y  # type: ignore[return-value]  # a target is required
