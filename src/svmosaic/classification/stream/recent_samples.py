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
        self.chunks: list[tuple[FloatArray, IndexArray]] = []

    def copy(self) -> RecentSamples:
        """Return a window that changes by itself; the samples are shared."""
        other = RecentSamples(self.budget)
        other.chunks = [*self.chunks]
        return other

    def __len__(self) -> int:
        return sum(codes.size for _, codes in self.chunks)

    def add(self, X: FloatArray, codes: IndexArray) -> None:
        """Append a chunk; samples over the budget leave."""
        self.chunks.append((X, codes))
        over = len(self) - self.budget
        while over > 0 and len(self.chunks) > 1:
            old_X, old_codes = self.chunks[0]
            if old_codes.size <= over:
                del self.chunks[0]
            else:
                self.chunks[0] = old_X[over:].copy(), old_codes[over:].copy()
            over = len(self) - self.budget

    def forget(self) -> None:
        """Drop everything."""
        self.chunks.clear()

    def n_of_last(self, n_chunks: int) -> int:
        """Return how many samples the last chunks have, one at least, as far as they are kept."""
        return sum(codes.size for _, codes in self.chunks[-n_chunks:])

    def last(self, count: int) -> tuple[FloatArray, IndexArray]:
        """Return the last `count` samples in their order, or all there are."""
        parts = []
        for X, codes in reversed(self.chunks):
            parts.append((X[-count:], codes[-count:]))
            count -= codes.size
            if count <= 0:
                break
        tables, labels = zip(*reversed(parts), strict=True)
        return np.concatenate(tables), np.concatenate(labels)
