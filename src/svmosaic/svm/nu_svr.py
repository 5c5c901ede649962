"""NuSVR: the exact nu-SVM for regression with scikit-learn's parameters and attributes."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from svmosaic.classification.nu_parameters import NU_PARAMETERS
from svmosaic.classification.parameters import POSITIVE_REAL
from svmosaic.engine.kernels import KernelFunction
from svmosaic.regression.nu_smo_regressor import NuSMORegressor
from svmosaic.svm.libsvm_interface import LIBSVM_PARAMETERS, LIBSVM_STATE, LibsvmInterface
from svmosaic.utils.sklearn_compat import fit_context
from svmosaic.utils.state_codec import Whole

__all__ = ["NuSVR"]


class NuSVR(LibsvmInterface, NuSMORegressor):
    r"""Nu-support vector regressor with the parameters and attributes of scikit-learn's ``NuSVR``.

    The solver is that of `NuSMORegressor`, which has more parameters: threads, memory, time.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "sigmoid", "laplacian", "precomputed"} or callable, \
            default="rbf"
        The kernel. A callable gets the samples and all training samples and returns their kernel
        values.
    degree : int, default=3
        Degree of the poly kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Width of rbf, laplacian, poly and sigmoid kernels. ``"scale"`` is
        1 / (n_features * X.var()), ``"auto"`` is 1 / n_features.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted, in units of the target.
    C : float, default=1.0
        Penalty of errors. A larger C follows the training data more closely and takes longer.
    nu : float, default=0.5
        At most this share of the samples lies outside the tube, and at least this share are
        support vectors; in (0, 1]. The width of the tube follows from it.
    shrinking : bool, default=True
        Leave out variables that stay at a bound. The solution is the same.
    cache_size : float, default=200
        Memory in MB for kernel columns. The model does not depend on it.
    verbose : bool, default=False
        If true, log progress once a second.
    max_iter : int, default=-1
        Limit on updates. -1 means max(10 million, 100 n_samples), never infinity.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Rows of the training data that are support vectors.
    support_vectors_ : {ndarray, sparse matrix} of shape (n_support, n_features)
        The support vectors; empty for a precomputed kernel or a callable.
    n_support_ : ndarray of shape (1,)
        Number of support vectors.
    dual_coef_ : {ndarray, sparse matrix} of shape (1, n_support)
        Coefficients; sparse if the training samples were.
    intercept_ : ndarray of shape (1,)
        Constant term.
    coef_ : {ndarray, sparse matrix} of shape (1, n_features)
        Feature weights, for the linear kernel; read only.
    fit_status_ : int
        0 if the solver converged, 1 if `max_iter` ended it.
    n_iter_ : int
        Updates.
    shape_fit_ : tuple of int
        Shape of the training samples.
    expansion_ : KernelExpansion
        The fitted model: kernel, support vectors, coefficients and intercepts. The attributes
        `support_vectors_`, `dual_coef_` and `intercept_` are views of it.
    stop_reason_ : ndarray of shape (1,)
        ``"converged"``, ``"max_iter"`` or ``"max_time"``.
    dual_gap_ : ndarray of shape (1,)
        Primal minus dual objective: never less than the distance to the optimum; nan where the
        kernel is not positive semidefinite.
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
    NuSMORegressor : The same solver with all of its parameters.
    svmosaic.patch_sklearn : Puts this class in the place of scikit-learn's.

    Notes
    -----
    ``docs/coming_from_svc.md`` lists what differs from scikit-learn. A sample weight means
    repetition, in ``gamma="scale"`` too; rows whose weight is not positive are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.svm import NuSVR
    >>> X = np.linspace(0, 3, 50)[:, None]
    >>> model = NuSVR(C=10.0, nu=0.2).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict([[1.5]])[0] - np.sin(1.5)) < 0.02)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LIBSVM_PARAMETERS,
        "C": POSITIVE_REAL,
        "nu": NU_PARAMETERS["nu"],
    }

    # scikit-learn has a number here.
    n_iter_: Any

    _model_file = NuSMORegressor._model_file.extend({**LIBSVM_STATE, "n_iter_": Whole(0)})

    def __init__(
        self,
        *,
        kernel: str | KernelFunction = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the regressor to training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples; for ``kernel="precomputed"``, kernel values of shape
            (n_samples, n_samples); for a callable, whatever it takes. float32 and float64 are kept
            as they are.
        y : array-like of shape (n_samples,)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight means repetition: 2 counts the row twice; 0 and less leave it out.

        Returns
        -------
        self : object
            The fitted regressor.
        """
        weights = self._positive_weights(X, sample_weight)
        super().fit(self._training_table(X, y), y, weights)
        self._note_shape(X)
        (n_iter,) = self.n_iter_
        self.n_iter_ = int(n_iter)
        return self
