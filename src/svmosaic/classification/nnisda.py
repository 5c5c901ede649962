"""NNISDA, the Non-Negative Iterative Single Data Algorithm, as a classifier."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from svmosaic.classification.exact import ExactKernelClassifier
from svmosaic.classification.parameters import POSITIVE_COUNT, POSITIVE_REAL
from svmosaic.engine.class_pairs import MultiClass
from svmosaic.engine.kernels import KernelFunction
from svmosaic.engine.settings import NnisdaSettings

__all__ = ["NNISDAClassifier"]


class NNISDAClassifier(ExactKernelClassifier):
    r"""Support vector classifier with squared slack, solved one coordinate at a time.

    NNISDA takes the sample that violates the conditions of optimality most, sets its multiplier
    to the best value that is not negative, and brings the gradient up to date by one kernel
    column. Squared slack has no upper bound for the multipliers and the intercept is part of
    the norm, so there is no other constraint to keep. Scale the features first.

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
        Penalty of the squared slack. A larger C follows the training data more closely and takes
        longer.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted. Their scale is that of y
        f(x).
    max_iter : int, default=None
        Limit on updates of each binary problem. None means max(10 million, 100 n_samples).
    joint_steps : bool, default=True
        Move all variables above zero to their joint minimum now and then, when the single updates
        since the last time have cost as much. The solution is the same; with a large `C` it is
        found much sooner. False is the published method.
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
    n_iter_ : ndarray of shape (n_outputs,)
        Updates of each binary problem, one kernel column each.
    stop_reason_ : ndarray of shape (n_outputs,)
        Why each binary problem was left: ``"converged"``, ``"max_iter"`` or ``"max_time"``.
    dual_gap_ : ndarray of shape (n_outputs,)
        Primal minus dual objective over all samples; it bounds the distance to the optimum. nan
        where the kernel is not positive semidefinite.
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
    MNSVMClassifier : The same model by the minimal norm; made for more samples.

    Notes
    -----
    The problem is the L2-SVM with a regularised intercept,

    .. math:: \min_f \tfrac12 (\|w\|^2 + b^2) + \tfrac C2 \sum_i \max(0, 1 - y_i f(x_i))^2.

    A sample of weight w has the penalty C w, as w copies of it would have. Identical rows of one
    class are one sample with the sum of their weights.

    References
    ----------
    .. [1] Lj. Zigic, R. Strack, V. Kecman (2013), "L2 Support Vector Machines revisited: novel
       direct learning algorithm and some geometric insights", MENDEL 2013, 334-339.
    .. [2] V. Kecman, Lj. Zigic (2014), "Algorithms for direct L2 support vector machines", IEEE
       International Symposium on Innovations in Intelligent Systems and Applications, 419-424.
    .. [3] Lj. Zigic (2016), "Direct L2 support vector machine", doctoral thesis, Virginia
       Commonwealth University.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svmosaic import NNISDAClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NNISDAClassifier(gamma=0.5).fit(X, y)
    >>> model.predict(X[:3])
    array([0, 0, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ExactKernelClassifier._parameter_constraints,
        "C": POSITIVE_REAL,
        "tol": POSITIVE_REAL,
        "max_iter": [*POSITIVE_COUNT, None],
        "joint_steps": ["boolean"],
    }

    def __init__(
        self,
        *,
        kernel: str | KernelFunction = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        C: float = 1.0,
        tol: float = 1e-3,
        max_iter: int | None = None,
        joint_steps: bool = True,
        class_weight: dict[Any, float] | str | None = None,
        multi_class: MultiClass = "ovo",
        decision_function_shape: str = "ovr",
        n_jobs: int | None = None,
        cache_mb: float | Literal["auto"] = "auto",
        max_time: float | None = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.joint_steps = joint_steps
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.decision_function_shape = decision_function_shape
        self.n_jobs = n_jobs
        self.cache_mb = cache_mb
        self.max_time = max_time
        self.verbose = verbose

    def _settings(self) -> Any:
        return NnisdaSettings(
            C=float(self.C),
            tol=float(self.tol),
            max_iter=int(self.max_iter or 0),
            joint_steps=bool(self.joint_steps),
        )
