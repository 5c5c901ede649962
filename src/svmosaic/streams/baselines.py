"""What needs no learning: the label before, and the class that came most often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmosaic.streams.running_scores import RunningScores

__all__ = ["BASELINES", "Baselines"]

BASELINES = ("no-change", "majority")


class Baselines:
    """Scores of the predictions "no change" and "the majority", along a stream.

    Both know each label as soon as it arrives: of the sample before, or with a delay of an earlier
    one. A learner that gets its labels chunk by chunk knows less.

    Parameters
    ----------
    classes : sequence
        All labels that can come.
    window : int
        Predictions in the windowed measures.
    delay : int
        Samples after which a label arrives.

    Examples
    --------
    >>> from svmosaic.streams.baselines import Baselines
    >>> baselines = Baselines(["a", "b"], window=100)
    >>> baselines.add(["a", "a", "a", "b", "b"], n_scored=4)
    >>> [(row["learner"], row["accuracy"]) for row in baselines.measure(["accuracy"])]
    [('no-change', 0.75), ('majority', 0.5)]
    """

    def __init__(self, classes: Sequence[Any] | NDArray[Any], window: int, delay: int = 0) -> None:
        self.classes = np.asarray(classes)
        self.delay = delay
        self.scores = {name: RunningScores(self.classes, window) for name in BASELINES}
        # How often each class came, among the labels that have arrived.
        self._counts = np.zeros(self.classes.size, dtype=np.int64)
        # The last labels: that of the sample before, and those that have not arrived.
        self._tail = np.empty(0, dtype=np.int64)

    def add(self, labels: Any, n_scored: int) -> None:
        """Take in the labels of samples in order; the last `n_scored` count as predicted."""
        y = np.asarray(labels)
        order = np.argsort(self.classes)
        codes = order[np.searchsorted(self.classes, y, sorter=order).clip(0, order.size - 1)]
        line = np.concatenate([self._tail, codes])
        # The place in the line of the label that arrives just before each sample.
        places = np.arange(codes.size) + self._tail.size - 1 - self.delay
        arrived = np.where(places >= 0, line[np.maximum(places, 0)], 0)
        counts = np.zeros((codes.size, self.classes.size), dtype=np.int64)
        counts[np.arange(codes.size), arrived] = places >= 0
        counts = self._counts + counts.cumsum(axis=0)
        guesses = arrived, counts.argmax(axis=1)
        for name, guess in zip(BASELINES, guesses, strict=True):
            self.scores[name].add(y, self.classes[guess[y.size - n_scored :]])
        self._counts = counts[-1]
        self._tail = line[-(self.delay + 1) :]

    def measure(self, metrics: Sequence[str]) -> list[Mapping[str, Any]]:
        """Return a record of each baseline: the measures over all predictions and the last ones."""
        records: list[Mapping[str, Any]] = []
        for name, scores in self.scores.items():
            over_all, recent = scores.scores(), scores.windowed()
            records.append(
                {"learner": name}
                | {metric: over_all[metric] for metric in metrics}
                | {f"window_{metric}": recent[metric] for metric in metrics}
            )
        return records
