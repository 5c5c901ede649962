"""The L1-SVM on a stored kernel matrix."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DoubleArray, PairwiseRows, Problem
from svmosaic.engine.protocol import solve
from svmosaic.engine.settings import SmoSettings

__all__ = ["GramMachine", "solve_gram"]


class GramMachine(NamedTuple):
    """Signed coefficients of all rows of the matrix, the constant term, the solver's violation."""

    coef: DoubleArray
    intercept: float
    violation: float


def solve_gram(
    gram: DoubleArray,
    signs: DoubleArray,
    weights: DoubleArray,
    settings: SmoSettings,
    start: DoubleArray | None = None,
) -> GramMachine:
    """Solve the L1-SVM on a kernel matrix, from signed coefficients if they are given."""
    n = signs.size
    (solution,) = solve(
        PairwiseRows(np.ascontiguousarray(gram)),
        KernelSpec("precomputed"),
        [Problem(np.arange(n, dtype=np.int64), signs, weights, initial=start)],
        settings,
    )
    coef = np.zeros(n)
    coef[solution.support] = solution.coef
    return GramMachine(coef, float(solution.intercept), float(solution.violation))
