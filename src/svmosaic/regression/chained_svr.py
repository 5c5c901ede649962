"""What the multi-target machines share: parameters, samples, tuning, prediction, stored state."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from svmosaic.engine import cpu
from svmosaic.engine.gamma import resolve_gamma
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.engine.rows import make_rows
from svmosaic.engine.tasks import RegressionTuneSettings
from svmosaic.regression.chain_building import Appended, ChainBuilder, Folds
from svmosaic.regression.chain_state import CHAINS
from svmosaic.regression.link_tuning import LinkTable, LinkTuner, fold_weights, make_table
from svmosaic.utils.progress import current_progress
from svmosaic.utils.sklearn_compat import Interval, StrOptions, fit_context
from svmosaic.utils.splits import Split, regression_splits
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.user_warning import warn_user
from svmosaic.utils.validation import check_regression, check_samples, match_form

__all__ = ["ChainKernel", "ChainedSVR"]

ChainKernel = Literal["rbf", "laplacian"]

# Neighbours of the best candidate are given up when they would lose with this share of its error
# on the folds to come. They rarely differ by more than that.
_RACE = 0.9

# Kernel values of a prediction that are in memory at once.
_BLOCK_VALUES = 4_000_000


class ChainedSVR(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the multi-target machines: one or several chains of epsilon-SVR.

    A subclass says by `_build` which machines there are and which chains they form. Machines
    without a chain are a chain whose links see the inputs only.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions({"rbf", "laplacian"})],
        "gammas": ["array-like", None],
        "Cs": ["array-like"],
        "epsilons": ["array-like"],
        "cv": ["cv_object"],
        "scale_targets": ["boolean"],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "memory_limit_mb": [Interval(Real, 0.0, None, closed="neither")],
        "verbose": ["verbose"],
    }

    _model_file = CHAINS

    kernel: ChainKernel
    gammas: Sequence[float] | None
    Cs: Sequence[float]
    epsilons: Sequence[float]
    cv: Any
    scale_targets: bool
    tol: float
    max_iter: int
    random_state: Any
    n_jobs: int | None
    memory_limit_mb: float
    verbose: int

    # What the links of a subclass append, and whether they try the whole grid.
    _appended: Appended = "true"
    _complete = False

    @property
    def _absolute(self) -> bool:
        """Whether the kernel is of absolute differences and not of squares."""
        return self.kernel == "laplacian"

    @abstractmethod
    def _build(
        self, builder: ChainBuilder, Y: DoubleArray, random_state: Any
    ) -> tuple[IndexArray, IndexArray]:
        """Build the machines; return the orders, and machines by (chain, target)."""

    def _look_at(self, builder: ChainBuilder) -> None:
        """See the machines before they are gathered; for subclasses."""

    # Training -------------------------------------------------------------------------------

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Choose the parameters of all machines and fit them to training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples, scaled: one width serves all features.
        y : array-like of shape (n_samples, n_targets) or (n_samples,)
            Target values.

        Returns
        -------
        self : object
            The fitted regressor.
        """
        X, y = check_regression(self, X, y, multi_output=True)
        self._y_ndim = y.ndim
        Y = y.reshape(len(y), -1)
        self.n_targets_ = Y.shape[1]
        self.target_mean_, self.target_scale_ = self._target_scaling(Y)
        Y = (Y - self.target_mean_) / self.target_scale_

        random_state = check_random_state(self.random_state)
        settings = self._settings(X)
        splits = self._splits(X, Y, settings, random_state)
        n_threads, start_bytes = self._threads_that_fit(X.shape[0])
        marks = self._marks(splits, X.shape[0])
        table = make_table(X, Y, marks, n_threads, absolute=self._absolute)
        folds = self._folds(splits, table)
        progress = current_progress(type(self).__name__, self.verbose)
        tuner = LinkTuner(table, settings, n_threads, start_bytes, progress)
        builder = ChainBuilder(
            tuner, folds, self._appended, self._own_folds(X, Y, settings, table, random_state)
        )
        self.chains_, self.machines_ = self._build(builder, Y, random_state)
        self._look_at(builder)
        self._gather(X, builder)
        self._warn_if_not_converged(builder)
        return self

    def _target_scaling(self, Y: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
        if not self.scale_targets:
            return np.zeros(Y.shape[1]), np.ones(Y.shape[1])
        scale = Y.std(axis=0)
        # A constant target stays as it is, and so does one that only rounding moves.
        steady = scale <= 10 * np.finfo(np.float64).eps * np.abs(Y).max(axis=0)
        return Y.mean(axis=0), np.where(steady, 1.0, scale)

    def _settings(self, X: Any) -> RegressionTuneSettings:
        if self.gammas is None:
            n_samples = X.shape[0]
            middle = resolve_gamma("scale", X, np.arange(n_samples), np.ones(n_samples))
            gammas: DoubleArray = middle * np.power(4.0, np.arange(-4, 4), dtype=np.float64)
            if self._absolute:
                # From 1 / (d var) to 1 / (d std): absolute distances have the unit of the inputs.
                middle = np.sqrt(middle / X.shape[1])
                gammas = middle * np.power(2.0, np.arange(-5, 3), dtype=np.float64)
        else:
            gammas = self._numbers(self.gammas, "gammas")
        return RegressionTuneSettings(
            gammas,
            self._numbers(self.Cs, "Cs"),
            self._numbers(self.epsilons, "epsilons", zero=True),
            float(self.tol),
            max(0, int(self.max_iter)),
            self._complete,
            self._absolute,
            _RACE,
        )

    def _numbers(self, values: Any, name: str, *, zero: bool = False) -> DoubleArray:
        numbers = np.ravel(np.asarray(values, dtype=np.float64))
        least = np.all(numbers >= 0) if zero else np.all(numbers > 0)
        if numbers.size == 0 or not np.all(np.isfinite(numbers)) or not least:
            kind = "numbers from 0" if zero else "positive numbers"
            raise ValueError(
                f"The '{name}' parameter of {type(self).__name__} must be a list of {kind}. "
                f"Got {values!r} instead."
            )
        return np.ascontiguousarray(numbers)

    def _splits(
        self, X: Any, Y: DoubleArray, settings: RegressionTuneSettings, random_state: Any
    ) -> list[Split]:
        """Return the inner folds; none where there is nothing to choose."""
        if settings.n_candidates == 1 and not self._needs_folds():
            return []
        splits = regression_splits(self.cv, X, Y, random_state)
        counts = np.bincount(np.concatenate([test for _, test in splits]), minlength=X.shape[0])
        if self._appended == "out_of_fold" and not np.all(counts == 1):
            raise ValueError(
                f"{type(self).__name__} with appended='out_of_fold' needs a 'cv' that tests every "
                "row once. Got one that does not; pass a number of folds or appended='true'."
            )
        return splits

    def _needs_folds(self) -> bool:
        """Whether more than the parameters depends on the folds."""
        return self._appended == "out_of_fold"

    def _marks(self, splits: Sequence[Split], n_rows: int) -> IndexArray:
        """Return the fold of each row where copies in different folds are different samples."""
        marks = np.zeros(n_rows, dtype=np.int64)
        if self._appended == "out_of_fold" and self.n_targets_ > 1:
            for f, (_, test) in enumerate(splits):
                marks[test] = f
        return marks

    def _folds(self, splits: Sequence[Split], table: LinkTable) -> Folds:
        return fold_weights(splits, table.sample_of)

    def _own_folds(
        self,
        X: Any,
        Y: DoubleArray,
        settings: RegressionTuneSettings,
        table: LinkTable,
        random_state: Any,
    ) -> Any:
        """Return folds by (chain, position) for a `cv` that has them, or None."""
        if not hasattr(self.cv, "for_link") or settings.n_candidates == 1:
            return None

        def folds_of(chain: int, position: int) -> Folds:
            cv = self.cv.for_link(chain, position, Y.shape[1])
            return self._folds(regression_splits(cv, X, Y, random_state), table)

        return folds_of

    def _threads_that_fit(self, n_samples: int) -> tuple[int, float]:
        """Return how many threads have room to work, and the bytes that are left then."""
        limit = 1e6 * float(self.memory_limit_mb)
        matrix = 8.0 * n_samples * n_samples
        # The distances; per thread, those of a link and their kernel values.
        least = 3.0 * matrix
        if least > limit:
            raise ValueError(
                f"{type(self).__name__} keeps the distances of all pairs of its {n_samples} "
                f"samples, which takes {least / 1e6:.0f} MB; memory_limit_mb is "
                f"{self.memory_limit_mb:g}. Raise it or fit to fewer samples."
            )
        threads = resolve_threads(self.n_jobs)
        room = int((limit - matrix) // (2.0 * matrix))
        threads = max(1, min(threads, room))
        return threads, limit - matrix - threads * 2.0 * matrix

    def _gather(self, X: Any, builder: ChainBuilder) -> None:
        """Store the machines as arrays; shared support vectors are stored once."""
        # Machines that only led on to others are not part of the model.
        numbers, places = np.unique(self.machines_, return_inverse=True)
        self.machines_ = places.reshape(self.machines_.shape)
        machines = [builder.machines[number] for number in numbers]
        table, settings = builder.tuner.table, builder.tuner.settings
        coef = np.array([machine.tuned.coef for machine in machines])
        used = np.flatnonzero(np.any(coef != 0, axis=0))
        rows = table.samples[used]
        self.support_ = rows.astype(np.int32)
        self.support_vectors_ = X[rows]
        self.dual_coef_ = np.ascontiguousarray(coef[:, used])
        self.n_support_ = np.count_nonzero(coef, axis=1).astype(np.int32)
        self.intercept_ = np.array([machine.tuned.intercept for machine in machines])
        # A target inside the tube needs no update; the check of optimality counts as one.
        self.n_iter_ = np.array([max(1, machine.tuned.n_updates) for machine in machines])
        chosen = [settings.candidate(machine.tuned.best) for machine in machines]
        self.gamma_, self.C_, self.epsilon_ = np.array(chosen).T.copy()
        self.machine_targets_ = np.array([machine.target for machine in machines])
        self.machine_columns_ = np.full((len(machines), self.n_targets_), -1)
        for number, machine in enumerate(machines):
            for target, column in machine.columns.items():
                self.machine_columns_[number, target] = column
        # Only what a machine looks at.
        columns, places = np.unique(self.machine_columns_, return_inverse=True)
        shift = int(columns[0] == -1)
        self.machine_columns_ = places.reshape(self.machine_columns_.shape) - shift
        self.appended_ = np.ascontiguousarray(builder.columns[columns[shift:]][:, used])
        self.candidates_ = np.array([settings.candidate(c) for c in range(settings.n_candidates)])
        tested = builder.folds[1].sum()
        with np.errstate(invalid="ignore", divide="ignore"):
            errors = np.array([machine.tuned.errors for machine in machines])
            self.cv_errors_ = np.sqrt(errors / tested) if tested else np.full(errors.shape, np.nan)

    def _warn_if_not_converged(self, builder: ChainBuilder) -> None:
        worst = max(machine.tuned.violation for machine in builder.machines)
        if worst > self.tol:
            warn_user(
                f"{type(self).__name__} stopped with violation {worst:.1e} (tol={self.tol:g}). "
                "Scale the features or raise max_iter.",
                ConvergenceWarning,
            )

    # Prediction -----------------------------------------------------------------------------

    def predict(self, X: Any) -> DoubleArray:
        """Return the values of each sample: the mean over the chains.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples, n_targets) or (n_samples,)
            Predicted values, in the form that `fit` was given.
        """
        values = np.asarray(self.predict_chains(X).mean(axis=0))
        return values[:, 0] if self._y_ndim == 1 else values

    def predict_chains(self, X: Any) -> DoubleArray:
        """Return the values that each chain gives.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_chains, n_samples, n_targets)
            Predicted values.
        """
        check_is_fitted(self)
        X = match_form(check_samples(self, X), self.support_vectors_)
        step = max(1, _BLOCK_VALUES // max(1, self.support_.size))
        parts = [self._chain_values(X[i : i + step]) for i in range(0, X.shape[0], step)]
        values = np.concatenate(parts, axis=1)
        return np.asarray(values * self.target_scale_ + self.target_mean_)

    def _chain_values(self, X: Any) -> DoubleArray:
        rows: Any = make_rows(X, "rbf")
        vectors: Any = make_rows(self.support_vectors_, "rbf")
        distances = cpu.pair_distances(
            rows, vectors, absolute=self._absolute, n_threads=resolve_threads(self.n_jobs)
        )
        values = np.empty((len(self.chains_), X.shape[0], self.n_targets_))
        for chain, order in enumerate(self.chains_):
            for target in order:
                number = self.machines_[chain, target]
                widened = distances.copy()
                for before, column in enumerate(self.machine_columns_[number]):
                    if column >= 0:
                        # The predicted value stands where training had the true one.
                        apart = values[chain, :, [before]].T - self.appended_[column]
                        widened += np.abs(apart) if self._absolute else apart**2
                kernel = np.exp(-self.gamma_[number] * widened)
                # Summed row by row, so that a value does not depend on the rows beside it.
                outputs = np.einsum("ij,j->i", kernel, self.dual_coef_[number])
                values[chain, :, target] = outputs + self.intercept_[number]
        return values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        return tags
