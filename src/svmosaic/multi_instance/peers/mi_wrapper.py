"""MIWrapper: any classifier of instances, with bags of equal weight."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from svmosaic.bags import Bags
from svmosaic.classification.smo_classifier import SMOClassifier
from svmosaic.engine.problem import DoubleArray
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.multi_instance.bag_statistics import mean_in_bags
from svmosaic.multi_instance.base_classifiers import (
    check_takes_weights,
    decision_scores,
    seeded_copy,
)
from svmosaic.multi_instance.training_bags import TrainingBags
from svmosaic.utils.sklearn_compat import HasMethods

__all__ = ["MIWrapperClassifier"]


class MIWrapperClassifier(BagClassifier):
    r"""MIWrapper: instances inherit the label of their bag, and a bag has the mean of their scores.

    Parameters
    ----------
    estimator : classifier, default=None
        The classifier of instances; its `fit` takes `sample_weight`. None means
        ``SMOClassifier()``.
    random_state : int, RandomState instance or None, default=None
        Seed of the classifier, where it has none of its own.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of features.
    binary_classifiers_ : list
        One fitted copy per class, if there are more than two; only they have the attributes below.
    estimator_ : classifier
        The fitted classifier of instances; its classes are -1 and 1.

    Notes
    -----
    Instance x of bag B is trained on with the weight 1 / \|B\|, so that all bags weigh the same,
    and

    .. math:: f(B) = \frac{1}{|B|} \sum_{x \in B} f(x)

    with decision values, or with probabilities minus a half if the classifier has only these.

    References
    ----------
    .. [1] E. T. Frank, X. Xu (2003), "Applying Propositional Learning Algorithms to
       Multi-instance Data", Working Paper 06/03, University of Waikato.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from svmosaic.multi_instance.peers import MIWrapperClassifier
    >>> bags = [np.array([[4.0], [5.0]]), np.array([[6.0]]), np.array([[0.0], [1.0]]), np.eye(1)]
    >>> model = MIWrapperClassifier(DecisionTreeClassifier(), random_state=0)
    >>> model.fit(bags, [1, 1, 0, 0]).predict(bags)
    array([1, 1, 0, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "random_state": ["random_state"],
    }

    estimator_: Any

    def __init__(self, estimator: Any = None, *, random_state: Any = None) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def _fit_binary(self, data: TrainingBags) -> None:
        estimator = SMOClassifier() if self.estimator is None else self.estimator
        check_takes_weights(estimator, type(self).__name__)
        self.estimator_ = seeded_copy(estimator, check_random_state(self.random_state))
        sizes = data.bags.sizes
        self.estimator_.fit(
            data.bags.instances,
            np.repeat(data.signs.astype(np.int64), sizes),
            sample_weight=np.repeat(1.0 / sizes, sizes),
        )

    def _decide_binary(self, bags: Bags) -> DoubleArray:
        scores = decision_scores(self.estimator_, bags.instances)
        return np.asarray(mean_in_bags(bags, scores), dtype=np.float64)
