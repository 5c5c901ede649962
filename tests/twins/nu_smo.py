"""The nu-SVMs and the one-class SVM by SMO in plain NumPy: no shrinking, no cache."""

from __future__ import annotations

import numpy as np

from svmosaic.engine.counters import SolveCounters
from svmosaic.engine.problem import DoubleArray, Solution

__all__ = ["solve"]

_LEAST_CURVATURE = 1e-12


def solve(
    K: DoubleArray,
    target: DoubleArray,
    weights: DoubleArray,
    *,
    task: str,
    nu: float,
    C: float = 1.0,
    tol: float,
    max_iter: int = 1_000_000,
) -> Solution:
    """Solve a task of `NuSettings`; rows of the solution are positions in `target`.

    Each group of variables has its bounds and keeps its sum; a pair is of one group.
    """
    beta, low, high, linear, unit = _start(K, target, weights, task, nu, C)
    gradient = K @ beta.sum(axis=0) - linear
    diagonal = np.diagonal(K)
    updates = 0
    while True:
        growing = np.where(beta < high, gradient, np.inf)
        shrinking = np.where(beta > low, gradient, -np.inf)
        violations = shrinking.max(axis=1) - growing.min(axis=1)
        g = int(np.argmax(violations))
        if violations[g] <= tol or updates >= max_iter:
            break
        i = int(np.argmin(growing[g]))
        difference = shrinking[g] - growing[g, i]
        curvature = np.maximum(diagonal + diagonal[i] - 2.0 * K[i], _LEAST_CURVATURE)
        j = int(np.argmax(np.where(difference > 0, difference**2 / curvature, -1.0)))
        step = difference[j] / curvature[j]
        step = min(step, high[g, i] - beta[g, i], beta[g, j] - low[g, j])
        reaches_i = step == high[g, i] - beta[g, i]
        reaches_j = step == beta[g, j] - low[g, j]
        beta[g, i] = high[g, i] if reaches_i else beta[g, i] + step
        beta[g, j] = low[g, j] if reaches_j else beta[g, j] - step
        gradient += step * (K[i] - K[j])
        updates += 1
    first, last = (_multiplier(gradient, beta[k], low[k], high[k]) for k in (0, -1))
    margin = 0.5 * (first - last)
    scale = margin if task == "classification" and margin > tol else 1.0
    coef = beta.sum(axis=0)
    support = np.flatnonzero(coef)
    return Solution(
        support=support,
        coef=coef[support] / scale,
        intercept=float(-0.5 * (first + last) / scale),
        status="converged" if violations[g] <= tol else "max_iter",
        counters=SolveCounters(n_updates=updates),
        violation=float(max(0.0, violations.max())),
        objective=float(0.5 * coef @ (linear - gradient)) / scale**2,
        width=float(margin / unit if task == "classification" else -margin),
    )


def _start(
    K: DoubleArray, target: DoubleArray, weights: DoubleArray, task: str, nu: float, C: float
) -> tuple[DoubleArray, DoubleArray, DoubleArray, DoubleArray, float]:
    """Return coefficients and bounds by group, the linear term, and the unit of the bounds."""
    n = target.size
    if task == "regression":
        bounds = np.stack([C * weights, -C * weights])
        sums, order, linear, unit = 0.5 * C * nu * weights.sum(), np.arange(n), target, 1.0
    else:
        sides = np.ones(n) if task == "one_class" else target
        totals = [weights[sides == side].sum() for side in (1.0, -1.0)]
        order = np.argsort(sides * (K @ _mean(sides, weights)), kind="stable")
        linear = np.zeros(n)
        if task == "one_class":
            bounds, sums, unit = weights[None], nu * weights.sum(), 1.0
        else:
            # The sums of weights of 1; the lighter class may allow less.
            sums = 0.5 * nu * n
            unit = sums / min(0.5 * nu * sum(totals), *totals)
            bounds = unit * np.stack([weights * (sides > 0), -weights * (sides < 0)])
    low, high = np.minimum(bounds, 0.0), np.maximum(bounds, 0.0)
    filled = np.clip(sums - (np.cumsum(np.abs(bounds[:, order]), axis=1)), None, 0.0)
    amount = np.clip(np.abs(bounds[:, order]) + filled, 0.0, None)
    amount[amount <= 1e-12 * sums] = 0.0
    beta = np.zeros_like(bounds)
    beta[:, order] = np.sign(bounds[:, order]) * amount
    near = np.abs(np.abs(bounds) - np.abs(beta)) <= 1e-12 * sums
    return np.where(near, bounds, beta), low, high, linear, unit


def _mean(sides: DoubleArray, weights: DoubleArray) -> DoubleArray:
    """Return the coefficients of the difference of the classes' means, over some samples."""
    n = sides.size
    count = min(n, max(32, min(n // 8, 128)))
    some = np.arange(count) * n // count
    coef = np.zeros(n)
    coef[some] = weights[some]
    for side in (1.0, -1.0):
        coef[sides == side] *= side / (coef[sides == side].sum() or 1.0)
    return coef


def _multiplier(
    gradient: DoubleArray, beta: DoubleArray, low: DoubleArray, high: DoubleArray
) -> float:
    """Return the mean gradient of the free variables, else the middle of what is possible."""
    free = (beta > low) & (beta < high)
    if free.any():
        return float(gradient[free].mean())
    ends = np.array(
        [
            gradient[beta < high].min(initial=np.inf),
            gradient[beta > low].max(initial=-np.inf),
        ]
    )
    return float(ends[np.isfinite(ends)].mean()) if np.isfinite(ends).any() else 0.0
