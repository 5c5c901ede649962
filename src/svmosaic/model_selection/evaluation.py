"""Train and test on one split after another, and keep a record of each."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.pipeline import Pipeline
from sklearn.utils.parallel import Parallel, delayed

from svmosaic.metrics.model_cost import count_support_vectors
from svmosaic.metrics.multi_target import SCORES, is_multi_target_score
from svmosaic.metrics.scorers import get_scorer
from svmosaic.model_selection.search_scores import search_scores
from svmosaic.utils.sklearn_compat import take_rows

__all__ = [
    "Evaluation",
    "MakeEstimator",
    "Split",
    "SplitResult",
    "evaluate",
    "name_scores",
    "run_split",
]


@dataclass(frozen=True)
class SplitResult:
    """What happened on one split.

    Attributes
    ----------
    repeat, fold : int
        Which split it is, both from 0.
    n_train, n_test : int
        Rows on its two sides.
    scores : dict of str to float
        Scores on the test rows, which nothing else has seen.
    params : dict of str to Any
        The parameters that the search chose; empty where nothing was searched.
    inner_score : float or None
        The mean score of the choice over the inner folds. It was chosen by it, so it is optimistic.
    n_candidates : int or None
        Parameter settings that the search scored.
    n_fits : int or None
        Models trained on this split, where the search tells: candidates x folds, and the last one.
    fit_seconds : float
        Time for all training on this split, the search included.
    fit_cpu_seconds : float
        Processor time of this process for the same, all its threads together. What else the
        computer does changes it little. Child processes (a search with `n_jobs`) do not count.
    refit_seconds : float or None
        Time to train the chosen model alone, where the search tells.
    score_seconds : float
        Time to predict and score the test rows.
    n_support : int or None
        Support vectors of the model, if it has any.
    search_scores : dict or None
        The mean inner score of each candidate, where there was a search of at most 400.
    n_iter : int or None
        Iterations of the model in its own unit, summed over its outputs, if it has them.
    """

    repeat: int
    fold: int
    n_train: int
    n_test: int
    scores: dict[str, float]
    params: dict[str, Any]
    inner_score: float | None
    n_candidates: int | None
    n_fits: int | None
    fit_seconds: float
    fit_cpu_seconds: float
    refit_seconds: float | None
    score_seconds: float
    n_support: int | None
    search_scores: dict[str, Any] | None = None
    n_iter: int | None = None

    def record(self) -> dict[str, Any]:
        """Return one flat record; each score has an entry of its own.

        Returns
        -------
        dict
            Scores, chosen parameters and times.
        """
        return {
            "repeat": self.repeat,
            "fold": self.fold,
            "n_train": self.n_train,
            "n_test": self.n_test,
            **self.scores,
            "inner_score": self.inner_score,
            "n_candidates": self.n_candidates,
            "n_fits": self.n_fits,
            "fit_seconds": self.fit_seconds,
            "fit_cpu_seconds": self.fit_cpu_seconds,
            "refit_seconds": self.refit_seconds,
            "score_seconds": self.score_seconds,
            "n_support": self.n_support,
            "n_iter": self.n_iter,
            "support_percent": (
                None if self.n_support is None else 100 * self.n_support / self.n_train
            ),
            "params": self.params,
            "search_scores": self.search_scores,
        }


@dataclass(frozen=True)
class Evaluation:
    """How a method did under a protocol.

    Attributes
    ----------
    protocol : str
        What was done, in words.
    dataset, method : str
        Names, for tables.
    random_state : int
        The root of all seeds.
    splits : tuple of SplitResult
        The results, in order.
    splits_digest : str
        A hash of all training and test rows. Two evaluations are paired if theirs are equal.
    """

    protocol: str
    dataset: str
    method: str
    random_state: int
    splits: tuple[SplitResult, ...]
    splits_digest: str

    def scores(self, name: str | None = None) -> NDArray[np.float64]:
        """Return one score of all splits; the first one if none is named.

        Parameters
        ----------
        name : str, default=None
            The score; None means the first one.

        Returns
        -------
        ndarray of shape (n_splits,)
            The scores.
        """
        known = list(self.splits[0].scores)
        chosen = known[0] if name is None else name
        if chosen not in known:
            raise ValueError(f"There is no score {chosen!r}. There is: {', '.join(known)}.")
        return np.array([split.scores[chosen] for split in self.splits])

    def mean(self, name: str | None = None) -> float:
        """Return the mean of a score over the splits.

        Parameters
        ----------
        name : str, default=None
            The score; None means the first one.

        Returns
        -------
        float
            The mean.
        """
        scores = self.scores(name).tolist()
        # Summed exactly, so that methods with the same scores in another order tie.
        return math.fsum(scores) / len(scores)

    def std(self, name: str | None = None) -> float:
        """Return the standard deviation of a score over the splits.

        Splits share training rows, so this is no standard error of the mean.

        Parameters
        ----------
        name : str, default=None
            The score; None means the first one.

        Returns
        -------
        float
            The standard deviation.
        """
        return float(np.std(self.scores(name)))

    def records(self) -> list[dict[str, Any]]:
        """Return one plain record per split, as `svmosaic.stats.table_of_records` takes them.

        Returns
        -------
        list of dict
            The records.
        """
        head = {"dataset": self.dataset, "method": self.method, "protocol": self.protocol}
        return [{**head, **split.record()} for split in self.splits]


@dataclass(frozen=True)
class Split:
    """The rows of one split."""

    repeat: int
    fold: int
    train: Any
    test: Any


# Makes the estimator of a split: the same one for all, or a search with folds of its own.
MakeEstimator = Callable[[Split], Any]


def evaluate(
    make_estimator: MakeEstimator,
    X: Any,
    y: Any,
    splits: Sequence[Split],
    scoring: Any,
    n_jobs: int | None,
) -> tuple[tuple[SplitResult, ...], str]:
    """Train and test on all splits; return the results and the digest of the splits."""
    if not splits:
        raise ValueError("The protocol has no splits. Give it at least one.")
    results = Parallel(n_jobs=n_jobs)(
        delayed(run_split)(make_estimator(split), X, y, split, scoring) for split in splits
    )
    return tuple(results), _digest(splits)


def name_scores(scoring: Any) -> dict[str, Any]:
    """Return scorers by name, from any form in which scikit-learn takes them.

    A name may also be one of `svmosaic.metrics.scorer_names`.
    """
    if scoring is None or callable(scoring):
        return {"score": scoring}
    if isinstance(scoring, str):
        named: dict[str, Any] = {scoring: scoring}
    elif isinstance(scoring, Mapping):
        named = dict(scoring)
    else:
        named = {str(name): name for name in scoring}
    if not named:
        raise ValueError("The list of scores is empty. Name at least one, for example 'accuracy'.")
    # Scores of several targets keep their names: they are given the training rows.
    return {
        name: get_scorer(scorer)
        if isinstance(scorer, str) and not is_multi_target_score(scorer)
        else scorer
        for name, scorer in named.items()
    }


def run_split(estimator: Any, X: Any, y: Any, split: Split, scoring: Any) -> SplitResult:
    """Train a copy of the estimator on one split and score it."""
    model = clone(estimator)
    X_train, y_train = take_rows(X, split.train), take_rows(y, split.train)
    X_test, y_test = take_rows(X, split.test), take_rows(y, split.test)

    begin, cpu_begin = time.perf_counter(), time.process_time()
    model.fit(X_train, y_train)
    fitted, cpu_fitted = time.perf_counter(), time.process_time()
    scores = _score(model, X_test, y_test, scoring, y_train)
    end = time.perf_counter()

    search = _find_search(model)
    n_candidates = _n_candidates(search)
    n_folds = getattr(search, "n_splits_", None)
    return SplitResult(
        repeat=split.repeat,
        fold=split.fold,
        n_train=len(split.train),
        n_test=len(split.test),
        scores=scores,
        params=dict(getattr(search, "best_params_", {})),
        inner_score=_number(getattr(search, "best_score_", None)),
        n_candidates=n_candidates,
        n_fits=_n_fits(n_candidates, n_folds),
        fit_seconds=fitted - begin,
        fit_cpu_seconds=cpu_fitted - cpu_begin,
        refit_seconds=_number(getattr(search, "refit_time_", None)),
        score_seconds=end - fitted,
        search_scores=search_scores(model),
        n_support=count_support_vectors(model),
        n_iter=_n_iter(model),
    )


def _score(model: Any, X: Any, y: Any, scoring: Any, y_train: Any) -> dict[str, float]:
    asked = name_scores(scoring)
    # Those of several targets compare with the training rows, which scikit-learn's do not know.
    ours = {name for name, scorer in asked.items() if is_multi_target_score(scorer)}
    named = {
        name: check_scoring(model, scoring=scorer)
        for name, scorer in asked.items()
        if name not in ours
    }
    # Together, so that the predictions are made once.
    scores = dict(check_scoring(model, scoring=named)(model, X, y)) if named else {}
    if ours:
        predicted = model.predict(X)
        scores |= {name: SCORES[asked[name]](y, predicted, y_train) for name in ours}
    return {name: float(scores[name]) for name in asked}


# What a model says of itself ----------------------------------------------------------------


def _n_candidates(model: Any) -> int | None:
    results = getattr(model, "cv_results_", None)
    return None if results is None else len(next(iter(results.values())))


def _n_fits(n_candidates: int | None, n_folds: int | None) -> int | None:
    if n_candidates is None:
        return 1
    return None if n_folds is None else n_candidates * n_folds + 1


def _find_search(model: Any) -> Any:
    """Return the search: the model itself, or the last step of a pipeline that tunes itself."""
    while isinstance(model, Pipeline) and not hasattr(model, "best_params_"):
        model = model.steps[-1][1]
    return model


def _n_iter(model: Any) -> int | None:
    estimator = getattr(model, "best_estimator_", model)
    while isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    counts = getattr(estimator, "n_iter_", None)
    return None if counts is None else int(np.sum(counts))


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _digest(splits: Sequence[Split]) -> str:
    digest = hashlib.sha256()
    for split in splits:
        for rows in (split.train, split.test):
            digest.update(np.asarray(rows, dtype="<i8").tobytes())
            digest.update(b"|")
    return digest.hexdigest()
