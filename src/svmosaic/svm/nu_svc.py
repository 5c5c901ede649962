"""NuSVC: the exact nu-SVM with scikit-learn's parameters and attributes."""

from __future__ import annotations

from typing import Any, ClassVar

from svmosaic.classification.nu_parameters import NU_PARAMETERS
from svmosaic.classification.nu_smo_classifier import NuSMOClassifier
from svmosaic.engine.kernels import KernelFunction
from svmosaic.svm.libsvm_classifier import (
    CLASSIFIER_PARAMETERS,
    CLASSIFIER_STATE,
    LibsvmClassifier,
)
from svmosaic.svm.libsvm_interface import LIBSVM_PARAMETERS
from svmosaic.svm.probabilities import DEFAULT_PROBABILITY

__all__ = ["NuSVC"]


class NuSVC(LibsvmClassifier, NuSMOClassifier):
    r"""Nu-support vector classifier with the parameters and attributes of scikit-learn's ``NuSVC``.

    The solver is that of `NuSMOClassifier`, which has more parameters: threads, memory, time.

    Parameters
    ----------
    nu : float, default=0.5
        At most this share of the samples lies on the wrong side of the margin, and at least this
        share are support vectors; in (0, 1].
    kernel : {"rbf", "linear", "poly", "sigmoid", "laplacian", "precomputed"} or callable, \
            default="rbf"
        The kernel. A callable gets the samples and all training samples and returns their kernel
        values.
    degree : int, default=3
        Degree of the poly kernel.
    gamma : {"scale", "auto", "cbp", "cbp-radius"} or float, default="scale"
        Width of rbf, laplacian, poly and sigmoid kernels. ``"scale"`` is 1 / (n_features *
        X.var()), ``"auto"`` is 1 / n_features, ``"cbp"`` and ``"cbp-radius"`` are 1 / (2 sigma^2)
        of `peak_sigma` and `radius_sigma`, for rbf and dense samples. A larger gamma gives a more
        flexible boundary.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    shrinking : bool, default=True
        Leave out variables that stay at a bound. The solution is the same.
    probability : bool, default="deprecated"
        Whether to fit probabilities as well, by `CalibratedClassifierCV` with sigmoids and five
        folds, which takes about six times as long. scikit-learn deprecates it in version 1.9;
        before, the default is False.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted.
    cache_size : float, default=200
        Memory in MB for kernel columns. The model does not depend on it.
    class_weight : dict or "balanced", default=None
        Weights of the classes; they multiply `sample_weight`. ``"balanced"`` gives all classes the
        same total weight.
    verbose : bool, default=False
        If true, log progress once a second.
    max_iter : int, default=-1
        Limit on updates of each binary problem. -1 means max(10 million, 100 n_samples), never
        infinity.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of `decision_function` for more than two classes.
    break_ties : bool, default=False
        Whether ties of votes go to the larger sum of decisions instead of the first class, for
        ``decision_function_shape="ovr"`` and more than two classes.
    random_state : int, RandomState instance or None, default=None
        Not used: nothing is drawn at random.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_weight_ : ndarray of shape (n_classes,)
        Weights of the classes.
    support_ : ndarray of shape (n_support,)
        Rows of the training data that are support vectors, by class. Of identical rows it names the
        first.
    support_vectors_ : {ndarray, sparse matrix} of shape (n_support, n_features)
        The support vectors; empty for a precomputed kernel or a callable.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    dual_coef_ : {ndarray, sparse matrix} of shape (n_classes - 1, n_support)
        Coefficients; sparse if the training samples were.
    intercept_ : ndarray of shape (n_outputs,)
        Constant terms.
    coef_ : {ndarray, sparse matrix} of shape (n_outputs, n_features)
        Feature weights, for the linear kernel; read only.
    fit_status_ : int
        0 if the solver converged, 1 if `max_iter` ended it.
    n_iter_ : ndarray of shape (n_outputs,)
        Updates of each binary problem.
    shape_fit_ : tuple of int
        Shape of the training samples.
    probA_, probB_ : ndarray
        Parameters of the sigmoids 1 / (1 + exp(A f + B)) of ``probability=True``, one per class or
        one for two classes; empty without.
    expansion_ : KernelExpansion
        The fitted model: kernel, support vectors, coefficients and intercepts. The attributes
        `support_vectors_`, `dual_coef_` and `intercept_` are views of it.
    stop_reason_ : ndarray of shape (n_outputs,)
        Why each binary problem was left: ``"converged"``, ``"max_iter"`` or ``"max_time"``.
    dual_gap_ : ndarray of shape (n_outputs,)
        Primal minus dual objective: never less than the distance to the optimum; nan where the
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
    NuSMOClassifier : The same solver with all of its parameters.
    svmosaic.patch_sklearn : Puts this class in the place of scikit-learn's.

    Notes
    -----
    ``docs/coming_from_svc.md`` lists what differs from scikit-learn. A sample weight means
    repetition, in ``gamma="scale"`` and ``class_weight="balanced"`` too; rows whose weight is not
    positive are left out.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svmosaic.svm import NuSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NuSVC(kernel="linear", nu=0.1).fit(X, y)
    >>> model.predict(X[::50])
    array([0, 1, 2])
    >>> model.coef_.shape
    (3, 4)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LIBSVM_PARAMETERS,
        "nu": NU_PARAMETERS["nu"],
        **CLASSIFIER_PARAMETERS,
    }

    _one_class_left = "specified nu is infeasible: one class has positive weights"

    _model_file = NuSMOClassifier._model_file.extend(CLASSIFIER_STATE)

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: str | KernelFunction = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool | str = DEFAULT_PROBABILITY,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: dict[Any, float] | str | None = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
