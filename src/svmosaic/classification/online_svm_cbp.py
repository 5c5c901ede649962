"""The on-line SVM with characteristic boundary points, Algorithms 2 and 3 of the thesis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, cast

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from svmosaic.boundary.kernel_widths import descending_sigmas, online_sigmas
from svmosaic.boundary.points import pair_midpoints, pairs_between
from svmosaic.classification.classifier_state import BOUNDARY_WIDTH, check_boundary
from svmosaic.classification.online_classifier import Visits
from svmosaic.classification.online_svm import OnlineSVMClassifier
from svmosaic.classification.parameters import POSITIVE_COUNT, POSITIVE_REAL
from svmosaic.classification.training import Training
from svmosaic.engine.expansion import KernelExpansion
from svmosaic.engine.gamma import gamma_from_sigma, sigma_from_gamma
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import (
    Coefficients,
    DenseRows,
    DoubleArray,
    FloatArray,
    Problem,
)
from svmosaic.engine.settings import Shrinking
from svmosaic.engine.tasks import OnlineSolution, OnlineSvmSolution, OnlineSvmTask
from svmosaic.utils.clock import Deadline
from svmosaic.utils.declaration import FLOATS
from svmosaic.utils.sklearn_compat import StrOptions
from svmosaic.utils.state_codec import Array
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.user_warning import warn_user

__all__ = ["OnlineSVMCBPClassifier"]


class OnlineSVMCBPClassifier(OnlineSVMClassifier):
    r"""On-line support vector classifier that stays near the characteristic boundary points.

    As `OnlineSVMClassifier`, but a violator moves the boundary towards a random boundary point
    instead of letting all coefficients fade. It can find its width while it learns: the width falls
    every `period` visits, and the peak of the norm at the boundary points tells where to stop.
    Scale the features first.

    Parameters
    ----------
    sigma : {"peak", "printed", "scale"} or float, default="peak"
        Width of the kernel exp(-|x - z|^2 / (2 sigma^2)). ``"peak"`` and ``"printed"`` run
        Algorithm 3 and take the width after the last peak of the norm. ``"printed"`` has, as the
        box of the thesis, the norm at one random boundary point, which is mostly chance;
        ``"peak"`` has the norm over all of them. ``"scale"`` is the root of
        n_features * X.var() / 2.
    lam : float, default=1.0
        lambda of the thesis. A step is 1 / (lam t), so a larger one learns less from each sample
        and the boundary points count more.
    max_iter : int, default=20000
        Samples that `fit` draws, those of the search included.
    update : {"gradient", "printed", "clipped"}, default="gradient"
        What a violator does besides learning its sample, k_z being the kernel values of a random
        boundary point z. ``"gradient"`` takes the step of the squared norm, by which the output at
        z shrinks. ``"printed"`` multiplies all coefficients by 1 - \|k_z\|^2 / t, the printed
        formula read as a number, which forgets what was learned where the kernel is wide;
        ``"clipped"`` cuts that factor to [0, 1], which it leaves with uneven weights only.
    boundary_points : array-like of shape (n_points, n_features), default=None
        Boundary points for all outputs. None: every pair of classes takes those of its training
        samples; in `partial_fit`, of the first chunk that has both classes.
    sigmas : array-like, default=None
        Widths of Algorithm 3. None means 15, the root mean square distance of two samples times
        0.01^(r/15); the thesis has 1 in place of that distance, on features in [0, 1].
    period : int, default=None
        Visits with each width of Algorithm 3. None shares three quarters of `max_iter` among the
        widths: 1000 visits each of 20 000 for 15 widths, as in the thesis.
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
        Limit in seconds on each call of `fit` and `partial_fit`, which warn when it is reached. The
        search for boundary points counts.
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
    sigmas_ : ndarray of shape (n_sigmas,)
        Widths tried, descending; empty without a search.
    norms_ : ndarray of shape (n_sigmas,)
        The norm at the end of each.
    boundary_points_ : ndarray of shape (n_points, n_features)
        Boundary points, output after output.
    n_boundary_ : ndarray of shape (n_outputs,)
        Number of boundary points of each output.
    n_samples_seen_ : int
        Rows given to `fit` and `partial_fit` so far.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `X` had them.

    See Also
    --------
    SVMCBPClassifier : The batch form.
    OnlineSVMClassifier : The same without boundary points.

    Notes
    -----
    Algorithms 2 and 3 of the thesis [1]_. `partial_fit` with a search runs Algorithm 3 on its first
    chunk to find the width, then starts from the beginning and takes that chunk row by row.

    References
    ----------
    .. [1] A. Guitart, "Optimizing Support Vector Machines with Characteristic Boundary Points",
       master thesis, Universitat de Barcelona, sections 3.3 and 3.4, Algorithms 2 and 3.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from svmosaic import OnlineSVMCBPClassifier
    >>> X, y = make_moons(60, noise=0.1, random_state=0)
    >>> model = OnlineSVMCBPClassifier(sigma=0.5, max_iter=2000).fit(X, y)
    >>> model.predict(X[:3])
    array([0, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlineSVMClassifier._parameter_constraints,
        "sigma": [StrOptions({"peak", "printed", "scale"}), *POSITIVE_REAL],
        "update": [StrOptions({"gradient", "printed", "clipped"})],
        "boundary_points": ["array-like", None],
        "sigmas": ["array-like", None],
        "period": [*POSITIVE_COUNT, None],
    }

    _model_file = OnlineSVMClassifier._model_file.extend(
        {**BOUNDARY_WIDTH, "boundary_points_": Array(FLOATS, ("n_points", "n_features"))},
        check_boundary,
    )

    sigmas_: DoubleArray
    norms_: DoubleArray

    def __init__(
        self,
        *,
        sigma: float | str = "peak",
        lam: float = 1.0,
        max_iter: int = 20_000,
        update: Shrinking = "gradient",
        boundary_points: Any = None,
        sigmas: Any = None,
        period: int | None = None,
        class_weight: dict[Any, float] | str | None = None,
        decision_function_shape: str = "ovr",
        random_state: Any = 0,
        n_jobs: int | None = None,
        max_time: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            sigma=sigma,
            lam=lam,
            max_iter=max_iter,
            class_weight=class_weight,
            decision_function_shape=decision_function_shape,
            random_state=random_state,
            n_jobs=n_jobs,
            max_time=max_time,
            verbose=verbose,
        )
        self.update = update
        self.boundary_points = boundary_points
        self.sigmas = sigmas
        self.period = period

    def _resolve_kernel(self, training: Training) -> KernelSpec | None:
        return None if self.sigma in ("peak", "printed") else super()._resolve_kernel(training)

    def _visit(self, visits: Visits) -> tuple[KernelSpec, list[OnlineSolution]]:
        X = cast(DenseRows, visits.rows).values
        deadline = Deadline(self.max_time)
        points = self._points(X, visits, deadline)
        ends = np.cumsum([p.shape[0] for p in points])
        table = np.concatenate(points)
        tasks = [
            OnlineSvmTask(
                task.problem,
                task.support,
                task.coef,
                task.t,
                np.arange(ends[number] - points[number].shape[0], ends[number]),
            )
            for task, number in zip(visits.tasks, visits.numbers, strict=True)
        ]
        kernel = visits.kernel
        left = int(self.max_iter)
        n_before = 0
        if kernel is None:
            searched, sigma = self._search(X, table, tasks, deadline)
            kernel = KernelSpec("rbf", gamma_from_sigma(sigma))
            if visits.order != "given":
                # The search was part of the training; a stream starts with the width found.
                n_before = self.sigmas_.size * self._period(self.sigmas_.size)
                left -= n_before
                tasks = searched
        elif not visits.continues:
            self.sigmas_, self.norms_ = np.empty(0), np.empty(0)
        self.boundary_points_ = table
        self.n_boundary_ = np.array([p.shape[0] for p in points])
        solutions = self._steps(
            X,
            table,
            gamma_from_sigma(sigma_from_gamma(kernel.gamma)),
            tasks,
            visits.order,
            left,
            deadline.seconds_left(),
            self.update,
        )
        return kernel, [replace(s, n_iter=s.n_iter + n_before) for s in solutions]

    # Boundary points ------------------------------------------------------------------------

    def _points(self, X: FloatArray, visits: Visits, deadline: Deadline) -> list[FloatArray]:
        """Return the boundary points of each output: given, known from before, or found now."""
        points = [X[:0] for _ in range(visits.n_outputs)]
        if visits.continues:
            known = np.split(self.boundary_points_, np.cumsum(self.n_boundary_)[:-1])
            points = [np.asarray(p, dtype=X.dtype) for p in known]
        for task, number in zip(visits.tasks, visits.numbers, strict=True):
            if self.boundary_points is not None:
                points[number] = self._given_points(X)
            elif points[number].shape[0] == 0:
                points[number] = self._find_points(X, task.problem, deadline)
        return points

    def _find_points(self, X: FloatArray, problem: Problem, deadline: Deadline) -> FloatArray:
        positive = problem.samples[problem.targets > 0]
        negative = problem.samples[problem.targets < 0]
        if positive.size == 0 or negative.size == 0:
            return X[:0]
        pairs = pairs_between(
            X,
            positive,
            negative,
            n_threads=resolve_threads(self.n_jobs),
            max_time=deadline.seconds_left(),
        )
        return pair_midpoints(X, pairs)[0]

    def _given_points(self, X: FloatArray) -> FloatArray:
        points = check_array(self.boundary_points, dtype=X.dtype, order="C")
        if points.shape[1] != X.shape[1]:
            raise ValueError(
                f"The boundary_points of {type(self).__name__} have {points.shape[1]} features; "
                f"the samples have {X.shape[1]}. Give points in the space of the samples."
            )
        return np.asarray(points)

    # Algorithm 3 ----------------------------------------------------------------------------

    def _search(
        self,
        X: FloatArray,
        points: FloatArray,
        tasks: Sequence[OnlineSvmTask],
        deadline: Deadline,
    ) -> tuple[list[OnlineSvmTask], float]:
        """Return the tasks as they are after the search, and the width found."""
        sigmas = self._grid(X, tasks)
        period = self._period(sigmas.size)
        if sigmas.size * period >= self.max_iter:
            raise ValueError(
                f"{type(self).__name__} has max_iter={self.max_iter}, and its search of sigma "
                f"takes {sigmas.size} widths of {period} visits each; raise max_iter, lower "
                "period or give sigma as a number."
            )
        ready = list(tasks)
        norms = np.zeros(sigmas.size)
        for s, sigma in enumerate(sigmas):
            gamma = gamma_from_sigma(float(sigma))
            after = self._steps(
                X,
                points,
                gamma,
                ready,
                "random",
                period,
                deadline.seconds_left(),
                self.update,
            )
            norms[s] = np.sqrt(
                sum(
                    self._norm(X, points, gamma, task, solution) ** 2
                    for task, solution in zip(ready, after, strict=True)
                )
            )
            ready = [
                replace(task, support=solution.support, coef=solution.coef, t=solution.t)
                for task, solution in zip(ready, after, strict=True)
            ]
        self.sigmas_, self.norms_ = sigmas, norms
        return ready, float(sigmas[self._choose(sigmas, norms)])

    def _period(self, n_sigmas: int) -> int:
        share = 3 * int(self.max_iter) // (4 * n_sigmas)
        return max(1, share) if self.period is None else int(self.period)

    def _grid(self, X: FloatArray, tasks: Sequence[OnlineSvmTask]) -> DoubleArray:
        if self.sigmas is None:
            samples = np.unique(np.concatenate([task.problem.samples for task in tasks]))
            return online_sigmas(X[samples], np.ones(samples.size))
        return descending_sigmas(self.sigmas, type(self).__name__)

    def _norm(
        self,
        X: FloatArray,
        points: FloatArray,
        gamma: float,
        task: OnlineSvmTask,
        solution: OnlineSvmSolution,
    ) -> float:
        """Return |f(z)| of the last boundary point, or its root sum of squares over all."""
        if self.sigma == "printed" or task.boundary.size == 0:
            return solution.norm
        expansion = KernelExpansion(
            KernelSpec("rbf", gamma),
            X[solution.support],
            Coefficients.of_one_output(solution.coef),
            np.zeros(1),
        )
        values = expansion.decide(points[task.boundary], n_threads=resolve_threads(self.n_jobs))
        return float(np.linalg.norm(values))

    def _choose(self, sigmas: DoubleArray, norms: DoubleArray) -> int:
        """Return the number of the width to continue with: the one after the last peak."""
        # The last width has no norm in the box: it ends with the search.
        seen = norms[:-1]
        falls = 2 + np.flatnonzero((seen[2:] < seen[1:-1]) & (seen[:-2] < seen[1:-1]))
        chosen, found = (int(falls[-1]), True) if falls.size else (int(norms.argmax()), False)
        if not found:
            warn_user(
                f"The norm of {type(self).__name__} has no peak between sigma={sigmas[0]:.3g} and "
                f"{sigmas[-1]:.3g}; it takes sigma={sigmas[chosen]:.3g}, where the norm is "
                "largest. Give a range of sigmas around the expected width, or a number.",
                ConvergenceWarning,
            )
        return chosen
