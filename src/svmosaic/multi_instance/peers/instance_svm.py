"""What MI-SVM and mi-SVM share: an SVM on instances, solved again and again from where it stood."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from svmosaic.bags import Bags
from svmosaic.classification.convergence import warn_if_violated
from svmosaic.classification.parameters import CACHE_MB, POSITIVE_COUNT, POSITIVE_REAL
from svmosaic.engine.kernels import KernelSpec, kernel_spec
from svmosaic.engine.memory import automatic_cache_mb
from svmosaic.engine.problem import DoubleArray, IndexArray, Problem, Solution
from svmosaic.engine.protocol import solve
from svmosaic.engine.rows import make_rows
from svmosaic.engine.settings import SmoSettings
from svmosaic.engine.views import ExpansionViews
from svmosaic.multi_instance.bag_statistics import max_score_in_bags
from svmosaic.multi_instance.instance_kernel import one_output
from svmosaic.multi_instance.instance_scorer import InstanceScorer
from svmosaic.utils.sklearn_compat import Interval, StrOptions
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.user_warning import warn_user

__all__ = ["InstanceSVM"]


class InstanceSVM(ExpansionViews, InstanceScorer):
    """Base of SVMs on instances whose bag is as positive as its most positive instance."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": POSITIVE_REAL,
        "kernel": [StrOptions({"rbf", "linear", "poly", "sigmoid", "laplacian"})],
        "gamma": [StrOptions({"scale", "auto"}), *POSITIVE_REAL],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": POSITIVE_REAL,
        "max_passes": POSITIVE_COUNT,
        "cache_mb": CACHE_MB,
        "n_jobs": [Integral, None],
    }

    gamma_: float
    n_passes_: int

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        max_passes: int = 50,
        cache_mb: float | Literal["auto"] = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_passes = max_passes
        self.cache_mb = cache_mb
        self.n_jobs = n_jobs

    def _solve(
        self, X: Any, samples: IndexArray, targets: DoubleArray, start: DoubleArray | None
    ) -> Solution:
        """Solve the L1-SVM on some rows of `X`, from signed coefficients of these rows."""
        problem = Problem(samples, targets, np.ones(samples.size), initial=start)
        rows, n_threads = make_rows(X, self.kernel), resolve_threads(self.n_jobs)
        automatic = isinstance(self.cache_mb, str)
        cache_mb = automatic_cache_mb(rows, [problem], n_threads) if automatic else self.cache_mb
        settings = SmoSettings(C=float(self.C), tol=float(self.tol), cache_mb=float(cache_mb))
        solution: Solution
        (solution,) = solve(rows, self._spec(), [problem], settings, n_threads=n_threads)
        warn_if_violated(self, solution.violation, "Scale the features", solution.n_iter)
        return solution

    def _keep(self, X: Any, solution: Solution) -> None:
        """Set what prediction needs."""
        self.expansion_ = one_output(
            self._spec(), X[solution.support], solution.coef, solution.intercept
        )

    def _score(self, X: Any) -> DoubleArray:
        """Return the decision values of instances."""
        values = self.expansion_.decide(X, n_threads=resolve_threads(self.n_jobs))
        return values[:, 0]

    def _warn_of_passes(self) -> None:
        warn_user(
            f"{type(self).__name__} stopped at max_passes={self.max_passes}, before a choice of "
            "instances came back. The model is that of the last pass; raise max_passes.",
            ConvergenceWarning,
        )

    def _decide_binary(self, bags: Bags) -> DoubleArray:
        return max_score_in_bags(bags, self._score(bags.instances))

    def _spec(self) -> KernelSpec:
        return kernel_spec(self.kernel, self.gamma_, self.degree, self.coef0)
