"""Bags of instances in tables: one row per instance, with its label and the id of its bag."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.column_roles import find_column
from svmosaic.datasets.readers.columns import is_number
from svmosaic.datasets.readers.line_table import MISSING
from svmosaic.datasets.readers.table_options import TableOptions
from svmosaic.datasets.readers.text import file_error, shorten
from svmosaic.exceptions import DataFileError

__all__ = ["bags_of_rows", "read_flat_bags", "whole_labels"]


def read_flat_bags(
    read: Callable[[Path, TableOptions], Dataset],
    names: Sequence[str],
    path: Path,
    bag: str | int | None,
    options: TableOptions,
) -> Dataset:
    """Read a table with a column of bag ids.

    Parameters
    ----------
    read : callable
        Reads the table.
    names : sequence of str
        The names of its columns.
    path : Path
        The file.
    bag : str, int or None
        The column of bag ids; None means the first one.
    options : TableOptions
        What else to make of the table.
    """
    id_column = find_column(0 if bag is None else bag, names, path)
    feature = _find_feature(path, names, id_column, options)
    table, ids = _with_text_ids(read, path, id_column, options)
    if ids is None or any(text in MISSING for text in ids):
        # Read twice: a table has one target. Ids are read as the target of the first reading,
        # beside one feature, without which it would be no table. It names the line of a missing
        # id.
        rest = [j for j in range(len(names)) if j not in (id_column, feature)]
        first = dataclasses.replace(
            options, target=id_column, drop=rest, nominal="ordinal", allow_nan=True
        )
        numbers = read(path, first).y
        ids = numbers if ids is None else ids
    if table is None:
        table = read(path, dataclasses.replace(options, drop=[*options.drop, id_column]))
    labels, target_names = table.y, table.target_names
    if labels is not None and target_names is not None:
        labels, target_names = whole_labels(labels, target_names)
    data = dataclasses.replace(table, y=labels, target_names=target_names, sample_weight=None)
    return bags_of_rows(path, data, ids)


def _with_text_ids(
    read: Callable[[Path, TableOptions], Dataset], path: Path, id_column: int, options: TableOptions
) -> tuple[Dataset | None, Any]:
    """Return the table and its bag ids as text: as numbers, 1.1 and 1.10 would be one bag.

    Sparse rows have no ids as text. Whatever else is wrong with a file is found by the next reading
    as well.
    """
    try:
        table = read(path, dataclasses.replace(options, id_column=id_column))
    except DataFileError:
        return None, None
    return (None, None) if table.ids is None else (table, table.ids)


def _find_feature(path: Path, names: Sequence[str], bag: int, options: TableOptions) -> int:
    """Return the first column that is a feature, after a look at the others."""
    target = None if options.target is None else find_column(options.target, names, path)
    if bag == target and len(names) == 1:
        raise file_error(
            path,
            None,
            f"expected columns of bag ids, features and labels, got one column, "
            f"{shorten(names[bag])}. Check the delimiter.",
        )
    if bag == target:
        raise ValueError(
            f"The bag ids and the labels of {path.name} cannot be one column, {names[bag]!r}. Name "
            "another 'bag' or 'target'."
        )
    dropped = {find_column(key, names, path) for key in options.drop}
    if bag in dropped:
        raise ValueError(
            f"The bag ids of {path.name} are in column {names[bag]!r}, which is also in drop. Name "
            "another 'bag'."
        )
    features = set(range(len(names))) - dropped - {bag, target}
    if not features:
        raise file_error(
            path,
            None,
            "no feature columns are left beside the bag ids and the labels. Check the delimiter, "
            "'bag' and 'target'.",
        )
    return min(features)


def whole_labels(
    labels: NDArray[Any], names: tuple[str, ...]
) -> tuple[NDArray[Any], tuple[str, ...] | None]:
    """Return labels as whole numbers if all their declared names are such."""
    if not all(is_number(name) and float(name).is_integer() for name in names):
        return labels, names
    return labels.astype(np.float64).astype(np.int64), None


def bags_of_rows(path: Path, data: Dataset, ids: Any) -> Dataset:
    """Return the bags of instances that have a label and a bag id each."""
    # Imported here: most files have no bags.
    from svmosaic.bags import Bags, order_of_ids

    order, offsets = order_of_ids(ids)
    labels = data.y
    if labels is not None:
        sorted_labels = labels[order]
        labels = sorted_labels[offsets[:-1]]
        mixed = np.flatnonzero(sorted_labels != np.repeat(labels, np.diff(offsets)))
        if mixed.size:
            row = order[mixed[0]]
            raise file_error(
                path,
                None,
                f"the bag {shorten(str(np.asarray(ids)[row]))} has instances with different "
                "labels. Give all instances of a bag the same label.",
            )
    of_bags = np.asarray(ids)[order][offsets[:-1]]
    return dataclasses.replace(data, X=Bags(data.X[order], offsets), y=labels, ids=of_bags)
