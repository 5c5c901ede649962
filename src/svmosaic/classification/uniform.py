"""The Uniform SVM, one slack for all samples, as a classifier."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from svmosaic.classification.exact import ExactKernelClassifier
from svmosaic.classification.parameters import (
    KERNEL_PARAMETERS,
    MULTICLASS_PARAMETERS,
    POSITIVE_COUNT,
    POSITIVE_REAL,
    RUN_PARAMETERS,
)
from svmosaic.classification.training import Training
from svmosaic.engine.class_pairs import MultiClass
from svmosaic.engine.kernels import KernelFunction, KernelSpec
from svmosaic.engine.problem import Solution
from svmosaic.engine.settings import SimpleSmoSettings, UniformSettings
from svmosaic.utils.sklearn_compat import StrOptions
from svmosaic.utils.user_warning import warn_user

__all__ = ["UniformSVC"]


class UniformSVC(ExactKernelClassifier):
    r"""Support vector classifier with one slack for all samples.

    The exact solution is the hard-margin SVM: the boundary lies midway between the nearest
    points of the two classes' convex hulls in the feature space of the kernel. Where the hulls
    overlap, which is every linear problem that is not separable, the optimum is w = 0; `fit`
    then warns and the model gives every sample the same class. Use it where one bad sample may
    cost as much as all, on classes that the kernel separates.

    Parameters
    ----------
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
    C : float, default=1.0
        Penalty of the one slack. It scales the decision values and never moves the boundary of
        the exact solution; from 4 / |p - q|^2 on, the nearest samples have y f(x) = 1.
    solver : {"exact", "smo"}, default="exact"
        ``"exact"``: nearest points of the hulls. ``"smo"``: the randomised SMO of the thesis,
        which stops when a sweep changes little and need not be near the optimum.
    bounds : {"feasible", "printed"}, default="feasible"
        Bounds of a step of ``solver="smo"``: those that keep the sum of the multipliers below C,
        or Eq. 2.35 and 2.36 as printed, which do not.
    tol : float, default=1e-3
        ``"exact"``: accepted spread of the gradients, relative to the squared distance of the
        hulls. Hulls nearer than `tol` times the size of the data count as overlapping, unless
        they are proved to be apart. ``"smo"``: a sweep that changes the multipliers by less, in
        norm, is the last.
    max_iter : int, default=None
        Limit on updates (``"exact"``; None means max(10 million, 100 n_samples)) or on sweeps
        (``"smo"``; None means 10 000).
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
    max_time : float, default=None
        Limit in seconds on `fit`. When it is reached, the returned model has not converged, and
        `fit` warns.
    verbose : int, default=0
        If positive, log progress once a second.
    random_state : int, RandomState instance or None, default=0
        Seed of ``solver="smo"``.

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
        Updates of each binary problem; sweeps for ``solver="smo"``.
    stop_reason_ : ndarray of shape (n_outputs,)
        Why each binary problem was left: ``"converged"``, ``"max_iter"`` or ``"max_time"``.
    dual_gap_ : ndarray of shape (n_outputs,)
        Primal minus dual objective over all samples; nan for ``solver="smo"`` and where the
        kernel is not positive semidefinite.
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
    NNISDAClassifier : One squared slack per sample; for classes that overlap.

    Notes
    -----
    The problem is

    .. math:: \min_{w, b, \xi} \tfrac12 \|w\|^2 + C \xi, \quad
        y_i f(x_i) \ge 1 - \xi, \quad \xi \ge 0.

    A copy of a sample adds no constraint, so positive weights change nothing; a weight of zero
    leaves the sample out. For the same reason there is no `class_weight`.

    References
    ----------
    .. [1] Z. Galimzianova, "Comparative analysis of binary classification algorithms", master
       thesis, Czech Technical University in Prague, Eq. 2.16-2.19 and section 2.3.1.
    .. [2] K. P. Bennett, E. J. Bredensteiner (2000), "Duality and geometry in SVM classifiers",
       ICML 2000, 57-64: the hard-margin SVM bisects the nearest points of the hulls.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svmosaic import UniformSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = UniformSVC(gamma=0.5).fit(X, y)
    >>> model.predict(X[:3])
    array([0, 0, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KERNEL_PARAMETERS,
        **RUN_PARAMETERS,
        **MULTICLASS_PARAMETERS,
        "C": POSITIVE_REAL,
        "solver": [StrOptions({"exact", "smo"})],
        "bounds": [StrOptions({"feasible", "printed"})],
        "tol": POSITIVE_REAL,
        "max_iter": [*POSITIVE_COUNT, None],
        "random_state": ["random_state"],
    }

    _intercept = "free"

    def __init__(
        self,
        *,
        kernel: str | KernelFunction = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        C: float = 1.0,
        solver: Literal["exact", "smo"] = "exact",
        bounds: Literal["feasible", "printed"] = "feasible",
        tol: float = 1e-3,
        max_iter: int | None = None,
        multi_class: MultiClass = "ovo",
        decision_function_shape: str = "ovr",
        n_jobs: int | None = None,
        cache_mb: float | Literal["auto"] = "auto",
        max_time: float | None = None,
        verbose: int = 0,
        random_state: int | Any | None = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.C = C
        self.solver = solver
        self.bounds = bounds
        self.tol = tol
        self.max_iter = max_iter
        self.multi_class = multi_class
        self.decision_function_shape = decision_function_shape
        self.n_jobs = n_jobs
        self.cache_mb = cache_mb
        self.max_time = max_time
        self.verbose = verbose
        self.random_state = random_state

    def _settings(self) -> Any:
        if self.solver == "smo":
            return SimpleSmoSettings(
                bounds="uniform_printed" if self.bounds == "printed" else "uniform_feasible",
                C=float(self.C),
                tol=float(self.tol),
                max_iter=int(self.max_iter or SimpleSmoSettings().max_iter),
                seed=int(check_random_state(self.random_state).randint(2**31)),
            )
        return UniformSettings(
            C=float(self.C),
            tol=float(self.tol),
            max_iter=int(self.max_iter or 0),
        )

    def _solve(self, training: Training) -> tuple[KernelSpec, list[Solution]]:
        kernel, solutions = super()._solve(training)
        degenerate = sum(s.support.size == 0 for s in solutions)
        if degenerate:
            warn_user(
                f"The convex hulls of the classes overlap in the feature space of this kernel for "
                f"{degenerate} of {len(solutions)} binary problems of {type(self).__name__}; "
                "their optimum is w = 0, which gives every sample the same class. Use a kernel "
                "with more features, such as rbf, or a classifier with one slack per sample, such "
                "as NNISDAClassifier.",
                ConvergenceWarning,
            )
        return kernel, solutions

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Some checks of scikit-learn train on classes that overlap, where w = 0 is the optimum.
        tags.classifier_tags.poor_score = True
        return tags
