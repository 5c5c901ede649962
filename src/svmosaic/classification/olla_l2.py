"""OLLA-L2, the OnLine Learning Algorithm for streams, as a classifier."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, cast

from svmosaic.classification.kernel_estimator import kernel_cache_mb, run_options
from svmosaic.classification.online_classifier import OnlineClassifier, Visits, draw_seed
from svmosaic.classification.parameters import POSITIVE_COUNT, POSITIVE_REAL
from svmosaic.engine.class_pairs import MultiClass
from svmosaic.engine.kernels import KernelFunction, KernelSpec
from svmosaic.engine.protocol import solve
from svmosaic.engine.settings import OllaL2Settings, VisitOrder
from svmosaic.engine.tasks import OnlineSolution
from svmosaic.utils.sklearn_compat import StrOptions

__all__ = ["OLLAL2Classifier"]


class OLLAL2Classifier(OnlineClassifier):
    r"""Support vector classifier that learns from a stream, with a budget if wanted.

    OLLA-L2 visits the samples one by one. A violator gets a step of decreasing size, which also
    moves the intercept; a sample that is right by the margin costs nothing. `partial_fit` continues
    with new samples, and `budget` bounds memory and time. Scale the features first.

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
        Size of the steps. A larger C makes every sample count more against the margin 1, so
        fewer samples become support vectors.
    epochs : int, default=2
        How often `fit` visits every sample; e of the paper.
    order : {"shuffled", "given"}, default="shuffled"
        ``"shuffled"``: once, then in cycles; neither the order of the rows nor repetition matters.
        ``"given"``: in cycles, as the rows come, every row a sample of its own; this is the
        paper's order and that of `partial_fit`.
    fit_intercept : bool, default=True
        Whether the steps move an intercept.
    intercept_scaling : float, default=1.0
        How far a step moves the intercept; beta of the paper. Where kernel values are large, as
        with the linear kernel on unscaled data, a larger value lets the intercept keep up.
    budget : int, default=None
        Limit on support vectors of each binary problem. When one is too many, the one of smallest
        coefficient leaves, never the newest.
    random_state : int, RandomState instance or None, default=0
        Seed of the shuffle. An int gives the same model on every platform.
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
        Rows that are support vectors, by class; counted through all calls of `partial_fit`.
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
        Visits of each binary problem.
    stop_reason_ : ndarray of shape (n_outputs,)
        ``"exhausted"`` (all visits are done) or ``"max_time"``.
    t_ : ndarray of shape (n_outputs,)
        Weight visited for each output, the t of the step 2 / sqrt(t).
    n_samples_seen_ : int
        Rows given to `fit` and `partial_fit` so far.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had them.

    See Also
    --------
    NLSGDClassifier : Stochastic gradient descent with averaging.
    OLLAWVClassifier : Takes the worst violator instead of the next sample.

    Notes
    -----
    Visit t of sample i, with eta = 2 / sqrt(t): if y_i f(x_i) <= 1, then alpha_i grows by
    eta (C y_i - alpha_i) and the intercept by `intercept_scaling` times the same. A weight means
    repetition: a sample of weight w is visited w times per epoch; a last fraction r < 1 counts r
    in t and scales the step by r.

    References
    ----------
    .. [1] G. Melki (2019), "Novel Support Vector Machines for Diverse Learning Paradigms", PhD
       thesis, Virginia Commonwealth University, Algorithm 6.1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svmosaic import OLLAL2Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OLLAL2Classifier(gamma=0.5)
    >>> for chunk in (slice(0, 75), slice(75, 150)):
    ...     model = model.partial_fit(X[chunk], y[chunk], classes=[0, 1, 2])
    >>> model.n_samples_seen_
    150
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlineClassifier._parameter_constraints,
        "order": [StrOptions({"shuffled", "given"})],
        "intercept_scaling": POSITIVE_REAL,
        "budget": [*POSITIVE_COUNT, None],
    }

    def __init__(
        self,
        *,
        kernel: str | KernelFunction = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        C: float = 1.0,
        epochs: int = 2,
        order: VisitOrder = "shuffled",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        budget: int | None = None,
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
        self.order = order
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.budget = budget
        self.random_state = random_state
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.decision_function_shape = decision_function_shape
        self.n_jobs = n_jobs
        self.cache_mb = cache_mb
        self.max_time = max_time
        self.verbose = verbose

    def _visit(self, visits: Visits) -> tuple[KernelSpec, list[OnlineSolution]]:
        kernel = cast(KernelSpec, visits.kernel)
        settings = OllaL2Settings(
            C=float(self.C),
            epochs=visits.epochs,
            order=visits.order,
            beta=float(self.intercept_scaling) if self.fit_intercept else 0.0,
            budget=self.budget or 0,
            seed=draw_seed(self.random_state),
            cache_mb=kernel_cache_mb(self, visits.rows, [task.problem for task in visits.tasks]),
        )
        return kernel, solve(visits.rows, kernel, visits.tasks, settings, **run_options(self))
