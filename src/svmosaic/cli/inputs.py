"""From a data file or a data set's name to arrays that fit a machine."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler
from sklearn.utils import get_tags

from svmosaic.bags import Bags
from svmosaic.cli.console import note
from svmosaic.cli.tasks import Columns, Task, load_by_name, names_of, read_file, task_of
from svmosaic.datasets import Dataset, load, read_table
from svmosaic.datasets.readers import sniff_format
from svmosaic.exceptions import DataNotFoundError
from svmosaic.multi_instance.bag_transformer import BagTransformer

__all__ = [
    "Scaler",
    "assemble",
    "dense_where_needed",
    "describe_classes",
    "describe_values",
    "libsvm_width",
    "make_scaler",
    "read_for_model",
    "read_training",
    "step",
    "table_of",
]

Scaler: TypeAlias = MinMaxScaler | StandardScaler | MaxAbsScaler | BagTransformer

# So many column names are told in a message.
_NAMES_SHOWN = 3


# Reading ------------------------------------------------------------------------------------


def read_training(
    source: str, columns: Columns, *, task: Task = "rows", float32: bool = False
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
    """
    if _is_file(source, task):
        data = read_file(source, task, columns)
    else:
        _refuse_file_options(source, columns)
        data = load_by_name(source, task)
    if not float32:
        return data
    return _with_table(data, table_of(data).astype(np.float32), data.feature_names)


def read_for_model(source: str, model: Any, columns: Columns) -> Dataset:
    """Return data in the columns that `model` was trained on.

    Columns are matched by name where both sides have names, so their order does not matter and a
    category that the model has never seen is left out. If nothing was said of the labels, a table
    that has just the model's features is read without any; several targets are read only if they
    were named.
    """
    task = task_of(step(model, "model"))
    if not _is_file(source, task):
        _refuse_file_options(source, columns)
        return _fit_columns(load_by_name(source, task), model)
    width = model.n_features_in_
    if task == "targets" and columns.targets is None:
        return _fit_columns(read_file(source, task, columns, labelled=False), model)
    if task == "targets" or columns.target != -1:
        return _fit_columns(read_file(source, task, columns, width=width), model)
    try:
        return _fit_columns(read_file(source, task, columns, width=width), model)
    except _ColumnMismatch as error:
        if (columns.format or sniff_format(source)) == "libsvm":
            raise
        try:
            return _fit_columns(read_file(source, task, columns, labelled=False), model)
        except _ColumnMismatch:
            raise error from None


def dense_where_needed(data: Dataset, machine: Any) -> Dataset:
    """Return the data as a dense table if `machine` takes no other."""
    if not sp.issparse(data.X) or get_tags(machine).input_tags.sparse:
        return data
    return data.with_features(data.X.toarray(), data.feature_names)


def libsvm_width(source: str, format: Any = None) -> int:
    """Return the number of features in a LIBSVM file or a named data set, 0 for other files."""
    if not _is_file(source):
        return load(source).n_features
    if (format or sniff_format(source)) != "libsvm":
        return 0
    return read_table(source, format="libsvm").n_features


def _is_file(source: str, task: Task = "rows") -> bool:
    """Whether to read a file; what is neither file nor data set gets a suggestion."""
    path = Path(source)
    if path.is_file():
        return True
    names = names_of(task)
    if source in names:
        return False
    if path.exists():
        raise IsADirectoryError(f"{source!r} is not a file. Name a data file or a data set.")
    files = [p for p in path.parent.iterdir() if p.is_file()] if path.parent.is_dir() else []
    close = difflib.get_close_matches(source, [*names, *map(str, files)], n=1)
    hint = f"Did you mean {close[0]!r}?" if close else "List data sets with: svmosaic data list"
    raise DataNotFoundError(f"There is no file and no data set {source!r}. {hint}")


def _refuse_file_options(source: str, columns: Columns) -> None:
    for name in columns.given():
        raise ValueError(f"{name} is for files, and there is no file {source!r}. Leave it out.")


def table_of(data: Dataset) -> Any:
    """Return the rows of the data, the instances of bags."""
    return data.X.instances if isinstance(data.X, Bags) else data.X


def _with_table(data: Dataset, table: Any, names: tuple[str, ...] | None) -> Dataset:
    X = data.X.with_instances(table) if isinstance(data.X, Bags) else table
    return data.with_features(X, names)


# Columns ------------------------------------------------------------------------------------


class _ColumnMismatch(ValueError):
    """The columns of the data are not those of the model."""


def _fit_columns(data: Dataset, model: Any) -> Dataset:
    wanted = getattr(model, "feature_names_in_", None)
    X, names = table_of(data), data.feature_names
    if wanted is not None and names is not None:
        X = _match_names(data, [str(name) for name in wanted])
    elif data.n_features != model.n_features_in_:
        raise _ColumnMismatch(
            f"{data.name} has {data.n_features} features; the model was trained on "
            f"{model.n_features_in_}. Use data with the same columns."
        )
    if sp.issparse(X) and _moves_zeros(step(model, "scale")):
        X = X.toarray()
    return _with_table(data, X, names)


def _match_names(data: Dataset, wanted: list[str]) -> Any:
    names, table = list(data.feature_names or ()), table_of(data)
    if names == wanted:
        return table
    place = {name: j for j, name in enumerate(names)}
    # `colour=red` is a category of the column colour: absent where no row is red.
    columns = {name.partition("=")[0] for name in names if "=" in name}
    missing = [
        name for name in wanted if name not in place and name.partition("=")[0] not in columns
    ]
    if missing:
        raise _ColumnMismatch(
            f"{data.name} lacks {_listed(missing)} that the model was trained on. Use data with "
            "the same columns."
        )
    unknown = [name for name in names if name not in set(wanted)]
    if unknown:
        note(f"warning: {data.name} has {_listed(unknown)} unknown to the model; left out")
    X = table.tocsc() if sp.issparse(table) else table
    zeros: Any = np.zeros((X.shape[0], 1), dtype=X.dtype)
    parts = [X[:, [place[name]]] if name in place else zeros for name in wanted]
    return sp.csr_array(sp.hstack(parts)) if sp.issparse(table) else np.hstack(parts)


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_NAMES_SHOWN])
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return f"the column {shown}" if len(names) == 1 else f"the columns {shown}{more}"


# Scaling ------------------------------------------------------------------------------------


def make_scaler(kind: str, X: Any) -> tuple[Scaler | None, str]:
    """Return an unfitted scaler for `X` and what it does, in words.

    Sparse data keep their zeros: they get `MaxAbsScaler` in place of min-max, and standard
    scaling without centring. Bags get a scaler of their instances.
    """
    if isinstance(X, Bags):
        scaler, text = make_scaler(kind, X.instances)
        return (None if scaler is None else BagTransformer(scaler)), text
    sparse = sp.issparse(X)
    if kind == "none":
        return None, "none"
    if kind == "standard":
        text = "standard deviation 1, zeros kept (sparse data)" if sparse else "mean 0, deviation 1"
        return StandardScaler(with_mean=not sparse), text
    if sparse:
        return MaxAbsScaler(), "max-abs to [-1, 1], zeros kept (sparse data; min-max would fill it)"
    return MinMaxScaler(), "min-max to [0, 1]"


def _moves_zeros(scaler: Scaler | None) -> bool:
    """Whether the scaler needs a dense table."""
    scaler = getattr(scaler, "transformer_", scaler)
    return isinstance(scaler, MinMaxScaler) or bool(getattr(scaler, "with_mean", False))


def assemble(scaler: Scaler | None, model: Any, names: tuple[str, ...] | None) -> Any:
    """Return one model of a fitted scaler and a fitted machine that knows its column names."""
    first = model if scaler is None else scaler
    if names is not None:
        first.feature_names_in_ = np.array(names, dtype=object)
    return model if scaler is None else Pipeline([("scale", scaler), ("model", model)])


def step(model: Any, name: str) -> Any:
    """Return the scaler (``"scale"``) or the machine (``"model"``) of a model."""
    if not isinstance(model, Pipeline):
        return model if name == "model" else None
    if name == "model":
        return model.steps[-1][1]
    return model.steps[0][1] if len(model.steps) > 1 else None


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
    classes, counts = np.unique(y, return_counts=True)
    shown = ", ".join(
        f"{label}: {count}" for label, count in list(zip(classes.tolist(), counts, strict=True))[:6]
    )
    return f"{classes.size} ({shown}{', ...' if classes.size > 6 else ''})"
