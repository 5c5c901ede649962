"""The L1-SVM solved by SMO, as a classifier."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils import check_random_state

from svmosaic.classification.convergence import warn_if_late, warn_if_violated
from svmosaic.classification.exact import ExactKernelClassifier
from svmosaic.classification.kernel_estimator import kernel_cache_mb, run_options
from svmosaic.classification.parameters import (
    DEVICE,
    MEMORY_LIMIT,
    POSITIVE_REAL,
    finite_penalty,
)
from svmosaic.classification.training import Training
from svmosaic.engine.class_pairs import MultiClass
from svmosaic.engine.definiteness import Intercept
from svmosaic.engine.kernels import KernelFunction, KernelSpec
from svmosaic.engine.problem import Problem, Solution
from svmosaic.engine.protocol import solve
from svmosaic.engine.settings import SimpleSmoSettings, SmoSettings
from svmosaic.utils.sklearn_compat import Interval, StrOptions

__all__ = ["SMOClassifier"]


class SMOClassifier(ExactKernelClassifier):
    r"""Support vector classifier by sequential minimal optimisation.

    The exact L1-SVM (C-SVC), solved pair by pair with second-order working sets, shrinking and a
    cache of kernel columns. It solves the problem of scikit-learn's ``SVC``.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of errors. A larger C follows the training data more closely and takes longer.
    kernel : {"rbf", "linear", "poly", "sigmoid", "laplacian", "precomputed"} or callable, \
            default="rbf"
        The kernel. A callable gets two arrays of samples and returns their kernel values.
    gamma : {"scale", "auto", "cbp", "cbp-radius"} or float, default="scale"
        Width of rbf, laplacian, poly and sigmoid kernels. ``"scale"`` is 1 / (n_features *
        X.var()), ``"auto"`` is 1 / n_features, ``"cbp"`` and ``"cbp-radius"`` are 1 / (2 sigma^2)
        of `peak_sigma` and `radius_sigma`, for rbf and dense samples. A larger gamma gives a more
        flexible boundary.
    degree : int, default=3
        Degree of the poly kernel.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted.
    max_iter : int, default=-1
        Limit on updates of each binary problem. -1 means max(10 million, 100 n_samples), never
        infinity.
    shrinking : bool, default=True
        Leave out variables that stay at a bound: from 2000 samples on, begin with a few hundred
        and let the worst violators join. The solution is the same.
    variant : {"second_order", "simple"}, default="second_order"
        ``"simple"`` is the randomised SMO of textbooks, for comparison: every sample in turn with
        a partner drawn at random, until a sweep changes nothing much. It need not reach the
        optimum; `n_iter_` counts sweeps and `max_iter` = -1 means 10 000 of them.
    random_state : int, RandomState instance or None, default=None
        Seed of the partners of ``variant="simple"``.
    warm_start : bool, default=False
        Begin `fit` with the coefficients of the previous `fit` on the same rows, for example
        after a change of `C`.
    class_weight : dict or "balanced", default=None
        Weights of the classes; they multiply `sample_weight`. ``"balanced"`` gives all classes the
        same total weight.
    multi_class : {"ovo", "ovr"}, default="ovo"
        One binary classifier per pair of classes, or one per class against the rest.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of `decision_function` for one-vs-one with more than two classes.
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
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    support_ : ndarray of shape (n_support,)
        Rows of the training data that are support vectors, by class. Of identical rows it names the
        first.
    support_vectors_ : {ndarray, sparse matrix} of shape (n_support, n_features)
        The support vectors; empty for a precomputed kernel.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    dual_coef_ : ndarray of shape (n_classes - 1, n_support)
        Coefficients as in scikit-learn's SVC; one row per class for one-vs-rest.
    intercept_ : ndarray of shape (n_outputs,)
        Constant terms.
    expansion_ : KernelExpansion
        The fitted model: kernel, support vectors, coefficients and intercepts. The attributes
        `support_vectors_`, `dual_coef_` and `intercept_` are views of it.
    coef_ : ndarray of shape (n_outputs, n_features)
        Feature weights, for the linear kernel.
    n_iter_ : ndarray of shape (n_outputs,)
        Updates of each binary problem.
    stop_reason_ : ndarray of shape (n_outputs,)
        Why each binary problem was left: ``"converged"``, ``"max_iter"`` or ``"max_time"``.
    dual_gap_ : ndarray of shape (n_outputs,)
        Primal minus dual objective: never less than the distance to the optimum; nan after
        ``max_time``, for ``variant="simple"`` and where the kernel is not positive semidefinite.
    objective_ : ndarray of shape (n_outputs,)
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
    OLLAWVClassifier : Selects support vectors first; the same model with ``refine="full"``.
    SMORegressor : The same solver for regression.

    Notes
    -----
    The dual problem is

    .. math:: \max_\alpha \sum_i \alpha_i - \tfrac12 \sum_{ij} \alpha_i \alpha_j y_i y_j
       k(x_i, x_j), \quad 0 \le \alpha_i \le C w_i, \quad \sum_i y_i \alpha_i = 0.

    Unlike SVC: identical rows of a class are one sample with the sum of their weights; zero
    weights leave rows out and ``support_`` keeps the original row numbers; ties of votes go to
    the larger sum of decisions (SVC's ``break_ties=True``); there is no ``probability``: use
    ``CalibratedClassifierCV``.

    References
    ----------
    .. [1] R.-E. Fan, P.-H. Chen, C.-J. Lin (2005), "Working Set Selection Using Second Order
       Information for Training Support Vector Machines", JMLR 6, 1889-1918.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svmosaic import SMOClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> SMOClassifier(C=10.0).fit(X, y).predict(X[:3])
    array([0, 0, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ExactKernelClassifier._parameter_constraints,
        **MEMORY_LIMIT,
        **DEVICE,
        "C": POSITIVE_REAL,
        "tol": POSITIVE_REAL,
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "shrinking": ["boolean"],
        "warm_start": ["boolean"],
        "variant": [StrOptions({"second_order", "simple"})],
        "random_state": ["random_state"],
    }

    max_iter: int
    _intercept: Intercept = "free"

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str | KernelFunction = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        max_iter: int = -1,
        shrinking: bool = True,
        variant: Literal["second_order", "simple"] = "second_order",
        random_state: Any = None,
        warm_start: bool = False,
        class_weight: dict[Any, float] | str | None = None,
        multi_class: MultiClass = "ovo",
        decision_function_shape: str = "ovr",
        n_jobs: int | None = None,
        cache_mb: float | Literal["auto"] = "auto",
        memory_limit_mb: float | None = None,
        max_time: float | None = None,
        device: str | None = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.shrinking = shrinking
        self.variant = variant
        self.random_state = random_state
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.decision_function_shape = decision_function_shape
        self.n_jobs = n_jobs
        self.cache_mb = cache_mb
        self.memory_limit_mb = memory_limit_mb
        self.max_time = max_time
        self.device = device
        self.verbose = verbose

    def _solve(self, training: Training) -> tuple[KernelSpec, list[Solution]]:
        rows, problems = training.rows, training.problems
        kernel = self._training_kernel(training)
        cache_mb = kernel_cache_mb(self, rows, problems)
        options = {**run_options(self), "device": self.device}
        if self.variant == "simple":
            simple = self._simple_settings(cache_mb)
            return kernel, solve(rows, kernel, problems, simple, **options)
        settings = SmoSettings(
            loss="hinge",
            C=finite_penalty(self.C),
            tol=float(self.tol),
            max_iter=max(0, int(self.max_iter)),
            shrinking=bool(self.shrinking),
            cache_mb=cache_mb,
        )
        problems = self._with_previous_solution(problems)
        solutions = solve(rows, kernel, problems, settings, **options)
        if not warn_if_late(self, solutions, "raise max_time or tol"):
            worst = max(s.violation for s in solutions)
            n_iter = max(s.n_iter for s in solutions)
            warn_if_violated(self, worst, self._iteration_advice(), n_iter)
        return kernel, solutions

    def _iteration_advice(self) -> str:
        """Return what to do when the updates did not suffice."""
        return "Scale the features or raise max_iter"

    def _simple_settings(self, cache_mb: float) -> SimpleSmoSettings:
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        return SimpleSmoSettings(
            bounds="per_sample",
            C=finite_penalty(self.C),
            tol=float(self.tol),
            max_iter=int(self.max_iter) if self.max_iter > 0 else 10_000,
            seed=int(seed),
            cache_mb=cache_mb,
        )

    def _with_previous_solution(self, problems: list[Problem]) -> list[Problem]:
        """Return problems that begin with the coefficients of the previous fit, if it is known."""
        if not self.warm_start or not hasattr(self, "expansion_"):
            return problems
        if self.expansion_.n_outputs != len(problems):
            return problems
        known = self.expansion_.coefficient_matrix().toarray()
        begun = []
        for m, problem in enumerate(problems):
            of_row = dict(zip(self.support_.tolist(), known[:, m].tolist(), strict=True))
            initial = np.array([of_row.get(row, 0.0) for row in problem.samples.tolist()])
            begun.append(replace(problem, initial=initial))
        return begun
