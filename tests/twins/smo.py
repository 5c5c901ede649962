"""SMO in plain NumPy, for the L1-SVM and epsilon-SVR: no shrinking, no cache."""

from __future__ import annotations

import numpy as np

from svmosaic.engine.counters import SolveCounters
from svmosaic.engine.problem import DoubleArray, Solution

__all__ = ["solve"]

_LEAST_CURVATURE = 1e-12
# A share of the distance between bounds that only rounding leaves.
_ROUNDING = 1e-14


def solve(
    K: DoubleArray,
    target: DoubleArray,
    upper: DoubleArray,
    *,
    tol: float,
    epsilon: float | None = None,
    max_iter: int = 1_000_000,
) -> Solution:
    """Minimise 1/2 b'Kb - t'b + epsilon |b|_1 over sum b = 0 and the bounds.

    Without `epsilon` it is the L1-SVM: targets are +1 or -1, bounds 0 <= t b <= upper. With it,
    epsilon-SVR: bounds -upper <= b <= upper. Rows of the solution are positions in `target`.
    """
    regression = epsilon is not None
    width = epsilon or 0.0
    low = np.where(regression | (target < 0), -upper, 0.0)
    high = np.where(regression | (target > 0), upper, 0.0)
    beta, gradient = np.zeros(target.size), -target.astype(float)
    diagonal = np.diagonal(K)
    updates = 0
    while True:
        # The slope of epsilon |b| depends on the direction where b is zero.
        growing = np.where(beta < high, gradient + np.where(beta >= 0, width, -width), np.inf)
        shrinking = np.where(beta > low, gradient + np.where(beta > 0, width, -width), -np.inf)
        i = int(np.argmin(growing))
        violation = shrinking.max() - growing[i]
        if violation <= tol or updates >= max_iter:
            break
        difference = shrinking - growing[i]
        curvature = np.maximum(diagonal + diagonal[i] - 2.0 * K[i], _LEAST_CURVATURE)
        gain = np.where(difference > 0, difference**2 / curvature, -1.0)
        j = int(np.argmax(gain))
        # A step ends at a bound or at zero.
        end_i = 0.0 if beta[i] < 0 else high[i]
        end_j = 0.0 if beta[j] > 0 else low[j]
        step = min(difference[j] / curvature[j], end_i - beta[i], beta[j] - end_j)
        # Short of it by rounding, a variable would pass for free.
        reaches_i = end_i - beta[i] - step <= _ROUNDING * (high[i] - low[i])
        reaches_j = beta[j] - end_j - step <= _ROUNDING * (high[j] - low[j])
        beta[i] = end_i if reaches_i else beta[i] + step
        beta[j] = end_j if reaches_j else beta[j] - step
        gradient += step * (K[i] - K[j])
        updates += 1
    free = (beta != 0) & (beta > low) & (beta < high)
    slopes = (gradient + width * np.sign(beta))[free]
    # With samples of one class only, one end is infinite and the other one has to do.
    ends = np.array([shrinking.max(), growing.min()])
    middle = ends[np.isfinite(ends)].mean() if np.isfinite(ends).any() else 0.0
    support = np.flatnonzero(beta)
    return Solution(
        support=support,
        coef=beta[support],
        intercept=float(-slopes.mean() if free.any() else -middle),
        status="converged" if violation <= tol else "max_iter",
        counters=SolveCounters(n_updates=updates),
        violation=float(max(0.0, violation)),
        objective=float(beta @ (target - 0.5 * (gradient + target)) - width * np.abs(beta).sum()),
    )
