"""What the readers see in a data file: how it is written, and what its columns hold."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmosaic.datasets.readers.column_roles import assign_roles
from svmosaic.datasets.readers.column_survey import ColumnSummary, ColumnSurvey
from svmosaic.datasets.readers.index_columns import index_as_ids
from svmosaic.datasets.readers.line_table import MISSING
from svmosaic.datasets.readers.numbers import PLAIN
from svmosaic.datasets.readers.reader import ColumnNames, Reader, find_reader
from svmosaic.datasets.readers.table_files import check_options
from svmosaic.datasets.readers.table_options import TableOptions
from svmosaic.datasets.readers.text import file_error, packing_and_encoding

__all__ = ["FileSurvey", "survey_file"]

# Values are counted one by one in at most this many places, shared by the columns.
_MOST_COUNTED = 1_000_000
_FEWEST_PER_COLUMN = 100
_BATCH_CELLS = 200_000


@dataclass(frozen=True)
class FileSurvey:
    """What is in a data file.

    Attributes
    ----------
    format : str
        Its format.
    is_packed : bool
        Whether it is gzip'd.
    encoding : str or None
        How its text is encoded; None for formats that are no text.
    found : ColumnNames or None
        How its table is written; None for formats without columns.
    n_rows : int
        The number of samples.
    n_features : int
        Its columns that are features; for formats without named columns, the largest index.
    columns : tuple of ColumnSummary
        What the columns hold, those left out too. For formats without named columns, the target
        alone.
    target, id_column : int or None
        Which of the columns these are.
    dropped : frozenset of int
        Which are left out.
    """

    format: str
    is_packed: bool
    encoding: str | None
    found: ColumnNames | None
    n_rows: int
    n_features: int
    columns: tuple[ColumnSummary, ...]
    target: int | None
    id_column: int | None
    dropped: frozenset[int]


def survey_file(path: Path, options: TableOptions, format: str | None = None) -> FileSurvey:
    r"""Look at a data file as the readers do, and say what is in it rather than refuse it.

    Parameters
    ----------
    path : Path
        The file.
    options : TableOptions
        How it is written, and which column is the target; as for `read_table`.
    format : str, default=None
        Its format; None: it is detected.

    Returns
    -------
    FileSurvey

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmosaic.datasets.file_survey import survey_file
    >>> from svmosaic.datasets.readers.table_options import TableOptions
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.csv")
    ...     _ = path.write_text("size;colour;class\n1,5;red;yes\n2;?;no\n")
    ...     survey = survey_file(path, TableOptions())
    >>> survey.n_rows, survey.found.delimiter, survey.found.numbers.decimal
    (2, ';', ',')
    >>> [(column.name, column.kind, column.n_missing) for column in survey.columns]
    [('size', 'numbers', 0), ('colour', 'names', 1), ('class', 'names', 0)]
    """
    reader = find_reader(path, format, encoding=options.encoding)
    check_options(reader, options, path, "survey_file")
    if reader.magic:
        is_packed, encoding = False, None
    else:
        is_packed, encoding = packing_and_encoding(path)
        encoding = options.encoding or encoding
    common = (reader.name, is_packed, encoding)
    if reader.cells is None or reader.columns is None:
        return _of_data(reader, path, options, common)
    found = reader.columns(path, options)
    options = index_as_ids(found.names, found.index, options, path)
    roles = assign_roles(found.names, options, path, row_names=found.row_names)
    n_rows, surveys = _count(reader.cells(path, options), found, path)
    columns = tuple(
        survey.finish(as_names=j in roles.forced_nominal, as_numbers=j in roles.forced_numeric)
        for j, survey in enumerate(surveys)
    )
    n_features = sum(map(roles.is_feature, range(len(columns))))
    return FileSurvey(
        *(*common, found, n_rows, n_features, columns),
        target=roles.target,
        id_column=roles.id_column,
        dropped=roles.dropped,
    )


def _count(
    rows: Iterator[tuple[int, Sequence[str]]], found: ColumnNames, path: Path
) -> tuple[int, list[ColumnSurvey]]:
    """Return the number of rows, and what their columns hold."""
    width = len(found.names)
    missing, numbers = found.missing or MISSING, found.numbers or PLAIN
    most = max(_FEWEST_PER_COLUMN, _MOST_COUNTED // width)
    surveys = [ColumnSurvey(name, missing, numbers, most) for name in found.names]
    n_rows, number = 0, 1
    while batch := list(itertools.islice(rows, 1 + _BATCH_CELLS // width)):
        for number, cells in batch:
            if len(cells) != width:
                raise file_error(
                    path,
                    number,
                    f"the row has {len(cells)} cells; expected {width}. Correct the row or the "
                    "delimiter.",
                )
        lines = [number for number, _ in batch]
        for survey, cells in zip(
            surveys, zip(*(row for _, row in batch), strict=True), strict=True
        ):
            survey.add(cells, lines)
        n_rows += len(batch)
    if not n_rows:
        raise file_error(path, number, "the table has no rows. Check the file.")
    return n_rows, surveys


# Formats whose cells are not text in columns ------------------------------------------------


def _of_data(
    reader: Reader, path: Path, options: TableOptions, common: tuple[str, bool, str | None]
) -> FileSurvey:
    """Look at the arrays that a reader returns."""
    data = reader.read(path, replace(options, allow_nan=True))
    found = None
    if reader.has_columns and reader.columns is not None:
        found = reader.columns(path, options)
    target = None if data.y is None else _of_target(data.y)
    n_rows = data.n_samples
    if found is None or data.feature_names is None:
        columns = () if target is None else (target,)
        return FileSurvey(
            *(*common, None, n_rows, data.n_features, columns),
            target=None if target is None else 0,
            id_column=None,
            dropped=frozenset(),
        )
    roles = assign_roles(found.names, options, path, row_names=found.row_names)
    place = {name: j for j, name in enumerate(data.feature_names)}
    summaries = []
    for j, name in enumerate(found.names):
        if j == roles.target and target is not None:
            summaries.append(replace(target, name=name))
        elif not roles.is_feature(j):
            summaries.append(_of_names(name, {}, 0))
        elif name in place:
            summaries.append(_of_numbers(name, _column(data.X, place[name])))
        else:
            counts = {
                feature.removeprefix(f"{name}="): int(np.nansum(_column(data.X, at)))
                for feature, at in place.items()
                if feature.startswith(f"{name}=")
            }
            summaries.append(_of_names(name, counts, n_rows - sum(counts.values())))
    n_features = sum(map(roles.is_feature, range(len(summaries))))
    return FileSurvey(
        *(*common, found, n_rows, n_features, tuple(summaries)),
        target=roles.target,
        id_column=roles.id_column,
        dropped=roles.dropped,
    )


def _column(X: Any, j: int) -> Any:
    return X[:, [j]].toarray().ravel() if sp.issparse(X) else X[:, j]


def _of_target(y: Any) -> ColumnSummary:
    if y.dtype.kind in "iuf":
        return _of_numbers("target", y)
    names, counts = np.unique(y.astype(str), return_counts=True)
    return _of_names("target", dict(zip(names.tolist(), counts.tolist(), strict=True)), 0)


def _of_numbers(name: str, column: Any) -> ColumnSummary:
    values = np.asarray(column, dtype=np.float64)
    present = values[~np.isnan(values)]
    finite = present[np.isfinite(present)]
    distinct, counts = np.unique(present, return_counts=True)
    is_whole = bool(finite.size) and bool(np.all(finite == np.floor(finite)))
    shown = {f"{value:.17g}": int(n) for value, n in zip(distinct, counts, strict=True)}
    is_few = distinct.size <= _FEWEST_PER_COLUMN
    return ColumnSummary(
        name=name,
        kind="empty" if not present.size else "whole numbers" if is_whole else "numbers",
        n_missing=int(values.size - present.size),
        n_values=int(distinct.size),
        minimum=float(finite.min()) if finite.size else None,
        maximum=float(finite.max()) if finite.size else None,
        values=dict(Counter(shown).most_common()) if is_few else {},
        odd=None,
        n_odd=0,
        n_infinite=int(present.size - finite.size),
        counts_rows=bool(values.size > 1 and values[0] in (0, 1) and np.all(np.diff(values) == 1)),
    )


def _of_names(name: str, counts: dict[str, int], n_missing: int) -> ColumnSummary:
    used = {value: n for value, n in counts.items() if n}
    return ColumnSummary(
        name=name,
        kind="names",
        n_missing=n_missing,
        n_values=len(used),
        minimum=None,
        maximum=None,
        values=dict(Counter(used).most_common()),
        odd=None,
        n_odd=0,
        n_infinite=0,
        counts_rows=False,
    )
