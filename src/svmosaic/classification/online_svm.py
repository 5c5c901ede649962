"""The on-line SVM in coefficient space, Algorithm 1 of the boundary-point thesis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, cast

from svmosaic.classification.kernel_estimator import run_options
from svmosaic.classification.online_classifier import OnlineClassifier, Visits, draw_seed
from svmosaic.classification.parameters import CLASS_WEIGHT, POSITIVE_COUNT, POSITIVE_REAL
from svmosaic.classification.rbf_only import RbfClassifier
from svmosaic.classification.training import Training
from svmosaic.engine import cpu
from svmosaic.engine.expansion_state import POSITIVE
from svmosaic.engine.gamma import gamma_from_sigma, resolve_gamma, sigma_from_gamma
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DenseRows, FloatArray, IndexArray
from svmosaic.engine.settings import OnlineSvmSettings, Shrinking, VisitOrder
from svmosaic.engine.tasks import OnlineSolution, OnlineSvmSolution, OnlineSvmTask
from svmosaic.utils.sklearn_compat import StrOptions

__all__ = ["OnlineSVMClassifier"]


class OnlineSVMClassifier(RbfClassifier, OnlineClassifier):
    r"""On-line support vector classifier by gradients of the coefficients.

    Every violator changes all coefficients by its kernel values, and all coefficients fade. This
    is the baseline of `OnlineSVMCBPClassifier`. The gradient is taken in the space of the
    coefficients; the usual stochastic gradient, in the space of the kernel, is `NLSGDClassifier`,
    which learns better. Scale the features first.

    Parameters
    ----------
    sigma : "scale" or float, default="scale"
        Width of the kernel exp(-|x - z|^2 / (2 sigma^2)); ``"scale"`` is the root of
        n_features * X.var() / 2.
    lam : float, default=1.0
        lambda of the thesis. A step is 1 / (lam t), so a larger one learns less from each sample.
    max_iter : int, default=20000
        Samples that `fit` draws.
    class_weight : dict or "balanced", default=None
        Weights of the classes; they multiply `sample_weight`. ``"balanced"`` gives all classes the
        same total weight. `partial_fit` takes a dict only.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of `decision_function` for more than two classes.
    random_state : int, RandomState instance or None, default=0
        Seed of the draws. An int gives the same model on every platform.
    n_jobs : int, default=None
        Number of threads. None means 1, unless in a ``joblib.parallel_config`` block; -1 means all
        processors that the process may use. The model does not depend on it.
    max_time : float, default=None
        Limit in seconds on each call of `fit` and `partial_fit`, which warn when it is reached.
    verbose : int, default=0
        If positive, log progress once a second.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    support_ : ndarray of shape (n_support,)
        Rows that are kept, by class; counted through all calls of `partial_fit`.
    support_vectors_ : ndarray of shape (n_support, n_features)
        The kept samples.
    n_support_ : ndarray of shape (n_classes,)
        Number of kept samples of each class.
    dual_coef_ : ndarray of shape (n_classes - 1, n_support)
        Coefficients, arranged as in scikit-learn's SVC.
    intercept_ : ndarray of shape (n_outputs,)
        Zeros.
    expansion_ : KernelExpansion
        The fitted model: kernel, support vectors, coefficients and intercepts. The attributes
        `support_vectors_`, `dual_coef_` and `intercept_` are views of it.
    n_iter_ : ndarray of shape (n_outputs,)
        Visits of each binary problem.
    stop_reason_ : ndarray of shape (n_outputs,)
        ``"exhausted"`` (all visits are done) or ``"max_time"``.
    t_ : ndarray of shape (n_outputs,)
        Weight visited for each output, the t of the step 1 / (lam t).
    sigma_ : float
        The width.
    n_samples_seen_ : int
        Rows given to `fit` and `partial_fit` so far.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had them.

    See Also
    --------
    OnlineSVMCBPClassifier : The same with characteristic boundary points.
    NLSGDClassifier : Stochastic gradient descent in the space of the kernel.

    Notes
    -----
    Algorithm 1 of the thesis [1]_. Step t, with k_x the kernel values of x with the kept samples:
    t = 1 keeps x with coefficient y. Then, if y a.k_x < 1, a becomes (1 - 1/t) a + y k_x / (lam t)
    and x, if new, is kept with coefficient y / (lam t); else a becomes (1 - 1/t) a. `fit` draws
    samples by weight. `partial_fit` takes rows as they come; a row of weight 2 is visited twice
    and a last fraction r counts r in t and scales both terms.

    References
    ----------
    .. [1] A. Guitart, "Optimizing Support Vector Machines with Characteristic Boundary Points",
       master thesis, Universitat de Barcelona, section 2.3, Algorithm 1.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from svmosaic import OnlineSVMClassifier
    >>> X, y = make_moons(60, noise=0.1, random_state=0)
    >>> model = OnlineSVMClassifier(sigma=0.5, max_iter=2000).fit(X, y)
    >>> model.predict(X[:3])
    array([0, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RbfClassifier._parameter_constraints,
        **CLASS_WEIGHT,
        "sigma": [StrOptions({"scale"}), *POSITIVE_REAL],
        "max_iter": POSITIVE_COUNT,
        "random_state": ["random_state"],
    }

    # No parameters: samples are drawn, `max_iter` of them.
    epochs = 1
    order: VisitOrder = "random"

    sigma: float | str
    max_iter: int

    _model_file = OnlineClassifier._model_file.extend({"sigma_": POSITIVE})

    def __init__(
        self,
        *,
        sigma: float | str = "scale",
        lam: float = 1.0,
        max_iter: int = 20_000,
        class_weight: dict[Any, float] | str | None = None,
        decision_function_shape: str = "ovr",
        random_state: Any = 0,
        n_jobs: int | None = None,
        max_time: float | None = None,
        verbose: int = 0,
    ) -> None:
        self.sigma = sigma
        self.lam = lam
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.decision_function_shape = decision_function_shape
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_time = max_time
        self.verbose = verbose

    def _resolve_kernel(self, training: Training) -> KernelSpec | None:
        if isinstance(self.sigma, str):
            gamma = resolve_gamma("scale", training.X, training.samples, training.weights)
        else:
            gamma = gamma_from_sigma(float(self.sigma))
        return KernelSpec("rbf", gamma)

    def _visit(self, visits: Visits) -> tuple[KernelSpec, list[OnlineSolution]]:
        kernel = cast(KernelSpec, visits.kernel)
        X = cast(DenseRows, visits.rows).values
        tasks = [OnlineSvmTask(t.problem, t.support, t.coef, t.t) for t in visits.tasks]
        return kernel, list(
            self._steps(X, X[:0], kernel.gamma, tasks, visits.order, int(self.max_iter))
        )

    def _steps(
        self,
        X: FloatArray,
        points: FloatArray,
        gamma: float,
        tasks: Sequence[OnlineSvmTask],
        order: VisitOrder,
        max_iter: int,
        max_time: float | None = None,
        update: Shrinking = "clipped",
    ) -> list[OnlineSvmSolution]:
        """Run some steps with one width, each task from where it is."""
        settings = OnlineSvmSettings(
            lam=float(self.lam),
            max_iter=max_iter,
            order="given" if order == "given" else "random",
            update=update,
            seed=draw_seed(self.random_state),
        )
        options = run_options(self)
        if max_time is not None:
            options["max_time"] = max_time
        return cpu.solve_online_svm(
            DenseRows(X), DenseRows(points), gamma, tasks, settings, **options
        )

    def _set_state(self, solutions: list[OnlineSolution], labels: IndexArray) -> None:
        self.sigma_ = sigma_from_gamma(self.expansion_.kernel.gamma)
