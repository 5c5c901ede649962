"""Records that the online solvers share: what they go on from and what they leave behind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from svmosaic.problem import DoubleArray, IndexArray, Problem, Solution

__all__ = ["OnlineSolution", "OnlineTask", "VisitOrder"]

VisitOrder = Literal["shuffled", "random", "given"]


def _no_index() -> IndexArray:
    return np.empty(0, dtype=np.int64)


def _no_value() -> DoubleArray:
    return np.empty(0, dtype=np.float64)


@dataclass(frozen=True)
class OnlineTask:
    """A problem and the machine to start from; mirrors ``cpp/solvers/online.hpp``.

    Attributes
    ----------
    problem : Problem
        The samples to visit.
    support : ndarray of int64
        Rows of the same table that have a coefficient already.
    coef : ndarray of float64
        Their raw coefficients; of the features, for a linear machine.
    intercept : float
        The raw constant term.
    t : float
        The weight visited before.
    """

    problem: Problem
    support: IndexArray = field(default_factory=_no_index)
    coef: DoubleArray = field(default_factory=_no_value)
    intercept: float = 0.0
    t: float = 0.0


@dataclass(frozen=True)
class OnlineSolution(Solution):
    """A machine and what its solver needs to go on; mirrors ``cpp/solvers/online.hpp``.

    Attributes
    ----------
    state : ndarray of float64
        Raw coefficients of `support`, or of the features for a linear machine.
    state_intercept : float
        The raw constant term.
    t : float
        The weight visited so far.
    weights : ndarray of float64
        Feature weights of a linear machine; else empty.
    """

    state: DoubleArray = field(default_factory=_no_value)
    state_intercept: float = 0.0
    t: float = 0.0
    weights: DoubleArray = field(default_factory=_no_value)
