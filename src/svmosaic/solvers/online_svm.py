"""Records of the on-line SVM, plain and with characteristic boundary points."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from svmosaic.problem import DoubleArray, IndexArray, Problem
from svmosaic.solvers.online import OnlineSolution, VisitOrder

__all__ = ["OnlineSvmSettings", "OnlineSvmSolution", "OnlineSvmTask", "Shrinking"]

Shrinking = Literal["gradient", "printed", "clipped"]


def _no_index() -> IndexArray:
    return np.empty(0, dtype=np.int64)


def _no_value() -> DoubleArray:
    return np.empty(0, dtype=np.float64)


@dataclass(frozen=True)
class OnlineSvmSettings:
    """What the compiled solver is told; mirrors ``cpp/solvers/online_svm.hpp``.

    Attributes
    ----------
    lam : float
        lambda of the thesis; a step is 1 / (lam t).
    max_iter : int
        Visits, when they are drawn at random.
    order : {"random", "given"}
        Drawn by weight, or one pass over the samples as they come.
    update : {"gradient", "printed", "clipped"}
        Whether a violator takes a step along the gradient of the norm, or shrinks the coefficients
        by a factor, as it is printed or cut to [0, 1].
    seed : int
        Of the draws.
    """

    lam: float = 1.0
    max_iter: int = 20_000
    order: VisitOrder = "random"
    update: Shrinking = "gradient"
    seed: int = 0


@dataclass(frozen=True)
class OnlineSvmTask:
    """A problem, the machine to go on from, and its boundary points.

    Attributes
    ----------
    problem : Problem
        The samples to visit.
    support : ndarray of int64
        Rows of the same table that are kept already.
    coef : ndarray of float64
        Their coefficients.
    t : float
        The weight visited before.
    boundary : ndarray of int64
        Rows of the table of boundary points; none for the plain machine.
    """

    problem: Problem
    support: IndexArray = field(default_factory=_no_index)
    coef: DoubleArray = field(default_factory=_no_value)
    t: float = 0.0
    boundary: IndexArray = field(default_factory=_no_index)


@dataclass(frozen=True)
class OnlineSvmSolution(OnlineSolution):
    """A machine and what it needs to go on.

    Attributes
    ----------
    norm : float
        |f(z)| after the last visit, z being the boundary point of that visit.
    """

    norm: float = 0.0
