"""What cells of a method and a size of data take, from the cells so far."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field

__all__ = ["CellCosts"]

# How the cost of a method grows with the numbers in its data, until more is known: between the
# passes of an online learner and the kernel matrix of an exact one.
_EXPONENT = 1.5
_LARGEST_EXPONENT = 3.0
# What that guess weighs beside what was seen: the spread of the logarithms of sizes.
_TRUST = 0.5
# Up to this many times the largest size seen, its growth can be guessed.
_FARTHEST = 10
# Shorter cells are measured in overhead.
_SHORTEST = 1e-6


@dataclass
class _Mean:
    seconds: float = 0.0
    n: int = 0

    @property
    def value(self) -> float:
        return max(self.seconds / self.n, _SHORTEST)


@dataclass
class _Spread:
    """Sums of squares around the means, of logarithms of sizes and of seconds."""

    xx: float = 0.0
    xy: float = 0.0

    def __add__(self, other: _Spread) -> _Spread:
        return _Spread(self.xx + other.xx, self.xy + other.xy)

    def slope(self, guess: float) -> float:
        found = (self.xy + _TRUST * guess) / (self.xx + _TRUST)
        return min(max(found, 0.0), _LARGEST_EXPONENT)


@dataclass
class CellCosts:
    """Means of the seconds of finished cells, and estimates of others.

    Folds of the same data cost about the same. Between two sizes that a method has seen its cost is
    a power of the size; beyond them too, with an exponent of its own as far as it is known.

    Examples
    --------
    >>> from svmosaic.experiments.cell_costs import CellCosts
    >>> costs = CellCosts()
    >>> for size in (100, 1000, 10000):
    ...     costs.add("svm", size, (size / 100) ** 2)
    >>> round(costs.expected("svm", 1000))
    100
    >>> 5e5 < costs.expected("svm", 100_000) < 2e6
    True
    """

    _seen: defaultdict[str, dict[int, _Mean]] = field(default_factory=lambda: defaultdict(dict))
    _exponents: dict[str, float] = field(default_factory=dict)

    def add(self, method: str, size: int, seconds: float) -> None:
        """Note what a finished cell has taken."""
        mean = self._seen[method].setdefault(size, _Mean())
        mean.seconds += seconds
        mean.n += 1
        self._exponents = {}

    def knows(self, size: int) -> bool:
        """Whether a size is not far beyond those that some method has finished."""
        return size <= _FARTHEST * max((max(seen) for seen in self._seen.values()), default=0)

    def expected(self, method: str, size: int) -> float:
        """Return the seconds that a cell is expected to take; some cell must be finished."""
        if method in self._seen:
            return self._of_method(method, size)
        # A method that has not finished a cell is taken for an average one.
        return sum(self._of_method(one, size) for one in self._seen) / len(self._seen)

    def _of_method(self, method: str, size: int) -> float:
        seen = self._seen[method]
        if size in seen:
            return seen[size].value
        sizes = sorted(seen)
        place = bisect_left(sizes, size)
        if 0 < place < len(sizes):
            low, high = sizes[place - 1], sizes[place]
            slope = math.log(seen[high].value / seen[low].value) / math.log(high / low)
        else:
            low = sizes[min(place, len(sizes) - 1)]
            slope = self._exponent(method)
        return float(seen[low].value * (size / low) ** slope)

    def _exponent(self, method: str) -> float:
        if not self._exponents:
            spreads = {name: _spread(seen) for name, seen in self._seen.items()}
            # Methods of a run are like each other before they are like methods in general.
            common = sum(spreads.values(), _Spread()).slope(_EXPONENT)
            self._exponents = {name: spread.slope(common) for name, spread in spreads.items()}
        return self._exponents[method]


def _spread(seen: dict[int, _Mean]) -> _Spread:
    """Return how seconds go with sizes; long cells count more, as they matter more."""
    largest = max(mean.value for mean in seen.values())
    points = [
        (math.sqrt(mean.value / largest), math.log(size), math.log(mean.value))
        for size, mean in seen.items()
    ]
    total = sum(w for w, _, _ in points)
    x_mean = sum(w * x for w, x, _ in points) / total
    y_mean = sum(w * y for w, _, y in points) / total
    return _Spread(
        sum(w * (x - x_mean) ** 2 for w, x, _ in points),
        sum(w * (x - x_mean) * (y - y_mean) for w, x, y in points),
    )
