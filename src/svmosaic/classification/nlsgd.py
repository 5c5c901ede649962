"""NL-SGD, the soft-margin SVM by stochastic gradient descent, as a classifier."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, Literal, cast

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from svmosaic.classification.classifier_state import assemble_classifier
from svmosaic.classification.kernel_estimator import kernel_cache_mb, run_options
from svmosaic.classification.multiclass import arrange, gather, unarrange
from svmosaic.classification.online_classifier import (
    OnlineClassifier,
    Visits,
    draw_seed,
    online_solutions,
)
from svmosaic.engine import cpu
from svmosaic.engine.class_pairs import MultiClass
from svmosaic.engine.expansion import KernelExpansion
from svmosaic.engine.kernels import KernelFunction, KernelSpec, kernel_spec
from svmosaic.engine.problem import Coefficients, DoubleArray, IndexArray
from svmosaic.engine.protocol import solve
from svmosaic.engine.settings import KernelSgdSettings, VisitOrder
from svmosaic.engine.tasks import OnlineSolution
from svmosaic.utils.declaration import doubles, expect, expect_shape
from svmosaic.utils.sklearn_compat import Interval, StrOptions
from svmosaic.utils.state_codec import Scope

__all__ = ["NLSGDClassifier"]


def _check_state(model: Any, sizes: Scope) -> None:
    """Compare the raw sums with the model: of features when it is linear, else of vectors."""
    per_feature = (sizes["n_outputs"], model.n_features_in_)
    if model.kernel == "linear":
        expect("support vectors of a linear model", sizes["n_support"], 0)
        expect_shape("state", model._state, *per_feature)
        expect_shape("feature_weights", model._feature_weights, *per_feature)
    else:
        expect_shape("state", model._state, *model.dual_coef_.shape)
        expect_shape("feature_weights", model._feature_weights, 0, 0)


def _assemble(model: Any, state: dict[str, Any]) -> None:
    """Make a classifier a fitted one: with a linear kernel it has weights of features."""
    assemble_classifier(model, state)
    if model.kernel == "linear":
        model.expansion_ = linear_expansion(
            model._feature_weights, model.expansion_.vectors, model.expansion_.intercepts
        )


class NLSGDClassifier(OnlineClassifier):
    r"""Support vector classifier by stochastic gradient descent, for any kernel.

    NL-SGD visits the samples one by one. A sample inside the margin is added to the sum of
    gradients; the model is that sum, scaled by a step that falls with the number of visits. It
    needs one kernel column per violator, stops after a number of epochs, and can continue with new
    samples (`partial_fit`). Scale the features first.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "sigmoid", "laplacian", "precomputed"} or callable, \
            default="rbf"
        The kernel. A callable gets two arrays of samples and returns their kernel values.
        ``"linear"`` trains one weight per feature and keeps no support vectors.
    gamma : {"scale", "auto", "cbp", "cbp-radius"} or float, default="scale"
        Width of rbf, laplacian, poly and sigmoid kernels. ``"scale"`` is 1 / (n_features *
        X.var()), ``"auto"`` is 1 / n_features, ``"cbp"`` and ``"cbp-radius"`` are 1 / (2 sigma^2)
        of `peak_sigma` and `radius_sigma`, for rbf and dense samples. A larger gamma gives a more
        flexible boundary.
    degree : int, default=3
        Degree of the poly kernel.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    C : float, default=100.0
        1 / lambda. The loss is a mean over the samples, so C of scikit-learn's SVC, which sums,
        corresponds to ``C = n_samples * C_svc``. A larger C follows the data more closely and
        needs more epochs.
    epochs : int, default=2
        How often `fit` visits every sample.
    average : float, default=0.5
        The model is the mean over this last share of the visits; 0 means the last one, 1 the
        mean of all. The paper uses 0, 0.25 and 0.5. A larger share is steadier. In `partial_fit`
        it is the share of the latest chunk.
    order : {"shuffled", "random", "given"}, default="shuffled"
        ``"shuffled"``: once, then in cycles (NL-SGD); neither the order of the rows nor repetition
        matters. ``"random"``: every visit is drawn at random (Pegasos). ``"given"``: in cycles, as
        the rows come.
    fit_intercept : bool, default=False
        The paper's method has no intercept. With True the kernel is k(x, z) + 1, so that the
        intercept is the sum of the coefficients and is regularised with them.
    random_state : int, RandomState instance or None, default=0
        Seed of the shuffle or the draws. An int gives the same model on every platform.
    class_weight : dict or "balanced", default=None
        Weights of the classes; they multiply `sample_weight`. ``"balanced"`` gives all classes the
        same total weight. `partial_fit` takes a dict only.
    multi_class : {"ovo", "ovr"}, default="ovo"
        One binary classifier per pair of classes, or one per class against the rest.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of `decision_function` for one-vs-one with more than two classes.
    n_jobs : int, default=None
        Number of threads. None means 1, unless in a ``joblib.parallel_config`` block; -1 means all
        processors that the process may use. The model does not depend on it.
    cache_mb : float or "auto", default="auto"
        Memory in MB for kernel columns. ``"auto"`` is a quarter of the memory that is free, and no
        more than all columns need. The model does not depend on it. Columns are kept if all of a
        binary problem fit and samples are visited more than once.
    max_time : float, default=None
        Limit in seconds on each call of `fit` and `partial_fit`, which warn when it is reached.
    verbose : int, default=0
        If positive, log progress once a second.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    support_ : ndarray of shape (n_support,)
        Rows that are support vectors, by class; counted through all calls of `partial_fit`. Empty
        for the linear kernel, as are the next three.
    support_vectors_ : {ndarray, sparse matrix} of shape (n_support, n_features)
        The support vectors; empty for a precomputed kernel.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    dual_coef_ : ndarray of shape (n_classes - 1, n_support)
        Coefficients as in scikit-learn's SVC; one row per class for one-vs-rest.
    intercept_ : ndarray of shape (n_outputs,)
        Constant terms. They are 0 unless `fit_intercept`.
    expansion_ : KernelExpansion
        The fitted model: kernel, support vectors, coefficients and intercepts. The attributes
        `support_vectors_`, `dual_coef_` and `intercept_` are views of it.
    coef_ : ndarray of shape (n_outputs, n_features)
        Feature weights, for the linear kernel.
    n_iter_ : ndarray of shape (n_outputs,)
        Visits of each binary problem.
    stop_reason_ : ndarray of shape (n_outputs,)
        ``"exhausted"`` (all visits are done) or ``"max_time"``.
    t_ : ndarray of shape (n_outputs,)
        Weight visited for each output, the t of the step 1 / (lambda t).
    n_samples_seen_ : int
        Rows given to `fit` and `partial_fit` so far.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had them.

    See Also
    --------
    OLLAL2Classifier : Another online classifier, with an intercept and a budget.
    OLLAWVClassifier : Takes the worst violator instead of the next sample.

    Notes
    -----
    The problem is the soft-margin SVM with a mean of losses,

    .. math:: \min_w \tfrac{\lambda}{2} \|w\|^2
              + \tfrac1n \sum_i \max(0, 1 - y_i \langle w, \phi(x_i) \rangle), \quad C = 1/\lambda.

    Visit t of sample i: with alpha = beta / (lambda t), if y_i f(x_i) < 1 then beta_i grows by
    y_i. A weight means repetition: a sample of weight w is visited w times per epoch; a last
    fraction r < 1 counts r in t and adds r y_i.

    References
    ----------
    .. [1] G. Melki, V. Kecman (2016), "Speeding Up Online Training of L1 Support Vector
       Machines", Proceedings of IEEE SoutheastCon, pages 1-6, Algorithm B.
    .. [2] S. Shalev-Shwartz, S. Ben-David (2014), "Understanding Machine Learning", chapter 15,
       :doi:`10.1017/CBO9781107298019`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svmosaic import NLSGDClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NLSGDClassifier(gamma=0.5, epochs=5).fit(X, y)
    >>> model.predict(X[:3])
    array([0, 0, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlineClassifier._parameter_constraints,
        "average": [Interval(Real, 0.0, 1.0, closed="both")],
        "order": [StrOptions({"shuffled", "random", "given"})],
    }

    _model_file = OnlineClassifier._model_file.extend(
        {
            "_state": doubles("n_state_rows", "n_state"),
            "_state_intercept": doubles("n_outputs"),
            "_feature_weights": doubles("n_weight_rows", "n_weights"),
        },
        _check_state,
        assemble=_assemble,
    )

    def __init__(
        self,
        *,
        kernel: str | KernelFunction = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        C: float = 100.0,
        epochs: int = 2,
        average: float = 0.5,
        order: VisitOrder = "shuffled",
        fit_intercept: bool = False,
        random_state: Any = 0,
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
        self.epochs = epochs
        self.average = average
        self.order = order
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.decision_function_shape = decision_function_shape
        self.n_jobs = n_jobs
        self.cache_mb = cache_mb
        self.max_time = max_time
        self.verbose = verbose

    # Solving --------------------------------------------------------------------------------

    @property
    def _in_primal(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "linear"

    def _visit(self, visits: Visits) -> tuple[KernelSpec, list[OnlineSolution]]:
        kernel = cast(KernelSpec, visits.kernel)
        settings = KernelSgdSettings(
            C=float(self.C),
            epochs=visits.epochs,
            average=float(self.average),
            order=visits.order,
            fit_intercept=bool(self.fit_intercept),
            seed=draw_seed(self.random_state),
            cache_mb=kernel_cache_mb(self, visits.rows, [task.problem for task in visits.tasks]),
        )
        if self._in_primal:
            solutions = cpu.solve_linear_sgd(
                visits.rows, visits.tasks, settings, **run_options(self)
            )
        else:
            solutions = solve(visits.rows, kernel, visits.tasks, settings, **run_options(self))
        return kernel, solutions

    def _set_state(self, solutions: list[OnlineSolution], labels: IndexArray) -> None:
        self._state_intercept = np.array([s.state_intercept for s in solutions])
        if self._in_primal:
            n_features = int(self.n_features_in_)
            self._state = _matrix([s.state for s in solutions], n_features)
            self._feature_weights = _matrix([s.weights for s in solutions], n_features)
            self.expansion_ = linear_expansion(
                self._feature_weights, self.expansion_.vectors, self.expansion_.intercepts
            )
            return
        raw = [replace(s, coef=s.state) for s in solutions]
        joined = gather(raw, labels, self.classes_.size)
        self._state = arrange(
            joined.coefficients, joined.n_support, self.classes_.size, self.multi_class
        )
        self._feature_weights = np.empty((0, 0))

    def _solutions(self) -> list[OnlineSolution]:
        if self._in_primal != (self._feature_weights.size > 0):
            raise ValueError(
                f"partial_fit of {type(self).__name__} cannot continue with "
                f"kernel={self.kernel!r}: a linear model keeps weights, the others keep samples; "
                "call fit."
            )
        if not self._in_primal:
            state = unarrange(self._state, self.n_support_, self.classes_.size, self.multi_class)
            return online_solutions(self, state, self._state_intercept)
        # The weights of the features are all there is; no support vectors have to be looked up.
        nothing = Coefficients.of_matrix(np.zeros((0, self.intercept_.size)))
        return [
            replace(solution, state=state.copy(), weights=weights)
            for solution, state, weights in zip(
                online_solutions(self, nothing, self._state_intercept),
                self._state,
                self._feature_weights,
                strict=True,
            )
        ]

    # The linear kernel ----------------------------------------------------------------------

    @property
    def coef_(self) -> Any:
        """Weights of the features, one row per output; for the linear kernel only."""
        if not self._in_primal:
            raise AttributeError("coef_ is only available when using a linear kernel")
        check_is_fitted(self, "classes_")
        return self._feature_weights

    @property
    def support_vectors_(self) -> Any:
        """The support vectors; none for the linear kernel, which keeps weights of features."""
        vectors = self.expansion_.vectors
        return vectors[:0] if self._in_primal else vectors

    @property
    def dual_coef_(self) -> DoubleArray:
        """Coefficients of the support vectors, arranged as in scikit-learn's SVC."""
        if not self._in_primal:
            return super().dual_coef_
        n_classes = self.classes_.size
        by_pairs = n_classes > 2 and self.multi_class == "ovo"
        return np.zeros((n_classes - 1 if by_pairs else self.intercept_.size, 0))


def linear_expansion(
    weights: DoubleArray, samples: Any, intercepts: DoubleArray
) -> KernelExpansion:
    """Return the linear expansion whose vectors are weights of features, one per binary problem.

    `samples` has the form and the type that the training samples had.
    """
    vectors = weights.astype(samples.dtype)
    n = weights.shape[0]
    return KernelExpansion(
        kernel_spec("linear"),
        csr_array(vectors) if sp.issparse(samples) else vectors,
        Coefficients(np.arange(n + 1), np.arange(n), np.ones(n), n),
        intercepts,
    )


def _matrix(rows: list[DoubleArray], n_columns: int) -> DoubleArray:
    """Return the rows as a matrix; a problem without samples yet has an empty one."""
    matrix = np.zeros((len(rows), n_columns))
    for m, row in enumerate(rows):
        if row.size:
            matrix[m] = row
    return matrix
