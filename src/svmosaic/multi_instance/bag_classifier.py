"""What all classifiers of bags share: validation, order, classes, prediction."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from svmosaic.bags import Bags, check_bags
from svmosaic.engine.problem import DoubleArray
from svmosaic.multi_instance.bag_learner import Candidate
from svmosaic.multi_instance.inner_folds import Splits
from svmosaic.multi_instance.training_bags import TrainingBags, prepare_training
from svmosaic.utils.estimator import Estimator
from svmosaic.utils.sklearn_compat import fit_context

__all__ = ["BagClassifier"]


class BagClassifier(ClassifierMixin, Estimator):  # type: ignore[misc]
    """Base of the classifiers of bags.

    A subclass learns two classes in `_fit_binary` and scores bags in `_decide_binary`; more than
    two are learned one against the rest, by copies of the estimator in `binary_classifiers_`. It
    always sees bags in canonical order, so the order of bags and of instances changes nothing.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    classes_: NDArray[Any]
    n_features_in_: int
    binary_classifiers_: list[Self]

    @abstractmethod
    def _fit_binary(self, data: TrainingBags) -> None:
        """Learn two classes; `data.signs` is +1 for bags of the second, -1 for the first."""

    @abstractmethod
    def _decide_binary(self, bags: Bags) -> DoubleArray:
        """Return one score per bag; above zero means the second of two classes."""

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
        return self.fit_bags(prepare_training(X, y, bags, type(self).__name__))

    def fit_bags(self, data: TrainingBags) -> Self:
        """Learn from bags that are validated and in canonical order; see `BagLearner`.

        Parameters
        ----------
        data : TrainingBags
            The bags and their labels.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self.classes_ = data.classes
        self.n_features_in_ = data.bags.n_features
        self.binary_classifiers_ = []
        if data.classes.size == 2:
            self._fit_binary(data)
        else:
            self.binary_classifiers_ = [
                clone(self).fit_bags(data.against_rest(k)) for k in range(data.classes.size)
            ]
        return self

    def score_left_out(
        self, data: TrainingBags, splits: Splits, candidates: Sequence[Candidate]
    ) -> list[list[DoubleArray]]:
        """Return for each candidate the scores of the left-out bags of each split.

        Here every candidate is trained by itself on every split; a subclass computes once what
        they share.

        Parameters
        ----------
        data : TrainingBags
            Bags of two classes.
        splits : list of (ndarray, ndarray)
            For each split the bags to train on and those left out, ascending.
        candidates : sequence of dict
            The parameters of each candidate.

        Returns
        -------
        scores : list of list of ndarray
            Scores by candidate and split.
        """
        return [
            [
                clone(self)
                .set_params(**candidate)
                .fit_bags(data.take(train))
                .decide_bags(data.bags[test])
                for train, test in splits
            ]
            for candidate in candidates
        ]

    def decision_function(self, X: Any, bags: Any = None) -> DoubleArray:
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
        return self.decide_bags(self._check_new(X, bags))

    def decide_bags(self, bags: Bags) -> DoubleArray:
        """Return scores of bags that are validated already; see `decision_function`.

        Parameters
        ----------
        bags : Bags
            The bags.

        Returns
        -------
        scores : ndarray of shape (n_bags,) or (n_bags, n_classes)
            Scores.
        """
        if self.classes_.size == 2:
            return self._decide_binary(bags)
        return np.column_stack([one.decide_bags(bags) for one in self.binary_classifiers_])

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
        return self._label_scores(self.decision_function(X, bags))

    def _label_scores(self, scores: DoubleArray) -> NDArray[Any]:
        """Return the class of each row of scores."""
        numbers = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[numbers])

    def _check_new(self, X: Any, bags: Any = None) -> Bags:
        check_is_fitted(self)
        return check_bags(X, bags=bags, n_features=self.n_features_in_, who=type(self).__name__)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # Bags are no two-dimensional arrays; svmosaic.testing has the checks that hold for them.
        tags.input_tags.two_d_array = False
        tags.input_tags.sparse = True
        return tags
