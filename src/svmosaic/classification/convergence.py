"""Warnings about binary problems that a solver did not finish, with the measurement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from svmosaic.engine.problem import Solution
from svmosaic.utils.user_warning import warn_user

__all__ = ["warn_if_late", "warn_if_unfinished", "warn_if_violated"]


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
    """Warn if the optimality conditions are violated by more than `tol`, after so many updates."""
    if violation > estimator.tol:
        after = "" if n_iter is None else f" after {n_iter} updates"
        warn_user(
            f"{type(estimator).__name__} stopped with violation {violation:.1e} "
            f"(tol={estimator.tol:g}){after}. {advice}.",
            ConvergenceWarning,
        )
