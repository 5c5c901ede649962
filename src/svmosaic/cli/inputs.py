"""From a data file or a data set's name to arrays that fit an estimator."""

from __future__ import annotations

import difflib
import math
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from svmosaic.bags import Bags
from svmosaic.cli.console import note
from svmosaic.cli.data_kinds import (
    Columns,
    KnownColumns,
    column_names,
    data_kind,
    file_columns,
    listed_columns,
    read_file,
    with_index,
)
from svmosaic.cli.missing_labels import has_label, read_labels
from svmosaic.cli.option_names import own_options
from svmosaic.cli.preparation import fills_gaps, fills_names, moves_zeros
from svmosaic.datasets import Dataset, describe, list_datasets, load, read_table
from svmosaic.datasets.dataset import Kind
from svmosaic.datasets.readers.columns import find_column
from svmosaic.datasets.readers.text import in_words
from svmosaic.exceptions import DataFileError, DataNotFoundError
from svmosaic.utils.free_memory import free_memory

__all__ = [
    "as_table",
    "check_labels",
    "column_roles",
    "dense_where_needed",
    "describe_classes",
    "describe_counts",
    "describe_values",
    "final_estimator",
    "libsvm_width",
    "list_transformers",
    "read_for_model",
    "read_training",
    "target_columns",
    "warn_about_ids",
]

# What a data set of each kind has, and which methods of `train` take it.
_KINDS: dict[Kind, str] = {
    "rows": "rows of one class each. Use a method for such rows, for example ollawv",
    "targets": "several targets. Use --method svrcc, svrrc, svrwc, svrtc or multi-target-svr",
    "bags": "bags of instances. Use --method mirsvm, mir-set-svm or mir-mix-svm",
}


# A column of names is doubtful from so many rows on, if so many of its values are different.
_FEWEST_ROWS = 10
_UNIQUE_SHARE = 0.5
# What a model knows of the way in which numbers of the training file are written.
_NUMBER_ROLES = ("decimal", "thousands")


# Reading ------------------------------------------------------------------------------------


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
    if _is_file(source, task):
        data = read_file(source, task, columns, gaps=gaps, name_gaps=gaps)
        _note_row_names(source, columns, data, task)
    else:
        _refuse_file_options(source, columns)
        data = load(source)
        if not gaps and _has_gaps(data):
            raise ValueError(f"{data.name} has missing values. Train with --impute mean.")
    if "dates" in columns.reading and not data.date_columns:
        note(f"warning: no column of {data.name} holds dates; --dates changes nothing")
    if not float32:
        return data
    return _with_table(data, as_table(data).astype(np.float32), data.feature_names)


def read_for_model(source: str, model: Any, columns: Columns) -> Dataset:
    """Return data in the columns that `model` was trained on.

    Columns are matched by name where both sides have names, so their order does not matter and a
    category that the model has never seen is left out. If nothing was said of the labels, they are
    in the columns that the model knows by name, if the file has these and they are not empty. Where
    some rows have no label, `y` has nan or None: see `svmosaic.cli.missing_labels`. For a model
    that knows no names, a table that has just its features is read without labels, and several
    targets are read only if they were named.
    """
    task = data_kind(final_estimator(model))
    if not _is_file(source, task):
        _refuse_file_options(source, columns)
        return _fit_columns(load(source), model)
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
        return _fit_columns(data, model, free, name_gaps=name_gaps)

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
    except _ColumnMismatch as error:
        if column_names(source, columns) is None:
            raise
        try:
            return read(labelled=False)
        except _ColumnMismatch:
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
    """Say that the first column is no feature because it has no heading."""
    if columns.id is not None:
        return
    for name in _row_names(column_names(source, columns) or (), data, task):
        note(
            f"the first column of {Path(source).name} has no heading: it identifies the rows and "
            f"is no feature (as --id {name} says; --numeric {name} makes it one)"
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
    if names is None or n_rows < _FEWEST_ROWS or sp.issparse(table):
        return
    n_values = Counter(name.partition("=")[0] for name in features if "=" in name)
    advice = "It seems to identify rows: leave it out by --id or --drop."
    for name in names:
        if n_values[name] > _UNIQUE_SHARE * n_rows:
            note(
                f"warning: the column {name!r} has {n_values[name]} different names in {n_rows} "
                f"rows. {advice}"
            )
        elif name in place:
            values = table[:, place[name]]
            if values[0] in (0, 1) and np.all(np.diff(values) == 1):
                note(f"warning: the column {name!r} counts the rows. {advice}")


def check_labels(data: Dataset, *, regression: bool) -> None:
    """Refuse numbers where classes are expected, and names where numbers are.

    Parameters
    ----------
    data : Dataset
        The training data, with one target.
    regression : bool
        Whether numbers are to be predicted.
    """
    if data.y is None or data.y.ndim != 1:
        return
    if regression:
        describe_values(data.y)
        return
    n_values, n_samples = np.unique(data.y).size, data.n_samples
    advice = "For numbers use --method smo-regression, for classes another --target"
    if data.y.dtype.kind == "f":
        raise ValueError(
            f"The target of {data.name} has fractions, such as {data.y[data.y % 1 != 0][0]:g}, "
            f"which are no classes. {advice}."
        )
    if data.y.dtype.kind in "iu" and n_samples >= _FEWEST_ROWS and n_values > n_samples / 2:
        note(
            f"warning: the target of {data.name} has {n_values} different numbers in {n_samples} "
            f"rows. {advice}"
        )


def dense_where_needed(data: Dataset, estimator: Any) -> Dataset:
    """Return the data as a dense table if `estimator` takes no other."""
    if not sp.issparse(data.X) or get_tags(estimator).input_tags.sparse:
        return data
    return data.with_features(_to_dense(data.X, data.name), data.feature_names)


def libsvm_width(source: str, columns: Columns) -> int:
    """Return the number of features in a LIBSVM file or a named data set, 0 for other files."""
    if not _is_file(source):
        return load(source).n_features
    if column_names(source, columns) is not None:
        return 0
    with own_options():
        return read_table(
            source, format=columns.format, max_bytes=columns.max_bytes, **columns.reading
        ).n_features


def _to_dense(X: Any, name: str) -> Any:
    """Return a sparse matrix as an array, unless that would fill the memory."""
    needed, free = math.prod(X.shape) * X.dtype.itemsize, free_memory()
    # What is trained takes a copy.
    if 2 * needed > free:
        raise ValueError(
            f"{name} has {X.shape[0]} x {X.shape[1]} values, mostly zeros, which take "
            f"{in_words(needed)} as a dense table; {in_words(free)} are free. Use a method that "
            "takes sparse data, for example ollawv."
        )
    return X.toarray()


def _is_file(source: str, task: Kind = "rows") -> bool:
    """Whether to read a file; what is neither file nor data set gets a suggestion."""
    path = Path(source)
    if path.is_file():
        return True
    if source in list_datasets():
        kind = describe(source).kind
        if kind != task:
            raise ValueError(f"The data set {source!r} has {_KINDS[kind]}.")
        return False
    if path.exists():
        raise IsADirectoryError(f"{source!r} is not a file. Name a data file or a data set.")
    files = [p for p in path.parent.iterdir() if p.is_file()] if path.parent.is_dir() else []
    close = difflib.get_close_matches(source, [*list_datasets(task), *map(str, files)], n=1)
    listing = f"List data sets with: svmosaic data list --kind {task}"
    hint = f"Did you mean {close[0]!r}?" if close else listing
    raise DataNotFoundError(f"There is no file and no data set {source!r}. {hint}")


def _refuse_file_options(source: str, columns: Columns) -> None:
    for name in columns.given():
        raise ValueError(f"{name} is for files, and there is no file {source!r}. Leave it out.")


def as_table(data: Dataset) -> Any:
    """Return the rows of the data, the instances of bags."""
    return data.X.instances if isinstance(data.X, Bags) else data.X


def _has_gaps(data: Dataset) -> bool:
    table = as_table(data)
    return bool(np.isnan(table.data if sp.issparse(table) else table).any())


def _with_table(data: Dataset, table: Any, names: tuple[str, ...] | None) -> Dataset:
    X = data.X.with_instances(table) if isinstance(data.X, Bags) else table
    return data.with_features(X, names)


# Columns ------------------------------------------------------------------------------------


class _ColumnMismatch(ValueError):
    """The columns of the data are not those of the model."""


def _fit_columns(
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
        raise _ColumnMismatch(
            f"{data.name} has {data.n_features} features; the model was trained on "
            f"{model.n_features_in_}. Use data with the same columns."
        )
    if sp.issparse(X) and any(moves_zeros(one) for one in list_transformers(model)):
        X = _to_dense(X, data.name)
    return _with_table(data, X, names)


def _match_names(
    data: Dataset, wanted: list[str], free: Sequence[str] | None, name_gaps: bool
) -> Any:
    names, table = list(data.feature_names or ()), as_table(data)
    if names == wanted:
        return table
    place = {name: j for j, name in enumerate(names)}
    groups = _values_of_columns(names, wanted, free)
    # `colour=red` is a category of the column colour: absent where no row is red.
    owners = {name: _owner(name, groups) for name in wanted if name not in place}
    missing = [name for name, owner in owners.items() if owner is None]
    if named := [name for name in missing if groups.get(name)]:
        raise _ColumnMismatch(
            f"{data.name} has names in {listed_columns(named)}; the model was trained on numbers "
            "there. Correct the cells that are no numbers."
        )
    if missing:
        raise _ColumnMismatch(
            f"{data.name} lacks {listed_columns(missing)} that the model was trained on. Use data "
            "with the same columns."
        )
    unknown = [name for name in names if name not in set(wanted)]
    if unknown:
        note(f"warning: {data.name} has {listed_columns(unknown)} unknown to the model; left out")
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


# Parts of a model ----------------------------------------------------------------------------


def final_estimator(model: Any) -> Any:
    """Return the estimator at the end of a model."""
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def list_transformers(model: Any) -> list[Any]:
    """Return what comes before the estimator; of bags, what is applied to their instances."""
    steps = model.steps[:-1] if isinstance(model, Pipeline) else []
    return [getattr(one, "transformer_", one) for _, one in steps]


def describe_values(y: Any) -> str:
    """Return range and mean of real targets."""
    if np.asarray(y).dtype.kind not in "biuf":
        raise ValueError(
            f"Regression needs numbers as targets; the first one is {y[0]!r}. Name the column by "
            "--target."
        )
    return f"{np.min(y):.6g} to {np.max(y):.6g}, mean {np.mean(y):.6g}"


def describe_classes(y: Any) -> str:
    """Return the number of classes and the first of them with their sizes."""
    return describe_counts(*np.unique(y, return_counts=True))


def describe_counts(classes: Any, counts: Any) -> str:
    """Return the number of classes and the first of them with their sizes."""
    shown = ", ".join(
        f"{label}: {count}" for label, count in list(zip(classes.tolist(), counts, strict=True))[:6]
    )
    return f"{classes.size} ({shown}{', ...' if classes.size > 6 else ''})"
