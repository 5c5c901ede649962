"""The margin path of OLLAWV: every smaller margin and budget is a prefix of one run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from svmosaic.engine.problem import DoubleArray, IndexArray, Solution

__all__ = ["BinaryPath", "MarginPath"]


@dataclass(frozen=True)
class BinaryPath:
    """The trajectory of one binary problem.

    Attributes
    ----------
    rows : ndarray of shape (n_steps,)
        The training row taken at each step.
    steps : ndarray of shape (n_steps,)
        What the step added to that row's coefficient, for C = 1.
    violations : ndarray of shape (n_steps,)
        The worst y f(x) after the step, for C = 1. The loop stops when it reaches the margin.
    n_support : ndarray of shape (n_steps,)
        Different rows taken so far.
    total_weight : float
        Sum of the sample weights of this problem, the n of the paper.
    """

    rows: IndexArray
    steps: DoubleArray
    violations: DoubleArray
    total_weight: float

    @property
    def n_support(self) -> IndexArray:  # noqa: D102 - described above
        first = np.zeros(self.rows.size, dtype=np.int64)
        first[np.unique(self.rows, return_index=True)[1]] = 1
        return np.cumsum(first)

    def length_at_margin(self, margin: float) -> int:
        """Return how many steps a run with this margin takes."""
        reached = self.violations >= margin
        return int(np.argmax(reached)) + 1 if reached.any() else self.rows.size

    def length_at_budget(self, budget: int) -> int:
        """Return how many steps fit into `budget` different rows."""
        return int(np.searchsorted(self.n_support, budget, side="right"))

    def cut(self, length: int) -> BinaryPath:
        """Return the first `length` steps."""
        return BinaryPath(
            self.rows[:length], self.steps[:length], self.violations[:length], self.total_weight
        )

    def expansion(self, C: float, fit_intercept: bool) -> tuple[IndexArray, DoubleArray, float]:
        """Return rows, their coefficients and the intercept without refinement."""
        rows, place = np.unique(self.rows, return_inverse=True)
        coef = np.zeros(rows.size)
        np.add.at(coef, place, self.steps)
        # Summed step by step, as the loop does, so that a prefix equals a shorter run.
        bias = np.cumsum(self.steps / self.total_weight)[-1] if fit_intercept else 0.0
        return rows, C * coef, float(C * bias)


@dataclass(frozen=True)
class MarginPath(Sequence[BinaryPath]):
    """The trajectories of all binary problems of a fitted OLLAWV classifier.

    A sequence of `BinaryPath`, one per binary problem, in the order of ``intercept_``.
    """

    paths: tuple[BinaryPath, ...]

    def __getitem__(self, number):  # type: ignore[no-untyped-def]
        return self.paths[number]

    def __len__(self) -> int:
        return len(self.paths)

    def __iter__(self) -> Iterator[BinaryPath]:
        return iter(self.paths)

    @classmethod
    def of(cls, solutions: Sequence[Solution], total_weights: Sequence[float]) -> MarginPath:
        """Return the path that solutions recorded."""
        return cls(
            tuple(
                BinaryPath(s.path_rows, s.path_steps, s.path_violations, weight)
                for s, weight in zip(solutions, total_weights, strict=True)
            )
        )

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any]) -> MarginPath:
        """Return the path stored by `to_arrays`."""
        offsets = arrays["offsets"]
        return cls(
            tuple(
                BinaryPath(
                    arrays["rows"][a:b],
                    arrays["steps"][a:b],
                    arrays["violations"][a:b],
                    float(weight),
                )
                for a, b, weight in zip(
                    offsets[:-1], offsets[1:], arrays["total_weights"], strict=True
                )
            )
        )

    def to_arrays(self) -> dict[str, Any]:
        """Return the path as plain arrays, which any serialiser can store."""
        return {
            "offsets": np.cumsum([0, *(p.rows.size for p in self.paths)]),
            "rows": np.concatenate([p.rows for p in self.paths]),
            "steps": np.concatenate([p.steps for p in self.paths]),
            "violations": np.concatenate([p.violations for p in self.paths]),
            "total_weights": np.array([p.total_weight for p in self.paths]),
        }
