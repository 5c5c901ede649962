"""Bags of instances in ARFF files: relational attributes, as Weka has them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.arff import (
    ArffAttribute,
    ArffHeader,
    AttributeKind,
    filled_lines,
    make_column,
    read_arff,
    read_header,
    split_row,
)
from svmosaic.datasets.readers.column_roles import Roles, find_column
from svmosaic.datasets.readers.columns import NominalColumn, NumericColumn
from svmosaic.datasets.readers.feature_matrix import check_size
from svmosaic.datasets.readers.flat_bags import read_flat_bags, whole_labels
from svmosaic.datasets.readers.table_builder import TableBuilder
from svmosaic.datasets.readers.table_options import TableOptions
from svmosaic.datasets.readers.target_values import target_values
from svmosaic.datasets.readers.text import file_error, shorten, table_name

__all__ = ["read_arff_bags"]

# Instances are converted in batches of about this many cells.
_BATCH_CELLS = 50_000
_NO_ROLES = Roles(None, frozenset(), frozenset())


def read_arff_bags(path: Path, bag: str | int | None, options: TableOptions) -> Dataset:
    """Read a bag from each row with a relational attribute, or an instance from each other row."""
    lines = filled_lines(path, options)
    header = read_header(path, lines, relational=True)
    if any(a.kind is AttributeKind.RELATIONAL for a in header.attributes):
        return _read_relational(path, header, lines, bag, options)
    names = [attribute.name for attribute in header.attributes]
    return read_flat_bags(read_arff, names, path, bag, options)


def _read_relational(
    path: Path, header: ArffHeader, lines: Any, bag: str | int | None, options: TableOptions
) -> Dataset:
    names = [attribute.name for attribute in header.attributes]
    place = _relational_place(path, header, bag)
    target, label = _label_column(path, header, place, options)
    collector = _collector(path, header.attributes[place], options)
    named = _id_place(header, place, target)
    ids: list[str] = []
    sizes = array("q")
    weights = array("d")
    # Labels that wait for their conversion, and their lines.
    waiting: list[str] = []
    waiting_lines: list[int] = []
    number = header.last_line
    for number, text in lines:
        cells, weight = split_row(path, number, text)
        if len(cells) != len(names):
            raise file_error(
                path,
                number,
                f"the row has {len(cells)} cells; expected {len(names)}. Put the instances of a "
                "bag in quotes, with \\n between them.",
            )
        instances = _instances(cells[place])
        if not instances:
            raise file_error(path, number, "the bag is empty. Leave it out.")
        collector.add(instances, number)
        if label is not None:
            waiting.append(cells[target])
            waiting_lines.append(number)
            if len(waiting) >= _BATCH_CELLS:
                label.add(waiting, waiting_lines)
                waiting, waiting_lines = [], []
        if named is not None:
            ids.append(cells[named])
        sizes.append(len(instances))
        weights.append(weight)
    if not sizes:
        raise file_error(path, number, "no bags follow @data. Check the file.")
    if label is not None:
        label.add(waiting, waiting_lines)
    data = _relational_dataset(path, header, collector, label, sizes, weights)
    return data if named is None else replace(data, ids=np.array(ids, dtype=object))


def _instances(cell: str) -> list[str]:
    """Return the rows inside a bag that are not blank, each without a stray comma at its end.

    Published files have such commas, before a line break or before the closing quote.
    """
    rows = (row.strip() for row in cell.splitlines())
    return [row[:-1] if row.endswith(",") else row for row in rows if row]


def _id_place(header: ArffHeader, place: int, target: int) -> int | None:
    """Return the first attribute that is neither the bag nor the label, by custom the bag's id."""
    n = len(header.attributes)
    others = (j for j in range(n) if j != place and j != target % n)
    return next(others, None)


def _label_column(
    path: Path, header: ArffHeader, place: int, options: TableOptions
) -> tuple[int, NumericColumn | NominalColumn | None]:
    """Return the number of the label's attribute and its column; None without labels."""
    names = [attribute.name for attribute in header.attributes]
    if options.target is None:
        return -1, None
    target = find_column(options.target, names, path)
    attribute = header.attributes[target]
    if target == place or attribute.kind not in (AttributeKind.NOMINAL, AttributeKind.NUMERIC):
        raise file_error(
            path,
            attribute.line,
            f"the label {shorten(attribute.name)} is {attribute.kind.value}. Name another target.",
        )
    roles = Roles(target, frozenset(), frozenset())
    return target, make_column(path, target, attribute, roles, TableOptions())


def _relational_dataset(
    path: Path,
    header: ArffHeader,
    collector: _NumericInstances | _TableInstances,
    label: NumericColumn | NominalColumn | None,
    sizes: array[int],
    weights: array[float],
) -> Dataset:
    # Imported here: most files have no bags.
    from svmosaic.bags import Bags

    labels, target_names = (None, None) if label is None else target_values(label.finish())
    if labels is not None and target_names is not None:
        labels, target_names = whole_labels(labels, target_names)
    X, feature_names = collector.finish()
    bags = Bags(X, np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]))
    values = np.array(weights)
    return Dataset(
        X=bags,
        y=labels,
        feature_names=feature_names,
        target_names=target_names,
        sample_weight=None if np.all(values == 1.0) else values,
        name=table_name(path),
        description=f"ARFF relation {header.relation!r}",
    )


def _relational_place(path: Path, header: ArffHeader, bag: str | int | None) -> int:
    places = [j for j, a in enumerate(header.attributes) if a.kind is AttributeKind.RELATIONAL]
    if bag is None and len(places) == 1:
        return places[0]
    for j in places:
        if bag in (j, header.attributes[j].name):
            return j
    known = ", ".join(header.attributes[j].name for j in places)
    if bag is None:
        second = header.attributes[places[1]]
        raise file_error(
            path,
            second.line,
            f"attribute {shorten(second.name)} is relational too, and only one can hold the bags. "
            "Pass its name as bag=.",
        )
    raise ValueError(
        f"The bags of {path.name} must be one of its relational attributes: {known}. Got {bag!r}."
    )


def _collector(
    path: Path, bag: ArffAttribute, options: TableOptions
) -> _NumericInstances | _TableInstances:
    for attribute in bag.inside:
        if attribute.kind not in (AttributeKind.NOMINAL, AttributeKind.NUMERIC):
            raise file_error(
                path,
                attribute.line,
                f"attribute {shorten(attribute.name)} is a {attribute.kind.value}, which is no "
                "feature. Remove it.",
            )
    if all(attribute.kind is AttributeKind.NUMERIC for attribute in bag.inside):
        return _NumericInstances(path, bag.inside, options)
    return _TableInstances(path, bag.inside, options)


class _NumericInstances:
    """Collects instances of numbers alone, a bag at a time."""

    def __init__(self, path: Path, inside: Sequence[ArffAttribute], options: TableOptions) -> None:
        self._path = path
        self._names = tuple(attribute.name for attribute in inside)
        self._columns = [make_column(path, j, a, _NO_ROLES, options) for j, a in enumerate(inside)]
        self._options = options
        self._n_rows = 0
        # Instances that wait for their conversion, and their lines.
        self._texts: list[str] = []
        self._lines: list[int] = []
        self._parts: list[Any] = []

    def add(self, instances: Sequence[str], line: int) -> None:
        """Take the instances of a bag."""
        self._texts += instances
        self._lines += [line] * len(instances)
        if len(self._texts) * len(self._names) >= _BATCH_CELLS:
            self._flush()

    def _flush(self) -> None:
        if not self._texts:
            return
        part = self._parse(self._texts)
        if part is None:
            # Cell by cell: finds the cell to name, or takes a missing value.
            part = np.array(list(map(self._cells, self._texts, self._lines)))
        self._n_rows += part.shape[0]
        self._texts.clear()
        self._lines.clear()
        if self._options.dense is False:
            self._parts.append(scipy.sparse.csr_array(part))
            return
        check_size(self._path, (self._n_rows, len(self._names)), self._options.max_bytes)
        self._parts.append(part)

    def _parse(self, instances: Sequence[str]) -> NDArray[np.float64] | None:
        """Return plain finite numbers, or None if there is anything else."""
        width = len(self._names)
        if any(text.count(",") != width - 1 for text in instances):
            return None
        joined = ",".join(instances)
        if "_" in joined or not joined.isascii():
            return None
        try:
            values = np.fromiter(map(float, joined.split(",")), np.float64, width * len(instances))
        except ValueError:
            return None
        return values.reshape(-1, width) if np.isfinite(values).all() else None

    def _cells(self, text: str, line: int) -> list[float]:
        cells, _ = split_row(self._path, line, text)
        if len(cells) != len(self._names):
            raise file_error(
                self._path,
                line,
                f"an instance has {len(cells)} cells; expected {len(self._names)}. Correct it.",
            )
        return [
            column.convert(cell, line)
            for column, cell in zip(self._columns, cells, strict=True)
            if column is not None
        ]

    def finish(self) -> tuple[Any, tuple[str, ...]]:
        """Return all instances and the names of their features."""
        self._flush()
        if self._options.dense is False:
            return scipy.sparse.vstack(self._parts, format="csr"), self._names
        return np.vstack(self._parts), self._names


class _TableInstances:
    """Collects instances with names among their features."""

    def __init__(self, path: Path, inside: Sequence[ArffAttribute], options: TableOptions) -> None:
        self._path = path
        columns = [make_column(path, j, a, _NO_ROLES, options) for j, a in enumerate(inside)]
        self._builder = TableBuilder(path, columns, _NO_ROLES, options)
        self._line = 1

    def add(self, instances: Sequence[str], line: int) -> None:
        """Take the instances of a bag."""
        for text in instances:
            self._builder.add_row(split_row(self._path, line, text)[0], line)
        self._line = line

    def finish(self) -> tuple[Any, tuple[str, ...]]:
        """Return all instances and the names of their features."""
        table = self._builder.finish(self._line)
        assert table.feature_names is not None
        return table.X, table.feature_names
