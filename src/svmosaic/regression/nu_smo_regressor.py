"""The nu-SVM for regression solved by SMO, as a regressor."""

from __future__ import annotations

import time
from typing import Any, ClassVar, Literal, Self

from sklearn.base import RegressorMixin

from svmosaic.classification.device_data import DeviceScore
from svmosaic.classification.nu_parameters import NU_PARAMETERS, NuEstimator
from svmosaic.classification.one_output import OneOutputEstimator
from svmosaic.classification.parameters import POSITIVE_REAL
from svmosaic.engine.kernels import KernelFunction
from svmosaic.engine.settings import NuSettings
from svmosaic.utils.sklearn_compat import fit_context
from svmosaic.utils.state_codec import Real
from svmosaic.utils.validation import check_regression

__all__ = ["NuSMORegressor"]


class NuSMORegressor(NuEstimator, DeviceScore, RegressorMixin, OneOutputEstimator):  # type: ignore[misc]
    r"""Nu support vector regression by sequential minimal optimisation.

    Exact nu-SVR: in place of the width of the tube, `nu` says how many samples may lie outside; the
    width is found. It solves the problem of scikit-learn's ``NuSVR``.

    Parameters
    ----------
    nu : float, default=0.5
        In (0, 1]. At most this share of the samples lies outside of the tube, and at least this
        share are support vectors.
    C : float, default=1.0
        Penalty of errors. A larger C follows the training data more closely and takes longer.
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
        Leave out samples that stay at a bound for a while. The solution is the same.
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
    epsilon_ : float
        Half the width of the tube that was found, in units of the target: `SMORegressor` with this
        `epsilon` gives the same function. nan in a model that was read from a LIBSVM file.
    n_iter_ : ndarray of shape (1,)
        Updates.
    stop_reason_ : ndarray of shape (1,)
        ``"converged"``, ``"max_iter"`` or ``"max_time"``.
    fit_status_ : int
        0 if the problem converged, else 1.
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
    SMORegressor : The same machine with a tube of given width.
    NuSMOClassifier : The nu-SVM for classification.

    Notes
    -----
    With W the sum of the weights w, the dual problem is

    .. math:: \max_{\alpha, \alpha^*} \sum_i t_i \beta_i - \tfrac12 \sum_{ij} \beta_i \beta_j
       k(x_i, x_j), \quad \beta = \alpha - \alpha^*, \quad 0 \le \alpha_i, \alpha^*_i \le
       C w_i, \quad \sum_i \alpha_i = \sum_i \alpha^*_i = \tfrac12 C \nu W.

    References
    ----------
    .. [1] B. Schoelkopf, A. J. Smola, R. C. Williamson, P. L. Bartlett (2000), "New Support Vector
       Algorithms", Neural Computation 12, 1207-1245.
    .. [2] C.-C. Chang, C.-J. Lin (2002), "Training nu-Support Vector Regression: Theory and
       Algorithms", Neural Computation 14, 1959-1977.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic import NuSMORegressor
    >>> X = np.linspace(0, 3, 50)[:, None]
    >>> model = NuSMORegressor(nu=0.2, C=10.0).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict([[1.5]])[0] - np.sin(1.5)) < 0.02)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OneOutputEstimator._parameter_constraints,
        **NU_PARAMETERS,
        "C": POSITIVE_REAL,
    }

    _model_file = OneOutputEstimator._model_file.extend(
        {"epsilon_": Real(minimum=0.0, odd=("nan",))}
    )
    _advice = "Scale features and target or raise max_iter"

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: str | KernelFunction = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        max_iter: int = -1,
        shrinking: bool = True,
        n_jobs: int | None = None,
        cache_mb: float | Literal["auto"] = "auto",
        memory_limit_mb: float | None = None,
        max_time: float | None = None,
        verbose: int = 0,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.shrinking = shrinking
        self.n_jobs = n_jobs
        self.cache_mb = cache_mb
        self.memory_limit_mb = memory_limit_mb
        self.max_time = max_time
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
        X, y = check_regression(self, X, y)
        solution = self._fit_rows(X, y, sample_weight, began)
        # Below zero within the tolerance only, where no tube is wide enough.
        self.epsilon_ = max(0.0, solution.width)
        return self

    def _settings(self) -> NuSettings:
        return self._nu_settings("regression", float(self.C))

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
        return self._output_values(self._check_rows(X))[:, 0]
