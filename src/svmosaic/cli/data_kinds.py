"""The kinds of data that a command reads: rows, rows with several targets, bags of rows."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import scipy.sparse as sp
from sklearn.utils import get_tags

from svmosaic.cli.console import note
from svmosaic.cli.option_names import option_of, own_options
from svmosaic.datasets import Dataset, read_bags, read_multitarget, read_table
from svmosaic.datasets.dataset import Kind
from svmosaic.datasets.readers.column_roles import find_column
from svmosaic.datasets.readers.dates import DATE_ORDERS
from svmosaic.datasets.readers.feature_matrix import to_dense
from svmosaic.datasets.readers.reader import ColumnNames, Reader, find_reader
from svmosaic.datasets.readers.table_options import TableOptions
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.preprocessing import refuse_infinities

__all__ = [
    "Columns",
    "KnownColumns",
    "column_names",
    "columns_of_test",
    "data_kind",
    "file_columns",
    "listed_columns",
    "read_file",
    "select_columns",
    "with_index",
]

# A message names at most this many columns.
_NAMES_SHOWN = 3
# A file like LIBSVM's with at least this share of non-zero values is handled as a dense table.
_DENSE_SHARE = 0.5
# Options that list columns, and those that say how a file is written.
_COLUMN_LISTS = ("drop", "categorical", "numeric")
_READING = ("delimiter", "decimal", "thousands", "encoding", "header", "dates")


@dataclass(frozen=True)
class Columns:
    """What the user says of a file and of its columns.

    Attributes
    ----------
    format : str or None
        Format of the file; None: it is detected.
    target : str, int or None
        Column of the labels; None: there are none.
    targets : int, list or None
        Columns of several targets; None: the file says which, or none are read.
    bag : str, int or None
        Column of the ids of bags.
    max_bytes : float or None
        The most that the text and each array may take; None: a share of the free memory.
    id : str, int or None
        Column that identifies the rows.
    drop, categorical, numeric : list of str or int
        Columns to leave out, of names, of numbers.
    reading : dict
        How the file is written, by the parameter of the readers: delimiter, decimal, thousands,
        encoding, header, dates. What is not given is detected.
    """

    format: Any = None
    target: str | int | None = -1
    targets: Any = None
    bag: str | int | None = None
    max_bytes: float | None = None
    id: str | int | None = None
    drop: Sequence[str | int] = ()
    categorical: Sequence[str | int] = ()
    numeric: Sequence[str | int] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, args: Namespace) -> Columns:
        """Return what the arguments of a command say; one without an option does not say it."""
        names = ("format", "target", "targets", "bag", "max_bytes", "id", *_COLUMN_LISTS)
        given = {name: getattr(args, name) for name in names if hasattr(args, name)}
        written = {name: getattr(args, name, None) for name in _READING}
        return cls(**given, reading={n: value for n, value in written.items() if value is not None})

    def says_targets(self) -> bool:
        """Whether the user named labels or targets."""
        return self.target != -1 or self.targets is not None

    def with_targets(self, names: list[str], task: Kind) -> Columns:
        """Return the same with columns of labels or targets."""
        return replace(self, targets=names) if task == "targets" else replace(self, target=names[0])

    def given(self) -> dict[str, Any]:
        """Return what is not as it is by default, by the name of its option."""
        options: dict[str, tuple[Any, Any]] = {
            "--format": (self.format, None),
            "--target": (self.target, -1),
            "--targets": (self.targets, None),
            "--bag": (self.bag, None),
            "--max-bytes": (self.max_bytes, None),
            "--id": (self.id, None),
            "--drop": (list(self.drop), []),
            "--categorical": (list(self.categorical), []),
            "--numeric": (list(self.numeric), []),
            **{option_of(name): (value, None) for name, value in self.reading.items()},
        }
        return {name: value for name, (value, default) in options.items() if value != default}

    def options(self) -> TableOptions:
        """Return how the names of the columns are read."""
        return TableOptions(max_bytes=self.max_bytes, **self.reading)

    def for_workers(self) -> dict[str, Any]:
        """Return the options other than format, target and limit, as the readers take them."""
        given: dict[str, Any] = {
            "id_column": self.id,
            "drop": list(self.drop),
            "nominal_columns": list(self.categorical),
            "numeric_columns": list(self.numeric),
            **self.reading,
        }
        return {name: value for name, value in given.items() if value not in (None, [])}

    def resolve(self, names: Sequence[str], file: Path) -> Columns:
        """Return the same with names in place of numbers; errors say which option is wrong."""

        def find(option: str, key: str | int) -> str:
            try:
                return names[find_column(key, names, file)]
            except ValueError as error:
                # A column may be called 2024.
                if isinstance(key, int) and str(key) in names:
                    return str(key)
                raise ValueError(f"{option}: {error}") from None

        changed: dict[str, Any] = {
            name: [find(f"--{name}", key) for key in getattr(self, name)] for name in _COLUMN_LISTS
        }
        for name in ("id", "target", "bag"):
            key = getattr(self, name)
            # -1 was not given, and a file of one column has no labels.
            if key is not None and (name, key) != ("target", -1):
                changed[name] = find(f"--{name}", key)
        if isinstance(self.targets, list):
            changed["targets"] = [find("--targets", key) for key in self.targets]
        return replace(self, **changed)


@dataclass(frozen=True)
class KnownColumns:
    """What a model knows of the columns of its data.

    Attributes
    ----------
    features : list of str
        Names of its features; ``colour=red`` is a value of the column colour.
    targets : list of str
        The columns that it predicts; empty if it does not know.
    roles : dict
        Names of other columns by what they are: see `svmosaic.persistence.save`.
    named_classes : bool
        Whether it predicts names, so that labels are names though they look like numbers.
    """

    features: list[str]
    targets: list[str]
    roles: Mapping[str, list[str]] = field(default_factory=dict)
    named_classes: bool = False

    def needs(self, column: str, names: Container[str] = ()) -> bool:
        """Return whether features are made of a column; `names` are all columns of its file.

        A column of numbers may be called ``lag=1``, which is then no value of a column lag.
        """
        values = (name for name in self.features if name.startswith(f"{column}="))
        return column in self.features or any(name not in names for name in values)

    def date_orders(self) -> dict[str, Any]:
        """Return the order of year, month and day, by the columns of dates."""
        return {name: order for order in DATE_ORDERS for name in self.roles.get(order, ())}


def select_columns(args: Namespace, task: Kind, who: str) -> Columns:
    """Return the user's options for the columns; options for another kind of data are refused."""
    for option, value, right, what in (
        ("--targets", args.targets, "targets", "several targets"),
        ("--bag", args.bag, "bags", "bags of instances"),
    ):
        if value is not None and task != right:
            raise ValueError(f"{option} is for {what}, which {who} does not take. Leave it out.")
    if task == "bags" and args.id is not None:
        raise ValueError(f"--id is for rows, and {who} takes bags. Name their ids with --bag.")
    return Columns.of(args)


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
    name_gaps: bool = False,
    known: KnownColumns | None = None,
) -> Dataset:
    """Return the data of a file; without labels unless `labelled`.

    `width` is the number of features, for LIBSVM text, which does not tell it. Features may be
    missing if `gaps`; a missing name is then nan in all its columns if `name_gaps`, else 0. What is
    `known` of the columns tells which hold numbers and which hold names.
    """
    with own_options(for_model=known is not None):
        data = _read_file(source, task, columns, labelled, width, gaps, name_gaps, known)
    refuse_infinities(data.X, Path(source).name)
    return data


def _read_file(
    source: str,
    task: Kind,
    columns: Columns,
    labelled: bool,
    width: int | None,
    gaps: bool,
    name_gaps: bool,
    known: KnownColumns | None,
) -> Dataset:
    reader = find_reader(source, columns.format, encoding=columns.reading.get("encoding"))
    names = column_names(source, columns)
    if names is not None:
        columns = columns.resolve(names, Path(source))
    common: dict[str, Any] = {
        "format": reader.name,
        "allow_nan": gaps,
        "max_bytes": columns.max_bytes,
        "nominal_gaps": "nan" if name_gaps and "nominal_gaps" in reader.options else "zeros",
        "drop": columns.drop,
        "nominal_columns": columns.categorical,
        "numeric_columns": columns.numeric,
        **columns.reading,
    }
    target = columns.target if labelled and task != "targets" else None
    if known is not None and names is not None:
        common |= _kinds_of_model(Path(source).stem, names, columns, target, known, reader)
    if task != "bags":
        common["id_column"] = columns.id
    if task == "targets" and labelled:
        # What is predicted is not a feature, though the model knows nothing else of it.
        chosen = columns.targets
        if isinstance(chosen, int):
            chosen = (names or ())[-chosen:]
        common["drop"] = [name for name in common["drop"] if name not in (chosen or ())]
        return read_multitarget(source, targets=columns.targets, **common)
    if not reader.has_columns and target is None:
        # The label has a place of its own; saying that there is none changes nothing.
        target = -1
    if "n_features" in reader.options:
        common["n_features"] = width
    if task == "bags":
        return read_bags(source, bag=columns.bag, target=target, **common)
    data = read_table(source, target=target, **common)
    if reader.has_columns or not sp.issparse(data.X):
        return data
    dense = data.X.nnz >= _DENSE_SHARE * data.X.shape[0] * data.X.shape[1]
    if not dense:
        return data
    return data.with_features(to_dense(data.X, Path(source), columns.max_bytes), None)


def with_index(
    source: str, columns: Columns, task: Kind, known: KnownColumns | None = None
) -> Columns:
    """Return the same with the index that a file declares as ids, where the user says nothing.

    What is `known` to a model as a feature or a target stays such.
    """
    if task == "bags" or columns.id is not None or not Path(source).is_file():
        return columns
    declared = file_columns(source, columns)
    if declared is None or not declared.index:
        return columns
    named = columns.resolve(declared.names, Path(source))
    targets = named.targets if isinstance(named.targets, list) else []
    taken = {named.target, *targets, *named.drop, *named.categorical, *named.numeric}
    free = [name for name in declared.index if name not in taken]
    if known is not None:
        needed = {name for name in free if known.needs(name, declared.names)}
        free = [name for name in free if name not in needed.union(known.targets)]
    if not free:
        return columns
    names = ", ".join(map(repr, free))
    note(f"the index of {Path(source).name}, {names}, identifies the rows and is not a feature")
    return replace(columns, id=free[0], drop=[*columns.drop, *free[1:]])


def columns_of_test(columns: Columns, source: str, test: str) -> Columns:
    """Return the options for the training file that apply to a file of test rows.

    Columns are found by their names in the training file. What is not a feature may be absent
    from the test rows.
    """
    if not Path(source).is_file() or not Path(test).is_file():
        return columns
    names, found = column_names(source, columns), column_names(test, columns)
    if names is None or found is None:
        return columns
    columns = columns.resolve(names, Path(source))
    lists: dict[str, Any] = {
        option: [name for name in getattr(columns, option) if name in found]
        for option in _COLUMN_LISTS
    }
    return replace(columns, id=columns.id if columns.id in found else None, **lists)


def column_names(source: str, columns: Columns) -> tuple[str, ...] | None:
    """Return the names of all columns of a file; None for formats without."""
    found = file_columns(source, columns)
    return None if found is None else found.names


def file_columns(source: str, columns: Columns) -> ColumnNames | None:
    """Return what a file shows of its columns; None for formats without."""
    with own_options():
        reader = find_reader(source, columns.format, encoding=columns.reading.get("encoding"))
        if not reader.has_columns or reader.columns is None:
            return None
        return reader.columns(Path(source), columns.options())


def _kinds_of_model(
    file: str,
    names: Sequence[str],
    columns: Columns,
    target: str | int | None,
    known: KnownColumns,
    reader: Reader,
) -> dict[str, Any]:
    """Return which columns of a file hold numbers and which hold names, as a model knows them.

    Others, of which the model knows nothing, are left out.
    """
    numbers = set(known.features)
    # `colour=red` is a value of the column colour.
    cuts = ((name, at) for name in known.features for at, c in enumerate(name) if c == "=")
    nominal = {name[:at] for name, at in cuts}
    special = {columns.id, columns.bag, None}
    if target is not None:
        special.add(names[find_column(target, names, Path(file))])
    free = [name for name in names if name not in special]
    numeric = [name for name in free if name in numbers]
    others = [name for name in free if name in nominal and name not in numbers]
    found = {*numeric, *others}
    unknown = [name for name in free if name not in found]
    if not numeric and not others:
        # Not the columns of the model at all, which is another sentence.
        return {}
    expected = {*known.targets, *columns.drop, *(n for own in known.roles.values() for n in own)}
    strange = [name for name in unknown if name not in expected]
    if strange:
        note(f"warning: {file} has {listed_columns(strange)} unknown to the model; ignored")
    labels = [names[find_column(target, names, Path(file))]] if target is not None else []
    if not known.named_classes:
        labels = []
    kinds: dict[str, Any] = {"nominal_columns": [*others, *labels], "drop": unknown}
    if "numeric_columns" in reader.options:
        stated = columns.reading.get("dates")
        dates = {n: stated or order for n, order in known.date_orders().items() if n in numeric}
        kinds["numeric_columns"] = [name for name in numeric if name not in dates]
        if dates:
            kinds["dates"] = dates
    return kinds


def listed_columns(names: Sequence[str]) -> str:
    """Return the names of columns as part of a sentence."""
    shown = ", ".join(repr(name) for name in names[:_NAMES_SHOWN])
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return f"the column {shown}" if len(names) == 1 else f"the columns {shown}{more}"
