"""TLC, two-level classification: a tree sorts instances, counts at its nodes describe bags."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from svmosaic.bags import Bags
from svmosaic.engine.problem import DoubleArray
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.multi_instance.bag_statistics import sum_in_bags
from svmosaic.multi_instance.base_classifiers import decision_scores, seeded_copy
from svmosaic.multi_instance.training_bags import TrainingBags
from svmosaic.utils.sklearn_compat import HasMethods

__all__ = ["TLCClassifier"]


class TLCClassifier(BagClassifier):
    r"""TLC: any classifier on the numbers of a bag's instances at the nodes of a tree.

    Parameters
    ----------
    tree : DecisionTreeClassifier, default=None
        The tree that divides the space of instances. None means
        ``DecisionTreeClassifier(min_samples_leaf=2)``. A smaller tree gives bags fewer features.
    estimator : classifier, default=None
        The classifier of counts. None means boosted stumps,
        ``GradientBoostingClassifier(max_depth=1)``.
    random_state : int, RandomState instance or None, default=None
        Seed of both, where they have none of their own.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of features.
    binary_classifiers_ : list
        One fitted copy per class, if there are more than two; only they have the attributes below.
    tree_ : DecisionTreeClassifier
        The fitted tree.
    estimator_ : classifier
        The fitted classifier of counts; its classes are -1 and 1.

    Notes
    -----
    The tree is trained on instances with the labels of their bags, each with the weight
    1 / (size of its bag). A bag becomes one row with a column for every node, inner ones too:
    how many of its instances pass the node. The second classifier learns from these rows what
    mixture of regions makes a bag positive, for example two regions that must both be visited.
    Unlike [1]_, which boosts stumps by LogitBoost, the default is gradient boosting of the same
    loss.

    References
    ----------
    .. [1] N. Weidmann, E. Frank, B. Pfahringer (2003), "A Two-Level Learning Method for
       Generalized Multi-instance Problems", Machine Learning: ECML 2003, LNCS 2837, 468-479.
       https://doi.org/10.1007/978-3-540-39857-8_42

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.multi_instance.peers import TLCClassifier
    >>> bags = [np.array([[4.0], [5.0]]), np.array([[6.0]]), np.array([[0.0], [1.0]]), np.eye(1)]
    >>> TLCClassifier(random_state=0).fit(bags, [1, 1, 0, 0]).predict(bags)
    array([1, 1, 0, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "tree": [HasMethods(["fit", "decision_path"]), None],
        "estimator": [HasMethods(["fit", "predict"]), None],
        "random_state": ["random_state"],
    }

    tree_: Any
    estimator_: Any

    def __init__(
        self, tree: Any = None, estimator: Any = None, *, random_state: Any = None
    ) -> None:
        self.tree = tree
        self.estimator = estimator
        self.random_state = random_state

    def _fit_binary(self, data: TrainingBags) -> None:
        random_state = check_random_state(self.random_state)
        tree = DecisionTreeClassifier(min_samples_leaf=2) if self.tree is None else self.tree
        second = GradientBoostingClassifier(max_depth=1)
        if self.estimator is not None:
            second = self.estimator
        bags, labels = data.bags, data.signs.astype(np.int64)
        self.tree_ = seeded_copy(tree, random_state)
        self.tree_.fit(
            bags.instances,
            np.repeat(labels, bags.sizes),
            sample_weight=np.repeat(1.0 / bags.sizes, bags.sizes),
        )
        self.estimator_ = seeded_copy(second, random_state)
        self.estimator_.fit(self._counts(bags), labels)

    def _counts(self, bags: Bags) -> DoubleArray:
        """Return how many instances of each bag pass each node."""
        counts = sum_in_bags(bags, self.tree_.decision_path(bags.instances))
        return np.asarray(counts.toarray(), dtype=np.float64)

    def _decide_binary(self, bags: Bags) -> DoubleArray:
        return decision_scores(self.estimator_, self._counts(bags))
