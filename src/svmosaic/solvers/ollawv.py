"""Settings of OLLAWV, the OnLine Learning Algorithm using Worst-Violators."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from svmosaic.solvers.refine import RefineSettings

__all__ = ["LearningRate", "OllawvSettings"]

LearningRate = Literal["2/sqrt(t)", "1/sqrt(t)", "1/t"]


@dataclass(frozen=True)
class OllawvSettings:
    """What the compiled solver is told; mirrors ``cpp/solvers/solve.hpp``.

    Attributes
    ----------
    margin : float
        M / C. The loop ends when no sample has y f(x) / C below it.
    learning_rate : {"2/sqrt(t)", "1/sqrt(t)", "1/t"}
        Size of step t.
    fit_intercept : bool
        The paper's beta.
    max_iter_share : float
        The loop takes at most this share of the total weight in steps.
    max_iter : int
        If positive, the limit on steps instead of ``max_iter_share``.
    max_support : int
        If positive, the limit on different samples.
    C : float
        Scales coefficients and intercept of the plain machine.
    cache_mb : float
        Memory for kernel columns that are read again.
    refine : RefineSettings
        What follows the selection.
    """

    margin: float = 0.1
    learning_rate: LearningRate = "2/sqrt(t)"
    fit_intercept: bool = True
    max_iter_share: float = 0.5
    max_iter: int = 0
    max_support: int = 0
    C: float = 1.0
    cache_mb: float = 200.0
    refine: RefineSettings = field(default_factory=RefineSettings)
