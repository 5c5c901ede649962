"""The random numbers of ``cpp/core/sampling.hpp`` and the visits of the online solvers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from svmosaic.engine.problem import Problem
from svmosaic.engine.settings import VisitOrder

__all__ = ["Sampler", "sampler_of_step", "visits"]

_64_BITS = 2**64 - 1
_LEAST_WEIGHT = 1e-12


class Sampler:
    """SplitMix64 with a bounded draw and a shuffle."""

    def __init__(self, seed: int) -> None:
        self._state = seed & _64_BITS

    def next(self) -> int:
        """Return 64 random bits."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _64_BITS
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _64_BITS
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _64_BITS
        return mixed ^ (mixed >> 31)

    def below(self, n: int) -> int:
        """Return a number from 0 to n - 1."""
        if n == 1:
            return 0
        shift = 64 - (n - 1).bit_length()
        drawn = self.next() >> shift
        while drawn >= n:
            drawn = self.next() >> shift
        return drawn

    def unit(self) -> float:
        """Return a number in [0, 1)."""
        return (self.next() >> 11) * 2.0**-53

    def shuffle(self, values: list[int]) -> None:
        """Permute the list in place."""
        for n in range(len(values), 1, -1):
            k = self.below(n)
            values[n - 1], values[k] = values[k], values[n - 1]


def sampler_of_step(seed: int, step: int) -> Sampler:
    """Return the numbers of one step of a run."""
    return Sampler(Sampler(seed).next() + step * 0xD1342543DE82EF95)


def visits(
    problem: Problem, order: VisitOrder, epochs: int, seed: int
) -> Iterator[tuple[int, float]]:
    """Yield (position in the samples, how much of a sample the visit counts)."""
    sampler = Sampler(seed)
    if order == "random":
        sums = np.cumsum(problem.weights)
        left = epochs * float(sums[-1])
        while left >= _LEAST_WEIGHT:
            drawn = sampler.unit() * sums[-1]
            yield int(np.searchsorted(sums[:-1], drawn, side="right")), min(1.0, left)
            left -= min(1.0, left)
        return
    counts = [max(1, math.ceil(w - _LEAST_WEIGHT)) for w in problem.weights]
    cycle = [i for i, count in enumerate(counts) for _ in range(count)]
    if order == "shuffled":
        sampler.shuffle(cycle)
    for _ in range(epochs):
        remaining = problem.weights.tolist()
        for i in cycle:
            share = min(1.0, remaining[i])
            remaining[i] -= share
            yield i, share
