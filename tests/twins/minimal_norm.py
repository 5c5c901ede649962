"""MNSVM in plain NumPy: MDM steps towards the point of the hull nearest to the origin."""

from __future__ import annotations

import numpy as np

from svmosaic.engine.problem import DoubleArray, Problem, Solution
from svmosaic.engine.settings import MinimalNormSettings
from twins.l2 import dual_matrix, solution_of

__all__ = ["solve"]


def solve(K: DoubleArray, problem: Problem, settings: MinimalNormSettings) -> Solution:
    """Minimise 1/2 v'Qv over v >= 0, sum v = 1, looking at all samples in every step."""
    Q = dual_matrix(K, problem, settings.C)
    v = np.zeros(len(Q))
    v[0] = 1.0
    gradient = Q[0].copy()
    max_iter = settings.max_iter or 10_000_000
    updates = 0
    while True:
        i = int(np.argmin(gradient))
        j = int(np.argmax(np.where(v > 0, gradient, -np.inf)))
        gap, norm = gradient[j] - gradient[i], v @ gradient
        if gap <= settings.tol * norm or updates >= max_iter:
            break
        step = min(gap / (Q[i, i] + Q[j, j] - 2.0 * Q[i, j]), v[j])
        v[j] = 0.0 if step == v[j] else v[j] - step
        v[i] += step
        gradient += step * (Q[i] - Q[j])
        updates += 1
    converged = gap <= settings.tol * norm
    return solution_of(
        v / norm,
        K,
        problem,
        settings.C,
        status="converged" if converged else "max_iter",
        n_iter=updates,
        violation=gap / norm,
    )
