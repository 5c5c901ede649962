"""Settings of parameter tuning: the grid and the machine it is searched for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from svmosaic.problem import DoubleArray
from svmosaic.solvers.ollawv import OllawvSettings

__all__ = ["TuneSettings"]


@dataclass(frozen=True)
class TuneSettings:
    """What the compiled tuner is told; mirrors ``cpp/solvers/tune_ollawv.hpp``.

    Attributes
    ----------
    gammas, margins, Cs : ndarray of float64
        The grid; the Cs are those of the refinement.
    multi_class : {"ovo", "ovr"}
        One machine per pair of classes, or one per class.
    machine : OllawvSettings
        Everything else. Its margin and C are not used.
    memory_mb : float
        Memory for kernel values that are read again.
    """

    gammas: DoubleArray
    margins: DoubleArray
    Cs: DoubleArray
    multi_class: Literal["ovo", "ovr"] = "ovo"
    machine: OllawvSettings = field(default_factory=OllawvSettings)
    memory_mb: float = 2000.0
