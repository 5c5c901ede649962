"""Parquet files as tables: numbers as they are, names as columns of 0 and 1, as for CSV."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.columns import (
    FinishedColumn,
    feature_names,
    find_column,
    target_values,
)
from svmosaic.datasets.readers.text import file_error, shorten
from svmosaic.utils.optional import import_optional

__all__ = ["is_parquet", "iter_parquet", "parquet_columns", "read_parquet", "write_parquet"]

_EXTENSIONS = (".parquet", ".pq")
# What pandas calls an index that it writes as a column.
_INDEX_COLUMN = re.compile(r"__index_level_\d+__")


def is_parquet(path: Path, format: str | None) -> bool:
    """Whether a file is read as parquet: its extension says so, or the caller."""
    return format == "parquet" or (format is None and path.suffix.lower() in _EXTENSIONS)


def _parquet() -> Any:
    return import_optional("pyarrow.parquet", "read and write parquet files")


def _open(path: Path) -> Any:
    parquet, arrow = _parquet(), import_optional("pyarrow", "read parquet files")
    try:
        return parquet.ParquetFile(path)
    except arrow.ArrowInvalid as error:
        raise file_error(
            path, None, f"this is not a parquet file ({error}). Copy the file again."
        ) from None


def parquet_columns(path: Path) -> tuple[str, ...]:
    """Return the names of the columns, without an index of pandas."""
    with _open(path) as file:
        return tuple(n for n in file.schema_arrow.names if not _INDEX_COLUMN.fullmatch(n))


def read_parquet(path: Path, target: str | int | None, *, allow_nan: bool = False) -> Dataset:
    """Read a whole file into features and targets.

    Parameters
    ----------
    path : Path
        The file.
    target : str, int or None
        Column of the target, by name or by number; None reads all columns as features.
    allow_nan : bool, default=False
        Accept missing features.
    """
    names = parquet_columns(path)
    with _open(path) as file:
        return _dataset(path, file.read(columns=list(names)), target, allow_nan, 0)


def iter_parquet(
    path: Path, target: str | int | None, n_rows: int, *, allow_nan: bool = False
) -> Iterator[Dataset]:
    """Yield a file in blocks of at most `n_rows` rows; see `read_parquet`."""
    arrow = import_optional("pyarrow", "read parquet files")
    names, done = parquet_columns(path), 0
    with _open(path) as file:
        for batch in file.iter_batches(batch_size=n_rows, columns=list(names)):
            if batch.num_rows:
                table = arrow.Table.from_batches([batch])
                yield _dataset(path, table, target, allow_nan, done)
                done += batch.num_rows


def write_parquet(stream: Any, blocks: Iterator[dict[str, Any]]) -> int:
    """Write blocks of columns into a stream, one row group each, and return the number of rows."""
    arrow, parquet = import_optional("pyarrow", "write parquet files"), _parquet()
    writer, n_rows = None, 0
    try:
        for block in blocks:
            table = arrow.table(block)
            if writer is None:
                writer = parquet.ParquetWriter(stream, table.schema)
            writer.write_table(table)
            n_rows += table.num_rows
    finally:
        if writer is not None:
            writer.close()
    return n_rows


def _dataset(
    path: Path, table: Any, target: str | int | None, allow_nan: bool, done: int
) -> Dataset:
    names = table.column_names
    at = None if target is None else find_column(target, names, path)
    if table.num_rows == 0:
        raise file_error(path, None, "the table has no rows. Check the file.")
    if len(names) - (at is not None) == 0:
        raise file_error(path, None, "no feature columns are left. Check the target.")
    columns = [_column(path, names[j], table.column(j)) for j in range(len(names))]
    for j, column in enumerate(columns):
        if j == at or not allow_nan:
            _refuse_gaps(path, column, done, is_target=j == at)
    features = [column for j, column in enumerate(columns) if j != at]
    y, target_names = (None, None) if at is None else target_values(columns[at])
    return Dataset(
        X=_one_hot(features, table.num_rows),
        y=y,
        feature_names=tuple(name for column in features for name in feature_names(column, True)),
        target_names=target_names,
        name=path.stem,
    )


def _column(path: Path, name: str, values: Any) -> FinishedColumn:
    arrow = import_optional("pyarrow", "read parquet files")
    types, kind = arrow.types, values.type
    if types.is_dictionary(kind):
        values, kind = values.cast(kind.value_type), kind.value_type
    if types.is_string(kind) or types.is_large_string(kind):
        coded = values.combine_chunks().dictionary_encode()
        known = coded.dictionary.to_pylist()
        codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        order = sorted(range(len(known)), key=known.__getitem__)
        # The last place is for -1, a missing value.
        rank = np.full(len(known) + 1, -1, dtype=np.int64)
        rank[order] = np.arange(len(known))
        return FinishedColumn(name, rank[codes], tuple(known[i] for i in order))
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind):
        # Nulls and numbers together: nan.
        numbers = np.asarray(values.to_numpy(), dtype=np.float64)
        return FinishedColumn(name, numbers)
    raise file_error(
        path,
        None,
        f"column {shorten(name)} is of type {kind}, neither numbers nor text. Convert or remove "
        "it.",
    )


def _refuse_gaps(path: Path, column: FinishedColumn, done: int, *, is_target: bool) -> None:
    values = column.values
    gaps = np.isnan(values) if column.categories is None else values < 0
    if gaps.any():
        what = "target" if is_target else "column"
        raise file_error(
            path,
            None,
            f"the {what} {shorten(column.name)} has no value in row {done + int(gaps.argmax())}, "
            "counted from 0. Fill it in, or remove the row.",
        )


def _one_hot(features: list[FinishedColumn], n_rows: int) -> Any:
    parts = []
    for column in features:
        if column.categories is None:
            parts.append(column.values[:, np.newaxis])
        else:
            parts.append(column.values[:, np.newaxis] == np.arange(len(column.categories)))
    return np.concatenate(parts, axis=1, dtype=np.float64, casting="unsafe")
