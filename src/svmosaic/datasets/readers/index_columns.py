"""The index of a data frame that pandas wrote to a parquet file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from svmosaic.datasets.readers.column_roles import find_column
from svmosaic.datasets.readers.table_options import TableOptions

__all__ = ["columns_without_index", "index_as_ids", "named_index"]

# What pandas calls an index without a name that it writes as a column.
_NAMELESS = re.compile(r"__index_level_\d+__")


def named_index(schema: Any) -> tuple[str, ...]:
    """Return the columns that pandas wrote of an index with a name.

    Parameters
    ----------
    schema : pyarrow.Schema
        The schema of a parquet file.
    """
    about = schema.pandas_metadata or {}
    # An index that counts the rows is a dict, which is not a column.
    listed = {one for one in about.get("index_columns", ()) if isinstance(one, str)}
    return tuple(name for name in schema.names if name in listed and not _NAMELESS.fullmatch(name))


def columns_without_index(schema: Any) -> list[str]:
    """Return the columns of a parquet file, without a nameless index of pandas.

    Parameters
    ----------
    schema : pyarrow.Schema
        The schema of a parquet file.
    """
    return [name for name in schema.names if not _NAMELESS.fullmatch(name)]


def index_as_ids(
    names: Sequence[str], index: Sequence[str], options: TableOptions, path: Path
) -> TableOptions:
    """Return options with the index as ids, unless the caller says what its columns are.

    Parameters
    ----------
    names : sequence of str
        All columns of the file.
    index : sequence of str
        Those that the file declares as an index.
    options : TableOptions
        What the caller says of the columns.
    path : Path
        The file, for messages.
    """
    keys = [
        options.target,
        options.id_column,
        *options.drop,
        *options.nominal_columns,
        *options.numeric_columns,
    ]
    if isinstance(options.dates, Mapping):
        keys += options.dates
    named = {names[find_column(key, names, path)] for key in keys if key is not None}
    free = [name for name in index if name not in named]
    if not free or len(names) <= len(index):
        return options
    if options.id_column is None:
        first, *free = free
        options = replace(options, id_column=first)
    return replace(options, drop=[*options.drop, *free])
