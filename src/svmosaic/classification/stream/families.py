"""The families of models that a stream learner chooses from.

``plain`` is OLLAWV as published, ``refined`` the exact L1-SVM that it starts, both with the rbf
kernel; ``landmark`` is the L2-SVM in the span of a few samples, with the same kernel; ``linear`` is
the L2-SVM in the primal. Each knows how to choose its parameters by cross-validation and how to
train.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Literal

import numpy as np

from svmosaic.classification.multiclass import gather
from svmosaic.classification.stream.chunk_scaling import FloatTable, Scaler
from svmosaic.classification.stream.landmarks import choose_landmarks, fit_pairs
from svmosaic.classification.stream.linear_svm import fit_hyperplane, fit_scores
from svmosaic.classification.stream.stream_models import (
    Constant,
    Linear,
    ScaledExpansion,
    StreamModel,
)
from svmosaic.engine import cpu
from svmosaic.engine.class_pairs import split
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
# Landmarks while parameters are chosen, the most samples that they are fitted to, and the least
# share of the newest samples that test them: a test costs less than a fit.
_LANDMARKS_TRIED = 128
_MOST_TRIED = 1600
_TESTED_SHARE = 5
# With more classes than this the hyperplanes of all pairs come from one solve.
_MOST_BY_PAIRS = 8


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
    n_classes = int(labels.max()) + 1
    wrong = np.zeros(len(grid.Cs))
    for training, test in splits:
        start: dict[tuple[int, int], DoubleArray] = {}
        # From small C to large, each from the one before.
        for number in np.argsort(grid.Cs):
            start = _hyperplanes(Z[training], labels[training], grid.Cs[number], start)
            guess = _vote(Z[test], start, n_classes)
            wrong[number] += np.count_nonzero(guess != labels[test])
    best = int(wrong.argmin())
    return Choice(C=grid.Cs[best]), float(wrong[best] / sum(test.size for _, test in splits))


def _vote(Z: FloatTable, planes: dict[tuple[int, int], DoubleArray], n_classes: int) -> IndexArray:
    """Return the predicted labels; a pair without samples has no say."""
    votes = np.zeros((Z.shape[0], n_classes))
    for (i, j), weights in planes.items():
        second = Z @ weights[:-1] + weights[-1] > 0.0
        votes[:, j] += second
        votes[:, i] += ~second
    guess: IndexArray = votes.argmax(axis=1)
    return guess


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
    # With two classes a positive decision means the second, with more the first of the pair.
    sign = 1.0 if known.size == 2 else -1.0
    start = {}
    if isinstance(before, Linear) and np.array_equal(before.classes, known):
        pairs = combinations(range(known.size), 2)
        start = dict(zip(pairs, sign * before.weights.T, strict=True))
    planes = _hyperplanes(Z, labels, choice.C, start)
    return Linear(known, scaler, sign * np.column_stack(list(planes.values())))


def _hyperplanes(
    Z: FloatTable,
    labels: IndexArray,
    C: float,
    start: dict[tuple[int, int], DoubleArray],
) -> dict[tuple[int, int], DoubleArray]:
    """Return weights of each pair of labels that has samples, positive for the second."""
    known = np.flatnonzero(np.bincount(labels)).tolist()
    if len(known) > _MOST_BY_PAIRS:
        return fit_scores(Z, labels, C)
    X = np.ones((Z.shape[0], Z.shape[1] + 1))
    X[:, :-1] = Z
    planes = {}
    for i, j in combinations(known, 2):
        rows = slice(None) if len(known) == 2 else np.flatnonzero((labels == i) | (labels == j))
        targets = np.where(labels[rows] == j, 1.0, -1.0)
        begin = start.get((i, j), np.zeros(X.shape[1]))
        planes[i, j] = fit_hyperplane(X[rows], targets, C, begin)
    return planes


# Landmarks ----------------------------------------------------------------------------------


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

    def try_Cs(gamma: float) -> list[tuple[float, Choice]]:
        K = _kernel(Z, Z[places], gamma, 1)
        trained, found = None, []
        for C in sorted(grid.Cs):
            weights = fit_pairs(K[:n_train], K[places], first, known.size, C, trained)
            decisions = K @ weights[:-1] + weights[-1]
            trained = decisions[:n_train]
            error = float(np.mean(_winners(decisions[n_train:], known.size) != last))
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
    sign, decisions = _signed(known.size), None
    if isinstance(before, ScaledExpansion) and np.array_equal(before.classes, known):
        decisions = sign * before.decide(X, n_threads)
    Z = scaler(X)
    places = choose_landmarks(codes.size, count)
    vectors = Z[places]
    K = _kernel(Z, vectors, choice.gamma, n_threads)
    weights = sign * fit_pairs(K, K[places], labels, known.size, choice.C, decisions, n_threads)
    m, n_pairs = len(vectors), weights.shape[1]
    coefficients = Coefficients(
        np.arange(0, (m + 1) * n_pairs, n_pairs, dtype=np.int64),
        np.tile(np.arange(n_pairs, dtype=np.int64), m),
        np.ascontiguousarray(weights[:-1]).ravel(),
        n_pairs,
    )
    kernel = KernelSpec("rbf", choice.gamma)
    expansion = KernelExpansion(kernel, vectors, coefficients, weights[-1].copy())
    return ScaledExpansion(known, scaler, codes[places], expansion)


def _kernel(Z: FloatTable, vectors: FloatTable, gamma: float, n_threads: int) -> DoubleArray:
    kernel = KernelSpec("rbf", gamma)
    return cpu.kernel_matrix(DenseRows(Z), DenseRows(vectors), kernel, n_threads=n_threads)


def _signed(n_classes: int) -> float:
    """Return 1 where a positive decision means the second class of a pair, else -1."""
    return 1.0 if n_classes == 2 else -1.0


def _winners(decisions: DoubleArray, n_classes: int) -> IndexArray:
    """Return the labels with most votes; decisions are positive for the second of a pair."""
    votes = np.zeros((len(decisions), n_classes))
    for number, (i, j) in enumerate(combinations(range(n_classes), 2)):
        second = decisions[:, number] > 0.0
        votes[:, j] += second
        votes[:, i] += ~second
    guess: IndexArray = votes.argmax(axis=1)
    return guess
