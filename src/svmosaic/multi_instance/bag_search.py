"""The search for parameters of a classifier of bags, which computes once what candidates share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils import check_random_state

from svmosaic.bags import Bags
from svmosaic.engine.problem import DoubleArray
from svmosaic.multi_instance.bag_classifier import BagClassifier
from svmosaic.multi_instance.bag_learner import BAG_LEARNER, BagLearner, Candidate
from svmosaic.multi_instance.base_classifiers import seeded_copy
from svmosaic.multi_instance.inner_folds import Splits, inner_splits, mean_score
from svmosaic.multi_instance.training_bags import TrainingBags
from svmosaic.utils.sklearn_compat import HasMethods, Interval
from svmosaic.utils.spreading import Spread, current_spread

__all__ = ["BagSearchCV", "mean_scores", "search_table"]


class BagSearchCV(BagClassifier):
    r"""A grid search for classifiers of bags, by cross-validation over the training bags.

    scikit-learn's ``GridSearchCV`` works with bags too, but trains every candidate on every fold
    from scratch. Here kernels of bags, kernel rows and distances are computed once for all
    penalties and all folds, where the classifier offers it.

    Parameters
    ----------
    estimator : BagClassifier
        The classifier whose parameters are sought; one of this package or a subclass of
        `BagClassifier`.
    param_grid : dict of str to list
        The values to try. All combinations are candidates.
    cv : int or splitter, default=3
        Folds; a number means stratified folds, as many as the smaller class allows. If that class
        has one bag, the first candidate is taken.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds and of the classifier, where it has none of its own.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    best_params_ : dict
        The candidate with the best score; of equals the first.
    best_score_ : float
        Its mean over the folds of accuracy and area under the ROC curve, averaged; nan without a
        search.
    best_estimator_ : BagClassifier
        The classifier with these parameters, trained on all bags; its classes are False and True.
    cv_results_ : dict
        Candidates and their mean scores in the form of ``GridSearchCV``; only after a search.
    n_splits_ : int
        Folds; only after a search.
    n_features_in_ : int
        Number of features.
    binary_classifiers_ : list
        More than two classes: one search for each class against the rest, which has the other
        attributes.

    Notes
    -----
    The score of a candidate is the mean over the folds of (accuracy + AUC) / 2. Accuracy alone has
    many ties on few bags. What is shared: `SetKernelClassifier` and `MIGraphClassifier` compute the
    kernel between all training bags once for each width, `MIRSVMClassifier` the kernel rows of
    representatives, `CitationKNNClassifier` all distances. No left-out bag takes part in training.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.multi_instance import BagSearchCV, SetKernelClassifier
    >>> rng = np.random.default_rng(0)
    >>> bags = [rng.normal(size=(4, 2)) + 2.0 * (i < 10) for i in range(20)]
    >>> y = [1] * 10 + [0] * 10
    >>> grid = {"C": [1.0, 10.0], "gamma": [0.1, 1.0]}
    >>> search = BagSearchCV(SetKernelClassifier(), grid, random_state=0).fit(bags, y)
    >>> search.predict(bags[8:12])
    array([1, 1, 0, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(list(BAG_LEARNER))],
        "param_grid": [dict],
        "cv": [Interval(Integral, 2, None, closed="left"), HasMethods(["split"])],
        "random_state": ["random_state"],
    }

    best_params_: dict[str, Any]
    best_score_: float
    best_estimator_: Any
    cv_results_: dict[str, Any]
    n_splits_: int

    def __init__(
        self,
        estimator: Any,
        param_grid: Mapping[str, Any],
        *,
        cv: Any = 3,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.cv = cv
        self.random_state = random_state

    def _fit_binary(self, data: TrainingBags) -> None:
        rng = check_random_state(self.random_state)
        estimator = seeded_copy(self.estimator, rng)
        candidates = self._candidates()
        for candidate in candidates:
            # Kernels may be shared and C passed on: neither goes through a `fit` that validates.
            clone(estimator).set_params(**candidate)._validate_params()
        splits = inner_splits(self.cv, data.signs, rng) if len(candidates) > 1 else []
        best, self.best_score_ = 0, float("nan")
        if splits:
            means = mean_scores(estimator, data, splits, candidates)
            best = int(np.argmax(means))
            self.best_score_ = means[best]
            self.n_splits_ = len(splits)
            self.cv_results_ = search_table(candidates, np.array(means))
        self.best_params_ = candidates[best]
        # It predicts by itself, with the labels of the search.
        self.best_estimator_ = clone(estimator).set_params(**candidates[best]).fit_bags(data)

    def _candidates(self) -> list[Candidate]:
        """Return all combinations."""
        for name, values in self.param_grid.items():
            if isinstance(values, str) or not np.iterable(values) or len(list(values)) == 0:
                raise ValueError(
                    f"The 'param_grid' parameter of {type(self).__name__} must have a list of "
                    f"values for each name. {name!r} has {values!r}; write it as a list."
                )
        return list(ParameterGrid({name: list(v) for name, v in self.param_grid.items()}))

    def _decide_binary(self, bags: Bags) -> DoubleArray:
        return np.asarray(self.best_estimator_.decide_bags(bags), dtype=np.float64)


def mean_scores(
    learner: BagLearner, data: TrainingBags, splits: Splits, candidates: Sequence[Candidate]
) -> list[float]:
    """Return for each candidate the mean score of left-out bags over the splits."""
    signs = data.signs
    spread = current_spread()
    if spread is None:
        found = learner.score_left_out(data, splits, candidates)
    else:
        found = _score_elsewhere(spread, learner, data, splits, candidates)
    return [mean_score(signs, splits, scores) for scores in found]


def _score_elsewhere(
    spread: Spread,
    learner: BagLearner,
    data: TrainingBags,
    splits: Splits,
    candidates: Sequence[Candidate],
) -> list[list[DoubleArray]]:
    """Return what `score_left_out` does, computed by the workers of a cluster.

    Candidates that differ in their penalty only share kernels and stay together. Where there are
    more workers than such groups, folds are spread too.
    """
    groups: dict[str, list[int]] = {}
    for number, candidate in enumerate(candidates):
        shared = sorted((name, repr(v)) for name, v in candidate.items() if name != "C")
        groups.setdefault(repr(shared), []).append(number)
    n_parts = min(len(splits), -(-spread.n_workers // len(groups)))
    items = [
        (group, list(range(part, len(splits), n_parts)))
        for group in groups.values()
        for part in range(n_parts)
    ]
    # What was computed here may be more than the bags, and workers compute it as fast.
    sent = learner, replace(data, known={}), splits, candidates
    answers = spread.map(_score_some, spread.hold(sent), items)
    found: list[list[Any]] = [[None] * len(splits) for _ in candidates]
    for (group, folds), scores in zip(items, answers, strict=True):
        for number, by_fold in zip(group, scores, strict=True):
            for fold, score in zip(folds, by_fold, strict=True):
                found[number][fold] = score
    return found


def _score_some(
    held: tuple[BagLearner, TrainingBags, Splits, Sequence[Candidate]],
    item: tuple[list[int], list[int]],
    *,
    n_threads: int,
) -> list[list[DoubleArray]]:
    """Return the scores of some candidates on some folds; runs on a worker."""
    learner, data, splits, candidates = held
    group, folds = item
    if "n_jobs" in getattr(learner, "get_params", dict)():
        learner = clone(learner).set_params(n_jobs=n_threads)
    return learner.score_left_out(data, [splits[f] for f in folds], [candidates[c] for c in group])


def search_table(candidates: list[Candidate], scores: DoubleArray) -> dict[str, Any]:
    """Return candidates and their mean scores in the form of ``GridSearchCV``."""
    columns: dict[str, NDArray[Any]] = {
        f"param_{name}": np.array([one[name] for one in candidates], dtype=object)
        for name in candidates[0]
    }
    return {**columns, "params": candidates, "mean_test_score": scores}
