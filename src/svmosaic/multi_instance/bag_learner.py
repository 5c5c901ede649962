"""What searches and mixtures need of a classifier of bags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self

from svmosaic.bags import Bags
from svmosaic.engine.problem import DoubleArray
from svmosaic.multi_instance.inner_folds import Splits
from svmosaic.multi_instance.training_bags import TrainingBags

__all__ = ["BAG_LEARNER", "BagLearner", "Candidate"]

# Parameters of an estimator by name.
Candidate = dict[str, Any]


class BagLearner(Protocol):
    """A classifier that takes bags which are validated already; every `BagClassifier` is one."""

    def fit_bags(self, data: TrainingBags) -> Self:
        """Learn from bags, of two classes or more."""

    def decide_bags(self, bags: Bags) -> DoubleArray:
        """Return scores of bags, as `decision_function` does."""

    def score_left_out(
        self, data: TrainingBags, splits: Splits, candidates: Sequence[Candidate]
    ) -> list[list[DoubleArray]]:
        """Return for each candidate the scores of the left-out bags of each split.

        The bags are of two classes. A candidate is given by its parameters.
        """


# The methods by name, for the validation of parameters.
BAG_LEARNER = ("fit_bags", "decide_bags", "score_left_out")
