"""SMO for the L1 dual in plain NumPy: second-order pairs, no shrinking, no cache."""

from __future__ import annotations

import numpy as np

from svmosaic.problem import DoubleArray, Solution

__all__ = ["solve"]

_LEAST_CURVATURE = 1e-12


def solve(
    K: DoubleArray, y: DoubleArray, upper: DoubleArray, *, tol: float, max_iter: int = 1_000_000
) -> Solution:
    """Minimise 1/2 b'Kb - y'b over sum b = 0 and 0 <= y b <= upper.

    The variables are signed, b = y alpha. Rows of the solution are positions in `y`.
    """
    low, high = np.where(y > 0, 0.0, -upper), np.where(y > 0, upper, 0.0)
    beta, gradient = np.zeros(y.size), -y.astype(float)
    diagonal = np.diagonal(K)
    updates = 0
    while True:
        may_grow, may_shrink = beta < high, beta > low
        lowest_up = np.where(may_grow, gradient, np.inf)
        highest_low = np.where(may_shrink, gradient, -np.inf)
        i = int(np.argmin(lowest_up))
        violation = highest_low.max() - lowest_up[i]
        if violation <= tol or updates >= max_iter:
            break
        difference = highest_low - gradient[i]
        curvature = np.maximum(diagonal + diagonal[i] - 2.0 * K[i], _LEAST_CURVATURE)
        gain = np.where(difference > 0, difference**2 / curvature, -1.0)
        j = int(np.argmax(gain))
        step = min(difference[j] / curvature[j], high[i] - beta[i], beta[j] - low[j])
        beta[i] = high[i] if step == high[i] - beta[i] else beta[i] + step
        beta[j] = low[j] if step == beta[j] - low[j] else beta[j] - step
        gradient += step * (K[i] - K[j])
        updates += 1
    free = (beta > low) & (beta < high)
    middle = 0.5 * (highest_low.max() + lowest_up.min())
    support = np.flatnonzero(beta)
    return Solution(
        support=support,
        coef=beta[support],
        intercept=float(-gradient[free].mean() if free.any() else -middle),
        status="converged" if violation <= tol else "max_iter",
        n_updates=updates,
        violation=float(max(0.0, violation)),
        objective=float(beta @ (y - 0.5 * (gradient + y))),
    )
