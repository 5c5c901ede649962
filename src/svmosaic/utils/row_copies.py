"""Which rows of a table are equal."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["group_copies"]

IndexArray = npt.NDArray[np.int64]

# With fewer copies than this share of the rows it does not pay to look for them.
_LEAST_SHARE = 0.1


def group_copies(X: Any) -> tuple[IndexArray, IndexArray]:
    """Return the first of each set of equal rows, and for each row the number of its set.

    Equal rows may count as different: all do in a sparse table, where copies are rare
    and comparing takes long, and in a dense one if less than a tenth are copies.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.utils.row_copies import group_copies
    >>> first, number = group_copies(np.array([[1.0, 2.0], [0.0, 5.0], [1.0, 2.0]]))
    >>> sorted(first.tolist()), bool(number[0] == number[2])
    ([0, 1], True)
    """
    n = X.shape[0]
    everyone = np.arange(n, dtype=np.int64)
    if not isinstance(X, np.ndarray):
        return everyone, everyone
    # Equal rows have equal sums, and sums are compared sooner than rows.
    with np.errstate(over="ignore", invalid="ignore"):
        sums = X.sum(axis=1)
    if np.unique(sums).size > (1.0 - _LEAST_SHARE) * n:
        return everyone, everyone
    X = np.ascontiguousarray(X)
    rows = X.view(np.dtype((np.void, X.dtype.itemsize * X.shape[1])))[:, 0]
    _, first, number = np.unique(rows, return_index=True, return_inverse=True)
    return first, number
