"""Bags of instances: the data of multi-instance learning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_array

from svmosaic.utils.row_hashes import hash_rows, mix_bits
from svmosaic.utils.wording import plural

__all__ = ["Bags", "CanonicalBags", "canonical_bags", "check_bags", "order_of_ids"]

Indices = NDArray[np.int64]


class Bags:
    """A sequence of bags, each with any number of instances, as one array and offsets.

    It has a length, a shape and takes rows like a one-dimensional array, so scikit-learn's
    splitters, searches and pipelines work with it. Bag ``i`` has the instances
    ``instances[offsets[i] : offsets[i + 1]]``. A slice of consecutive bags copies no instance.

    Parameters
    ----------
    instances : {array, sparse matrix} of shape (n_instances, n_features)
        The instances of all bags, bag after bag.
    offsets : array of shape (n_bags + 1,)
        Where each bag begins; the last entry is the number of instances.

    See Also
    --------
    check_bags : Makes bags of a list of arrays, or of flat instances with bag ids.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.multi_instance import Bags
    >>> bags = Bags.from_list([np.zeros((2, 3)), np.ones((1, 3))])
    >>> bags
    Bags(n_bags=2, n_instances=3, n_features=3)
    >>> bags[1]
    array([[1., 1., 1.]])
    >>> bags[[1, 0, 1]].sizes
    array([1, 2, 1])
    """

    def __init__(self, instances: Any, offsets: Any) -> None:
        offsets = np.asarray(offsets)
        if offsets.ndim != 1 or offsets.size == 0 or offsets.dtype.kind not in "iu":
            raise ValueError(
                "Bags expects offsets as a list of whole numbers, one per bag and the end. Got "
                f"an array of shape {offsets.shape} and type {offsets.dtype}."
            )
        offsets = offsets.astype(np.int64, copy=False)
        if offsets[0] != 0 or offsets[-1] != instances.shape[0] or np.any(np.diff(offsets) < 0):
            raise ValueError(
                f"Bags expects offsets that grow from 0 to the number of instances, "
                f"{instances.shape[0]}. Got {_shorten(offsets)}."
            )
        self.instances = instances.tocsr() if sp.issparse(instances) else instances
        self.offsets = offsets

    @classmethod
    def from_list(cls, bags: Sequence[Any]) -> Bags:
        """Return the bags of a list of arrays, one per bag, all dense or all sparse.

        Parameters
        ----------
        bags : sequence of {array-like, sparse matrix}
            One array of shape (n_instances, n_features) per bag.

        Returns
        -------
        Bags
            The bags.
        """
        sizes = [bag.shape[0] for bag in bags]
        stack = sp.vstack if any(sp.issparse(bag) for bag in bags) else np.vstack
        instances = stack(list(bags))
        return cls(instances, np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]))

    @classmethod
    def from_ids(cls, instances: Any, ids: Any) -> Bags:
        """Return the bags of flat instances; those with the same id are a bag.

        Bags come in the order in which their ids come first, instances in their own order.

        Parameters
        ----------
        instances : {array-like, sparse matrix} of shape (n_instances, n_features)
            All instances.
        ids : array-like of shape (n_instances,)
            The bag of each instance.

        Returns
        -------
        Bags
            The bags.
        """
        ids = np.asarray(ids)
        if ids.ndim != 1 or ids.size != instances.shape[0]:
            raise ValueError(
                f"Bags expects one bag id per instance, {instances.shape[0]}. Got an array of "
                f"shape {ids.shape}."
            )
        order, offsets = order_of_ids(ids)
        return cls(instances[order], offsets)

    @property
    def shape(self) -> tuple[int]:
        """The number of bags, as scikit-learn asks for it."""
        return (len(self),)

    @property
    def sizes(self) -> Indices:
        """Instances of each bag."""
        return np.asarray(self.offsets[1:] - self.offsets[:-1], dtype=np.int64)

    @property
    def bag_of(self) -> Indices:
        """The bag of each instance."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @property
    def n_instances(self) -> int:
        """Instances of all bags together."""
        return int(self.instances.shape[0])

    @property
    def n_features(self) -> int:
        """Features of an instance."""
        return int(self.instances.shape[1])

    def with_instances(self, instances: Any) -> Bags:
        """Return the same bags with other instances, one for each, for example scaled ones.

        Parameters
        ----------
        instances : {ndarray, sparse array} of shape (n_instances, n_features)
            The new instances, in the order of the old ones.

        Returns
        -------
        Bags
            Bags of the same sizes.
        """
        return Bags(instances, self.offsets)

    def rows_of(self, bags: Any) -> Indices:
        """Return the rows of `instances` that belong to some bags, bag after bag.

        Parameters
        ----------
        bags : array-like of int or bool
            Numbers of the bags, or a mask.

        Returns
        -------
        ndarray of int
            Numbers of rows.
        """
        chosen = np.asarray(bags, dtype=np.int64)
        sizes = self.sizes[chosen]
        begins = np.repeat(self.offsets[chosen] - np.cumsum(sizes) + sizes, sizes)
        return np.asarray(begins + np.arange(sizes.sum()), dtype=np.int64)

    def __len__(self) -> int:
        return int(self.offsets.size - 1)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        """Return the instances of one bag, or several bags by a slice, a list or a mask."""
        # scikit-learn asks arrays for [rows, ...].
        if isinstance(key, tuple) and len(key) == 2 and key[1] is Ellipsis:
            key = key[0]
        if isinstance(key, (int, np.integer)):
            one = range(len(self))[int(key)]
            return self.instances[self.offsets[one] : self.offsets[one + 1]]
        chosen = np.arange(len(self))[key]
        if chosen.size and np.all(np.diff(chosen) == 1):
            begin, end = self.offsets[chosen[0]], self.offsets[chosen[-1] + 1]
            return Bags(self.instances[begin:end], self.offsets[chosen[0] : chosen[-1] + 2] - begin)
        offsets = np.concatenate([[0], np.cumsum(self.sizes[chosen])])
        return Bags(self.instances[self.rows_of(chosen)], offsets)

    def __repr__(self) -> str:
        return (
            f"Bags(n_bags={len(self)}, n_instances={self.n_instances}, "
            f"n_features={self.n_features})"
        )


def order_of_ids(ids: Any) -> tuple[Indices, Indices]:
    """Return the rows of flat instances bag after bag, and where each bag begins."""
    ids = np.asarray(ids)
    _, first, number = np.unique(ids, return_index=True, return_inverse=True)
    place = np.empty(first.size, dtype=np.int64)
    place[np.argsort(first)] = np.arange(first.size)
    bag_of = place[number]
    sizes = np.bincount(bag_of, minlength=first.size)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return np.argsort(bag_of, kind="stable"), offsets


def check_bags(
    X: Any,
    *,
    bags: Any = None,
    n_features: int | None = None,
    allow_nan: bool = False,
    who: str = "check_bags",
) -> Bags:
    """Return bags of finite floats, or say in one sentence what is wrong with them.

    Parameters
    ----------
    X : Bags, sequence of arrays, or array of shape (n_instances, n_features)
        Bags; a list with one array of instances per bag; or flat instances, with `bags`. All
        dense or all sparse. float32 stays float32, everything else becomes float64.
    bags : array of shape (n_instances,), default=None
        The bag of each instance, where `X` is flat.
    n_features : int, default=None
        How many features there must be.
    allow_nan : bool, default=False
        Accept missing values.
    who : str, default="check_bags"
        Who speaks in messages.

    Returns
    -------
    bags : Bags
        The bags; the instances of given bags are copied only if their type must change.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.multi_instance import check_bags
    >>> check_bags(np.arange(6.0).reshape(3, 2), bags=["b", "a", "b"]).sizes
    array([2, 1])
    """
    if bags is not None:
        found = Bags.from_ids(X if sp.issparse(X) else np.asarray(X), bags)
    elif isinstance(X, Bags):
        found = X
    else:
        found = _of_sequence(X, who)
    if len(found) == 0:
        raise ValueError(f"{who} expects at least one bag. Got none.")
    empty = np.flatnonzero(found.sizes == 0)
    if empty.size:
        raise ValueError(
            f"{who} expects at least one instance in every bag. Bag {empty[0]} is empty; leave it "
            "out."
        )
    instances = check_array(
        found.instances,
        accept_sparse="csr",
        dtype=(np.float64, np.float32),
        order="C",
        ensure_all_finite=False,
        input_name="instances",
        estimator=who,
    )
    _require_finite(found, instances, allow_nan, who)
    if n_features is not None and instances.shape[1] != n_features:
        raise ValueError(
            f"{who} was trained on instances with {n_features} features. Got {instances.shape[1]}."
        )
    return found.with_instances(instances)


def _require_finite(bags: Bags, instances: Any, allow_nan: bool, who: str) -> None:
    """Raise with the number of the first bag that has a value which is not finite."""
    values = instances.data if sp.issparse(instances) else instances
    bad = np.isinf(values) if allow_nan else ~np.isfinite(values)
    if not bad.any():
        return
    place = int(np.flatnonzero(bad.any(axis=1) if bad.ndim == 2 else bad)[0])
    row = np.searchsorted(instances.indptr, place, side="right") - 1 if bad.ndim == 1 else place
    bag = int(np.searchsorted(bags.offsets, row, side="right")) - 1
    found = "an infinite value" if np.isinf(values[bad][0]) else "NaN"
    raise ValueError(
        f"{who} expects finite numbers. Bag {bag} contains {found}; fill it in or leave the bag "
        "out."
    )


def _of_sequence(X: Any, who: str) -> Bags:
    """Return the bags of a list of arrays."""
    if sp.issparse(X) or not hasattr(X, "__len__") or isinstance(X, (str, bytes, dict)):
        got = "a sparse matrix" if sp.issparse(X) else type(X).__name__
        raise TypeError(
            f"{who} expects bags: Bags, a list with one array of instances per bag, or flat "
            f"instances with bags=ids. Got {got}."
        )
    if len(X) == 0:
        raise ValueError(f"{who} expects at least one bag. Got none.")
    parts = []
    n_features = None
    for i, bag in enumerate(X):
        part = bag.tocsr() if sp.issparse(bag) else np.asarray(bag)
        if part.ndim != 2:
            raise ValueError(
                f"{who} expects bags: a list with one 2-d array of instances per bag. Bag {i} has "
                f"{plural(part.ndim, 'dimension')}; flat instances need "
                "bags=ids, one bag alone is [X]."
            )
        if n_features is not None and part.shape[1] != n_features:
            raise ValueError(
                f"{who} expects the same features in all bags. Bag 0 has {n_features}, bag {i} "
                f"has {part.shape[1]}."
            )
        n_features = part.shape[1]
        parts.append(part)
    if any(map(sp.issparse, parts)) and not all(map(sp.issparse, parts)):
        raise ValueError(f"{who} expects all bags dense or all bags sparse. Got both.")
    return Bags.from_list(parts)


class CanonicalBags(NamedTuple):
    """Bags in an order that depends on their content alone.

    Attributes
    ----------
    bags : Bags
        The bags in canonical order, and their instances too.
    bag_order : ndarray of shape (n_bags,)
        Which of the given bags each one is.
    row_order : ndarray of shape (n_instances,)
        Which of the given instances each one is.
    """

    bags: Bags
    bag_order: Indices
    row_order: Indices


def canonical_bags(bags: Bags, labels: Any) -> CanonicalBags:
    """Sort bags and their instances, so that no result can depend on the order they came in."""
    rows = hash_rows(bags.instances)
    row_order = np.lexsort((rows, bags.bag_of))
    # The sum does not tell in which order the instances are.
    keys = np.add.reduceat(mix_bits(rows), bags.offsets[:-1])
    # Bags with the same key are the same, so their order does not matter.
    bag_order = np.lexsort((keys, np.asarray(labels)))
    row_order = row_order[bags.rows_of(bag_order)]
    offsets = np.concatenate([[0], np.cumsum(bags.sizes[bag_order])])
    return CanonicalBags(Bags(bags.instances[row_order], offsets), bag_order, row_order)


def _shorten(values: NDArray[Any]) -> str:
    shown = ", ".join(map(str, values[:5].tolist()))
    return f"[{shown}{', ...' if values.size > 5 else ''}]"
