"""OLLAWV in plain NumPy: Algorithm 5.1 of Melki (2019), line by line."""

from __future__ import annotations

import numpy as np

from svmosaic.engine.problem import DoubleArray, Problem, Solution, Status
from svmosaic.engine.settings import LearningRate, OllawvSettings

__all__ = ["solve"]

# Scores closer than this, relative to the largest k(x, x), differ by rounding only.
_ROUNDING = 1e-12


def _learning_rate(name: LearningRate, t: int) -> float:
    rates = {"2/sqrt(t)": 2.0 / np.sqrt(t), "1/sqrt(t)": 1.0 / np.sqrt(t), "1/t": 1.0 / t}
    return float(rates[name])


def solve(K: DoubleArray, problem: Problem, settings: OllawvSettings) -> Solution:
    """Run the plain machine on the kernel matrix of the problem's samples.

    ``problem.first`` must name a sample. Rows of the solution are those of the table.
    """
    y, weights = problem.targets, problem.weights
    n = weights.sum()
    beta = 1.0 if settings.fit_intercept else 0.0
    max_iter = settings.max_iter or max(1, int(settings.max_iter_share * n))
    tie = _ROUNDING * np.abs(np.diagonal(K)).max()

    alpha, o, b = np.zeros(y.size), np.zeros(y.size), 0.0
    remaining = weights.copy()
    rows: list[int] = []
    steps: list[float] = []
    violations: list[float] = []
    status: Status = "converged"
    t, wv = 0, problem.first
    while True:
        if settings.max_support and alpha[wv] == 0 and len(set(rows)) == settings.max_support:
            status = "max_support"
            break
        t += 1
        share = min(1.0, remaining[wv])
        step = _learning_rate(settings.learning_rate, t) * y[wv] * share  # line 8, for C = 1
        bias = beta * step / n  # line 9
        o += step * K[:, wv] + bias  # line 10
        alpha[wv] += step  # line 11
        b += bias  # line 12
        remaining[wv] -= share

        scores = np.where(remaining > 1e-12, y * o, np.inf)  # line 15
        lowest = scores.min()
        rows.append(wv)
        steps.append(step)
        violations.append(lowest)
        if np.isinf(lowest):
            status = "exhausted"
            break
        if lowest >= settings.margin:
            break
        if t >= max_iter:
            status = "max_iter"
            break
        wv = int(np.argmax(scores <= lowest + tie))  # the first of those that tie

    support = np.flatnonzero(alpha)
    return Solution(
        support=problem.samples[support],
        coef=settings.C * alpha[support],
        intercept=settings.C * b,
        status=status,
        n_iter=t,
        violation=float(violations[-1]),
        path_rows=problem.samples[rows],
        path_steps=np.array(steps),
        path_violations=np.array(violations),
    )
