"""One data file as a table, whole or in blocks of rows. Runs on workers."""

from __future__ import annotations

import contextlib
import itertools
import math
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.parquet import iter_parquet
from svmosaic.datasets.readers.reader import ColumnNames, Reader, find_reader
from svmosaic.datasets.readers.table_files import check_options, read_table
from svmosaic.datasets.readers.table_options import TableOptions
from svmosaic.datasets.readers.text import iter_blocks, other_advice
from svmosaic.exceptions import DataFileError
from svmosaic.preprocessing import refuse_infinities

__all__ = [
    "FileOptions",
    "align_columns",
    "find_columns",
    "iter_tables",
    "read_whole",
]

# The readers look at as many lines that are not blank to find out how a table is written.
_SAMPLE_LINES = 20
_LINE = re.compile(r", line (\d+): ")


@dataclass(frozen=True)
class FileOptions:
    """How files are read; all of them alike.

    Attributes
    ----------
    format : str or None
        Their format; None: the extension of each file, or its first lines, decide.
    target : str, int or None
        Column of the targets, by name or by number; None: there is none.
    allow_nan : bool
        Whether features may be missing.
    max_bytes : float or None
        The most that the text of a file and each array of it may take; None: a share of the free
        memory of the worker.
    reading : dict
        More options of `svmosaic.datasets.read_table`: ids, columns to leave out, kinds of columns,
        and how text is written.
    """

    format: str | None = None
    target: str | int | None = -1
    allow_nan: bool = False
    max_bytes: float | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)

    def reader(self, path: Path) -> Reader:
        """Return the reader of a file."""
        return find_reader(path, self.format, encoding=self.reading.get("encoding"))


def read_whole(
    path: Path, options: FileOptions, *, n_features: int | None = None, dense: bool | None = None
) -> Dataset:
    """Return the data of a file.

    `n_features` is the number of columns of LIBSVM text, which does not say it.
    """
    with other_advice(allow_nan="remove the row"):
        data = _read(path, options.reader(path), options, n_features, dense)
    refuse_infinities(data.X, path.name)
    return data


def _read(
    path: Path, reader: Reader, options: FileOptions, n_features: int | None, dense: bool | None
) -> Dataset:
    width: dict[str, Any] = {"n_features": n_features} if "n_features" in reader.options else {}
    # Where the label has a place of its own, saying that there is none changes nothing.
    target = -1 if options.target is None and not reader.has_columns else options.target
    return read_table(
        path,
        format=reader.name,
        target=target,
        allow_nan=options.allow_nan,
        max_bytes=options.max_bytes,
        dense=dense,
        **options.reading,
        **width,
    )


def find_columns(path: Path, options: FileOptions) -> ColumnNames | None:
    """Return the columns of a file, the target among them; None if they have no names."""
    reader = options.reader(path)
    if reader.columns is None or not reader.has_columns:
        return None
    return reader.columns(path, TableOptions(max_bytes=math.inf, **options.reading))


def align_columns(X: Any, names: Sequence[str], wanted: Sequence[str]) -> Any:
    """Return the columns that are wanted, in their order; what is not there is 0."""
    if list(names) == list(wanted):
        return X
    place = {name: j for j, name in enumerate(wanted)}
    new = np.array([place.get(name, -1) for name in names], dtype=np.int64)
    if sp.issparse(X):
        cells = X.tocoo()
        columns = new[cells.coords[1]]
        kept = columns >= 0
        return sp.csr_array(
            (cells.data[kept], (cells.coords[0][kept], columns[kept])),
            shape=(X.shape[0], len(wanted)),
        )
    aligned = np.zeros((X.shape[0], len(wanted)), dtype=X.dtype)
    aligned[:, new[new >= 0]] = X[:, new >= 0]
    return aligned


# Blocks -------------------------------------------------------------------------------------


def iter_tables(
    path: Path, options: FileOptions, n_rows: int, *, n_features: int | None = None
) -> Iterator[Dataset]:
    """Yield the data of a file in blocks of at most `n_rows` rows.

    A column is read as in the whole file. Of names, a block has a column for those in it only.
    """
    with other_advice(allow_nan="remove the row"):
        reader = options.reader(path)
        if reader.name == "parquet":
            blocks = _iter_parquet(path, reader, options, n_rows)
        elif reader.magic:
            # Other formats that are no text, such as workbooks, have no parts to read.
            blocks = iter([_read(path, reader, options, n_features, None)])
        else:
            blocks = _iter_text(path, reader, options, n_rows, n_features)
        for block in blocks:
            refuse_infinities(block.X, path.name)
            yield block


def _iter_parquet(
    path: Path, reader: Reader, options: FileOptions, n_rows: int
) -> Iterator[Dataset]:
    table = TableOptions(target=options.target, allow_nan=options.allow_nan, **options.reading)
    check_options(reader, table, path, "read_table")
    return iter_parquet(path, table, n_rows)


def _iter_text(
    path: Path, reader: Reader, options: FileOptions, n_rows: int, n_features: int | None
) -> Iterator[Dataset]:
    """Cut a text file into small ones, which the reader of the format reads.

    Each begins with the lines that decide how the table is written, so that all are read alike; the
    rows among these lines are left out again.
    """
    encoding = options.reading.get("encoding")
    lines = _filled_lines(path, "#" if reader.name == "libsvm" else "", encoding)
    # The parts are in UTF-8, whatever the file is in.
    reading = {name: value for name, value in options.reading.items() if name != "encoding"}
    options = replace(options, reading=reading)
    with tempfile.TemporaryDirectory(prefix="svmosaic-") as folder:
        part = Path(folder, path.name)

        def read(numbered: list[_Line]) -> Dataset:
            part.write_text("\n".join(text for _, text in numbered) + "\n", encoding="utf-8")
            with _numbered_as([number for number, _ in numbered]):
                return _read(part, reader, options, n_features, None)

        head: list[_Line] = []
        if reader.name == "arff":
            head = list(_through_data(lines))
        elif reader.name != "libsvm":
            first = list(itertools.islice(lines, max(n_rows, _SAMPLE_LINES)))
            yield read(first)
            head = first[:_SAMPLE_LINES]
        while block := list(itertools.islice(lines, n_rows)):
            yield _last_rows(read([*head, *block]), len(block))


# Line number and text.
_Line = tuple[int, str]


def _filled_lines(path: Path, comment: str, encoding: str | None) -> Iterator[_Line]:
    """Yield the lines that are not blank, nor comments alone, of a file of any length."""
    for block in iter_blocks(path, math.inf, encoding=encoding):
        for number, line in enumerate(block.lines, block.first):
            text = line.strip()
            if text and not (comment and text.startswith(comment)):
                yield number, line


def _through_data(lines: Iterator[_Line]) -> Iterator[_Line]:
    """Yield the header of an ARFF file."""
    for number, line in lines:
        yield number, line
        if line.strip().lower().startswith("@data"):
            return


@contextlib.contextmanager
def _numbered_as(numbers: list[int]) -> Iterator[None]:
    """Name lines in errors by their numbers in the whole file."""
    try:
        yield
    except DataFileError as error:

        def original(found: re.Match[str]) -> str:
            return f", line {numbers[min(int(found[1]), len(numbers)) - 1]}: "

        raise DataFileError(_LINE.sub(original, str(error), count=1)) from None


def _last_rows(data: Dataset, n_rows: int) -> Dataset:
    begin = data.n_samples - n_rows
    if begin == 0:
        return data
    weight = data.sample_weight
    return replace(
        data,
        X=data.X[begin:],
        y=None if data.y is None else data.y[begin:],
        sample_weight=None if weight is None else weight[begin:],
    )
