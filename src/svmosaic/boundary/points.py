"""Characteristic boundary points: midpoints of pairs of two classes with an empty ball between."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_X_y

from svmosaic.engine import cpu
from svmosaic.engine.problem import DenseRows, DoubleArray, FloatArray, IndexArray
from svmosaic.utils.foreign_arrays import require_host
from svmosaic.utils.progress import current_progress
from svmosaic.utils.threads import resolve_threads

__all__ = [
    "BoundaryPoints",
    "characteristic_boundary_points",
    "check_dense_classes",
    "class_pairs",
    "pair_midpoints",
    "pairs_between",
]


@dataclass(frozen=True)
class BoundaryPoints:
    """Characteristic boundary points of a training set.

    Attributes
    ----------
    points : ndarray of shape (n_points, n_features)
        The midpoints.
    pairs : ndarray of shape (n_points, 2)
        Rows of the two samples: one of the later class first for two classes, one of the earlier
        class first for more; so is the positive class of a binary problem.
    radii : ndarray of shape (n_points,)
        Half the distance of the two samples.
    classes : ndarray of shape (n_points, 2)
        Their class labels.
    """

    points: FloatArray
    pairs: IndexArray
    radii: DoubleArray
    classes: Any


def check_dense_classes(X: Any, y: Any, who: str) -> tuple[FloatArray, Any, IndexArray]:
    """Return dense samples, the classes and the class number of every row."""
    if sp.issparse(X):
        raise TypeError(
            f"{who} measures balls between samples and takes dense arrays only. Got a sparse "
            "matrix; use X.toarray() if it fits into memory."
        )
    require_host(who, X, y)
    X, y = check_X_y(X, y, dtype=[np.float64, np.float32], order="C")
    check_classification_targets(y)
    classes, labels = np.unique(y, return_inverse=True)
    if classes.size < 2:
        raise ValueError(
            f"{who} needs samples of at least 2 classes; the data contain only one class: "
            f"{classes[0]!r}. Check the target column."
        )
    return X, classes, labels.astype(np.int64)


def class_pairs(n_classes: int) -> list[tuple[int, int]]:
    """Return (positive class, negative class) of each pair of classes."""
    return [(1, 0)] if n_classes == 2 else list(combinations(range(n_classes), 2))


def pairs_between(
    X: FloatArray,
    positive: IndexArray,
    negative: IndexArray,
    *,
    n_threads: int = 1,
    max_time: float = 0.0,
) -> IndexArray:
    """Return the pairs of boundary points of two lists of rows, shape (n_points, 2).

    When `max_time` seconds are over, those found so far, but at least one; 0 means no limit.
    """
    first, second = cpu.boundary_pairs(
        DenseRows(X),
        positive,
        negative,
        n_threads=n_threads,
        max_time=max_time,
        progress=current_progress("boundary points", 0),
    )
    if first.size == 0 and positive.size and negative.size:
        return _mutual_neighbours(X, positive, negative)
    return np.column_stack([first, second])


def _mutual_neighbours(X: FloatArray, positive: IndexArray, negative: IndexArray) -> IndexArray:
    """Return two samples that are each other's nearest of the other class, shape (1, 2).

    No sample can be inside their ball: it would be nearer to one of them.
    """

    def nearest(row: int, others: IndexArray) -> tuple[int, float]:
        squared = ((X[others].astype(np.float64) - X[row]) ** 2).sum(axis=1)
        found = int(squared.argmin())
        return int(others[found]), float(squared[found])

    here, other_class, own_class = int(positive[0]), negative, positive
    there, distance = nearest(here, other_class)
    while True:
        other_class, own_class = own_class, other_class
        back, smaller = nearest(there, other_class)
        if smaller >= distance:
            break
        here, there, distance = there, back, smaller
    pair = (here, there) if own_class is negative else (there, here)
    return np.array([pair], dtype=np.int64)


def pair_midpoints(
    X: FloatArray, pairs: IndexArray, *, n_threads: int = 1
) -> tuple[FloatArray, DoubleArray]:
    """Return midpoints and radii of pairs of rows."""
    first, second = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
    return cpu.midpoints(DenseRows(X), first, second, n_threads=n_threads)


def characteristic_boundary_points(X: Any, y: Any, *, n_jobs: int | None = None) -> BoundaryPoints:
    """Find the points midway between classes that no third sample is nearer to.

    The midpoint of two samples of different classes is a characteristic boundary point if no other
    sample of the two classes lies strictly inside the ball of which they span a diameter. A sample
    on the sphere, up to rounding, does not count. Identical rows of one class count once and are
    named by the first of them; identical rows of two classes give a point of radius 0. With more
    than two classes every pair of classes is a problem of its own.

    The number of points grows fast with the number of features: on noise in 20 dimensions a sixth
    of all pairs are boundary points. 10 000 samples then take some seconds on two cores.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples. Scale the features first: distances decide.
    y : array-like of shape (n_samples,)
        Class labels.
    n_jobs : int, default=None
        Threads. None means 1, -1 all that the process may use. The result does not depend on it.

    Returns
    -------
    found : BoundaryPoints
        Points, pairs of rows, radii and classes, ordered by the pair of classes, then by rows.

    Examples
    --------
    >>> from svmosaic import characteristic_boundary_points
    >>> found = characteristic_boundary_points([[0.0], [1.0], [2.0], [5.0]], [0, 0, 1, 1])
    >>> found.points
    array([[1.5]])
    >>> found.pairs.tolist()
    [[2, 1]]
    >>> found.radii
    array([0.5])
    """
    X, classes, labels = check_dense_classes(X, y, "characteristic_boundary_points")
    samples, _ = cpu.distinct_rows(DenseRows(X), labels, np.ones(labels.size))
    samples = np.sort(samples)
    n_threads = resolve_threads(n_jobs)
    pairs = []
    for positive, negative in class_pairs(classes.size):
        found = pairs_between(
            X,
            samples[labels[samples] == positive],
            samples[labels[samples] == negative],
            n_threads=n_threads,
        )
        pairs.append(found)
    joined = np.concatenate(pairs)
    points, radii = pair_midpoints(X, joined, n_threads=n_threads)
    return BoundaryPoints(points, joined, radii, classes[labels[joined]])
