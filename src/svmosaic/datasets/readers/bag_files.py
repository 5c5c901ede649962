"""Read files of bags of instances."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.column_roles import find_column
from svmosaic.datasets.readers.dates import DateOrder
from svmosaic.datasets.readers.flat_bags import read_flat_bags
from svmosaic.datasets.readers.reader import find_reader
from svmosaic.datasets.readers.table_files import check_options
from svmosaic.datasets.readers.table_options import TableOptions
from svmosaic.datasets.readers.text import file_error

__all__ = ["read_bags"]


def read_bags(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    bag: str | int | None = None,
    target: str | int | None = -1,
    drop: Sequence[str | int] = (),
    nominal: Literal["onehot", "ordinal"] = "onehot",
    nominal_gaps: Literal["zeros", "nan"] = "zeros",
    nominal_columns: Sequence[str | int] = (),
    numeric_columns: Sequence[str | int] = (),
    delimiter: str | None = None,
    header: bool | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    dates: DateOrder | Mapping[str, DateOrder] | None = None,
    encoding: str | None = None,
    n_features: int | None = None,
    allow_nan: bool = False,
    dense: bool | None = None,
    max_bytes: float | None = None,
) -> Dataset:
    r"""Read a file of bags.

    Parameters
    ----------
    path : path-like
        The file, plain or gzip'd. ARFF with a relational attribute has a bag in each row; any
        other file has an instance in each row, with its label and the id of its bag.
    format : {"csv", "libsvm", "arff"}, default=None
        By default the extension decides, or else the first lines.
    bag : str or int, default=None
        The relational attribute; the column of bag ids; or, in LIBSVM text, ``"qid"`` or the
        number of the feature, from 1, that holds the id. None means the only relational attribute,
        the first column, or ``"qid"``.
    target : str, int or None, default=-1
        Column of the label, by name or by number from 0; -1 is the last one. None reads bags
        without labels. CSV and ARFF only. Other columns beside a relational attribute are left
        out.
    drop : sequence of str or int, default=()
        Columns to leave out. CSV and ARFF only.
    nominal : {"onehot", "ordinal"}, default="onehot"
        How features with names become numbers; see `read_table`.
    nominal_gaps : {"zeros", "nan"}, default="zeros"
        What a missing name is in all columns of "onehot". Dense tables only; not for LIBSVM.
    nominal_columns : sequence of str or int, default=()
        Columns to read as names though they look like numbers. Not for LIBSVM.
    numeric_columns : sequence of str or int, default=()
        Columns of numbers: anything else in them is an error.
    delimiter, header, decimal, thousands, dates, encoding : optional
        How the file is written; see `read_table`.
    n_features : int, default=None
        Number of columns; by default the largest index in the file. LIBSVM only.
    allow_nan : bool, default=False
        Accept missing values in the features, as nan.
    dense : bool, default=None
        True gives dense instances, False sparse ones. By default LIBSVM text is sparse.
    max_bytes : float, default=None
        The most that the unpacked text, and each dense array made from it, may take; more is
        refused while it is read. None means an eighth of the free memory, and that a gzip file may
        not unpack to more than 32 MB or 25 times its size.

    Returns
    -------
    Dataset
        `X` has the bags, in the order in which they come first, and `y` a label for each, or is
        None. Labels that are whole numbers become int64, also where ARFF declares them as names.
        `ids` has the ids of the bags, if the file has any; those of a table are text.

    Raises
    ------
    DataFileError
        The file is malformed; the message names the file, the line and how to fix it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmosaic.datasets import read_bags
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.csv")
    ...     _ = path.write_text("bag,size,class\na,1,0\nb,2,1\na,3,0\n")
    ...     data = read_bags(path)
    >>> [bag.ravel().tolist() for bag in data.X], data.y.tolist()
    ([[1.0, 3.0], [2.0]], [0, 1])
    """
    source = Path(path)
    reader = find_reader(source, format, "read_bags", encoding)
    options = TableOptions(
        target=target,
        drop=drop,
        nominal=nominal,
        nominal_gaps=nominal_gaps,
        nominal_columns=nominal_columns,
        numeric_columns=numeric_columns,
        delimiter=delimiter,
        header=header,
        decimal=decimal,
        thousands=thousands,
        dates=dates,
        encoding=encoding,
        n_features=n_features,
        allow_nan=allow_nan,
        dense=dense,
        max_bytes=max_bytes,
    )
    check_options(reader, options, source, "read_bags")
    if reader.read_bags is not None:
        return reader.read_bags(source, bag, options)
    if reader.columns is None:
        raise file_error(
            source, None, f"{reader.name} files cannot hold bags. Use another format for them."
        )
    columns = reader.columns(source, options)
    if columns.row_names:
        if bag is None:
            raise file_error(
                source,
                None,
                "the first column has no heading, so it may hold bag ids or row names. Give it a "
                "heading, or name the column of bag ids.",
            )
        if find_column(bag, columns.names, source) != 0:
            options = dataclasses.replace(options, drop=[*drop, 0])
    return read_flat_bags(reader.read, columns.names, source, bag, options)
