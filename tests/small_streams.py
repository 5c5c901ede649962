"""A stream and a learner that the tests of prequential evaluation share."""

from __future__ import annotations

import numpy as np


class Blobs:
    """Two blobs that change places at a sample; a pure function of the position."""

    classes = np.array([0, 1])
    drifts = (3000,)

    def __init__(self, length=None):
        self.length = length

    def __repr__(self):
        return f"Blobs({self.length})"

    def read(self, begin, count):
        end = begin + count if self.length is None else min(begin + count, self.length)
        rows = [np.random.default_rng([1, i]).normal(size=3) for i in range(begin, max(begin, end))]
        X = np.array(rows).reshape(-1, 3)
        y = (X[:, 2] > 0).astype(int)
        swapped = np.where(np.arange(begin, begin + len(y)) >= 3000, 1 - y, y)
        return np.column_stack([X[:, :2] * 0.3 + swapped[:, None], X[:, :1]]), y


class Watcher:
    """Keeps the order of events, as numbers of samples."""

    def __init__(self):
        self.events = []

    def learn(self, X, y, classes):
        self.events.append(("learn", len(y)))

    def predict(self, X):
        self.events.append(("predict", len(X)))
        return np.zeros(len(X), dtype=int)

    def size(self):
        return {"n_bytes": 1}
