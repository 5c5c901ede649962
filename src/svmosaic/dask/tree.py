"""Clusters of like samples, about equally large: rows are halved again and again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmosaic.engine.problem import DoubleArray, IndexArray

__all__ = ["MedianTree"]

# Steps towards the direction in which rows differ most.
_POWER_STEPS = 6


@dataclass(frozen=True, eq=False)
class MedianTree:
    """A binary tree of 2^depth leaves; each node halves rows at the median along a direction.

    Attributes
    ----------
    directions : ndarray of shape (2^depth - 1, n_features)
        The direction of each node, by levels.
    medians : ndarray of shape (2^depth - 1,)
        Rows with a larger product go to the right.
    depth : int
        Number of levels.
    """

    directions: DoubleArray
    medians: DoubleArray
    depth: int

    @classmethod
    def of(cls, X: Any, depth: int, seed: int) -> MedianTree:
        """Return the tree of some rows. Trees of other seeds cut elsewhere."""
        X = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
        rng = np.random.default_rng(seed)
        directions = np.zeros((2**depth - 1, X.shape[1]))
        medians = np.zeros(2**depth - 1)
        leaf = np.zeros(X.shape[0], dtype=np.int64)
        for node in range(2**depth - 1):
            level = (node + 1).bit_length() - 1
            inside = np.flatnonzero(leaf == node - (2**level - 1))
            rows = X[inside]
            direction = rng.normal(size=X.shape[1])
            if inside.size > 1:
                centred = rows - rows.mean(axis=0)
                # With few steps a random mixture of the first components: trees differ.
                for _ in range(_POWER_STEPS):
                    direction = centred.T @ (centred @ direction)
                    length = np.linalg.norm(direction)
                    if length == 0.0:
                        break
                    direction /= length
                medians[node] = np.median(rows @ direction)
            directions[node] = direction
            # The leaf number of the next level; those of other nodes follow when it is their turn.
            leaf[inside] = -1 - (2 * (node - (2**level - 1)) + (rows @ direction > medians[node]))
            if node == 2 ** (level + 1) - 2:
                leaf = -1 - leaf
        return cls(directions, medians, depth)

    def leaves(self, X: Any) -> IndexArray:
        """Return the leaf of each row."""
        products = np.asarray(X @ self.directions.T, dtype=np.float64)
        node = np.zeros(X.shape[0], dtype=np.int64)
        everyone = np.arange(X.shape[0])
        for _ in range(self.depth):
            node = 2 * node + 1 + (products[everyone, node] > self.medians[node])
        return np.asarray(node - (2**self.depth - 1))
