"""What the multi-target regressors share: training, prediction, stored state."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from svmosaic.classification.convergence import warn_if_violated
from svmosaic.classification.parameters import POSITIVE_REAL
from svmosaic.engine import cpu
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.engine.rows import make_rows
from svmosaic.engine.tasks import RegressionTuneSettings
from svmosaic.regression.chain_building import Appended, ChainBuilder, Folds
from svmosaic.regression.chain_orders import orders_by_error
from svmosaic.regression.chain_parameters import (
    ChainKernel,
    ChainSearch,
    default_gammas,
    target_scaling,
    threads_that_fit,
)
from svmosaic.regression.chain_state import CHAINS
from svmosaic.regression.link_tuning import LinkTuner, fold_weights, make_table
from svmosaic.regression.multi_target_regressor import MultiTargetRegressor
from svmosaic.utils.number_list import check_numbers
from svmosaic.utils.progress import current_progress
from svmosaic.utils.sklearn_compat import Interval, StrOptions, fit_context
from svmosaic.utils.splits import Split, regression_splits, tests_every_row_once
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.validation import check_regression, check_samples, match_form

__all__ = ["CHAIN_CONSTRAINTS", "ChainedSVR", "warn_of_violation"]

# Neighbours of the best candidate are given up when they would lose with this share of its error
# on the folds to come. They rarely differ by more than that.
_RACE = 0.9

# Kernel values of a prediction that are in memory at once.
_BLOCK_VALUES = 4_000_000


# What the regressors with chains have beside the parameters of `ChainedSVR`.
CHAIN_CONSTRAINTS: dict[str, list[Any]] = {
    "appended": [StrOptions({"true", "out_of_fold"})],
    "search": [StrOptions({"pattern", "grid"})],
}


def warn_of_violation(model: Any, violation: float) -> None:
    """Warn if an SVR within a regressor stopped before its optimum."""
    warn_if_violated(model, violation, "Scale the features or raise max_iter")


class ChainedSVR(MultiTargetRegressor):
    """Base of the multi-target regressors: one or several chains of epsilon-SVR.

    A link is the SVR of one target. A subclass says by `_build` which links there are and which
    chains they form. Regressors without a chain are a chain whose links see the inputs only.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions({"rbf", "laplacian"})],
        "gammas": ["array-like", None],
        "Cs": ["array-like"],
        "epsilons": ["array-like"],
        "cv": ["cv_object"],
        "scale_targets": ["boolean"],
        "tol": POSITIVE_REAL,
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "memory_limit_mb": POSITIVE_REAL,
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
    # Without a chain there is nothing to append, to search further or to put in order; the
    # regressors with chains have these as parameters.
    appended: Appended = "true"
    search: ChainSearch = "pattern"
    order: Any = None
    # Whose part it is, if it is not a user's own: messages name what the user knows.
    part_of: str | None = None

    @property
    def _name(self) -> str:
        return self.part_of or type(self).__name__

    @abstractmethod
    def _build(
        self, builder: ChainBuilder, Y: DoubleArray, random_state: Any
    ) -> tuple[IndexArray, IndexArray]:
        """Build the links; return the orders of the chains, and links by (chain, target)."""

    # Training -------------------------------------------------------------------------------

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Choose the parameters of all links and fit them to training data.

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
        builder = self._train(X, y, None, check_random_state(self.random_state))
        warn_of_violation(self, builder.worst_violation)
        return self

    def _train(self, X: Any, y: Any, splits: list[Split] | None, random_state: Any) -> ChainBuilder:
        """Fit to training data, on the splits of `cv` or on those given, and return all links."""
        X, y = check_regression(self, X, y, multi_output=True)
        Y = self._scale_targets(self._set_targets(y))
        settings = self._settings(X)
        has_own_folds = splits is None and hasattr(self.cv, "for_link")
        if splits is None:
            splits = self._splits(X, Y, settings, random_state)
        tuner = self._tuner(X, Y, splits, settings)
        table = tuner.table

        def link_folds(chain: int, position: int) -> Folds:
            cv = self.cv.for_link(chain, position, Y.shape[1])
            return fold_weights(
                regression_splits(cv, X, Y, random_state, self._name), table.sample_of
            )

        builder = ChainBuilder(
            tuner,
            fold_weights(splits, table.sample_of),
            self.appended,
            link_folds if has_own_folds and settings.n_candidates > 1 else None,
        )
        self.chains_, links = self._build(builder, Y, random_state)
        self._gather(X, builder, links)
        return builder

    def _scale_targets(self, Y: DoubleArray) -> DoubleArray:
        """Return the targets as the links see them, and keep what brings them there."""
        self.target_mean_, self.target_scale_ = np.zeros(Y.shape[1]), np.ones(Y.shape[1])
        if self.scale_targets:
            self.target_mean_, self.target_scale_ = target_scaling(Y)
        return np.asarray((Y - self.target_mean_) / self.target_scale_)

    def _tuner(
        self, X: Any, Y: DoubleArray, splits: Sequence[Split], settings: RegressionTuneSettings
    ) -> LinkTuner:
        n_threads, start_bytes = threads_that_fit(
            X.shape[0], self.n_jobs, self.memory_limit_mb, self._name
        )
        table = make_table(
            X, Y, self._marks(splits, X.shape[0]), n_threads, absolute=settings.absolute
        )
        progress = current_progress(self._name, self.verbose)
        return LinkTuner(table, settings, n_threads, start_bytes, progress)

    def _settings(self, X: Any) -> RegressionTuneSettings:
        name = self._name
        return RegressionTuneSettings(
            default_gammas(X, self.kernel)
            if self.gammas is None
            else check_numbers(self.gammas, "gammas", name),
            check_numbers(self.Cs, "Cs", name),
            check_numbers(self.epsilons, "epsilons", name, zero=True),
            float(self.tol),
            max(0, int(self.max_iter)),
            self.search == "grid",
            self.kernel == "laplacian",
            _RACE,
        )

    def _splits(
        self, X: Any, Y: DoubleArray, settings: RegressionTuneSettings, random_state: Any
    ) -> list[Split]:
        """Return the inner folds; none where there is nothing to choose."""
        out_of_fold = self.appended == "out_of_fold"
        if settings.n_candidates == 1 and not (out_of_fold or orders_by_error(self.order)):
            return []
        has_choice = settings.n_candidates > 1 and self.n_targets_ > 1
        if out_of_fold and has_choice and hasattr(self.cv, "for_link"):
            raise ValueError(
                f"{type(self).__name__} with appended='out_of_fold' needs one set of folds for all "
                "links. Got a 'cv' with folds for each; pass a number of folds or appended='true'."
            )
        splits = regression_splits(self.cv, X, Y, random_state, self._name)
        if out_of_fold and not tests_every_row_once(splits, X.shape[0]):
            raise ValueError(
                f"{type(self).__name__} with appended='out_of_fold' needs a 'cv' that tests every "
                "row once. Got one that does not; pass a number of folds or appended='true'."
            )
        return splits

    def _marks(self, splits: Sequence[Split], n_rows: int) -> IndexArray:
        """Return the fold of each row where copies in different folds are different samples.

        They are where what is predicted for rows left out is used: by later links, or by whom this
        is a part of.
        """
        marks = np.zeros(n_rows, dtype=np.int64)
        if self.appended == "out_of_fold" and (self.n_targets_ > 1 or self.part_of):
            for f, (_, test) in enumerate(splits):
                marks[test] = f
        return marks

    def _gather(self, X: Any, builder: ChainBuilder, links: IndexArray) -> None:
        """Store the links as arrays; shared support vectors are stored once."""
        # Links that only led on to others are not part of the model.
        numbers, places = np.unique(links, return_inverse=True)
        self.links_ = places.reshape(links.shape)
        used_links = [builder.links[number] for number in numbers]
        tuned = [link.tuned for link in used_links]
        table, settings = builder.tuner.table, builder.tuner.settings
        coef = np.array([one.coef for one in tuned])
        used = np.flatnonzero(np.any(coef != 0, axis=0))
        rows = table.samples[used]
        self.support_ = rows.astype(np.int32)
        self.support_vectors_ = X[rows]
        self.dual_coef_ = np.ascontiguousarray(coef[:, used])
        self.n_support_ = np.count_nonzero(coef, axis=1).astype(np.int32)
        self.intercept_ = np.array([one.intercept for one in tuned])
        # A target inside the tube needs no update; the check of optimality counts as one.
        self.n_iter_ = np.array([max(1, one.n_updates) for one in tuned])
        chosen = [settings.candidate(one.best) for one in tuned]
        self.gamma_, self.C_, self.epsilon_ = np.array(chosen).T.copy()
        self.link_targets_ = np.array([link.target for link in used_links])
        columns_of = np.full((len(used_links), self.n_targets_), -1)
        for number, link in enumerate(used_links):
            for target, column in link.columns.items():
                columns_of[number, target] = column
        # Only what a link looks at.
        columns, places = np.unique(columns_of, return_inverse=True)
        shift = int(columns[0] == -1)
        self.link_columns_ = places.reshape(columns_of.shape) - shift
        self.appended_ = np.ascontiguousarray(builder.columns[columns[shift:]][:, used])
        self.candidates_ = np.array([settings.candidate(c) for c in range(settings.n_candidates)])
        tested = builder.folds[1].sum()
        with np.errstate(invalid="ignore", divide="ignore"):
            errors = np.array([one.errors for one in tuned])
            self.cv_errors_ = np.sqrt(errors / tested) if tested else np.full(errors.shape, np.nan)

    # Prediction -----------------------------------------------------------------------------

    def _predict_targets(self, X: Any) -> DoubleArray:
        return np.asarray(self.predict_chains(X).mean(axis=0))

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
        absolute = self.kernel == "laplacian"
        distances = cpu.pair_distances(
            rows, vectors, absolute=absolute, n_threads=resolve_threads(self.n_jobs)
        )
        values = np.empty((len(self.chains_), X.shape[0], self.n_targets_))
        for chain, order in enumerate(self.chains_):
            for target in order:
                number = self.links_[chain, target]
                widened = distances.copy()
                for before, column in enumerate(self.link_columns_[number]):
                    if column >= 0:
                        # The predicted value replaces the true one of training.
                        apart = values[chain, :, [before]].T - self.appended_[column]
                        widened += np.abs(apart) if absolute else apart**2
                kernel = np.exp(-self.gamma_[number] * widened)
                # Summed row by row, so that a value does not depend on the rows beside it.
                outputs = np.einsum("ij,j->i", kernel, self.dual_coef_[number])
                values[chain, :, target] = outputs + self.intercept_[number]
        return values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
