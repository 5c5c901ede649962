"""What all classifiers of bags share: validation, order, classes, prediction."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from svmosaic.bags import Bags, CanonicalBags, canonical_bags, check_bags
from svmosaic.multi_instance.inner_folds import Splits
from svmosaic.utils.sklearn_compat import fit_context

__all__ = ["BagClassifier", "sub_bags"]

Scores = NDArray[np.float64]
Signs = NDArray[np.float64]


class BagClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the classifiers of bags.

    A subclass learns two classes in `_fit_bags` and scores bags in `_decide`; more than two are
    learned one against the rest, by copies of the estimator in `machines_`. It always sees bags
    in canonical order, so the order of bags and of instances changes nothing.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    classes_: NDArray[Any]
    n_features_in_: int
    machines_: list[Self]

    @abstractmethod
    def _fit_bags(self, data: CanonicalBags, signs: Signs) -> None:
        """Learn two classes: `signs` is +1 for bags of the second class, -1 for the first."""

    @abstractmethod
    def _decide(self, bags: Bags) -> Scores:
        """Return one score per bag; above zero means the second class."""

    def _score_left_out(
        self,
        data: CanonicalBags,
        signs: Signs,
        splits: Splits,
        candidates: Sequence[dict[str, Any]],
    ) -> list[list[Scores]]:
        """Return for each candidate the scores of the left-out bags of each split.

        A candidate is a dictionary of parameters. Here every machine is trained by itself; a
        subclass computes once what candidates and splits share.
        """
        bags = data.bags
        found = []
        for candidate in candidates:
            scores = []
            for train, test in splits:
                machine = clone(self).set_params(**candidate)
                machine.classes_ = np.array([False, True])
                machine.n_features_in_ = bags.n_features
                machine._fit_bags(sub_bags(bags, train), signs[train])
                scores.append(machine._decide(bags[test]))
            found.append(scores)
        return found

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, bags: Any = None) -> Self:
        """Learn from bags.

        Parameters
        ----------
        X : Bags, list of arrays, or array of shape (n_instances, n_features)
            The bags; flat instances need `bags`.
        y : array of shape (n_bags,)
            A label per bag; with `bags`, a label per instance, the same within each bag.
        bags : array of shape (n_instances,), default=None
            The bag of each instance, where `X` is flat.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        name = type(self).__name__
        found = check_bags(X, bags=bags, who=name)
        labels = column_or_1d(y, warn=True)
        if bags is not None:
            labels = _label_of_each_bag(labels, np.asarray(bags), name)
        if labels.shape[0] != len(found):
            raise ValueError(
                f"{name} expects one label per bag, {len(found)}. Got {labels.shape[0]}."
            )
        check_classification_targets(labels)
        self.classes_, numbers = np.unique(labels, return_inverse=True)
        if self.classes_.size < 2:
            raise ValueError(
                f"{name} expects bags of at least two classes. All labels are {self.classes_[0]!r}."
            )
        self.n_features_in_ = found.n_features
        data = canonical_bags(found, numbers)
        numbers = numbers[data.bag_order]
        self.machines_ = []
        if self.classes_.size == 2:
            self._fit_bags(data, np.where(numbers == 1, 1.0, -1.0))
            return self
        for k in range(self.classes_.size):
            machine = clone(self)
            machine.classes_ = np.array([False, True])
            machine.n_features_in_ = self.n_features_in_
            machine._fit_bags(data, np.where(numbers == k, 1.0, -1.0))
            self.machines_.append(machine)
        return self

    def decision_function(self, X: Any, bags: Any = None) -> Scores:
        """Return scores of bags.

        Parameters
        ----------
        X : Bags, list of arrays, or array of shape (n_instances, n_features)
            The bags; flat instances need `bags`.
        bags : array of shape (n_instances,), default=None
            The bag of each instance, where `X` is flat. Scores come in the order in which the
            ids come first.

        Returns
        -------
        scores : ndarray of shape (n_bags,) or (n_bags, n_classes)
            Two classes: above zero means ``classes_[1]``. More: one column per class.
        """
        found = self._check_new(X, bags)
        if self.classes_.size == 2:
            return self._decide(found)
        return np.column_stack([machine._decide(found) for machine in self.machines_])

    def predict(self, X: Any, bags: Any = None) -> NDArray[Any]:
        """Return the class of each bag.

        Parameters
        ----------
        X : Bags, list of arrays, or array of shape (n_instances, n_features)
            The bags; flat instances need `bags`.
        bags : array of shape (n_instances,), default=None
            The bag of each instance, where `X` is flat.

        Returns
        -------
        labels : ndarray of shape (n_bags,)
            Class labels.
        """
        scores = self.decision_function(X, bags)
        if scores.ndim == 1:
            return np.asarray(self.classes_[(scores > 0).astype(np.intp)])
        return np.asarray(self.classes_[scores.argmax(axis=1)])

    def _check_new(self, X: Any, bags: Any = None) -> Bags:
        check_is_fitted(self)
        return check_bags(X, bags=bags, n_features=self.n_features_in_, who=type(self).__name__)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # Bags are no two-dimensional arrays; svmosaic.testing has the checks that hold for them.
        tags.input_tags.two_d_array = False
        tags.input_tags.sparse = True
        return tags


def sub_bags(bags: Bags, chosen: Any) -> CanonicalBags:
    """Return some bags of those in canonical order; ascending, so that theirs is canonical too."""
    some = bags[chosen]
    return CanonicalBags(some, np.arange(len(some)), np.arange(some.n_instances))


def _label_of_each_bag(labels: NDArray[Any], ids: NDArray[Any], name: str) -> NDArray[Any]:
    """Return one label per bag, in the order in which the bags come first."""
    if labels.shape[0] != ids.shape[0]:
        raise ValueError(
            f"{name} expects one label per instance with bags=ids, {ids.shape[0]}. Got "
            f"{labels.shape[0]}."
        )
    _, first, number = np.unique(ids, return_index=True, return_inverse=True)
    mixed = np.flatnonzero(labels != labels[first[number]])
    if mixed.size:
        i = int(mixed[0])
        raise ValueError(
            f"{name} expects one label per bag. Bag {ids[i]} has the labels "
            f"{labels[first[number[i]]]} and {labels[i]}."
        )
    return labels[np.sort(first)]
