"""What estimators with one function share: the run of an exact solver, figures, warnings."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from svmosaic.classification.convergence import certified_gaps, warn_if_violated
from svmosaic.classification.kernel_estimator import (
    KernelEstimator,
    check_square,
    check_weights,
    distinct_samples,
    expansion_of_rows,
    kernel_cache_mb,
    resolve_kernel,
    run_options,
)
from svmosaic.engine.expansion_state import (
    CERTIFICATE,
    KERNEL_ESTIMATOR,
    assemble_one_output,
    check_vectors,
)
from svmosaic.engine.fit_report import ReportedFit, report_fit
from svmosaic.engine.problem import Coefficients, DoubleArray, IndexArray, Problem, Solution
from svmosaic.engine.protocol import solve
from svmosaic.engine.rows import make_rows
from svmosaic.utils.declaration import Declaration, expect, row_numbers
from svmosaic.utils.labels import ordered_bits
from svmosaic.utils.state_codec import Scope
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.user_warning import warn_user

__all__ = ["OneOutputEstimator"]


def _check_one_output(model: Any, sizes: Scope) -> None:
    """Compare the support vectors, coefficients and intercept."""
    expect("intercept", sizes["n_outputs"], 1)
    expect("rows of dual_coef", sizes["n_coef_rows"], 1)
    check_vectors(model, sizes)


class OneOutputEstimator(ReportedFit, KernelEstimator):
    """Base of the estimators whose model is one function, found by one call of an exact solver.

    A subclass implements `_settings`.
    """

    _model_file = Declaration(
        {**KERNEL_ESTIMATOR, "n_support_": row_numbers("n_outputs"), **CERTIFICATE},
        (_check_one_output,),
        assemble_one_output,
    )

    tol: float
    max_iter: int

    # What a warning about violated conditions advises.
    _advice = "Scale the features or raise max_iter"

    def _settings(self) -> Any:
        """Return the settings, which name the solver; `cache_mb` is set later."""
        raise NotImplementedError(f"{type(self).__name__} does not name its solver.")

    def _initial_coefficients(self, samples: IndexArray) -> DoubleArray | None:
        """Return coefficients to begin with, one per sample, if there are any."""
        return None

    def _fit_rows(self, X: Any, targets: DoubleArray, sample_weight: Any, began: float) -> Solution:
        """Solve on checked rows and set the fitted attributes; `began` is when `fit` did."""
        check_square(X, self._trained_kernel, type(self).__name__)
        weights = check_weights(X, sample_weight, type(self).__name__)
        rows = make_rows(X, self._trained_kernel)
        # Rows are copies of each other when their targets are equal too.
        samples, sample_weights = distinct_samples(
            X,
            self._trained_kernel,
            ordered_bits(targets),
            weights,
            n_threads=resolve_threads(self.n_jobs),
        )
        kernel = resolve_kernel(self, X, samples, sample_weights)
        initial = self._initial_coefficients(samples)
        problem = Problem(samples, targets[samples], sample_weights, initial=initial)
        prepared = time.perf_counter()
        settings = self._settings()
        settings.cache_mb = kernel_cache_mb(self, rows, [problem])
        solution: Solution
        (solution,) = solve(
            rows, kernel, [problem], settings, **run_options(self), device=self.device
        )
        self._warn_if_not_converged(solution)
        order = np.argsort(solution.support)
        support = solution.support[order]
        self.expansion_ = expansion_of_rows(
            kernel,
            X,
            support,
            Coefficients.of_matrix(solution.coef[order][:, np.newaxis]),
            np.array([solution.intercept]),
        )
        self.support_ = support.astype(np.int32)
        self.n_support_ = np.array([order.size], dtype=np.int32)
        # A start that is optimal needs no update; the check of optimality counts as one.
        self.n_iter_ = np.array([max(1, solution.n_iter)])
        self.stop_reason_ = np.array([solution.status])
        self.dual_gap_ = certified_gaps(self, X, kernel, [problem], [solution])
        self.objective_ = np.array([solution.objective])
        self._fit_report = report_fit(
            self,
            [problem],
            [solution],
            n_samples=samples.size,
            seconds=time.perf_counter() - began,
            preparation_seconds=prepared - began,
        )
        return solution

    def _warn_if_not_converged(self, solution: Solution) -> None:
        if solution.status == "max_time":
            warn_user(
                f"{type(self).__name__} stopped at max_time={self.max_time:g} s. The returned "
                "model has not converged; raise max_time or tol.",
                ConvergenceWarning,
            )
        else:
            warn_if_violated(self, solution.violation, self._iteration_advice(), solution.n_iter)

    def _iteration_advice(self) -> str:
        """Return what to do when the updates did not suffice."""
        return self._advice
