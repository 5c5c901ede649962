"""OLLAWV, the OnLine Learning Algorithm using Worst-Violators, as a classifier."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from svmosaic.classification.convergence import certified_gaps, warn_if_late
from svmosaic.classification.kernel_classifier import KernelClassifier
from svmosaic.classification.kernel_estimator import kernel_cache_mb, run_options
from svmosaic.classification.margin_path import BinaryPath, MarginPath
from svmosaic.classification.multiclass import gather
from svmosaic.classification.parameters import DEVICE, MEMORY_LIMIT, POSITIVE_COUNT, POSITIVE_REAL
from svmosaic.classification.path_state import PATH, check_path
from svmosaic.classification.training import Training
from svmosaic.engine.class_pairs import MultiClass
from svmosaic.engine.expansion import KernelExpansion
from svmosaic.engine.expansion_state import CERTIFICATE
from svmosaic.engine.fit_report import ReportedFit
from svmosaic.engine.kernels import KernelFunction, KernelSpec
from svmosaic.engine.problem import Solution
from svmosaic.engine.protocol import solve
from svmosaic.engine.settings import LearningRate, OllawvSettings, RefineSettings
from svmosaic.utils.sklearn_compat import Interval, StrOptions
from svmosaic.utils.user_warning import warn_user

__all__ = [
    "OLLAWV_PARAMETERS",
    "OLLAWVClassifier",
    "make_refine_settings",
    "make_settings",
]

# Parameters that `OLLAWVClassifierCV` has as well.
OLLAWV_PARAMETERS: dict[str, list[Any]] = {
    "refine": [StrOptions({"full"}), None],
    "tol": POSITIVE_REAL,
    "fit_intercept": ["boolean"],
    "learning_rate": [StrOptions({"2/sqrt(t)", "1/sqrt(t)", "1/t"})],
    "max_iter": [*POSITIVE_COUNT, *POSITIVE_REAL],
    "max_support": [*POSITIVE_COUNT, None],
}


class OLLAWVClassifier(ReportedFit, KernelClassifier):
    r"""Support vector classifier by worst-violator learning.

    OLLAWV looks for the worst violator, gives it one step of decreasing size, and stops when no
    sample violates the margin. It reads one kernel column per support vector and needs no kernel
    cache. By default the result is then refined to the exact SVM on all samples (``refine``). Use
    it where you would use an RBF support vector machine; scale the features first.

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
    margin : float, default=0.1
        M / C of the paper: the selection stops when every remaining sample has
        y f(x) / C >= margin. A larger margin runs longer and keeps more support vectors. With
        ``refine="full"`` the model does not depend on it: the selection is only its start and
        ends at 0, or after a few hundred steps.
    C : float, default=1.0
        With ``refine=None``, C only rescales the decision values: step, output, bias and stopping
        threshold are all proportional to C, so it cancels and labels do not depend on it. With
        refinement it is the penalty of the L1-SVM, unless `refine_C` is given.
    refine : {"full", None}, default="full"
        What follows the selection. ``None``: nothing, the paper's method. ``"full"``: the samples
        that violate the optimality conditions join until there are none; the result is the exact
        L1-SVM on all samples.
    refine_C : float, default=None
        Penalty C of the refinement; None means `C`.
    tol : float, default=1e-3
        Tolerance of the refinement on the optimality conditions.
    fit_intercept : bool, default=True
        Whether ``refine=None`` learns an intercept (beta of the paper). A refined model always
        has one.
    learning_rate : {"2/sqrt(t)", "1/sqrt(t)", "1/t"}, default="2/sqrt(t)"
        Size of step t of the selection.
    start : {"central", "first"}, default="central"
        Where the selection begins. ``"central"``: the sample nearest to its class mean, in the
        larger class, so that the order of the rows does not matter. ``"first"``: the first row,
        as in the paper; then ties also go to the first row.
    max_iter : int or float, default=0.5
        Limit on selection steps: a float is a share of the number of samples of each binary
        problem (the authors' own choice is 0.5), an int a number of steps. With ``refine=None``
        and classes that overlap, half of the samples is often too early: 1.0 is more accurate and
        keeps more support vectors.
    max_support : int, default=None
        Budget: limit on support vectors selected for each binary problem.
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
        more than all columns need. The model does not depend on it. Columns are kept during the
        refinement.
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
        Selection steps of each binary problem; 0 where a large problem is solved exactly from
        clusters, without a selection. On a GPU, updates of the exact solver.
    stop_reason_ : ndarray of shape (n_outputs,)
        Why each selection stopped: ``"converged"`` (the margin is reached), ``"max_iter"``,
        ``"max_support"``, ``"max_time"`` or ``"exhausted"`` (no sample is left).
    dual_gap_ : ndarray of shape (n_outputs,)
        Primal minus dual objective over all samples; for ``refine="full"``, else nan. Also nan
        where the kernel is not positive semidefinite.
    objective_ : ndarray of shape (n_outputs,)
        Dual objective reached by the refinement; nan without.
    path_ : MarginPath
        The recorded trajectory of each binary problem; without steps where `n_iter_` is 0.
    fit_report_ : FitReport
        What `fit` did and what it cost: kernel values, updates, memory, threads, seconds; print it.
        Model files do not hold it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had them.

    See Also
    --------
    OLLAWVClassifierCV : Chooses gamma, margin and C by cross-validation.

    Notes
    -----
    The problem is the L1-SVM,

    .. math:: \min_f \tfrac12 \|f\|^2 + C \sum_i \max(0, 1 - y_i f(x_i)).

    Identical rows of one class are one sample with the sum of their weights. Training costs
    n kernel values per selected sample, plus the refinement on far fewer samples.

    A sample of weight w can be selected until its weight is used up, just as w copies of it
    could; a last fraction r < 1 scales its step by r.

    References
    ----------
    .. [1] G. Melki, V. Kecman, S. Ventura, A. Cano (2018), "OLLAWV: OnLine Learning Algorithm
       using Worst-Violators", Applied Soft Computing 66, Algorithm 1,
       :doi:`10.1016/j.asoc.2018.02.040`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svmosaic import OLLAWVClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OLLAWVClassifier(gamma=0.5).fit(X, y)
    >>> model.predict(X[:3])
    array([0, 0, 0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelClassifier._parameter_constraints,
        **OLLAWV_PARAMETERS,
        **MEMORY_LIMIT,
        **DEVICE,
        "margin": [Interval(Real, 0.0, None, closed="left")],
        "C": POSITIVE_REAL,
        "refine_C": [*POSITIVE_REAL, None],
        "start": [StrOptions({"central", "first"})],
    }

    _model_file = KernelClassifier._model_file.extend(
        {**CERTIFICATE, **PATH}, check_path, former_values={"refine": "selected"}
    )

    def __init__(
        self,
        *,
        kernel: str | KernelFunction = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        margin: float = 0.1,
        C: float = 1.0,
        refine: Literal["full"] | None = "full",
        refine_C: float | None = None,
        tol: float = 1e-3,
        fit_intercept: bool = True,
        learning_rate: LearningRate = "2/sqrt(t)",
        start: Literal["central", "first"] = "central",
        max_iter: float = 0.5,
        max_support: int | None = None,
        class_weight: dict[Any, float] | str | None = None,
        multi_class: MultiClass = "ovo",
        decision_function_shape: str = "ovr",
        n_jobs: int | None = None,
        cache_mb: float | Literal["auto"] = "auto",
        memory_limit_mb: float | None = None,
        max_time: float | None = None,
        device: str | None = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.margin = margin
        self.C = C
        self.refine = refine
        self.refine_C = refine_C
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.learning_rate = learning_rate
        self.start = start
        self.max_iter = max_iter
        self.max_support = max_support
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.decision_function_shape = decision_function_shape
        self.n_jobs = n_jobs
        self.cache_mb = cache_mb
        self.memory_limit_mb = memory_limit_mb
        self.max_time = max_time
        self.device = device
        self.verbose = verbose

    # Solving --------------------------------------------------------------------------------

    @property
    def _in_given_order(self) -> bool:  # type: ignore[override]
        return self.start == "first"

    def _solve(self, training: Training) -> tuple[KernelSpec, list[Solution]]:
        rows, problems = training.rows, training.problems
        if self.start == "first":
            problems = [replace(problem, first=0) for problem in problems]
        kernel = self._training_kernel(training)
        settings = make_settings(
            margin=self.margin,
            C=self.C,
            refine=make_refine_settings(
                self.refine, self.C if self.refine_C is None else self.refine_C, self.tol
            ),
            fit_intercept=self.fit_intercept,
            learning_rate=self.learning_rate,
            max_iter=self.max_iter,
            max_support=self.max_support,
            cache_mb=kernel_cache_mb(self, rows, problems),
        )
        options = {**run_options(self), "device": self.device}
        solutions = solve(rows, kernel, problems, settings, **options)
        self._warn_if_not_converged(solutions)
        return kernel, solutions

    def _warn_if_not_converged(self, solutions: list[Solution]) -> None:
        advice = "raise max_time, lower the margin or set max_support"
        if warn_if_late(self, solutions, advice) or self.refine is None:
            return
        worst = max(s.violation for s in solutions)
        if worst > self.tol:
            warn_user(
                f"The refinement of {type(self).__name__} stopped with violation "
                f"{worst:.1e} (tol={self.tol:g}). Scale the features or raise tol.",
                ConvergenceWarning,
            )

    def _set_fitted(
        self, training: Training, kernel: KernelSpec, solutions: list[Solution]
    ) -> None:
        super()._set_fitted(training, kernel, solutions)
        self.dual_gap_ = certified_gaps(self, training.X, kernel, training.problems, solutions)
        self.objective_ = np.array([s.objective for s in solutions])
        total_weights = [float(p.weights.sum()) for p in training.problems]
        self._path = MarginPath.of(solutions, total_weights).to_arrays()
        self._selected: dict[str, Any] = {}

    # The margin path ------------------------------------------------------------------------

    @property
    def path_(self) -> MarginPath:
        """The recorded trajectory of each binary problem."""
        check_is_fitted(self, "dual_coef_")
        return MarginPath.from_arrays(self._path)

    def at_margin(self, margin: float) -> Self:
        """Return the model for a smaller margin, without a new selection.

        It needs a fit with ``refine=None``.

        Parameters
        ----------
        margin : float
            At most the margin of this model.

        Returns
        -------
        model : OLLAWVClassifier
            Equal to a separate fit with this margin.
        """
        check_is_fitted(self, "dual_coef_")
        if not 0.0 <= margin <= self.margin:
            raise ValueError(
                f"at_margin of {type(self).__name__} expected a margin in [0, {self.margin:g}], "
                f"the margin of this model. Got {margin:g} instead; fit with a larger margin."
            )
        model = self._at(lambda path: path.length_at_margin(margin), margin=margin)
        reached = np.array([path.violations[-1] >= margin for path in model.path_])
        model.stop_reason_ = np.where(reached, "converged", self.stop_reason_)
        return model

    def at_budget(self, max_support: int) -> Self:
        """Return the model whose binary classifiers select at most `max_support` samples.

        It needs a fit with ``refine=None``.

        Parameters
        ----------
        max_support : int
            Budget of each binary problem.

        Returns
        -------
        model : OLLAWVClassifier
            Equal to a separate fit with this budget.
        """
        check_is_fitted(self, "dual_coef_")
        if max_support < 1:
            raise ValueError(
                f"at_budget of {type(self).__name__} expected at least 1 support vector. "
                f"Got {max_support} instead."
            )
        model = self._at(lambda path: path.length_at_budget(max_support), max_support=max_support)
        spent = model.n_iter_ < self.n_iter_
        model.stop_reason_ = np.where(spent, "max_support", self.stop_reason_)
        return model

    def _at(self, length: Callable[[BinaryPath], int], **params: Any) -> Self:
        """Return the model of shortened paths; the caller says why they end."""
        # A refined model lacks vectors of its path, also after `set_params(refine=None)`.
        if self.refine is not None or not np.isin(self._path["rows"], self.support_).all():
            raise ValueError(
                f"at_margin and at_budget of {type(self).__name__} need a model that was fitted "
                "with refine=None."
            )
        if not all(path.rows.size for path in self.path_):
            raise ValueError(
                f"This {type(self).__name__} has no recorded path, as a model imported from "
                "another library; fit it with svmosaic."
            )
        model = copy.copy(self)
        # It was not fitted, and what is known of the fit is that of another model.
        model.__dict__.pop("_fit_report", None)
        model.set_params(**params)
        model._shorten(MarginPath(tuple(path.cut(length(path)) for path in self.path_)))
        return model

    def _shorten(self, cut: MarginPath) -> None:
        """Replace the fitted attributes by those of shorter paths."""
        parts = [path.expansion(float(self.C), bool(self.fit_intercept)) for path in cut]
        solutions = [Solution(rows, coef, intercept) for rows, coef, intercept in parts]
        self._select_vectors(solutions)
        self._path = cut.to_arrays()
        self.n_iter_ = np.array([path.rows.size for path in cut])
        self.dual_gap_ = np.array([s.dual_gap for s in solutions])
        self.objective_ = np.array([s.objective for s in solutions])

    def _select_vectors(self, solutions: list[Solution]) -> None:
        """Set the expansion from solutions over vectors that this model holds already."""
        known = self.support_.astype(np.int64)
        of_class = np.repeat(np.arange(self.classes_.size), self.n_support_)
        labels = np.zeros(int(known.max()) + 1, dtype=np.int64)
        labels[known] = of_class
        found = gather(solutions, labels, self.classes_.size)
        before = self.expansion_
        if before.columns is None:
            place = np.empty(labels.size, dtype=np.int64)
            place[known] = np.arange(known.size)
            columns, vectors = None, before.vectors[place[found.support]]
        else:
            columns, vectors = found.support, before.vectors
        self.expansion_ = KernelExpansion(
            before.kernel, vectors, found.coefficients, found.intercepts, columns
        )
        self.support_ = found.support.astype(np.int32)
        self.n_support_ = found.n_support.astype(np.int32)


def make_refine_settings(refine: Literal["full"] | None, C: float, tol: float) -> RefineSettings:
    """Return the settings of the refinement from the parameters of the same names."""
    return RefineSettings(refinement=refine or "none", C=float(C), tol=float(tol))


def make_settings(
    *,
    refine: RefineSettings,
    fit_intercept: bool,
    learning_rate: LearningRate,
    max_iter: float,
    max_support: int | None,
    margin: float = 0.1,
    C: float = 1.0,
    cache_mb: float = 200.0,
) -> OllawvSettings:
    """Return the settings of the solver from the parameters of the same names."""
    by_share = not isinstance(max_iter, Integral)
    return OllawvSettings(
        margin=float(margin),
        learning_rate=learning_rate,
        fit_intercept=bool(fit_intercept),
        max_iter_share=float(max_iter) if by_share else 0.0,
        max_iter=0 if by_share else int(max_iter),
        max_support=max_support or 0,
        C=float(C),
        cache_mb=cache_mb,
        refine=refine,
    )
