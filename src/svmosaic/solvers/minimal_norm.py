"""Settings of MNSVM, the Minimal Norm SVM."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MinimalNormSettings"]


@dataclass(frozen=True)
class MinimalNormSettings:
    """What the compiled solver is told; mirrors ``cpp/solvers/minimal_norm.hpp``.

    Attributes
    ----------
    C : float
        Penalty of the squared slack, times the weight of its sample.
    tol : float
        Accepted spread of the gradient, relative to the squared norm.
    max_iter : int
        Limit on updates; 0 leaves it to the solver.
    draw : int
        Samples looked at in one search for violators of a large problem; 0 means all.
    seed : int
        Of the draws.
    cache_mb : float
        Memory for kernel columns that are read again.
    joint_steps : bool
        Move all variables above zero to their joint minimum now and then.
    """

    C: float = 1.0
    tol: float = 1e-3
    max_iter: int = 0
    draw: int = 590
    seed: int = 0
    cache_mb: float = 200.0
    joint_steps: bool = True
