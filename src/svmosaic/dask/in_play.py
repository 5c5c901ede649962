"""The samples in play: what is known of them here, while their rows are with the workers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from svmosaic.dask.partition import Keys
from svmosaic.dask.tasks import Candidates, Changes, PairSpec
from svmosaic.engine.problem import DoubleArray, IndexArray

__all__ = ["InPlay", "Joiners"]


def _no_index() -> IndexArray:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Joiners:
    """Samples that join: new ones, in the order of their keys, and copies of those in play.

    Attributes
    ----------
    positions : list of ndarray of int64
        For each partition, the samples that leave it.
    chosen : list of ndarray of int64
        For each partition, those of them whose rows are needed.
    order : ndarray of int64
        The order of the chunk in the rows of all partitions, one after the other.
    """

    positions: list[IndexArray]
    chosen: list[IndexArray]
    order: IndexArray


@dataclass
class InPlay:
    """Samples in play, numbered as they joined, with their variables in all problems.

    Attributes
    ----------
    spec : PairSpec
        The problems.
    C : float
        Upper bound of a coefficient, times the weight of its sample.
    chunks : list
        Handles of the rows, one for each time that samples joined.
    begins : list of int
        The number of the first sample of each chunk.
    targets, takes_part, beta, values : ndarray of shape (n, n_problems)
        The variables: signed coefficients, and values of the expansions.
    known : ndarray of shape (n, n_problems)
        The coefficients that the partitions know of.
    """

    spec: PairSpec
    C: float
    chunks: list[Any] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)
    partitions: IndexArray = field(default_factory=_no_index)
    positions: IndexArray = field(default_factory=_no_index)
    labels: IndexArray = field(default_factory=_no_index)
    weights: DoubleArray = field(default_factory=lambda: np.empty(0))
    keys: Keys = field(default_factory=lambda: np.empty(0, dtype=np.uint64))

    def __post_init__(self) -> None:
        shape = (0, self.spec.n_problems)
        self.targets, self.beta = np.empty(shape), np.empty(shape)
        self.values, self.known = np.empty(shape), np.empty(shape)
        self.takes_part = np.empty(shape, dtype=bool)
        self._place: dict[int, int] = {}
        self._slopes: dict[int, tuple[IndexArray, DoubleArray, DoubleArray]] = {}

    @property
    def n(self) -> int:
        """Number of samples."""
        return int(self.weights.size)

    def join(self, found: Sequence[Candidates], n_most: int) -> Joiners:
        """Take the worst candidates of all partitions, copies of one sample together.

        Which ones they are, and their order, does not depend on how rows are cut into partitions.
        """
        sizes = [c.positions.size for c in found]
        partition = np.repeat(np.arange(len(found)), sizes)
        position, key, label, target, weight, violation = (
            np.concatenate([getattr(c, name) for c in found])
            for name in ("positions", "keys", "labels", "targets", "weights", "violations")
        )
        worst_first = np.lexsort((partition, key, -violation))
        # Copies of a sample, from several partitions, are next to each other and count as one.
        sorted_keys = key[worst_first]
        is_another = np.ones(sorted_keys.size, dtype=bool)
        is_another[1:] = sorted_keys[1:] != sorted_keys[:-1]
        taken = np.sort(worst_first[np.cumsum(is_another) <= n_most])
        order = taken[np.lexsort((partition[taken], key[taken]))]
        is_first = np.ones(order.size, dtype=bool)
        is_first[1:] = key[order[1:]] != key[order[:-1]]
        group = np.cumsum(is_first) - 1
        first = order[is_first]
        sums = np.zeros(first.size)
        np.add.at(sums, group, weight[order])
        # A copy of a sample that joined before, from another partition.
        is_new = np.array([k not in self._place for k in key[first].tolist()], dtype=bool)
        for k, more in zip(key[first[~is_new]].tolist(), sums[~is_new].tolist(), strict=True):
            self.weights[self._place[k]] += more
            self.touch()
        first, sums = first[is_new], sums[is_new]
        self.begins.append(self.n)
        self.append(
            partition[first], position[first], label[first], target[first], sums, key[first]
        )
        everyone = range(len(found))
        left = [position[taken[partition[taken] == q]] for q in everyone]
        return Joiners(left, *self.rows_from(self.begins[-1], self.n, len(found)))

    def rows_from(
        self, begin: int, end: int, n_partitions: int
    ) -> tuple[list[IndexArray], IndexArray]:
        """Return where the rows of a chunk are: positions by partition, and their order."""
        partition, position = self.partitions[begin:end], self.positions[begin:end]
        back = np.empty(end - begin, dtype=np.int64)
        back[np.argsort(partition, kind="stable")] = np.arange(end - begin)
        return [position[partition == q] for q in range(n_partitions)], back

    def append(
        self,
        partitions: IndexArray,
        positions: IndexArray,
        labels: IndexArray,
        given: DoubleArray,
        weights: DoubleArray,
        keys: Keys,
    ) -> None:
        """Add samples behind those in play, with coefficients of zero."""
        self.touch()
        for number, k in enumerate(keys.tolist(), start=self.n):
            self._place[k] = number
        self.keys = np.concatenate([self.keys, keys])
        targets, takes_part = self.spec.targets(labels, given)
        nothing = np.zeros_like(targets)
        self.partitions = np.concatenate([self.partitions, partitions])
        self.positions = np.concatenate([self.positions, positions])
        self.labels = np.concatenate([self.labels, labels])
        self.weights = np.concatenate([self.weights, weights])
        self.targets = np.concatenate([self.targets, targets])
        self.takes_part = np.concatenate([self.takes_part, takes_part])
        self.beta = np.concatenate([self.beta, nothing])
        self.values = np.concatenate([self.values, nothing])
        self.known = np.concatenate([self.known, nothing])

    def bounds(self, rows: Any, problem: int) -> tuple[DoubleArray, DoubleArray]:
        """Return the bounds of the signed coefficients of some samples."""
        upper = self.C * self.weights[rows]
        if not self.spec.pairs:
            return -upper, upper
        positive = self.targets[rows, problem] > 0
        return np.where(positive, 0.0, -upper), np.where(positive, upper, 0.0)

    def slopes(self, problem: int) -> tuple[IndexArray, DoubleArray, DoubleArray]:
        """Return the samples of a problem, and their gradients for growing and for shrinking.

        They are infinite where a coefficient is at its bound.
        """
        if problem not in self._slopes:
            self._slopes[problem] = self._compute_slopes(problem)
        return self._slopes[problem]

    def touch(self) -> None:
        """Forget what was computed from coefficients and values; to be called when they change."""
        self._slopes.clear()

    def _compute_slopes(self, problem: int) -> tuple[IndexArray, DoubleArray, DoubleArray]:
        rows = np.flatnonzero(self.takes_part[:, problem])
        beta, epsilon = self.beta[rows, problem], self.spec.epsilon
        lower, upper = self.bounds(rows, problem)
        gradient = self.values[rows, problem] - self.targets[rows, problem]
        up = np.where(beta >= upper, np.inf, gradient + np.where(beta >= 0, epsilon, -epsilon))
        low = np.where(beta <= lower, -np.inf, gradient + np.where(beta > 0, epsilon, -epsilon))
        return rows, up, low

    def extremes(self, problem: int) -> tuple[float, float]:
        """Return the least gradient of what may grow and the largest of what may shrink."""
        _, up, low = self.slopes(problem)
        return float(up.min(initial=np.inf)), float(low.max(initial=-np.inf))

    def violation(self, problem: int) -> float:
        """Return by how much the conditions are violated among the samples in play."""
        lowest, highest = self.extremes(problem)
        return max(0.0, highest - lowest)

    def intercept(self, problem: int, middle: float) -> float:
        """Return the intercept: from the free variables, else from the middle of an interval."""
        rows = np.flatnonzero(self.takes_part[:, problem])
        lower, upper = self.bounds(rows, problem)
        beta = self.beta[rows, problem]
        free = (beta != 0.0) & (beta > lower) & (beta < upper)
        if not free.any():
            return -middle
        gradient = self.values[rows, problem] - self.targets[rows, problem]
        return float(-np.mean(gradient[free] + np.copysign(self.spec.epsilon, beta[free])))

    def dual_and_primal(
        self, problem: int, intercept: float, loss_outside: float
    ) -> tuple[float, float]:
        """Return the dual objective and the primal one."""
        rows = np.flatnonzero(self.takes_part[:, problem])
        beta, value = self.beta[rows, problem], self.values[rows, problem]
        target, epsilon = self.targets[rows, problem], self.spec.epsilon
        quadratic = float(beta @ value)
        dual = float(beta @ target) - 0.5 * quadratic - epsilon * float(np.abs(beta).sum())
        distance = value + intercept - target
        if self.spec.pairs:
            loss = np.maximum(0.0, -target * distance)
        else:
            loss = np.maximum(0.0, np.abs(distance) - epsilon)
        return dual, 0.5 * quadratic + self.C * (float(self.weights[rows] @ loss) + loss_outside)

    def changes(self, difference: DoubleArray) -> Changes:
        """Return changes of coefficients, shape (n, n_problems), by chunk."""
        moved = np.flatnonzero(difference.any(axis=1))
        chunks, rows, coefficients = [], [], []
        for c, own in self.by_chunk(moved):
            chunks.append(c)
            rows.append(own)
            coefficients.append(csr_array(difference[self.begins[c] + own]))
        return Changes(chunks, rows, coefficients)

    def by_chunk(self, numbers: IndexArray) -> Iterator[tuple[int, IndexArray]]:
        """Yield the chunks of some samples, ascending, and their rows there."""
        cuts = np.searchsorted(numbers, [*self.begins, self.n])
        for c, begin in enumerate(self.begins):
            own = numbers[cuts[c] : cuts[c + 1]]
            if own.size:
                yield c, own - begin
