"""Data in the columns that a model was trained on."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmosaic.cli.console import note
from svmosaic.cli.data_kinds import listed_columns
from svmosaic.cli.data_tables import as_table, to_dense_table, with_table
from svmosaic.cli.model_parts import list_transformers
from svmosaic.cli.preparation import moves_zeros
from svmosaic.datasets import Dataset
from svmosaic.datasets.readers.feature_matrix import match_codes

__all__ = ["ColumnMismatch", "fit_columns"]


class ColumnMismatch(ValueError):
    """The columns of the data are not those of the model."""


def fit_columns(
    data: Dataset, model: Any, free: Sequence[str] | None = None, *, name_gaps: bool = False
) -> Dataset:
    """Return the data in the columns of the model.

    `free` are the columns of the file that may be features; None where the file has no columns. A
    missing name is nan in all its columns if `name_gaps`.
    """
    wanted = getattr(model, "feature_names_in_", None)
    X, names = as_table(data), data.feature_names
    if wanted is not None and names is not None:
        X = _match_names(data, [str(name) for name in wanted], free, name_gaps)
    elif data.n_features != model.n_features_in_:
        raise ColumnMismatch(
            f"{data.name} has {data.n_features} features; the model was trained on "
            f"{model.n_features_in_}. Use data with the same columns."
        )
    if sp.issparse(X) and any(moves_zeros(one) for one in list_transformers(model)):
        X = to_dense_table(X, data.name)
    return with_table(data, X, names)


def _match_names(
    data: Dataset, wanted: list[str], free: Sequence[str] | None, name_gaps: bool
) -> Any:
    names, table = match_codes(data.feature_names or (), wanted), as_table(data)
    if names == wanted:
        return table
    place = {name: j for j, name in enumerate(names)}
    groups = _values_of_columns(names, wanted, free)
    # `colour=red` is a category of the column colour: absent where no row is red.
    owners = {name: _owner(name, groups) for name in wanted if name not in place}
    missing = [name for name, owner in owners.items() if owner is None]
    if named := [name for name in missing if groups.get(name)]:
        raise ColumnMismatch(
            f"{data.name} has names in {listed_columns(named)}; the model was trained on numbers "
            "there. Correct the cells that are not numbers."
        )
    if missing:
        raise ColumnMismatch(
            f"{data.name} lacks {listed_columns(missing)} that the model was trained on. Use data "
            "with the same columns."
        )
    unknown = [name for name in names if name not in set(wanted)]
    if unknown:
        note(f"warning: {data.name} has {listed_columns(unknown)} unknown to the model; ignored")
    X = table.tocsc() if sp.issparse(table) else table
    absent = {
        name: _absent_value(X, groups[owner], name_gaps) for name, owner in owners.items() if owner
    }
    parts = [X[:, [place[name]]] if name in place else absent[name] for name in wanted]
    return sp.csr_array(sp.hstack(parts)) if sp.issparse(table) else np.hstack(parts)


def _values_of_columns(
    names: Sequence[str], wanted: Sequence[str], free: Sequence[str] | None
) -> dict[str, list[int]]:
    """Return the features that are values of one column of names, for each such column.

    A column of numbers may have an equals sign in its name, so the columns of the file decide.
    """
    columns = set(free or ())
    numbers = {name for name in names if name in columns}
    values = {name: j for j, name in enumerate(names) if "=" in name and name not in numbers}
    # Instances in a relational attribute are not among the columns of the file.
    is_known = bool(numbers) or any(_owner(name, columns) for name in values)
    groups: dict[str, list[int]] = {}
    if free is not None and (is_known or not names):
        groups = {name: [] for name in free if name not in numbers}
    for name, j in values.items():
        owner = _owner(name, groups) if is_known else name.partition("=")[0]
        if owner is not None:
            groups.setdefault(owner, []).append(j)
    return groups


def _owner(name: str, columns: Container[str]) -> str | None:
    """Return the column of which a feature such as ``colour=red`` is a value, if there is one."""
    cuts = (at for at, character in enumerate(name) if character == "=")
    return next((name[:at] for at in cuts if name[:at] in columns), None)


def _absent_value(X: Any, group: list[int], name_gaps: bool) -> Any:
    """Return the column of a category that no row has: 0, or nan where the name is missing."""
    column: Any = np.zeros((X.shape[0], 1), dtype=X.dtype)
    if sp.issparse(X) or not name_gaps:
        return column
    # Without any value there is no feature to look at.
    missing = np.isnan(X[:, group]).any(axis=1) if group else slice(None)
    column[missing] = np.nan
    return column
