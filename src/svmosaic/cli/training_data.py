"""Data for training, and what a model is to know of their columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmosaic.cli.console import note
from svmosaic.cli.data_kinds import Columns, column_names, file_columns, read_file
from svmosaic.cli.data_source import is_file, refuse_file_options
from svmosaic.cli.data_tables import as_table, has_gaps, with_table
from svmosaic.datasets import Dataset, load
from svmosaic.datasets.dataset import Kind
from svmosaic.datasets.readers.column_roles import find_column

__all__ = [
    "FEWEST_ROWS",
    "UNIQUE_SHARE",
    "column_roles",
    "read_training",
    "target_columns",
    "warn_about_ids",
]

# A column of names is doubtful from this many rows on, if this many of its values are different.
FEWEST_ROWS = 10
UNIQUE_SHARE = 0.5


def read_training(
    source: str,
    columns: Columns,
    *,
    task: Kind = "rows",
    float32: bool = False,
    gaps: bool = False,
) -> Dataset:
    """Return the data of a file or of a named data set, with labels.

    Parameters
    ----------
    source : str
        A file, or else a name of the registry.
    columns : Columns
        What the columns of a file are.
    task : {"rows", "targets", "bags"}, default="rows"
        The kind of data.
    float32 : bool, default=False
        Whether to keep single precision only.
    gaps : bool, default=False
        Whether features may be missing.
    """
    if is_file(source, task):
        data = read_file(source, task, columns, gaps=gaps, name_gaps=gaps)
        _note_row_names(source, columns, data, task)
    else:
        refuse_file_options(source, columns)
        data = load(source)
        if not gaps and has_gaps(data):
            raise ValueError(f"{data.name} has missing values. Train with --impute mean.")
    if "dates" in columns.reading and not data.date_columns:
        note(f"warning: no column of {data.name} holds dates; --dates changes nothing")
    if not float32:
        return data
    return with_table(data, as_table(data).astype(np.float32), data.feature_names)


def column_roles(source: str, columns: Columns, data: Dataset, task: Kind) -> dict[str, list[str]]:
    """Return what a model is to know of columns that are neither features nor targets."""
    found = file_columns(source, columns) if Path(source).is_file() else None
    if found is None:
        return {}
    names = found.names
    columns = columns.resolve(names, Path(source))
    is_comma = found.numbers is not None and found.numbers.decimal == ","
    # Instances may also be in a relational attribute, whose features are not among the columns.
    own = (name.partition("=")[0] for name in data.feature_names or ())
    is_flat = any(name in names for name in own)
    roles: dict[str, list[Any]] = {
        "id": [columns.id] if columns.id is not None else _row_names(names, data, task),
        "bag": [columns.bag or names[0]] if task == "bags" and is_flat else [],
        "drop": list(dict.fromkeys(columns.drop)),
        columns.reading.get("dates", "ymd"): list(data.date_columns),
        "decimal": [","] if is_comma else [],
        "thousands": [columns.reading["thousands"]] if "thousands" in columns.reading else [],
    }
    return {role: [str(name) for name in own] for role, own in roles.items() if own}


def _row_names(names: Sequence[str], data: Dataset, task: Kind) -> list[str]:
    """Return the column without a heading whose cells are ids though the user named none."""
    return list(names[:1]) if data.ids is not None and task != "bags" else []


def _note_row_names(source: str, columns: Columns, data: Dataset, task: Kind) -> None:
    """Say that the first column is not a feature because it has no heading."""
    if columns.id is not None:
        return
    for name in _row_names(column_names(source, columns) or (), data, task):
        note(
            f"the first column of {Path(source).name} has no heading: it identifies the rows and "
            f"is not a feature (as --id {name} says; --numeric {name} makes it one)"
        )


def target_columns(source: str, columns: Columns, data: Dataset, task: Kind) -> list[str]:
    """Return the names of the columns that a model learns to predict; none if they have none."""
    if not Path(source).is_file():
        return []
    if task == "targets":
        return list(data.target_names or ())
    names = column_names(source, columns)
    if names is None or columns.target is None:
        return []
    columns = columns.resolve(names, Path(source))
    assert columns.target is not None
    return [names[find_column(columns.target, names, Path(source))]]


def warn_about_ids(source: str, columns: Columns, data: Dataset) -> None:
    """Say which columns seem to identify the rows, and so teach nothing."""
    names = column_names(source, columns) if Path(source).is_file() else None
    table = as_table(data)
    n_rows, features = table.shape[0], data.feature_names or ()
    place = {name: j for j, name in enumerate(features)}
    if names is None or n_rows < FEWEST_ROWS or sp.issparse(table):
        return
    n_values = Counter(name.partition("=")[0] for name in features if "=" in name)
    advice = "It seems to identify rows: leave it out with --id or --drop."
    for name in names:
        if n_values[name] > UNIQUE_SHARE * n_rows:
            note(
                f"warning: the column {name!r} has {n_values[name]} different names in {n_rows} "
                f"rows. {advice}"
            )
        elif name in place:
            values = table[:, place[name]]
            if values[0] in (0, 1) and np.all(np.diff(values) == 1):
                note(f"warning: the column {name!r} counts the rows. {advice}")
