"""Stacking of bag classifiers: a last classifier learns from the scores of the others."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from svmosaic.bags import Bags
from svmosaic.engine.problem import DoubleArray
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.multi_instance.base_classifiers import LARGEST_SEED, decision_scores, seeded_copy
from svmosaic.multi_instance.peers.bag_mi_svm import BagMISVMClassifier
from svmosaic.multi_instance.peers.set_kernel_svm import SetKernelClassifier
from svmosaic.multi_instance.peers.simple_mi import SimpleMIClassifier
from svmosaic.multi_instance.training_bags import TrainingBags
from svmosaic.utils.sklearn_compat import HasMethods, Interval

__all__ = ["StackedBagsClassifier"]


class StackedBagsClassifier(BagClassifier):
    r"""Stacking: a classifier of the scores that several bag classifiers give to left-out bags.

    It is scikit-learn's ``StackingClassifier``, which takes bags as they are.

    Parameters
    ----------
    estimators : list of (str, bag classifier), default=None
        The bag classifiers and their names. None means ``SetKernelClassifier()``,
        ``SimpleMIClassifier(transform="min-max")`` and ``BagMISVMClassifier()``.
    final_estimator : classifier, default=None
        The classifier of scores. None means logistic regression on standardised scores.
    cv : int, default=5
        Folds for the scores of left-out bags; fewer if a class has fewer bags.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds and of the classifiers, where they have none of their own.
    n_jobs : int, default=None
        Classifiers trained at a time, by joblib. The model does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of features.
    binary_classifiers_ : list
        One fitted copy per class, if there are more than two; only they have the attributes below.
    stack_ : StackingClassifier
        The fitted classifiers; their classes are -1 and 1.

    Notes
    -----
    With the bag classifiers f_1, ..., f_M and the last classifier g,

    .. math:: f(B) = g(f_1(B), \ldots, f_M(B));

    g is trained on scores of bags that f was not trained on. Fitting trains each classifier
    `cv` + 1 times.

    References
    ----------
    .. [1] D. H. Wolpert (1992), "Stacked Generalization", Neural Networks 5, 241-259.
       https://doi.org/10.1016/S0893-6080(05)80023-1

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.multi_instance.peers import StackedBagsClassifier
    >>> bags = [np.array([[4.0], [5.0]]), np.array([[6.0]]), np.array([[0.0], [1.0]]), np.eye(1)]
    >>> StackedBagsClassifier(cv=2, random_state=0).fit(bags, [1, 1, 0, 0]).predict(bags)
    array([1, 1, 0, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimators": [list, None],
        "final_estimator": [HasMethods(["fit", "predict"]), None],
        "cv": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    stack_: Any

    def __init__(
        self,
        estimators: list[tuple[str, Any]] | None = None,
        final_estimator: Any = None,
        *,
        cv: int = 5,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit_binary(self, data: TrainingBags) -> None:
        signs = data.signs
        smallest = int(min(np.count_nonzero(signs > 0), np.count_nonzero(signs < 0)))
        if smallest < 2:
            raise ValueError(
                f"{type(self).__name__} leaves bags out and needs at least two bags of every "
                "class. A class has one; leave it out or add bags."
            )
        random_state = check_random_state(self.random_state)
        folds = StratifiedKFold(
            min(int(self.cv), smallest),
            shuffle=True,
            random_state=random_state.randint(LARGEST_SEED),
        )
        stack = StackingClassifier(
            self._bases(),
            make_pipeline(StandardScaler(), LogisticRegression())
            if self.final_estimator is None
            else self.final_estimator,
            cv=folds,
            n_jobs=self.n_jobs,
        )
        self.stack_ = seeded_copy(stack, random_state).fit(data.bags, signs.astype(np.int64))

    def _bases(self) -> list[tuple[str, Any]]:
        if self.estimators is not None:
            return self.estimators
        return [
            ("set_kernel", SetKernelClassifier()),
            ("min_max", SimpleMIClassifier(transform="min-max")),
            ("witness", BagMISVMClassifier()),
        ]

    def _decide_binary(self, bags: Bags) -> DoubleArray:
        return decision_scores(self.stack_, bags)
