"""Epsilon-SVR solved by SMO, as a regressor."""

from __future__ import annotations

import time
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import RegressorMixin

from svmosaic.classification.device_data import DeviceScore, check_targets_on
from svmosaic.classification.one_output import OneOutputEstimator
from svmosaic.classification.parameters import DEVICE, POSITIVE_REAL, finite_penalty
from svmosaic.engine.kernels import KernelFunction
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.engine.settings import SmoSettings
from svmosaic.utils.foreign_arrays import follow
from svmosaic.utils.sklearn_compat import Interval, fit_context

__all__ = ["SMORegressor"]


class SMORegressor(DeviceScore, RegressorMixin, OneOutputEstimator):  # type: ignore[misc]
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
        **OneOutputEstimator._parameter_constraints,
        **DEVICE,
        "C": POSITIVE_REAL,
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "tol": POSITIVE_REAL,
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "shrinking": ["boolean"],
        "memory_limit_mb": [*POSITIVE_REAL, None],
        "warm_start": ["boolean"],
    }

    _advice = "Scale features and target or raise max_iter"

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
        self._fit_rows(X, y, sample_weight, began)
        return self

    def _settings(self) -> SmoSettings:
        return SmoSettings(
            loss="epsilon_insensitive",
            C=finite_penalty(self.C),
            epsilon=float(self.epsilon),
            tol=float(self.tol),
            max_iter=max(0, int(self.max_iter)),
            shrinking=bool(self.shrinking),
        )

    def _initial_coefficients(self, samples: IndexArray) -> DoubleArray | None:
        if not self.warm_start or not hasattr(self, "expansion_"):
            return None
        of_row = dict(zip(self.support_.tolist(), self.dual_coef_[0].tolist(), strict=True))
        return np.array([of_row.get(row, 0.0) for row in samples.tolist()])

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
