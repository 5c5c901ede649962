"""The L1-SVM on a stored kernel matrix."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from svmosaic.engine import cpu
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DoubleArray, PairwiseRows, Problem
from svmosaic.engine.protocol import solve
from svmosaic.engine.settings import SmoSettings
from svmosaic.multi_instance.bag_learner import Candidate
from svmosaic.multi_instance.inner_folds import Splits, alike_but_for

__all__ = ["GramSolution", "score_left_out_on_gram", "solve_gram"]


class GramSolution(NamedTuple):
    """Signed coefficients of all rows of the matrix, the constant term, the solver's violation."""

    coef: DoubleArray
    intercept: float
    violation: float


def solve_gram(
    gram: DoubleArray,
    signs: DoubleArray,
    weights: DoubleArray,
    settings: SmoSettings,
    start: DoubleArray | None = None,
) -> GramSolution:
    """Solve the L1-SVM on a kernel matrix, from signed coefficients if they are given."""
    n = signs.size
    (solution,) = solve(
        PairwiseRows(np.ascontiguousarray(gram)),
        KernelSpec("precomputed"),
        [Problem(np.arange(n, dtype=np.int64), signs, weights, initial=start)],
        settings,
    )
    coef = np.zeros(n)
    coef[solution.support] = solution.coef
    return GramSolution(coef, float(solution.intercept), float(solution.violation))


def score_left_out_on_gram(
    estimator: Any,
    make_gram: Callable[[Any], DoubleArray],
    signs: DoubleArray,
    splits: Splits,
    candidates: Sequence[Candidate],
) -> list[list[DoubleArray]]:
    """Return for each candidate the scores of what each split leaves out.

    `make_gram` gets a copy of the estimator and returns its kernel matrix, which serves all splits
    and all candidates that differ in C only.
    """

    def penalty(candidate: Candidate) -> float:
        return float(candidate.get("C", estimator.C))

    found: list[list[DoubleArray]] = [[] for _ in candidates]
    for shared, numbers in alike_but_for(candidates, "C"):
        one = copy.copy(estimator).set_params(**shared)
        gram = np.ascontiguousarray(make_gram(one))
        numbers = sorted(numbers, key=lambda i: penalty(candidates[i]))
        Cs = np.array([penalty(candidates[i]) for i in numbers])
        scores = cpu.score_left_out(gram, signs, splits, Cs, SmoSettings(tol=float(one.tol)))
        for i, score in zip(numbers, scores, strict=True):
            found[i] = score
    return found
