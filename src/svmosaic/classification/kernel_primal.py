"""The kernel SVM in the primal form of the boundary-point thesis, as a classifier."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from svmosaic.classification.exact import ExactKernelClassifier
from svmosaic.classification.parameters import MEMORY_LIMIT, POSITIVE_COUNT, POSITIVE_REAL
from svmosaic.engine.class_pairs import MultiClass
from svmosaic.engine.kernels import KernelFunction
from svmosaic.engine.settings import DualDescentSettings

__all__ = ["KernelPrimalSVC"]


class KernelPrimalSVC(ExactKernelClassifier):
    r"""Support vector classifier without an intercept, the baseline of SVM-CBP.

    It differs from `SMOClassifier` in two things: there is no intercept, so the boundary of a
    linear kernel passes through the origin, and `lam` is twice the C of the usual form. Use it to
    compare with `SVMCBPClassifier`, which has no intercept either; else take `SMOClassifier`.

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
    lam : float, default=2.0
        Weight of the losses. A larger one follows the training data more closely and takes longer.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted. Their scale is 1.
    max_iter : int, default=None
        Limit on updates of each binary problem. None means max(10 million, 100 n_samples).
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
        Zeros.
    expansion_ : KernelExpansion
        The fitted model: kernel, support vectors, coefficients and intercepts. The attributes
        `support_vectors_`, `dual_coef_` and `intercept_` are views of it.
    coef_ : ndarray of shape (n_outputs, n_features)
        Feature weights, for the linear kernel.
    n_iter_ : ndarray of shape (n_outputs,)
        Updates of each binary problem, one kernel column each.
    stop_reason_ : ndarray of shape (n_outputs,)
        Why each binary problem was left: ``"converged"``, ``"max_iter"`` or ``"max_time"``.
    dual_gap_ : ndarray of shape (n_outputs,)
        Primal minus dual objective of 1/2 |w|^2 + lam/2 sum of losses, half of the form below.
        nan where the kernel is not positive semidefinite.
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
    SVMCBPClassifier : Its norm is the distance to the boundary points.
    SMOClassifier : The usual SVM, with an intercept.

    Notes
    -----
    The problem is Eq. 2.3 of the thesis [1]_,

    .. math:: \min_a a' K a + \lambda \sum_i w_i \max(0, 1 - y_i (K a)_i).

    References
    ----------
    .. [1] A. Guitart, "Optimizing Support Vector Machines with Characteristic Boundary Points",
       master thesis, Universitat de Barcelona, Eq. 2.3.
    .. [2] C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi, S. Sundararajan (2008), "A dual
       coordinate descent method for large-scale linear SVM", ICML 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svmosaic import KernelPrimalSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelPrimalSVC(gamma=0.5).fit(X, y)
    >>> model.predict(X[:3])
    array([0, 0, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ExactKernelClassifier._parameter_constraints,
        **MEMORY_LIMIT,
        "lam": POSITIVE_REAL,
        "tol": POSITIVE_REAL,
        "max_iter": [*POSITIVE_COUNT, None],
    }

    _intercept = "none"
    # See cpp/solvers/dual_descent.cpp.
    _n_joint = 2_000

    def __init__(
        self,
        *,
        kernel: str | KernelFunction = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        lam: float = 2.0,
        tol: float = 1e-3,
        max_iter: int | None = None,
        class_weight: dict[Any, float] | str | None = None,
        multi_class: MultiClass = "ovo",
        decision_function_shape: str = "ovr",
        n_jobs: int | None = None,
        cache_mb: float | Literal["auto"] = "auto",
        memory_limit_mb: float | None = None,
        max_time: float | None = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.lam = lam
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.decision_function_shape = decision_function_shape
        self.n_jobs = n_jobs
        self.cache_mb = cache_mb
        self.memory_limit_mb = memory_limit_mb
        self.max_time = max_time
        self.verbose = verbose

    def _settings(self) -> Any:
        # a'Ka + lam sum of losses is twice 1/2 |w|^2 + lam/2 sum of losses.
        return DualDescentSettings(
            C=0.5 * float(self.lam),
            tol=float(self.tol),
            max_iter=int(self.max_iter or 0),
        )
