"""Settings of the Uniform SVM's exact solver."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["UniformSettings"]


@dataclass(frozen=True)
class UniformSettings:
    """What the compiled solver is told; mirrors ``cpp/solvers/uniform.hpp``.

    Attributes
    ----------
    C : float
        Penalty of the one slack.
    tol : float
        Accepted spread of the gradients, relative to the squared distance of the hulls.
    max_iter : int
        Limit on updates; 0 leaves it to the solver.
    cache_mb : float
        Memory for kernel columns that are read again.
    """

    C: float = 1.0
    tol: float = 1e-3
    max_iter: int = 0
    cache_mb: float = 200.0
