"""Bagging of bag classifiers: each is trained on bags drawn with replacement."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import check_random_state

from svmosaic.bags import Bags
from svmosaic.classification.parameters import POSITIVE_COUNT
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.multi_instance.base_classifiers import LARGEST_SEED, decision_scores, seeded_copy
from svmosaic.multi_instance.peers.set_kernel_svm import SetKernelClassifier
from svmosaic.multi_instance.training_bags import TrainingBags
from svmosaic.utils.sklearn_compat import HasMethods, StrOptions

__all__ = ["BaggedBagsClassifier"]


class BaggedBagsClassifier(BagClassifier):
    r"""Bagging: copies of a bag classifier, each trained on bags drawn with replacement, vote.

    Parameters
    ----------
    estimator : bag classifier, default=None
        The classifier to repeat. None means ``SetKernelClassifier()``.
    n_estimators : int, default=10
        How many copies there are.
    voting : {"vote", "mean"}, default="vote"
        The score is the mean of the predictions, -1 or +1, or of the decision values. The mean
        of decision values has fewer ties and lets sure copies count more.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws and of the copies, where they have none of their own.
    n_jobs : int, default=None
        Copies trained at a time, by joblib. The model does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of features.
    binary_classifiers_ : list
        One fitted copy per class, if there are more than two; only they have the attributes below.
    estimators_ : list of bag classifiers
        The fitted copies; their classes are -1 and 1.

    Notes
    -----
    With draws D_1, ..., D_M of as many bags as there are, and the classifiers f_m trained on them,

    .. math:: f(B) = \frac{1}{M} \sum_m \operatorname{sign} f_m(B).

    A draw with bags of one class only is drawn again. scikit-learn's ``BaggingClassifier`` takes
    rows of a table; this one takes bags.

    References
    ----------
    .. [1] L. Breiman (1996), "Bagging Predictors", Machine Learning 24, 123-140.
       https://doi.org/10.1007/BF00058655

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.multi_instance.peers import BaggedBagsClassifier, MIOptimalBallClassifier
    >>> bags = [np.array([[5.0], [9.0]]), np.array([[6.0], [1.0]]), np.array([[1.0], [10.0]])]
    >>> model = BaggedBagsClassifier(MIOptimalBallClassifier(), random_state=0)
    >>> model.fit(bags, [1, 1, 0]).predict(bags)
    array([1, 1, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": POSITIVE_COUNT,
        "voting": [StrOptions({"vote", "mean"})],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    estimators_: list[Any]

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 10,
        voting: Literal["vote", "mean"] = "vote",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.voting = voting
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit_binary(self, data: TrainingBags) -> None:
        base = SetKernelClassifier() if self.estimator is None else self.estimator
        random_state = check_random_state(self.random_state)
        seeds = random_state.randint(LARGEST_SEED, size=self.n_estimators)
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_one)(base, data.bags, data.signs.astype(np.int64), int(seed))
            for seed in seeds
        )

    def _decide_binary(self, bags: Bags) -> DoubleArray:
        scores = np.array([decision_scores(model, bags) for model in self.estimators_])
        if self.voting == "vote":
            scores = np.where(scores > 0, 1.0, -1.0)
        return np.asarray(scores.mean(axis=0), dtype=np.float64)


def _fit_one(base: Any, bags: Bags, labels: IndexArray, seed: int) -> Any:
    """Fit a copy to bags drawn with replacement, of both classes."""
    random_state = np.random.RandomState(seed)
    drawn = random_state.randint(labels.size, size=labels.size)
    while np.all(labels[drawn] == labels[drawn[0]]):
        drawn = random_state.randint(labels.size, size=labels.size)
    return seeded_copy(base, random_state).fit(bags[drawn], labels[drawn])
