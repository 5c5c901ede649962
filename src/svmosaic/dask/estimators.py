"""Estimators on the data of a Dask cluster: the exact models of the local ones."""

from __future__ import annotations

import functools
import os
import time
from numbers import Real
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from svmosaic.classification.convergence import warn_if_late, warn_if_violated
from svmosaic.classification.ollawv import OLLAWVClassifier
from svmosaic.classification.parameters import (
    CLASS_WEIGHT,
    DEVICE,
    MULTICLASS_PARAMETERS,
    POSITIVE_REAL,
)
from svmosaic.classification.smo_classifier import SMOClassifier
from svmosaic.classification.training import Training
from svmosaic.dask.cluster_fit import ClusterFit, fit_partitions
from svmosaic.dask.data import zip_partitions
from svmosaic.dask.fit_report import ClusterFitReport
from svmosaic.dask.partition import Moments, read
from svmosaic.dask.prediction import predict_lazily
from svmosaic.dask.rounds import Progress
from svmosaic.dask.workers import DaskWorkers, client_of
from svmosaic.engine.class_pairs import MultiClass
from svmosaic.engine.expansion import KernelExpansion
from svmosaic.engine.kernels import KERNELS
from svmosaic.engine.problem import Coefficients
from svmosaic.engine.rows import rows_of_samples
from svmosaic.regression.smo_regressor import SMORegressor
from svmosaic.utils.atomic import check_writable
from svmosaic.utils.estimator import Estimator
from svmosaic.utils.optional import import_optional
from svmosaic.utils.progress import log_lines
from svmosaic.utils.sklearn_compat import Interval, StrOptions, fit_context

__all__ = ["DaskOLLAWVClassifier", "DaskSMOClassifier", "DaskSMORegressor"]


class _DaskEstimator(Estimator):
    """What the estimators share. A subclass names the local one and sets its fitted state."""

    _local_class: ClassVar[Any]
    _is_regression: ClassVar[bool] = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DEVICE,
        "C": POSITIVE_REAL,
        "kernel": [StrOptions(set(KERNELS) - {"precomputed"})],
        "gamma": [StrOptions({"scale", "auto"}), *POSITIVE_REAL],
        "degree": SMOClassifier._parameter_constraints["degree"],
        "coef0": SMOClassifier._parameter_constraints["coef0"],
        "tol": POSITIVE_REAL,
        "max_time": [*POSITIVE_REAL, None],
        "checkpoint": [str, os.PathLike, None],
        "verbose": ["verbose"],
    }

    C: float
    kernel: str
    gamma: float | str
    degree: int
    coef0: float
    tol: float
    max_time: float | None
    checkpoint: str | os.PathLike[str] | None
    device: str | None
    verbose: int

    # The cluster ----------------------------------------------------------------------------

    @property
    def client(self) -> Any:
        """The client of the cluster; None for the current one. Pickles do not hold it."""
        return self.__dict__.get("_client")

    @client.setter
    def client(self, client: Any) -> None:
        self._client = client

    def __getstate__(self) -> Any:
        state = dict(super().__getstate__())
        state.pop("_client", None)
        return state

    # Fit ------------------------------------------------------------------------------------

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to rows that stay on the workers.

        Parameters
        ----------
        X : dask array or dask dataframe of shape (n_samples, n_features)
            Training samples, cut into partitions by row; blocks are arrays or compressed rows.
        y : dask array or column of a dask dataframe, of shape (n_samples,)
            Class labels or target values, in the same partitions.
        sample_weight : dask array or column of a dask dataframe, default=None
            A weight means repetition: 2 counts the row twice, 0 leaves it out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        who = type(self).__name__
        began = time.perf_counter()
        if self.checkpoint is not None:
            check_writable(self.checkpoint)
        parts = zip_partitions(X, y, sample_weight, who)
        delayed = import_optional("dask", "fit models on a cluster").delayed
        client = client_of(self.client, who)
        with DaskWorkers(client, who) as workers:
            tables = workers.compute(
                [
                    delayed(read)(*part, who, number, is_regression=self._is_regression)
                    for number, part in enumerate(parts)
                ]
            )
            n_workers = workers.n_workers
            found = fit_partitions(
                workers,
                tables,
                self,
                is_regression=self._is_regression,
                report=self._report if self.verbose else None,
            )
            n_lost = workers.n_lost
        local = self._local()
        self._set_fitted(local, found)
        self._warn(local, found)
        self.local_ = local
        self.fit_report_ = ClusterFitReport(
            who,
            found.n_samples,
            len(parts),
            n_workers,
            found.spread.in_play.n,
            int(found.table.numbers.size),
            n_lost,
            float(found.spread.violations.max()),
            float(found.spread.gaps.max()),
            found.spread.traffic,
            time.perf_counter() - began,
        )
        if self.verbose:
            log_lines(str(self.fit_report_))
        if self.checkpoint is not None and found.spread.status == "converged":
            # There is nothing to resume.
            Path(self.checkpoint).unlink(missing_ok=True)
        return self

    def _report(self, now: Progress) -> None:
        log_lines(
            f"{type(self).__name__}: round {now.n_rounds}, {now.n_sweeps} sweeps, "
            f"{now.n_in_play} active samples, {now.n_support} support vectors, violation "
            f"{now.violation:.2g}, {now.seconds:.1f} s"
        )

    def _local(self) -> Any:
        """Return the local estimator with the same parameters, not fitted."""
        known = self._local_class._get_param_names()
        params = {k: v for k, v in self.get_params(deep=False).items() if k in known}
        return self._local_class(**params)

    def _set_fitted(self, local: Any, found: ClusterFit) -> None:
        raise NotImplementedError(f"{type(self).__name__} does not say what its model is.")

    def _warn(self, local: Any, found: ClusterFit) -> None:
        solutions = found.table.solutions
        if not warn_if_late(self, solutions, "raise max_time or tol"):
            worst = max(s.violation for s in solutions)
            warn_if_violated(self, worst, "Scale the features or lower C")

    def _set_common(self, local: Any, found: ClusterFit) -> None:
        local.n_features_in_ = found.n_features
        if found.names is not None:
            local.feature_names_in_ = np.array(found.names, dtype=object)

    # Use ------------------------------------------------------------------------------------

    def to_local(self) -> Any:
        """Return the ordinary estimator with this model, which needs no cluster.

        Returns
        -------
        estimator : object
            A fitted estimator of `svmosaic` without ``Dask`` in its name.
        """
        check_is_fitted(self, "local_")
        return self.local_

    def __sklearn_is_fitted__(self) -> bool:
        return "local_" in self.__dict__

    def __getattr__(self, name: str) -> Any:
        # The fitted attributes are those of the local estimator.
        if name.endswith("_") and not name.startswith("_") and "local_" in self.__dict__:
            return getattr(self.__dict__["local_"], name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def predict(self, X: Any) -> Any:
        """Return the prediction of each sample, lazily.

        Parameters
        ----------
        X : dask array or dask dataframe of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : dask array or column of a dask dataframe, of shape (n_samples,)
            Predicted classes or values; ``compute()`` brings them here.
        """
        return predict_lazily(self.to_local(), X, "predict", type(self).__name__)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy of a classifier, or the R^2 of a regressor, on given samples.

        Parameters
        ----------
        X : dask array or dask dataframe of shape (n_samples, n_features)
            Samples.
        y : dask array or column of a dask dataframe, of shape (n_samples,)
            Class labels or target values.
        sample_weight : dask array or column of a dask dataframe, default=None
            Weights of the samples.

        Returns
        -------
        score : float
            The score; 1 is the best one.
        """
        who = type(self).__name__
        delayed = import_optional("dask", "fit models on a cluster").delayed
        client = client_of(self.client, who)
        model = delayed(self.to_local())
        with DaskWorkers(client, who) as workers:
            sums = workers.gather(
                workers.compute(
                    [
                        delayed(_sums_of_scores)(model, *part, self._is_regression)
                        for part in zip_partitions(X, y, sample_weight, who)
                    ]
                )
            )
        right, parts = sum(number for number, _ in sums), [part for _, part in sums]
        total = functools.reduce(Moments.joined, parts, Moments())
        if not self._is_regression:
            return float(right / total.weight) if total.weight > 0 else float("nan")
        if total.squares == 0.0:
            return 1.0 if right == 0.0 else 0.0
        return float(1.0 - right / total.squares)


def _sums_of_scores(
    model: Any, X: Any, y: Any, weights: Any, is_regression: bool
) -> tuple[float, Moments]:
    """Return the weight of right predictions, or the squared errors, and moments of targets."""
    y = np.asarray(y).reshape(-1)
    w = np.ones(y.size) if weights is None else np.asarray(weights, dtype=float)
    weight = float(w.sum())
    if weight == 0.0:
        return 0.0, Moments()
    found = model.predict(X)
    if not is_regression:
        return float(w[found == y].sum()), Moments(weight)
    mean = float(w @ y) / weight
    return float(w @ (found - y) ** 2), Moments(weight, mean, float(w @ (y - mean) ** 2))


class _DaskClassifier(ClassifierMixin, _DaskEstimator):  # type: ignore[misc]
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_DaskEstimator._parameter_constraints,
        **MULTICLASS_PARAMETERS,
        **CLASS_WEIGHT,
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        class_weight: dict[Any, float] | str | None = None,
        multi_class: MultiClass = "ovo",
        decision_function_shape: str = "ovr",
        max_time: float | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        device: str | None = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.decision_function_shape = decision_function_shape
        self.max_time = max_time
        self.checkpoint = checkpoint
        self.device = device
        self.verbose = verbose

    def _set_fitted(self, local: Any, found: ClusterFit) -> None:
        table = found.table
        self._set_common(local, found)
        training = Training(
            table.X,
            rows_of_samples(table.X),
            found.classes,
            table.labels,
            table.weights,
            np.arange(table.labels.size),
            table.weights,
            table.problems,
        )
        local._set_fitted(training, found.kernel, table.solutions)
        local.support_ = table.numbers[local.support_]

    def decision_function(self, X: Any) -> Any:
        """Return the decision values of each sample, lazily.

        Parameters
        ----------
        X : dask array or dask dataframe of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        decisions : dask array, or dask dataframe or column of it
            Values of shape (n_samples,) for two classes, else (n_samples, n_classes), or one per
            pair of classes with ``decision_function_shape="ovo"``.
        """
        return predict_lazily(self.to_local(), X, "decision_function", type(self).__name__)


class DaskOLLAWVClassifier(_DaskClassifier):
    """The exact model of OLLAWVClassifier, from rows on a Dask cluster.

    Rows stay on their workers. Samples that may become support vectors travel once, then only their
    coefficients do. The model is that of `OLLAWVClassifier` with ``refine="full"`` on the same
    rows, to the tolerance `tol`, and does not depend on how they are cut into partitions.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of errors.
    kernel : {"rbf", "linear", "poly", "sigmoid", "laplacian"}, default="rbf"
        The kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Width of rbf, laplacian, poly and sigmoid kernels.
    degree : int, default=3
        Degree of the poly kernel.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted.
    class_weight : dict or "balanced", default=None
        Weights of the classes; they multiply `sample_weight`.
    multi_class : {"ovo", "ovr"}, default="ovo"
        One binary classifier per pair of classes, or one per class against the rest.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of `decision_function` for one-vs-one with more than two classes.
    max_time : float, default=None
        Limit in seconds on `fit`. When it is reached, the returned model has not converged, and
        `fit` warns.
    checkpoint : path-like, default=None
        A file that is written after every round. If it exists, `fit` resumes from there; it is
        removed when `fit` has converged.
    device : str, default=None
        ``"cuda"`` to compute kernel values on the GPUs of workers that have one.
    verbose : int, default=0
        If positive, log a line after every round.

    Attributes
    ----------
    client : distributed.Client or None
        The client of the cluster; None means the current one. Pickles do not hold it.
    local_ : OLLAWVClassifier
        The fitted model, whose fitted attributes this estimator has too.
    fit_report_ : ClusterFitReport
        Rounds, bytes and seconds of `fit`; print it.

    See Also
    --------
    OLLAWVClassifier : The same model from data in memory.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sklearn.datasets import make_moons
    >>> from svmosaic.dask import DaskOLLAWVClassifier
    >>> X, y = make_moons(400, noise=0.2, random_state=0)
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     X, y = da.from_array(X, chunks=(100, -1)), da.from_array(y, chunks=100)
    ...     model = DaskOLLAWVClassifier(C=10.0).fit(X, y)
    ...     accuracy = model.score(X, y)
    >>> accuracy > 0.95
    True
    """

    _local_class = OLLAWVClassifier


class DaskSMOClassifier(_DaskClassifier):
    """The model of SMOClassifier, from rows on a Dask cluster.

    The exact model is that of `DaskOLLAWVClassifier`, and so are the attributes; `to_local` gives
    an `SMOClassifier`.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of errors.
    kernel : {"rbf", "linear", "poly", "sigmoid", "laplacian"}, default="rbf"
        The kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Width of rbf, laplacian, poly and sigmoid kernels.
    degree : int, default=3
        Degree of the poly kernel.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted.
    class_weight : dict or "balanced", default=None
        Weights of the classes; they multiply `sample_weight`.
    multi_class : {"ovo", "ovr"}, default="ovo"
        One binary classifier per pair of classes, or one per class against the rest.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of `decision_function` for one-vs-one with more than two classes.
    max_time : float, default=None
        Limit in seconds on `fit`. When it is reached, the returned model has not converged, and
        `fit` warns.
    checkpoint : path-like, default=None
        A file that is written after every round. If it exists, `fit` resumes from there; it is
        removed when `fit` has converged.
    device : str, default=None
        ``"cuda"`` to compute kernel values on the GPUs of workers that have one.
    verbose : int, default=0
        If positive, log a line after every round.

    Examples
    --------
    >>> from svmosaic.dask import DaskSMOClassifier
    >>> DaskSMOClassifier(C=10.0).get_params()["C"]
    10.0
    """

    _local_class = SMOClassifier


class DaskSMORegressor(RegressorMixin, _DaskEstimator):  # type: ignore[misc]
    """The model of SMORegressor, epsilon-SVR, from rows on a Dask cluster.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of errors.
    epsilon : float, default=0.1
        Half the width of the tube in which errors cost nothing.
    kernel : {"rbf", "linear", "poly", "sigmoid", "laplacian"}, default="rbf"
        The kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Width of rbf, laplacian, poly and sigmoid kernels.
    degree : int, default=3
        Degree of the poly kernel.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted.
    max_time : float, default=None
        Limit in seconds on `fit`.
    checkpoint : path-like, default=None
        A file that is written after every round, from which `fit` resumes.
    device : str, default=None
        ``"cuda"`` to compute kernel values on the GPUs of workers that have one.
    verbose : int, default=0
        If positive, log a line after every round.

    Attributes
    ----------
    client : distributed.Client or None
        The client of the cluster; None means the current one. Pickles do not hold it.
    local_ : SMORegressor
        The fitted model, whose fitted attributes this estimator has too.
    fit_report_ : ClusterFitReport
        Rounds, bytes and seconds of `fit`; print it.

    See Also
    --------
    SMORegressor : The same model from data in memory.

    Examples
    --------
    >>> from svmosaic.dask import DaskSMORegressor
    >>> DaskSMORegressor(epsilon=0.01).get_params()["epsilon"]
    0.01
    """

    _local_class = SMORegressor
    _is_regression = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_DaskEstimator._parameter_constraints,
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        epsilon: float = 0.1,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        max_time: float | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        device: str | None = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_time = max_time
        self.checkpoint = checkpoint
        self.device = device
        self.verbose = verbose

    def _set_fitted(self, local: Any, found: ClusterFit) -> None:
        self._set_common(local, found)
        table = found.table
        (solution,) = table.solutions
        local.expansion_ = KernelExpansion(
            found.kernel,
            table.X,
            Coefficients.of_matrix(solution.coef[:, np.newaxis]),
            np.array([solution.intercept]),
        )
        local.support_ = table.numbers
        local.n_support_ = np.array([table.numbers.size], dtype=np.int32)
        local.n_iter_ = np.array([solution.n_iter])
        local.stop_reason_ = np.array([solution.status])
        local.dual_gap_ = np.array([solution.dual_gap])
        local.objective_ = np.array([solution.objective])
