"""Scores of methods on data sets: the table that every comparison starts from."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from svmosaic.utils.shown_table import ShownAsTable, ShownTable

__all__ = [
    "DoubleArray",
    "Missing",
    "ScoreTable",
    "is_summary",
    "score_table",
    "table_of_records",
]

DoubleArray = NDArray[np.float64]
Missing = Literal["refuse", "drop"]

# A row of such a name is a summary of the others; ranking it as a data set would be wrong.
_SUMMARIES = frozenset({"average", "averages", "mean", "median", "rank", "ranks", "total", "sum"})


# Arrays have no single truth value, so tables are compared by what is in them, not by ==.
@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable(ShownAsTable):
    """Scores of several methods on the same data sets.

    Attributes
    ----------
    scores : ndarray of shape (n_datasets, n_methods)
        The scores; all are finite.
    datasets : tuple of str
        Names of the rows.
    methods : tuple of str
        Names of the columns.
    dropped : tuple of str
        Data sets that were left out because a score was missing.
    """

    scores: DoubleArray
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    dropped: tuple[str, ...] = ()

    def _shown(self) -> ShownTable:
        n, k = self.scores.shape
        return ShownTable(
            f"scores of {k} methods on {n} data sets",
            ["data set", *self.methods],
            [
                [name, *(f"{score:.4g}" for score in row)]
                for name, row in zip(self.datasets, self.scores, strict=True)
            ],
            f"left out: {', '.join(self.dropped)}" if self.dropped else "",
        )


def score_table(
    table: Any,
    *,
    methods: Sequence[str] | None = None,
    datasets: Sequence[str] | None = None,
    missing: Missing = "refuse",
) -> ScoreTable:
    """Return scores in any usual form as a checked table.

    Parameters
    ----------
    table : DataFrame, mapping or array-like of shape (n_datasets, n_methods)
        A data frame has one column per method; its first column names the data sets if it holds
        text, else its index does. A mapping has one entry per method: a sequence of scores, or a
        mapping from data sets to scores.
    methods : sequence of str, default=None
        Names of the columns of an array, or the columns of a frame or mapping to use.
    datasets : sequence of str, default=None
        Names of the rows, where the table has none.
    missing : {"refuse", "drop"}, default="refuse"
        What to do about a score that is missing (None, nan or empty): raise an error, or leave
        out its data set.

    Returns
    -------
    ScoreTable
        At least two methods on at least two data sets.

    Examples
    --------
    >>> from svmosaic.stats import score_table
    >>> table = score_table({"SVC": [0.9, 0.8], "OLLAWV": [0.9, 0.7]}, datasets=["iris", "wine"])
    >>> table.methods, table.datasets
    (('SVC', 'OLLAWV'), ('iris', 'wine'))
    """
    if isinstance(table, ScoreTable):
        if methods is None and datasets is None:
            return table
        table = {
            name: dict(zip(table.datasets, column, strict=True))
            for name, column in zip(table.methods, table.scores.T.tolist(), strict=True)
        }
    if missing not in ("refuse", "drop"):
        raise ValueError(
            f"The 'missing' option of score_table must be 'refuse' or 'drop'. Got {missing!r}."
        )
    columns, rows = _take_apart(table, methods)
    if datasets is not None:
        rows = list(datasets)
    return _check(columns, None if rows is None else [str(name) for name in rows], missing)


def table_of_records(
    records: Iterable[Mapping[str, Any]],
    score: str,
    *,
    dataset: str = "dataset",
    method: str = "method",
    missing: Missing = "refuse",
) -> ScoreTable:
    """Return the table of one score from records, averaged over folds and repeats.

    Parameters
    ----------
    records : iterable of mappings
        One record per data set, method and fold, such as `Evaluation.records` gives.
    score : str
        The entry to use.
    dataset, method : str
        The entries that name the data set and the method.
    missing : {"refuse", "drop"}, default="refuse"
        As in `score_table`. A data set is also incomplete where a method has fewer records than
        another: their means would be over different folds.

    Returns
    -------
    ScoreTable
        Methods and data sets in the order in which they appear first.

    Examples
    --------
    >>> from svmosaic.stats import table_of_records
    >>> folds = [("iris", "a", 1.0), ("iris", "a", 0.8), ("iris", "b", 0.7), ("iris", "b", 0.7)]
    >>> folds += [("wine", "a", 0.6), ("wine", "b", 0.5)]
    >>> records = [dict(zip(("dataset", "method", "accuracy"), fold)) for fold in folds]
    >>> table_of_records(records, "accuracy").scores.tolist()
    [[0.9, 0.7], [0.6, 0.5]]
    """
    values: dict[str, dict[str, list[float]]] = {}
    for number, record in enumerate(records):
        for name in (dataset, method, score):
            if name not in record:
                raise ValueError(
                    f"Record {number} has no entry {name!r}; it has {', '.join(record)}. Name the "
                    "entries by 'score', 'dataset' and 'method'."
                )
        row, column = str(record[dataset]), str(record[method])
        cell = _number(record[score], column, row)
        values.setdefault(column, {}).setdefault(row, []).append(cell)
    names = list(dict.fromkeys(row for column in values.values() for row in column))
    counts = {row: max(len(column.get(row, ())) for column in values.values()) for row in names}
    means = {
        column: [
            math.fsum(cells[row]) / counts[row] if len(cells.get(row, ())) == counts[row] else None
            for row in names
        ]
        for column, cells in values.items()
    }
    return _check(means, names, missing)


# Taking tables apart ------------------------------------------------------------------------


def _take_apart(
    table: Any, methods: Sequence[str] | None
) -> tuple[dict[str, Any], list[Any] | None]:
    """Return the columns by method, and the names of the rows if the table has them."""
    if isinstance(table, Mapping):
        columns, rows = _from_mapping(table)
    elif hasattr(table, "columns") and hasattr(table, "__getitem__"):
        columns, rows = _from_frame(table)
    else:
        return _from_array(table, methods), None
    if methods is None:
        return columns, rows
    unknown = [name for name in methods if name not in columns]
    if unknown:
        raise ValueError(
            f"The table has no method {unknown[0]!r}. Its methods are: {', '.join(columns)}."
        )
    return {name: columns[name] for name in methods}, rows


def _from_mapping(table: Mapping[Any, Any]) -> tuple[dict[str, Any], list[Any] | None]:
    columns: dict[str, Any] = {
        str(name): column if isinstance(column, Mapping) else list(column)
        for name, column in table.items()
    }
    nested = [isinstance(column, Mapping) for column in columns.values()]
    if not any(nested):
        return columns, None
    if not all(nested):
        raise TypeError(
            "The scores of all methods must be mappings from data sets, or none of them. Got both."
        )
    rows = list(dict.fromkeys(row for column in columns.values() for row in column))
    return {name: [column.get(row) for row in rows] for name, column in columns.items()}, rows


def _from_frame(table: Any) -> tuple[dict[str, Any], list[Any] | None]:
    """Take a data frame of any library apart: all have `columns` and take a name in brackets."""
    names = list(table.columns)
    if len({str(name) for name in names}) < len(names):
        raise ValueError("Two columns of the table have the same name. Rename one of them.")
    columns = {str(name): list(table[name]) for name in names}
    first = str(names[0]) if names else ""
    if first in columns and any(_is_text(cell) for cell in columns[first]):
        return {name: columns[name] for name in columns if name != first}, columns[first]
    index = getattr(table, "index", None)
    return columns, None if index is None or callable(index) else list(index)


def _from_array(table: Any, methods: Sequence[str] | None) -> dict[str, Any]:
    array = np.asarray(table)
    if array.ndim != 2:
        raise ValueError(
            "A table of scores must have the shape (n_datasets, n_methods). Got an array of shape "
            f"{array.shape}."
        )
    names = [f"method {j + 1}" for j in range(array.shape[1])] if methods is None else list(methods)
    if len(names) != array.shape[1]:
        raise ValueError(
            f"The table has {array.shape[1]} columns and {len(names)} names of methods. Give one "
            "name per column."
        )
    _refuse_copies("method", [str(name) for name in names])
    return {str(name): array[:, j].tolist() for j, name in enumerate(names)}


def _is_text(cell: Any) -> bool:
    if not isinstance(cell, str):
        return False
    try:
        float(cell)
    except ValueError:
        return bool(cell.strip())
    return False


# Checks -------------------------------------------------------------------------------------


def _check(
    columns: Mapping[str, Sequence[Any]], rows: Sequence[str] | None, missing: Missing
) -> ScoreTable:
    methods = tuple(columns)
    lengths = {name: len(column) for name, column in columns.items()}
    n_rows = max(lengths.values(), default=0)
    names = tuple(f"data set {i + 1}" for i in range(n_rows)) if rows is None else tuple(rows)
    for name, length in lengths.items():
        if length != len(names):
            raise ValueError(
                f"The method {name!r} has {length} scores for {len(names)} data sets. Every method "
                "needs one score per data set."
            )
    _refuse_copies("data set", names)
    _refuse_summaries(names)
    scores = np.array(
        [[_number(columns[name][i], name, row) for name in methods] for i, row in enumerate(names)],
        dtype=np.float64,
    ).reshape(len(names), len(methods))
    return _complete(ScoreTable(scores, names, methods), missing)


def _complete(table: ScoreTable, missing: Missing) -> ScoreTable:
    holes = np.isnan(table.scores)
    if holes.any() and missing == "refuse":
        i, j = np.argwhere(holes)[0]
        raise ValueError(
            f"The score of {table.methods[j]!r} on {table.datasets[i]!r} is missing "
            f"({int(holes.sum())} missing in all). Fill it in, or leave out incomplete data sets "
            "with the option missing: drop."
        )
    whole = np.flatnonzero(~holes.any(axis=1))
    kept = tuple(table.datasets[i] for i in whole)
    dropped = tuple(name for name in table.datasets if name not in kept)
    if len(table.methods) < 2 or len(kept) < 2:
        raise ValueError(
            "A comparison needs at least 2 methods on 2 data sets. Got "
            f"{len(table.methods)} on {len(kept)}."
        )
    return ScoreTable(table.scores[whole], kept, table.methods, dropped)


def _number(cell: Any, method: str, row: str) -> float:
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return math.nan
    try:
        number = float(cell)
    except (TypeError, ValueError):
        raise ValueError(
            f"The score of {method!r} on {row!r} is {cell!r}, not a number. Correct it, or leave "
            "the cell empty if it is missing."
        ) from None
    if math.isinf(number):
        raise ValueError(
            f"The score of {method!r} on {row!r} is infinite. Give a finite score, or leave the "
            "cell empty if it is missing."
        )
    return number


def _refuse_copies(what: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"The {what} {name!r} appears twice. Every {what} needs its own name.")
        seen.add(name)


def is_summary(name: str) -> bool:
    """Whether a row of this name sums up the others and is no data set."""
    return name.strip().lower() in _SUMMARIES


def _refuse_summaries(names: Sequence[str]) -> None:
    for name in names:
        if is_summary(name):
            raise ValueError(
                f"The row {name!r} is a summary of the others, not a data set. Leave it out."
            )
