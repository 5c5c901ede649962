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
        self._counts = np.zeros(self.classes.size, dtype=np.int64)
        # Labels that have not arrived yet, and the last one that has.
        self._late = np.empty(0, dtype=np.int64)
        self._last = 0

    def add(self, labels: Any, n_scored: int) -> None:
        """Take in the labels of samples in order; the last `n_scored` count as predicted."""
        y = np.asarray(labels)
        order = np.argsort(self.classes)
        codes = order[np.searchsorted(self.classes, y, sorter=order).clip(0, order.size - 1)]
        # What arrives before each sample, from the one that the first sample waits for on.
        queue = np.concatenate([self._late, codes])
        before = np.concatenate([[self._last], queue])[: codes.size]
        indicator = np.zeros((codes.size + 1, self.classes.size), dtype=np.int64)
        indicator[0] = self._counts
        n_arrived = queue.size - min(self.delay, queue.size)
        arrived = queue[:n_arrived]
        # A sample in the first `delay` of the stream sees none arrive.
        first = codes.size - arrived.size
        indicator[np.arange(first + 1, codes.size + 1), arrived] = 1
        counts = indicator.cumsum(axis=0)
        last = np.concatenate([np.full(first, self._last), before[: codes.size - first]])
        if first == 0:
            last = np.concatenate([[self._last], arrived[:-1]]) if arrived.size else last
        majority = counts[:-1].argmax(axis=1)
        if n_scored:
            for name, told in zip(BASELINES, (last, majority), strict=True):
                self.scores[name].add(y[-n_scored:], self.classes[told[-n_scored:]])
        self._counts = counts[-1]
        self._last = int(arrived[-1]) if arrived.size else self._last
        self._late = queue[n_arrived:]

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
