"""Parameter tuning in plain NumPy: every candidate fitted to every training part on its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations, product

import numpy as np

from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DoubleArray, IndexArray, Problem, Solution
from svmosaic.engine.tasks import TuneSettings
from twins import ollawv, smo
from twins.kernels import gram

__all__ = ["tune"]


def tune(
    X: DoubleArray,
    kernel: KernelSpec,
    labels: IndexArray,
    weights: DoubleArray,
    splits: Sequence[tuple[IndexArray, IndexArray]],
    settings: TuneSettings,
    start: Callable[[Problem], int],
) -> tuple[DoubleArray, DoubleArray]:
    """Return what `svmosaic.engine.cpu.tune_ollawv` returns, one fit after the other.

    `start` finds the sample where a selection begins.
    """
    n_classes = int(labels.max()) + 1
    cells = (settings.gammas.size, settings.margins.size, settings.Cs.size, len(splits))
    confusion = np.zeros((*cells, n_classes, n_classes))
    n_support = np.zeros(cells)
    for cell in product(*map(range, cells)):
        g, m, c, s = cell
        train, test = (rows[weights[rows] > 0] for rows in splits[s])
        K = gram(X, X, replace(kernel, gamma=float(settings.gammas[g])))
        samples, sample_weights = _distinct(X, labels, weights, train)
        classes = np.unique(labels[samples])
        solutions = [
            _solve(
                K,
                replace(problem, first=start(problem)),
                float(settings.margins[m]),
                float(settings.Cs[c]),
                settings,
            )
            for problem in _problems(samples, labels, sample_weights, classes, settings.multi_class)
        ]
        decisions = np.column_stack(
            [K[np.ix_(test, s.support)] @ s.coef + s.intercept for s in solutions]
        )
        predicted = classes[_decide(decisions, classes.size, settings.multi_class)]
        np.add.at(confusion[cell], (labels[test], predicted), weights[test])
        n_support[cell] = np.unique(np.concatenate([s.support for s in solutions])).size
    return confusion, n_support


def _distinct(
    X: DoubleArray, labels: IndexArray, weights: DoubleArray, rows: IndexArray
) -> tuple[IndexArray, DoubleArray]:
    """Return the first copies of the distinct (row, label) patterns, sorted, and their weights."""
    rows = np.sort(rows)
    patterns = np.column_stack([X[rows], labels[rows]])
    _, first, pattern = np.unique(patterns, axis=0, return_index=True, return_inverse=True)
    totals: DoubleArray = np.bincount(pattern.ravel(), weights[rows]).astype(np.float64)
    return rows[first], totals


def _machines(n_classes: int, multi_class: str) -> list[tuple[int, int]]:
    if n_classes == 2:
        return [(1, 0)]
    if multi_class == "ovr":
        return [(c, -1) for c in range(n_classes)]
    return list(combinations(range(n_classes), 2))


def _problems(
    samples: IndexArray,
    labels: IndexArray,
    weights: DoubleArray,
    classes: IndexArray,
    multi_class: str,
) -> list[Problem]:
    local = np.searchsorted(classes, labels[samples])
    problems = []
    for positive, negative in _machines(classes.size, multi_class):
        part = np.ones(local.size, bool) if negative < 0 else np.isin(local, (positive, negative))
        targets = np.where(local[part] == positive, 1.0, -1.0)
        problems.append(Problem(samples[part], targets, weights[part]))
    return problems


def _solve(
    K: DoubleArray, problem: Problem, margin: float, C: float, settings: TuneSettings
) -> Solution:
    rows = problem.samples
    K = K[np.ix_(rows, rows)]
    refine = settings.solver.refine
    if refine.refinement == "none":
        return ollawv.solve(K, problem, settings.solver.replaced(margin=margin, C=1.0))
    exact = smo.solve(K, problem.targets, C * problem.weights, tol=refine.tol)
    return replace(exact, support=rows[exact.support])


def _decide(decisions: DoubleArray, n_classes: int, multi_class: str) -> IndexArray:
    if n_classes == 2:
        return (decisions[:, 0] > 0).astype(np.int64)
    if multi_class == "ovr":
        return np.asarray(decisions.argmax(axis=1))
    votes = np.zeros((decisions.shape[0], n_classes))
    sums = np.zeros_like(votes)
    for m, (i, j) in enumerate(combinations(range(n_classes), 2)):
        votes[:, i] += decisions[:, m] > 0
        votes[:, j] += decisions[:, m] <= 0
        sums[:, i] += decisions[:, m]
        sums[:, j] -= decisions[:, m]
    # Votes first, then sums: squeezed below half a vote, they order ties only.
    return np.asarray((votes + sums / (3 * (np.abs(sums) + 1))).argmax(axis=1))
