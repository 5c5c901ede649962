"""A number for the content of each row."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

__all__ = ["hash_rows", "mix_bits"]

Hashes = npt.NDArray[np.uint64]

# Values of a dense table that are hashed together: what they need stays in the cache.
_BLOCK_VALUES = 1 << 16
# The odd number next to 2^64 over the golden ratio: multiples of it are spread evenly.
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def hash_rows(X: Any) -> Hashes:
    """Return a hash of 64 bits for each row; equal rows have equal hashes.

    Dense and sparse rows, float32 and float64 of the same values have the same hashes. That two of
    a million different rows share one has a probability of 3e-8.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.utils.row_hashes import hash_rows
    >>> a, b, c = hash_rows(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]])).tolist()
    >>> a == c, a == b
    (True, False)
    """
    if sp.issparse(X):
        X = sp.csr_array(X)
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        sums = np.concatenate([[np.uint64(0)], np.cumsum(_hash_values(X.data, X.indices))])
        return np.asarray(sums[X.indptr[1:]] - sums[X.indptr[:-1]], dtype=np.uint64)
    columns = np.arange(X.shape[1])
    height = max(1, _BLOCK_VALUES // max(1, X.shape[1]))
    blocks = [
        _hash_values(X[begin : begin + height], columns).sum(axis=1, dtype=np.uint64)
        for begin in range(0, X.shape[0], height)
    ]
    return np.concatenate([np.empty(0, dtype=np.uint64), *blocks])


def mix_bits(numbers: Hashes) -> Hashes:
    """Return numbers of which each bit depends on all bits of the given ones (SplitMix64)."""
    mixed = numbers + _SPREAD
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def _hash_values(values: Any, columns: Any) -> Hashes:
    """Return a hash for each value and its column; zeros count for nothing, as in sparse rows."""
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
    hashes = mix_bits(bits ^ mix_bits(np.asarray(columns, dtype=np.uint64)))
    hashes[np.asarray(values) == 0] = 0
    return hashes
