"""Decision values of rows by classifiers that have not seen them, in little memory.

With many classes the values of all pairs are a table far larger than anything that is made of them:
200 classes have 19,900 pairs. A sigmoid needs the rows of its two classes only, so a row takes part
in no more than 199 of them. The whole table is therefore kept only while it is small; otherwise the
classifiers are asked again, some rows at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from svmosaic.classification.class_scores import class_scores
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.utils.sklearn_compat import take_rows

__all__ = ["HeldOutValues", "blocks_of_rows"]

# The largest table of all values that is kept; a larger one costs a second pass of predictions.
_TABLE_BYTES = 2**26
# Values that are made at once. What is computed from them needs two or three times as much.
_BLOCK_BYTES = 2**24


def blocks_of_rows(rows: IndexArray, n_columns: int) -> Iterator[IndexArray]:
    """Return rows in blocks whose values in this many columns are few enough to be held at once."""
    size = max(1, _BLOCK_BYTES // (n_columns * np.dtype(np.float64).itemsize))
    return (rows[begin : begin + size] for begin in range(0, rows.size, size))


class HeldOutValues:
    """The decision values of rows, each by a classifier that was trained without it.

    Parameters
    ----------
    X : array-like
        The rows; kernel values for classifiers that take those.
    labels : ndarray of int64, shape (n_samples,)
        Numbers of the classes.
    sides : list of (int, int)
        The positive and the negative class of each column; -1 means all others.
    n_classes : int
        Number of classes.
    """

    def __init__(
        self, X: Any, labels: IndexArray, sides: list[tuple[int, int]], n_classes: int
    ) -> None:
        self._X, self._labels, self._sides = X, labels, sides
        self._models: list[tuple[Any, IndexArray, IndexArray | None]] = []
        n_values = labels.size * len(sides)
        # Against the rest every row takes part in every column.
        of_pairs = all(negative >= 0 for _, negative in sides)
        self._keeps_all = not of_pairs or n_values * np.dtype(np.float64).itemsize <= _TABLE_BYTES
        width = len(sides) if self._keeps_all else n_classes
        self._kept = np.empty((labels.size, width))
        if not self._keeps_all:
            # The column of a class against each other one.
            self._columns = np.zeros((n_classes, n_classes), dtype=np.int64)
            for column, (positive, negative) in enumerate(sides):
                self._columns[positive, negative] = self._columns[negative, positive] = column
            order = np.argsort(labels, kind="stable")
            counts = np.bincount(labels, minlength=n_classes)
            self._rows_of_class = np.split(order, np.cumsum(counts)[:-1])

    def add(self, model: Any, rows: IndexArray, trained_on: IndexArray | None = None) -> None:
        """Ask a fitted classifier for the values of rows that it has not seen.

        `trained_on` names the columns of kernel values that it takes; None means all columns.
        """
        if not self._keeps_all:
            self._models.append((model, rows, trained_on))
        for block, values in self._ask(model, rows, trained_on):
            if self._keeps_all:
                self._kept[block] = values
            else:
                columns = self._columns[self._labels[block]]
                self._kept[block] = np.take_along_axis(values, columns, axis=1)

    def of_column(self, column: int) -> tuple[DoubleArray, IndexArray | slice]:
        """Return the values of a column for the rows of its two classes, and these rows."""
        positive, negative = self._sides[column]
        if negative < 0:
            return self._kept[:, column], slice(None)
        if self._keeps_all:
            rows = np.flatnonzero((self._labels == positive) | (self._labels == negative))
            return self._kept[rows, column], rows
        rows = np.sort(np.concatenate([self._rows_of_class[c] for c in (positive, negative)]))
        other = np.where(self._labels[rows] == positive, negative, positive)
        return self._kept[rows, other], rows

    def blocks(self) -> Iterator[tuple[IndexArray, DoubleArray]]:
        """Return the values of all columns, some rows at a time; `of_column` has none after it."""
        if self._keeps_all:
            for rows in blocks_of_rows(np.arange(self._labels.size), len(self._sides)):
                yield rows, self._kept[rows]
            return
        self._kept = np.empty((0, 0))
        for model, rows, trained_on in self._models:
            yield from self._ask(model, rows, trained_on)

    def _ask(
        self, model: Any, rows: IndexArray, trained_on: IndexArray | None
    ) -> Iterator[tuple[IndexArray, DoubleArray]]:
        for block in blocks_of_rows(rows, len(self._sides)):
            samples = take_rows(self._X, block)
            yield (
                block,
                class_scores(model, samples if trained_on is None else samples[:, trained_on]),
            )
