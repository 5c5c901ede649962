"""What workers do in a fit: pure functions of partitions and of rows in play.

What is lost with a worker is computed again by the same calls, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csr_array

from svmosaic.dask.partition import Keys, Measured, Partition
from svmosaic.dask.tree import MedianTree
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import Coefficients, DoubleArray, IndexArray
from svmosaic.engine.protocol import engine_for, solve
from svmosaic.engine.rows import rows_of_samples
from svmosaic.engine.settings import PartSettings
from svmosaic.engine.tasks import DualPart
from svmosaic.utils.free_memory import free_memory

__all__ = [
    "Candidates",
    "Changes",
    "PairSpec",
    "PartStep",
    "State",
    "Summary",
    "assign",
    "begin_state",
    "evaluate",
    "first_candidates",
    "grow_tree",
    "join_rows",
    "look",
    "n_bytes",
    "products",
    "solve_some",
    "stack_rows",
    "take_from_chunk",
    "take_rows",
]

# Of the memory that is free, what kernel columns of one call may take.
_CACHE_SHARE = 0.125


@dataclass(frozen=True, eq=False)
class PairSpec:
    """The binary problems, or the one of regression.

    Attributes
    ----------
    pairs : list of (int, int)
        Positive and negative class of each problem, -1 for all others; empty for regression.
    epsilon : float
        Half the width of the tube; 0 for classes.
    """

    pairs: list[tuple[int, int]]
    epsilon: float = 0.0

    @property
    def n_problems(self) -> int:
        """Number of problems."""
        return max(1, len(self.pairs))

    def targets(self, labels: IndexArray, targets: DoubleArray) -> tuple[DoubleArray, Any]:
        """Return targets and whether a sample takes part, shape (n_samples, n_problems)."""
        if not self.pairs:
            return targets[:, np.newaxis], np.ones((targets.size, 1), dtype=bool)
        found = np.zeros((labels.size, len(self.pairs)))
        for p, (positive, negative) in enumerate(self.pairs):
            if negative < 0:
                found[:, p] = np.where(labels == positive, 1.0, -1.0)
            else:
                found[labels == positive, p] = 1.0
                found[labels == negative, p] = -1.0
        return found, found != 0.0


@dataclass(frozen=True, eq=False)
class State(Measured):
    """The state of the samples of a partition.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_problems)
        The values of the expansions, without intercepts; of samples in play they are old.
    in_play : ndarray of bool
        Samples that have joined.
    share : float
        Samples with keys in this share of all keys have values; of the others nothing is known.
    """

    values: DoubleArray
    in_play: Any
    share: float = 0.0


@dataclass(frozen=True, eq=False)
class Candidates(Measured):
    """Samples of a partition that may join, with all that is known of them but their rows."""

    positions: IndexArray
    keys: Keys
    labels: IndexArray
    targets: DoubleArray
    weights: DoubleArray
    violations: DoubleArray

    def take(self, chosen: Any) -> Candidates:
        """Return some of them."""
        return Candidates(*(values[chosen] for values in vars(self).values()))


@dataclass(frozen=True, eq=False)
class Summary:
    """What a partition says of its samples outside of play, by problem.

    Attributes
    ----------
    lowest, highest : ndarray of float64
        The least gradient of what may grow, the largest of what may shrink.
    losses : ndarray of float64
        The weighted sums of the losses.
    candidates : Candidates
        The samples that violate the conditions most.
    """

    lowest: DoubleArray
    highest: DoubleArray
    losses: DoubleArray
    candidates: Candidates


@dataclass(frozen=True, eq=False)
class Changes(Measured):
    """Changes of coefficients of rows in play, by chunk of them.

    Attributes
    ----------
    chunks : list of int
        The chunks with changes.
    rows : list of ndarray of int64
        The rows of each of them.
    coefficients : list of csr_array
        What is added to their coefficients, shape (n_rows, n_problems).
    """

    chunks: list[int]
    rows: list[IndexArray]
    coefficients: list[csr_array]

    @property
    def n_bytes(self) -> int:
        """Size in bytes."""
        return sum(int(r.nbytes) for r in self.rows) + sum(map(n_bytes, self.coefficients))


# Rows ---------------------------------------------------------------------------------------


def first_candidates(partition: Partition, n_first: int, n_classes: int) -> Candidates:
    """Return the samples with the smallest keys, those of each class apart: a fair draw."""
    chosen = []
    for label in range(max(1, n_classes)):
        own = np.flatnonzero(partition.labels == label)
        chosen.append(own[np.argsort(partition.keys[own], kind="stable")[:n_first]])
    positions = np.concatenate(chosen)
    return _candidates(partition, positions, np.zeros(positions.size))


def _candidates(partition: Partition, positions: IndexArray, violations: DoubleArray) -> Candidates:
    targets = partition.targets
    return Candidates(
        positions,
        partition.keys[positions],
        partition.labels[positions],
        targets[positions] if targets.size else np.zeros(positions.size),
        partition.weights[positions],
        violations,
    )


def take_rows(partition: Partition, positions: IndexArray) -> Any:
    """Return some rows of a partition."""
    return partition.X[positions]


def take_from_chunk(rows: Any, chosen: IndexArray) -> Any:
    """Return some rows in play."""
    return rows[chosen]


def join_rows(parts: Sequence[Any], order: IndexArray) -> Any:
    """Return rows of several partitions in the order of a chunk."""
    return stack_rows(parts)[order]


def choose_rows(tables: Sequence[Any], chosen: Sequence[IndexArray]) -> Any:
    """Return some rows of several tables, one above the other."""
    return stack_rows([table[own] for table, own in zip(tables, chosen, strict=True)])


def stack_rows(parts: Sequence[Any]) -> Any:
    """Return several tables, one above the other."""
    if len(parts) == 1:
        return parts[0]
    return csr_array(sp.vstack(parts)) if sp.issparse(parts[0]) else np.concatenate(parts)


def distinct(numbers: Sequence[IndexArray]) -> IndexArray:
    """Return the distinct ones of several lists of numbers, ascending."""
    # Faster than np.unique, which uses a hash table.
    joined = np.sort(np.concatenate(numbers))
    return joined[np.append(True, joined[1:] != joined[:-1])] if joined.size else joined


def n_bytes(rows: Any) -> int:
    """Return the size of rows."""
    if sp.issparse(rows):
        return int(rows.data.nbytes + rows.indices.nbytes + rows.indptr.nbytes)
    return int(rows.nbytes)


# Values -------------------------------------------------------------------------------------


def begin_state(partition: Partition, n_problems: int) -> State:
    """Return the state before the first round."""
    n = partition.n
    return State(np.zeros((n, n_problems)), np.zeros(n, dtype=bool))


def _sum_changes(
    X: Any,
    chunks: Sequence[Any],
    changes: Changes,
    kernel: KernelSpec,
    n_threads: int,
    device: str | None,
) -> DoubleArray:
    """Return what changed coefficients add to the values of rows."""
    rows = rows_of_samples(X)
    total: Any = 0.0
    for chunk, chosen, coefficients in zip(chunks, changes.rows, changes.coefficients, strict=True):
        total = total + engine_for(rows, device).decide(
            rows,
            rows_of_samples(chunk),
            chosen,
            kernel,
            Coefficients.of_matrix(coefficients),
            np.zeros(coefficients.shape[1]),
            n_threads=n_threads,
        )
    return np.asarray(total)


def evaluate(
    partition: Partition,
    state: State,
    joined: IndexArray,
    share: float,
    chunks: Sequence[Any],
    changes: Changes,
    all_chunks: Sequence[Any],
    coefficients: Changes | None,
    kernel: KernelSpec,
    *,
    n_threads: int = 1,
    device: str | None = None,
) -> State:
    """Return the state after changes of coefficients; the samples that joined are left out.

    Samples that were not looked at before are evaluated with all coefficients.
    """
    in_play = state.in_play.copy()
    in_play[joined] = True
    values = state.values.copy()
    was_looked_at = partition.is_among(state.share)

    def add(samples: IndexArray, vectors: Sequence[Any], steps: Changes) -> None:
        if samples.size and vectors:
            X = partition.X if samples.size == partition.n else partition.X[samples]
            values[samples] += _sum_changes(X, vectors, steps, kernel, n_threads, device)

    add(np.flatnonzero(~in_play & was_looked_at), chunks, changes)
    if coefficients is not None:
        is_new = partition.is_among(share) & ~was_looked_at
        add(np.flatnonzero(~in_play & is_new), all_chunks, coefficients)
    return State(values, in_play, share)


def products(
    rows: Any,
    chunks: Sequence[Any],
    changes: Changes,
    kernel: KernelSpec,
    *,
    n_threads: int = 1,
    device: str | None = None,
) -> DoubleArray:
    """Return what changes add to the values of some rows in play."""
    return _sum_changes(rows, chunks, changes, kernel, n_threads, device)


def look(
    partition: Partition,
    state: State,
    spec: PairSpec,
    centres: DoubleArray,
    intercepts: DoubleArray,
    least: float,
    n_most: int,
) -> Summary:
    """Return the state of the inactive samples.

    Parameters
    ----------
    partition, state : Partition, State
        The samples.
    spec : PairSpec
        The problems.
    centres : ndarray of float64
        The middle of the interval that samples in play leave for the gradient, by problem.
    intercepts : ndarray of float64
        The intercepts that losses are computed with.
    least : float
        Samples that violate the conditions by less do not join.
    n_most : int
        Most candidates of each problem.
    """
    outside = np.flatnonzero(~state.in_play & partition.is_among(state.share))
    labels = partition.labels[outside]
    given = partition.targets[outside] if partition.targets.size else partition.targets
    targets, takes_part = spec.targets(labels, given)
    gradients = state.values[outside] - targets
    weights, epsilon = partition.weights[outside], spec.epsilon
    lowest = np.full(spec.n_problems, np.inf)
    highest = np.full(spec.n_problems, -np.inf)
    losses = np.zeros(spec.n_problems)
    chosen: list[IndexArray] = []
    worst = np.zeros(outside.size)
    for p in range(spec.n_problems):
        part = takes_part[:, p]
        g = gradients[:, p]
        # Outside of play all coefficients are zero: one of a class moves to one side only.
        grows = part if not spec.pairs else part & (targets[:, p] > 0)
        shrinks = part if not spec.pairs else part & (targets[:, p] < 0)
        lowest[p] = (g[grows] + epsilon).min(initial=np.inf)
        highest[p] = (g[shrinks] - epsilon).max(initial=-np.inf)
        distance = g + intercepts[p]
        if spec.pairs:
            # y f(x) = 1 + y (f(x) - y)
            loss = np.maximum(0.0, -targets[:, p] * distance)
        else:
            loss = np.maximum(0.0, np.abs(distance) - epsilon)
        losses[p] = float(weights[part] @ loss[part])
        up = np.where(grows, centres[p] - (g + epsilon), -np.inf)
        down = np.where(shrinks, (g - epsilon) - centres[p], -np.inf)
        amount = np.maximum(up, down)
        violating = np.flatnonzero(amount > least)
        if violating.size > n_most:
            order = np.lexsort((partition.keys[outside[violating]], -amount[violating]))
            violating = violating[order[:n_most]]
        chosen.append(violating)
        worst[violating] = np.maximum(worst[violating], amount[violating])
    found = np.unique(np.concatenate(chosen))
    return Summary(lowest, highest, losses, _candidates(partition, outside[found], worst[found]))


# Parts --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PartStep:
    """What a part found: new coefficients of those samples where they have changed."""

    places: IndexArray
    beta: DoubleArray
    n_updates: int
    n_values: int


def solve_some(
    chunks: Sequence[Any],
    begins: IndexArray,
    parts: Sequence[DualPart],
    kernel: KernelSpec,
    tol: float,
    *,
    n_threads: int = 1,
) -> list[PartStep]:
    """Solve parts of the problems, each alone; their samples are numbered over all chunks."""
    numbers = distinct([part.samples for part in parts])
    cuts = [*np.searchsorted(numbers, begins), numbers.size]
    X = choose_rows(
        chunks, [numbers[cuts[c] : cuts[c + 1]] - begin for c, begin in enumerate(begins)]
    )
    largest = max(part.samples.size for part in parts)
    wanted = float(X.dtype.itemsize) * largest * (largest + 64.0) * min(n_threads, len(parts))
    cache = max(1.0, min(wanted, _CACHE_SHARE * free_memory()) / 2**20)
    own = [
        DualPart(
            np.searchsorted(numbers, part.samples),
            part.lower,
            part.upper,
            part.beta,
            part.gradient,
            part.epsilon,
        )
        for part in parts
    ]
    solutions = solve(
        rows_of_samples(X),
        kernel,
        own,
        PartSettings(tol=tol, cache_mb=cache),
        n_threads=n_threads,
    )
    steps = []
    for part, solution in zip(own, solutions, strict=True):
        beta = np.zeros(numbers.size)
        beta[solution.support] = solution.coef
        found = beta[part.samples]
        places = np.flatnonzero(found != part.beta)
        counters = solution.counters
        steps.append(PartStep(places, found[places], counters.n_updates, counters.n_kernel_values))
    return steps


def grow_tree(rows: Any, depth: int, seed: int, n_most: int = 4096) -> MedianTree:
    """Return a tree of some of the rows, which are in no order."""
    return MedianTree.of(rows[:n_most], depth, seed)


def assign(tree: MedianTree, rows: Any) -> IndexArray:
    """Return the leaf of each row."""
    return tree.leaves(rows)
