"""Settings of NNISDA, the Non-Negative Iterative Single Data Algorithm."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["NnisdaSettings"]


@dataclass(frozen=True)
class NnisdaSettings:
    """What the compiled solver is told; mirrors ``cpp/solvers/nnisda.hpp``.

    Attributes
    ----------
    C : float
        Penalty of the squared slack, times the weight of its sample.
    tol : float
        Largest violation of the optimality conditions that is accepted.
    max_iter : int
        Limit on updates; 0 leaves it to the solver.
    cache_mb : float
        Memory for kernel columns that are read again.
    joint_steps : bool
        Move all variables above zero to their joint minimum now and then.
    """

    C: float = 1.0
    tol: float = 1e-3
    max_iter: int = 0
    cache_mb: float = 200.0
    joint_steps: bool = True
