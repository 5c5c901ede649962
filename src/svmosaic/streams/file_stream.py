"""Data files as streams, read in constant memory."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from svmosaic.datasets.readers.dates import DateOrder
from svmosaic.datasets.readers.feature_matrix import check_size
from svmosaic.datasets.readers.reader import find_reader
from svmosaic.datasets.readers.row_source import NumberedRow, RowSource
from svmosaic.datasets.readers.table_files import check_options
from svmosaic.datasets.readers.table_options import TableOptions
from svmosaic.datasets.readers.target_values import whole_if_integral
from svmosaic.datasets.readers.text import file_error, shorten, table_name
from svmosaic.streams.checks import check_count
from svmosaic.streams.stream_protocol import Samples, Stream

__all__ = ["FileStream"]

# Rows converted at once during the first pass.
_BATCH = 1000
_MOST_CLASSES = 10_000


class FileStream(Stream):
    r"""The rows of a data file, plain or gzip'd, in their order.

    Memory does not grow with the file. Reading continues where it stopped; reading further ahead
    skips lines, and reading back opens the file again. Making the stream reads the whole file
    once, to find the classes, the names in nominal columns and the number of rows, and to check
    every cell; pass `classes` to save that.

    Parameters
    ----------
    path : path-like
        The file. Gzip is recognised by its content.
    format : {"csv", "libsvm", "arff"}, default=None
        By default the extension decides, or else the first lines. Other formats can be registered
        by `svmosaic.datasets.register_reader`.
    classes : array-like of shape (n_classes,), default=None
        All labels. The file is then not read beforehand: `length` is None, errors come when a
        row is read, LIBSVM files need `n_features`, and features that are names without a
        declaration are refused.
    target : str or int, default=-1
        Column of the label, by name or by number from 0; -1 is the last one. CSV and ARFF only.
    drop : sequence of str or int, default=()
        Columns to leave out. CSV and ARFF only.
    nominal : {"onehot", "ordinal"}, default="onehot"
        How features with names become numbers. CSV and ARFF only.
    nominal_columns : sequence of str or int, default=()
        Columns to read as names though they look like numbers. CSV and ARFF only.
    numeric_columns : sequence of str or int, default=()
        Columns of numbers: anything else in them is an error. By default the first row decides
        which columns hold names. CSV only.
    id_column : str or int, default=None
        A column that identifies the rows, and is left out. By default a first column without a
        heading. CSV and ARFF only.
    delimiter : str, default=None
        What separates the cells; found by itself by default. CSV only.
    header : bool, default=None
        Whether the first line names the columns; found by itself by default. CSV only.
    decimal, thousands : str, default=None
        The decimal sign and the sign between groups of digits, as in
        `svmosaic.datasets.read_table`. CSV only.
    dates : {"ymd", "dmy", "mdy"}, default=None
        Read dates as days since 1970; this is the order of year, month and day. By default dates
        are refused. CSV only.
    encoding : str, default=None
        How text is encoded, for example ``"cp1252"``. By default UTF-8, or what a byte-order mark
        says.
    n_features : int, default=None
        Number of columns; by default the largest index in the file. LIBSVM only.
    max_bytes : float, default=None
        The most that the unpacked text, and the array of a chunk, may take. None: text of any
        length, and chunks of up to an eighth of the free memory.
    name : str, default=None
        Name of the stream; None means the name of the file.
    drifts : sequence of int, default=()
        Sample numbers where the concept is known to change.

    Raises
    ------
    DataFileError
        The file is malformed; the message names the file, the line and how to fix it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmosaic.streams import FileStream
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.csv")
    ...     _ = path.write_text("size,class\n1.5,yes\n2,no\n3,yes\n")
    ...     stream = FileStream(path)
    ...     X, y = stream.read(1, 2)
    >>> stream, X.tolist(), y.tolist()
    (FileStream(name='toy', n_features=1, n_classes=2, length=3), [[2.0], [3.0]], ['no', 'yes'])
    """

    _caches: ClassVar[tuple[str, ...]] = ("_rows", "_kept")

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        classes: Any = None,
        target: str | int = -1,
        drop: Sequence[str | int] = (),
        nominal: Literal["onehot", "ordinal"] = "onehot",
        nominal_columns: Sequence[str | int] = (),
        numeric_columns: Sequence[str | int] = (),
        id_column: str | int | None = None,
        delimiter: str | None = None,
        header: bool | None = None,
        decimal: str | None = None,
        thousands: str | None = None,
        dates: DateOrder | None = None,
        encoding: str | None = None,
        n_features: int | None = None,
        max_bytes: float | None = None,
        name: str | None = None,
        drifts: Sequence[int] = (),
    ) -> None:
        self.path = Path(path).absolute()
        if target is None:
            raise ValueError("The 'target' parameter of FileStream must name a column. Got None.")
        if n_features is not None:
            n_features = check_count("FileStream", "n_features", n_features, 1)
        options = TableOptions(
            target=target,
            drop=drop,
            nominal=nominal,
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
            dense=True,
            # Memory does not grow with the file, so its length needs no limit.
            max_bytes=math.inf if max_bytes is None else max_bytes,
            gap_option="",
        )
        self._max_bytes = max_bytes
        self._source = _open(self.path, format, options)
        self._fingerprint = _fingerprint(self.path)
        length = None
        if classes is None:
            classes, length = _first_pass(self._source)
        else:
            classes = np.unique(np.asarray(classes))
        self._source.settle(passed=length is not None)
        first, _ = self._source.convert([next(self._source.rows())])
        super().__init__(
            n_features=first.shape[1],
            classes=classes,
            length=length,
            name=table_name(self.path) if name is None else name,
            drifts=drifts,
        )
        # An open file and the number of its next row; and the chunk read last, with its number.
        self._rows: tuple[int, Iterator[NumberedRow]] | None = None
        self._kept: tuple[int, Samples] | None = None

    def _read(self, begin: int, count: int) -> Samples:
        if self._kept is not None:
            first, (X, y) = self._kept
            if first <= begin and begin + count <= first + y.size:
                part = slice(begin - first, begin - first + count)
                return X[part].copy(), y[part].copy()
        check_size(self.path, (count, self.n_features), self._max_bytes)
        rows = self._take(begin, count)
        if not rows:
            return np.empty((0, self.n_features)), np.empty(0, dtype=self.classes.dtype)
        X, y = self._source.convert(rows)
        chunk = X, self._checked_labels(y, rows)
        self._kept = begin, chunk
        return chunk[0].copy(), chunk[1].copy()

    def _take(self, begin: int, count: int) -> list[NumberedRow]:
        """Return the text of some rows, and leave the file open behind them."""
        position, lines = self._rows or (0, None)
        # Forgotten until the rows are there: an error leaves nothing half read behind.
        self._rows = None
        if lines is None or position > begin:
            if _fingerprint(self.path) != self._fingerprint:
                raise file_error(
                    self.path, None, "the file has changed since it was opened. Make a new stream."
                )
            position, lines = 0, self._source.rows()
        rows = list(itertools.islice(lines, begin - position, begin - position + count))
        if len(rows) == count:
            self._rows = begin + count, lines
        return rows

    def _checked_labels(self, y: NDArray[Any], rows: Sequence[NumberedRow]) -> NDArray[Any]:
        is_text = y.dtype.kind in "UO"
        if is_text is (self.classes.dtype.kind in "UO"):
            unknown = np.flatnonzero(~np.isin(y, self.classes))
        else:
            unknown = np.arange(y.size)
        if unknown.size:
            i = unknown[0]
            raise file_error(
                self.path,
                rows[i][0],
                f"the label {shorten(str(y[i]))} is not among the classes. Correct it, or add it "
                "to 'classes'.",
            )
        return y.astype(self.classes.dtype, copy=False)


def _open(path: Path, format: str | None, options: TableOptions) -> RowSource:
    reader = find_reader(path, format, "FileStream", options.encoding)
    check_options(reader, options, path, "FileStream")
    if reader.rows is None:
        raise file_error(
            path,
            None,
            f"{reader.name} files cannot be read row by row. Read it by read_table, and make an "
            "ArrayStream of it.",
        )
    return reader.rows(path, options)


def _first_pass(source: RowSource) -> tuple[NDArray[Any], int]:
    """Return the classes and the number of rows."""
    lines = source.rows()
    classes: NDArray[Any] | None = None
    length = 0
    while rows := list(itertools.islice(lines, _BATCH)):
        _, y = source.observe(rows)
        found = np.unique(y)
        classes = found if classes is None else np.union1d(classes, found)
        length += len(rows)
        if classes.size > _MOST_CLASSES:
            raise file_error(
                source.path,
                rows[-1][0],
                f"more than {_MOST_CLASSES} different labels so far. Check the target column.",
            )
    assert classes is not None  # every source has refused a file without rows
    return (whole_if_integral(classes) if classes.dtype.kind == "f" else classes), length


def _fingerprint(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns
