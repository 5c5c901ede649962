"""Epsilon-SVR solved by SMO, as a regressor."""

from __future__ import annotations

import time
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.exceptions import ConvergenceWarning

from svmosaic.classification.convergence import certified_gaps, warn_if_violated
from svmosaic.classification.device_data import DeviceScore, check_targets_on
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
from svmosaic.classification.parameters import DEVICE, POSITIVE_REAL, finite_penalty
from svmosaic.engine.expansion_state import (
    CERTIFICATE,
    KERNEL_ESTIMATOR,
    assemble_one_output,
    check_vectors,
)
from svmosaic.engine.fit_report import ReportedFit, report_fit
from svmosaic.engine.kernels import KernelFunction
from svmosaic.engine.problem import Coefficients, DoubleArray, IndexArray, Problem, Solution
from svmosaic.engine.protocol import solve
from svmosaic.engine.rows import make_rows
from svmosaic.engine.settings import SmoSettings
from svmosaic.utils.declaration import Declaration, expect, row_numbers
from svmosaic.utils.foreign_arrays import follow
from svmosaic.utils.labels import ordered_bits
from svmosaic.utils.sklearn_compat import Interval, fit_context
from svmosaic.utils.state_codec import Scope
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.user_warning import warn_user

__all__ = ["SMORegressor"]


def _check_one_output(model: Any, sizes: Scope) -> None:
    """Compare the support vectors, coefficients and intercept."""
    expect("intercept", sizes["n_outputs"], 1)
    expect("rows of dual_coef", sizes["n_coef_rows"], 1)
    check_vectors(model, sizes)


class SMORegressor(ReportedFit, DeviceScore, RegressorMixin, KernelEstimator):  # type: ignore[misc]
    r"""Support vector regression by sequential minimal optimisation.

    Exact epsilon-SVR: errors up to `epsilon` cost nothing, larger ones count linearly. It solves
    the problem of scikit-learn's ``SVR`` with one variable per sample instead of two.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of errors. A larger C follows the training data more closely and takes longer.
    epsilon : float, default=0.1
        Half the width of the tube in which errors cost nothing, in units of the target. A wider
        tube has fewer support vectors.
    kernel : {"rbf", "linear", "poly", "sigmoid", "laplacian", "precomputed"} or callable, \
            default="rbf"
        The kernel. A callable gets two arrays of samples and returns their kernel values.
    gamma : {"scale", "auto"} or float, default="scale"
        Width of rbf, laplacian, poly and sigmoid kernels. ``"scale"`` is
        1 / (n_features * X.var()), ``"auto"`` is 1 / n_features.
    degree : int, default=3
        Degree of the poly kernel.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted, in units of the target.
    max_iter : int, default=-1
        Limit on updates of each fit. -1 means max(10 million, 100 n_samples), never infinity.
    shrinking : bool, default=True
        Leave out variables that stay at a bound: from 2000 samples on, begin with a few hundred
        and let the worst violators join. The solution is the same.
    warm_start : bool, default=False
        Begin `fit` with the coefficients of the previous `fit` on the same rows.
    n_jobs : int, default=None
        Number of threads. None means 1, unless in a ``joblib.parallel_config`` block; -1 means all
        processors that the process may use. The model does not depend on it.
    cache_mb : float or "auto", default="auto"
        Memory in MB for kernel columns. ``"auto"`` is a quarter of the memory that is free, and no
        more than all columns need. The model does not depend on it.
    memory_limit_mb : float, default=None
        Limit in MB on all that `fit` allocates besides the data. Kernel columns then take what the
        limit leaves, instead of `cache_mb`; when that is too little, `fit` says so before it
        begins.
    max_time : float, default=None
        Limit in seconds on `fit`. When it is reached, the returned model has not converged, and
        `fit` warns.
    device : str, default=None
        Where to compute: ``"cuda"``, or ``"cuda:1"`` for the second GPU, which needs ``pip install
        'svmosaic[gpu]'``, or ``"cpu"``. None is where the data are: a GPU for tensors of PyTorch
        and arrays of CuPy in its memory, else the CPU. Predictions are arrays of the same library
        in the same memory. The fitted model holds NumPy arrays and predicts on the CPU where there
        is no GPU.
    verbose : int, default=0
        If positive, log progress once a second.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Rows of the training data that are support vectors.
    support_vectors_ : {ndarray, sparse matrix} of shape (n_support, n_features)
        The support vectors; empty for a precomputed kernel.
    n_support_ : ndarray of shape (1,)
        Number of support vectors.
    dual_coef_ : ndarray of shape (1, n_support)
        Coefficients.
    intercept_ : ndarray of shape (1,)
        Constant term.
    expansion_ : KernelExpansion
        The fitted model: kernel, support vectors, coefficients and intercepts. The attributes
        `support_vectors_`, `dual_coef_` and `intercept_` are views of it.
    coef_ : ndarray of shape (1, n_features)
        Feature weights, for the linear kernel.
    n_iter_ : ndarray of shape (1,)
        Updates.
    stop_reason_ : ndarray of shape (1,)
        ``"converged"``, ``"max_iter"`` or ``"max_time"``.
    dual_gap_ : ndarray of shape (1,)
        Primal minus dual objective: never less than the distance to the optimum; nan after
        ``max_time`` and where the kernel is not positive semidefinite.
    objective_ : ndarray of shape (1,)
        Dual objective reached.
    fit_report_ : FitReport
        What `fit` did and what it cost: kernel values, updates, memory, threads, seconds; print it.
        Model files do not hold it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had them.

    See Also
    --------
    SMOClassifier : The same solver for classification.

    Notes
    -----
    The dual problem is

    .. math:: \max_\beta \sum_i t_i \beta_i - \epsilon \sum_i |\beta_i| - \tfrac12 \sum_{ij}
       \beta_i \beta_j k(x_i, x_j), \quad |\beta_i| \le C w_i, \quad \sum_i \beta_i = 0.

    References
    ----------
    .. [1] R.-E. Fan, P.-H. Chen, C.-J. Lin (2005), "Working Set Selection Using Second Order
       Information for Training Support Vector Machines", JMLR 6, 1889-1918.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic import SMORegressor
    >>> X = np.linspace(0, 3, 50)[:, None]
    >>> model = SMORegressor(C=10.0, epsilon=0.01).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict([[1.5]])[0] - np.sin(1.5)) < 0.02)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelEstimator._parameter_constraints,
        **DEVICE,
        "C": POSITIVE_REAL,
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "tol": POSITIVE_REAL,
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "shrinking": ["boolean"],
        "memory_limit_mb": [*POSITIVE_REAL, None],
        "warm_start": ["boolean"],
    }

    _model_file = Declaration(
        {**KERNEL_ESTIMATOR, "n_support_": row_numbers("n_outputs"), **CERTIFICATE},
        (_check_one_output,),
        assemble_one_output,
    )

    def __init__(
        self,
        *,
        C: float = 1.0,
        epsilon: float = 0.1,
        kernel: str | KernelFunction = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        max_iter: int = -1,
        shrinking: bool = True,
        warm_start: bool = False,
        n_jobs: int | None = None,
        cache_mb: float | Literal["auto"] = "auto",
        memory_limit_mb: float | None = None,
        max_time: float | None = None,
        device: str | None = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.shrinking = shrinking
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.cache_mb = cache_mb
        self.memory_limit_mb = memory_limit_mb
        self.max_time = max_time
        self.device = device
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the regressor to training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples; for ``kernel="precomputed"``, kernel values of shape
            (n_samples, n_samples). float32 and float64 are kept as they are.
        y : array-like of shape (n_samples,)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight means repetition: 2 counts the row twice, 0 leaves it out.

        Returns
        -------
        self : object
            The fitted regressor.
        """
        began = time.perf_counter()
        X, y = check_targets_on(self, X, y)
        check_square(X, self._trained_kernel, type(self).__name__)
        weights = check_weights(X, sample_weight, type(self).__name__)

        rows = make_rows(X, self._trained_kernel)
        # Rows are copies of each other when their targets are equal too.
        samples, sample_weights = distinct_samples(
            X,
            self._trained_kernel,
            ordered_bits(y),
            weights,
            n_threads=resolve_threads(self.n_jobs),
        )
        kernel = resolve_kernel(self, X, samples, sample_weights)
        problem = Problem(
            samples, y[samples], sample_weights, initial=self._initial_coefficients(samples)
        )
        prepared = time.perf_counter()
        (solution,) = solve(
            rows,
            kernel,
            [problem],
            SmoSettings(
                loss="epsilon_insensitive",
                C=finite_penalty(self.C),
                epsilon=float(self.epsilon),
                tol=float(self.tol),
                max_iter=max(0, int(self.max_iter)),
                shrinking=bool(self.shrinking),
                cache_mb=kernel_cache_mb(self, rows, [problem]),
            ),
            **run_options(self),
            device=self.device,
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
        # Targets inside the tube need no update; the check of optimality counts as one.
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
        return self

    def _initial_coefficients(self, samples: IndexArray) -> DoubleArray | None:
        if not self.warm_start or not hasattr(self, "expansion_"):
            return None
        of_row = dict(zip(self.support_.tolist(), self.dual_coef_[0].tolist(), strict=True))
        return np.array([of_row.get(row, 0.0) for row in samples.tolist()])

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
        return "Scale features and target or raise max_iter"

    def predict(self, X: Any) -> Any:
        """Return the value of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples; for ``kernel="precomputed"``, kernel values against the training samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted values.
        """
        return follow(self._output_values(self._check_rows(X))[:, 0], X)
