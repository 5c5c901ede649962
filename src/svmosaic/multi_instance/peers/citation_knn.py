"""Citation-kNN: the nearest bags vote, and the bags that have this one among their nearest."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from svmosaic.bags import Bags
from svmosaic.classification.parameters import POSITIVE_COUNT
from svmosaic.engine.problem import DoubleArray
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.multi_instance.bag_learner import Candidate
from svmosaic.multi_instance.inner_folds import Splits, alike_but_for
from svmosaic.multi_instance.peers.bag_distances import Hausdorff, hausdorff_distances
from svmosaic.multi_instance.training_bags import TrainingBags
from svmosaic.utils.sklearn_compat import Interval, StrOptions
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.validation import match_form

__all__ = ["CitationKNNClassifier"]


class CitationKNNClassifier(BagClassifier):
    r"""Citation-kNN: references and citers of a bag vote, by Hausdorff distances.

    Parameters
    ----------
    n_references : int, default=2
        How many of its nearest training bags a bag refers to. More of them vote more smoothly.
    n_citers : int, default=4
        A training bag cites the bags nearest to it, this many of them.
    hausdorff : {"minimal", "maximal"}, default="minimal"
        The distance of two bags: that of their nearest instances, or the largest distance of an
        instance of one to the other bag.
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
    bags_ : Bags
        The training bags, in canonical order.
    signs_ : ndarray of shape (n_bags,)
        +1 for those of the second class, -1 for the first.
    reach_ : ndarray of shape (n_bags,)
        The distance up to which each training bag cites.

    Notes
    -----
    With R references and C citers, p of them positive and n negative, the score is
    (p - n) / (p + n): a tie means the first class. The minimal Hausdorff distance is

    .. math:: d(A, B) = \min_{a \in A} \min_{b \in B} \|a - b\|.

    A training bag cites by the rank of the new bag among the other training bags. Bags at equal
    distances all count, so that their order does not matter. Scale the features first. A fit
    with the default takes the distances of all pairs of instances, a prediction those of new and
    training instances.

    References
    ----------
    .. [1] J. Wang, J.-D. Zucker (2000), "Solving the Multiple-Instance Problem: A Lazy Learning
       Approach", Proceedings of the 17th International Conference on Machine Learning,
       1119-1125.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.multi_instance.peers import CitationKNNClassifier
    >>> bags = [np.array([[4.0], [5.0]]), np.array([[6.0]]), np.array([[0.0], [1.0]]), np.eye(1)]
    >>> model = CitationKNNClassifier(n_references=1, n_citers=1).fit(bags, [1, 1, 0, 0])
    >>> model.predict([np.array([[5.5]]), np.array([[0.5]])])
    array([1, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_references": POSITIVE_COUNT,
        "n_citers": [Interval(Integral, 0, None, closed="left")],
        "hausdorff": [StrOptions({"minimal", "maximal"})],
        "n_jobs": [Integral, None],
    }

    bags_: Bags
    signs_: DoubleArray
    reach_: DoubleArray

    def __init__(
        self,
        *,
        n_references: int = 2,
        n_citers: int = 4,
        hausdorff: Hausdorff = "minimal",
        n_jobs: int | None = None,
    ) -> None:
        self.n_references = n_references
        self.n_citers = n_citers
        self.hausdorff = hausdorff
        self.n_jobs = n_jobs

    def _fit_binary(self, data: TrainingBags) -> None:
        self.bags_ = data.bags
        self.signs_ = data.signs
        n_bags = len(data.bags)
        needed = 0 < self.n_citers < n_bags
        own = self._distances(data.bags, data.bags) if needed else np.empty((n_bags, 0))
        self.reach_ = self._reach(own)

    def score_left_out(
        self, data: TrainingBags, splits: Splits, candidates: Sequence[Candidate]
    ) -> list[list[DoubleArray]]:
        """Return for each candidate the scores of the left-out bags of each split.

        Parameters
        ----------
        data : TrainingBags
            The training bags.
        splits : list of (ndarray, ndarray)
            Numbers of training and left-out bags of each split.
        candidates : sequence of dict
            The parameters to try.

        Returns
        -------
        list of list of ndarray
            For each candidate and split, one score per left-out bag.
        """
        signs = data.signs
        found: list[list[DoubleArray]] = [[] for _ in candidates]
        for shared, numbers in alike_but_for(candidates, "n_references", "n_citers"):
            distances = clone(self).set_params(**shared)._distances(data.bags, data.bags)
            for i in numbers:
                one = clone(self).set_params(**candidates[i])
                for train, test in splits:
                    reach = one._reach(distances[np.ix_(train, train)])
                    votes = one._vote(distances[np.ix_(test, train)], reach, signs[train])
                    found[i].append(votes)
        return found

    def _decide_binary(self, bags: Bags) -> DoubleArray:
        bags = bags.with_instances(match_form(bags.instances, self.bags_.instances))
        return self._vote(self._distances(bags, self.bags_), self.reach_, self.signs_)

    def _reach(self, distances: DoubleArray) -> DoubleArray:
        """Return how far each training bag cites, from the distances between training bags."""
        n_bags = distances.shape[0]
        if self.n_citers == 0:
            return np.full(n_bags, -np.inf)
        if self.n_citers >= n_bags:
            return np.full(n_bags, np.inf)
        others = distances.copy()
        np.fill_diagonal(others, np.inf)
        return np.asarray(np.partition(others, self.n_citers - 1, axis=1)[:, self.n_citers - 1])

    def _vote(self, distances: DoubleArray, reach: DoubleArray, signs: DoubleArray) -> DoubleArray:
        """Return the scores of new bags from their distances to the training bags."""
        last = min(self.n_references, signs.size) - 1
        horizon = np.partition(distances, last, axis=1)[:, last]
        votes = (distances <= horizon[:, np.newaxis]).astype(np.float64)
        votes += distances <= reach
        return np.asarray(votes @ signs / votes.sum(axis=1), dtype=np.float64)

    def _distances(self, bags: Bags, others: Bags) -> DoubleArray:
        threads = resolve_threads(self.n_jobs)
        return hausdorff_distances(bags, others, self.hausdorff, n_threads=threads)
