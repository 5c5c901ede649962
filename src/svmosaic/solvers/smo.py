"""Settings of SMO, sequential minimal optimisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Loss", "SmoSettings"]

Loss = Literal["hinge", "epsilon_insensitive"]


@dataclass(frozen=True)
class SmoSettings:
    """What the compiled solver is told; mirrors ``cpp/solvers/smo_machine.hpp``.

    Attributes
    ----------
    loss : {"hinge", "epsilon_insensitive"}
        Classification, or regression.
    C : float
        Upper bound of a coefficient, times the weight of its sample.
    epsilon : float
        Half the width of the tube in which errors cost nothing; regression only.
    tol : float
        Largest violation of the optimality conditions that is accepted.
    max_iter : int
        Limit on updates; 0 leaves it to the solver.
    shrinking : bool
        Leave out variables that stay at a bound for a while.
    cache_mb : float
        Memory for kernel columns.
    """

    loss: Loss = "hinge"
    C: float = 1.0
    epsilon: float = 0.1
    tol: float = 1e-3
    max_iter: int = 0
    shrinking: bool = True
    cache_mb: float = 200.0
