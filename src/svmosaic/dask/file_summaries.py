"""What all files of a table agree on: found on workers, file by file, and joined in pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.sparsefuncs import mean_variance_axis

from svmosaic.dask.file_tables import FileOptions, align_columns, find_columns, read_whole
from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.column_roles import find_column
from svmosaic.datasets.readers.reader import ColumnNames
from svmosaic.engine.problem import DoubleArray

__all__ = ["ColumnMoments", "FileSummary", "TargetSummary", "join", "summarise"]

# Text like LIBSVM's with at least this share of non-zero values is handled as a dense table.
_DENSE_SHARE = 0.5
# Differences are taken of this many rows at a time.
_ROWS_AT_ONCE = 4096


@dataclass(frozen=True, eq=False)
class ColumnMoments:
    """Range, mean and sum of squared differences from it, of each column."""

    low: Any
    high: Any
    mean: DoubleArray
    squares: DoubleArray


@dataclass(frozen=True, eq=False)
class TargetSummary:
    """What the targets are.

    Attributes
    ----------
    dtype : dtype
        A type that holds all of them.
    labels, counts : ndarray
        The classes and their rows; empty for regression.
    low, high, total : float
        Range and sum of numbers; nan for names.
    """

    dtype: Any
    labels: Any
    counts: Any
    low: float
    high: float
    total: float

    @property
    def are_names(self) -> bool:
        """Whether targets are text."""
        return bool(self.dtype.kind not in "biuf")


@dataclass(frozen=True, eq=False)
class FileSummary:
    """What some files hold together. If `fault` says what is wrong, the rest is of no use.

    Attributes
    ----------
    first : str
        The name of the first file.
    fault : str or None
        What is wrong with a file.
    n_faults : int
        How many files have a fault.
    format : str
        Their format.
    sizes : tuple of int
        The rows of each file.
    names : tuple of str or None
        The columns of all files together; None where they have no names.
    n_features : int
        How many columns there are.
    n_stored : int
        Values that are stored.
    is_sparse : bool
        Whether rows are compressed.
    has_weights : bool
        Whether a file carries weights of its rows.
    target : TargetSummary or None
        The targets.
    moments : ColumnMoments or None
        The values in the columns; None unless they were asked for.
    columns : tuple of str
        All columns of the first file, those that are no features too.
    date_columns, ids : tuple of str
        The features that were dates, and the column that identifies the rows.
    decimal : str
        The decimal sign: a comma if some file has it.
    """

    first: str
    fault: str | None = None
    n_faults: int = 0
    format: str = ""
    sizes: tuple[int, ...] = ()
    names: tuple[str, ...] | None = None
    n_features: int = 0
    n_stored: int = 0
    is_sparse: bool = False
    has_weights: bool = False
    target: TargetSummary | None = None
    moments: ColumnMoments | None = None
    columns: tuple[str, ...] = ()
    date_columns: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    decimal: str = "."

    @property
    def n_rows(self) -> int:
        """Rows of all files."""
        return sum(self.sizes)

    @property
    def stays_sparse(self) -> bool:
        """Whether rows are compressed after reading: mostly zeros, or sparse by declaration."""
        if not self.is_sparse or self.names is not None:
            return self.is_sparse
        return self.n_stored < _DENSE_SHARE * self.n_rows * self.n_features


def summarise(
    path: str,
    options: FileOptions,
    *,
    is_regression: bool,
    float32: bool = False,
    with_moments: bool = False,
) -> FileSummary:
    """Return what a file holds; errors are returned, not raised.

    An exception would end the pass over the files at the first that has one, on any worker.
    """
    source = Path(path)
    try:
        data, found = read_whole(source, options), find_columns(source, options)
        X = data.X.astype(np.float32) if float32 else data.X
        return FileSummary(
            first=source.name,
            format=options.reader(source).name,
            sizes=(data.n_samples,),
            names=data.feature_names,
            n_features=data.n_features,
            n_stored=int(X.nnz) if sp.issparse(X) else int(X.size),
            is_sparse=sp.issparse(X),
            has_weights=data.sample_weight is not None,
            target=_targets(source.name, np.asarray(data.y), is_regression),
            moments=_moments(X) if with_moments else None,
            columns=() if found is None else found.names,
            date_columns=data.date_columns,
            ids=_ids(data, found, options),
            decimal="." if found is None or found.numbers is None else found.numbers.decimal,
        )
    except FileNotFoundError:
        return _faulty(
            source.name,
            f"a worker cannot find {path!r}. Put the files where all workers see them at the "
            "same path.",
        )
    except (ValueError, TypeError, LookupError, OSError) as error:
        return _faulty(source.name, str(error))


def _ids(data: Dataset, found: ColumnNames | None, options: FileOptions) -> tuple[str, ...]:
    """Return the column that identifies the rows of a file, if there is one."""
    if found is None or data.ids is None:
        return ()
    key = options.reading.get("id_column")
    if key is None:
        return found.index[:1] or found.names[:1]
    return (found.names[find_column(key, found.names, Path())],)


def _faulty(first: str, fault: str) -> FileSummary:
    return FileSummary(first=first, fault=fault, n_faults=1)


def _targets(name: str, y: Any, is_regression: bool) -> TargetSummary:
    is_number = y.dtype.kind in "biuf"
    if is_regression and not is_number:
        raise ValueError(
            f"{name}: regression needs numbers as targets; the first one is {y[0]!r}. Name the "
            "column of the targets."
        )
    labels, counts = y[:0], np.empty(0, dtype=np.int64)
    if not is_regression:
        labels, counts = np.unique(y, return_counts=True)
    low, high, total = (y.min(), y.max(), y.sum()) if is_number else (np.nan,) * 3
    return TargetSummary(y.dtype, labels, counts, float(low), float(high), float(total))


def _moments(X: Any) -> ColumnMoments:
    if sp.issparse(X):
        low, high = (part.toarray().ravel() for part in (X.min(axis=0), X.max(axis=0)))
        mean, variance = mean_variance_axis(X.astype(np.float64), axis=0)
        return ColumnMoments(low, high, mean, variance * X.shape[0])
    mean = X.mean(axis=0, dtype=np.float64)
    squares = np.zeros(X.shape[1])
    for at in range(0, X.shape[0], _ROWS_AT_ONCE):
        difference = X[at : at + _ROWS_AT_ONCE] - mean
        squares += (difference * difference).sum(axis=0)
    return ColumnMoments(X.min(axis=0), X.max(axis=0), mean, squares)


# Joining ------------------------------------------------------------------------------------


class _Mismatch(ValueError):
    """Files that do not belong together."""


def join(one: FileSummary, other: FileSummary) -> FileSummary:
    """Return what the files of both hold together; those of `one` come first."""
    if one.fault is not None or other.fault is not None:
        worse = one if one.fault is not None else other
        return replace(worse, n_faults=one.n_faults + other.n_faults)
    try:
        return _join(one, other)
    except _Mismatch as error:
        return _faulty(other.first, str(error))


def _join(one: FileSummary, other: FileSummary) -> FileSummary:
    if one.format != other.format:
        raise _Mismatch(
            f"{one.first} is read as {one.format} and {other.first} as {other.format}. Use files "
            "of one format, or pass the format."
        )
    names = _all_columns(one, other)
    n_features = max(one.n_features, other.n_features) if names is None else len(names)
    moments = None
    if one.moments is not None and other.moments is not None:
        moments = _join_moments(one, other, names, n_features)
    return replace(
        one,
        sizes=one.sizes + other.sizes,
        names=names,
        n_features=n_features,
        n_stored=one.n_stored + other.n_stored,
        is_sparse=one.is_sparse and other.is_sparse,
        has_weights=one.has_weights or other.has_weights,
        target=_join_targets(one, other),
        moments=moments,
        date_columns=tuple(dict.fromkeys(one.date_columns + other.date_columns)),
        decimal="," if "," in (one.decimal, other.decimal) else ".",
    )


def _all_columns(one: FileSummary, other: FileSummary) -> tuple[str, ...] | None:
    """Return the columns of both. A name that one file lacks is 0 there; a number must be there."""
    if one.names is None or other.names is None or one.names == other.names:
        return one.names
    ours, theirs = _by_column(one.names), _by_column(other.names)
    for a, b, columns_a, columns_b in (
        (one, other, ours, theirs),
        (other, one, theirs, ours),
    ):
        for column in columns_a:
            if column not in columns_b:
                raise _Mismatch(
                    f"{b.first} lacks the column {column!r} that {a.first} has. Use files with "
                    "the same columns."
                )
    joined: list[str] = []
    for column, values in ours.items():
        added = theirs[column]
        if (None in values) != (None in added):
            numbers, names = (one, other) if None in values else (other, one)
            raise _Mismatch(
                f"The column {column!r} holds numbers in {numbers.first} and names in "
                f"{names.first}. Write it alike in all files."
            )
        known = [value for value in {**values, **added} if value is not None]
        if set(values) != set(added):
            known.sort()
        joined += [f"{column}={value}" for value in known] if known else [column]
    return tuple(joined)


def _by_column(names: Sequence[str]) -> dict[str, dict[str | None, None]]:
    """Return the values of each column: ``colour=red`` is a value of the column colour."""
    columns: dict[str, dict[str | None, None]] = {}
    for name in names:
        column, equals, value = name.partition("=")
        columns.setdefault(column, {})[value if equals else None] = None
    return columns


def _join_targets(one: FileSummary, other: FileSummary) -> TargetSummary:
    a, b = one.target, other.target
    assert a is not None
    assert b is not None
    if a.are_names != b.are_names:
        numbers, names = (other, one) if a.are_names else (one, other)
        raise _Mismatch(
            f"The targets are numbers in {numbers.first} and names in {names.first}. Write them "
            "alike in all files."
        )
    labels = np.unique(np.concatenate([a.labels, b.labels])) if a.labels.size else a.labels
    counts = np.zeros(labels.size, dtype=np.int64)
    for part in (a, b):
        counts[np.searchsorted(labels, part.labels)] += part.counts
    return TargetSummary(
        np.result_type(a.dtype, b.dtype),
        labels,
        counts,
        min(a.low, b.low),
        max(a.high, b.high),
        a.total + b.total,
    )


def _join_moments(
    one: FileSummary, other: FileSummary, names: tuple[str, ...] | None, n_features: int
) -> ColumnMoments:
    a, b = (_spread(part, names, n_features) for part in (one, other))
    n, m = one.n_rows, other.n_rows
    shift = b.mean - a.mean
    return ColumnMoments(
        np.minimum(a.low, b.low),
        np.maximum(a.high, b.high),
        a.mean + shift * (m / (n + m)),
        a.squares + b.squares + shift * shift * (n * m / (n + m)),
    )


def _spread(part: FileSummary, names: tuple[str, ...] | None, n_features: int) -> ColumnMoments:
    """Return the moments over the columns of all files: a column that a file lacks is 0 in it."""

    def spread(values: Any) -> Any:
        if part.names is not None and names is not None:
            return align_columns(values[np.newaxis, :], part.names, names)[0]
        return np.pad(values, (0, n_features - values.size))

    found = part.moments
    assert found is not None
    return ColumnMoments(
        *(spread(getattr(found, name)) for name in ("low", "high", "mean", "squares"))
    )
