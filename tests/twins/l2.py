"""The L2-SVM's dual in plain NumPy: its matrix, and what a solution says of itself."""

from __future__ import annotations

import numpy as np

from svmosaic.engine.counters import SolveCounters
from svmosaic.engine.problem import DoubleArray, Problem, Solution, Status

__all__ = ["dual_matrix", "solution_of"]


def dual_matrix(K: DoubleArray, problem: Problem, C: float) -> DoubleArray:
    """Return Q, with Q_ij = y_i y_j (k_ij + 1) + [i = j] / (C weight_i)."""
    y = problem.targets
    return np.asarray(np.outer(y, y) * (K + 1.0) + np.diag(1.0 / (C * problem.weights)))


def solution_of(
    a: DoubleArray,
    K: DoubleArray,
    problem: Problem,
    C: float,
    *,
    status: Status,
    n_iter: int,
    violation: float,
) -> Solution:
    """Return the machine of the dual variables `a`."""
    y = problem.targets
    margins = y * ((K + 1.0) @ (y * a))
    objective = a.sum() - 0.5 * a @ dual_matrix(K, problem, C) @ a
    slack = np.maximum(0.0, 1.0 - margins)
    primal = 0.5 * a @ margins + 0.5 * C * problem.weights @ slack**2
    support = np.flatnonzero(a)
    return Solution(
        support=problem.samples[support],
        coef=(y * a)[support],
        intercept=float(y @ a),
        status=status,
        n_iter=n_iter,
        counters=SolveCounters(n_updates=n_iter),
        violation=float(max(0.0, violation)),
        objective=float(objective),
        dual_gap=float(max(0.0, primal - objective)),
    )
