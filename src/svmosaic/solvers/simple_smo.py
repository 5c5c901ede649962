"""Settings of the simple SMO: every sample in turn, with a partner drawn at random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Bounds", "SimpleSmoSettings"]

Bounds = Literal["per_sample", "uniform_feasible", "uniform_printed"]


@dataclass(frozen=True)
class SimpleSmoSettings:
    """What the compiled solver is told; mirrors ``cpp/solvers/simple_smo.hpp``.

    Attributes
    ----------
    bounds : {"per_sample", "uniform_feasible", "uniform_printed"}
        Whether C bounds each multiplier or their sum; "printed" is the thesis' formula.
    C : float
        The bound; for "per_sample", times the weight of the sample.
    tol : float
        A sweep that moves the multipliers by less, in norm, is the last.
    max_iter : int
        Limit on sweeps.
    seed : int
        Of the partners.
    cache_mb : float
        Memory for kernel columns that are read again.
    """

    bounds: Bounds = "per_sample"
    C: float = 1.0
    tol: float = 1e-3
    max_iter: int = 10_000
    seed: int = 0
    cache_mb: float = 200.0
