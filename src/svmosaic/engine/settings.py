"""The settings of every solver: structs of the core, each with its documentation there."""

from __future__ import annotations

from typing import Literal

from svmosaic._core import (
    DualDescentSettings,
    KernelSgdSettings,
    MinimalNormSettings,
    NnisdaSettings,
    NuSettings,
    OllaL2Settings,
    OllawvSettings,
    OnlineSvmSettings,
    PartSettings,
    RefineSettings,
    SimpleSmoSettings,
    SmoSettings,
    UniformSettings,
)

__all__ = [
    "Bounds",
    "DualDescentSettings",
    "KernelSgdSettings",
    "LearningRate",
    "Loss",
    "MinimalNormSettings",
    "NnisdaSettings",
    "NuSettings",
    "OllaL2Settings",
    "OllawvSettings",
    "OnlineSvmSettings",
    "PartSettings",
    "RefineSettings",
    "Refinement",
    "Shrinking",
    "SimpleSmoSettings",
    "SmoSettings",
    "UniformSettings",
    "VisitOrder",
]

Refinement = Literal["none", "full"]
LearningRate = Literal["2/sqrt(t)", "1/sqrt(t)", "1/t"]
Loss = Literal["hinge", "epsilon_insensitive"]
Bounds = Literal["per_sample", "uniform_feasible", "uniform_printed"]
VisitOrder = Literal["shuffled", "random", "given"]
Shrinking = Literal["gradient", "printed", "clipped"]
