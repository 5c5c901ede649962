"""Read files with one row per sample and one target."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.dates import DATE_ORDERS, DateOrder
from svmosaic.datasets.readers.reader import Reader, find_reader
from svmosaic.datasets.readers.table_options import TableOptions

__all__ = ["check_options", "read_table"]

# Options that every format has.
_COMMON = frozenset({"allow_nan", "dense", "max_bytes", "gap_option", "encoding"})


def read_table(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    target: str | int | None = -1,
    drop: Sequence[str | int] = (),
    nominal: Literal["onehot", "ordinal"] = "onehot",
    nominal_gaps: Literal["zeros", "nan"] = "zeros",
    nominal_columns: Sequence[str | int] = (),
    numeric_columns: Sequence[str | int] = (),
    id_column: str | int | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    dates: DateOrder | Mapping[str, DateOrder] | None = None,
    encoding: str | None = None,
    n_features: int | None = None,
    max_features: int | None = None,
    allow_nan: bool = False,
    dense: bool | None = None,
    max_bytes: float | None = None,
) -> Dataset:
    r"""Read a data file into features and targets.

    Parameters
    ----------
    path : path-like
        The file. Gzip is recognised by its content.
    format : {"csv", "libsvm", "arff", "parquet", "excel"}, default=None
        By default the extension decides (``.svm``, ``.libsvm``, ``.svmlight``, ``.csv``,
        ``.tsv``, ``.arff``, each also with ``.gz``, ``.parquet``, ``.xlsx``) or else the first
        lines. Other formats can be registered by `register_reader`.
    target : str, int or None, default=-1
        Column of the target, by name or by number from 0; -1 is the last one. None reads all
        columns as features. Not for LIBSVM, where the label comes first.
    drop : sequence of str or int, default=()
        Columns to leave out. Not for LIBSVM.
    nominal : {"onehot", "ordinal"}, default="onehot"
        How features with names become numbers: one column of 0 and 1 for each name, called
        ``colour=red``, or one column with the number of the name. A missing name is nan in
        "ordinal". Not for LIBSVM.
    nominal_gaps : {"zeros", "nan"}, default="zeros"
        What a missing name is in all columns of "onehot". Dense tables only; not for LIBSVM.
    nominal_columns : sequence of str or int, default=()
        Columns to read as names though they look like numbers. Not for LIBSVM.
    numeric_columns : sequence of str or int, default=()
        Columns of numbers: anything else in them is an error. By default most values of a column
        decide whether it holds numbers or names. Not for ARFF and LIBSVM.
    id_column : str or int, default=None
        A column that identifies the rows. It is not a feature; `Dataset.ids` has it as text. By
        default a first column without a heading in CSV and Excel files, unless another option
        names it, and a named index that pandas wrote to parquet. Not for LIBSVM.
    delimiter : str, default=None
        What separates the cells, or ``"whitespace"``; found by itself by default. CSV only.
    header : bool, default=None
        Whether the first line names the columns; found by itself by default. CSV and Excel only.
    decimal : {".", ","}, default=None
        The decimal sign; found by itself by default, unless commas separate the cells. Commas that
        may also separate groups of digits are refused. CSV only.
    thousands : str, default=None
        Sign between groups of three digits. Beside a decimal comma this may be a point, a
        blank or an apostrophe without being named. CSV only.
    dates : {"ymd", "dmy", "mdy"} or dict, default=None
        Read dates as days since 1970; this is the order of year, month and day. A dict has the
        order of each column of dates by name. Years have four digits. By default dates are refused.
        CSV, Excel and parquet.
    encoding : str, default=None
        How text is encoded, for example ``"cp1252"``. By default UTF-8, or what a byte-order mark
        says.
    n_features : int, default=None
        Number of columns; by default the largest index in the file. LIBSVM only.
    max_features : int, default=None
        A feature index above it is refused; None means 10 million. LIBSVM only.
    allow_nan : bool, default=False
        Accept missing and infinite values in the features. Missing numbers become nan.
    dense : bool, default=None
        True gives an ndarray, False a ``csr_array``. By default LIBSVM text and sparse ARFF
        give a ``csr_array`` and other files an ndarray.
    max_bytes : float, default=None
        The most that the unpacked text, and each dense array made from it, may take; more is
        refused while it is read. None means an eighth of the free memory, and that a gzip file may
        not unpack to more than 32 MB or 25 times its size.

    Returns
    -------
    Dataset
        Targets that are names stay strings; numbers are int64 if all are whole, else float64.

    Raises
    ------
    DataFileError
        The file is malformed; the message names the file, the line and how to fix it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmosaic.datasets import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.csv")
    ...     _ = path.write_text("size,colour,class\n1.5,red,yes\n2,blue,no\n")
    ...     data = read_table(path, nominal="ordinal")
    >>> data.X.tolist(), data.y.tolist()
    ([[1.5, 1.0], [2.0, 0.0]], ['yes', 'no'])
    """
    source = Path(path)
    reader = find_reader(source, format, encoding=encoding)
    options = TableOptions(
        target=target,
        drop=drop,
        nominal=nominal,
        nominal_gaps=nominal_gaps,
        nominal_columns=nominal_columns,
        numeric_columns=numeric_columns,
        id_column=id_column,
        delimiter=delimiter,
        header=header,
        decimal=decimal,
        thousands=thousands,
        dates=dates,
        encoding=encoding,
        n_features=n_features,
        max_features=max_features,
        allow_nan=allow_nan,
        dense=dense,
        max_bytes=max_bytes,
    )
    check_options(reader, options, source, "read_table")
    return reader.read(source, options)


def check_options(reader: Reader, options: TableOptions, path: Path, who: str) -> None:
    """Refuse values that are wrong, and options that the format does not have.

    Parameters
    ----------
    reader : Reader
        The reader of the file.
    options : TableOptions
        What the caller gave.
    path : Path
        The file, for messages.
    who : str
        The function that was called, for messages.
    """
    if options.nominal not in ("onehot", "ordinal"):
        raise ValueError(
            f"The 'nominal' option of {who} must be 'onehot' or 'ordinal'. "
            f"Got {options.nominal!r} instead."
        )
    if options.nominal_gaps not in ("zeros", "nan"):
        raise ValueError(
            f"The 'nominal_gaps' option of {who} must be 'zeros' or 'nan'. "
            f"Got {options.nominal_gaps!r} instead."
        )
    orders = options.dates.values() if isinstance(options.dates, Mapping) else [options.dates]
    for order in orders:
        if order not in (None, *DATE_ORDERS):
            raise ValueError(
                f"The 'dates' option of {who} must be 'ymd', 'dmy' or 'mdy'. Got {order!r} instead."
            )
    for name in ("drop", "nominal_columns", "numeric_columns"):
        if isinstance(value := getattr(options, name), str):
            raise TypeError(
                f"The {name!r} option of {who} must be a list of columns. "
                f"Got the string {value!r} instead."
            )
    for field in dataclasses.fields(options):
        value = getattr(options, field.name)
        is_default = not value if field.default == () else value == field.default
        if field.name not in _COMMON | reader.options and not is_default:
            raise ValueError(
                f"The {field.name!r} option of {who} does not apply to {reader.name} files. "
                f"Leave it out for {path.name}."
            )
