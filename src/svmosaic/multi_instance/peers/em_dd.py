"""EM-DD: Diverse Density by turns of choosing an instance of each bag and moving the target."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from svmosaic.bags import Bags
from svmosaic.classification.parameters import POSITIVE_COUNT
from svmosaic.engine.problem import DoubleArray
from svmosaic.multi_instance.bag_statistics import argmax_in_bags, max_score_in_bags
from svmosaic.multi_instance.peers.diverse_density import TargetClassifier
from svmosaic.multi_instance.peers.target_point import (
    TargetPoint,
    find_target,
    target_distances,
)

__all__ = ["EMDDClassifier"]

# Less than this part of the loss is no progress.
_LEAST_PROGRESS = 1e-6


class EMDDClassifier(TargetClassifier):
    r"""EM-DD: a bag is positive if its instance nearest to the target point is near enough.

    Parameters
    ----------
    n_starts : int, default=25
        Instances from which the search begins. More starts find a better target and take longer in
        proportion.
    n_start_bags : int, default=5
        How many positive bags, the smallest ones, these instances come from.
    max_passes : int, default=20
        Limit on the turns of each search.
    max_iter : int, default=100
        Limit on the iterations for the target within a turn.
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
        Negative log-likelihood of the chosen instances.

    See Also
    --------
    DiverseDensityClassifier : All instances take part.

    Notes
    -----
    With p(x) = exp(-sum_k s_k^2 (x_k - t_k)^2), by turns: x_I is the instance of bag I with the
    largest p; then t and s maximise

    .. math:: \prod_{Y_I = 1} p(x_I) \prod_{Y_I = -1} (1 - p(x_I))

    by L-BFGS, until this no longer grows. The best of all starts is kept, by the training bags
    alone. The score of a bag is log p + log 2 of its nearest instance: positive if p > 1/2.

    References
    ----------
    .. [1] Q. Zhang, S. A. Goldman (2001), "EM-DD: An Improved Multiple-Instance Learning
       Technique", Advances in Neural Information Processing Systems 14, 1073-1080.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.multi_instance.peers import EMDDClassifier
    >>> bags = [np.array([[5.0], [9.0]]), np.array([[5.2], [1.0]]), np.array([[1.0], [9.0]])]
    >>> model = EMDDClassifier().fit(bags, [1, 1, 0])
    >>> model.target_.round(1), model.predict(bags)
    (array([5.1]), array([1, 1, 0]))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TargetClassifier._parameter_constraints,
        "max_passes": POSITIVE_COUNT,
    }

    def __init__(
        self,
        *,
        n_starts: int = 25,
        n_start_bags: int = 5,
        max_passes: int = 20,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_starts = n_starts
        self.n_start_bags = n_start_bags
        self.max_passes = max_passes
        self.max_iter = max_iter
        self.random_state = random_state

    def _climb(self, bags: Bags, positive: Any, start: TargetPoint) -> TargetPoint:
        singles = np.arange(len(bags) + 1)
        best = current = start
        for _ in range(self.max_passes):
            chosen = argmax_in_bags(bags, -target_distances(bags.instances, current))
            # Bags of one instance: their noisy-or is p itself.
            nearest = Bags(bags.instances[chosen], singles)
            current = find_target(nearest, positive, current, int(self.max_iter))
            if not current.loss < best.loss * (1.0 - _LEAST_PROGRESS):
                break
            best = current
        return best

    def _decide_binary(self, bags: Bags) -> DoubleArray:
        return max_score_in_bags(bags, -self._distances(bags)) + float(np.log(2.0))
