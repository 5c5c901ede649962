"""Settings of coordinate descent on the dual of the L1-SVM without an intercept."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DualDescentSettings"]


@dataclass(frozen=True)
class DualDescentSettings:
    """What the compiled solver is told; mirrors ``cpp/solvers/dual_descent.hpp``.

    Attributes
    ----------
    C : float
        Bound of a coefficient, times the weight of its sample.
    tol : float
        Largest violation of the optimality conditions that is accepted.
    max_iter : int
        Limit on updates; 0 leaves it to the solver.
    cache_mb : float
        Memory for kernel columns that are read again.
    """

    C: float = 1.0
    tol: float = 1e-3
    max_iter: int = 0
    cache_mb: float = 200.0
