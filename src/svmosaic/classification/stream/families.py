"""The families of models that a stream learner chooses from.

``plain`` is OLLAWV as published, ``refined`` the exact L1-SVM that it starts, both with the rbf
kernel; ``landmark`` is the L2-SVM in the span of a few samples, with the same kernel; ``linear`` is
the L2-SVM in the primal. Each knows how to choose its parameters by cross-validation and how to
train.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeGuard, TypeVar

import numpy as np

from svmosaic.classification.multiclass import gather
from svmosaic.classification.stream.chunk_scaling import FloatTable, Scaler
from svmosaic.classification.stream.primal_svm import Precision, fit_planes, norm_of_landmarks
from svmosaic.classification.stream.stream_models import (
    Constant,
    Linear,
    ScaledExpansion,
    StreamModel,
)
from svmosaic.engine import cpu
from svmosaic.engine.class_pairs import MultiClass, choose_classes, split
from svmosaic.engine.expansion import KernelExpansion
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import Coefficients, DenseRows, DoubleArray, FloatArray, IndexArray
from svmosaic.engine.protocol import solve
from svmosaic.engine.settings import OllawvSettings, RefineSettings
from svmosaic.engine.tasks import TuneSettings
from svmosaic.utils.side_by_side import call_side_by_side

__all__ = [
    "FAMILIES",
    "Choice",
    "Family",
    "Grid",
    "blocked_folds",
    "choose_landmarks",
    "interleaved_folds",
    "relabel",
    "train",
    "train_landmarks",
    "tune",
    "tune_landmarks",
]

Family = Literal["plain", "refined", "linear", "landmark"]
FAMILIES: tuple[Family, ...] = ("plain", "refined", "linear", "landmark")

# Where streams are noisy, more accuracy of the dual is time without gain.
_TOL = 0.1
# Updates of the exact solver per sample. Where two concepts are mixed, a large C takes for ever and
# gives a model that predicts nothing; cut short, it loses against the others in time.
_UPDATES = 10
# With more classes than this there are too many pairs for a model each, and each class has a score
# instead. Least squares separate few classes by planes worse than by kernel functions.
_MOST_BY_PAIRS: dict[Family, int] = {"linear": 8, "landmark": 3}
# Landmarks while parameters are chosen, the most samples that they are fitted to, and the least
# share of the newest samples that test them: a test costs less than a fit.
_LANDMARKS_TRIED = 128
_MOST_TRIED = 1600
_TESTED_SHARE = 5
# Newton's steps double the digits, so that a small gain means the end is reached.
_HYPERPLANES = Precision(gain=1e-3, max_steps=20)
# Models of landmarks are compared by errors, of which more digits would change none.
_LANDMARKS = Precision(gain=3e-2, max_steps=8)


@dataclass(frozen=True)
class Choice:
    """Parameters of a model; `margin` matters to plain models, `C` to the others."""

    gamma: float = 1.0
    margin: float = 0.1
    C: float = 1.0


@dataclass(frozen=True)
class Grid:
    """Parameters to try; gammas are those of the scaled samples."""

    gammas: tuple[float, ...]
    margins: tuple[float, ...]
    Cs: tuple[float, ...]

    @staticmethod
    def of_one(choice: Choice) -> Grid:
        """Return the grid that has nothing but one choice."""
        return Grid((choice.gamma,), (choice.margin,), (choice.C,))


def relabel(codes: IndexArray) -> tuple[IndexArray, IndexArray]:
    """Return the codes that occur, ascending, and the place of each one among them.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.classification.stream.families import relabel
    >>> [part.tolist() for part in relabel(np.array([4, 1, 4]))]
    [[1, 4], [1, 0, 1]]
    """
    # Codes are small: counting them takes a tenth of the time of sorting them.
    occurs = np.bincount(codes) > 0
    known = np.flatnonzero(occurs)
    if known.size == occurs.size:
        return known, codes
    places = np.cumsum(occurs) - 1
    return known, places[codes]


# Tuning -------------------------------------------------------------------------------------


def interleaved_folds(codes: IndexArray, n_folds: int) -> IndexArray:
    """Return the fold of each row: the rows of a class are dealt out in turn."""
    order = np.argsort(codes, kind="stable")
    folds = np.empty(codes.size, dtype=np.int64)
    folds[order] = np.arange(codes.size) % n_folds
    return folds


def blocked_folds(codes: IndexArray, n_folds: int) -> IndexArray:
    """Return the fold of each row: the rows of a class are cut into blocks of equal length."""
    folds = np.empty(codes.size, dtype=np.int64)
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        folds[rows] = np.arange(rows.size) * n_folds // rows.size
    return folds


def tune(
    family: Family,
    Z: FloatTable,
    codes: IndexArray,
    grid: Grid,
    folds: IndexArray,
    n_threads: int,
    first_tested: int = 0,
) -> tuple[Choice, float]:
    """Return the best parameters for scaled samples, and their error by cross-validation.

    Only samples from `first_tested` on are predicted; all take their turn in training.

    Equal errors go to fewer support vectors; a larger C must be better by more than noise.
    """
    known, labels = relabel(codes)
    if known.size == 1:
        return Choice(grid.gammas[0], grid.margins[0], grid.Cs[0]), 0.0
    is_tested = np.arange(codes.size) >= first_tested
    splits = [
        (np.flatnonzero(folds != f), np.flatnonzero((folds == f) & is_tested))
        for f in np.unique(folds)
    ]
    # A fold without samples to test, or with one class to train on, says nothing.
    splits = [(a, b) for a, b in splits if b.size and np.unique(labels[a]).size > 1]
    n_tested = sum(test.size for _, test in splits)
    if n_tested == 0:
        return Choice(grid.gammas[0], grid.margins[0], grid.Cs[0]), 1.0
    if family == "linear":
        return _tune_linear(Z, labels, grid, splits)
    plain = family == "plain"
    settings = TuneSettings(
        np.array(grid.gammas),
        # The exact model does not depend on the margin, the plain one not on C.
        np.array(grid.margins if plain else grid.margins[:1]),
        np.ones(1) if plain else np.array(grid.Cs),
        "ovo",
        OllawvSettings(refine=_refinement(family, 1.0, codes.size)),
    )
    confusion, n_support = cpu.tune_ollawv(
        DenseRows(Z),
        KernelSpec("rbf"),
        labels.astype(np.int64),
        np.ones(codes.size),
        splits,
        settings,
        n_threads=n_threads,
    )
    right = np.trace(confusion.sum(axis=3), axis1=3, axis2=4)
    errors = 1.0 - right / n_tested
    best = _cheapest(errors, n_support.mean(axis=3), 0 if plain else n_tested)
    g, m, c = np.unravel_index(best, errors.shape)
    choice = Choice(grid.gammas[g], grid.margins[m], grid.Cs[0] if plain else grid.Cs[c])
    return choice, float(errors.flat[best])


def _cheapest(errors: DoubleArray, n_support: DoubleArray, n_samples: int) -> int:
    """Return the place of the smallest C, then fewest support vectors, among the best candidates.

    A large C can take ten times as long on noisy labels, so it has to be better by a fifth of the
    errors' standard deviation at least. With ``n_samples=0``, errors are taken as exact.
    """
    least = float(errors.min())
    noise = np.sqrt(least * (1.0 - least) / n_samples) if n_samples else 0.0
    good = errors <= least + 0.2 * noise + 1e-12
    C_places = np.broadcast_to(np.arange(errors.shape[2]), errors.shape)
    keys = (errors.ravel(), n_support.ravel(), C_places.ravel(), ~good.ravel())
    return int(np.lexsort(keys)[0])


def _tune_linear(
    Z: FloatTable, labels: IndexArray, grid: Grid, splits: list[tuple[IndexArray, IndexArray]]
) -> tuple[Choice, float]:
    wrong = np.zeros(len(grid.Cs))
    for training, test in splits:
        # A class without samples is never predicted.
        known = np.flatnonzero(np.bincount(labels[training]))
        multi_class, planes = _planes_of("linear", known.size), None
        # From small C to large, each from the one before.
        for number in np.argsort(grid.Cs):
            planes = fit_planes(
                *(Z[training], labels[training], grid.Cs[number], _HYPERPLANES, multi_class),
                start=planes,
            )
            decisions = cpu.decide_linear(DenseRows(Z[test]), planes)
            guess = known[choose_classes(decisions, known.size, multi_class)]
            wrong[number] += np.count_nonzero(guess != labels[test])
    best = int(wrong.argmin())
    return Choice(C=grid.Cs[best]), float(wrong[best] / sum(test.size for _, test in splits))


# Training -----------------------------------------------------------------------------------


def train(
    family: Family,
    X: FloatArray,
    codes: IndexArray,
    scaler: Scaler,
    choice: Choice,
    n_threads: int,
    before: StreamModel | None = None,
) -> StreamModel:
    """Return a model for samples; a linear one starts from `before`, if that is linear too."""
    known, labels = relabel(codes)
    if known.size == 1:
        return Constant(known)
    Z = scaler(X)
    if family == "linear":
        return _train_linear(Z, labels, known, scaler, choice, before)
    rows = DenseRows(Z)
    kernel = KernelSpec("rbf", choice.gamma)
    samples, weights = cpu.distinct_rows(rows, labels.astype(np.int64), np.ones(codes.size))
    problems = split(samples, labels[samples], weights, known.size, "ovo")
    refine = _refinement(family, choice.C, codes.size)
    settings = OllawvSettings(margin=choice.margin, refine=refine)
    solutions = solve(rows, kernel, problems, settings, n_threads=n_threads)
    found = gather(solutions, labels, known.size)
    expansion = KernelExpansion(kernel, Z[found.support], found.coefficients, found.intercepts)
    return ScaledExpansion(known, scaler, codes[found.support], expansion)


def _refinement(family: Family, C: float, n_samples: int) -> RefineSettings:
    if family == "plain":
        return RefineSettings(refinement="none")
    return RefineSettings(refinement="full", C=C, tol=_TOL, max_iter=_UPDATES * n_samples)


def _train_linear(
    Z: FloatTable,
    labels: IndexArray,
    known: IndexArray,
    scaler: Scaler,
    choice: Choice,
    before: StreamModel | None,
) -> StreamModel:
    multi_class, start = _planes_of("linear", known.size), None
    if _continues(before, Linear, known, multi_class):
        start = np.ascontiguousarray(before.weights.T)
    planes = fit_planes(Z, labels, choice.C, _HYPERPLANES, multi_class, start=start)
    return Linear(known, scaler, planes.T.copy())


# Models with planes -------------------------------------------------------------------------

_Model = TypeVar("_Model", Linear, ScaledExpansion)


def _planes_of(family: Family, n_classes: int) -> MultiClass:
    """Return whether the planes of a family are between pairs of classes, or scores of each."""
    return "ovo" if n_classes <= _MOST_BY_PAIRS[family] else "ovr"


def _continues(
    before: StreamModel | None, kind: type[_Model], known: IndexArray, multi_class: MultiClass
) -> TypeGuard[_Model]:
    """Whether training can start from a model: it has planes between the same pairs of classes."""
    return (
        isinstance(before, kind)
        and np.array_equal(before.classes, known)
        and before.multi_class == multi_class == "ovo"
    )


# Landmarks ----------------------------------------------------------------------------------


def choose_landmarks(n_samples: int, count: int) -> IndexArray:
    """Return places that are spread evenly over the window, at most `count`.

    Examples
    --------
    >>> from svmosaic.classification.stream.families import choose_landmarks
    >>> choose_landmarks(10, 4).tolist()
    [0, 3, 6, 9]
    """
    return np.unique(np.linspace(0, n_samples - 1, min(count, n_samples)).round().astype(np.int64))


def tune_landmarks(
    Z: FloatTable, codes: IndexArray, grid: Grid, n_threads: int
) -> tuple[Choice, float]:
    """Return the best parameters for scaled samples in their order, and their error.

    The older samples train and the newest are predicted, as a stream asks for.
    """
    known, labels = relabel(codes)
    n_train = min(codes.size - codes.size // _TESTED_SHARE, _MOST_TRIED)
    first, last = labels[:n_train], labels[n_train:]
    if known.size == 1 or np.unique(first).size < known.size or last.size == 0:
        return Choice(grid.gammas[0], grid.margins[0], grid.Cs[0]), 1.0
    places = choose_landmarks(n_train, _LANDMARKS_TRIED)
    multi_class = _planes_of("landmark", known.size)

    def try_Cs(gamma: float) -> list[tuple[float, Choice]]:
        K = _kernel(Z, Z[places], gamma, 1)
        norm = norm_of_landmarks(K[places])
        trained, found = None, []
        for C in sorted(grid.Cs):
            planes = fit_planes(
                K[:n_train], first, C, _LANDMARKS, multi_class, norm=norm, decisions=trained
            )
            decisions = cpu.decide_linear(DenseRows(K), planes)
            trained = decisions[:n_train]
            guess = choose_classes(decisions[n_train:], known.size, multi_class)
            error = float(np.mean(guess != last))
            found.append((error, Choice(gamma, grid.margins[0], C)))
        return found

    by_gamma = call_side_by_side([partial(try_Cs, gamma) for gamma in grid.gammas], n_threads)
    # Of equals the first.
    least, best = min((pair for pairs in by_gamma for pair in pairs), key=lambda pair: pair[0])
    return best, least


def train_landmarks(
    X: FloatArray,
    codes: IndexArray,
    choice: Choice,
    count: int,
    scaler: Scaler,
    n_threads: int,
    before: StreamModel | None = None,
) -> StreamModel:
    """Return a model of at most `count` landmarks.

    If `before` has the same classes, training starts from the samples inside its margin.
    """
    known, labels = relabel(codes)
    if known.size == 1:
        return Constant(known)
    multi_class, decisions = _planes_of("landmark", known.size), None
    if _continues(before, ScaledExpansion, known, multi_class):
        decisions = before.decide(X, n_threads)
    Z = scaler(X)
    places = choose_landmarks(codes.size, count)
    vectors = Z[places]
    K = _kernel(Z, vectors, choice.gamma, n_threads)
    planes = fit_planes(
        K,
        labels,
        choice.C,
        _LANDMARKS,
        multi_class,
        norm=norm_of_landmarks(K[places]),
        decisions=decisions,
        n_threads=n_threads,
    )
    m, n_outputs = len(vectors), len(planes)
    coefficients = Coefficients(
        np.arange(0, (m + 1) * n_outputs, n_outputs, dtype=np.int64),
        np.tile(np.arange(n_outputs, dtype=np.int64), m),
        np.ascontiguousarray(planes[:, :-1].T).ravel(),
        n_outputs,
    )
    kernel = KernelSpec("rbf", choice.gamma)
    expansion = KernelExpansion(kernel, vectors, coefficients, planes[:, -1].copy())
    return ScaledExpansion(known, scaler, codes[places], expansion)


def _kernel(Z: FloatTable, vectors: FloatTable, gamma: float, n_threads: int) -> FloatArray:
    kernel = KernelSpec("rbf", gamma)
    return cpu.narrow_kernel_matrix(DenseRows(Z), DenseRows(vectors), kernel, n_threads=n_threads)
