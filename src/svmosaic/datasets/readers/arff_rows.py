"""ARFF (attribute-relation file format) files, row by row."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.arff import (
    ArffHeader,
    AttributeKind,
    filled_lines,
    is_open,
    read_dense_rows,
    read_header,
    read_sparse_rows,
    refuse_unusable,
)
from svmosaic.datasets.readers.column_roles import Roles, assign_roles
from svmosaic.datasets.readers.row_source import NumberedRow, Samples
from svmosaic.datasets.readers.table_options import TableOptions
from svmosaic.datasets.readers.text import file_error, shorten

__all__ = ["ArffRows"]


class ArffRows:
    """An ARFF file, dense or sparse.

    Parameters
    ----------
    path : Path
        The file, plain or gzip'd.
    options : TableOptions
        Target, nominal columns, and columns to leave out.
    """

    def __init__(self, path: Path, options: TableOptions) -> None:
        self.path = path
        self._options = options
        lines = filled_lines(path, options)
        self._header = read_header(path, lines)
        attributes = self._header.attributes
        names = [attribute.name for attribute in attributes]
        self._roles = assign_roles(names, options, path).without_ids()
        refuse_unusable(path, self._header, self._roles)
        first = next(lines, None)
        if first is None:
            raise file_error(path, self._header.last_line, "no rows follow @data. Check the file.")
        self._is_sparse = first[1].startswith("{")
        # The names found so far in columns that declare none.
        self._found: dict[int, set[str]] = {
            j: set()
            for j, attribute in enumerate(attributes)
            if j not in self._roles.dropped and is_open(j, attribute, self._roles)
        }

    def rows(self) -> Iterator[NumberedRow]:
        """Yield the text of the samples."""
        lines = filled_lines(self.path, self._options)
        read_header(self.path, lines)
        return lines

    def observe(self, rows: Sequence[NumberedRow]) -> Samples:
        """Collect the names in columns that declare none, and check all cells."""
        everything = frozenset(range(len(self._header.attributes)))
        for j, names in self._found.items():
            # Read alone and as the target, a column comes back as its own names.
            roles = Roles(j, everything - {j}, self._roles.forced_nominal)
            names.update(self._read(rows, self._header, roles).target_names or ())
        return self.convert(rows)

    def settle(self, passed: bool) -> None:
        """Declare the names found."""
        attributes = list(self._header.attributes)
        for j, names in self._found.items():
            if passed:
                attributes[j] = dataclasses.replace(
                    attributes[j], kind=AttributeKind.NOMINAL, values=tuple(sorted(names))
                )
            elif j != self._roles.target:
                raise file_error(
                    self.path,
                    attributes[j].line,
                    f"attribute {shorten(attributes[j].name)} declares no values, so one pass over "
                    "the file must find them. Leave 'classes' out, or drop the attribute.",
                )
        self._header = dataclasses.replace(self._header, attributes=tuple(attributes))

    def convert(self, rows: Sequence[NumberedRow]) -> Samples:
        """Return the features and labels of some rows."""
        data = self._read(rows, self._header, self._roles)
        return data.X, data.y  # type: ignore[return-value]  # a target is required

    def _read(self, rows: Sequence[NumberedRow], header: ArffHeader, roles: Roles) -> Dataset:
        read = read_sparse_rows if self._is_sparse else read_dense_rows
        return read(self.path, iter(rows), header, roles, self._options)
