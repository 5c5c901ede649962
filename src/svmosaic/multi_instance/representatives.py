"""Alternate between an SVM on one representative per bag and the choice of representatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from svmosaic.bags import Bags
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.engine.settings import SmoSettings
from svmosaic.multi_instance.bag_statistics import argmax_in_bags, max_score_in_bags
from svmosaic.multi_instance.gram_svm import solve_gram
from svmosaic.multi_instance.kernel_rows import Columns, KernelRows

__all__ = [
    "Alternation",
    "BagProblem",
    "Rule",
    "StopReason",
    "alternate",
    "best_of_starts",
    "decide_bags",
    "draw_start",
]

StopReason = Literal["fixed", "cycle", "max_passes"]
Rule = Literal["equation", "algorithm"]


@dataclass(frozen=True)
class BagProblem:
    """Two classes of bags, and how their representatives are compared.

    Attributes
    ----------
    bags : Bags
        All bags.
    rows : KernelRows
        Kernel rows of their instances.
    chosen : ndarray of shape (n_chosen,)
        The bags to train on, ascending.
    signs : ndarray of shape (n_chosen,)
        +1 or -1 for each of them.
    weights : ndarray of shape (n_chosen,)
        What C is multiplied by for each of them.
    rule : {"equation", "algorithm"}
        Whether a negative bag prefers its most positive instance, by Eq. 4.11, or its most negative
        one, by lines 13 and 14 of Algorithm 4.1, where outputs are multiplied by the bag's label.
    """

    bags: Bags
    rows: KernelRows
    chosen: IndexArray
    signs: DoubleArray
    weights: DoubleArray
    rule: Rule = "equation"

    @cached_property
    def training(self) -> _ScoredBags:
        """The bags to train on. The others need no score before the SVM is final."""
        return _ScoredBags.of(self, self.chosen)


@dataclass(frozen=True)
class _ScoredBags:
    """Some of the bags, whose instances are scored together."""

    numbers: IndexArray
    bags: Bags
    # Their instances among all.
    instances: IndexArray
    columns: Columns

    @classmethod
    def of(cls, problem: BagProblem, numbers: IndexArray) -> _ScoredBags:
        instances = problem.bags.rows_of(numbers)
        return cls(numbers, problem.bags[numbers], instances, problem.rows.columns(instances))


@dataclass(frozen=True)
class Alternation:
    """Where the alternation ended.

    Attributes
    ----------
    representatives : ndarray of shape (n_chosen,)
        The instance of each training bag that the SVM was solved for.
    coef : ndarray of shape (n_chosen,)
        Signed coefficients.
    intercept : float
        The constant term.
    objective : float
        1/2 |w|^2 + C times the hinge losses of the training bags.
    violation : float
        Of the solver's optimality conditions.
    agreement : ndarray of shape (n_passes,)
        For each pass, the share of bags whose representative the pass left as it was.
    stop_reason : {"fixed", "cycle", "max_passes"}
        Why it ended.
    """

    representatives: IndexArray
    coef: DoubleArray
    intercept: float
    objective: float
    violation: float
    agreement: DoubleArray
    stop_reason: StopReason


@dataclass(frozen=True)
class _Pass:
    """An SVM solved for some representatives, and the representatives that it prefers."""

    representatives: IndexArray
    coef: DoubleArray
    intercept: float
    objective: float
    violation: float
    preferred: IndexArray


def draw_start(bags: Bags, rng: Any) -> IndexArray:
    """Return an instance of each bag, drawn at random."""
    return np.asarray(bags.offsets[:-1] + rng.randint(0, bags.sizes), dtype=np.int64)


def best_of_starts(
    problem: BagProblem, starts: Sequence[IndexArray], settings: SmoSettings, max_passes: int
) -> Alternation:
    """Alternate from several starts and return the end with the least training objective."""
    ends = [alternate(problem, start, settings, max_passes) for start in starts]
    return min(ends, key=lambda end: end.objective)


def alternate(
    problem: BagProblem, start: IndexArray, settings: SmoSettings, max_passes: int
) -> Alternation:
    """Solve for the representatives, choose them again, and so on until a choice comes back.

    Parameters
    ----------
    problem : BagProblem
        The bags.
    start : ndarray of shape (n_bags,)
        The instance to begin with, for every bag.
    settings : SmoSettings
        Of the solver.
    max_passes : int
        The most SVMs to solve.

    Returns
    -------
    Alternation
        The SVM whose representatives are those that it prefers. Unlike Algorithm 4.1, which
        compares with the pass before only and would not end, a cycle ends it too: then it is the
        SVM of the cycle with the least objective, whatever pass the cycle was entered by. After
        `max_passes` it is the one with the least objective of all.
    """
    representatives = start[problem.chosen]
    passes: list[_Pass] = []
    numbers: dict[bytes, int] = {}
    agreement: list[float] = []
    coef: DoubleArray | None = None
    while True:
        done = _solve(problem, representatives, settings, coef)
        numbers[representatives.tobytes()] = len(passes)
        passes.append(done)
        agreement.append(float(np.mean(done.preferred == representatives)))
        again = numbers.get(done.preferred.tobytes())
        if again is not None:
            end = min(passes[again:], key=lambda one: one.objective)
            reason: StopReason = "fixed" if again == len(passes) - 1 else "cycle"
            break
        if len(passes) >= max_passes:
            end, reason = min(passes, key=lambda one: one.objective), "max_passes"
            break
        representatives, coef = done.preferred, done.coef
    return Alternation(
        end.representatives,
        end.coef,
        end.intercept,
        end.objective,
        end.violation,
        np.array(agreement),
        reason,
    )


def _solve(
    problem: BagProblem,
    representatives: IndexArray,
    settings: SmoSettings,
    start: DoubleArray | None,
) -> _Pass:
    gram = problem.rows.gram(representatives)
    # Few representatives change from one pass to the next, so few coefficients do.
    coef, intercept, violation = solve_gram(gram, problem.signs, problem.weights, settings, start)
    training = problem.training
    of_instances = _score_instances(problem, training, representatives, coef)
    best = argmax_in_bags(training.bags, of_instances)
    scores = of_instances[best] + intercept
    if problem.rule == "algorithm":
        lowest = argmax_in_bags(training.bags, -of_instances)
        best = np.where(problem.signs > 0, best, lowest)
    slack = np.maximum(0.0, 1.0 - problem.signs * scores)
    return _Pass(
        representatives=representatives,
        coef=coef,
        intercept=intercept,
        objective=float(coef @ gram @ coef / 2.0 + settings.C * (problem.weights @ slack)),
        violation=violation,
        preferred=training.instances[best],
    )


def decide_bags(problem: BagProblem, end: Alternation, wanted: IndexArray) -> DoubleArray:
    """Return the scores of some of the bags, trained on or not."""
    scored = _ScoredBags.of(problem, wanted)
    of_instances = _score_instances(problem, scored, end.representatives, end.coef)
    return max_score_in_bags(scored.bags, of_instances) + end.intercept


def _score_instances(
    problem: BagProblem, scored: _ScoredBags, representatives: IndexArray, coef: DoubleArray
) -> DoubleArray:
    """Return what the kernel with the representatives gives each instance."""
    return problem.rows.expand(representatives, coef, scored.columns)
