"""The recent samples of a stream, within a budget."""

from __future__ import annotations

import numpy as np

from svmosaic.engine.problem import FloatArray, IndexArray

__all__ = ["RecentSamples"]


class RecentSamples:
    """Chunks of samples, the newest last, of which the oldest leave.

    Parameters
    ----------
    budget : int
        Limit on samples. The newest chunk stays whole even when it is larger.
    """

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self._chunks: list[tuple[FloatArray, IndexArray]] = []

    def copy(self) -> RecentSamples:
        """Return a window that changes by itself; the samples are shared."""
        other = RecentSamples(self.budget)
        other._chunks = [*self._chunks]
        return other

    def __len__(self) -> int:
        return sum(codes.size for _, codes in self._chunks)

    def add(self, X: FloatArray, codes: IndexArray) -> None:
        """Append a chunk; samples over the budget leave."""
        self._chunks.append((X, codes))
        over = len(self) - self.budget
        while over > 0 and len(self._chunks) > 1:
            old_X, old_codes = self._chunks[0]
            if old_codes.size <= over:
                del self._chunks[0]
            else:
                self._chunks[0] = old_X[over:].copy(), old_codes[over:].copy()
            over = len(self) - self.budget

    def forget(self) -> None:
        """Drop everything."""
        self._chunks.clear()

    def last(self, count: int) -> tuple[FloatArray, IndexArray]:
        """Return the last so many samples, in their order, or all there are."""
        parts = []
        for X, codes in reversed(self._chunks):
            parts.append((X[-count:], codes[-count:]))
            count -= codes.size
            if count <= 0:
                break
        tables, labels = zip(*reversed(parts), strict=True)
        return np.concatenate(tables), np.concatenate(labels)
