"""Read bags of instances: Weka's relational ARFF, or a table with a column of bag ids."""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers import TableFormat, read_table, sniff_format
from svmosaic.datasets.readers.arff import (
    ArffAttribute,
    ArffHeader,
    AttributeKind,
    filled_lines,
    make_column,
    read_header,
    split_row,
)
from svmosaic.datasets.readers.columns import (
    NominalColumn,
    NumericColumn,
    Roles,
    TableBuilder,
    TableOptions,
    assign_roles,
    check_size,
    is_number,
    target_values,
    whole_if_integral,
)
from svmosaic.datasets.readers.text import file_error, iter_blocks, shorten, table_name

if TYPE_CHECKING:
    from svmosaic.bags import Bags

__all__ = ["read_bags"]

_QUERY = re.compile(r"\s*\S+\s+qid:(-?\d+)(?=\s|$)")
_NO_ROLES = Roles(None, frozenset(), frozenset())


def read_bags(
    path: str | os.PathLike[str],
    *,
    format: TableFormat | None = None,
    bag: str | int | None = None,
    target: str | int | None = -1,
    nominal: Literal["onehot", "ordinal"] = "onehot",
    n_features: int | None = None,
    allow_nan: bool = False,
    dense: bool | None = None,
    max_dense_mb: float = 4096.0,
) -> Dataset:
    r"""Read a file of bags.

    Parameters
    ----------
    path : path-like
        The file, plain or gzip'd. ARFF with a relational attribute has a bag in each row; any
        other file has an instance in each row, with its label and the id of its bag.
    format : {"libsvm", "csv", "arff"}, default=None
        By default the extension decides, or else the first lines.
    bag : str or int, default=None
        The relational attribute; the column of bag ids; or, in LIBSVM text, ``"qid"`` or the
        number of the feature, from 1, that holds the id. None means the only relational attribute,
        the first column, or ``"qid"``.
    target : str, int or None, default=-1
        Column of the label, by name or by number from 0; -1 is the last one. None reads bags
        without labels. CSV and ARFF only. Other columns beside a relational attribute are left
        out.
    nominal : {"onehot", "ordinal"}, default="onehot"
        How features with names become numbers; see `read_table`.
    n_features : int, default=None
        Number of columns; by default the largest index in the file. LIBSVM only.
    allow_nan : bool, default=False
        Accept missing values in the features, as nan.
    dense : bool, default=None
        True gives dense instances, False sparse ones. By default LIBSVM text is sparse.
    max_dense_mb : float, default=4096
        Refuse to make a larger array than this, in megabytes.

    Returns
    -------
    Dataset
        `X` has the bags, in the order in which they come first, and `y` a label for each, or is
        None. Labels that are whole numbers become int64, also where ARFF declares them as names.

    Raises
    ------
    DataFileError
        The file is malformed; the message names the file, the line and the mend.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmosaic.datasets import read_bags
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.csv")
    ...     _ = path.write_text("bag,size,class\na,1,0\nb,2,1\na,3,0\n")
    ...     data = read_bags(path)
    >>> [bag.ravel().tolist() for bag in data.X], data.y.tolist()
    ([[1.0, 3.0], [2.0]], [0, 1])
    """
    source = Path(path)
    options = TableOptions(
        target, nominal=nominal, allow_nan=allow_nan, dense=dense, max_dense_mb=max_dense_mb
    )
    chosen = sniff_format(source) if format is None else format
    if chosen == "libsvm":
        return _read_libsvm(source, bag, n_features, options)
    if n_features is not None:
        raise ValueError(
            f"The 'n_features' option of read_bags is for LIBSVM text. Leave it out for "
            f"{source.name}."
        )
    if chosen == "arff":
        lines = filled_lines(source)
        header = read_header(source, lines, relational=True)
        if any(a.kind is AttributeKind.RELATIONAL for a in header.attributes):
            return _read_relational(source, header, lines, bag, options)
    return _read_flat(source, chosen, 0 if bag is None else bag, options)


# One row per instance -----------------------------------------------------------------------


def _read_flat(source: Path, format: TableFormat, bag: str | int, options: TableOptions) -> Dataset:
    """Read a table with a column of bag ids."""
    target = options.target
    if bag == target:
        raise ValueError(
            f"The bag ids and the labels of {source.name} cannot be one column, {bag!r}. Name "
            "another one."
        )
    common: dict[str, Any] = {"format": format, "nominal": options.nominal}
    # Read twice: a table has one target. Ids are read as the target of the first reading.
    rest = [] if target is None else [target]
    ids = read_table(source, target=bag, drop=rest, allow_nan=True, **common).y
    table = read_table(
        source,
        target=target,
        drop=[bag],
        allow_nan=options.allow_nan,
        dense=options.dense,
        max_dense_mb=options.max_dense_mb,
        **common,
    )
    names = table.target_names
    labels = table.y
    if labels is not None and format == "arff" and names is not None:
        labels, names = _whole_labels(labels, names)
    return _dataset(source, table.X, ids, labels, table.feature_names, names, table.description)


def _read_libsvm(
    source: Path, bag: str | int | None, n_features: int | None, options: TableOptions
) -> Dataset:
    table = read_table(
        source,
        format="libsvm",
        n_features=n_features,
        allow_nan=options.allow_nan,
        dense=options.dense,
        max_dense_mb=options.max_dense_mb,
    )
    X = table.X
    if bag is None or bag == "qid":
        ids = _query_ids(source)
    else:
        if not isinstance(bag, int) or not 1 <= bag <= X.shape[1]:
            raise ValueError(
                f"The bag ids of LIBSVM text are 'qid' or a feature from 1 to {X.shape[1]}. Got "
                f"{bag!r}."
            )
        column = X[:, [bag - 1]]
        column = column.toarray() if scipy.sparse.issparse(column) else column
        ids = whole_if_integral(column[:, 0])
        kept = np.delete(np.arange(X.shape[1]), bag - 1)
        X = X[:, kept]
    return _dataset(source, X, ids, table.y, None, None, table.description)


def _query_ids(source: Path) -> NDArray[np.int64]:
    ids = array("q")
    for block in iter_blocks(source):
        for number, line in enumerate(block.lines, block.first):
            text = line.partition("#")[0]
            if not text.strip():
                continue
            found = _QUERY.match(text)
            if found is None:
                raise file_error(
                    source,
                    number,
                    "the line has no bag id. Write qid:NUMBER after the label, or pass bag=.",
                )
            ids.append(int(found[1]))
    return np.array(ids, dtype=np.int64)


def _dataset(
    source: Path,
    X: Any,
    ids: Any,
    labels: Any,
    feature_names: tuple[str, ...] | None,
    target_names: tuple[str, ...] | None,
    description: str,
) -> Dataset:
    """Return the data set of flat instances with a label each."""
    from svmosaic.bags import Bags, order_of_ids

    order, offsets = order_of_ids(ids)
    if labels is not None:
        sorted_labels = np.asarray(labels)[order]
        labels = sorted_labels[offsets[:-1]]
        mixed = np.flatnonzero(sorted_labels != np.repeat(labels, np.diff(offsets)))
        if mixed.size:
            row = order[mixed[0]]
            raise file_error(
                source,
                None,
                f"the bag {shorten(str(np.asarray(ids)[row]))} has instances with different "
                "labels. Give all instances of a bag the same label.",
            )
    return Dataset(
        X=Bags(X[order], offsets),
        y=labels,
        feature_names=feature_names,
        target_names=target_names,
        name=table_name(source),
        description=description,
    )


# One row per bag ----------------------------------------------------------------------------


def _read_relational(
    source: Path, header: ArffHeader, lines: Any, bag: str | int | None, options: TableOptions
) -> Dataset:
    names = [attribute.name for attribute in header.attributes]
    place = _relational_place(source, header, bag)
    target, label = _label_column(source, header, place, options)
    collector = _collector(source, header.attributes[place], options)
    sizes = array("q")
    weights = array("d")
    number = header.last_line
    for number, text in lines:
        cells, weight = split_row(source, number, text)
        if len(cells) != len(names):
            raise file_error(
                source,
                number,
                f"the row has {len(cells)} cells; expected {len(names)}. Put the instances of a "
                "bag in quotes, with \\n between them.",
            )
        instances = [line for line in cells[place].splitlines() if line.strip()]
        if not instances:
            raise file_error(source, number, "the bag is empty. Leave it out.")
        collector.add(instances, number)
        if label is not None:
            label.add([cells[target]], [number])
        sizes.append(len(instances))
        weights.append(weight)
    if not sizes:
        raise file_error(source, number, "no bags follow @data. Check the file.")
    return _relational_dataset(source, header, collector, label, sizes, weights)


def _label_column(
    source: Path, header: ArffHeader, place: int, options: TableOptions
) -> tuple[int, NumericColumn | NominalColumn | None]:
    """Return the number of the label's attribute and its column; None without labels."""
    names = [attribute.name for attribute in header.attributes]
    target = assign_roles(names, TableOptions(options.target), source).target
    if target is None:
        return -1, None
    attribute = header.attributes[target]
    if target == place or attribute.kind not in (AttributeKind.NOMINAL, AttributeKind.NUMERIC):
        raise file_error(
            source,
            attribute.line,
            f"the label {shorten(attribute.name)} is {attribute.kind.value}. Name another target.",
        )
    roles = Roles(target, frozenset(), frozenset())
    return target, make_column(source, target, attribute, roles, TableOptions())


def _relational_dataset(
    source: Path,
    header: ArffHeader,
    collector: _NumericInstances | _TableInstances,
    label: NumericColumn | NominalColumn | None,
    sizes: array[int],
    weights: array[float],
) -> Dataset:
    from svmosaic.bags import Bags

    labels, target_names = (None, None) if label is None else target_values(label.finish())
    if labels is not None and target_names is not None:
        labels, target_names = _whole_labels(labels, target_names)
    X, feature_names = collector.finish()
    bags: Bags = Bags(X, np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]))
    values = np.array(weights)
    return Dataset(
        X=bags,
        y=labels,
        feature_names=feature_names,
        target_names=target_names,
        sample_weight=None if np.all(values == 1.0) else values,
        name=table_name(source),
        description=f"ARFF relation {header.relation!r}",
    )


def _relational_place(source: Path, header: ArffHeader, bag: str | int | None) -> int:
    places = [j for j, a in enumerate(header.attributes) if a.kind is AttributeKind.RELATIONAL]
    if bag is None and len(places) == 1:
        return places[0]
    for j in places:
        if bag in (j, header.attributes[j].name):
            return j
    known = ", ".join(header.attributes[j].name for j in places)
    raise ValueError(
        f"The bags of {source.name} must be one of its relational attributes: {known}. Got {bag!r}."
    )


def _whole_labels(
    labels: NDArray[Any], names: tuple[str, ...]
) -> tuple[NDArray[Any], tuple[str, ...] | None]:
    """Return labels as whole numbers if all their declared names are such."""
    if not all(is_number(name) and float(name).is_integer() for name in names):
        return labels, names
    return labels.astype(np.float64).astype(np.int64), None


def _collector(
    source: Path, bag: ArffAttribute, options: TableOptions
) -> _NumericInstances | _TableInstances:
    for attribute in bag.inside:
        if attribute.kind not in (AttributeKind.NOMINAL, AttributeKind.NUMERIC):
            raise file_error(
                source,
                attribute.line,
                f"attribute {shorten(attribute.name)} is a {attribute.kind.value}, which is no "
                "feature. Remove it.",
            )
    if all(attribute.kind is AttributeKind.NUMERIC for attribute in bag.inside):
        return _NumericInstances(source, bag.inside, options)
    return _TableInstances(source, bag.inside, options)


class _NumericInstances:
    """Collects instances of numbers alone, a bag at a time."""

    def __init__(
        self, source: Path, inside: Sequence[ArffAttribute], options: TableOptions
    ) -> None:
        self._source = source
        self._names = tuple(attribute.name for attribute in inside)
        self._columns = [
            make_column(source, j, a, _NO_ROLES, options) for j, a in enumerate(inside)
        ]
        self._options = options
        self._n_rows = 0
        self._parts: list[Any] = []

    def add(self, instances: Sequence[str], line: int) -> None:
        """Take the instances of a bag."""
        part = self._parse(instances)
        if part is None:
            # Cell by cell: finds the cell to name, or takes a missing value.
            part = np.array([self._cells(text, line) for text in instances])
        self._n_rows += part.shape[0]
        if self._options.dense is False:
            self._parts.append(scipy.sparse.csr_array(part))
            return
        check_size(self._source, (self._n_rows, len(self._names)), self._options.max_dense_mb)
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
        cells, _ = split_row(self._source, line, text)
        if len(cells) != len(self._names):
            raise file_error(
                self._source,
                line,
                f"an instance has {len(cells)} cells; expected {len(self._names)}. Mend the bag.",
            )
        return [
            column.convert(cell, line)
            for column, cell in zip(self._columns, cells, strict=True)
            if column is not None
        ]

    def finish(self) -> tuple[Any, tuple[str, ...]]:
        """Return all instances and the names of their features."""
        if self._options.dense is False:
            return scipy.sparse.vstack(self._parts, format="csr"), self._names
        return np.vstack(self._parts), self._names


class _TableInstances:
    """Collects instances with names among their features."""

    def __init__(
        self, source: Path, inside: Sequence[ArffAttribute], options: TableOptions
    ) -> None:
        self._source = source
        columns = [make_column(source, j, a, _NO_ROLES, options) for j, a in enumerate(inside)]
        self._builder = TableBuilder(source, columns, _NO_ROLES, options)
        self._line = 1

    def add(self, instances: Sequence[str], line: int) -> None:
        """Take the instances of a bag."""
        for text in instances:
            self._builder.add_row(split_row(self._source, line, text)[0], line)
        self._line = line

    def finish(self) -> tuple[Any, tuple[str, ...]]:
        """Return all instances and the names of their features."""
        table = self._builder.finish(self._line)
        assert table.feature_names is not None
        return table.X, table.feature_names
