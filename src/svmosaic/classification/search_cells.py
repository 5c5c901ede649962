"""The scores of all candidates of a search of OLLAWV on all folds."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from svmosaic.classification.kernel_estimator import check_weights, kernel_cache_mb
from svmosaic.classification.ollawv import OLLAWVClassifier
from svmosaic.classification.search_scoring import SearchScoring, far_below, resolve_scoring
from svmosaic.classification.training import Training
from svmosaic.engine.kernels import kernel_spec
from svmosaic.engine.problem import DeviceTable, DoubleArray, IndexArray
from svmosaic.engine.protocol import engine_for
from svmosaic.engine.tasks import TuneSettings
from svmosaic.utils.progress import report_progress_inside
from svmosaic.utils.sklearn_compat import take_rows
from svmosaic.utils.splits import Split
from svmosaic.utils.user_warning import warn_user

if TYPE_CHECKING:
    from svmosaic.classification.ollawv_cv import OLLAWVClassifierCV

__all__ = [
    "SHARED_PARAMETERS",
    "CandidateScores",
    "Progress",
    "SearchData",
    "candidate_parameters",
    "fit_best",
    "needs_models",
    "score_all",
    "score_candidates",
    "scoring_of",
]

# Parameters of the best estimator that are not searched.
SHARED_PARAMETERS = (
    *("kernel", "degree", "coef0", "refine", "tol", "fit_intercept", "learning_rate"),
    *("max_iter", "max_support", "class_weight", "multi_class", "n_jobs", "device", "verbose"),
)

# Rows on which the final model is compared with its cross-validated score. More would show no more,
# and predictions of all rows of a large table take as long as a fit.
_MOST_COMPARED = 1000

Progress = Callable[[int, int, int], None] | None


@dataclass(frozen=True)
class SearchData:
    """The rows of a search.

    Attributes
    ----------
    X, y : array-like
        Samples and classes, checked.
    sample_weight : array-like or None
        Their weights.
    score_parameters : dict
        What the scorer gets besides, one value per row: weights, or what metadata routing sends it.
    """

    X: Any
    y: Any
    sample_weight: Any = None
    score_parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class CandidateScores:
    """What a search found of every candidate (gamma, margin, C).

    Attributes
    ----------
    scores, n_support : ndarray of shape (gammas, margins, Cs, splits)
        Scores, and numbers of support vectors.
    rounds, n_rows : ndarray of int64 of shape (gammas, margins, Cs)
        The last round of a race that a candidate finished, and how many rows the round had.
    """

    scores: DoubleArray
    n_support: DoubleArray
    rounds: IndexArray
    n_rows: IndexArray

    @classmethod
    def nothing(cls, shape: tuple[int, ...]) -> CandidateScores:
        """Return what is known before a search over (gammas, margins, Cs, splits)."""
        numbers = (np.zeros(shape[:-1], dtype=np.int64) for _ in range(2))
        return cls(np.full(shape, np.nan), np.full(shape, np.nan), *numbers)

    @classmethod
    def of_one_round(
        cls, scores: DoubleArray, n_support: DoubleArray, n_rows: int
    ) -> CandidateScores:
        """Return the result of an exhaustive search."""
        found = cls.nothing(scores.shape)
        found.record(np.ones(scores.shape[:-1], dtype=np.bool_), scores, n_support, 0, n_rows)
        return found

    def record(
        self,
        candidates: npt.NDArray[np.bool_],
        scores: DoubleArray,
        n_support: DoubleArray,
        number: int,
        n_rows: int,
    ) -> None:
        """Take the results of some candidates in a round in place of those before."""
        self.scores[candidates] = scores[candidates]
        self.n_support[candidates] = n_support[candidates]
        self.rounds[candidates], self.n_rows[candidates] = number, n_rows


def scoring_of(search: OLLAWVClassifierCV) -> SearchScoring:
    """Return what a search maximises."""
    return resolve_scoring(search.scoring, OLLAWVClassifier(), type(search).__name__)


def needs_models(scoring: SearchScoring, data: SearchData) -> bool:
    """Whether confusion matrices of the engine are not enough for the scores."""
    if scoring.of_confusion is None:
        return True
    # The engine counts by weight.
    counted = {"sample_weight"} if data.sample_weight is not None else set()
    return set(data.score_parameters) != counted


def candidate_parameters(
    search: OLLAWVClassifierCV, gamma: float, margin: float, C: float
) -> dict[str, float]:
    """Return the parameters of a candidate, as far as they were searched."""
    found = {"margin": float(margin)}
    if search.kernel not in ("linear", "precomputed"):
        found["gamma"] = float(gamma)
    if search.refine is not None:
        found["C"] = float(C)
    return found


def score_all(
    search: OLLAWVClassifierCV,
    training: Training,
    data: SearchData,
    splits: Sequence[Split],
    grid: TuneSettings,
    *,
    n_threads: int,
    progress: Progress = None,
) -> CandidateScores:
    """Return the scores of all candidates on all rows."""
    scores, n_support = score_candidates(
        search, training, data, splits, grid, n_threads=n_threads, progress=progress
    )
    n_rows = int(np.count_nonzero(training.row_weights > 0))
    return CandidateScores.of_one_round(scores, n_support, n_rows)


def score_candidates(
    search: OLLAWVClassifierCV,
    training: Training,
    data: SearchData,
    splits: Sequence[Split],
    grid: TuneSettings,
    *,
    n_threads: int,
    progress: Progress = None,
) -> tuple[DoubleArray, DoubleArray]:
    """Return scores and numbers of support vectors of shape (gammas, margins, Cs, splits).

    Confusion matrices come from one call of the engine. Where they are not enough, every candidate
    is fitted to every training part by itself.
    """
    scoring = scoring_of(search)
    # The engine knows nothing of samples that do not train. If their class weighs nothing, they are
    # tested all the same.
    tests_more = isinstance(search.class_weight, dict) and 0 in search.class_weight.values()
    if tests_more or needs_models(scoring, data):
        return _score_models(search, training, data, splits, grid, scoring, n_threads, progress)
    weights = check_weights(training.X, data.sample_weight, "")
    tune = functools.partial(
        _count_confusions, search, training, weights, grid=grid, n_threads=n_threads
    )
    if search.class_weight == "balanced":
        # Balanced in every training part, of which the test rows know nothing.
        parts = [
            tune(_balanced(training, weights, split[0]), [split], progress=progress)
            for split in splits
        ]
        confusion, n_support = (np.concatenate(part, axis=3) for part in zip(*parts, strict=True))
    else:
        confusion, n_support = tune(training.row_weights, splits, progress=progress)
    assert scoring.of_confusion is not None
    return scoring.of_confusion(confusion, training.classes), n_support


def _count_confusions(
    search: OLLAWVClassifierCV,
    training: Training,
    sample_weights: DoubleArray,
    row_weights: DoubleArray,
    splits: Sequence[Split],
    *,
    grid: TuneSettings,
    n_threads: int,
    progress: Progress,
) -> tuple[DoubleArray, DoubleArray]:
    """Return confusion matrices of all candidates and splits, and numbers of support vectors."""
    confusion, n_support = engine_for(training.rows, search.device).tune_ollawv(
        training.rows,
        kernel_spec(search.kernel, 1.0, search.degree, search.coef0),
        training.labels,
        row_weights,
        splits,
        grid,
        n_threads=n_threads,
        progress=progress,
    )
    if search.class_weight is not None:
        # The weights of classes count in training only, as in scikit-learn.
        given, used = (
            np.bincount(training.labels, values * (row_weights > 0), training.classes.size)
            for values in (sample_weights, row_weights)
        )
        confusion = confusion * (given / used)[:, None]
    return confusion, n_support


def _balanced(training: Training, sample_weights: DoubleArray, rows: IndexArray) -> DoubleArray:
    """Return weights of all rows by which every class has the same weight in some of them."""
    n_classes = training.classes.size
    totals = np.bincount(training.labels[rows], sample_weights[rows], n_classes)
    factors = np.ones(n_classes)
    here = totals > 0
    factors[here] = totals.sum() / (np.count_nonzero(here) * totals[here])
    takes_part = training.row_weights > 0
    return np.where(takes_part, sample_weights * factors[training.labels], 0.0)


# Model by model -----------------------------------------------------------------------------


def _score_models(
    search: OLLAWVClassifierCV,
    training: Training,
    data: SearchData,
    splits: Sequence[Split],
    grid: TuneSettings,
    scoring: SearchScoring,
    n_threads: int,
    progress: Progress,
) -> tuple[DoubleArray, DoubleArray]:
    shape = (grid.gammas.size, grid.margins.size, grid.Cs.size, len(splits))
    scores, n_support = np.empty(shape), np.empty(shape)
    model = _candidate(search, training).set_params(n_jobs=n_threads, verbose=0)
    if isinstance(data.X, DeviceTable) and search.device is None:
        model.set_params(device=data.X.device)
    done, steps = 0, 0

    def report(_done: int, _total: int, more: int) -> None:
        if progress is not None:
            progress(done, scores.size, steps + more)

    for f, (train, test) in enumerate(splits):
        X_train, X_test = (_part(search, data.X, rows, train) for rows in (train, test))
        y_train, y_test = data.y[train], data.y[test]
        if np.unique(y_train).size < 2:
            raise ValueError(
                "There is a training fold with one class only. Use fewer or stratified folds."
            )
        weights = None if data.sample_weight is None else take_rows(data.sample_weight, train)
        score_params = {
            name: take_rows(value, test) for name, value in data.score_parameters.items()
        }
        for g, m, c in product(*map(range, shape[:3])):
            chosen = candidate_parameters(search, grid.gammas[g], grid.margins[m], grid.Cs[c])
            with report_progress_inside(report):
                model.set_params(**chosen).fit(X_train, y_train, weights)
            scores[g, m, c, f] = scoring.score(model, X_test, y_test, score_params)
            n_support[g, m, c, f] = model.support_.size
            done, steps = done + 1, steps + int(np.sum(model.n_iter_))
            report(0, 0, 0)
    return scores, n_support


def _part(search: OLLAWVClassifierCV, X: Any, rows: IndexArray, train: IndexArray) -> Any:
    """Return some samples, or their kernel values with those of a training part."""
    return X[rows][:, train] if search.kernel == "precomputed" else X[rows]


def _candidate(search: OLLAWVClassifierCV, training: Training) -> OLLAWVClassifier:
    """Return an unfitted model that keeps no more columns than the search may take."""
    model = OLLAWVClassifier(**{name: getattr(search, name) for name in SHARED_PARAMETERS})
    allowed = kernel_cache_mb(model, training.rows, training.problems)
    model.cache_mb = max(min(allowed, float(search.memory_limit_mb)), 1.0)
    return model


# The best one -------------------------------------------------------------------------------


def fit_best(
    search: OLLAWVClassifierCV,
    training: Training,
    data: SearchData,
    best: dict[str, Any],
    *,
    n_jobs: int | None,
) -> OLLAWVClassifier:
    """Return the best model, fitted to all rows; warn if it contradicts its scores.

    `best` has the ``params``, the ``mean`` and the ``deviation`` of its scores, and how many
    samples a fold tested in the mean, ``n_tested``.
    """
    model = _candidate(search, training)
    # `set_params` would look all parameters up, which takes longer than a fit to few samples.
    for name, value in best["params"].items():
        setattr(model, name, value)
    model.n_jobs = n_jobs
    model.n_features_in_ = training.X.shape[1]
    model._fit_prepared(training)
    model.cache_mb, model.n_jobs = "auto", search.n_jobs
    # As many as a fold tests: some scores are sums.
    n_rows = min(best["n_tested"], _MOST_COMPARED)
    on_training = _training_score(search, model, training, data, n_rows)
    if far_below(on_training, best["mean"], best["deviation"], n_rows):
        warn_user(
            f"The best model scores {on_training:.4g} on its own training rows, far below the "
            f"{best['mean']:.4g} (deviation {best['deviation']:.2g}) of its cross-validation. Do "
            "not trust it: look at 'max_iter' and 'max_support', and at how the folds were made.",
            UserWarning,
        )
    return model


def _training_score(
    search: OLLAWVClassifierCV,
    model: OLLAWVClassifier,
    training: Training,
    data: SearchData,
    n_rows: int,
) -> float:
    """Return the score of a model on some training rows."""
    scoring = scoring_of(search)
    rows = np.linspace(0, len(data.y) - 1, n_rows).astype(np.int64)
    if scoring.of_confusion is not None and not needs_models(scoring, data):
        rows = rows[training.row_weights[rows] > 0]
        weights = None if data.sample_weight is None else data.sample_weight[rows]
        n_classes = training.classes.size
        cells = training.labels[rows] * n_classes + model._class_numbers(training.X[rows])
        confusion = np.bincount(cells, weights, n_classes**2).reshape(n_classes, n_classes)
        return float(scoring.of_confusion(confusion.astype(np.float64), training.classes))
    score_params = {name: take_rows(value, rows) for name, value in data.score_parameters.items()}
    return scoring.score(model, training.X[rows], data.y[rows], score_params)
