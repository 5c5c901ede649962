"""The kinds of data that a command reads: rows, rows with several targets, bags of rows."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import scipy.sparse as sp
from sklearn.utils import get_tags

from svmosaic.datasets import Dataset, read_bags, read_multitarget, read_table
from svmosaic.datasets.dataset import Kind
from svmosaic.datasets.readers.columns import TableOptions, to_dense
from svmosaic.datasets.readers.reader import find_reader
from svmosaic.datasets.readers.text import other_advice
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.preprocessing import refuse_infinities

__all__ = ["Columns", "data_kind", "read_file", "select_columns"]

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
    known: Sequence[str] | None = None,
) -> Dataset:
    """Return the data of a file; without labels unless `labelled`.

    `width` is the number of features, for LIBSVM text, which does not tell it. Features may be
    missing if `gaps`. `known` are the names of the features of a model: they tell which columns
    hold numbers and which hold names.
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
    known: Sequence[str] | None,
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
    if known is not None and "numeric_columns" in reader.options and reader.columns is not None:
        common |= _kinds_of_model(reader.columns(Path(source), TableOptions()).names, target, known)
    data = read_table(source, target=target, **common)
    if reader.has_columns or not sp.issparse(data.X):
        return data
    dense = data.X.nnz >= _DENSE_SHARE * data.X.shape[0] * data.X.shape[1]
    if not dense:
        return data
    return data.with_features(to_dense(data.X, Path(source), columns.max_bytes), None)


def _kinds_of_model(
    names: Sequence[str], target: str | int | None, known: Sequence[str]
) -> dict[str, Any]:
    """Return which columns of a file hold numbers and which hold names, as a model knows them.

    Others, of which the model knows nothing, are as their values say.
    """
    numbers = set(known)
    # `colour=red` is a value of the column colour.
    nominal = {name[:at] for name in known for at, letter in enumerate(name) if letter == "="}
    labels = (
        names[target] if isinstance(target, int) and -len(names) <= target < len(names) else target
    )
    features = [name for name in names if name != labels]
    return {
        "numeric_columns": [name for name in features if name in numbers],
        "nominal_columns": [n for n in features if n in nominal and n not in numbers],
    }
