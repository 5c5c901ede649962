"""The Uniform SVM in plain NumPy: nearest points of the two hulls by MDM steps."""

from __future__ import annotations

import numpy as np

from svmosaic.engine.counters import SolveCounters
from svmosaic.engine.problem import DoubleArray, Problem, Solution
from svmosaic.engine.settings import UniformSettings

__all__ = ["solve"]

# Relative to the squared size of the data, nobody can ask for a finer |p - q|^2 than this.
_FINEST = 1e-10


def solve(K: DoubleArray, problem: Problem, settings: UniformSettings) -> Solution:
    """Minimise 1/2 |w|^2 + C xi. `K` is the kernel matrix of the samples."""
    y, C = problem.targets, settings.C
    Q = np.outer(y, y) * K
    diagonal = np.diagonal(K)
    size = (diagonal + diagonal[0] - 2.0 * K[0]).max()
    unproven = max(settings.tol**2, _FINEST) * size
    rounding = 4.0 * np.finfo(float).eps * np.abs(diagonal).max()
    a = np.zeros(y.size)
    a[[np.argmax(y > 0), np.argmax(y < 0)]] = 1.0  # p and q begin at the first samples
    gradient = Q @ a
    max_iter = settings.max_iter or 10_000_000
    updates = 0
    while True:
        ends = []
        for target in (1.0, -1.0):
            i = int(np.argmin(np.where(y == target, gradient, np.inf)))
            j = int(np.argmax(np.where((y == target) & (a > 0), gradient, -np.inf)))
            ends.append((gradient[j] - gradient[i], i, j))
        distance = a @ gradient
        spread = ends[0][0] + ends[1][0]
        apart = gradient[ends[0][1]] + gradient[ends[1][1]] > 0.0
        if distance <= rounding or (not apart and distance <= unproven):
            return Solution(
                support=problem.samples[:0],
                coef=np.empty(0),
                n_iter=updates,
                counters=SolveCounters(n_updates=updates),
                objective=C,
                dual_gap=0.0,
            )
        if spread <= settings.tol * distance or updates >= max_iter:
            break
        gap, i, j = ends[0] if ends[0][0] >= ends[1][0] else ends[1]
        step = min(gap / max(K[i, i] + K[j, j] - 2.0 * K[i, j], 1e-12), a[j])
        a[j] = 0.0 if step == a[j] else a[j] - step
        a[i] += step
        gradient += step * (Q[i] - Q[j])
        updates += 1

    s = min(C / 2.0, 2.0 / float(distance))
    of_p, of_q = a[y > 0] @ gradient[y > 0], a[y < 0] @ gradient[y < 0]
    intercept = -0.5 * s * (of_p - of_q)
    objective = 2.0 * s - 0.5 * s**2 * distance
    worst = (s * gradient + y * intercept).min()
    primal = 0.5 * s**2 * distance + C * max(0.0, 1.0 - worst)
    support = np.flatnonzero(a)
    return Solution(
        support=problem.samples[support],
        coef=s * (y * a)[support],
        intercept=float(intercept),
        status="converged" if spread <= settings.tol * distance else "max_iter",
        n_iter=updates,
        counters=SolveCounters(n_updates=updates),
        violation=float(spread / distance),
        objective=float(objective),
        dual_gap=float(max(0.0, primal - objective)),
    )
