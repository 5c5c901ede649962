"""MIBoost: AdaBoost where a bag is as wrong as the share of its instances that are."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.optimize import brentq
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from svmosaic.bags import Bags
from svmosaic.classification.parameters import POSITIVE_COUNT
from svmosaic.engine.problem import DoubleArray
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.multi_instance.bag_statistics import mean_in_bags
from svmosaic.multi_instance.base_classifiers import check_takes_weights, seeded_copy
from svmosaic.multi_instance.training_bags import TrainingBags
from svmosaic.utils.sklearn_compat import HasMethods

__all__ = ["MIBoostClassifier"]

# The weight of a model that no bag finds wrong by more than half; the formula says infinity.
_LARGEST_WEIGHT = 10.0


class MIBoostClassifier(BagClassifier):
    r"""MIBoost: boosted classifiers of instances, joined by geometric means within a bag.

    Parameters
    ----------
    estimator : classifier, default=None
        The classifier of instances; its `fit` takes `sample_weight`. None means a decision stump,
        ``DecisionTreeClassifier(max_depth=1)``.
    n_rounds : int, default=50
        Limit on the number of classifiers. More rounds follow the training bags more closely.
    random_state : int, RandomState instance or None, default=None
        Seed of the classifiers, where they have none of their own.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of features.
    binary_classifiers_ : list
        One fitted copy per class, if there are more than two; only they have the attributes below.
    estimators_ : list of classifiers
        The classifiers; their classes are -1 and 1.
    estimator_weights_ : ndarray of shape (n_estimators,)
        Their weights c.

    Notes
    -----
    Bag I has the weight W_I, each of its n_I instances W_I / n_I. In every round a classifier h
    is trained on the instances, e_I is the share of instances of bag I that it gets wrong, c
    minimises

    .. math:: \sum_I W_I e^{(2 e_I - 1) c},

    and W_I is multiplied by its term. It stops when c is not positive. The score of a bag is
    the mean of sum_m c_m h_m(x) over its instances: the logarithm of the geometric mean of their
    odds, halved. Unlike [1]_, which ends without it, a classifier that has at least half of every
    bag right is kept with the weight 10 and ends the rounds. On bags of one instance it is
    AdaBoost.

    References
    ----------
    .. [1] X. Xu, E. Frank (2004), "Logistic Regression and Boosting for Labeled Bags of
       Instances", Advances in Knowledge Discovery and Data Mining, LNCS 3056, 272-281.
       https://doi.org/10.1007/978-3-540-24775-3_35

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.multi_instance.peers import MIBoostClassifier
    >>> bags = [np.array([[4.0], [5.0]]), np.array([[6.0]]), np.array([[0.0], [1.0]]), np.eye(1)]
    >>> MIBoostClassifier(random_state=0).fit(bags, [1, 1, 0, 0]).predict(bags)
    array([1, 1, 0, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_rounds": POSITIVE_COUNT,
        "random_state": ["random_state"],
    }

    estimators_: list[Any]
    estimator_weights_: DoubleArray

    def __init__(
        self, estimator: Any = None, *, n_rounds: int = 50, random_state: Any = None
    ) -> None:
        self.estimator = estimator
        self.n_rounds = n_rounds
        self.random_state = random_state

    def _fit_binary(self, data: TrainingBags) -> None:
        base = DecisionTreeClassifier(max_depth=1) if self.estimator is None else self.estimator
        check_takes_weights(base, type(self).__name__)
        random_state = check_random_state(self.random_state)
        bags = data.bags
        labels = np.repeat(data.signs.astype(np.int64), bags.sizes)
        weights = np.full(len(bags), 1.0 / len(bags))
        self.estimators_ = []
        factors: list[float] = []
        for _ in range(self.n_rounds):
            model = seeded_copy(base, random_state)
            model.fit(
                bags.instances, labels, sample_weight=np.repeat(weights / bags.sizes, bags.sizes)
            )
            wrong = (model.predict(bags.instances) != labels).astype(np.float64)
            tilts = 2.0 * mean_in_bags(bags, wrong) - 1.0
            factor = _best_factor(weights, tilts)
            # The first one is kept in any case: there is nothing else to predict with.
            if factor <= 0.0 and self.estimators_:
                break
            self.estimators_.append(model)
            factors.append(factor)
            if factor <= 0.0 or factor >= _LARGEST_WEIGHT:
                break
            weights = weights * np.exp(factor * tilts)
            weights /= weights.sum()
        self.estimator_weights_ = np.array(factors)

    def _decide_binary(self, bags: Bags) -> DoubleArray:
        total = np.zeros(bags.n_instances)
        for model, factor in zip(self.estimators_, self.estimator_weights_, strict=True):
            total += factor * model.predict(bags.instances)
        return np.asarray(mean_in_bags(bags, total), dtype=np.float64)


def _best_factor(weights: DoubleArray, tilts: DoubleArray) -> float:
    """Return the c between 0 and the largest weight that minimises sum W exp(tilt c)."""

    def slope(c: float) -> float:
        return float((weights * tilts) @ np.exp(tilts * c))

    if slope(0.0) >= 0.0:
        return 0.0
    if slope(_LARGEST_WEIGHT) <= 0.0:
        return _LARGEST_WEIGHT
    return float(brentq(slope, 0.0, _LARGEST_WEIGHT, xtol=1e-12))
