"""SVM-CBP, the SVM whose norm is the distance to the boundary points, as a classifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from svmosaic.boundary.cbp_problem import CbpProblem, CbpSolution, matrix_bytes
from svmosaic.boundary.kernel_widths import (
    RIDGE,
    CbpSettings,
    FoundWidth,
    WidthPath,
    default_sigmas,
    descending_sigmas,
    search_widths,
    solve_at,
    warn_without_peak,
)
from svmosaic.boundary.points import pair_midpoints, pairs_between
from svmosaic.classification.classifier_state import BOUNDARY_WIDTH, check_boundary
from svmosaic.classification.convergence import warn_if_unfinished
from svmosaic.classification.parameters import POSITIVE_COUNT, POSITIVE_REAL, RUN_PARAMETERS
from svmosaic.classification.rbf_only import RbfClassifier
from svmosaic.classification.training import Training
from svmosaic.engine.gamma import gamma_from_sigma
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DenseRows, DoubleArray, IndexArray, Problem, Solution
from svmosaic.utils.clock import Deadline
from svmosaic.utils.declaration import doubles, row_numbers
from svmosaic.utils.progress import current_progress
from svmosaic.utils.sklearn_compat import StrOptions
from svmosaic.utils.threads import resolve_threads

__all__ = ["CBP_PARAMETERS", "CbpFit", "CbpParameters", "SVMCBPClassifier", "solve_cbp"]

# Parameters that `SVMCBPClassifierCV` has as well.
CBP_PARAMETERS: dict[str, list[Any]] = {
    "sigma": [StrOptions({"peak"}), *POSITIVE_REAL],
    "sigmas": ["array-like", None],
    "after_peak": ["boolean"],
    "ridge": POSITIVE_REAL,
    "tol": POSITIVE_REAL,
    "max_iter": [*POSITIVE_COUNT, None],
    "n_jobs": RUN_PARAMETERS["n_jobs"],
    "memory_limit_mb": POSITIVE_REAL,
    "verbose": RUN_PARAMETERS["verbose"],
}


class SVMCBPClassifier(RbfClassifier):
    r"""Support vector classifier that stays near the characteristic boundary points.

    The margin term of the SVM is replaced by the decision values at the boundary points: points
    midway between two samples of different classes that no third sample is nearer to. The model
    gets a width by itself, from the peak of that term. Scale the features first. All samples
    take part in the expansion; memory grows with the square and time with the cube of the samples
    of two classes, so this is for some thousand samples.

    Parameters
    ----------
    sigma : "peak" or float, default="peak"
        Width of the kernel exp(-|x - z|^2 / (2 sigma^2)). ``"peak"`` fits a model for all
        widths of a range and takes the one where the norm has its peak; one width for all pairs
        of classes.
    lam : float, default=1.0
        Weight of the losses against the norm. A larger one follows the training data more closely.
    sigmas : array-like, default=None
        Widths that ``"peak"`` tries. None means 15, from eight times the root mean square distance
        of two samples down to a hundredth of that.
    after_peak : bool, default=False
        Whether ``"peak"`` takes the next smaller width, as the text of the thesis advises.
    ridge : float, default=1e-6
        Share of the mean diagonal of C C' that is added to its diagonal. The matrix is singular
        where there are fewer boundary points than samples. A larger one gives a smoother boundary.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted. Their scale is 1.
    max_iter : int, default=None
        Limit on updates of each binary problem. None means max(10 million, 100 n_samples).
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of `decision_function` for more than two classes.
    n_jobs : int, default=None
        Number of threads. None means 1, unless in a ``joblib.parallel_config`` block; -1 means all
        processors that the process may use. The model does not depend on it. Threads find the
        boundary points and predict.
    memory_limit_mb : float, default=2000
        Limit in MB on the matrices of `fit`, which are as large as the number of samples squared.
        Where they would not fit, `fit` says so before it begins.
    max_time : float, default=None
        Limit in seconds on `fit`. When it is reached, the returned model has not converged, and
        `fit` warns. The search for boundary points counts. A step of linear algebra that has begun
        is not cut short.
    verbose : int, default=0
        If positive, log progress once a second.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    support_ : ndarray of shape (n_support,)
        Rows of the training data in the expansion, by class. Of identical rows the first.
    support_vectors_ : ndarray of shape (n_support, n_features)
        The samples themselves.
    n_support_ : ndarray of shape (n_classes,)
        Number of them in each class.
    dual_coef_ : ndarray of shape (n_classes - 1, n_support)
        Coefficients a, arranged as in scikit-learn's SVC.
    intercept_ : ndarray of shape (n_outputs,)
        Zeros.
    expansion_ : KernelExpansion
        The fitted model: kernel, support vectors, coefficients and intercepts. The attributes
        `support_vectors_`, `dual_coef_` and `intercept_` are views of it.
    n_iter_ : ndarray of shape (n_outputs,)
        Updates of each binary problem.
    stop_reason_ : ndarray of shape (n_outputs,)
        Why each binary problem was left: ``"converged"``, ``"max_iter"`` or ``"max_time"``.
    sigma_ : float
        The width.
    sigmas_ : ndarray of shape (n_sigmas,)
        Widths tried, descending; empty if `sigma` is a number.
    norms_ : ndarray of shape (n_sigmas,)
        The norm term at each; nan where the width is too small.
    norm_ : ndarray of shape (n_outputs,)
        |C'a| of each output.
    loss_ : ndarray of shape (n_outputs,)
        Sum of the hinge losses of each output.
    boundary_pairs_ : ndarray of shape (n_points, 2)
        Training rows between which the boundary points lie, output after output.
    n_boundary_ : ndarray of shape (n_outputs,)
        Number of boundary points of each output.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had them.

    See Also
    --------
    SVMCBPClassifierCV : Chooses `lam` by cross-validation.
    KernelPrimalSVC : The baseline, with the usual norm.
    OnlineSVMCBPClassifier : The on-line form.

    Notes
    -----
    The problem is Eq. 3.3 of the thesis [1]_ with the square that its on-line form has,

    .. math:: \min_a |C'a|^2 + \rho |a|^2 + \lambda \sum_i w_i \max(0, 1 - y_i (K a)_i),

    K_ij = k(x_i, x_j), C_ij = k(x_i, z_j), z the boundary points, rho the ridge. A weight means
    repetition; identical rows of one class are one sample. There is no `class_weight`: the boundary
    points hold the boundary between the classes whatever the classes weigh.

    References
    ----------
    .. [1] A. Guitart, "Optimizing Support Vector Machines with Characteristic Boundary Points",
       master thesis, Universitat de Barcelona, sections 3.1 and 3.2.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from svmosaic import SVMCBPClassifier
    >>> X, y = make_moons(60, noise=0.1, random_state=0)
    >>> model = SVMCBPClassifier(sigma=0.5).fit(X, y)
    >>> model.predict(X[:3])
    array([0, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RbfClassifier._parameter_constraints,
        **CBP_PARAMETERS,
    }

    _model_file = RbfClassifier._model_file.extend(
        {
            **BOUNDARY_WIDTH,
            "norm_": doubles("n_outputs", minimum=0),
            "loss_": doubles("n_outputs", minimum=0),
            "boundary_pairs_": row_numbers("n_points", 2),
        },
        check_boundary,
    )

    def __init__(
        self,
        *,
        sigma: float | str = "peak",
        lam: float = 1.0,
        sigmas: Any = None,
        after_peak: bool = False,
        ridge: float = RIDGE,
        tol: float = 1e-3,
        max_iter: int | None = None,
        decision_function_shape: str = "ovr",
        n_jobs: int | None = None,
        memory_limit_mb: float = 2000.0,
        max_time: float | None = None,
        verbose: int = 0,
    ) -> None:
        self.sigma = sigma
        self.lam = lam
        self.sigmas = sigmas
        self.after_peak = after_peak
        self.ridge = ridge
        self.tol = tol
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.n_jobs = n_jobs
        self.memory_limit_mb = memory_limit_mb
        self.max_time = max_time
        self.verbose = verbose

    def _solve(self, training: Training) -> tuple[KernelSpec, list[Solution]]:
        parameters = CbpParameters(**{name: getattr(self, name) for name in CBP_PARAMETERS})
        (found,) = solve_cbp(
            training, [self.lam], parameters, who=type(self).__name__, max_time=self.max_time
        )
        if found.path is not None:
            warn_without_peak(found.path, type(self).__name__)
        warn_if_unfinished(self, found.solutions, "raise {limit} or ridge")
        self.sigma_ = found.sigma
        self.sigmas_ = np.empty(0) if found.path is None else found.path.sigmas
        self.norms_ = np.empty(0) if found.path is None else found.path.norms
        self.norm_ = found.norms
        self.loss_ = found.losses
        self.boundary_pairs_ = np.concatenate(found.pairs)
        self.n_boundary_ = np.array([pairs.shape[0] for pairs in found.pairs])
        return found.kernel, found.solutions


@dataclass(frozen=True)
class CbpParameters:
    """Parameters of `SVMCBPClassifier` that serve all values of lam."""

    sigma: float | str
    sigmas: Any
    after_peak: bool
    ridge: float
    tol: float
    max_iter: int | None
    n_jobs: int | None
    memory_limit_mb: float
    verbose: int


@dataclass(frozen=True)
class CbpFit:
    """The binary classifiers of one lam.

    Attributes
    ----------
    sigma : float
        The width that they share.
    path : WidthPath or None
        The search for it, if there was one.
    solutions : list of Solution
        The expansion of each.
    norms, losses : ndarray of shape (n_problems,)
        The norm term and the sum of the hinge losses of each.
    pairs : list of ndarray
        The rows between which the boundary points of each lie.
    """

    sigma: float
    path: WidthPath | None
    solutions: list[Solution]
    norms: DoubleArray
    losses: DoubleArray
    pairs: list[IndexArray]

    @property
    def kernel(self) -> KernelSpec:
        """The kernel with this width."""
        return KernelSpec("rbf", gamma_from_sigma(self.sigma))


def solve_cbp(
    training: Training,
    lams: Sequence[float],
    parameters: CbpParameters,
    *,
    who: str,
    max_time: float | None = None,
) -> list[CbpFit]:
    """Return the binary classifiers for every lam; they share the points and the matrices."""
    problems = training.problems
    _check_memory(problems, parameters.memory_limit_mb, who)
    X = cast(DenseRows, training.rows).values
    deadline = Deadline(max_time)
    pairs = [
        pairs_between(
            X,
            problem.samples[problem.targets > 0],
            problem.samples[problem.targets < 0],
            n_threads=resolve_threads(parameters.n_jobs),
            max_time=deadline.seconds_left(),
        )
        for problem in problems
    ]
    with_points = [
        CbpProblem(X[p.samples], p.targets, p.weights, pair_midpoints(X, found)[0])
        for p, found in zip(problems, pairs, strict=True)
    ]
    settings = CbpSettings(
        ridge=float(parameters.ridge),
        tol=float(parameters.tol),
        max_iter=int(parameters.max_iter or 0),
        seconds_left=deadline.seconds_left,
        progress=current_progress(who, parameters.verbose),
    )
    weights = [float(lam) for lam in lams]
    if not isinstance(parameters.sigma, str):
        sigma = float(parameters.sigma)
        solved = solve_at(with_points, sigma, weights, settings)
        return [_cbp_fit(problems, pairs, found, sigma) for found in solved]
    searched = search_widths(
        with_points,
        _widths_to_try(training, parameters.sigmas, who),
        weights,
        settings,
        after=bool(parameters.after_peak),
        who=who,
    )
    return [
        _cbp_fit(problems, pairs, found.solutions, found.path.sigma, found) for found in searched
    ]


def _cbp_fit(
    problems: list[Problem],
    pairs: list[IndexArray],
    solved: list[CbpSolution],
    sigma: float,
    search: FoundWidth | None = None,
) -> CbpFit:
    solutions = []
    for problem, found in zip(problems, solved, strict=True):
        support = np.flatnonzero(found.coef)
        solutions.append(
            Solution(
                problem.samples[support],
                found.coef[support],
                status="max_time" if search is not None and search.late else found.dual.status,
                n_iter=found.dual.n_iter,
                violation=found.dual.violation,
            )
        )
    return CbpFit(
        sigma,
        None if search is None else search.path,
        solutions,
        np.array([found.norm for found in solved]),
        np.array([found.loss for found in solved]),
        pairs,
    )


def _check_memory(problems: list[Problem], limit_mb: float, who: str) -> None:
    """Refuse samples whose matrices would not fit, before anything is computed."""
    classes = [(int((p.targets > 0).sum()), int((p.targets < 0).sum())) for p in problems]
    least = matrix_bytes(classes) / 2**20
    if least > limit_mb:
        raise MemoryError(
            f"{who} expected memory_limit_mb of at least {least:.0f} for matrices of "
            f"{max(map(sum, classes))} x {max(map(sum, classes))} samples. Got {limit_mb:g} "
            "instead; raise it, fit to fewer samples, or use OnlineSVMCBPClassifier."
        )


def _widths_to_try(training: Training, sigmas: Any, who: str) -> DoubleArray:
    if sigmas is not None:
        return descending_sigmas(sigmas, who)
    order = np.argsort(training.samples)
    return default_sigmas(training.X[training.samples[order]], training.weights[order])
