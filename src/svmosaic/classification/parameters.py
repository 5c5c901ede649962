"""What values common parameters may have, as scikit-learn validates them."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

from svmosaic.engine.gamma import GAMMA_RULES
from svmosaic.engine.kernels import KERNELS
from svmosaic.utils.sklearn_compat import Interval, StrOptions

__all__ = [
    "CACHE_MB",
    "CLASS_WEIGHT",
    "DEVICE",
    "INFINITE_PENALTY",
    "KERNEL_PARAMETERS",
    "MEMORY_LIMIT",
    "MULTICLASS_PARAMETERS",
    "POSITIVE_COUNT",
    "POSITIVE_REAL",
    "RUN_PARAMETERS",
    "finite_penalty",
]

Constraints = dict[str, list[Any]]

POSITIVE_REAL = [Interval(Real, 0.0, None, closed="neither")]
POSITIVE_COUNT = [Interval(Integral, 1, None, closed="left")]

CACHE_MB = [StrOptions({"auto"}), Interval(Real, 0.0, None, closed="left")]

KERNEL_PARAMETERS: Constraints = {
    "kernel": [StrOptions(set(KERNELS)), callable],
    "gamma": [StrOptions(set(GAMMA_RULES)), *POSITIVE_REAL],
    "degree": [Interval(Integral, 0, None, closed="left")],
    "coef0": [Interval(Real, None, None, closed="neither")],
    "cache_mb": CACHE_MB,
}

RUN_PARAMETERS: Constraints = {
    "n_jobs": [Integral, None],
    "max_time": [*POSITIVE_REAL, None],
    "verbose": ["verbose"],
}

MULTICLASS_PARAMETERS: Constraints = {
    "multi_class": [StrOptions({"ovo", "ovr"})],
    "decision_function_shape": [StrOptions({"ovo", "ovr"})],
}

CLASS_WEIGHT: Constraints = {"class_weight": [StrOptions({"balanced"}), dict, None]}

DEVICE: Constraints = {"device": [str, None]}

MEMORY_LIMIT: Constraints = {"memory_limit_mb": [*POSITIVE_REAL, None]}

# What solvers are given for C=inf: their objective and their gap are sums of products with C.
INFINITE_PENALTY = 1e10


def finite_penalty(C: float) -> float:
    """Return C as a number that solvers can compute with."""
    return INFINITE_PENALTY if math.isinf(C) else float(C)
