"""Diverse Density: the point that all positive bags come near to and no negative bag does."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from svmosaic.bags import Bags
from svmosaic.classification.parameters import POSITIVE_COUNT
from svmosaic.engine.problem import DoubleArray
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.multi_instance.peers.target_point import (
    TargetPoint,
    find_target,
    log_noisy_or,
    standardise,
    starting_rows,
    target_distances,
)
from svmosaic.multi_instance.training_bags import TrainingBags
from svmosaic.utils.threads import one_blas_thread

__all__ = ["DiverseDensityClassifier", "TargetClassifier"]


class TargetClassifier(BagClassifier):
    """Base of the classifiers with a target point: starts, units, attributes."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_starts": POSITIVE_COUNT,
        "n_start_bags": POSITIVE_COUNT,
        "max_iter": POSITIVE_COUNT,
        "random_state": ["random_state"],
    }

    n_starts: int
    n_start_bags: int
    max_iter: int
    random_state: Any

    target_: DoubleArray
    feature_scales_: DoubleArray
    loss_: float

    @abstractmethod
    def _climb(self, bags: Bags, positive: Any, start: TargetPoint) -> TargetPoint:
        """Return the best target that is reached from a start."""

    def _fit_binary(self, data: TrainingBags) -> None:
        standard = standardise(data.bags.instances)
        bags = data.bags.with_instances(standard.instances)
        positive = data.signs > 0
        random_state = check_random_state(self.random_state)
        # With these scales the distances of standardised instances are about 2.
        scales = np.full(bags.n_features, 1.0 / np.sqrt(bags.n_features))
        best = TargetPoint(np.zeros(bags.n_features), scales)
        rows = starting_rows(
            bags, positive, int(self.n_start_bags), int(self.n_starts), random_state
        )
        # Products of a matrix and a vector gain nothing from threads.
        with one_blas_thread():
            for row in rows:
                point = bags.instances[[row]]
                point = point.toarray()[0] if sp.issparse(point) else point[0]
                found = self._climb(bags, positive, TargetPoint(point, scales))
                if found.loss < best.loss:
                    best = found
        best = standard.in_units_of_the_data(best)
        self.target_ = best.point
        self.feature_scales_ = best.scales
        self.loss_ = best.loss

    def _distances(self, bags: Bags) -> DoubleArray:
        target = TargetPoint(self.target_, self.feature_scales_)
        return target_distances(bags.instances, target)


class DiverseDensityClassifier(TargetClassifier):
    r"""Diverse Density: a bag is positive if one of its instances is near the target point.

    Parameters
    ----------
    n_starts : int, default=25
        Instances from which the search begins. More starts find a better target and take longer in
        proportion.
    n_start_bags : int, default=5
        How many positive bags, the smallest ones, these instances come from.
    max_iter : int, default=100
        Limit on the iterations of each search.
    random_state : int, RandomState instance or None, default=None
        Seed of the choice of starts, where the bags have more instances than `n_starts`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of features.
    binary_classifiers_ : list
        One fitted copy per class, if there are more than two; only they have the attributes below.
    target_ : ndarray of shape (n_features,)
        The target point t.
    feature_scales_ : ndarray of shape (n_features,)
        The scales s of the features, not negative; 0 means that a feature does not matter.
    loss_ : float
        Negative logarithm of the diverse density.

    See Also
    --------
    EMDDClassifier : Takes one instance of each bag at a time, and less time.

    Notes
    -----
    With p(x) = exp(-sum_k s_k^2 (x_k - t_k)^2) the target and the scales maximise

    .. math:: \prod_{Y_I = 1} \Bigl(1 - \prod_{x \in B_I} (1 - p(x))\Bigr)
       \prod_{Y_I = -1} \prod_{x \in B_I} (1 - p(x))

    by L-BFGS on standardised features; the best of all starts is kept. Each step costs four
    products of a matrix and a vector. The score of a bag is log P + log 2, where P is its
    noisy-or, the factor above: it is positive if P > 1/2.

    References
    ----------
    .. [1] O. Maron, T. Lozano-Pérez (1998), "A Framework for Multiple-Instance Learning",
       Advances in Neural Information Processing Systems 10, 570-576.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.multi_instance.peers import DiverseDensityClassifier
    >>> bags = [np.array([[5.0], [9.0]]), np.array([[5.2], [1.0]]), np.array([[1.0], [9.0]])]
    >>> model = DiverseDensityClassifier().fit(bags, [1, 1, 0])
    >>> model.target_.round(1), model.predict(bags)
    (array([5.1]), array([1, 1, 0]))
    """

    def __init__(
        self,
        *,
        n_starts: int = 25,
        n_start_bags: int = 5,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_starts = n_starts
        self.n_start_bags = n_start_bags
        self.max_iter = max_iter
        self.random_state = random_state

    def _climb(self, bags: Bags, positive: Any, start: TargetPoint) -> TargetPoint:
        return find_target(bags, positive, start, int(self.max_iter))

    def _decide_binary(self, bags: Bags) -> DoubleArray:
        return log_noisy_or(self._distances(bags), bags.offsets) + float(np.log(2.0))
