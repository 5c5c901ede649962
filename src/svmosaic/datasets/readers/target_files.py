"""Read files with one row per sample and several targets, as Mulan and MEKA write them, or CSV."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.column_roles import find_column
from svmosaic.datasets.readers.dates import DateOrder
from svmosaic.datasets.readers.reader import ColumnNames, Reader, find_reader
from svmosaic.datasets.readers.table_files import check_options
from svmosaic.datasets.readers.table_options import TableOptions
from svmosaic.datasets.readers.text import file_error, shorten, table_name

__all__ = ["read_multitarget", "read_target_names"]

_LARGEST_XML_BYTES = 1 << 24


def read_multitarget(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    targets: int | Sequence[str | int] | str | os.PathLike[str] | None = None,
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
    allow_nan: bool = False,
    max_bytes: float | None = None,
) -> Dataset:
    r"""Read a table with several numeric targets.

    Parameters
    ----------
    path : path-like
        The file, plain or gzip'd: ARFF or CSV.
    format : {"csv", "arff"}, default=None
        By default the extension decides, or else the first lines.
    targets : int, sequence of str or int, path-like or None, default=None
        A number: that many columns at the end. A list: columns by name or by number from 0.
        A path: Mulan's XML file, which names them. None: the XML file of the same name beside the
        file, or else MEKA's ``-C`` in the relation of an ARFF file.
    drop : sequence of str or int, default=()
        Columns to leave out.
    nominal : {"onehot", "ordinal"}, default="onehot"
        How features with names become numbers; see `read_table`.
    nominal_gaps : {"zeros", "nan"}, default="zeros"
        What a missing name is in all columns of "onehot". Dense tables only; not for LIBSVM.
    nominal_columns : sequence of str or int, default=()
        Columns to read as names though they look like numbers.
    numeric_columns : sequence of str or int, default=()
        Columns of numbers: anything else in them is an error.
    id_column : str or int, default=None
        A column that identifies the rows; see `read_table`.
    delimiter, header, decimal, thousands, dates, encoding : optional
        How the file is written; see `read_table`.
    allow_nan : bool, default=False
        Accept missing values in the features, as nan.
    max_bytes : float, default=None
        The most that the unpacked text, and each array made from it, may take; see `read_table`.

    Returns
    -------
    Dataset
        `y` has one column per target and `target_names` their names. Targets named by XML are
        in the order of the columns.

    Raises
    ------
    DataFileError
        The file is malformed or does not say which columns are targets.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmosaic.datasets import read_multitarget
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.arff")
    ...     _ = path.write_text(
    ...         "@relation 'toy: -C -2'\n@attribute a real\n@attribute b real\n"
    ...         "@attribute c real\n@data\n1, 2, 3\n4, 5, 6\n"
    ...     )
    ...     data = read_multitarget(path)
    >>> data.X.tolist(), data.y.tolist(), data.target_names
    ([[1.0], [4.0]], [[2.0, 3.0], [5.0, 6.0]], ('b', 'c'))
    """
    source = Path(path)
    reader = find_reader(source, format, "read_multitarget", encoding)
    options = TableOptions(
        target=None,
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
        allow_nan=allow_nan,
        dense=True,
        max_bytes=max_bytes,
    )
    if reader.columns is None:
        raise file_error(
            source, None, f"{reader.name} files have one target. Use CSV or ARFF for several."
        )
    check_options(reader, options, source, "read_multitarget")
    columns = reader.columns(source, options)
    chosen = _target_numbers(source, columns, targets)
    _check_features(source, columns.names, chosen, options)
    # Read twice: a table has one target. The second reading has the targets as its features.
    table = reader.read(source, dataclasses.replace(options, drop=[*drop, *chosen]))
    y = _read_targets(reader, source, columns.names, chosen, options)
    names = tuple(columns.names[number] for number in chosen)
    return dataclasses.replace(table, y=y, target_names=names)


def _check_features(
    source: Path, names: Sequence[str], chosen: Sequence[int], options: TableOptions
) -> None:
    dropped = {find_column(key, names, source) for key in options.drop}
    for number in chosen:
        if number in dropped:
            raise ValueError(
                f"The target {names[number]!r} of {source.name} is also in drop. Name other "
                "'targets'."
            )
    if len(chosen) + len(dropped) == len(names):
        raise file_error(source, None, "all columns are targets. Leave some as features.")


def _read_targets(
    reader: Reader,
    source: Path,
    names: Sequence[str],
    chosen: Sequence[int],
    options: TableOptions,
) -> NDArray[np.float64]:
    others = [number for number in range(len(names)) if number not in chosen]
    as_features = dataclasses.replace(
        options,
        drop=others,
        nominal="onehot",
        nominal_columns=(),
        numeric_columns=(),
        id_column=None,
        allow_nan=True,
    )
    table = reader.read(source, as_features)
    place = {name: j for j, name in enumerate(table.feature_names or ())}
    wanted = [names[number] for number in chosen]
    for name in wanted:
        # A column of names has become one column for each of them.
        if name not in place:
            raise file_error(
                source,
                None,
                f"the target {shorten(name)} has names for values; targets must be numeric. Name "
                "other targets.",
            )
    y = np.ascontiguousarray(table.X[:, [place[name] for name in wanted]])
    _refuse_missing(source, y, wanted)
    return y


def read_target_names(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the targets that Mulan's XML file names.

    Parameters
    ----------
    path : path-like
        The file: ``<labels><label name="..."/>...</labels>``.
    """
    source = Path(path)
    if source.stat().st_size > _LARGEST_XML_BYTES:
        raise file_error(source, None, "an XML file of targets has at most 16 MB. Shorten it.")
    try:
        found = _label_names(source.read_bytes())
    except _DocumentTypeError:
        raise file_error(source, None, "the XML file has a document type. Remove it.") from None
    # The parser does not know an encoding, or cannot use it.
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise file_error(source, None, f"this is not XML ({error}). Correct the file.") from None
    names = [name for name in found if name]
    if not names or len(names) != len(found) or len(set(names)) != len(names):
        raise file_error(
            source, None, "expected different <label name=...> elements. Give each target a name."
        )
    return tuple(names)


class _DocumentTypeError(Exception):
    """The file has a document type, which could define entities that grow without end."""


def _label_names(text: bytes) -> list[str | None]:
    """Return the names of the elements <label>; None for one that has none."""
    found: list[str | None] = []

    def begin(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition("}")[2] == "label":
            found.append(attributes.get("name"))

    def refuse(*_: object) -> None:
        raise _DocumentTypeError

    parser = expat.ParserCreate(namespace_separator="}")
    parser.StartElementHandler = begin
    # Told by the parser, which knows the encoding, before any entity is defined.
    parser.StartDoctypeDeclHandler = refuse
    parser.Parse(text, True)
    return found


def _target_numbers(source: Path, columns: ColumnNames, targets: Any) -> list[int]:
    names = columns.names
    if targets is None:
        beside = source.with_name(f"{table_name(source)}.xml")
        if not beside.is_file():
            return _declared_targets(source, columns)
        targets = beside
    if isinstance(targets, int) and not isinstance(targets, bool):
        if not 1 <= targets < len(names):
            raise file_error(
                source,
                None,
                f"expected 1 to {len(names) - 1} targets, got {targets}. Change 'targets'.",
            )
        return list(range(len(names) - targets, len(names)))
    if isinstance(targets, str | os.PathLike):
        wanted = set(read_target_names(targets))
        numbers = [number for number, name in enumerate(names) if name in wanted]
        missing = wanted - {names[number] for number in numbers}
        if missing:
            raise file_error(
                source,
                None,
                f"the target {shorten(min(missing))} of the XML file is not a column. Correct a "
                "name.",
            )
        return numbers
    numbers = [_column_number(source, names, target) for target in targets]
    if not numbers or len(set(numbers)) != len(numbers):
        raise file_error(source, None, "'targets' must name different columns. Correct the list.")
    return numbers


def _column_number(source: Path, names: Sequence[str], target: str | int) -> int:
    if isinstance(target, str):
        if target in names:
            return names.index(target)
    elif -len(names) <= target < len(names):
        return int(target) % len(names)
    raise file_error(
        source, None, f"there is no column {shorten(str(target))}. Correct the list of targets."
    )


def _declared_targets(source: Path, columns: ColumnNames) -> list[int]:
    count, n = columns.n_targets, len(columns.names)
    if count is None:
        raise file_error(
            source,
            None,
            "the file does not say which columns are targets. Name them, or put Mulan's XML file "
            "beside it.",
        )
    if not 1 <= abs(count) < n:
        raise file_error(
            source, None, f"-C {count} does not fit {n} attributes. Correct the relation."
        )
    return list(range(count)) if count > 0 else list(range(n + count, n))


def _refuse_missing(source: Path, y: Any, names: Sequence[str]) -> None:
    rows, columns = np.nonzero(~np.isfinite(y))
    if rows.size:
        raise file_error(
            source,
            None,
            f"the target {shorten(names[columns[0]])} has no value in row {rows[0] + 1} of the "
            "data. Fill it in or remove the row.",
        )
