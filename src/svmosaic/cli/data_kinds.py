"""The kinds of data that a command reads: rows, rows with several targets, bags of rows."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import scipy.sparse as sp
from sklearn.utils import get_tags

from svmosaic.cli.console import note
from svmosaic.datasets import Dataset, read_bags, read_multitarget, read_table
from svmosaic.datasets.dataset import Kind
from svmosaic.datasets.readers.columns import TableOptions, find_column, to_dense
from svmosaic.datasets.readers.reader import find_reader
from svmosaic.datasets.readers.text import other_advice
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.preprocessing import refuse_infinities

__all__ = [
    "Columns",
    "KnownColumns",
    "column_names",
    "data_kind",
    "listed_columns",
    "read_file",
    "select_columns",
]

# A message names at most this many columns.
_NAMES_SHOWN = 3
# A file like LIBSVM's with at least this share of non-zero values is handled as a dense table.
_DENSE_SHARE = 0.5


@dataclass(frozen=True)
class Columns:
    """What the user says of the columns of a file.

    Attributes
    ----------
    format : str or None
        Format of the file; None: it is found out.
    target : str, int or None
        Column of the labels; None: there are none.
    targets : int, list or None
        Columns of several targets; None: the file says which, or none are read.
    bag : str, int or None
        Column of the ids of bags.
    max_bytes : int or None
        The most that the text and each array may take; None: a share of the free memory.
    """

    format: Any = None
    target: str | int | None = -1
    targets: Any = None
    bag: str | int | None = None
    max_bytes: int | None = None

    def says_targets(self) -> bool:
        """Whether the user has said anything of labels or targets."""
        return self.target != -1 or self.targets is not None

    def with_targets(self, names: list[str], task: Kind) -> Columns:
        """Return the same with columns of labels or targets."""
        return replace(self, targets=names) if task == "targets" else replace(self, target=names[0])

    def given(self) -> dict[str, Any]:
        """Return what is not as it is by default, by the name of its option."""
        options = {
            "--format": (self.format, None),
            "--target": (self.target, -1),
            "--targets": (self.targets, None),
            "--bag": (self.bag, None),
            "--max-bytes": (self.max_bytes, None),
        }
        return {name: value for name, (value, default) in options.items() if value != default}


@dataclass(frozen=True)
class KnownColumns:
    """What a model knows of the columns of its data.

    Attributes
    ----------
    features : list of str
        Names of its features; ``colour=red`` is a value of the column colour.
    targets : list of str
        The columns that it predicts; empty if it does not know.
    """

    features: list[str]
    targets: list[str]


def select_columns(args: Namespace, task: Kind, who: str) -> Columns:
    """Return what the user said of the columns; options for another kind of data are refused."""
    for option, value, right, what in (
        ("--targets", args.targets, "targets", "several targets"),
        ("--bag", args.bag, "bags", "bags of instances"),
    ):
        if value is not None and task != right:
            raise ValueError(f"{option} is for {what}, which {who} does not take. Leave it out.")
    return Columns(args.format, args.target, args.targets, args.bag, args.max_bytes)


def data_kind(estimator: Any) -> Kind:
    """Return the kind of data that an estimator learns from."""
    if isinstance(estimator, BagClassifier):
        return "bags"
    return "targets" if get_tags(estimator).target_tags.multi_output else "rows"


def read_file(
    source: str,
    task: Kind,
    columns: Columns,
    *,
    labelled: bool = True,
    width: int | None = None,
    gaps: bool = False,
    known: KnownColumns | None = None,
) -> Dataset:
    """Return the data of a file; without labels unless `labelled`.

    `width` is the number of features, for LIBSVM text, which does not tell it. Features may be
    missing if `gaps`. What is `known` of the columns tells which hold numbers and which hold names.
    """
    with other_advice(allow_nan="train with --impute mean", max_bytes="--max-bytes"):
        data = _read_file(source, task, columns, labelled, width, gaps, known)
    refuse_infinities(data.X, Path(source).name)
    return data


def _read_file(
    source: str,
    task: Kind,
    columns: Columns,
    labelled: bool,
    width: int | None,
    gaps: bool,
    known: KnownColumns | None,
) -> Dataset:
    reader = find_reader(source, columns.format)
    common: dict[str, Any] = {
        "format": reader.name,
        "allow_nan": gaps,
        "max_bytes": columns.max_bytes,
    }
    if task == "targets" and labelled:
        return read_multitarget(source, targets=columns.targets, **common)
    target = columns.target if labelled and task != "targets" else None
    if not reader.has_columns and target is None:
        # The label has a place of its own; saying that there is none changes nothing.
        target = -1
    if "n_features" in reader.options:
        common["n_features"] = width
    if task == "bags":
        return read_bags(source, bag=columns.bag, target=target, **common)
    if known is not None and "numeric_columns" in reader.options:
        names = column_names(source, columns)
        assert names is not None
        common |= _kinds_of_model(Path(source).stem, names, target, known)
    data = read_table(source, target=target, **common)
    if reader.has_columns or not sp.issparse(data.X):
        return data
    dense = data.X.nnz >= _DENSE_SHARE * data.X.shape[0] * data.X.shape[1]
    if not dense:
        return data
    return data.with_features(to_dense(data.X, Path(source), columns.max_bytes), None)


def column_names(source: str, columns: Columns) -> tuple[str, ...] | None:
    """Return the names of all columns of a file; None for formats without."""
    reader = find_reader(source, columns.format)
    if not reader.has_columns or reader.columns is None:
        return None
    with other_advice(max_bytes="--max-bytes"):
        return reader.columns(Path(source), TableOptions(max_bytes=columns.max_bytes)).names


def _kinds_of_model(
    file: str, names: Sequence[str], target: str | int | None, known: KnownColumns
) -> dict[str, Any]:
    """Return which columns of a file hold numbers and which hold names, as a model knows them.

    Others, of which the model knows nothing, are left out.
    """
    numbers = set(known.features)
    # `colour=red` is a value of the column colour.
    cuts = ((name, at) for name in known.features for at, c in enumerate(name) if c == "=")
    nominal = {name[:at] for name, at in cuts}
    labels = target if target is None else names[find_column(target, names, Path(file))]
    numeric = [name for name in names if name in numbers and name != labels]
    others = [n for n in names if n in nominal and n not in numbers and n != labels]
    unknown = [name for name in names if name not in {*numeric, *others, labels}]
    if not numeric and not others:
        # Not the columns of the model at all, which is another sentence.
        return {}
    strange = [name for name in unknown if name not in known.targets]
    if strange:
        note(f"warning: {file} has {listed_columns(strange)} unknown to the model; left out")
    return {"numeric_columns": numeric, "nominal_columns": others, "drop": unknown}


def listed_columns(names: Sequence[str]) -> str:
    """Return the names of columns as part of a sentence."""
    shown = ", ".join(repr(name) for name in names[:_NAMES_SHOWN])
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return f"the column {shown}" if len(names) == 1 else f"the columns {shown}{more}"
