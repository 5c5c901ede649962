"""What a solver says of its solutions: warnings with the measurement, gaps that hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from svmosaic.engine.definiteness import Intercept, is_known_semidefinite, is_semidefinite_on
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DoubleArray, Problem, Solution
from svmosaic.utils.user_warning import warn_user

__all__ = ["certified_gaps", "warn_if_late", "warn_if_unfinished", "warn_if_violated"]


def certified_gaps(
    estimator: Any,
    X: Any,
    kernel: KernelSpec,
    problems: Sequence[Problem],
    solutions: Sequence[Solution],
    intercept: Intercept = "free",
) -> DoubleArray:
    """Return the dual gaps; nan, with a warning, where the kernel is not positive semidefinite.

    A gap bounds the distance to the optimum only if the problem is convex.
    """
    gaps = np.array([s.dual_gap for s in solutions])
    if is_known_semidefinite(kernel) or np.isnan(gaps).all():
        return gaps
    everyone = np.unique(np.concatenate([p.samples for p in problems]))
    if is_semidefinite_on(kernel, X, everyone, intercept):
        return gaps
    bad = [not is_semidefinite_on(kernel, X, p.samples, intercept) for p in problems]
    gaps[bad] = np.nan
    if any(bad) and all(s.status != "indefinite" for s in solutions):
        warn_user(
            f"The kernel of {type(estimator).__name__} is not positive semidefinite on these "
            f"samples, so {sum(bad)} of {len(bad)} binary problems are not convex. Their solutions "
            "may be far from the optimum, and their dual_gap_ is nan. Use another kernel or change "
            "its parameters.",
            ConvergenceWarning,
        )
    return gaps


def warn_if_late(estimator: Any, solutions: Sequence[Solution], advice: str) -> bool:
    """Warn if `max_time` ended a solver, and return whether it did."""
    late = sum(s.status == "max_time" for s in solutions)
    if late:
        warn_user(
            f"{type(estimator).__name__} stopped at max_time={estimator.max_time:g} s with {late} "
            f"of {len(solutions)} binary problems unfinished. The returned model has not "
            f"converged; {advice}.",
            ConvergenceWarning,
        )
    return late > 0


def warn_if_unfinished(estimator: Any, solutions: Sequence[Solution], advice: str) -> None:
    """Warn if `max_time` or `max_iter` ended an exact solver; `{limit}` in the advice is which."""
    unfinished = [s for s in solutions if s.status in ("max_time", "max_iter")]
    if not unfinished:
        return
    late = any(s.status == "max_time" for s in unfinished)
    limit = "max_time" if late else "max_iter"
    value = f"{estimator.max_time:g} s" if late else str(estimator.max_iter or "auto")
    worst = max(s.violation for s in unfinished)
    warn_user(
        f"{type(estimator).__name__} stopped at {limit}={value} with {len(unfinished)} of "
        f"{len(solutions)} binary problems unfinished and violation {worst:.1e} "
        f"(tol={estimator.tol:g}). The returned model has not converged; "
        f"{advice.format(limit=limit)}.",
        ConvergenceWarning,
    )


def warn_if_violated(
    estimator: Any, violation: float, advice: str, n_iter: int | None = None
) -> None:
    """Warn if optimality conditions are violated by more than `tol` after `n_iter` updates."""
    if violation > estimator.tol:
        after = "" if n_iter is None else f" after {n_iter} updates"
        warn_user(
            f"{type(estimator).__name__} stopped with violation {violation:.1e} "
            f"(tol={estimator.tol:g}){after}. {advice}.",
            ConvergenceWarning,
        )
