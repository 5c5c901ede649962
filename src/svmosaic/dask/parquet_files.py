"""Tables as parquet files, a row group for each block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from svmosaic.utils.optional import import_optional

__all__ = ["write_parquet"]


def write_parquet(stream: Any, blocks: Iterator[dict[str, Any]]) -> int:
    """Write blocks of columns into a stream, one row group each, and return the number of rows.

    Parameters
    ----------
    stream : file object
        Where the bytes go.
    blocks : iterator of dict
        The columns of each block, by name.
    """
    arrow = import_optional("pyarrow", "write parquet files")
    parquet = import_optional("pyarrow.parquet", "write parquet files")
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
