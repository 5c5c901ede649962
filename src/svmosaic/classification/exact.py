"""What classifiers with one exact solver share: the run, its figures, its warnings."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from svmosaic.classification.kernel_classifier import KernelClassifier, TrainingSet
from svmosaic.engine.expansion_state import CERTIFICATE
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import Problem, Rows, Solution
from svmosaic.engine.protocol import solve
from svmosaic.utils.progress import current_progress
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.user_warning import warn_user

__all__ = ["ExactKernelClassifier"]


class ExactKernelClassifier(KernelClassifier):
    """Base of the classifiers whose machines come from one call of an exact solver.

    A subclass implements `_settings`.
    """

    _model_file = KernelClassifier._model_file.extend(CERTIFICATE)

    tol: float
    max_iter: int | None

    def _settings(self) -> Any:
        """Return the settings, which name the solver."""
        raise NotImplementedError(f"{type(self).__name__} does not name its solver.")

    def _solve(self, rows: Rows, kernel: KernelSpec, problems: list[Problem]) -> list[Solution]:
        settings = self._settings()
        settings.cache_mb = self._cache_mb(rows, problems)
        solutions: list[Solution] = solve(
            rows,
            kernel,
            problems,
            settings,
            n_threads=resolve_threads(self.n_jobs),
            max_time=self.max_time or 0.0,
            progress=current_progress(type(self).__name__, self.verbose),
        )
        self._warn_if_cut_short(solutions)
        return solutions

    def _warn_if_cut_short(self, solutions: list[Solution]) -> None:
        lost = sum(s.status == "indefinite" for s in solutions)
        if lost:
            warn_user(
                f"The kernel of {type(self).__name__} is not positive semidefinite on these "
                f"samples, so {lost} of {len(solutions)} machines have no solution. The model is "
                f"what was reached; use another kernel, change its parameters or lower C.",
                ConvergenceWarning,
            )
        unfinished = [s for s in solutions if s.status in ("max_time", "max_iter")]
        if not unfinished:
            return
        late = any(s.status == "max_time" for s in unfinished)
        limit = f"max_time={self.max_time:g} s" if late else f"max_iter={self.max_iter or 'auto'}"
        worst = max(s.violation for s in unfinished)
        warn_user(
            f"{type(self).__name__} stopped at {limit} with {len(unfinished)} of "
            f"{len(solutions)} machines unfinished and violation {worst:.1e} (tol={self.tol:g}). "
            f"The model is what was reached; scale the features, lower C or raise "
            f"{'max_time' if late else 'max_iter'}.",
            ConvergenceWarning,
        )

    def _record(
        self, solutions: list[Solution], problems: list[Problem], training: TrainingSet
    ) -> None:
        self.dual_gap_ = np.array([s.dual_gap for s in solutions])
        self.objective_ = np.array([s.objective for s in solutions])
