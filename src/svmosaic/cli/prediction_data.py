"""Data for a model that is trained: columns and labels as it knows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from svmosaic.cli.data_kinds import (
    Columns,
    KnownColumns,
    column_names,
    data_kind,
    file_columns,
    read_file,
    with_index,
)
from svmosaic.cli.data_source import is_file, refuse_file_options
from svmosaic.cli.missing_labels import has_label, read_labels
from svmosaic.cli.model_columns import ColumnMismatch, fit_columns
from svmosaic.cli.model_parts import final_estimator, list_transformers
from svmosaic.cli.preparation import fills_gaps, fills_names
from svmosaic.datasets import Dataset, load, read_table
from svmosaic.exceptions import DataFileError

__all__ = ["read_for_model"]

# What a model knows of the way in which numbers of the training file are written.
_NUMBER_ROLES = ("decimal", "thousands")


def read_for_model(source: str, model: Any, columns: Columns) -> Dataset:
    """Return data in the columns that `model` was trained on.

    Columns are matched by name where both sides have names, so their order does not matter and a
    category that the model has never seen is left out. If no option names the labels, they are
    in the columns that the model knows by name, if the file has these and they are not empty. Where
    some rows have no label, `y` has nan or None: see `svmosaic.cli.missing_labels`. For a model
    that knows no names, a table that has just its features is read without labels, and several
    targets are read only if they were named.
    """
    task = data_kind(final_estimator(model))
    if not is_file(source, task):
        refuse_file_options(source, columns)
        return fit_columns(load(source), model)
    gaps = any(fills_gaps(one) for one in list_transformers(model))
    name_gaps = any(fills_names(one, model) for one in list_transformers(model))
    wanted = getattr(model, "feature_names_in_", None)
    own = [str(name) for name in getattr(model, "target_names_in_", ())]
    roles = getattr(model, "column_roles_in_", {})
    named = _are_names(getattr(final_estimator(model), "classes_", None))
    known = None
    if wanted is not None:
        known = KnownColumns([str(name) for name in wanted], own, roles, named_classes=named)
    columns = _with_number_format(source, columns, roles)
    found = None if known is None else column_names(source, columns)
    columns = with_index(source, _with_roles(columns, roles, found), task, known)
    if known is not None and found is not None:
        _refuse_to_drop(columns.resolve(found, Path(source)), known, found, source)

    def read(*, labelled: bool = True) -> Dataset:
        width = model.n_features_in_
        data = read_file(
            source,
            task,
            columns,
            labelled=labelled,
            width=width,
            gaps=gaps,
            name_gaps=name_gaps,
            known=known,
        )
        if named and task == "bags" and data.y is not None and data.y.dtype.kind in "iu":
            # Where all labels of a table of bags look like whole numbers, they are read as such.
            data = replace(data, y=data.y.astype(str))
        free = None if found is None else _free_columns(columns.resolve(found, Path(source)), found)
        return fit_columns(data, model, free, name_gaps=name_gaps)

    names = column_names(source, columns) if own and not columns.says_targets() else None
    if names is not None:
        if not set(own) <= set(names):
            return read(labelled=False)
        columns = columns.with_targets(own, task)
        if task != "rows":
            try:
                return read()
            except DataFileError:
                if not _are_empty(source, columns, own, names):
                    raise
                return read(labelled=False)
    if task == "targets":
        return read(labelled=columns.targets is not None)
    if columns.target is not None and columns.target != -1:
        try:
            return read()
        except DataFileError as error:
            names = column_names(source, columns)
            if task != "rows" or names is None:
                raise
            columns = columns.resolve(names, Path(source))
            labels = _incomplete_labels(source, columns, names, named, error)
            # Features only, without the labels as one of them.
            columns = replace(columns, drop=[*columns.drop, str(columns.target)], target=None)
            return replace(read(labelled=False), y=labels)
    if columns.target is None:
        return read()
    try:
        return read()
    except ColumnMismatch as error:
        if column_names(source, columns) is None:
            raise
        try:
            return read(labelled=False)
        except ColumnMismatch:
            raise error from None


def _with_number_format(source: str, columns: Columns, roles: Mapping[str, list[str]]) -> Columns:
    """Return the same with decimal sign and thousands as in training, where the user named none."""
    known = {role: roles[role][0] for role in _NUMBER_ROLES if role in roles}
    if not known or columns.reading.keys() & set(_NUMBER_ROLES):
        return columns
    # A few new rows may have no decimal comma at all; then 4.500 would be read as 4.5.
    reading = {**columns.reading, **known}
    found = file_columns(source, replace(columns, reading=reading))
    if found is None or found.numbers is None:
        return columns
    if found.delimiter == known.get("decimal"):
        raise DataFileError(
            f"{Path(source).name}: commas separate the cells, and the training file had decimal "
            "commas. Pass --decimal . or --decimal , to say which sign numbers have here."
        )
    return replace(columns, reading=reading)


def _with_roles(
    columns: Columns, roles: Mapping[str, list[str]], names: Sequence[str] | None
) -> Columns:
    """Return the same with the ids that the model knows, where the user named none."""
    for role in ("id", "bag"):
        (name, *_) = roles.get(role, [None])
        if name is not None and getattr(columns, role) is None and name in (names or ()):
            columns = replace(columns, id=name) if role == "id" else replace(columns, bag=name)
    return columns


def _are_names(classes: Any) -> bool:
    """Return whether the classes of a model are names, not numbers."""
    return classes is not None and all(isinstance(label, str) for label in list(classes))


def _refuse_to_drop(
    columns: Columns, known: KnownColumns, names: Sequence[str], source: str
) -> None:
    """Refuse to leave out columns that the model was trained on."""
    for name in columns.drop:
        if known.needs(str(name), names):
            raise ValueError(
                f"--drop: the model was trained on the column {name!r} of {Path(source).name} and "
                "needs it. Leave the column out of --drop."
            )


def _free_columns(columns: Columns, names: Sequence[str]) -> list[str]:
    """Return the columns of a file that may be features."""
    targets = columns.targets if isinstance(columns.targets, list) else []
    taken = {columns.id, columns.bag, columns.target, *columns.drop, *targets}
    return [name for name in names if name not in taken]


def _incomplete_labels(
    source: str, columns: Columns, names: Sequence[str], named: bool, error: DataFileError
) -> Any:
    """Return the labels of a file, None if there are none; raise the error if none is missing."""
    try:
        labels = read_labels(source, columns, str(columns.target), names, named=named)
    except (DataFileError, ValueError):
        raise error from None
    known = has_label(labels)
    if known.all():
        raise error
    return labels if known.any() else None


def _are_empty(source: str, columns: Columns, own: list[str], names: Sequence[str]) -> bool:
    """Return whether columns of a file have no value at all."""
    others = [name for name in names if name not in own]
    table = read_table(
        source,
        format=columns.format,
        target=None,
        drop=others,
        allow_nan=True,
        dense=True,
        **columns.reading,
    )
    return bool(np.isnan(table.X).all())
