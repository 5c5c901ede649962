"""Read parquet files: numbers as they are, text as names, as for CSV."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.column_roles import Roles, assign_roles
from svmosaic.datasets.readers.columns import (
    Cells,
    Column,
    FinishedColumn,
    NumericColumn,
    TextColumn,
)
from svmosaic.datasets.readers.feature_matrix import assemble_table, check_size, feature_names
from svmosaic.datasets.readers.index_columns import (
    columns_without_index,
    index_as_ids,
    named_index,
)
from svmosaic.datasets.readers.line_table import MISSING, make_columns
from svmosaic.datasets.readers.numbers import LARGEST_WHOLE
from svmosaic.datasets.readers.reader import TABLE_OPTIONS, ColumnNames, Reader
from svmosaic.datasets.readers.table_options import TableOptions
from svmosaic.datasets.readers.target_values import target_values
from svmosaic.datasets.readers.text import (
    coding_limit,
    file_error,
    memory_limit,
    shorten,
    table_name,
    too_long,
)
from svmosaic.exceptions import DataFileError
from svmosaic.utils.optional import import_optional

__all__ = ["READER", "iter_parquet"]

_BATCH_ROWS = 1 << 16


class _ArrowNumbers(NumericColumn):
    """A column that parquet holds as numbers; `add_array` takes them as they are."""

    def add_array(self, values: Any, first: int) -> None:
        """Take the numbers of a batch whose first row has the number `first`, from 1."""
        about = self._cells
        if about.is_target and values.type.bit_width == 64 and "int" in str(values.type):
            whole = values.drop_null().to_numpy(zero_copy_only=False)
            if whole.size and (whole.max() >= LARGEST_WHOLE or whole.min() <= -LARGEST_WHOLE):
                raise file_error(
                    about.path,
                    None,
                    f"the target {shorten(about.name)} has whole numbers of 2^53 or more, which "
                    "cannot be distinguished from their neighbours. List the column in "
                    "nominal_columns to read it as a name.",
                )
        numbers = values.cast("float64", safe=False).to_numpy(zero_copy_only=False)
        bad = ~np.isfinite(numbers)
        if bad.any() and not about.allow_nan:
            at = int(bad.argmax())
            if np.isnan(numbers[at]):
                raise about.missing_value(first + at)
            self.convert(str(numbers[at]), first + at)
        self._parts.append(numbers)


def _open(path: Path) -> Any:
    purpose = "read parquet files"
    parquet, arrow = (
        import_optional("pyarrow.parquet", purpose),
        import_optional("pyarrow", purpose),
    )
    try:
        return parquet.ParquetFile(path)
    except (arrow.ArrowInvalid, OSError) as error:
        if isinstance(error, FileNotFoundError | PermissionError):
            raise
        raise file_error(
            path, None, f"this is not a parquet file ({error}). Copy the file again."
        ) from None


def _columns(path: Path, options: TableOptions) -> ColumnNames:
    with _open(path) as file:
        return ColumnNames(_names(path, file), index=named_index(file.schema_arrow))


def _names(path: Path, file: Any) -> tuple[str, ...]:
    """Return the names of the columns, without a nameless index of pandas.

    An index with a name comes first, where pandas shows it: the last column is the target.
    """
    names = columns_without_index(file.schema_arrow)
    for name, count in Counter(names).items():
        if count > 1:
            raise file_error(
                path,
                None,
                f"{count} columns are called {shorten(name)}. Rename them before the file is "
                "written.",
            )
    index = named_index(file.schema_arrow)
    return (*index, *(name for name in names if name not in index))


def _read(path: Path, options: TableOptions) -> Dataset:
    with _damage_named(path):
        return _read_rows(path, options)


@contextmanager
def _damage_named(path: Path) -> Iterator[None]:
    """Name the file in what pyarrow says of damage, and rows, not lines, in what columns say."""
    damage = import_optional("pyarrow", "read parquet files").ArrowException
    try:
        yield
    except (damage, OSError, UnicodeError) as error:
        if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
            raise
        # What pyarrow says of damaged pages.
        raise file_error(
            path, None, f"the parquet file is damaged ({error}). Copy the file again."
        ) from error
    except DataFileError as error:
        # Columns name the place of a cell by its line, which parquet has not.
        raise DataFileError(
            str(error).replace(f"{path.name}, line ", f"{path.name}, row ")
        ) from None


def _read_rows(path: Path, options: TableOptions) -> Dataset:
    with _open(path) as file:
        table = _Table(path, file, options)
        return table.read(file.iter_batches(batch_size=_BATCH_ROWS, columns=table.kept))


def iter_parquet(path: Path, options: TableOptions, n_rows: int) -> Iterator[Dataset]:
    """Yield a file in blocks of at most `n_rows` rows, each read as a file of its own.

    Parameters
    ----------
    path : Path
        The file.
    options : TableOptions
        As for `svmosaic.datasets.read_table`. Which columns of text hold numbers is decided in
        each block, unless the options say it.
    n_rows : int
        The most rows of a block.
    """
    with _damage_named(path), _open(path) as file:
        table, done = _Table(path, file, options), 0
        for batch in file.iter_batches(batch_size=n_rows, columns=table.kept):
            if batch.num_rows:
                yield table.read([batch], done)
                done += batch.num_rows


class _Table:
    """How the columns of a file are read."""

    def __init__(self, path: Path, file: Any, options: TableOptions) -> None:
        self._path = path
        self._names = _names(path, file)
        index = named_index(file.schema_arrow)
        self._options = index_as_ids(self._names, index, options, path)
        self._roles = assign_roles(self._names, self._options, path)
        schema = file.schema_arrow
        self._types = {name: _value_type(schema.field(name).type) for name in self._names}
        self.kept = [
            name for name, column in zip(self._names, self._columns(), strict=True) if column
        ]

    def _columns(self) -> list[Column | None]:
        return _make_columns(self._path, self._names, self._types, self._roles, self._options)

    def read(self, batches: Iterable[Any], done: int = 0) -> Dataset:
        """Return the rows of some batches; `done` rows of the file come before them."""
        columns = self._columns()
        most, read, n_rows = memory_limit(self._options.max_bytes), 0, 0
        for batch in batches:
            read += batch.nbytes
            if read > most:
                raise too_long(self._path, most, self._options.max_bytes)
            for name, column in zip(self._names, columns, strict=True):
                if column is not None:
                    values = batch.column(batch.schema.get_field_index(name))
                    _add(column, values, done + n_rows + 1)
            n_rows += batch.num_rows
        if n_rows == 0:
            raise file_error(self._path, None, "the table has no rows. Check the file.")
        return _make_dataset(self._path, columns, n_rows, self._roles, self._options)


def _cells(path: Path, options: TableOptions) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the rows as text, with their numbers from 1."""
    number = 0
    with _open(path) as file:
        names = _names(path, file)
        for batch in file.iter_batches(batch_size=_BATCH_ROWS, columns=list(names)):
            texts = [
                _texts(batch.column(batch.schema.get_field_index(name)).to_pylist())
                for name in names
            ]
            for cells in zip(*texts, strict=True):
                number += 1
                yield number, cells


def _texts(values: Sequence[Any]) -> list[str]:
    """Return values as a file of text would have them."""
    return ["" if value is None else _text(value) for value in values]


def _text(value: Any) -> str:
    # pandas makes floats of whole numbers where one is missing.
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < LARGEST_WHOLE
    return str(int(value)) if is_whole else str(value).strip()


def _value_type(kind: Any) -> Any:
    types = import_optional("pyarrow", "read parquet files").types
    return kind.value_type if types.is_dictionary(kind) else kind


def _make_columns(
    path: Path,
    names: Sequence[str],
    kinds: dict[str, Any],
    roles: Roles,
    options: TableOptions,
) -> list[Column | None]:
    types = import_optional("pyarrow", "read parquet files").types
    columns = make_columns(path, names, roles, options)
    for j, name in enumerate(names):
        kind = kinds[name]
        if columns[j] is None:
            continue
        is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
        if not is_number and not _is_text(types, kind):
            raise file_error(
                path,
                None,
                f"column {shorten(name)} is of type {kind}, neither numbers nor text. List it in "
                "drop.",
            )
        as_text = j in roles.forced_nominal or j == roles.id_column or j in roles.forced_dates
        if is_number and not as_text:
            is_target = j == roles.target
            allow_nan = options.allow_nan and not is_target
            columns[j] = _ArrowNumbers(
                Cells(path, name, MISSING, allow_nan, is_target, options.gap_option, True)
            )
    return columns


def _is_text(types: Any, kind: Any) -> bool:
    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_boolean(kind)
        or types.is_date(kind)
        or types.is_timestamp(kind)
        or types.is_null(kind)
    )


def _add(column: Column, values: Any, first: int) -> None:
    if isinstance(column, _ArrowNumbers):
        if hasattr(values, "dictionary_decode"):
            values = values.dictionary_decode()
        column.add_array(values, first)
        return
    texts = _texts(values.to_pylist())
    column.add(texts, range(first, first + len(texts)))


def _make_dataset(
    path: Path,
    columns: Sequence[Column | None],
    n_rows: int,
    roles: Roles,
    options: TableOptions,
) -> Dataset:
    features: list[FinishedColumn] = [
        column.finish()
        for j, column in enumerate(columns)
        if column is not None and roles.is_feature(j)
    ]
    onehot = options.nominal == "onehot"
    if options.dense is not False:
        width = sum(len(feature_names(column, onehot)) for column in features)
        most = coding_limit(options.max_bytes, 8 * n_rows * len(features))
        check_size(path, (n_rows, width), most)
    target = None if roles.target is None else columns[roles.target]
    y, target_names = (None, None) if target is None else target_values(target.finish())
    X, names = assemble_table(features, n_rows, options)
    ids = None if roles.id_column is None else columns[roles.id_column]
    return Dataset(
        X=X,
        y=y,
        feature_names=names,
        target_names=target_names,
        name=table_name(path),
        ids=np.array(ids.texts, dtype=object) if isinstance(ids, TextColumn) else None,
        date_columns=tuple(column.name for column in features if column.is_date),
    )


READER = Reader(
    name="parquet",
    extensions=(".parquet", ".pq"),
    read=_read,
    options=TABLE_OPTIONS | {"numeric_columns", "dates"},
    columns=_columns,
    cells=_cells,
    magic=b"PAR1",
)
