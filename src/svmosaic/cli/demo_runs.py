"""What the demo measures: OLLAWV and scikit-learn's SVC on the same data, in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy.stats import multivariate_normal
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from svmosaic.classification.ollawv import OLLAWVClassifier
from svmosaic.classification.ollawv_cv import OLLAWVClassifierCV
from svmosaic.datasets import load
from svmosaic.reports import Table
from svmosaic.reports.run_records import Run

__all__ = [
    "GAUSSIAN_C",
    "GAUSSIAN_GAMMA",
    "Problem",
    "Scale",
    "accuracies_by_C",
    "bayes_decision",
    "compare",
    "compare_tuned",
    "draw_gaussians",
    "load_problems",
]

DoubleArray = NDArray[np.float64]

_SEED = 0
_TEST_SHARE = 0.3
# scikit-learn's default, not a value picked by looking at results.
_C = 1.0
_SVC, _SVC_TUNED = "SVC", "SVC tuned"

# A time below this is measured again, and the best counts: a short one is mostly noise.
_SHORT_SECONDS = 0.3
_MOST_REPEATS = 5


@dataclass(frozen=True)
class Scale:
    """How much the demo does.

    Attributes
    ----------
    bundled : dict of str to str
        Data sets to compare on: the name to show, and that of the registry.
    n_generated : int
        Rows of the generated data set.
    gammas : tuple of float
        Values of gamma to tune over, as multiples of 1 / (n_features * X.var()).
    Cs : tuple of float
        Values of C to tune over.
    n_folds : int
        Folds of the tuning.
    n_gaussian : tuple of int
        Samples of the two figures of normally distributed data.
    """

    bundled: dict[str, str]
    n_generated: int
    gammas: tuple[float, ...]
    Cs: tuple[float, ...]
    n_folds: int
    n_gaussian: tuple[int, int]


@dataclass(frozen=True)
class Problem:
    """A data set, split and scaled by its training part; `gamma` is that of ``"scale"``."""

    name: str
    X_train: DoubleArray
    X_test: DoubleArray
    y_train: Any
    y_test: Any
    gamma: float
    tuned: bool


# The data -----------------------------------------------------------------------------------


def load_problems(scale: Scale) -> Iterator[Problem]:
    """Yield the bundled data sets, then the generated one, which is too large to tune SVC on."""
    for shown, name in scale.bundled.items():
        data = load(name)
        yield _prepare(shown, data.X, data.y, tuned=True)
    X, y = make_classification(
        scale.n_generated,
        n_features=20,
        n_informative=10,
        n_clusters_per_class=4,
        random_state=_SEED,
    )
    yield _prepare("generated", X, y, tuned=False)


def _prepare(name: str, X: Any, y: Any, *, tuned: bool) -> Problem:
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=_TEST_SHARE, stratify=y, random_state=_SEED
    )
    scaler = MinMaxScaler().fit(X_train)
    X_train = scaler.transform(X_train)
    gamma = 1.0 / float(X_train.shape[1] * X_train.var())
    return Problem(name, X_train, scaler.transform(X_test), y_train, y_test, gamma, tuned)


# The runs -----------------------------------------------------------------------------------


def compare(problem: Problem) -> tuple[list[Run], OLLAWVClassifier]:
    """Train all models with the same gamma and C; also return the plain one."""
    common: dict[str, Any] = {"gamma": problem.gamma, "C": _C}
    plain = OLLAWVClassifier(refine=None, n_jobs=-1, **common)
    runs = [
        _measure(problem, "OLLAWV", plain, _SVC),
        _measure(
            problem, "OLLAWV full", OLLAWVClassifier(refine="full", n_jobs=-1, **common), _SVC
        ),
        _measure(problem, _SVC, SVC(**common), _SVC),
    ]
    return runs, plain


def accuracies_by_C(problem: Problem, Cs: Sequence[float]) -> Table:
    """Return the accuracies of the refined models and of SVC for several values of C."""

    def accuracy(model: Any) -> str:
        model.fit(problem.X_train, problem.y_train)
        return f"{float(np.mean(model.predict(problem.X_test) == problem.y_test)):.4f}"

    rows = []
    for C in Cs:
        common: dict[str, Any] = {"gamma": problem.gamma, "C": C}
        ours = {"n_jobs": -1, **common}
        rows.append(
            (
                problem.name,
                f"{C:g}",
                accuracy(OLLAWVClassifier(refine=None, **ours)),
                accuracy(OLLAWVClassifier(refine=None, margin=1.0, max_iter=1.0, **ours)),
                accuracy(OLLAWVClassifier(refine="full", **ours)),
                accuracy(SVC(**common)),
            )
        )
    header = ("data", "C", "plain, margin 0.1", "plain, margin 1", "full", "SVC")
    return Table(header, rows, align="lrrrrr")


def compare_tuned(problem: Problem, scale: Scale) -> list[Run]:
    """Tune both libraries over the same grid and folds; the time is that of the whole search."""
    gammas = [problem.gamma * factor for factor in scale.gammas]
    folds = StratifiedKFold(scale.n_folds, shuffle=True, random_state=0)
    ours = OLLAWVClassifierCV(gammas=gammas, Cs=scale.Cs, cv=folds, n_jobs=-1)
    theirs = GridSearchCV(SVC(), {"gamma": gammas, "C": list(scale.Cs)}, cv=folds, n_jobs=-1)
    # SVC lets other threads run while it works, so threads serve the search best.
    with joblib.parallel_config(backend="threading"):
        return [
            _measure(problem, "OLLAWV tuned", ours, _SVC_TUNED),
            _measure(problem, _SVC_TUNED, theirs, _SVC_TUNED),
        ]


def _measure(problem: Problem, method: str, model: Any, reference: str) -> Run:
    fit_seconds = _best_seconds(lambda: model.fit(problem.X_train, problem.y_train))
    predict_seconds = _best_seconds(lambda: model.predict(problem.X_test))
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


def _best_seconds(work: Callable[[], object]) -> float:
    best, spent = float("inf"), 0.0
    for _ in range(_MOST_REPEATS):
        begin = time.perf_counter()
        work()
        seconds = time.perf_counter() - begin
        best, spent = min(best, seconds), spent + seconds
        if spent >= _SHORT_SECONDS:
            break
    return best


# Two normal distributions -------------------------------------------------------------------

GAUSSIAN_GAMMA = 0.25
GAUSSIAN_C = 1.0

_CLASSES = (
    multivariate_normal([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]]),
    multivariate_normal([2.0, 2.0], [[2.5, -0.8], [-0.8, 0.9]]),
)


def draw_gaussians(n_samples: int) -> tuple[DoubleArray, NDArray[np.int64]]:
    """Return samples of two normal classes of equal share with different covariances."""
    rng = np.random.default_rng(3)
    half = n_samples // 2
    X = np.vstack([density.rvs(half, random_state=rng) for density in _CLASSES])
    return X, np.repeat(np.arange(2), half)


def bayes_decision(points: DoubleArray) -> DoubleArray:
    """Return the logarithm of the ratio of the true densities, positive for class 1."""
    return np.asarray(_CLASSES[1].logpdf(points) - _CLASSES[0].logpdf(points))
