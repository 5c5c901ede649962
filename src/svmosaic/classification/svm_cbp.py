"""SVM-CBP, the SVM whose norm is the distance to the boundary points, as a classifier."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar, Self, cast

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from svmosaic.boundary.cbp_problem import CbpMachine, CbpProblem, matrix_bytes
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
from svmosaic.boundary.points import pairs_between, points_of
from svmosaic.classification.classifier_state import BOUNDARY_WIDTH, check_boundary
from svmosaic.classification.kernel_classifier import TrainingSet
from svmosaic.classification.rbf_only import RbfClassifier
from svmosaic.engine.gamma import gamma_of
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DenseRows, DoubleArray, IndexArray, Problem, Rows, Solution
from svmosaic.utils.clock import Deadline
from svmosaic.utils.declaration import doubles, row_numbers
from svmosaic.utils.progress import current_progress
from svmosaic.utils.sklearn_compat import Interval, StrOptions
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.user_warning import warn_user

__all__ = ["SVMCBPClassifier"]


def _no_pairs() -> IndexArray:
    return np.empty((0, 2), dtype=np.int64)


@dataclass(frozen=True)
class _CbpSolution(Solution):
    """A machine, its norm term and boundary pairs, and the search of its width."""

    norm: float = 0.0
    loss: float = 0.0
    pairs: IndexArray = field(default_factory=_no_pairs)
    sigma: float = 1.0
    path: WidthPath | None = None


class SVMCBPClassifier(RbfClassifier):
    r"""Support vector classifier that stays near the characteristic boundary points.

    The margin term of the SVM is replaced by the decision values at the boundary points: points
    midway between two samples of different classes that no third sample is nearer to. The machine
    gets a width by itself, from the peak of that term. Scale the features first. All samples
    take part in the expansion; memory grows with the square and time with the cube of the samples
    of two classes, so this is for some thousand samples.

    Parameters
    ----------
    sigma : "peak" or float, default="peak"
        Width of the kernel exp(-|x - z|^2 / (2 sigma^2)). ``"peak"`` fits the machine for all
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
        where there are fewer boundary points than samples. A larger one gives a smoother machine.
    tol : float, default=1e-3
        Accepted violation of the conditions of optimality, whose scale is 1.
    max_iter : int, default=None
        Limit on updates of each machine. None means max(10 million, 100 n_samples).
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of `decision_function` for more than two classes.
    n_jobs : int, default=None
        Threads for the boundary points and for predictions. None means 1, -1 all.
    memory_limit_mb : float, default=2000
        Limit in MB on the matrices of `fit`, which are as large as the number of samples squared.
        Where they would not fit, `fit` says so before it begins.
    max_time : float, default=None
        Limit in seconds on `fit`, the search for boundary points included. The model is then what
        was reached, with a warning. A step of linear algebra that has begun is not cut short.
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
    intercept_ : ndarray of shape (n_machines,)
        Zeros.
    expansion_ : KernelExpansion
        The fitted model: kernel, support vectors, coefficients and intercepts. The attributes
        `support_vectors_`, `dual_coef_` and `intercept_` are views of it.
    n_iter_ : ndarray of shape (n_machines,)
        Updates of each binary machine.
    stop_reason_ : ndarray of shape (n_machines,)
        Why each machine stopped: ``"converged"``, ``"max_iter"`` or ``"max_time"``.
    sigma_ : float
        The width.
    sigmas_ : ndarray of shape (n_sigmas,)
        Widths tried, descending; empty if `sigma` is a number.
    norms_ : ndarray of shape (n_sigmas,)
        The norm term at each; nan where the width is too small for a machine.
    norm_ : ndarray of shape (n_machines,)
        |C'a| of the machines.
    loss_ : ndarray of shape (n_machines,)
        Sum of the hinge losses of the machines.
    boundary_pairs_ : ndarray of shape (n_points, 2)
        Training rows between which the boundary points lie, machine after machine.
    n_boundary_ : ndarray of shape (n_machines,)
        Number of boundary points of each machine.
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
        "sigma": [StrOptions({"peak"}), Interval(Real, 0.0, None, closed="neither")],
        "sigmas": ["array-like", None],
        "after_peak": ["boolean"],
        "ridge": [Interval(Real, 0.0, None, closed="neither")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "memory_limit_mb": [Interval(Real, 0.0, None, closed="neither")],
    }
    _parameter_constraints.pop("class_weight")

    # No parameter: the boundary points hold the boundary between the classes.
    class_weight = None

    _model_file = RbfClassifier._model_file.extend(
        {
            **BOUNDARY_WIDTH,
            "norm_": doubles("n_machines", minimum=0),
            "loss_": doubles("n_machines", minimum=0),
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

    def _kernel(
        self,
        X: Any,
        samples: IndexArray,
        weights: DoubleArray,
        labels: IndexArray | None = None,
    ) -> KernelSpec:
        # The width is known after the search, which needs the problems.
        return KernelSpec("rbf")

    def _solve(self, rows: Rows, kernel: KernelSpec, problems: list[Problem]) -> list[Solution]:
        (solutions,) = self._solve_lams(rows, problems, [float(self.lam)])
        path = cast(_CbpSolution, solutions[0]).path
        if path is not None:
            warn_without_peak(path, type(self).__name__)
        self._warn_if_cut_short(solutions)
        return solutions

    def _fit_lams(
        self, X: Any, classes: Any, labels: IndexArray, weights: DoubleArray, lams: list[float]
    ) -> list[Self]:
        """Return a fitted classifier for every lam; they share the points and the matrices."""
        ready = self._prepare(X, classes, labels, weights)
        models = []
        for lam, solutions in zip(
            lams, self._solve_lams(ready.rows, ready.problems, lams), strict=True
        ):
            model = clone(self).set_params(lam=lam)
            model.n_features_in_ = X.shape[1]
            models.append(model._finish(ready, classes, solutions))
        return models

    def _solve_lams(
        self, rows: Rows, problems: list[Problem], lams: list[float]
    ) -> list[list[Solution]]:
        """Return the machines for every lam; they share the points and the matrices."""
        self._check_memory(problems)
        X = cast(DenseRows, rows).values
        deadline = Deadline(self.max_time)
        pairs = [
            pairs_between(
                X,
                problem.samples[problem.targets > 0],
                problem.samples[problem.targets < 0],
                n_threads=resolve_threads(self.n_jobs),
                max_time=deadline.seconds_left(),
            )
            for problem in problems
        ]
        machines = [
            CbpProblem(X[p.samples], p.targets, p.weights, points_of(X, found)[0])
            for p, found in zip(problems, pairs, strict=True)
        ]
        settings = CbpSettings(
            ridge=float(self.ridge),
            tol=float(self.tol),
            max_iter=int(self.max_iter or 0),
            seconds_left=deadline.seconds_left,
            progress=current_progress(type(self).__name__, self.verbose),
        )
        if not isinstance(self.sigma, str):
            return [
                self._solutions(problems, pairs, found, float(self.sigma))
                for found in solve_at(machines, float(self.sigma), lams, settings)
            ]
        searched = search_widths(
            machines,
            self._grid(X, problems),
            lams,
            settings,
            after=bool(self.after_peak),
            who=type(self).__name__,
        )
        return [
            self._solutions(problems, pairs, found.machines, found.path.sigma, found)
            for found in searched
        ]

    def _solutions(
        self,
        problems: list[Problem],
        pairs: list[IndexArray],
        machines: list[CbpMachine],
        sigma: float,
        search: FoundWidth | None = None,
    ) -> list[Solution]:
        solutions: list[Solution] = []
        for problem, found, machine in zip(problems, pairs, machines, strict=True):
            taking_part = np.flatnonzero(machine.coef)
            dual = machine.solution
            solutions.append(
                _CbpSolution(
                    problem.samples[taking_part],
                    machine.coef[taking_part],
                    status="max_time" if search is not None and search.late else dual.status,
                    n_iter=dual.n_iter,
                    violation=dual.violation,
                    norm=machine.norm,
                    loss=machine.loss,
                    pairs=found,
                    sigma=sigma,
                    path=None if search is None else search.path,
                )
            )
        return solutions

    def _check_memory(self, problems: list[Problem]) -> None:
        """Refuse samples whose matrices would not fit, before anything is computed."""
        classes = [(int((p.targets > 0).sum()), int((p.targets < 0).sum())) for p in problems]
        least = matrix_bytes(classes) / 2**20
        if least > self.memory_limit_mb:
            raise MemoryError(
                f"{type(self).__name__} expected memory_limit_mb of at least {least:.0f} for "
                f"matrices of {max(map(sum, classes))} x {max(map(sum, classes))} samples. Got "
                f"{self.memory_limit_mb:g} instead; raise it, fit to fewer samples, or use "
                "OnlineSVMCBPClassifier."
            )

    def _grid(self, X: Any, problems: list[Problem]) -> DoubleArray:
        if self.sigmas is None:
            samples = np.concatenate([p.samples for p in problems])
            weights = np.concatenate([p.weights for p in problems])
            # A sample of many machines has the same weight in each.
            samples, first = np.unique(samples, return_index=True)
            return default_sigmas(X[samples], weights[first])
        return descending_sigmas(self.sigmas, type(self).__name__)

    def _warn_if_cut_short(self, solutions: list[Solution]) -> None:
        unfinished = [s for s in solutions if s.status in ("max_time", "max_iter")]
        if not unfinished:
            return
        late = any(s.status == "max_time" for s in unfinished)
        limit = f"max_time={self.max_time:g} s" if late else f"max_iter={self.max_iter or 'auto'}"
        worst = max(s.violation for s in unfinished)
        warn_user(
            f"{type(self).__name__} stopped at {limit} with {len(unfinished)} of "
            f"{len(solutions)} machines unfinished and violation {worst:.1e} (tol={self.tol:g}). "
            f"The model is what was reached; raise {'max_time' if late else 'max_iter'} or ridge.",
            ConvergenceWarning,
        )

    def _final_kernel(self, kernel: KernelSpec, solutions: list[Solution]) -> KernelSpec:
        return KernelSpec("rbf", gamma_of(cast(_CbpSolution, solutions[0]).sigma))

    def _record(
        self, solutions: list[Solution], problems: list[Problem], training: TrainingSet
    ) -> None:
        found = cast(list[_CbpSolution], solutions)
        self.sigma_ = found[0].sigma
        path = found[0].path
        self.sigmas_ = np.empty(0) if path is None else path.sigmas
        self.norms_ = np.empty(0) if path is None else path.norms
        self.norm_ = np.array([s.norm for s in found])
        self.loss_ = np.array([s.loss for s in found])
        self.boundary_pairs_ = np.concatenate([s.pairs for s in found])
        self.n_boundary_ = np.array([s.pairs.shape[0] for s in found])
