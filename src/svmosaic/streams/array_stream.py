"""Any table in memory as a stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse

from svmosaic.streams.block_seeds import Purpose, block_rng
from svmosaic.streams.checks import check_count
from svmosaic.streams.stream_protocol import Samples, Stream

__all__ = ["ArrayStream"]


class ArrayStream(Stream):
    """The rows of a table, in their order or shuffled once.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Features. A sparse matrix stays sparse here; only what is read becomes dense.
    y : array-like of shape (n_samples,)
        Labels.
    shuffle : int, default=None
        Seed of a random order; None keeps the order of the rows.
    name : str, default="ArrayStream"
        Name of the stream.
    drifts : sequence of int, default=()
        Sample numbers where the concept is known to change.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svmosaic.streams import ArrayStream
    >>> ArrayStream(*load_iris(return_X_y=True), shuffle=1, name="iris")
    ArrayStream(name='iris', n_features=4, n_classes=3, length=150)
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        shuffle: int | None = None,
        name: str = "ArrayStream",
        drifts: Sequence[int] = (),
    ) -> None:
        is_sparse = scipy.sparse.issparse(X)
        table = scipy.sparse.csr_array(X) if is_sparse else np.ascontiguousarray(X, np.float64)
        labels = np.asarray(y)
        if table.ndim != 2 or labels.shape != (table.shape[0],) or table.shape[0] == 0:
            raise ValueError(
                "ArrayStream needs a table with at least one row and one label for each row. Got "
                f"X of shape {table.shape} and y of shape {labels.shape}."
            )
        if not np.isfinite(table.data if is_sparse else table).all():
            raise ValueError("X of ArrayStream must be finite. Fill in or remove nan and inf.")
        super().__init__(
            n_features=int(table.shape[1]),
            classes=np.unique(labels),
            length=int(table.shape[0]),
            name=name,
            drifts=drifts,
        )
        self._X = table
        self._y = labels
        self._order = None
        if shuffle is not None:
            seed = check_count("ArrayStream", "shuffle", shuffle, 0)
            self._order = block_rng(seed, Purpose.ORDER).permutation(labels.size)

    def _read(self, begin: int, count: int) -> Samples:
        rows: Any = slice(begin, begin + count)
        if self._order is not None:
            rows = self._order[rows]
        X = self._X[rows]
        if scipy.sparse.issparse(X):
            X = X.toarray()
        # Copies: the caller may change what it has read.
        return np.array(X, dtype=np.float64, order="C"), np.array(self._y[rows])
