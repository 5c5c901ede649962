"""Collect the rows of a table and make the data set of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.column_roles import Roles
from svmosaic.datasets.readers.columns import Column, DoubleArray, TextColumn
from svmosaic.datasets.readers.feature_matrix import assemble_table, check_size
from svmosaic.datasets.readers.table_options import TableOptions
from svmosaic.datasets.readers.target_values import target_values
from svmosaic.datasets.readers.text import (
    coding_limit,
    file_error,
    in_words,
    memory_limit,
    table_name,
)

__all__ = ["TableBuilder"]

# Rows are converted column by column in batches of about this many cells.
_BATCH_CELLS = 200_000


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
