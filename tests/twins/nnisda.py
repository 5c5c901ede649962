"""NNISDA in plain NumPy: the worst coordinate, one at a time."""

from __future__ import annotations

import numpy as np

from svmosaic.engine.problem import DoubleArray, Problem, Solution
from svmosaic.engine.settings import NnisdaSettings
from twins.l2 import dual_matrix, solution_of

__all__ = ["solve"]


def solve(K: DoubleArray, problem: Problem, settings: NnisdaSettings) -> Solution:
    """Minimise 1/2 a'Qa - sum a over a >= 0. `K` is the kernel matrix of the samples."""
    Q = dual_matrix(K, problem, settings.C)
    a, gradient = np.zeros(len(Q)), -np.ones(len(Q))
    max_iter = settings.max_iter or 10_000_000
    updates = 0
    while True:
        # Where a = 0 only a gradient below zero violates the conditions.
        violations = np.where(a > 0, np.abs(gradient), -gradient)
        i = int(np.argmax(violations))
        if violations[i] <= settings.tol or updates >= max_iter:
            break
        new = max(0.0, a[i] - gradient[i] / Q[i, i])
        gradient += (new - a[i]) * Q[i]
        a[i] = new
        updates += 1
    converged = violations[i] <= settings.tol
    return solution_of(
        a,
        K,
        problem,
        settings.C,
        status="converged" if converged else "max_iter",
        n_iter=updates,
        violation=float(violations[i]),
    )
