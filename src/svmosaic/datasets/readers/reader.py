"""What a file format brings, and the table of all formats.

Nothing here imports the numerical libraries: the command line lists the formats in its help.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from svmosaic.datasets.readers.numbers import NumberFormat
from svmosaic.datasets.readers.text import iter_blocks

if TYPE_CHECKING:
    from svmosaic.datasets.dataset import Dataset
    from svmosaic.datasets.readers.row_source import RowSource
    from svmosaic.datasets.readers.table_options import TableOptions

__all__ = [
    "TABLE_OPTIONS",
    "ColumnNames",
    "Reader",
    "find_reader",
    "no_line",
    "reader_names",
    "register_reader",
]

# No format needs more bytes to be known by them.
_MOST_MAGIC_BYTES = 16
# The options of `read_table` that a format with named columns has.
TABLE_OPTIONS = frozenset(
    {"target", "drop", "nominal", "nominal_columns", "nominal_gaps", "id_column"}
)


@dataclass(frozen=True)
class ColumnNames:
    """The columns of a file.

    Attributes
    ----------
    names : tuple of str
        All of them, in order.
    n_targets : int or None
        How many of them the file declares as targets: the first ones, or the last ones if it is
        negative. None: the file says nothing.
    delimiter : str or None
        What separates the cells; None: the format has no delimiter.
    numbers : NumberFormat or None
        How numbers are written; None: the format leaves no choice.
    row_names : bool
        Whether the first column has no heading, and so names the rows.
    index : tuple of str
        Those of them that the file declares as an index of the rows.
    header : bool or None
        Whether the first line names the columns; None: the format leaves no choice.
    missing : frozenset of str or None
        What a cell without a value looks like; None: as in CSV.
    """

    names: tuple[str, ...]
    n_targets: int | None = None
    delimiter: str | None = None
    numbers: NumberFormat | None = None
    row_names: bool = False
    index: tuple[str, ...] = ()
    header: bool | None = None
    missing: frozenset[str] | None = None


def no_line(line: str) -> bool:
    """Recognise nothing: the format has an extension, or is named.

    Parameters
    ----------
    line : str
        A line of a file.

    Returns
    -------
    bool
        False.
    """
    return False


@dataclass(frozen=True)
class Reader:
    """All that svmosaic needs to know of a file format.

    `register_reader` puts a reader into the table. From then on `read_table`, `read_bags`,
    `read_multitarget`, `svmosaic.streams.FileStream` and the command line read its files. For
    text with one sample a line, `svmosaic.datasets.line_reader` makes a reader from one function.

    Attributes
    ----------
    name : str
        What to call the format: the value of the option ``format``.
    extensions : tuple of str
        Extensions of its files, in lower case with the point: ``(".csv", ".tsv")``.
    read : callable
        ``read(path, options)`` returns the `Dataset` of a file. The options are a
        `svmosaic.datasets.readers.table_options.TableOptions`.
    recognises : callable
        ``recognises(line)`` says whether a stripped line can only be of this format. Asked line
        by line for files with an unknown extension, the reader registered last first.
    options : frozenset of str
        The options of `read_table` that the format has, of those that not all formats have. A
        format whose columns have no names has neither ``target`` nor ``drop``.
    columns : callable or None
        ``columns(path, options)`` returns the `ColumnNames` of a file without reading it whole.
        None: no several targets, and bags only by `read_bags`.
    read_bags : callable or None
        ``read_bags(path, bag, options)`` returns the bags of a file. None: a table with a column
        of bag ids.
    rows : callable or None
        ``rows(path, options)`` returns a `svmosaic.datasets.readers.row_source.RowSource`, which
        streams need. None: not to be had as a stream.
    cells : callable or None
        ``cells(path, options)`` yields the rows of a file with named columns as their number and
        the text of their cells. None: a description of a file is made of what `read` returns.
    magic : bytes
        How all files of a format that is no text begin; empty for text.
    """

    name: str
    extensions: tuple[str, ...]
    read: Callable[[Path, TableOptions], Dataset]
    recognises: Callable[[str], bool] = no_line
    options: frozenset[str] = TABLE_OPTIONS
    columns: Callable[[Path, TableOptions], ColumnNames] | None = None
    read_bags: Callable[[Path, str | int | None, TableOptions], Dataset] | None = None
    rows: Callable[[Path, TableOptions], RowSource] | None = None
    cells: Callable[[Path, TableOptions], Iterator[tuple[int, Sequence[str]]]] | None = None
    magic: bytes = b""

    @property
    def has_columns(self) -> bool:
        """Whether the target is one of several columns, and not in a place of its own."""
        return "target" in self.options


# The table: a reader, or the module here whose READER it is. CSV comes first, as it is what a
# file is taken for that no format recognises.
_READERS: dict[str, str | Reader] = {
    "csv": "csv",
    "libsvm": "libsvm_reader",
    "arff": "arff_reader",
    "parquet": "parquet",
    "excel": "excel",
}


def register_reader(reader: Reader) -> None:
    """Make a file format known; one of the same name is replaced.

    Parameters
    ----------
    reader : Reader
        The reader.

    Examples
    --------
    >>> from svmosaic.datasets import read_table, register_reader
    >>> from svmosaic.datasets.readers.reader import find_reader
    >>> register_reader(find_reader("toy.csv"))
    """
    for extension in reader.extensions:
        if not extension.startswith(".") or extension != extension.lower():
            raise ValueError(
                f"The extensions of reader {reader.name!r} must be in lower case and begin with a "
                f"point. Got {extension!r}."
            )
    _READERS[reader.name] = reader


def reader_names() -> tuple[str, ...]:
    """Return the names of all formats.

    Examples
    --------
    >>> from svmosaic.datasets.readers.reader import reader_names
    >>> reader_names()[:3]
    ('csv', 'libsvm', 'arff')
    """
    return tuple(_READERS)


def find_reader(
    path: str | os.PathLike[str],
    format: str | None = None,
    who: str = "read_table",
    encoding: str | None = None,
) -> Reader:
    """Return the reader of a file, by its extension or else by its first lines.

    Parameters
    ----------
    path : path-like
        The file.
    format : str, default=None
        The name of the format, where the caller knows it.
    who : str, default="read_table"
        The function to name in the message about a wrong 'format'.
    encoding : str, default=None
        How text is encoded; see `read_table`.

    Examples
    --------
    >>> from svmosaic.datasets.readers.reader import find_reader
    >>> find_reader("heart.svm.gz").name
    'libsvm'
    """
    if format is not None:
        if format not in _READERS:
            raise ValueError(
                f"The 'format' option of {who} must be one of "
                f"{', '.join(map(repr, _READERS))}. Got {format!r} instead."
            )
        return _reader(format)
    latest_first = [_reader(name) for name in reversed(_READERS)]
    extension = Path(Path(path).name.removesuffix(".gz")).suffix.lower()
    for reader in latest_first:
        if extension in reader.extensions:
            return reader
    with open(path, "rb") as stream:
        start = stream.read(_MOST_MAGIC_BYTES)
    for reader in latest_first:
        if reader.magic and start.startswith(reader.magic):
            return reader
    for block in iter_blocks(path, encoding=encoding):
        for line in map(str.strip, block.lines):
            for reader in latest_first:
                if line and reader.recognises(line):
                    return reader
    return latest_first[-1]


def _reader(name: str) -> Reader:
    found = _READERS[name]
    if isinstance(found, str):
        found = import_module(f"{__package__}.{found}").READER
        assert isinstance(found, Reader)
        _READERS[name] = found
    return found
