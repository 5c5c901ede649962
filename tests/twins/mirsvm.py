"""MIRSVM in plain NumPy: nothing kept, no warm start, one start."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DoubleArray, IndexArray
from twins import smo
from twins.kernels import gram

__all__ = ["Pass", "solve"]


class Pass(NamedTuple):
    """The instance of each bag that a machine was solved for, and the machine."""

    chosen: IndexArray
    coef: DoubleArray
    intercept: float


def solve(
    bags: list[DoubleArray],
    signs: DoubleArray,
    start: IndexArray,
    kernel: KernelSpec,
    *,
    C: float,
    tol: float = 1e-6,
    max_passes: int = 100,
) -> list[Pass]:
    """Alternate from `start`, the number of an instance within each bag, until a choice repeats."""
    chosen = start.tolist()
    seen: list[list[int]] = []
    passes: list[Pass] = []
    while chosen not in seen and len(passes) < max_passes:
        X = np.array([bag[i] for bag, i in zip(bags, chosen, strict=True)])
        solution = smo.solve(gram(X, X, kernel), signs, np.full(len(bags), C), tol=tol)
        coef = np.zeros(len(bags))
        coef[solution.support] = solution.coef
        seen.append(chosen)
        passes.append(Pass(np.array(chosen), coef, solution.intercept))
        chosen = [int(np.argmax(gram(bag, X, kernel) @ coef)) for bag in bags]
    return passes
