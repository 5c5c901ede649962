"""Settings of OLLA-L2, the OnLine Learning Algorithm with list 2."""

from __future__ import annotations

from dataclasses import dataclass

from svmosaic.solvers.online import VisitOrder

__all__ = ["OllaL2Settings"]


@dataclass(frozen=True)
class OllaL2Settings:
    """What the compiled solver is told; mirrors ``cpp/solvers/olla_l2.hpp``.

    Attributes
    ----------
    C : float
        Penalty; every step is proportional to it.
    epochs : int
        How often every sample is visited; e of the paper.
    order : {"shuffled", "random", "given"}
        The order of the visits.
    beta : float
        The intercept's share of a step; 0 for no intercept.
    budget : int
        If positive, the limit on support vectors.
    seed : int
        Of the shuffle or the draws.
    cache_mb : float
        Memory for kernel columns that are read again.
    """

    C: float = 1.0
    epochs: int = 2
    order: VisitOrder = "shuffled"
    beta: float = 1.0
    budget: int = 0
    seed: int = 0
    cache_mb: float = 200.0
