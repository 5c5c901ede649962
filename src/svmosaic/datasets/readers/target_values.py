"""The targets of a table: names, whole numbers or real ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmosaic.datasets.readers.columns import FinishedColumn
from svmosaic.datasets.readers.numbers import LARGEST_WHOLE

__all__ = ["target_values", "whole_if_integral"]

# A NumPy string array gives every element the room of the longest; longer names stay objects, and
# so do those of arrays that would be larger than this.
_LONGEST_ARRAY_STRING = 64
_LARGEST_STRING_ARRAY = 1 << 26


def target_values(column: FinishedColumn) -> tuple[NDArray[Any], tuple[str, ...] | None]:
    """Return the targets and, when they are names, the names in order."""
    if column.categories is None:
        return whole_if_integral(column.values), None
    longest = max(map(len, column.categories))
    size = 4 * longest * len(column.values)
    is_long = longest > _LONGEST_ARRAY_STRING or size > _LARGEST_STRING_ARRAY
    names = np.array(column.categories, dtype=object if is_long else str)
    return names[column.values.astype(np.int64)], column.categories


def whole_if_integral(values: NDArray[Any]) -> NDArray[Any]:
    """Return int64 when every value is a whole number that a double holds, else the values."""
    if np.all(np.abs(values) <= LARGEST_WHOLE) and np.all(values == np.floor(values)):
        return values.astype(np.int64)
    return values
