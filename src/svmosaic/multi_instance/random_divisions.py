"""Random trees that divide the space of instances, and how many instances of a bag pass each node.

The trees see no labels, so that one division serves all folds of a cross-validation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from svmosaic.bags import Bags
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.utils.validation import canonical_csr

__all__ = ["RandomDivisions", "divide_at_random", "node_counts"]


class RandomDivisions(NamedTuple):
    """Complete binary trees of one depth; the children of node i are 2 i + 1 and 2 i + 2.

    Attributes
    ----------
    features : ndarray of shape (n_trees, 2**depth - 1)
        The feature that each inner node looks at.
    thresholds : ndarray of shape (n_trees, 2**depth - 1)
        Instances above it go to the second child. Infinity where a node was not divided.
    """

    features: IndexArray
    thresholds: DoubleArray


def divide_at_random(X: Any, n_trees: int, depth: int, rng: Any) -> RandomDivisions:
    """Divide each node between two of its instances, at a random feature in which they differ."""
    X = canonical_csr(X)
    columns = X.tocsc() if sp.issparse(X) else X
    n_inner = 2**depth - 1
    features = np.zeros((n_trees, n_inner), dtype=np.int64)
    thresholds = np.full((n_trees, n_inner), np.inf)
    for tree in range(n_trees):
        inside: dict[int, IndexArray] = {0: np.arange(X.shape[0])}
        for node in range(n_inner):
            members = inside.pop(node, None)
            found = None if members is None else _draw_division(X, members, rng)
            if members is None or found is None:
                continue
            features[tree, node], thresholds[tree, node] = found
            above = _column(columns, found[0])[members] > found[1]
            inside[2 * node + 1], inside[2 * node + 2] = members[~above], members[above]
    return RandomDivisions(features, thresholds)


def _draw_division(X: Any, members: IndexArray, rng: Any) -> tuple[int, float] | None:
    """Return a feature and a threshold between two members; None where the two are alike."""
    if members.size < 2:
        return None
    first = rng.randint(members.size)
    second = (first + rng.randint(1, members.size)) % members.size
    one, other = _row(X, members[first]), _row(X, members[second])
    (differ,) = (one != other).nonzero()
    if differ.size == 0:
        return None
    feature = int(differ[rng.randint(differ.size)])
    low, high = sorted((float(one[feature]), float(other[feature])))
    threshold = low + (high - low) * rng.random_sample()
    # Rounding must not put both on one side.
    return feature, threshold if low <= threshold < high else low


def _row(X: Any, i: int) -> DoubleArray:
    return X[i] if isinstance(X, np.ndarray) else _unpacked(X, i, X.shape[1])


def _column(X: Any, j: int) -> DoubleArray:
    return X[:, j] if isinstance(X, np.ndarray) else _unpacked(X, j, X.shape[0])


def _unpacked(X: Any, number: int, size: int) -> DoubleArray:
    """Return a row of a csr_array or a column of a csc_array; SciPy takes thirty times as long."""
    begin, end = X.indptr[number], X.indptr[number + 1]
    values = np.zeros(size, dtype=X.dtype)
    values[X.indices[begin:end]] = X.data[begin:end]
    return values


def node_counts(divisions: RandomDivisions, bags: Bags) -> DoubleArray:
    """Return how many instances of each bag pass each node, the nodes of a tree side by side."""
    X, n_bags = bags.instances, len(bags)
    n_trees, n_inner = divisions.features.shape
    n_nodes = 2 * n_inner + 1
    rows = np.arange(X.shape[0])
    bag_of = np.repeat(np.arange(n_bags), bags.sizes)
    counts = np.zeros((n_trees, n_bags, n_nodes))
    for tree, (features, thresholds) in enumerate(zip(*divisions, strict=True)):
        node = np.zeros(X.shape[0], dtype=np.int64)
        while True:
            passed = np.bincount(bag_of * n_nodes + node, minlength=n_bags * n_nodes)
            counts[tree] += passed.reshape(n_bags, n_nodes)
            if node[0] >= n_inner:
                break
            values = np.asarray(X[rows, features[node]]).reshape(-1)
            node = 2 * node + 1 + (values > thresholds[node])
    return np.concatenate(counts, axis=1)
