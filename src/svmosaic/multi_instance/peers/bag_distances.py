"""Distances between instances and bags, and between bags, block by block."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from svmosaic.bags import Bags
from svmosaic.engine import cpu
from svmosaic.engine.problem import DoubleArray
from svmosaic.engine.rows import make_rows
from svmosaic.multi_instance.peers.bag_blocks import iter_blocks
from svmosaic.utils.validation import canonical_csr

__all__ = ["Hausdorff", "distances_to_bags", "hausdorff_distances"]

Hausdorff = Literal["minimal", "maximal"]


def distances_to_bags(X: Any, bags: Bags, *, n_threads: int = 1) -> DoubleArray:
    """Return the distance of each row to the nearest instance of each bag.

    `X` and the instances are of one type; the shape is (n_rows, n_bags).
    """
    nearest = np.full((X.shape[0], len(bags)), np.inf)
    rows = make_rows(canonical_csr(X), "rbf")
    for block in iter_blocks(bags):
        vectors = make_rows(canonical_csr(bags.instances[block.rows]), "rbf")
        values = cpu.pair_distances(rows, vectors, n_threads=n_threads)  # type: ignore[arg-type]
        part = nearest[:, block.bags]
        np.minimum(part, np.minimum.reduceat(values, block.begins, axis=1), out=part)
    return np.asarray(np.sqrt(nearest), dtype=np.float64)


def hausdorff_distances(
    A: Bags, B: Bags, kind: Hausdorff = "minimal", *, n_threads: int = 1
) -> DoubleArray:
    """Return Hausdorff distances of shape (len(A), len(B)).

    ``"minimal"`` is the distance of the two nearest instances of both bags, ``"maximal"`` the
    largest distance of an instance of one bag to the other bag.
    """
    if kind == "minimal":
        return _directed(A, B, np.minimum, np.inf, n_threads)
    there = _directed(A, B, np.maximum, 0.0, n_threads)
    back = _directed(B, A, np.maximum, 0.0, n_threads)
    return np.maximum(there, back.T)


def _directed(A: Bags, B: Bags, ufunc: np.ufunc, start: float, n_threads: int) -> DoubleArray:
    """Return the least or largest distance of an instance of each bag of A to each bag of B."""
    result = np.full((len(A), len(B)), start)
    for block in iter_blocks(A):
        nearest = distances_to_bags(A.instances[block.rows], B, n_threads=n_threads)
        part = result[block.bags]
        ufunc(part, ufunc.reduceat(nearest, block.begins, axis=0), out=part)
    return result
