"""Tuning of epsilon-SVR in plain NumPy: each candidate fitted to each training part by itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from svmosaic.engine.problem import DoubleArray, Solution
from svmosaic.engine.tasks import RegressionLink, RegressionTuneSettings, TunedRegression
from twins import smo

__all__ = ["tune"]


def tune(
    distances: DoubleArray,
    targets: DoubleArray,
    columns: DoubleArray,
    links: Sequence[RegressionLink],
    weights: DoubleArray,
    folds: tuple[DoubleArray, DoubleArray],
    settings: RegressionTuneSettings,
) -> list[TunedRegression]:
    """Return what `svmosaic.engine.cpu.tune_regression` returns for a complete search."""
    return [_tune(distances, targets, columns, link, weights, folds, settings) for link in links]


def _tune(
    distances: DoubleArray,
    targets: DoubleArray,
    columns: DoubleArray,
    link: RegressionLink,
    weights: DoubleArray,
    folds: tuple[DoubleArray, DoubleArray],
    settings: RegressionTuneSettings,
) -> TunedRegression:
    target = targets[link.target]
    errors = np.zeros(settings.n_candidates)
    held_out = np.full((settings.n_candidates, target.size), np.nan)
    for number in range(settings.n_candidates):
        gamma, C, epsilon = settings.candidate(number)
        # The kernel of the widened samples is a product of kernels.
        K = np.exp(-gamma * distances)
        for column in columns[link.columns]:
            K = K * np.exp(-gamma * _between(column[None], settings.absolute))
        for train, test in zip(*folds, strict=True):
            coef, intercept, _ = _fit(K, target, C * train, epsilon, settings.tol)
            tested = test > 0
            held_out[number, tested] = K[tested] @ coef + intercept
            errors[number] += test[tested] @ (held_out[number, tested] - target[tested]) ** 2
    best = int(np.argmin(errors))
    gamma, C, epsilon = settings.candidate(best)
    K = np.exp(-gamma * (distances + _between(columns[link.columns], settings.absolute)))
    coef, intercept, solution = _fit(K, target, C * weights, epsilon, settings.tol)
    return TunedRegression(
        errors if len(folds[0]) else np.full(errors.shape, np.inf),
        best,
        held_out[best],
        coef,
        intercept,
        solution.violation,
        solution.counters.n_updates,
        solution.objective,
    )


def _between(columns: DoubleArray, absolute: bool) -> DoubleArray:
    differences = columns[:, :, None] - columns[:, None, :]
    return np.asarray((np.abs(differences) if absolute else differences**2).sum(axis=0))


def _fit(
    K: DoubleArray, target: DoubleArray, upper: DoubleArray, epsilon: float, tol: float
) -> tuple[DoubleArray, float, Solution]:
    rows = np.flatnonzero(upper > 0)
    solution = smo.solve(K[np.ix_(rows, rows)], target[rows], upper[rows], tol=tol, epsilon=epsilon)
    coef = np.zeros(target.size)
    coef[rows[solution.support]] = solution.coef
    return coef, solution.intercept, solution
