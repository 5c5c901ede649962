"""The one-class SVM solved by SMO, as a detector of outliers."""

from __future__ import annotations

import time
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import OutlierMixin

from svmosaic.classification.nu_parameters import NU_PARAMETERS, NuEstimator
from svmosaic.classification.one_output import OneOutputEstimator
from svmosaic.engine.kernels import KernelFunction
from svmosaic.engine.problem import DoubleArray
from svmosaic.engine.settings import NuSettings
from svmosaic.utils.sklearn_compat import fit_context
from svmosaic.utils.validation import check_unlabelled

__all__ = ["OneClassSMO"]


class OneClassSMO(NuEstimator, OutlierMixin, OneOutputEstimator):  # type: ignore[misc]
    r"""One-class support vector machine by sequential minimal optimisation.

    It learns where samples are, without labels, and tells outliers from inliers. It solves the
    problem of scikit-learn's ``OneClassSVM`` exactly.

    Parameters
    ----------
    nu : float, default=0.5
        In (0, 1]. At most this share of the training samples are outliers, and at least this share
        are support vectors.
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
        Largest violation of the optimality conditions that is accepted. Their scale is that of
        `score_samples`.
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
    offset_ : float
        What `decision_function` subtracts from `score_samples`: -intercept_[0].
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
    NuSMOClassifier : The nu-SVM for labelled samples.

    Notes
    -----
    With W the sum of the weights w, the dual problem is

    .. math:: \min_\alpha \tfrac12 \sum_{ij} \alpha_i \alpha_j k(x_i, x_j), \quad
       0 \le \alpha_i \le w_i, \quad \sum_i \alpha_i = \nu W.

    Identical rows are one sample with the sum of their weights.

    References
    ----------
    .. [1] B. Schoelkopf, J. C. Platt, J. Shawe-Taylor, A. J. Smola, R. C. Williamson (2001),
       "Estimating the Support of a High-Dimensional Distribution", Neural Computation 13,
       1443-1471.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic import OneClassSMO
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> OneClassSMO(nu=0.1).fit(X).predict([[0.0, 0.0], [5.0, 5.0]])
    array([ 1, -1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OneOutputEstimator._parameter_constraints,
        **NU_PARAMETERS,
    }

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
        self.n_jobs = n_jobs
        self.cache_mb = cache_mb
        self.memory_limit_mb = memory_limit_mb
        self.max_time = max_time
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the detector to training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples; for ``kernel="precomputed"``, kernel values of shape
            (n_samples, n_samples). float32 and float64 are kept as they are.
        y : Ignored
            Not used; here because scikit-learn's tools pass it.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight means repetition: 2 counts the row twice, 0 leaves it out.

        Returns
        -------
        self : object
            The fitted detector.
        """
        began = time.perf_counter()
        X = check_unlabelled(self, X)
        self._fit_rows(X, np.zeros(X.shape[0]), sample_weight, began)
        return self

    def _settings(self) -> NuSettings:
        return self._nu_settings("one_class")

    @property
    def offset_(self) -> float:
        """What `decision_function` subtracts from `score_samples`."""
        return float(-self.intercept_[0])

    def decision_function(self, X: Any) -> DoubleArray:
        """Return how far inside each sample lies; outliers have negative values.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples; for ``kernel="precomputed"``, kernel values against the training samples.

        Returns
        -------
        decision : ndarray of shape (n_samples,)
            ``score_samples(X) - offset_``.
        """
        return self._output_values(self._check_rows(X))[:, 0]

    def score_samples(self, X: Any) -> DoubleArray:
        """Return the sums of kernel values with the support vectors, weighted by coefficients.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples; for ``kernel="precomputed"``, kernel values against the training samples.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            The higher, the more like the training samples.
        """
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> Any:
        """Return 1 for inliers and -1 for outliers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples; for ``kernel="precomputed"``, kernel values against the training samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            1 or -1.
        """
        return np.where(self.decision_function(X) >= 0.0, 1, -1)
