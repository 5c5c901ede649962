"""From columns to the matrix of features, dense or sparse, and the names of its columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from svmosaic.datasets.readers.columns import DoubleArray, FinishedColumn, IndexArray
from svmosaic.datasets.readers.table_options import TableOptions
from svmosaic.datasets.readers.text import file_error, in_words, memory_limit

__all__ = [
    "assemble_table",
    "check_size",
    "feature_names",
    "match_codes",
    "to_csr",
    "to_dense",
    "triplets",
]

# A value of a feature that is a whole number with zeros behind its point.
_WHOLE_WITH_ZEROS = re.compile(r"(=-?\d+)\.0+$", re.ASCII)
Triplets = tuple[IndexArray, IndexArray, DoubleArray]


def assemble_table(
    features: Sequence[FinishedColumn], n_rows: int, options: TableOptions
) -> tuple[Any, tuple[str, ...]]:
    """Return the matrix of some columns, and the names of its features."""
    onehot = options.nominal == "onehot"
    names = tuple(name for column in features for name in feature_names(column, onehot))
    shape = (n_rows, len(names))
    if options.dense is False:
        return _sparse_features(features, shape, onehot), names
    return _dense_features(features, shape, onehot, options.nominal_gaps == "nan"), names


def feature_names(column: FinishedColumn, onehot: bool) -> list[str]:
    """Return the names of the features that a column becomes."""
    if column.categories is None or not onehot:
        return [column.name]
    return [f"{column.name}={value}" for value in column.categories]


def match_codes(names: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Return names of features as a model has them, where codes are written in another way.

    A column of codes that is read as names may have ``1`` in a file of text and ``1.0`` where it
    was kept as a number: both are the same name. ``01`` is another.

    Parameters
    ----------
    names : sequence of str
        The features of a file.
    wanted : sequence of str
        The features of a model.
    """
    known, present = set(wanted), set(names)
    by_code = {_without_zeros(name): name for name in wanted if "=" in name}

    def match(name: str) -> str:
        if name in known or "=" not in name:
            return name
        found = by_code.get(_without_zeros(name))
        return name if found is None or found in present else found

    return [match(name) for name in names]


def _without_zeros(name: str) -> str:
    """Return ``code=1`` for ``code=1.0``."""
    return _WHOLE_WITH_ZEROS.sub(r"\1", name)


def _dense_features(
    features: Sequence[FinishedColumn], shape: tuple[int, int], onehot: bool, names_as_nan: bool
) -> DoubleArray:
    X = np.zeros(shape)
    at = 0
    for column in features:
        if column.categories is None:
            X[:, at] = column.values
            at += 1
        elif onehot:
            rows = np.flatnonzero(column.values >= 0)
            X[rows, at + column.values[rows].astype(np.int64)] = 1.0
            if names_as_nan and rows.size < shape[0]:
                X[column.values < 0, at : at + len(column.categories)] = np.nan
            at += len(column.categories)
        else:
            X[:, at] = np.where(column.values < 0, np.nan, column.values)
            at += 1
    return X


def _sparse_features(
    features: Sequence[FinishedColumn], shape: tuple[int, int], onehot: bool
) -> Any:
    parts = []
    at = 0
    for column in features:
        parts.append(triplets(column, at, onehot))
        at += 1 if column.categories is None or not onehot else len(column.categories)
    return to_csr(parts, shape)


def triplets(column: FinishedColumn, at: int, onehot: bool) -> Triplets:
    """Return the non-zero values of a column whose first feature has the number `at`."""
    if column.categories is not None and onehot:
        rows = np.flatnonzero(column.values >= 0)
        return rows, at + column.values[rows].astype(np.int64), np.ones(rows.size)
    numbers = column.values.astype(np.float64)
    if column.categories is not None:
        numbers[numbers < 0] = np.nan
    rows = np.flatnonzero(numbers)
    return rows, np.full(rows.size, at), numbers[rows]


def to_csr(parts: Sequence[Triplets], shape: tuple[int, int]) -> Any:
    """Join triplets of rows, columns and values into a ``csr_array``."""
    rows, columns, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    return scipy.sparse.csr_array(scipy.sparse.coo_array((values, (rows, columns)), shape=shape))


def check_size(
    path: Path, shape: tuple[int, int], max_bytes: float | None, advice: str = ""
) -> None:
    """Refuse a dense array that would not fit, before it is made.

    Parameters
    ----------
    path : Path
        The file, for the message.
    shape : tuple of int
        Rows and columns of the array.
    max_bytes : float or None
        The most that it may take; None: `memory_limit`.
    advice : str, default=""
        What else helps, with a comma behind it.
    """
    needed, most = shape[0] * shape[1] * 8, memory_limit(max_bytes)
    if needed > most:
        raise file_error(
            path,
            None,
            f"a dense array of {shape[0]} x {shape[1]} needs {in_words(needed)}; the limit is "
            f"{in_words(most)}. Pass dense=False for a sparse matrix, {advice}or raise max_bytes.",
        )


def to_dense(X: Any, path: Path, max_bytes: float | None = None) -> DoubleArray:
    """Return a sparse matrix as an ndarray, after a look at its size."""
    check_size(path, X.shape, max_bytes)
    dense: DoubleArray = X.toarray()
    return dense
