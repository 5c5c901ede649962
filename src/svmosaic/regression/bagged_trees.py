"""Bagged regression trees, and what they predict for the rows that they have not drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.utils.side_by_side import call_elsewhere

__all__ = ["BaggedTrees", "fit_bagged_trees", "single_precision"]

_LARGEST_SEED = np.iinfo(np.int32).max


@dataclass(frozen=True)
class BaggedTrees:
    """Regression trees, each fitted to as many rows as there are, drawn with replacement.

    Attributes
    ----------
    trees : list of DecisionTreeRegressor
        The trees.
    drawn : list of ndarray of shape (n_samples,)
        How often each row was drawn for each tree.
    """

    trees: list[Any]
    drawn: list[IndexArray]

    @property
    def importances(self) -> DoubleArray:
        """How much each feature reduces the error; the sum is 1, or 0 where nothing is split."""
        of_trees = [tree.feature_importances_ for tree in self.trees]
        mean = np.mean(of_trees, axis=0)
        return np.asarray(mean / (mean.sum() or 1.0))

    def out_of_bag(self, X: Any, y: DoubleArray) -> DoubleArray:
        """Return for each training row the mean of the trees that have not drawn it.

        A row that every tree has drawn, which happens with few trees only, gets the means of the
        targets.
        """
        X = single_precision(X)
        sums, counts = np.zeros(y.shape), np.zeros(len(y), dtype=np.int64)
        for tree, drawn in zip(self.trees, self.drawn, strict=True):
            rows = np.flatnonzero(drawn == 0)
            if rows.size:
                sums[rows] += tree.predict(X[rows], check_input=False).reshape(rows.size, -1)
                counts[rows] += 1
        means = sums / np.maximum(counts, 1)[:, np.newaxis]
        return np.where(counts[:, np.newaxis] > 0, means, y.mean(axis=0))


def fit_bagged_trees(
    kind: Any, n_trees: int, X: Any, y: DoubleArray, *, random_state: Any, n_threads: int = 1
) -> BaggedTrees:
    """Fit trees of scikit-learn to draws of the rows.

    They are the trees of its forests, which take up to twice as long for small trees, and whose
    threads change the filters of warnings of the whole process.

    Parameters
    ----------
    kind : type
        `DecisionTreeRegressor`, or `ExtraTreeRegressor` for extremely randomised trees.
    n_trees : int
        Number of trees.
    X : {ndarray, csr_array} of shape (n_samples, n_features)
        Training samples.
    y : ndarray of shape (n_samples, n_targets)
        The targets; each counts by its variance.
    random_state : int or RandomState instance
        Seed of the draws and of the trees.
    n_threads : int, default=1
        Threads. The trees do not depend on it.
    """
    n_samples = len(y)
    X = single_precision(X)
    # Trees read sparse features column by column.
    X = X.tocsc() if sp.issparse(X) else X
    y = np.ascontiguousarray(y if y.shape[1] > 1 else y[:, 0])
    rng = check_random_state(random_state)
    seeds = [rng.randint(_LARGEST_SEED) for _ in range(n_trees)]
    drawn = [
        np.bincount(
            np.random.RandomState(seed).randint(0, n_samples, n_samples, dtype=np.int32),
            minlength=n_samples,
        )
        for seed in seeds
    ]
    fits = [
        partial(kind(random_state=seed).fit, X, y, sample_weight=counts, check_input=False)
        for seed, counts in zip(seeds, drawn, strict=True)
    ]
    return BaggedTrees(call_elsewhere(fits, n_threads), drawn)


def single_precision(X: Any) -> Any:
    """Return samples in single precision, in which trees compare; what is too large is largest."""
    if X.dtype == np.float32 and not (sp.issparse(X) and X.indices.dtype != np.int32):
        return X
    largest = float(np.finfo(np.float32).max)
    if sp.issparse(X):
        data = np.clip(X.data, -largest, largest).astype(np.float32)
        # The trees of scikit-learn take no wider indices.
        narrow = [part.astype(np.int32) for part in (X.indices, X.indptr)]
        return type(X)((data, *narrow), shape=X.shape)
    return np.ascontiguousarray(np.clip(X, -largest, largest), dtype=np.float32)
