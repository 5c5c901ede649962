"""Settings of NL-SGD, the nonlinear SVM by stochastic gradient descent."""

from __future__ import annotations

from dataclasses import dataclass

from svmosaic.solvers.online import VisitOrder

__all__ = ["KernelSgdSettings"]


@dataclass(frozen=True)
class KernelSgdSettings:
    """What the compiled solver is told; mirrors ``cpp/solvers/kernel_sgd.hpp``.

    Attributes
    ----------
    C : float
        1 / lambda.
    epochs : int
        How often every sample is visited.
    average : float
        The machine is the mean over this last share of the visits; 0 means the last one.
    order : {"shuffled", "random", "given"}
        The order of the visits.
    fit_intercept : bool
        Use the kernel k(x, z) + 1.
    seed : int
        Of the shuffle or the draws.
    cache_mb : float
        Memory for kernel columns that are read again.
    """

    C: float = 100.0
    epochs: int = 2
    average: float = 0.5
    order: VisitOrder = "shuffled"
    fit_intercept: bool = False
    seed: int = 0
    cache_mb: float = 200.0
