"""Distinct labels, without a sort where they are small integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["distinct_labels", "label_numbers", "ordered_bits"]

IndexArray = npt.NDArray[np.int64]

# Integers that span no more than this, or than there are labels, are counted.
_LEAST_SPAN = 1 << 16


def _span(y: Any) -> tuple[int, int] | None:
    """Return the least label and how many integers labels span; None if they are to be sorted."""
    if y.dtype.kind not in "iu" or y.size == 0:
        return None
    least, most = int(y.min()), int(y.max())
    # Larger numbers would not be counted exactly, or at all.
    if most - least >= max(_LEAST_SPAN, y.size) or max(-least, most) >= 2**62:
        return None
    return least, most - least + 1


def distinct_labels(y: Any) -> Any:
    """Return what ``np.unique`` returns for an array with one axis.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.utils.labels import distinct_labels
    >>> distinct_labels(np.array([3, -1, 3]))
    array([-1,  3])
    """
    span = _span(y)
    if span is None:
        return np.unique(y)
    least, size = span
    counts = np.bincount(np.asarray(y, dtype=np.int64) - least, minlength=size)
    return (np.flatnonzero(counts) + least).astype(y.dtype)


def label_numbers(y: Any, classes: Any) -> IndexArray:
    """Return what ``np.searchsorted(classes, y)`` returns for distinct labels in order."""
    span = _span(y) if classes.dtype.kind in "iu" else None
    if span is None:
        found: IndexArray = np.searchsorted(classes, y).astype(np.int64)
        return found
    least, size = span
    numbers: IndexArray = np.searchsorted(classes, np.arange(least, least + size)).astype(np.int64)
    return numbers[np.asarray(y, dtype=np.int64) - least]


def ordered_bits(values: npt.NDArray[np.float64]) -> IndexArray:
    """Return integers that compare as finite numbers do.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.utils.labels import ordered_bits
    >>> a, b, c, d = ordered_bits(np.array([-2.0, -1.0, -0.0, 0.0])).tolist()
    >>> a < b < c == d
    True
    """
    # Zero has two signs, and a sum with zero one of them.
    bits = (values + 0.0).view(np.int64)
    # The sign comes first, and of negative numbers the larger bits are those of smaller numbers.
    return np.where(bits < 0, bits ^ np.iinfo(np.int64).max, bits)
