"""SimpleMI: a bag becomes one row."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from svmosaic.bags import Bags
from svmosaic.classification.smo_classifier import SMOClassifier
from svmosaic.engine.problem import DoubleArray
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.multi_instance.bag_statistics import (
    max_in_bags,
    mean_in_bags,
    min_in_bags,
)
from svmosaic.multi_instance.base_classifiers import decision_scores, seeded_copy
from svmosaic.multi_instance.training_bags import TrainingBags
from svmosaic.utils.sklearn_compat import HasMethods, StrOptions

__all__ = ["SimpleMIClassifier"]


class SimpleMIClassifier(BagClassifier):
    r"""SimpleMI: any classifier on the mean, or on the least and largest values, of each bag.

    Parameters
    ----------
    estimator : classifier, default=None
        The classifier of rows. None means ``SMOClassifier()``.
    transform : {"mean", "min-max"}, default="mean"
        What becomes of a bag: the mean of each feature, or its minimum and its maximum, which
        doubles the features.
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
        The fitted classifier of rows; its classes are -1 and 1.

    Notes
    -----
    A bag B with the instances x becomes

    .. math:: \frac{1}{|B|} \sum_{x \in B} x \quad\text{or}\quad
       \left(\min_{x \in B} x, \; \max_{x \in B} x\right).

    The score is the decision value of the classifier or its probability minus a half.

    References
    ----------
    .. [1] L. Dong (2006), "A Comparison of Multi-instance Learning Algorithms", thesis,
       University of Waikato. Section 3.4.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.multi_instance.peers import SimpleMIClassifier
    >>> bags = [np.array([[0.0], [5.0]]), np.array([[6.0]]), np.array([[0.0], [1.0]]), np.eye(1)]
    >>> SimpleMIClassifier(transform="min-max").fit(bags, [1, 1, 0, 0]).predict(bags)
    array([1, 1, 0, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "transform": [StrOptions({"mean", "min-max"})],
        "random_state": ["random_state"],
    }

    estimator_: Any

    def __init__(
        self,
        estimator: Any = None,
        *,
        transform: Literal["mean", "min-max"] = "mean",
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.transform = transform
        self.random_state = random_state

    def _fit_binary(self, data: TrainingBags) -> None:
        estimator = SMOClassifier() if self.estimator is None else self.estimator
        self.estimator_ = seeded_copy(estimator, check_random_state(self.random_state))
        self.estimator_.fit(self._rows(data.bags), data.signs.astype(np.int64))

    def _decide_binary(self, bags: Bags) -> DoubleArray:
        return decision_scores(self.estimator_, self._rows(bags))

    def _rows(self, bags: Bags) -> Any:
        if self.transform == "mean":
            return mean_in_bags(bags, bags.instances)
        parts = [min_in_bags(bags), max_in_bags(bags)]
        return sp.hstack(parts, format="csr") if sp.issparse(parts[0]) else np.hstack(parts)
