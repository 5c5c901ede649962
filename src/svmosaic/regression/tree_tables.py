"""Ensembles of regression trees as plain arrays, which model files can hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmosaic.engine.problem import DoubleArray
from svmosaic.regression.bagged_trees import single_precision
from svmosaic.utils.array_checks import refuse
from svmosaic.utils.declaration import INTEGERS, Group, doubles
from svmosaic.utils.state_codec import Array

__all__ = ["TREE_TABLE", "TreeTable", "check_trees", "predict_trees", "table_of_trees"]

# By name: `roots` (where each tree begins), and for each node `features`, `thresholds`, `left`,
# `right` (-1 at a leaf) and `values`, one for each target.
TreeTable = dict[str, Any]

TREE_TABLE = Group(
    {
        "roots": Array(INTEGERS, ("n_trees",), minimum=0, ascending=True),
        "features": Array(INTEGERS, ("n_nodes",), minimum=-1),
        "thresholds": doubles("n_nodes"),
        "left": Array(INTEGERS, ("n_nodes",), minimum=-1),
        "right": Array(INTEGERS, ("n_nodes",), minimum=-1),
        "values": doubles("n_outputs", "n_nodes"),
    }
)

_BLOCK_ROWS = 256


def table_of_trees(fitted: Sequence[Any], mean: DoubleArray, scale: DoubleArray) -> TreeTable:
    """Return fitted trees of scikit-learn, whose targets had mean 0 and deviation 1, as arrays."""
    trees = [one.tree_ for one in fitted]
    sizes = np.array([tree.node_count for tree in trees], dtype=np.int64)
    roots = np.cumsum(sizes) - sizes
    left, right = (
        np.concatenate(
            [_shifted(getattr(t, side), root) for t, root in zip(trees, roots, strict=True)]
        )
        for side in ("children_left", "children_right")
    )
    leaf = left < 0
    features = np.concatenate([tree.feature for tree in trees]).astype(np.int64)
    thresholds = np.concatenate([tree.threshold for tree in trees])
    values = np.concatenate([tree.value[:, :, 0] for tree in trees]) * scale + mean
    return {
        "roots": roots,
        "features": np.where(leaf, -1, features),
        "thresholds": np.where(leaf, 0.0, thresholds),
        "left": left,
        "right": right,
        "values": np.ascontiguousarray(values.T),
    }


def _shifted(children: Any, root: int) -> Any:
    children = np.asarray(children, dtype=np.int64)
    return np.where(children < 0, -1, children + root)


def predict_trees(table: Mapping[str, Any], X: Any) -> DoubleArray:
    """Return the mean of the trees for each row and target."""
    return np.concatenate(
        [
            _predict_block(table, X[begin : begin + _BLOCK_ROWS])
            for begin in range(0, X.shape[0], _BLOCK_ROWS)
        ]
    )


def _predict_block(table: Mapping[str, Any], X: Any) -> DoubleArray:
    # As scikit-learn compares: single precision against the threshold in double.
    X = single_precision(X.toarray() if sp.issparse(X) else X)
    rows = np.arange(X.shape[0])[:, np.newaxis]
    node = np.tile(table["roots"], (X.shape[0], 1))
    while True:
        features = table["features"][node]
        inner = features >= 0
        if not inner.any():
            return np.asarray(table["values"][:, node].mean(axis=2).T)
        goes_left = X[rows, np.maximum(features, 0)] <= table["thresholds"][node]
        below = np.where(goes_left, table["left"][node], table["right"][node])
        node = np.where(inner, below, node)


def check_trees(table: Mapping[str, Any], n_features: int) -> None:
    """Refuse trees that look at features that do not exist, or that do not end."""
    left, right, features = table["left"], table["right"], table["features"]
    n_nodes = left.size
    numbers = np.arange(n_nodes)
    leaf = features < 0
    if not np.array_equal(leaf, left < 0) or not np.array_equal(leaf, right < 0):
        refuse("a node of a tree has one child, or a leaf looks at a feature")
    if features.max(initial=-1) >= n_features:
        refuse("a tree looks at a feature that does not exist")
    # A child comes after its parent, so that every way down ends.
    inner = ~leaf
    for children in (left, right):
        if (children[inner] <= numbers[inner]).any() or children.max(initial=-1) >= n_nodes:
            refuse("a tree does not end, or leads to a node that does not exist")
    roots = table["roots"]
    if roots.size == 0 or roots[0] != 0 or roots[-1] >= n_nodes:
        refuse("the roots of trees do not fit their nodes")
