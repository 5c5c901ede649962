"""The L1-SVM on a stored kernel matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

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
    found: list[list[DoubleArray]] = [[] for _ in candidates]
    for shared, numbers in alike_but_for(candidates, "C"):
        one = clone(estimator).set_params(**shared)
        gram = make_gram(one)
        Cs = [float(candidates[i].get("C", estimator.C)) for i in numbers]
        for train, test in splits:
            inside, outside = gram[np.ix_(train, train)], gram[np.ix_(test, train)]
            scores = _scores_along_C(inside, outside, signs[train], Cs, float(one.tol))
            for i, score in zip(numbers, scores, strict=True):
                found[i].append(score)
    return found


def _scores_along_C(
    inside: DoubleArray, outside: DoubleArray, signs: DoubleArray, Cs: list[float], tol: float
) -> list[DoubleArray]:
    """Return the scores of what is left out for each penalty, in the given order."""
    scores: list[DoubleArray] = [np.empty(0)] * len(Cs)
    last: DoubleArray | None = None
    coef: DoubleArray | None = None
    for place in np.argsort(Cs, kind="stable"):
        if last is None:
            settings = SmoSettings(C=Cs[place], tol=tol)
            # The coefficients of a smaller penalty are a start within the bounds.
            coef, intercept, _ = solve_gram(inside, signs, np.ones(signs.size), settings, coef)
            score = outside @ coef + intercept
            # Once no coefficient is held back by C, all larger C have the same model.
            if np.abs(coef).max(initial=0.0) < Cs[place]:
                last = score
        scores[place] = score if last is None else last
    return scores
