"""Chapter two: svmosaic beside scikit-learn's SVC on small data sets, with and without tuning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from svmosaic.classification.ollawv import OLLAWVClassifier
from svmosaic.classification.ollawv_cv import OLLAWVClassifierCV
from svmosaic.datasets import load
from svmosaic.demo.boundary import draw_boundary
from svmosaic.demo.chapter import Chapter, best_seconds
from svmosaic.demo.scale import Scale
from svmosaic.reports import Section
from svmosaic.reports.run_records import Run, comparison_table, find_run
from svmosaic.utils.threads import available_threads
from svmosaic.utils.wording import plural

__all__ = ["compare_with_svc", "show_comparison"]

DoubleArray = NDArray[np.float64]

_SEED = 0
_TEST_SHARE = 0.3
# scikit-learn's default, not a value picked by looking at results.
_C = 1.0
_SVC, _SVC_TUNED = "SVC", "SVC tuned"
_OURS, _OURS_TUNED = "svmosaic", "svmosaic tuned"

_TEXT = """\
Both use the rbf kernel, C = 1 (SVC's default) and gamma = 1 / (n_features * variance). svmosaic \
solves the same problem as SVC, so accuracy and support vectors agree. "tuned" searches the same \
gammas, Cs and folds in both libraries; its fit time is that of the whole search. From 1000 rows \
on svmosaic tries all candidates on part of the rows only, and the best ones on all.

70 % of the rows are for training and 30 % for testing; min-max scaling is fitted to the training \
rows. Times below 0.3 s are the best of several measurements. "x SVC" is the speed-up over SVC on \
the same data in this run: above 1 means faster."""


@dataclass(frozen=True)
class _Problem:
    """A data set, split and scaled by its training part; `gamma` is that of ``"scale"``."""

    name: str
    X_train: DoubleArray
    X_test: DoubleArray
    y_train: Any
    y_test: Any
    gamma: float


def show_comparison(scale: Scale, runs: list[Run]) -> Chapter:
    """Return the chapter of finished runs."""
    threads = plural(available_threads(), "thread")
    caption = f"svmosaic with {threads}; SVC itself uses one thread, its tuning {threads}."
    name = list(scale.compared)[-1]
    ours, theirs = find_run(runs, name, _OURS_TUNED), find_run(runs, name, _SVC_TUNED)
    factor = f"{theirs.fit_seconds / ours.fit_seconds:.0f} times"
    sentence = (
        f"Tuning on {name}: {ours.fit_seconds:.2f} s against {theirs.fit_seconds:.2f} s with "
        f"GridSearchCV(SVC) ({factor} as fast), test accuracy {ours.accuracy:.3f} and "
        f"{theirs.accuracy:.3f}."
    )
    section = Section(
        "Compared with scikit-learn's SVC",
        _TEXT,
        [comparison_table(runs, caption)],
        [draw_boundary(scale.n_gaussian)],
    )
    return Chapter((f"as fast as a grid search with SVC on {name}", factor), sentence, section)


def compare_with_svc(scale: Scale) -> list[Run]:
    """Train both libraries on every data set, with default parameters and tuned."""
    runs: list[Run] = []
    for shown, name in scale.compared.items():
        problem = _prepare(shown, name)
        common: dict[str, Any] = {"gamma": problem.gamma, "C": _C}
        runs += [
            _measure(problem, _OURS, OLLAWVClassifier(n_jobs=-1, **common), _SVC),
            _measure(problem, _SVC, SVC(**common), _SVC),
            *_compare_tuned(problem, scale),
        ]
    return runs


def _prepare(shown: str, name: str) -> _Problem:
    data = load(name, dense=True)
    X_train, X_test, y_train, y_test = train_test_split(
        data.X, data.y, test_size=_TEST_SHARE, stratify=data.y, random_state=_SEED
    )
    scaler = MinMaxScaler().fit(X_train)
    X_train = scaler.transform(X_train)
    gamma = 1.0 / float(X_train.shape[1] * X_train.var())
    return _Problem(shown, X_train, scaler.transform(X_test), y_train, y_test, gamma)


def _compare_tuned(problem: _Problem, scale: Scale) -> list[Run]:
    """Tune both libraries over the same grid and folds; the time is that of the whole search."""
    gammas = [problem.gamma * factor for factor in scale.gammas]
    folds = StratifiedKFold(scale.n_folds, shuffle=True, random_state=0)
    ours = OLLAWVClassifierCV(gammas=gammas, Cs=scale.Cs, cv=folds, n_jobs=-1)
    theirs = GridSearchCV(SVC(), {"gamma": gammas, "C": list(scale.Cs)}, cv=folds, n_jobs=-1)
    # SVC lets other threads run while it works, so threads serve the search best.
    with joblib.parallel_config(backend="threading"):
        return [
            _measure(problem, _OURS_TUNED, ours, _SVC_TUNED),
            _measure(problem, _SVC_TUNED, theirs, _SVC_TUNED),
        ]


def _measure(problem: _Problem, method: str, model: Any, reference: str) -> Run:
    fit_seconds = best_seconds(lambda: model.fit(problem.X_train, problem.y_train))
    predict_seconds = best_seconds(lambda: model.predict(problem.X_test))
    best = getattr(model, "best_estimator_", model)
    return Run(
        data=problem.name,
        method=method,
        accuracy=float(np.mean(model.predict(problem.X_test) == problem.y_test)),
        n_support=int(best.n_support_.sum()),
        fit_seconds=fit_seconds,
        predict_seconds=predict_seconds,
        reference=reference,
    )
