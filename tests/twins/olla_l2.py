"""OLLA-L2 in plain NumPy: Algorithm 6.1 of Melki (2019), line by line."""

from __future__ import annotations

import numpy as np

from svmosaic.engine.counters import SolveCounters
from svmosaic.engine.problem import DoubleArray, Problem
from svmosaic.engine.settings import OllaL2Settings
from svmosaic.engine.tasks import OnlineSolution
from twins.sampling import visits

__all__ = ["solve"]

_ROUNDING = 1e-12


def _oldest_smallest(S: list[int], alpha: DoubleArray, kept: int, width: float) -> int:
    smallest = -1
    for j in S:
        if j != kept and (smallest < 0 or abs(alpha[j]) < abs(alpha[smallest]) - width):
            smallest = j
    return smallest


def solve(K: DoubleArray, problem: Problem, settings: OllaL2Settings) -> OnlineSolution:
    """Run the machine on the kernel matrix of the problem's samples, from nothing."""
    y, C = problem.targets, settings.C
    beta = settings.beta
    scale = np.abs(np.diagonal(K)).max() + beta
    edge = 1.0 + min(1e-3, _ROUNDING * max(1.0, C * scale))

    alpha, b, t = np.zeros(y.size), 0.0, 0.0
    S: list[int] = []
    n_iter = n_updates = 0
    for i, share in visits(problem, settings.order, settings.epochs, settings.seed):
        t += share
        eta = 2.0 / np.sqrt(t)  # line 3
        o = K[i, S] @ alpha[S] + b  # line 14
        n_iter += 1
        if y[i] * o > edge:  # line 4
            continue
        step = share * (eta * C * y[i] - eta * alpha[i])  # line 5
        if i not in S:
            S.append(i)  # line 6
        alpha[i] += step  # line 7
        b += step * beta  # line 8
        n_updates += 1
        if settings.budget and len(S) > settings.budget:
            gone = _oldest_smallest(S, alpha, i, _ROUNDING * C)
            S.remove(gone)
            alpha[gone] = 0.0

    support = np.flatnonzero(alpha)
    return OnlineSolution(
        support=problem.samples[support],
        coef=alpha[support],
        intercept=b,
        status="exhausted",
        n_iter=n_iter,
        counters=SolveCounters(n_updates=n_updates),
        state=alpha[support],
        state_intercept=b,
        t=t,
    )
