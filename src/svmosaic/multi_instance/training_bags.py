"""Bags to learn from: validated, in canonical order, with the classes of their labels."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from svmosaic.bags import Bags, canonical_bags, check_bags, order_of_ids
from svmosaic.engine.problem import DoubleArray, IndexArray

__all__ = ["TrainingBags", "prepare_training"]

# 8 MB for a matrix of this many bags.
_MOST_KNOWN = 1000


@dataclass(frozen=True)
class TrainingBags:
    """Bags that a classifier learns from.

    Attributes
    ----------
    bags : Bags
        The bags in canonical order, and their instances too: neither the order of the given bags
        nor that of their instances can change a result.
    bag_order : ndarray of shape (n_bags,)
        Which of the given bags each one is.
    row_order : ndarray of shape (n_instances,)
        Which of the given instances each one is.
    classes : ndarray of shape (n_classes,)
        The class labels, sorted.
    labels : ndarray of shape (n_bags,)
        For each bag the number of its class.
    known : dict
        What learners have computed from the bags without their labels, see `once`.
    """

    bags: Bags
    bag_order: IndexArray
    row_order: IndexArray
    classes: NDArray[Any]
    labels: IndexArray
    known: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def signs(self) -> DoubleArray:
        """Of two classes: +1 for bags of the second, -1 for those of the first."""
        return np.where(self.labels == 1, 1.0, -1.0)

    def against_rest(self, label: int) -> Self:
        """Return the binary problem of one class, True, against all others, False."""
        labels = (self.labels == label).astype(np.int64)
        return replace(self, classes=np.array([False, True]), labels=labels)

    def take(self, chosen: IndexArray) -> Self:
        """Return some of the bags, as if only they had been given and in this order.

        `chosen` ascends, so that their order is canonical too.
        """
        bags = self.bags[chosen]
        return replace(
            self,
            bags=bags,
            bag_order=np.arange(len(bags)),
            row_order=np.arange(bags.n_instances),
            labels=self.labels[chosen],
            known={},
        )

    @property
    def keeps(self) -> bool:
        """Whether what is computed once is kept: kernels of many bags take too much memory."""
        return len(self.bags) <= _MOST_KNOWN

    def once(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return what `make` returns, computed once for these bags, whatever their labels.

        A search, the folds that weigh a mixture and the final fit ask for the same kernels.
        """
        if not self.keeps:
            return make()
        if key not in self.known:
            self.known[key] = make()
        return self.known[key]


def prepare_training(X: Any, y: Any, ids: Any, who: str) -> TrainingBags:
    """Return what `fit` was given, ready to learn from, or say in one sentence what is wrong.

    Parameters
    ----------
    X : Bags, list of arrays, or array of shape (n_instances, n_features)
        The bags; flat instances need `ids`.
    y : array of shape (n_bags,)
        A label per bag; with `ids`, a label per instance, the same within each bag.
    ids : array of shape (n_instances,) or None
        The bag of each instance, where `X` is flat.
    who : str
        Who speaks in messages.
    """
    bags = check_bags(X, bags=ids, who=who)
    given = column_or_1d(y, warn=True)
    if ids is not None:
        given = _label_of_each_bag(given, np.asarray(ids), who)
    if given.shape[0] != len(bags):
        raise ValueError(f"{who} expects one label per bag, {len(bags)}. Got {given.shape[0]}.")
    check_classification_targets(given)
    classes, labels = np.unique(given, return_inverse=True)
    if classes.size < 2:
        raise ValueError(
            f"{who} expects bags of at least two classes. All labels are {classes[0]!r}."
        )
    data = canonical_bags(bags, labels)
    rows = data.row_order
    if ids is not None:
        # Flat instances came in an order of their own, and the caller knows them by that.
        rows = order_of_ids(ids)[0][rows]
    return TrainingBags(data.bags, data.bag_order, rows, classes, labels[data.bag_order])


def _label_of_each_bag(labels: NDArray[Any], ids: NDArray[Any], who: str) -> NDArray[Any]:
    """Return one label per bag, in the order in which the bags come first."""
    if labels.shape[0] != ids.shape[0]:
        raise ValueError(
            f"{who} expects one label per instance with bags=ids, {ids.shape[0]}. Got "
            f"{labels.shape[0]}."
        )
    _, first, number = np.unique(ids, return_index=True, return_inverse=True)
    mixed = np.flatnonzero(labels != labels[first[number]])
    if mixed.size:
        i = int(mixed[0])
        raise ValueError(
            f"{who} expects one label per bag. Bag {ids[i]} has the labels "
            f"{labels[first[number[i]]]} and {labels[i]}."
        )
    return labels[np.sort(first)]
