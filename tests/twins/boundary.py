"""Characteristic boundary points in plain NumPy: every pair against every sample."""

from __future__ import annotations

import numpy as np

from svmosaic.engine.problem import DoubleArray, IndexArray

__all__ = ["pairs"]

# As in cpp/core/boundary_pairs.cpp: inside by more than rounding.
_TIE = {"float64": 1e-12, "float32": 1e-5}


def pairs(X: DoubleArray, first: IndexArray, second: IndexArray) -> tuple[IndexArray, IndexArray]:
    """Return the pairs with no listed sample strictly inside the ball of which they are poles."""
    tie = _TIE[X.dtype.name]
    values = X.astype(np.float64)
    everyone = values[np.concatenate([first, second])]
    found = []
    for i in first:
        for j in second:
            # d_ij^2 - d_ik^2 - d_jk^2 = 2 (x_k - x_i).(x_j - x_k)
            products = ((everyone - values[i]) * (values[j] - everyone)).sum(axis=1)
            squared = float(((values[i] - values[j]) ** 2).sum())
            if not np.any(2.0 * products > tie * squared):
                found.append((i, j))
    rows = np.array(found, dtype=np.int64).reshape(-1, 2)
    return rows[:, 0], rows[:, 1]
