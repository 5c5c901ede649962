"""Classes given by a random decision tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmosaic.streams.block_seeds import Purpose, block_rng
from svmosaic.streams.block_stream import BLOCK, BlockStream, as_points
from svmosaic.streams.checks import check_count, check_fraction
from svmosaic.streams.stream_protocol import Samples

__all__ = ["RandomTree"]


class RandomTree(BlockStream):
    """Points whose class is the leaf of a random tree that they fall into.

    Numeric features are uniform in [0, 1]; nominal ones are codes 0, 1, ..., all equally likely,
    and come after the numeric ones. An inner node of the tree asks for a random feature: a
    numeric one is compared with a threshold that is uniform in the range left to it on this
    branch, a nominal one has a branch for every value and is not asked for again below. From
    `first_leaf_level` on, a node is a leaf with probability `leaf_fraction`; at `max_depth` every
    node is one. A leaf has a random class. The definition is that of MOA.

    Parameters
    ----------
    n_classes : int, default=2
        Number of classes.
    n_numeric, n_nominal : int, default=5
        Number of numeric and of nominal features.
    n_values : int, default=5
        Values of each nominal feature.
    max_depth : int, default=5
        Deepest level of the tree.
    first_leaf_level : int, default=3
        First level that may have leaves.
    leaf_fraction : float, default=0.15
        Share of leaves on each level from there on.
    seed : int, default=0
        Seed of the samples.
    model_seed : int, default=None
        Seed of the tree; None means `seed`.
    n_samples : int, default=None
        Where the stream ends; None means never.
    name : str, default=None
        Name of the stream.

    References
    ----------
    Domingos and Hulten, Mining high-speed data streams, KDD 2000, doi:10.1145/347090.347107.

    Examples
    --------
    >>> from svmosaic.streams import RandomTree
    >>> stream = RandomTree(n_classes=3, seed=4)
    >>> X, y = stream.read(0, 100)
    >>> bool((stream.label(X) == y).all())
    True
    """

    def __init__(
        self,
        *,
        n_classes: int = 2,
        n_numeric: int = 5,
        n_nominal: int = 5,
        n_values: int = 5,
        max_depth: int = 5,
        first_leaf_level: int = 3,
        leaf_fraction: float = 0.15,
        seed: int = 0,
        model_seed: int | None = None,
        n_samples: int | None = None,
        name: str | None = None,
    ) -> None:
        n_classes = check_count("RandomTree", "n_classes", n_classes, 1)
        self.n_numeric = check_count("RandomTree", "n_numeric", n_numeric, 0)
        self.n_nominal = check_count("RandomTree", "n_nominal", n_nominal, 0)
        self.n_values = check_count("RandomTree", "n_values", n_values, 2)
        # The tree grows exponentially with its depth.
        self.max_depth = check_count("RandomTree", "max_depth", max_depth, 0, 12)
        self.first_leaf_level = check_count("RandomTree", "first_leaf_level", first_leaf_level, 0)
        self.leaf_fraction = check_fraction("RandomTree", "leaf_fraction", leaf_fraction)
        n_features = check_count("RandomTree", "n_numeric", self.n_numeric + self.n_nominal, 1)
        super().__init__(
            n_features=n_features,
            classes=np.arange(n_classes),
            seed=seed,
            n_samples=n_samples,
            name=name,
        )
        self.model_seed = (
            self.seed
            if model_seed is None
            else check_count("RandomTree", "model_seed", model_seed, 0)
        )
        self._grow(block_rng(self.model_seed, Purpose.MODEL))

    def _grow(self, rng: np.random.Generator) -> None:
        features: list[int] = []  # of each node; -1 for a leaf
        thresholds: list[float] = []
        first_children: list[int] = []
        labels: list[int] = []
        everything = tuple(range(self.n_features))
        unit = dict.fromkeys(range(self.n_numeric), (0.0, 1.0))
        # Level by level, so that the children of a node are next to each other.
        waiting = [(0, everything, unit)]
        n_nodes = 1
        for depth, candidates, ranges in waiting:
            may_be_leaf = depth >= self.first_leaf_level and rng.random() < self.leaf_fraction
            if depth >= self.max_depth or may_be_leaf or not candidates:
                features.append(-1)
                thresholds.append(0.0)
                first_children.append(0)
                labels.append(int(rng.integers(self.classes.size)))
                continue
            feature = candidates[int(rng.integers(len(candidates)))]
            features.append(feature)
            first_children.append(n_nodes)
            labels.append(0)
            if feature < self.n_numeric:
                low, high = ranges[feature]
                threshold = low + (high - low) * float(rng.random())
                thresholds.append(threshold)
                waiting.append((depth + 1, candidates, ranges | {feature: (low, threshold)}))
                waiting.append((depth + 1, candidates, ranges | {feature: (threshold, high)}))
                n_nodes += 2
            else:
                thresholds.append(0.0)
                rest = tuple(j for j in candidates if j != feature)
                waiting += [(depth + 1, rest, ranges)] * self.n_values
                n_nodes += self.n_values
        self._features = np.array(features)
        self._thresholds = np.array(thresholds)
        self._first_children = np.array(first_children)
        self._labels = np.array(labels)

    def label(self, X: Any) -> NDArray[np.int64]:
        """Return the classes of points by the stream's tree.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)
            The points.

        Returns
        -------
        ndarray of shape (n_points,)
            The class of each point.
        """
        points = as_points("RandomTree", X, self.n_features)
        rows = np.arange(points.shape[0])
        nodes = np.zeros(points.shape[0], dtype=np.int64)
        for _ in range(self.max_depth):
            features = self._features[nodes]
            # A leaf's feature -1 reads the last column; the result is not used.
            values = points[rows, features]
            branches = np.where(
                features < self.n_numeric, values >= self._thresholds[nodes], values
            ).astype(np.int64)
            nodes = np.where(features < 0, nodes, self._first_children[nodes] + branches)
        labels: NDArray[np.int64] = self._labels[nodes]
        return labels

    def _make_block(self, number: int, rng: np.random.Generator) -> Samples:
        X = np.empty((BLOCK, self.n_features))
        X[:, : self.n_numeric] = rng.random((BLOCK, self.n_numeric))
        X[:, self.n_numeric :] = rng.integers(0, self.n_values, (BLOCK, self.n_nominal))
        return X, self.label(X)
