"""Bags of instances in LIBSVM text: the query id of a line, or a feature, is the id of its bag."""

from __future__ import annotations

import dataclasses
import re
from array import array
from pathlib import Path

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from svmosaic.datasets.dataset import Dataset
from svmosaic.datasets.readers.flat_bags import bags_of_rows
from svmosaic.datasets.readers.libsvm import read_libsvm
from svmosaic.datasets.readers.table_options import TableOptions
from svmosaic.datasets.readers.target_values import whole_if_integral
from svmosaic.datasets.readers.text import file_error, iter_blocks

__all__ = ["read_libsvm_bags"]

_QUERY = re.compile(r"\s*\S+\s+qid:(-?\d+)(?=\s|$)")


def read_libsvm_bags(path: Path, bag: str | int | None, options: TableOptions) -> Dataset:
    """Read an instance from each line, and its bag id from the query id or the feature `bag`."""
    table = read_libsvm(path, options)
    if bag is None or bag == "qid":
        return bags_of_rows(path, table, _query_ids(path, options))
    X = table.X
    if not isinstance(bag, int) or not 1 <= bag <= X.shape[1]:
        raise ValueError(
            f"The bag ids of LIBSVM text are 'qid' or a feature from 1 to {X.shape[1]}. Got "
            f"{bag!r}."
        )
    column = X[:, [bag - 1]]
    column = column.toarray() if scipy.sparse.issparse(column) else column
    kept = np.delete(np.arange(X.shape[1]), bag - 1)
    rest = dataclasses.replace(table, X=X[:, kept])
    return bags_of_rows(path, rest, whole_if_integral(column[:, 0]))


def _query_ids(path: Path, options: TableOptions) -> NDArray[np.int64]:
    ids = array("q")
    for block in iter_blocks(path, options.max_bytes, encoding=options.encoding):
        for number, line in enumerate(block.lines, block.first):
            text = line.partition("#")[0]
            if not text.strip():
                continue
            found = _QUERY.match(text)
            if found is None:
                raise file_error(
                    path,
                    number,
                    "the line has no bag id. Write qid:NUMBER after the label, or pass bag=.",
                )
            ids.append(int(found[1]))
    return np.array(ids, dtype=np.int64)
