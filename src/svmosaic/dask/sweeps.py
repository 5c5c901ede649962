"""Sweeps over the samples in play: clusters are solved side by side, then all step together.

Each part of a problem is solved by a worker while the other parts stay. Samples that are far from
each other hardly matter to each other, so the steps of the parts go well together; an exact line
search gives the length. Parts that do not go well together are joined. Few samples, or one part,
are a plain exact solution.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from svmosaic.dask.in_play import InPlay
from svmosaic.dask.tasks import (
    PartStep,
    assign,
    choose_rows,
    distinct,
    grow_tree,
    products,
    solve_some,
)
from svmosaic.dask.workers import Workers
from svmosaic.engine.kernels import KERNELS, KernelSpec
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.engine.tasks import DualPart

__all__ = ["Sweeps", "Traffic"]

# Problems with at most this many samples in play are one part.
LARGEST_PART = 2000
# The worst violators of both directions that are solved between two sweeps.
SINGLE_BLOCK = 1024
# Least rows in play whose values one call brings up to date, and least samples of its parts.
SLICE = 512
GROUP = 512
# Steps that are shorter than this say that parts matter to each other.
SHORT_STEP = 0.5
# A sweep that leaves more than this share of the violation is followed by a block.
SLOW = 0.5
# Parts are joined, too, when this many sweeps leave more than that.
PATIENCE = 16
# Samples that are this share of the violation away from violating the conditions may move soon.
NEAR = 0.5
# Farther than this, they are left as they are for a while, if they are a fair share of all.
FAR = 0.5
LEAST_LEAVING = 0.2
_ROUNDING = 1e-9


@dataclass
class Traffic:
    """What a fit sent and how often.

    Attributes
    ----------
    n_rounds, n_sweeps : int
        Rounds over all rows, and sweeps over those in play.
    row_bytes : int
        Rows that joined: each worker gets them once.
    change_bytes : int
        Changes of coefficients that each worker gets.
    part_bytes : int
        Bounds, coefficients and gradients of parts, to all workers together.
    result_bytes : int
        What came back from all workers.
    n_updates, n_kernel_values : int
        The work of all workers.
    part_seconds, product_seconds, outside_seconds : float
        How long it took to solve parts, to bring samples in play up to date, and all others.
    """

    n_rounds: int = 0
    n_sweeps: int = 0
    row_bytes: int = 0
    change_bytes: int = 0
    part_bytes: int = 0
    result_bytes: int = 0
    n_updates: int = 0
    n_kernel_values: int = 0
    part_seconds: float = 0.0
    product_seconds: float = 0.0
    outside_seconds: float = 0.0


@dataclass
class Sweeps:
    """The solver of the samples in play.

    Attributes
    ----------
    workers : Workers
        Who computes.
    kernel : KernelSpec
        The kernel.
    in_play : InPlay
        The samples, changed in place.
    traffic : Traffic
        What is counted.
    check : callable
        Called between steps; raises if the time is over.
    device : str or None
        The device of workers that have it.
    """

    workers: Workers
    kernel: KernelSpec
    in_play: InPlay
    traffic: Traffic
    check: Callable[[], None]
    device: str | None = None
    # How many levels of clusters were joined, by problem.
    _n_joined: dict[int, int] = field(default_factory=dict)
    _leaves: dict[tuple[int, int], list[IndexArray]] = field(default_factory=dict)
    _trees: dict[tuple[int, int], Any] = field(default_factory=dict)
    # Whose values are up to date; the others, and the coefficients when they were left.
    _fresh: Any = None
    _fresh_rows: Any = None
    _left_at: list[tuple[IndexArray, DoubleArray]] = field(default_factory=list)
    # Rows whose values were asked for last, and the tables of them that workers have.
    _asked: Any = None
    _tables: list[Any] = field(default_factory=list)

    def value_from(self, first: int) -> None:
        """Compute the values of samples that have just joined."""
        rows = np.arange(first, self.in_play.n)
        self.in_play.values[rows] = self._products(self.in_play.beta, rows)
        self.in_play.touch()

    def run(self, tol: float, most: int) -> None:
        """Solve all problems on the samples in play to a violation of `tol`, in `most` sweeps."""
        n_problems = self.in_play.spec.n_problems
        self._set_fresh(np.ones(self.in_play.n, dtype=bool))
        self._left_at = []
        # Samples that have just joined move most, and make steps short; that passes.
        self._n_joined.clear()
        unfinished = [p for p in range(n_problems) if self._violation(p) > tol]
        marks: dict[int, float] = {}
        for number in range(most):
            if not unfinished:
                # On the samples that were near; what do the others say?
                if not self._left_at:
                    return
                self.refresh()
                unfinished = [p for p in range(n_problems) if self._violation(p) > tol]
                continue
            self.traffic.n_sweeps += 1
            if n_problems == 1 and number > 0:
                self._leave_far_ones()
            parts = {p: self._parts(p, number) for p in unfinished}
            before = {p: self._violation(p) for p in unfinished}
            if number % PATIENCE == 0:
                marks = before
            lengths = self._step(parts, tol)
            rest = []
            for p in unfinished:
                is_whole = len(parts[p]) == 1
                mark = marks.get(p, np.inf) if number % PATIENCE == PATIENCE - 1 else np.inf
                is_stuck = before[p] > SLOW * mark
                if not is_whole and (lengths.get(p, 1.0) < SHORT_STEP or is_stuck):
                    self._n_joined[p] = self._n_joined.get(p, 0) + 1
                if self._violation(p) > tol:
                    rest.append(p)
            # Parts keep their sums, so what is left between them is for a block of its own.
            blocks = {
                p: [self._worst(p)]
                for p in rest
                if len(parts[p]) > 1 and self._violation(p) > SLOW * before[p]
            }
            if blocks:
                self._step(blocks, tol, are_blocks=True)
            unfinished = [p for p in rest if self._violation(p) > tol]
        self.refresh()

    # Far from the margin --------------------------------------------------------------------

    def _leave_far_ones(self) -> None:
        """Leave samples that will not move soon as they are, until the others are done."""
        rows, up, low = self._slopes(0)
        lowest, highest = up.min(initial=np.inf), low.max(initial=-np.inf)
        reach = FAR * (highest - lowest)
        far = rows[(up > highest + reach) & (low < lowest - reach)]
        if far.size > LEAST_LEAVING * rows.size:
            fresh = self._fresh.copy()
            fresh[far] = False
            self._set_fresh(fresh)
            self._left_at.append((far, self.in_play.beta.copy()))

    def refresh(self) -> None:
        """Bring samples that were left up to date with what happened since."""
        if not self._left_at:
            return
        for rows, beta in self._left_at:
            change = self._products(self.in_play.beta - beta, rows)
            self.in_play.values[rows] += change
        self.in_play.touch()
        self._set_fresh(np.ones(self.in_play.n, dtype=bool))
        self._left_at = []

    def _set_fresh(self, fresh: npt.NDArray[np.bool_]) -> None:
        self._fresh, self._fresh_rows = fresh, np.flatnonzero(fresh)

    def _slopes(self, problem: int) -> tuple[IndexArray, DoubleArray, DoubleArray]:
        rows, up, low = self.in_play.slopes(problem)
        if not self._left_at:
            return rows, up, low
        fresh = self._fresh[rows]
        return rows[fresh], up[fresh], low[fresh]

    def _violation(self, problem: int) -> float:
        _, up, low = self._slopes(problem)
        return max(0.0, float(low.max(initial=-np.inf) - up.min(initial=np.inf)))

    # Parts ----------------------------------------------------------------------------------

    def _parts(self, problem: int, number: int) -> list[IndexArray]:
        """Return the samples of a problem that may move soon, like ones together."""
        rows, up, low = self._slopes(problem)
        lowest, highest = up.min(initial=np.inf), low.max(initial=-np.inf)
        # The others can make no violating pair, and will not soon.
        reach = NEAR * (highest - lowest)
        rows = rows[(up <= highest + reach) | (low >= lowest - reach)]
        most = int(np.ceil(np.log2(max(1.0, rows.size / LARGEST_PART))))
        depth = most - self._n_joined.get(problem, 0)
        if depth <= 0 or not KERNELS[self.kernel.kind].is_distance:
            return [rows]
        # Other cuts in every other sweep: what is at a border now was not, and will not be.
        leaves = self._leaves_of_all(most, number % 2)[rows] >> (most - depth)
        order = np.argsort(leaves, kind="stable")
        cuts = np.flatnonzero(np.diff(leaves[order])) + 1
        return np.split(rows[order], cuts)

    def _leaves_of_all(self, depth: int, seed: int) -> IndexArray:
        """Return the leaf of every sample in play; those known are not asked for again."""
        chunks = self.in_play.chunks
        wanted = []
        # Both at once: the other one is asked for in the next sweep.
        for key in ((depth, 0), (depth, 1)):
            if key not in self._trees:
                # Samples of a chunk are in the order of their hashes: the first ones are a fair
                # draw.
                sizes = np.diff([*self.in_play.begins, self.in_play.n])
                largest = chunks[int(np.argmax(sizes))]
                self._trees[key] = self.workers.submit(grow_tree, largest, depth, key[1])
            known = self._leaves.setdefault(key, [])
            wanted += [(key, chunk) for chunk in chunks[len(known) :]]
        found = self.workers.gather(
            [self.workers.submit(assign, self._trees[key], chunk) for key, chunk in wanted]
        )
        for (key, _), leaves in zip(wanted, found, strict=True):
            self._leaves[key].append(leaves)
        return np.concatenate(self._leaves[depth, seed])

    def _worst(self, problem: int) -> IndexArray:
        """Return the worst violators of both directions."""
        rows, up, low = self._slopes(problem)
        most = min(SINGLE_BLOCK, rows.size) - 1
        first = np.argpartition(up, most)[: most + 1]
        second = np.argpartition(-low, most)[: most + 1]
        worst: IndexArray = rows[distinct([first, second])]
        return worst

    # Steps ----------------------------------------------------------------------------------

    def _step(
        self, parts: dict[int, list[IndexArray]], tol: float, *, are_blocks: bool = False
    ) -> dict[int, float]:
        """Solve parts and go as far along their joint step as is best; return the lengths."""
        self.check()
        found = self._solve(parts, tol, are_blocks)
        step = np.zeros_like(self.in_play.beta)
        for problem, rows, part in found:
            step[rows[part.places], problem] = (
                part.beta - self.in_play.beta[rows[part.places], problem]
            )
            self.traffic.n_updates += part.n_updates
            self.traffic.n_kernel_values += part.n_values
        if not step.any():
            return {}
        self.check()
        fresh = self._fresh_rows
        change = np.zeros_like(step)
        change[fresh] = self._products(step, fresh)
        lengths = {}
        for problem in parts:
            length = self._length(problem, step[:, problem], change[:, problem])
            lengths[problem] = length
            if length == 1.0:
                # Exactly at the bounds where the parts are.
                for p, rows, part in found:
                    if p == problem:
                        self.in_play.beta[rows[part.places], p] = part.beta
            else:
                self.in_play.beta[:, problem] += length * step[:, problem]
            self.in_play.values[:, problem] += length * change[:, problem]
        self.in_play.touch()
        return lengths

    def _solve(
        self, parts: dict[int, list[IndexArray]], tol: float, are_blocks: bool
    ) -> list[tuple[int, IndexArray, PartStep]]:
        """Let workers solve parts, those that have something to solve."""
        in_play = self.in_play
        wanted: list[tuple[int, IndexArray, DualPart]] = []
        goal = np.inf
        for problem, lists in parts.items():
            place, up, low = self._slopes(problem)
            for rows in lists:
                own = np.searchsorted(place, rows)
                if low[own].max(initial=-np.inf) - up[own].min(initial=np.inf) <= 0.5 * tol:
                    continue
                lower, upper = in_play.bounds(rows, problem)
                part = DualPart(
                    rows,
                    lower,
                    upper,
                    np.ascontiguousarray(in_play.beta[rows, problem]),
                    in_play.values[rows, problem] - in_play.targets[rows, problem],
                    in_play.spec.epsilon,
                )
                wanted.append((problem, rows, part))
            # Parts need not be more exact than what they hear of each other.
            is_whole = len(lists) == 1 and not are_blocks
            loose = 0.0 if is_whole else 0.1 * self._violation(problem)
            goal = min(goal, max(0.5 * tol, loose))
        if not wanted:
            return []
        groups = self._groups(wanted)
        begins = np.array(in_play.begins)
        handles = []
        for number, group in enumerate(groups):
            rows = distinct([r for _, r, _ in group])
            used = np.flatnonzero(np.diff(np.searchsorted(rows, [*begins, in_play.n])))
            handles.append(
                self.workers.submit(
                    solve_some,
                    [in_play.chunks[c] for c in used],
                    begins[used],
                    [part for _, _, part in group],
                    self.kernel,
                    goal,
                    at=number,
                    has_threads=True,
                )
            )
            self.traffic.part_bytes += sum(5 * p.beta.nbytes for _, _, p in group)
        began = time.perf_counter()
        steps = self.workers.gather(handles)
        self.traffic.part_seconds += time.perf_counter() - began
        found = []
        for group, own in zip(groups, steps, strict=True):
            for (problem, rows, _), part in zip(group, own, strict=True):
                self.traffic.result_bytes += part.places.nbytes + part.beta.nbytes
                found.append((problem, rows, part))
        return found

    def _groups(
        self, parts: list[tuple[int, IndexArray, DualPart]]
    ) -> list[list[tuple[int, IndexArray, DualPart]]]:
        """Share parts out to calls, two for each worker; which ones changes nothing in them."""
        sizes = np.array([rows.size for _, rows, _ in parts])
        n_groups = min(2 * self.workers.n_workers, len(parts), 1 + int(sizes.sum()) // GROUP)
        groups: list[list[tuple[int, IndexArray, DualPart]]] = [[] for _ in range(n_groups)]
        loads = np.zeros(n_groups)
        # Largest first, each to whoever has least.
        for number in np.argsort(-sizes, kind="stable"):
            least = int(np.argmin(loads))
            groups[least].append(parts[number])
            loads[least] += float(sizes[number]) ** 2
        return groups

    def _products(self, step: DoubleArray, rows: IndexArray) -> DoubleArray:
        """Return what a step changes in the values of some samples in play, ascending."""
        in_play = self.in_play
        changes = in_play.changes(step)
        if not changes.chunks or not rows.size:
            return np.zeros((rows.size, step.shape[1]))
        held = self.workers.hold(changes, changes.n_bytes)
        chunks = [in_play.chunks[c] for c in changes.chunks]
        self.traffic.change_bytes += changes.n_bytes
        self.traffic.n_kernel_values += rows.size * sum(r.size for r in changes.rows)
        handles = [
            self.workers.submit(
                products,
                table,
                chunks,
                held,
                self.kernel,
                at=number,
                has_threads=True,
                device=self.device,
            )
            for number, table in enumerate(self._tables_of(rows))
        ]
        began = time.perf_counter()
        found = self.workers.gather(handles)
        self.traffic.product_seconds += time.perf_counter() - began
        self.traffic.result_bytes += sum(part.nbytes for part in found)
        return np.concatenate(found)

    def _tables_of(self, rows: IndexArray) -> list[Any]:
        """Return tables of some samples in play, one for each worker, which keeps it."""
        if self._asked is not rows:
            slices = np.array_split(rows, min(self.workers.n_workers, -(-rows.size // SLICE)))
            self._asked, self._tables = rows, []
            for number, own in enumerate(slices):
                found = list(self.in_play.by_chunk(own))
                tables = [self.in_play.chunks[c] for c, _ in found]
                chosen = [numbers for _, numbers in found]
                self._tables.append(self.workers.submit(choose_rows, tables, chosen, at=number))
        return self._tables

    def _length(self, problem: int, step: DoubleArray, change: DoubleArray) -> float:
        """Return how far to go, at most 1: where the objective is least along a step."""
        in_play = self.in_play
        moved = np.flatnonzero(step)
        if moved.size == 0:
            return 1.0
        d, beta = step[moved], in_play.beta[moved, problem]
        gradient = in_play.values[moved, problem] - in_play.targets[moved, problem]
        slope, curvature = float(gradient @ d), float(d @ change[moved])
        epsilon = in_play.spec.epsilon

        def derivative(t: float) -> float:
            here = slope + t * curvature
            if epsilon > 0.0:
                there = beta + t * d
                # The slope on the way to where a coefficient is zero.
                here += epsilon * float(np.where(there == 0.0, -np.sign(d), np.sign(there)) @ d)
            return here

        # Parts that end at their minimum do so but for rounding.
        if derivative(1.0) <= _ROUNDING * max(abs(slope), abs(curvature)):
            return 1.0
        if epsilon == 0.0:
            return max(0.0, -slope / curvature)
        low, high = 0.0, 1.0
        for _ in range(40):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if derivative(middle) < 0.0 else (low, middle)
        return low
