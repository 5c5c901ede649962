"""Settings of the refinement: exact coefficients for selected samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from svmosaic.problem import IndexArray, Problem

__all__ = ["RefineSettings", "RefineTask", "Refinement"]

Refinement = Literal["none", "selected", "full"]


@dataclass(frozen=True)
class RefineSettings:
    """What SMO is told when it refines; mirrors ``cpp/solvers/refine.hpp``.

    Attributes
    ----------
    refinement : {"none", "selected", "full"}
        Solve the L1 dual on the selected samples, or continue until it holds on all.
    C : float
        Upper bound of a coefficient, times the weight of its sample.
    tol : float
        Largest violation of the optimality conditions that is accepted.
    max_iter : int
        Limit on updates; 0 leaves it to the solver.
    shrinking : bool
        Leave out variables that stay at a bound for a while.
    """

    refinement: Refinement = "selected"
    C: float = 1.0
    tol: float = 1e-3
    max_iter: int = 0
    shrinking: bool = True


@dataclass(frozen=True)
class RefineTask:
    """A problem, the positions in its samples that were selected, and how to refine them."""

    problem: Problem
    selected: IndexArray
    settings: RefineSettings
