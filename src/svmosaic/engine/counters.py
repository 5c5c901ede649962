"""What a solver did: counts, and the seconds that went into each phase.

The records have the names of ``cpp/core/solve_counters.hpp``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, Self

__all__ = ["PhaseSeconds", "SolveCounters"]


@dataclass(frozen=True)
class SolveCounters:
    """The work behind a solution.

    Like the solution, it does not depend on the number of threads, as long as the kernel columns
    that are read again stay in the cache: those that leave are computed again.

    Attributes
    ----------
    n_kernel_values : int
        Kernel values computed, or read from a matrix that was given.
    n_columns : int
        Kernel columns begun or completed.
    n_selections : int
        Steps of OLLAWV.
    n_updates : int
        Updates of coefficients by another solver.
    n_rounds : int
        Times the samples out of play were asked for violators.
    n_blocks : int
        Blocks of variables that were solved by themselves.
    n_sweeps : int
        Joint steps of several blocks, each with one line search.
    theta_sum, theta_min : float
        The sum and the least of the lengths of the joint steps, 1 being the whole step.
    cache_bytes : int
        Most memory of kernel columns at one time, for one problem.
    """

    n_kernel_values: int = 0
    n_columns: int = 0
    n_selections: int = 0
    n_updates: int = 0
    n_rounds: int = 0
    n_blocks: int = 0
    n_sweeps: int = 0
    theta_sum: float = 0.0
    theta_min: float = 1.0
    cache_bytes: int = 0

    @classmethod
    def total(cls, parts: Iterable[Self]) -> Self:
        """Return the work on several problems together."""
        parts = list(parts)
        sums: dict[str, Any] = {f.name: sum(getattr(p, f.name) for p in parts) for f in fields(cls)}
        sums["theta_min"] = min((p.theta_min for p in parts), default=1.0)
        sums["cache_bytes"] = max((p.cache_bytes for p in parts), default=0)
        return cls(**sums)

    @property
    def theta_mean(self) -> float:
        """The mean length of the joint steps; nan without any."""
        return self.theta_sum / self.n_sweeps if self.n_sweeps else float("nan")


@dataclass(frozen=True, eq=False)
class PhaseSeconds:
    """Wall-clock time of one problem, or its sum over several.

    Attributes
    ----------
    total : float
        All of it.
    selection : float
        Steps of OLLAWV.
    clusters : float
        Solutions of clusters, from which the solver starts.
    start : float
        Gradients at the coefficients to start from.
    solving : float
        Updates of the active samples.
    certificate : float
        The optimality conditions of all other samples.
    """

    total: float = 0.0
    selection: float = 0.0
    clusters: float = 0.0
    start: float = 0.0
    solving: float = 0.0
    certificate: float = 0.0

    @classmethod
    def sum_of(cls, parts: Iterable[Self]) -> Self:
        """Return the seconds of several problems together."""
        parts = list(parts)
        return cls(**{f.name: sum(getattr(p, f.name) for p in parts) for f in fields(cls)})
