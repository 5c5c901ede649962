"""Numbers of a bag from numbers of its instances."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from svmosaic.bags import Bags
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.utils.validation import canonical_csr

__all__ = [
    "argmax_in_bags",
    "max_in_bags",
    "max_score_in_bags",
    "mean_in_bags",
    "min_in_bags",
    "sum_in_bags",
]


def sum_in_bags(bags: Bags, values: Any) -> Any:
    """Return the sums of rows, one per instance, over each bag; sparse rows stay sparse."""
    members = sp.csr_array(
        (np.ones(bags.n_instances), np.arange(bags.n_instances), bags.offsets),
        shape=(len(bags), bags.n_instances),
    )
    return members @ values


def mean_in_bags(bags: Bags, values: Any) -> Any:
    """Return the means of rows, one per instance, over each bag; sparse rows stay sparse."""
    return (sp.diags_array(1.0 / bags.sizes) @ sum_in_bags(bags, values)).astype(values.dtype)


def min_in_bags(bags: Bags) -> Any:
    """Return the least value of each feature in each bag."""
    return _extremes(bags, np.minimum)


def max_in_bags(bags: Bags) -> Any:
    """Return the largest value of each feature in each bag."""
    return _extremes(bags, np.maximum)


def _extremes(bags: Bags, ufunc: np.ufunc) -> Any:
    if not sp.issparse(bags.instances):
        return ufunc.reduceat(bags.instances, bags.offsets[:-1], axis=0)
    X = canonical_csr(bags.instances)
    # A number for each pair of a bag and a feature; 64 bits hold it whatever the index type.
    places = np.repeat(bags.bag_of * bags.n_features, np.diff(X.indptr)) + X.indices
    order = np.argsort(places, kind="stable")
    places, first, count = np.unique(places[order], return_index=True, return_counts=True)
    extremes = ufunc.reduceat(X.data[order], first) if first.size else X.data[:0]
    bag, feature = np.divmod(places, bags.n_features)
    # A feature that some instance of the bag lacks is 0 there.
    extremes = np.where(count < bags.sizes[bag], ufunc(extremes, 0), extremes)
    found = sp.csr_array((extremes, (bag, feature)), shape=(len(bags), bags.n_features))
    found.eliminate_zeros()
    return found


def max_score_in_bags(bags: Bags, scores: DoubleArray) -> DoubleArray:
    """Return the largest score of the instances of each bag."""
    return np.asarray(np.maximum.reduceat(scores, bags.offsets[:-1]), dtype=np.float64)


def argmax_in_bags(bags: Bags, scores: DoubleArray) -> IndexArray:
    """Return the instance with the largest score in each bag, the first of several."""
    hits = np.flatnonzero(scores == np.repeat(max_score_in_bags(bags, scores), bags.sizes))
    # Every bag has one, and more only where scores are equal.
    if hits.size > len(bags):
        bag_of = np.searchsorted(bags.offsets, hits, side="right")
        hits = hits[np.concatenate([[True], bag_of[1:] != bag_of[:-1]])]
    return hits
