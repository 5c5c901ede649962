"""Searches on a cluster: each worker tries a part of the candidates, folds or targets."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from svmosaic.classification.device_data import check_classes_on
from svmosaic.classification.kernel_estimator import check_weights
from svmosaic.classification.ollawv import OLLAWVClassifier
from svmosaic.classification.ollawv_cv import OLLAWVClassifierCV
from svmosaic.classification.search_cells import (
    CandidateScores,
    SearchData,
    fit_best,
    score_candidates,
)
from svmosaic.classification.training import Training, prepare_training
from svmosaic.dask.workers import DaskWorkers, client_of
from svmosaic.engine.problem import DoubleArray
from svmosaic.multi_instance.bag_search import BagSearchCV
from svmosaic.multi_instance.mir_mix_svm import MIRMixSVMClassifier
from svmosaic.regression.chained_svr import ChainedSVR
from svmosaic.regression.svrwc import SVRWC
from svmosaic.utils.optional import import_optional
from svmosaic.utils.splits import Split, classification_splits, splits_that_count
from svmosaic.utils.spreading import spread_over

__all__ = ["spread_search"]

_WHO = "spread_search"


def spread_search(
    search: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    groups: Any = None,
    client: Any = None,
) -> Any:
    """Search as ``search.fit(X, y)`` does, on the workers of a Dask cluster.

    All training data are sent to each worker once, and it computes distances or kernels once.

    - `OLLAWVClassifierCV`: each worker tries some gammas, with all margins, Cs and folds unless
      there are more workers than gammas; then folds are spread too. One worker fits the best model
      to all rows.
    - `BagSearchCV`, `MIRMixSVMClassifier`: each worker tries some candidates, those that differ in
      `C` only together, and then some folds of them. The best one is fitted here.
    - `MultiTargetSVR`, `SVRRC`, `SVRCC`, `SVRWC`: each worker tunes some targets, or some links of
      chains that can be tuned at the same time.

    Parameters
    ----------
    search : estimator
        What to search, one of these; it is not changed. Its `memory_limit_mb` holds for each
        worker.
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or bags
        Training samples, which are sent to the workers.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Class labels or targets.
    sample_weight : array-like of shape (n_samples,), default=None
        A weight means repetition, in training and in the scores; of `OLLAWVClassifierCV` only.
    groups : array-like of shape (n_samples,), default=None
        Groups of samples for a splitter that keeps them together; of `OLLAWVClassifierCV` only.
    client : distributed.Client, default=None
        The client of the cluster; None means the current one.

    Returns
    -------
    object
        A fitted copy. `OLLAWVClassifierCV` and `BagSearchCV` have the scores and the model of
        ``search.fit(X, y)``; links of chains are the same to their `tol`.

    Examples
    --------
    >>> from distributed import Client
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> from svmosaic import OLLAWVClassifierCV
    >>> from svmosaic.dask.search import spread_search
    >>> X, y = load_wine(return_X_y=True)
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     found = spread_search(OLLAWVClassifierCV(cv=3), minmax_scale(X), y)
    >>> bool(found.best_score_ > 0.95)
    True
    """
    if isinstance(search, OLLAWVClassifierCV):
        return _spread_ollawv(search, X, y, sample_weight, groups, client)
    if not isinstance(search, BagSearchCV | MIRMixSVMClassifier | ChainedSVR | SVRWC):
        raise TypeError(
            f"{_WHO} expected OLLAWVClassifierCV, BagSearchCV or a regressor of several targets. "
            f"Got {type(search).__name__}; use n_jobs or joblib's Dask backend for it."
        )
    for name, value in {"sample_weight": sample_weight, "groups": groups}.items():
        if value is not None:
            raise ValueError(f"{type(search).__name__} takes no {name}; leave it out.")
    with DaskWorkers(client_of(client, _WHO), _WHO) as workers, spread_over(_Everyone(workers)):
        return clone(search).fit(X, y)


@dataclass(frozen=True)
class _Everyone:
    """The workers of a cluster, for searches that spread their own calls."""

    workers: DaskWorkers

    @property
    def n_workers(self) -> int:
        return self.workers.n_workers

    def hold(self, value: Any) -> Any:
        with _large_graphs():
            return self.workers.hold(value)

    def map(self, function: Callable[..., Any], held: Any, items: Sequence[Any]) -> list[Any]:
        return self.workers.gather(
            [
                self.workers.submit(function, held, item, at=number, has_threads=True)
                for number, item in enumerate(items)
            ]
        )


def _large_graphs() -> Any:
    """Return a context in which data may be sent: they are meant to be."""
    dask = import_optional("dask", "search on a cluster")
    return dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"})


def _spread_ollawv(
    search: OLLAWVClassifierCV, X: Any, y: Any, sample_weight: Any, groups: Any, client: Any
) -> OLLAWVClassifierCV:
    fitted: OLLAWVClassifierCV = clone(search)
    if fitted.device not in (None, "cpu"):
        raise ValueError(
            f"{_WHO} computes on the processors of workers. Got device={fitted.device!r}; leave "
            "it out, or call fit on a computer with a GPU."
        )
    fitted._validate_params()
    if fitted.racing is True:
        raise ValueError(
            f"{_WHO} tries every candidate on all rows. Got racing=True; leave it out, or call fit."
        )
    given = X
    X, y = check_classes_on(fitted, X, y)
    if sample_weight is not None:
        sample_weight = check_weights(X, sample_weight, type(fitted).__name__)
    for_splits, for_scores = fitted._route(sample_weight, groups, {})
    training = _prepare(fitted, SearchData(X, y, sample_weight), 1)
    splits = classification_splits(fitted.cv, given, y, **for_splits)
    splits = splits_that_count(splits, sample_weight, type(fitted).__name__)
    gammas = fitted._grid(training).gammas
    # Folds may come from an iterator, which no pickle takes; workers get theirs as rows.
    asked = clone(search).set_params(cv=None)
    with _large_graphs(), DaskWorkers(client_of(client, _WHO), _WHO) as workers:
        data = workers.hold(SearchData(X, y, sample_weight, for_scores))
        parts = _parts(gammas.size, len(splits), workers.n_workers)
        answers = workers.gather(
            [
                workers.submit(
                    tune, asked, data, gammas[some], [splits[f] for f in folds], has_threads=True
                )
                for some, folds in parts
            ]
        )
        scores, n_support = _joined(parts, answers, gammas.size, len(splits))
        n_rows = int(np.count_nonzero(training.row_weights > 0))
        found = CandidateScores.of_one_round(scores, n_support, n_rows)
        fitted._report(fitted._grid(training), found)
        (answer,) = workers.gather(
            [workers.submit(refit, asked, data, fitted._best(splits), has_threads=True)]
        )
    best, caught = answer
    for category, message in caught:
        warnings.warn(message, category, stacklevel=2)
    fitted.best_estimator_ = best
    fitted.classes_ = training.classes
    fitted.n_iter_ = best.n_iter_
    return fitted


_Part = tuple[list[int], list[int]]


def _parts(n_gammas: int, n_splits: int, n_workers: int) -> list[_Part]:
    """Return gammas and folds for each call: as many calls as workers, where that can be.

    Neighbours on the grid cost about the same, so they go to different workers.
    """
    n_groups = min(n_gammas, n_workers)
    n_fold_groups = min(n_splits, -(-n_workers // n_groups)) if n_groups < n_workers else 1
    return [
        (list(range(g, n_gammas, n_groups)), list(range(f, n_splits, n_fold_groups)))
        for g in range(n_groups)
        for f in range(n_fold_groups)
    ]


def _joined(
    parts: Sequence[_Part],
    answers: Sequence[tuple[DoubleArray, DoubleArray]],
    n_gammas: int,
    n_splits: int,
) -> tuple[DoubleArray, DoubleArray]:
    """Put the answers of all calls where one call would have them."""
    _, n_margins, n_Cs, _ = answers[0][0].shape
    scores, n_support = (np.empty((n_gammas, n_margins, n_Cs, n_splits)) for _ in range(2))
    for (gammas, folds), (some, sizes) in zip(parts, answers, strict=True):
        for at, g in enumerate(gammas):
            scores[g][:, :, folds] = some[at]
            n_support[g][:, :, folds] = sizes[at]
    return scores, n_support


# On a worker --------------------------------------------------------------------------------


def _prepare(search: OLLAWVClassifierCV, data: SearchData, n_threads: int) -> Training:
    return prepare_training(
        data.X,
        data.y,
        data.sample_weight,
        who=type(search).__name__,
        kernel=search.kernel,
        class_weight=search.class_weight,
        multi_class=search.multi_class,
        n_threads=n_threads,
    )


def tune(
    search: OLLAWVClassifierCV,
    data: SearchData,
    gammas: DoubleArray,
    splits: Sequence[Split],
    *,
    n_threads: int = 1,
) -> tuple[DoubleArray, DoubleArray]:
    """Return the scores of some gammas on some folds, for all margins and Cs."""
    training = _prepare(search, data, n_threads)
    grid = replace(search._grid(training), gammas=gammas)
    return score_candidates(search, training, data, splits, grid, n_threads=n_threads)


def refit(
    search: OLLAWVClassifierCV, data: SearchData, best: dict[str, Any], *, n_threads: int = 1
) -> tuple[OLLAWVClassifier, list[tuple[type[Warning], str]]]:
    """Return the best model, fitted to all rows, and what its fit warned of."""
    training = _prepare(search, data, n_threads)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = fit_best(search, training, data, best, n_jobs=n_threads)
    return model, [(one.category, str(one.message)) for one in caught]
