"""Dense algebra in blocks: Python looks for Ctrl-C between two of them.

One call of BLAS or LAPACK on a large matrix takes seconds, and nothing can stop it. A block takes a
few hundredths of a second; the blocks are large enough to lose no speed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.spatial.distance import cdist

__all__ = ["add_outer_product", "exponentials", "factorise", "solve_lower", "squared_distances"]

DoubleArray = NDArray[np.float64]

# Multiplications in a block: 0.05 s at 20 GFLOP/s, that of a slow core.
_BLOCK_PRODUCTS = 5e8
# Features times pairs in a block of distances, whose loops are slower than those of BLAS.
_BLOCK_DIFFERENCES = 1e7
# Exponentials in a block.
_BLOCK_EXPONENTIALS = 2e6
# Columns that are factorised together: enough for products that are faster than the memory.
_PANEL = 256


def add_outer_product(total: DoubleArray, A: DoubleArray) -> None:
    """Add A A' to a symmetric matrix."""
    side = int(max(32.0, np.sqrt(_BLOCK_PRODUCTS / max(1, A.shape[1]))))
    for rows in _slices(A.shape[0], side):
        for columns in _slices(rows.stop, side):
            # Of equal blocks NumPy computes one half.
            part = A[rows] @ A[columns].T
            total[rows, columns] += part
            if columns.start < rows.start:
                total[columns, rows] += part.T


def factorise(R: DoubleArray) -> DoubleArray:
    """Return the lower triangle L with R = L L' in the place of a positive definite R.

    Raises
    ------
    numpy.linalg.LinAlgError
        If R is not positive definite.
    """
    n = R.shape[0]
    for panel in _slices(n, _PANEL):
        done = slice(0, panel.start)
        # Left-looking: what the columns before subtract from these, some rows at a time.
        if panel.start > 0:
            height = int(max(_PANEL, _BLOCK_PRODUCTS / (_PANEL * panel.start)))
            for rows in _slices(n, height, panel.start):
                R[rows, panel] -= R[rows, done] @ R[panel, done].T
        diagonal = cholesky(R[panel, panel], lower=True, check_finite=False)
        R[panel, panel] = diagonal
        R[panel, panel.stop :] = 0.0
        height = int(_BLOCK_PRODUCTS / _PANEL**2)
        for rows in _slices(n, height, panel.stop):
            R[rows, panel] = solve_triangular(
                diagonal, R[rows, panel].T, lower=True, check_finite=False
            ).T
    return R


def solve_lower(L: DoubleArray, B: DoubleArray) -> DoubleArray:
    """Return X with L X = B in the place of B."""
    width = int(max(8.0, _BLOCK_PRODUCTS / max(1.0, float(L.shape[0]) ** 2 / 2.0)))
    for columns in _slices(B.shape[1], width):
        B[:, columns] = solve_triangular(L, B[:, columns], lower=True, check_finite=False)
    return B


def squared_distances(X: DoubleArray, Z: DoubleArray) -> DoubleArray:
    """Return |x - z|^2 for all rows x of X and z of Z."""
    found = np.empty((X.shape[0], Z.shape[0]))
    height = int(max(1.0, _BLOCK_DIFFERENCES / max(1, Z.size)))
    for rows in _slices(X.shape[0], height):
        cdist(X[rows], Z, "sqeuclidean", out=found[rows])
    return found


def exponentials(exponents: DoubleArray, factor: float) -> DoubleArray:
    """Return exp(factor * exponents) of a matrix."""
    found = np.empty_like(exponents)
    height = int(max(1.0, _BLOCK_EXPONENTIALS / max(1, exponents.shape[1])))
    for rows in _slices(exponents.shape[0], height):
        np.multiply(exponents[rows], factor, out=found[rows])
        np.exp(found[rows], out=found[rows])
    return found


def _slices(stop: int, size: int, start: int = 0) -> Iterator[slice]:
    """Yield the range from `start` to `stop` in parts of at most `size`."""
    for begin in range(start, stop, size):
        yield slice(begin, min(begin + size, stop))
