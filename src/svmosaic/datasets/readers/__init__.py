"""Read data files: LIBSVM text, CSV and ARFF, plain or gzip'd."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.arff import read_arff
from svmosaic.datasets.readers.columns import TableOptions
from svmosaic.datasets.readers.csv import read_csv
from svmosaic.datasets.readers.libsvm import read_libsvm
from svmosaic.datasets.readers.text import iter_blocks

__all__ = ["TableFormat", "read_table", "sniff_format"]

TableFormat = Literal["libsvm", "csv", "arff"]

_EXTENSIONS: dict[str, TableFormat] = {
    ".svm": "libsvm",
    ".libsvm": "libsvm",
    ".svmlight": "libsvm",
    ".csv": "csv",
    ".tsv": "csv",
    ".arff": "arff",
}
# The options that only some formats have, with the values that mean "not given".
_DEFAULTS: dict[str, object] = {
    "target": -1,
    "drop": (),
    "nominal": "onehot",
    "nominal_columns": (),
    "delimiter": None,
    "header": None,
    "n_features": None,
    "max_features": None,
}
_TABLE_OPTIONS = frozenset({"target", "drop", "nominal", "nominal_columns"})
_KNOWN_OPTIONS: dict[TableFormat, frozenset[str]] = {
    "libsvm": frozenset({"n_features", "max_features"}),
    "csv": _TABLE_OPTIONS | {"delimiter", "header"},
    "arff": _TABLE_OPTIONS,
}
_ARFF_LINE = re.compile(r"@(relation|attribute|data)\b", re.IGNORECASE)
_LIBSVM_LINE = re.compile(r"[-+.\dainf]+\s+(qid:-?\d+\s+)?\d+:\S")


def read_table(
    path: str | os.PathLike[str],
    *,
    format: TableFormat | None = None,
    target: str | int | None = -1,
    drop: Sequence[str | int] = (),
    nominal: Literal["onehot", "ordinal"] = "onehot",
    nominal_columns: Sequence[str | int] = (),
    delimiter: str | None = None,
    header: bool | None = None,
    n_features: int | None = None,
    max_features: int | None = None,
    allow_nan: bool = False,
    dense: bool | None = None,
    max_dense_mb: float = 4096.0,
) -> Dataset:
    r"""Read a data file into features and targets.

    Parameters
    ----------
    path : path-like
        The file. Gzip is recognised by its content.
    format : {"libsvm", "csv", "arff"}, default=None
        By default the extension decides (``.svm``, ``.libsvm``, ``.svmlight``, ``.csv``,
        ``.tsv``, ``.arff``, each also with ``.gz``) or else the first lines.
    target : str, int or None, default=-1
        Column of the target, by name or by number from 0; -1 is the last one. None reads all
        columns as features. CSV and ARFF only: in LIBSVM text the label stands first.
    drop : sequence of str or int, default=()
        Columns to leave out. CSV and ARFF only.
    nominal : {"onehot", "ordinal"}, default="onehot"
        How features with names become numbers: one column of 0 and 1 for each name, called
        ``colour=red``, or one column with the number of the name. A missing name is 0 in all
        columns of "onehot" and nan in "ordinal". CSV and ARFF only.
    nominal_columns : sequence of str or int, default=()
        Columns to read as names though they look like numbers. CSV and ARFF only.
    delimiter : str, default=None
        What stands between the cells, or ``"whitespace"``; found by itself by default. CSV only.
    header : bool, default=None
        Whether the first line names the columns; found by itself by default. CSV only.
    n_features : int, default=None
        Number of columns; by default the largest index in the file. LIBSVM only.
    max_features : int, default=None
        A feature index above it is refused; None means 10 million. LIBSVM only.
    allow_nan : bool, default=False
        Accept missing and infinite values in the features. Missing numbers become nan.
    dense : bool, default=None
        True gives an ndarray, False a ``csr_array``. By default LIBSVM text and sparse ARFF
        give a ``csr_array`` and other files an ndarray.
    max_dense_mb : float, default=4096
        Refuse to make a larger array than this, in megabytes.

    Returns
    -------
    Dataset
        Targets that are names stay strings; numbers are int64 if all are whole, else float64.

    Raises
    ------
    DataFileError
        The file is malformed; the message names the file, the line and the mend.

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
    chosen = sniff_format(source) if format is None else format
    given = {
        "target": target,
        "drop": drop,
        "nominal": nominal,
        "nominal_columns": nominal_columns,
        "delimiter": delimiter,
        "header": header,
        "n_features": n_features,
        "max_features": max_features,
    }
    _check_options(source, chosen, given)
    if chosen == "libsvm":
        limits: dict[str, Any] = {} if max_features is None else {"max_features": max_features}
        return read_libsvm(
            source,
            n_features=n_features,
            allow_nan=allow_nan,
            dense=dense,
            max_dense_mb=max_dense_mb,
            **limits,
        )
    options = TableOptions(target, drop, nominal, nominal_columns, allow_nan, dense, max_dense_mb)
    if chosen == "arff":
        return read_arff(source, options)
    return read_csv(source, options, delimiter=delimiter, header=header)


def _check_options(path: Path, format: TableFormat, given: Mapping[str, object]) -> None:
    if format not in _KNOWN_OPTIONS:
        raise ValueError(
            f"The 'format' option of read_table must be one of {sorted(_KNOWN_OPTIONS)}. "
            f"Got {format!r} instead."
        )
    if given["nominal"] not in ("onehot", "ordinal"):
        raise ValueError(
            "The 'nominal' option of read_table must be 'onehot' or 'ordinal'. "
            f"Got {given['nominal']!r} instead."
        )
    for name in ("drop", "nominal_columns"):
        if isinstance(given[name], str):
            raise TypeError(
                f"The {name!r} option of read_table must be a list of columns. "
                f"Got the string {given[name]!r} instead."
            )
    for name, default in _DEFAULTS.items():
        value = given[name]
        is_default = not value if default == () else value == default
        if name not in _KNOWN_OPTIONS[format] and not is_default:
            raise ValueError(
                f"The {name!r} option of read_table does not apply to {format} files. "
                f"Leave it out for {path.name}."
            )


def sniff_format(path: str | os.PathLike[str]) -> TableFormat:
    """Tell the format of a data file by its extension or else by its first lines.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    {"libsvm", "csv", "arff"}

    Examples
    --------
    >>> from svmosaic.datasets.readers import sniff_format
    >>> sniff_format("heart.svm.gz")
    'libsvm'
    """
    source = Path(path)
    extension = Path(source.name.removesuffix(".gz")).suffix.lower()
    if extension in _EXTENSIONS:
        return _EXTENSIONS[extension]
    for block in iter_blocks(source):
        for line in block.lines:
            text = line.strip()
            if _ARFF_LINE.match(text):
                return "arff"
            if _LIBSVM_LINE.match(text):
                return "libsvm"
            # A comment or a row without features leaves the question open.
            if text and text[0] not in "%#" and not re.fullmatch(r"[-+.\d]+", text):
                return "csv"
    return "csv"
