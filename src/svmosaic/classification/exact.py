"""What classifiers with one exact solver share: the run, its figures, its warnings."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from svmosaic.classification.convergence import certified_gaps, warn_if_unfinished
from svmosaic.classification.kernel_classifier import KernelClassifier
from svmosaic.classification.kernel_estimator import kernel_cache_mb, run_options
from svmosaic.classification.training import Training
from svmosaic.engine.definiteness import Intercept
from svmosaic.engine.expansion_state import CERTIFICATE
from svmosaic.engine.fit_report import ReportedFit
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import Solution
from svmosaic.engine.protocol import solve
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.user_warning import warn_user

__all__ = ["ExactKernelClassifier"]


class ExactKernelClassifier(ReportedFit, KernelClassifier):
    """Base of the classifiers whose binary problems one call of an exact solver solves.

    A subclass implements `_settings`.
    """

    _model_file = KernelClassifier._model_file.extend(CERTIFICATE)

    tol: float
    max_iter: int | None

    # The L2-SVMs have it in the norm.
    _intercept: Intercept = "regularised"
    # Most variables of a joint step; `memory_limit_mb` counts their kernel matrix and its factor.
    _n_joint = 0

    def _settings(self) -> Any:
        """Return the settings, which name the solver; `cache_mb` is set later."""
        raise NotImplementedError(f"{type(self).__name__} does not name its solver.")

    def _solve(self, training: Training) -> tuple[KernelSpec, list[Solution]]:
        rows, problems = training.rows, training.problems
        kernel = self._training_kernel(training)
        n = min(max(p.samples.size for p in problems), self._n_joint)
        matrices = 2.0 * 8.0 * resolve_threads(self.n_jobs) * n**2
        settings = self._settings()
        settings.cache_mb = kernel_cache_mb(self, rows, problems, matrices)
        solutions: list[Solution] = solve(rows, kernel, problems, settings, **run_options(self))
        lost = sum(s.status == "indefinite" for s in solutions)
        if lost:
            warn_user(
                f"The kernel of {type(self).__name__} is not positive semidefinite on these "
                f"samples, so {lost} of {len(solutions)} binary problems have no solution. The "
                "returned model has not converged; use another kernel, change its parameters or "
                "lower C.",
                ConvergenceWarning,
            )
        warn_if_unfinished(self, solutions, "scale the features, lower C or raise {limit}")
        return kernel, solutions

    def _set_fitted(
        self, training: Training, kernel: KernelSpec, solutions: list[Solution]
    ) -> None:
        super()._set_fitted(training, kernel, solutions)
        self.dual_gap_ = certified_gaps(
            self, training.X, kernel, training.problems, solutions, self._intercept
        )
        self.objective_ = np.array([s.objective for s in solutions])
