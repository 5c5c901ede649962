"""The simple SMO in plain NumPy: every sample in turn, with a partner drawn at random."""

from __future__ import annotations

import numpy as np

from svmosaic.engine.counters import SolveCounters
from svmosaic.engine.problem import DoubleArray, Problem, Solution
from svmosaic.engine.settings import Bounds, SimpleSmoSettings
from twins.sampling import Sampler

__all__ = ["solve"]

# A multiplier below this share of C is a rounding error.
_ROUNDING = 1e-12


def _interval(
    bounds: Bounds, a_i: float, a_j: float, uppers: tuple[float, float], same: bool, rest: float
) -> tuple[float, float]:
    """Return L and H of a_j; `rest` is C', what C leaves to the pair."""
    upper_i, upper_j = uppers
    if bounds == "per_sample":
        if same:
            return max(0.0, a_i + a_j - upper_i), min(upper_j, a_i + a_j)
        return max(0.0, a_j - a_i), min(upper_j, upper_i + a_j - a_i)
    if bounds == "uniform_feasible":
        if same:
            return 0.0, a_i + a_j
        return max(0.0, a_j - a_i), 0.5 * (rest - (a_i - a_j))
    if same:  # Eq. 2.36
        return max(0.0, a_i + a_j - rest), min(rest, a_i + a_j)
    return max(0.0, a_j - a_i), min(rest, 0.5 * (rest - a_j + a_i))  # Eq. 2.35


def solve(K: DoubleArray, problem: Problem, settings: SimpleSmoSettings) -> Solution:
    """Run sweeps until one changes little. `K` is the kernel matrix of the samples."""
    y, weights, C = problem.targets, problem.weights, settings.C
    sampler = Sampler(settings.seed)
    a = np.zeros(y.size)
    sweeps = updates = 0
    while True:
        before = a.copy()
        sweeps += 1
        for j in range(y.size):
            i = sampler.below(y.size - 1)
            i += i >= j
            curvature = K[i, i] + K[j, j] - 2.0 * K[i, j]
            if curvature <= 0.0:
                continue
            sums = K @ (y * a)
            error = (sums[i] - y[i]) - (sums[j] - y[j])
            printed = settings.bounds == "uniform_printed"
            rest = C - (a[i] + a[j]) if printed else C - (a.sum() - a[i] - a[j])
            low, high = _interval(
                settings.bounds,
                a[i],
                a[j],
                (C * weights[i], C * weights[j]),
                y[i] == y[j],
                rest,
            )
            if low > high:  # only the printed bounds can cross
                continue
            best = min(max(a[j] + y[j] * error / curvature, low), high)  # Eq. 2.30
            new_j = best if best >= _ROUNDING * C else 0.0
            new_i = a[i] + y[i] * y[j] * (a[j] - new_j)
            if new_j == a[j]:
                continue
            a[i] = new_i if new_i >= _ROUNDING * C else 0.0
            a[j] = new_j
            updates += 1
        change = float(np.linalg.norm(a - before))
        if change < settings.tol or sweeps >= settings.max_iter:
            break
    sums = K @ (y * a)
    support = np.flatnonzero(a)
    return Solution(
        support=problem.samples[support],
        coef=(y * a)[support],
        intercept=float(weights @ (y - sums) / weights.sum()),
        status="converged" if change < settings.tol else "max_iter",
        n_iter=sweeps,
        counters=SolveCounters(n_updates=updates),
        violation=change,
        objective=float(a.sum() - 0.5 * a @ (y * sums)),
    )
