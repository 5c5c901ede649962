"""NL-SGD in plain NumPy: Algorithm B of Melki and Kecman (2016), with the history it averages."""

from __future__ import annotations

import numpy as np

from svmosaic.engine.counters import SolveCounters
from svmosaic.engine.problem import DoubleArray, Problem
from svmosaic.engine.settings import KernelSgdSettings
from svmosaic.engine.tasks import OnlineSolution
from twins.sampling import visits

__all__ = ["solve"]


def solve(K: DoubleArray, problem: Problem, settings: KernelSgdSettings) -> OnlineSolution:
    """Run the machine on the kernel matrix of the problem's samples, from nothing."""
    y, C = problem.targets, settings.C
    constant = 1.0 if settings.fit_intercept else 0.0
    scale = np.abs(np.diagonal(K)).max() + constant
    edge = 1.0 - min(1e-3, 1e-12 * max(1.0, C * scale))
    total = settings.epochs * problem.weights.sum()

    beta, t = np.zeros(y.size), 0.0
    n_iter = n_updates = 0
    history: list[DoubleArray] = []
    shares: list[float] = []
    for i, share in visits(problem, settings.order, settings.epochs, settings.seed):
        t += share
        if C * y[i] * (beta @ (K[:, i] + constant)) < edge * t:
            beta[i] += share * y[i]
            n_updates += 1
        n_iter += 1
        if t > total - settings.average * total + 1e-9 * min(1.0, total):
            history.append(C * beta / t)
            shares.append(share)

    averages = settings.average > 0.0 and bool(history)
    alpha = np.average(history, axis=0, weights=shares) if averages else C * beta / t
    support = np.flatnonzero(beta)
    return OnlineSolution(
        support=problem.samples[support],
        coef=alpha[support],
        intercept=float(constant * alpha.sum()),
        status="exhausted",
        n_iter=n_iter,
        counters=SolveCounters(n_updates=n_updates),
        state=beta[support],
        state_intercept=float(constant * beta.sum()),
        t=t,
    )
