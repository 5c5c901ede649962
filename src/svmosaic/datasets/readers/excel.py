"""Read Excel workbooks (.xlsx): the first sheet, as a table of text."""

from __future__ import annotations

import datetime
import itertools
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.column_roles import assign_roles
from svmosaic.datasets.readers.columns import MAX_ATTRIBUTES
from svmosaic.datasets.readers.csv import header_names, looks_like_header, warn_of_years
from svmosaic.datasets.readers.line_table import make_columns
from svmosaic.datasets.readers.numbers import LARGEST_WHOLE, PLAIN
from svmosaic.datasets.readers.reader import TABLE_OPTIONS, ColumnNames, Reader
from svmosaic.datasets.readers.table_builder import TableBuilder
from svmosaic.datasets.readers.table_options import TableOptions
from svmosaic.datasets.readers.text import file_error, memory_limit, most_by_ratio, too_long
from svmosaic.exceptions import DataFileError
from svmosaic.utils.optional import import_optional

__all__ = ["READER"]

_ZIP_MAGIC = b"PK\x03\x04"
# Workbooks of Excel 97 to 2003.
_OLD_MAGIC = b"\xd0\xcf\x11\xe0"
_SAMPLE_ROWS = 20

_Row = tuple[int, list[str]]


def _iter_rows(path: Path, options: TableOptions) -> Iterator[_Row]:
    """Yield the rows of the first sheet that are not empty, with their numbers from 1."""
    openpyxl = import_optional("openpyxl", "read Excel files")
    _check_archive(path, options.max_bytes)
    # Styles, filters and the like that openpyxl does not know are none of our business.
    with _damage_named(path), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        try:
            for number, values in enumerate(book.worksheets[0].iter_rows(values_only=True), 1):
                cells = [_cell_text(value) for value in values]
                while cells and not cells[-1]:
                    cells.pop()
                if cells:
                    yield number, cells
        finally:
            book.close()


def _check_archive(path: Path, max_bytes: float | None) -> None:
    """Refuse what is no workbook, or unpacks to too much, before it is unpacked."""
    with path.open("rb") as stream:
        if stream.read(len(_OLD_MAGIC)) == _OLD_MAGIC:
            raise file_error(
                path, None, "this is the format of Excel 97 to 2003. Save the file as .xlsx or CSV."
            )
    try:
        with zipfile.ZipFile(path) as archive:
            # No more is unpacked than these sizes say.
            size = sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError) as error:
        raise file_error(
            path, None, f"this is not an Excel workbook ({error}). Save it as .xlsx again."
        ) from None
    most = memory_limit(max_bytes)
    if max_bytes is None:
        most = min(most, most_by_ratio(path.stat().st_size))
    if size > most:
        raise too_long(path, most, most)


@contextmanager
def _damage_named(path: Path) -> Iterator[None]:
    """Turn whatever a damaged workbook does to openpyxl into one error with the file's name."""
    try:
        yield
    except (DataFileError, MemoryError, GeneratorExit):
        raise
    except Exception as error:
        raise file_error(
            path, None, f"the workbook cannot be read ({error}). Save it as .xlsx again."
        ) from error


def _cell_text(value: Any) -> str:
    """Return the text of a cell; dates as ISO has them, durations in days."""
    if value is None:
        return ""
    if isinstance(value, datetime.datetime):
        is_day = value.time() == datetime.time()
        return value.date().isoformat() if is_day else value.isoformat(" ", "seconds")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return repr(value.total_seconds() / 86400.0)
    if isinstance(value, float) and value.is_integer() and abs(value) < LARGEST_WHOLE:
        return str(int(value))
    return str(value).strip()


def _lay_out(path: Path, options: TableOptions) -> tuple[ColumnNames, bool]:
    """Return the names of the columns, and whether the first row has them."""
    sample = list(itertools.islice(_iter_rows(path, options), _SAMPLE_ROWS))
    if not sample:
        raise file_error(path, None, "the first sheet is empty. Put the table there.")
    number = sample[0][0]
    width = max(len(cells) for _, cells in sample)
    if width > MAX_ATTRIBUTES:
        raise file_error(path, number, f"more than {MAX_ATTRIBUTES} columns. Check the file.")
    padded = [_padded(cells, width) for _, cells in sample]
    has_header = options.header
    if has_header is None:
        has_header = looks_like_header(padded[0], padded[1:], PLAIN)
        if not has_header:
            warn_of_years(path, padded[0], padded[1:], PLAIN)
    if has_header:
        names = header_names(path, number, padded[0])
        has_row_names = width > 1 and not padded[0][0]
        return ColumnNames(names, row_names=has_row_names, header=True), True
    return ColumnNames(tuple(f"x{j + 1}" for j in range(width)), header=False), False


def _padded(cells: list[str], width: int) -> list[str]:
    return cells + [""] * (width - len(cells))


def _columns(path: Path, options: TableOptions) -> ColumnNames:
    return _lay_out(path, options)[0]


def _read(path: Path, options: TableOptions) -> Dataset:
    found, has_header = _lay_out(path, options)
    names = found.names
    roles = assign_roles(names, options, path, row_names=found.row_names)
    columns = make_columns(path, names, roles, options)
    builder = TableBuilder(path, columns, roles, options)
    number = 1
    for number, cells in _below_header(path, options, has_header, len(names)):
        builder.add_row(cells, number)
    return builder.finish(number)


def _cells(path: Path, options: TableOptions) -> Iterator[_Row]:
    found, has_header = _lay_out(path, options)
    return _below_header(path, options, has_header, len(found.names))


def _below_header(
    path: Path, options: TableOptions, has_header: bool, width: int
) -> Iterator[_Row]:
    """Yield the rows of the table, with empty cells up to its width."""
    for number, cells in itertools.islice(_iter_rows(path, options), int(has_header), None):
        yield number, _padded(cells, width)


READER = Reader(
    name="excel",
    extensions=(".xlsx", ".xlsm", ".xls"),
    read=_read,
    options=TABLE_OPTIONS | {"header", "numeric_columns", "dates"},
    columns=_columns,
    cells=_cells,
    magic=_ZIP_MAGIC,
)
