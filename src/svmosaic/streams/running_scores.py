"""Scores of predictions as they come: over all so far, and over the last ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmosaic.utils.array_checks import check_values, refuse
from svmosaic.utils.state_codec import Array, Record, Scope, Whole

__all__ = ["MEASURES", "SCORES_STATE", "RunningScores"]

# accuracy   share of right predictions, p0
# kappa      (p0 - pe) / (1 - pe), pe: what chance agrees on, given the labels and the predictions
# kappa_m    the same with pe of the class that came most often so far
# kappa_t    the same with pe of the rule "the label before"
# f1_macro   mean of F1 over the classes that came or were predicted
# The first is the one that says most about a stream: labels often come in runs.
MEASURES = ("kappa_t", "accuracy", "kappa", "kappa_m", "f1_macro")


class RunningScores:
    """Scores over all predictions and over a window of the last ones.

    Parameters
    ----------
    classes : sequence
        All labels that can come. A prediction outside of them counts as wrong.
    window : int
        How many of the last predictions the windowed scores are over.
    """

    def __init__(self, classes: Sequence[Any] | NDArray[Any], window: int) -> None:
        self.classes = np.asarray(classes)
        self.window = int(window)
        k = self.classes.size
        # Rows are labels, columns predictions; the last column is for none of the classes.
        self.confusion = np.zeros((k, k + 1), dtype=np.int64)
        self.n_same = 0
        self._last_label = -1
        # The last predictions: label, prediction, whether the label is that of the one before.
        self._recent = np.empty((0, 3), dtype=np.int64)

    @property
    def n_scored(self) -> int:
        """Predictions so far."""
        return int(self.confusion.sum())

    def of(self, classes: NDArray[Any], window: int) -> RunningScores:
        """Return the same scores for these classes and this window, which are not stored."""
        found = RunningScores(classes, window)
        vars(found).update(vars(self))
        return found

    def ends_with(self, predicted: NDArray[Any]) -> bool:
        """Whether these are the last predictions, as far as the window goes back."""
        known = self._recent[:, 1]
        count = min(known.size, predicted.size)
        last = self._number(predicted[predicted.size - count :])
        return np.array_equal(known[known.size - count :], last)

    def add(self, labels: Any, predicted: Any) -> None:
        """Take in the labels of some samples in order, and the predictions of the last of them.

        The others count only as the label before.
        """
        y = self._number(np.asarray(labels))
        if np.any(y == self.classes.size):
            unknown = np.asarray(labels)[y == self.classes.size][0]
            raise ValueError(
                f"The stream has the label {unknown}, which is not among its classes "
                f"{self.classes.tolist()}. Give the stream all its classes."
            )
        p = self._number(np.asarray(predicted))
        before = np.concatenate([[self._last_label], y[:-1]])
        same = (y == before).astype(np.int64)[y.size - p.size :]
        self._last_label = int(y[-1])
        y = y[y.size - p.size :]
        np.add.at(self.confusion, (y, p), 1)
        self.n_same += int(same.sum())
        recent = np.column_stack([y, p, same])
        self._recent = np.concatenate([self._recent, recent])[-self.window :]

    def scores(self) -> dict[str, float]:
        """Return the measures over all predictions so far."""
        return _measures(self.confusion, self.n_same)

    def windowed(self) -> dict[str, float]:
        """Return the measures over the last predictions."""
        confusion = np.zeros_like(self.confusion)
        np.add.at(confusion, (self._recent[:, 0], self._recent[:, 1]), 1)
        return _measures(confusion, int(self._recent[:, 2].sum()))

    def _number(self, labels: NDArray[Any]) -> NDArray[np.int64]:
        """Return the number of each label; the number of classes for one that is unknown."""
        order = np.argsort(self.classes)
        place = np.searchsorted(self.classes, labels, sorter=order).clip(0, self.classes.size - 1)
        found = order[place]
        known = self.classes[found] == labels
        return np.where(known, found, self.classes.size).astype(np.int64)


def _check_scores(scores: RunningScores, path: str, sizes: Scope) -> None:
    n_classes, n_scored = sizes["n_classes"], sizes["position"]
    if scores.confusion.shape[1] != n_classes + 1 or scores._last_label >= n_classes:
        refuse(f"'{path}' is about other classes than expected")
    # Each by itself first: the sum of forged ones could leave the range of the numbers.
    check_values(f"{path}.confusion", scores.confusion, maximum=n_scored)
    if scores.n_scored > n_scored or scores.n_same > scores.n_scored:
        refuse(f"'{path}' counts more predictions than there are samples")
    if len(scores._recent) != min(sizes["window"], scores.n_scored):
        refuse(f"'{path}' remembers more or fewer predictions than its window has")
    for column, most in enumerate((n_classes - 1, n_classes, 1)):
        check_values(f"{path}.recent", scores._recent[:, column], maximum=most)


# The lengths of `position` and `window` are known before it is read.
SCORES_STATE = Record(
    RunningScores,
    {
        "confusion": Array(("int64",), ("n_classes", "n_columns"), minimum=0),
        "n_same": Whole(),
        "_last_label": Whole(minimum=-1),
        "_recent": Array(("int64",), ("n_recent", 3), minimum=0),
    },
    checks=(_check_scores,),
)


def _measures(confusion: NDArray[np.int64], n_same: int) -> dict[str, float]:
    n = int(confusion.sum())
    if n == 0:
        return dict.fromkeys(MEASURES, float("nan"))
    k = confusion.shape[0]
    right = confusion[:, :k].diagonal()
    labels, predictions = confusion.sum(axis=1), confusion.sum(axis=0)[:k]
    accuracy = right.sum() / n
    present = (labels + predictions) > 0
    f1 = 2.0 * right[present] / (labels + predictions)[present]
    return {
        "kappa_t": _beyond(accuracy, n_same / n),
        "accuracy": float(accuracy),
        "kappa": _beyond(accuracy, float(labels @ predictions) / n**2),
        "kappa_m": _beyond(accuracy, float(labels.max()) / n),
        "f1_macro": float(f1.mean()),
    }


def _beyond(accuracy: float, expected: float) -> float:
    """Return the share of what `expected` leaves open that `accuracy` reaches; 0 if nothing is."""
    return 0.0 if expected >= 1.0 else float((accuracy - expected) / (1.0 - expected))
