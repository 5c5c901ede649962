"""The nu-SVM for classification solved by SMO, as a classifier."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from svmosaic.classification.convergence import warn_if_late, warn_if_violated
from svmosaic.classification.exact import ExactKernelClassifier
from svmosaic.classification.kernel_estimator import kernel_cache_mb, run_options
from svmosaic.classification.nu_parameters import NU_PARAMETERS, NuEstimator
from svmosaic.classification.training import Training
from svmosaic.engine.class_pairs import MultiClass
from svmosaic.engine.definiteness import Intercept
from svmosaic.engine.kernels import KernelFunction, KernelSpec
from svmosaic.engine.problem import Problem, Solution
from svmosaic.engine.protocol import solve
from svmosaic.utils.array_checks import check_values
from svmosaic.utils.declaration import doubles
from svmosaic.utils.state_codec import Scope
from svmosaic.utils.user_warning import warn_user

__all__ = ["NuSMOClassifier"]

# Sums of weights are rounded.
_ROUNDING = 1e-12


def _check_C(model: Any, sizes: Scope) -> None:
    """Refuse a C that is not positive; nan means unknown, in models of other libraries."""
    check_values("C", model.C_[~np.isnan(model.C_)], finite=False, above=0.0)


class NuSMOClassifier(NuEstimator, ExactKernelClassifier):
    r"""Nu support vector classifier by sequential minimal optimisation.

    The exact nu-SVM: in place of the penalty C, `nu` says how many samples may violate the margin.
    It solves the problem of scikit-learn's ``NuSVC``.

    Parameters
    ----------
    nu : float, default=0.5
        In (0, 1]. In each binary problem at most this share of the samples has y f(x) below 1, and
        at least this share are support vectors. It cannot exceed twice the share of the smaller
        class: `fit` then says that it is infeasible.
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
        Largest violation of the optimality conditions that is accepted. Their scale is that of f
        before it is divided by the margin.
    max_iter : int, default=-1
        Limit on updates of each binary problem. -1 means max(10 million, 100 n_samples), never
        infinity.
    shrinking : bool, default=True
        Leave out samples that stay at a bound for a while. The solution is the same.
    class_weight : dict or "balanced", default=None
        Weights of the classes; they multiply `sample_weight`. ``"balanced"`` gives all classes the
        same total weight. Then every `nu` is feasible. Weights that leave no room for `nu` lower it
        to twice the share of the lighter class, and ``C_`` is at most 1.
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
    C_ : ndarray of shape (n_outputs,)
        The C with which `SMOClassifier` gives the same function; infinity where there is no margin.
    n_iter_ : ndarray of shape (n_outputs,)
        Updates of each binary problem.
    stop_reason_ : ndarray of shape (n_outputs,)
        Why each binary problem was left: ``"converged"``, ``"max_iter"`` or ``"max_time"``.
    fit_status_ : int
        0 if all binary problems converged, else 1.
    dual_gap_ : ndarray of shape (n_outputs,)
        Primal minus dual objective, in units of the squared margin: never less than the distance to
        the optimum; nan after ``max_time`` and where the kernel is not positive semidefinite.
    objective_ : ndarray of shape (n_outputs,)
        Dual objective reached, in the same units.
    fit_report_ : FitReport
        What `fit` did and what it cost: kernel values, updates, memory, threads, seconds; print it.
        Model files do not hold it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had them.

    See Also
    --------
    SMOClassifier : The same machine with the parameter C.
    NuSMORegressor : The nu-SVM for regression.

    Notes
    -----
    With W the sum of the weights w, the dual problem is

    .. math:: \min_\alpha \tfrac12 \sum_{ij} \alpha_i \alpha_j y_i y_j k(x_i, x_j), \quad
       0 \le \alpha_i \le w_i, \quad \sum_{y_i = 1} \alpha_i = \sum_{y_i = -1} \alpha_i =
       \tfrac12 \nu W.

    Its margin r divides f at the end, so that y f(x) is 1 at the margin, and ``C_`` is 1 / r. If
    the reduced hulls of the classes meet, there is no margin; `fit` then warns and leaves f as it
    is. A larger `nu` makes the hulls smaller.

    Unlike NuSVC: identical rows of a class are one sample with the sum of their weights; zero
    weights leave rows out and ``support_`` keeps the original row numbers; ties of votes go to the
    larger sum of decisions (NuSVC's ``break_ties=True``); `class_weight` has an effect; there is no
    ``probability``: use ``CalibratedClassifierCV``.

    References
    ----------
    .. [1] B. Schoelkopf, A. J. Smola, R. C. Williamson, P. L. Bartlett (2000), "New Support Vector
       Algorithms", Neural Computation 12, 1207-1245.
    .. [2] C.-C. Chang, C.-J. Lin (2001), "Training nu-Support Vector Classifiers: Theory and
       Algorithms", Neural Computation 13, 2119-2147.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svmosaic import NuSMOClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> NuSMOClassifier(nu=0.1).fit(X, y).predict(X[:3])
    array([0, 0, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ExactKernelClassifier._parameter_constraints,
        **NU_PARAMETERS,
    }

    _model_file = ExactKernelClassifier._model_file.extend(
        {"C_": doubles("n_outputs", finite=False)}, _check_C
    )

    max_iter: int
    _intercept: Intercept = "free"

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: str | KernelFunction = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        max_iter: int = -1,
        shrinking: bool = True,
        class_weight: dict[Any, float] | str | None = None,
        multi_class: MultiClass = "ovo",
        decision_function_shape: str = "ovr",
        n_jobs: int | None = None,
        cache_mb: float | Literal["auto"] = "auto",
        memory_limit_mb: float | None = None,
        max_time: float | None = None,
        verbose: int = 0,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.shrinking = shrinking
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.decision_function_shape = decision_function_shape
        self.n_jobs = n_jobs
        self.cache_mb = cache_mb
        self.memory_limit_mb = memory_limit_mb
        self.max_time = max_time
        self.verbose = verbose

    def _solve(self, training: Training) -> tuple[KernelSpec, list[Solution]]:
        rows, problems = training.rows, training.problems
        if self.class_weight is None:
            self._check_feasible(problems)
        kernel = self._training_kernel(training)
        settings = self._nu_settings("classification")
        settings.cache_mb = kernel_cache_mb(self, rows, problems)
        solutions: list[Solution] = solve(rows, kernel, problems, settings, **run_options(self))
        if not warn_if_late(self, solutions, "raise max_time or tol"):
            worst = max(s.violation for s in solutions)
            n_iter = max(s.n_iter for s in solutions)
            warn_if_violated(self, worst, self._iteration_advice(), n_iter)
            self._warn_without_margin(solutions)
        return kernel, solutions

    def _iteration_advice(self) -> str:
        """Return what to do when the updates did not suffice."""
        return "Scale the features or raise max_iter"

    def _check_feasible(self, problems: list[Problem]) -> None:
        most = min(_largest_nu(problem) for problem in problems)
        if self.nu > most * (1.0 + _ROUNDING):
            raise ValueError(
                f"{type(self).__name__}: specified nu is infeasible. Got nu={self.nu:g}, and the "
                f"smallest class of these data allows at most {most:g}. Lower nu, or use "
                "class_weight='balanced'."
            )

    def _warn_without_margin(self, solutions: list[Solution]) -> None:
        without = sum(s.width <= 0.0 for s in solutions)
        if without:
            warn_user(
                f"{type(self).__name__} found no margin above tol={self.tol:g} in {without} of "
                f"{len(solutions)} binary problems, whose predictions mean little. Raise nu, lower "
                "tol, scale the features or use another kernel.",
                ConvergenceWarning,
            )

    def _set_fitted(
        self, training: Training, kernel: KernelSpec, solutions: list[Solution]
    ) -> None:
        super()._set_fitted(training, kernel, solutions)
        self.C_ = np.array([1.0 / s.width if s.width > 0.0 else np.inf for s in solutions])


def _largest_nu(problem: Problem) -> float:
    """Return twice the share of the lighter class."""
    total = problem.weights.sum()
    positive = problem.weights[problem.targets > 0].sum()
    return float(2.0 * min(positive, total - positive) / total)
