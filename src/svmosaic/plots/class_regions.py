"""Regions of many classes on a grid, smooth although a prediction is a jump.

A class that is predicted at the points of a grid has an outline of stairs. Where neighbours differ,
a finer grid is asked, and each point of the coarse one gets the share that every class has of its
surroundings. Where two shares are equal is a smooth curve, which follows a straight boundary.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation, correlate1d

__all__ = ["class_leads"]

DoubleArray = NDArray[np.float64]
IndexArray = NDArray[np.int64]

# Points of the finer grid to a cell, along each axis.
_FINER = 4


def class_leads(
    numbers_at: Callable[[DoubleArray], IndexArray], x: DoubleArray, y: DoubleArray, n_classes: int
) -> DoubleArray:
    """Return by how much each class leads around each point of a grid.

    Parameters
    ----------
    numbers_at : callable
        Gets points of shape (n, 2) and returns the numbers of the classes predicted there.
    x, y : ndarray
        The grid: its coordinates, evenly spaced.
    n_classes : int
        Number of classes.

    Returns
    -------
    leads : ndarray of shape (n_classes, len(y), len(x))
        The share of a class less the largest share of another: positive inside its region.
    """
    labels = _fine_labels(numbers_at, x, y)
    # Twice a cell wide, so that a share falls linearly as a boundary passes. The ends count half.
    window = np.ones(2 * _FINER + 1)
    window[[0, -1]] = 0.5
    window /= window.sum()
    shares = np.empty((n_classes, y.size, x.size))
    for c in range(n_classes):
        along = correlate1d((labels == c).astype(np.float64), window, axis=0, mode="nearest")
        shares[c] = correlate1d(along[::_FINER], window, axis=1, mode="nearest")[:, ::_FINER]
    return _leads(shares)


def _leads(shares: DoubleArray) -> DoubleArray:
    ordered = np.sort(shares, axis=0)
    first, second = ordered[-1], ordered[-2]
    return np.asarray(np.where(shares == first, first - second, shares - first))


def _fine_labels(
    numbers_at: Callable[[DoubleArray], IndexArray], x: DoubleArray, y: DoubleArray
) -> IndexArray:
    """Return the classes on the finer grid; inside of regions they are those of the coarse one."""
    coarse = numbers_at(_points(x, y)).reshape(y.size, x.size)
    fine_x, fine_y = _refined(x), _refined(y)
    labels = coarse[np.ix_(_nearest(fine_y.size), _nearest(fine_x.size))]
    ask = _dilated(_mixed_cells(coarse), fine_y.size, fine_x.size)
    rows, columns = np.nonzero(ask)
    if rows.size:
        labels[rows, columns] = numbers_at(np.column_stack([fine_x[columns], fine_y[rows]]))
    return labels


def _points(x: DoubleArray, y: DoubleArray) -> DoubleArray:
    return np.column_stack([np.tile(x, y.size), np.repeat(y, x.size)])


def _refined(values: DoubleArray) -> DoubleArray:
    return np.linspace(values[0], values[-1], (values.size - 1) * _FINER + 1)


def _nearest(n_fine: int) -> IndexArray:
    return (np.arange(n_fine, dtype=np.int64) + _FINER // 2) // _FINER


def _mixed_cells(coarse: IndexArray) -> NDArray[np.bool_]:
    """Return which cells have corners of several classes."""
    corners = [coarse[:-1, :-1], coarse[:-1, 1:], coarse[1:, :-1], coarse[1:, 1:]]
    return np.asarray(np.minimum.reduce(corners) != np.maximum.reduce(corners))


def _dilated(mixed: NDArray[np.bool_], n_rows: int, n_columns: int) -> Any:
    """Return the points of the finer grid in mixed cells and in their neighbours."""
    around = binary_dilation(mixed, np.ones((3, 3), dtype=bool))
    rows = np.minimum(np.arange(n_rows) // _FINER, mixed.shape[0] - 1)
    columns = np.minimum(np.arange(n_columns) // _FINER, mixed.shape[1] - 1)
    return around[np.ix_(rows, columns)]
