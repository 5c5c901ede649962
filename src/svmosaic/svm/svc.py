"""SVC: the exact classifier with scikit-learn's parameters and attributes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from svmosaic.classification.multiclass import predict_by_votes, votes_of_samples
from svmosaic.classification.parameters import CLASS_WEIGHT, MULTICLASS_PARAMETERS
from svmosaic.classification.smo_classifier import SMOClassifier
from svmosaic.classification.training import Training
from svmosaic.engine.class_pairs import MultiClass
from svmosaic.engine.kernels import KernelFunction, KernelSpec
from svmosaic.engine.problem import DoubleArray, IndexArray, Solution
from svmosaic.svm.libsvm_interface import LIBSVM_PARAMETERS, LIBSVM_STATE, LibsvmInterface
from svmosaic.svm.probabilities import (
    DEFAULT_PROBABILITY,
    NotStored,
    fit_probabilities,
    wants_probabilities,
    warn_if_attribute_is_deprecated,
    warn_if_deprecated,
)
from svmosaic.utils.declaration import MayLack, doubles
from svmosaic.utils.sklearn_compat import StrOptions, available_if, fit_context

__all__ = ["SVC"]


def _has_probabilities(estimator: Any) -> bool:
    if not wants_probabilities(estimator):
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class SVC(LibsvmInterface, SMOClassifier):
    r"""Support vector classifier with the parameters and attributes of scikit-learn's ``SVC``.

    The solver is that of `SMOClassifier`, which has more parameters: threads, memory, time, a GPU.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of errors. A larger C follows the training data more closely and takes longer.
        Infinity is a hard margin.
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
    SMOClassifier : The same solver with all of its parameters.
    svmosaic.patch_sklearn : Puts this class in the place of scikit-learn's.

    Notes
    -----
    ``docs/coming_from_svc.md`` lists what differs from scikit-learn. A sample weight means
    repetition, in ``gamma="scale"`` and ``class_weight="balanced"`` too; rows whose weight is not
    positive are left out.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svmosaic.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SVC(kernel="linear", C=0.1).fit(X, y)
    >>> model.predict(X[::50])
    array([0, 1, 2])
    >>> model.coef_.shape
    (3, 4)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LIBSVM_PARAMETERS,
        **CLASS_WEIGHT,
        "decision_function_shape": MULTICLASS_PARAMETERS["decision_function_shape"],
        "probability": ["boolean", StrOptions({"deprecated"})],
        "break_ties": ["boolean"],
        "random_state": ["random_state"],
    }

    _model_file = SMOClassifier._model_file.extend(
        {
            **LIBSVM_STATE,
            "class_weight_": doubles("n_classes"),
            "_calibrated": MayLack(
                NotStored(
                    "A model file does not hold the probabilities of SVC. Save one with "
                    "probability left out, or pickle this one."
                )
            ),
        }
    )

    multi_class: MultiClass = "ovo"
    variant: Literal["second_order", "simple"] = "second_order"

    def __init__(
        self,
        *,
        C: float = 1.0,
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
        self.C = C
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

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classifier to training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples; for ``kernel="precomputed"``, kernel values of shape
            (n_samples, n_samples); for a callable, whatever it takes. float32 and float64 are kept
            as they are.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight means repetition: 2 counts the row twice; 0 and less leave it out.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        warn_if_deprecated(self)
        self.__dict__.pop("_calibrated", None)
        weights = self._positive_weights(X, sample_weight)
        if weights is not None:
            _check_two_classes(y, weights)
        super().fit(self._training_table(X, y), y, weights)
        self._note_shape(X)
        if wants_probabilities(self):
            self._calibrated = fit_probabilities(self, X, y, weights)
        return self

    def _training_kernel(self, training: Training) -> KernelSpec:
        if training.class_weights is None:
            return super()._training_kernel(training)
        # Weights of classes change the penalty and not the data that gamma="scale" looks at.
        of_samples = training.class_weights[training.labels[training.samples]]
        return super()._training_kernel(replace(training, weights=training.weights / of_samples))

    def _set_fitted(
        self, training: Training, kernel: KernelSpec, solutions: list[Solution]
    ) -> None:
        super()._set_fitted(training, kernel, solutions)
        given = training.class_weights
        self.class_weight_ = np.ones(self.classes_.size) if given is None else given

    def _class_numbers(self, X: Any) -> IndexArray:
        if self.classes_.size == 2:
            return super()._class_numbers(X)
        if self.break_ties:
            chosen: IndexArray = self._decision_values(X).argmax(axis=1)
            return chosen
        return predict_by_votes(self._output_values, X, self.classes_.size, break_ties=False)

    def _decision_values(self, X: Any) -> DoubleArray:
        if self.classes_.size == 2 or self.decision_function_shape == "ovo":
            return super()._decision_values(X)
        return votes_of_samples(self._votes_for_the_first, X, self.classes_.size)

    def _votes_for_the_first(self, X: Any) -> DoubleArray:
        """Return outputs without 0, which `decision_function` of scikit-learn takes for positive.

        Its `predict` takes it for negative.
        """
        outputs = self._output_values(X)
        return np.where(outputs == 0.0, np.finfo(np.float64).tiny, outputs)

    def predict(self, X: Any) -> Any:
        """Return the class of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples; for ``kernel="precomputed"``, kernel values against the training samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError(
                "break_ties must be False when decision_function_shape is 'ovo': ties are broken "
                "by the decisions of one-vs-rest."
            )
        return super().predict(X)

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> DoubleArray:
        """Return the probabilities of the classes, for ``probability=True``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples; for ``kernel="precomputed"``, kernel values against the training samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Their rows sum to 1. The largest one need not be that of `predict`.
        """
        check_is_fitted(self)
        if not hasattr(self, "_calibrated"):
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False. Fit again."
            )
        probabilities: DoubleArray = self._calibrated.predict_proba(X)
        return probabilities

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> DoubleArray:
        """Return the logarithms of `predict_proba`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples; for ``kernel="precomputed"``, kernel values against the training samples.

        Returns
        -------
        logarithms : ndarray of shape (n_samples, n_classes)
            Logarithms of probabilities.
        """
        return np.log(self.predict_proba(X))

    @property
    def probA_(self) -> DoubleArray:
        """Slopes of the sigmoids of ``probability=True``."""
        return self._sigmoids("probA_", "a_")

    @property
    def probB_(self) -> DoubleArray:
        """Offsets of the sigmoids of ``probability=True``."""
        return self._sigmoids("probB_", "b_")

    def _sigmoids(self, name: str, parameter: str) -> DoubleArray:
        check_is_fitted(self)
        warn_if_attribute_is_deprecated(name)
        if not hasattr(self, "_calibrated"):
            return np.empty(0)
        (classifier,) = self._calibrated.calibrated_classifiers_
        return np.array([getattr(sigmoid, parameter) for sigmoid in classifier.calibrators])


def _check_two_classes(y: Any, weights: DoubleArray) -> None:
    """Refuse positive weights of one class only, where there are more; `fit` checks the rest."""
    labels = np.asarray(y)
    if labels.shape != weights.shape or np.unique(labels[weights > 0]).size > 1:
        return
    if np.unique(labels).size > 1:
        raise ValueError(
            "Invalid input - all samples with positive weights belong to the same class. SVC "
            "needs two."
        )
