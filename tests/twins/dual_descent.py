"""The L1-SVM without an intercept in plain NumPy: coordinate descent on its dual."""

from __future__ import annotations

import numpy as np

from svmosaic.engine.counters import SolveCounters
from svmosaic.engine.problem import DoubleArray, Problem, Solution
from svmosaic.engine.settings import DualDescentSettings

__all__ = ["solve"]


def solve(K: DoubleArray, problem: Problem, settings: DualDescentSettings) -> Solution:
    """Minimise 1/2 b'Kb - y'b over 0 <= y_i b_i <= C_i. `K` is the samples' kernel matrix."""
    y = problem.targets
    upper = settings.C * problem.weights
    low, high = np.where(y > 0, 0.0, -upper), np.where(y > 0, upper, 0.0)
    curvature = np.maximum(np.diagonal(K), max(1e-12 * float(np.diagonal(K).max()), 1e-300))
    beta, gradient = np.zeros(y.size), -y
    max_iter = settings.max_iter or 10_000_000
    updates = 0
    while True:
        movable = np.where(gradient < 0, beta < high, beta > low)
        violations = np.where(movable, np.abs(gradient), 0.0)
        if violations.max() <= settings.tol or updates >= max_iter:
            break
        i = int(np.argmax(violations**2 / curvature))
        new = float(np.clip(beta[i] - gradient[i] / curvature[i], low[i], high[i]))
        gradient = gradient + (new - beta[i]) * K[i]
        beta[i] = new
        updates += 1
    decisions = K @ beta
    objective = float(y @ beta - 0.5 * beta @ decisions)
    primal = float(0.5 * beta @ decisions + upper @ np.maximum(0.0, 1.0 - y * decisions))
    support = np.flatnonzero(beta)
    return Solution(
        support=problem.samples[support],
        coef=beta[support],
        status="converged" if violations.max() <= settings.tol else "max_iter",
        n_iter=updates,
        counters=SolveCounters(n_updates=updates),
        violation=float(violations.max()),
        objective=objective,
        dual_gap=max(0.0, primal - objective),
    )
