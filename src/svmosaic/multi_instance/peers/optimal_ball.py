"""The optimal ball: an instance of a positive bag and a radius that decide best."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np

from svmosaic.bags import Bags
from svmosaic.engine.problem import DoubleArray
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.multi_instance.peers.bag_blocks import BLOCK_ROWS
from svmosaic.multi_instance.peers.bag_distances import distances_to_bags
from svmosaic.multi_instance.training_bags import TrainingBags
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.validation import match_form

__all__ = ["MIOptimalBallClassifier"]

# Distances that differ by less than this part are equal but for rounding.
_SAME = 1e-9


class _Ball(NamedTuple):
    n_correct: float
    gap: float
    row: int
    radius: float


class MIOptimalBallClassifier(BagClassifier):
    r"""MIOptimalBall: a bag is positive if one of its instances lies in the ball.

    Parameters
    ----------
    n_jobs : int, default=None
        Number of threads. None means 1, unless in a ``joblib.parallel_config`` block; -1 means all
        processors that the process may use. The model does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of features.
    binary_classifiers_ : list
        One fitted copy per class, if there are more than two; only they have the attributes below.
    center_ : {ndarray, sparse matrix} of shape (1, n_features)
        The centre, an instance of a positive bag.
    center_row_ : int
        Its row among the given instances.
    radius_ : float
        The radius.
    n_correct_ : int
        Training bags that the ball gets right.

    Notes
    -----
    The distance of a point c and a bag B is that of c and the nearest instance of B. Of all
    instances c of positive bags and all radii r the ball

    .. math:: \{x : \|x - c\| \le r\}

    with the most training bags on the right side is taken; of several the one with the widest
    gap between the last bag inside and the first outside. The radius ends in the middle of the
    gap, and the score of a bag is the radius minus its distance. Scale the features first: a ball
    treats all alike. Fitting computes the distances of all instances of positive bags to all
    instances.

    References
    ----------
    .. [1] P. Auer, R. Ortner (2004), "A Boosting Approach to Multiple Instance Learning", Machine
       Learning: ECML 2004, LNCS 3201, 63-74. https://doi.org/10.1007/978-3-540-30115-8_9

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.multi_instance.peers import MIOptimalBallClassifier
    >>> bags = [np.array([[5.0], [9.0]]), np.array([[6.0], [1.0]]), np.array([[0.0], [10.0]])]
    >>> model = MIOptimalBallClassifier().fit(bags, [1, 1, 0])
    >>> model.center_, model.radius_
    (array([[5.]]), 3.0)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"n_jobs": [Integral, None]}

    center_: Any
    center_row_: int
    radius_: float
    n_correct_: int

    def __init__(self, *, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    def _fit_binary(self, data: TrainingBags) -> None:
        signs = data.signs
        bags = data.bags
        rows = bags.rows_of(np.flatnonzero(signs > 0))
        best = _Ball(-np.inf, 0.0, -1, 0.0)
        for begin in range(0, rows.size, BLOCK_ROWS):
            some = rows[begin : begin + BLOCK_ROWS]
            distances = distances_to_bags(
                bags.instances[some], bags, n_threads=resolve_threads(self.n_jobs)
            )
            ball = _best_ball(distances, signs)
            if (ball.n_correct, ball.gap) > (best.n_correct, best.gap):
                best = ball._replace(row=int(some[ball.row]))
        self.center_ = bags.instances[[best.row]]
        self.center_row_ = int(data.row_order[best.row])
        self.radius_ = best.radius
        self.n_correct_ = int(best.n_correct)

    def _decide_binary(self, bags: Bags) -> DoubleArray:
        bags = bags.with_instances(match_form(bags.instances, self.center_))
        distances = distances_to_bags(self.center_, bags, n_threads=resolve_threads(self.n_jobs))
        return np.asarray(self.radius_ - distances[0])


def _best_ball(distances: DoubleArray, signs: DoubleArray) -> _Ball:
    """Return the best ball around one of several centres; `row` is its place among them."""
    order = np.argsort(distances, axis=1, kind="stable")
    inside = np.take_along_axis(distances, order, axis=1)
    # A ball around all bags is possible too, but never for the sake of its gap.
    outside = np.hstack([inside[:, 1:], 2.0 * inside[:, -1:]])
    gaps = outside - inside
    gaps[:, -1] = 0.0
    # With the k nearest bags inside: negative bags outside and positive ones inside are right.
    n_correct = np.count_nonzero(signs < 0) + np.cumsum(signs[order], axis=1)
    cannot_cut = gaps <= _SAME * outside
    cannot_cut[:, -1] = False
    n_correct[cannot_cut] = -np.inf
    most = float(n_correct.max())
    widest = np.where(n_correct == most, gaps, -1.0)
    row, place = np.unravel_index(int(np.argmax(widest)), widest.shape)
    radius = (inside[row, place] + outside[row, place]) / 2.0
    return _Ball(most, float(widest[row, place]), int(row), float(radius))
