"""Widths of the rbf kernel from boundary points: the norm's peak, and their radii."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from svmosaic.boundary.cbp_problem import CbpProblem, CbpSolution, WidthTooSmallError
from svmosaic.boundary.points import (
    check_dense_classes,
    class_pairs,
    pair_midpoints,
    pairs_between,
)
from svmosaic.engine import cpu
from svmosaic.engine.problem import DenseRows, DoubleArray, FloatArray, IndexArray
from svmosaic.utils.progress import current_progress
from svmosaic.utils.threads import one_blas_thread, resolve_threads
from svmosaic.utils.user_warning import warn_user

__all__ = [
    "RIDGE",
    "CbpSettings",
    "FoundWidth",
    "WidthPath",
    "choose_peak",
    "default_sigmas",
    "descending_sigmas",
    "online_sigmas",
    "peak_of_samples",
    "peak_sigma",
    "radius_of_samples",
    "radius_sigma",
    "search_widths",
    "smooth",
    "solve_at",
    "warn_without_peak",
    "width_path",
]

# Relative to the mean diagonal of C C'.
RIDGE = 1e-6
# Samples, and for the search of a peak boundary points, of each pair of classes.
_MOST_SAMPLES = 1_000
_MOST_POINTS = 2_000
_N_SIGMAS = 15
# In root mean square distances of two samples; and the smallest, as a share of it.
_LARGEST = 8.0
_RANGE = 0.01
_SMOOTHING = 0.9
# Part of the radii below the one that is the width, and how many of it.
_QUANTILE = 0.25
_FACTOR = 3.0


@dataclass(frozen=True)
class WidthPath:
    """The terms of SVM-CBP for widths from large to small.

    Attributes
    ----------
    sigmas : ndarray
        The widths, descending.
    norms : ndarray
        |C'a| of the solution; with several pairs of classes, the root of the sum of squares. nan
        where the width is too small.
    smoothed : ndarray
        Each norm plus 0.9 of the one before it (Eq. 3.4).
    losses : ndarray
        Sum of the hinge losses.
    accuracies : ndarray
        Share of training samples, by weight and pair of classes, on the right side.
    sigma : float
        The width at the highest interior peak of the smoothed norm.
    is_peak : bool
        False if there is no interior peak; `sigma` then has the largest norm.
    """

    sigmas: DoubleArray
    norms: DoubleArray
    smoothed: DoubleArray
    losses: DoubleArray
    accuracies: DoubleArray
    sigma: float
    is_peak: bool


def _no_limit() -> float:
    return 0.0


@dataclass(frozen=True)
class CbpSettings:
    """How problems are solved.

    Attributes
    ----------
    ridge : float
        Relative to the mean diagonal of C C'.
    tol, max_iter
        Of the dual solver; 0 updates mean its own limit.
    seconds_left : callable
        Says how long the next problem may take, 0 for any time.
    progress : callable or None
        Where to report to.
    """

    ridge: float = RIDGE
    tol: float = 1e-3
    max_iter: int = 0
    seconds_left: Callable[[], float] = _no_limit
    progress: cpu.Progress | None = None


@dataclass(frozen=True)
class FoundWidth:
    """The path of widths of one lam, the solutions of the chosen one, and if time cut it short."""

    path: WidthPath
    solutions: list[CbpSolution]
    late: bool


def default_sigmas(X: FloatArray, weights: DoubleArray) -> DoubleArray:
    """Return 15 widths, from eight root mean square distances of two samples to a hundredth of it.

    On the sets of docs/boundary_points.md the norm has its peak inside this range, if it has one.
    """
    return np.asarray(
        _LARGEST * _distance(X, weights) * _RANGE ** (np.arange(_N_SIGMAS) / (_N_SIGMAS - 1))
    )


def online_sigmas(X: FloatArray, weights: DoubleArray) -> DoubleArray:
    """Return the 15 widths of Algorithm 3, with a root mean square distance in the place of 1."""
    return np.asarray(_distance(X, weights) * _RANGE ** (np.arange(_N_SIGMAS) / _N_SIGMAS))


def _distance(X: FloatArray, weights: DoubleArray) -> float:
    """Return the root mean square distance of two samples."""
    values = X.astype(np.float64)
    values -= weights @ values / weights.sum()
    with np.errstate(over="ignore"):
        variance = _mean_square(values, weights)
    if 0.0 < variance < np.inf:
        return float(np.sqrt(2.0 * variance))
    # Equal samples; or the squares of their differences leave the range of the numbers.
    largest = float(np.abs(values).max())
    if largest == 0.0:
        return 1.0
    return float(largest * np.sqrt(2.0 * _mean_square(values / largest, weights)))


def _mean_square(values: DoubleArray, weights: DoubleArray) -> float:
    return float(weights @ (values**2).sum(axis=1) / weights.sum())


def smooth(norms: DoubleArray, smoothing: float = _SMOOTHING) -> DoubleArray:
    """Return every norm plus a share of the one before it, Eq. 3.4.

    The first counts as its own predecessor: with none, the second would always look like a peak.
    """
    before = np.concatenate([norms[:1], norms[:-1]])
    return np.asarray(norms + smoothing * before)


def choose_peak(smoothed: DoubleArray, *, after: bool = False) -> tuple[int, bool]:
    """Return the number of the highest interior peak, or of the largest value, and which it is.

    With `after`, the next smaller width, as the text of the thesis advises. nan is no value.
    """
    values = np.where(np.isfinite(smoothed), smoothed, -np.inf)
    inner = values[1:-1]
    peaks = 1 + np.flatnonzero((inner > values[:-2]) & (inner >= values[2:]))
    if peaks.size == 0:
        return int(np.argmax(values)), False
    best = int(peaks[np.argmax(values[peaks])])
    follows = best + 1
    return (follows if after and np.isfinite(smoothed[follows]) else best), True


def solve_at(
    problems: Sequence[CbpProblem], sigma: float, lams: Sequence[float], settings: CbpSettings
) -> list[list[CbpSolution]]:
    """Return, for every lam, the solutions of all problems with one width."""
    solutions: list[list[CbpSolution]] = [[] for _ in lams]
    with one_blas_thread():
        for problem in problems:
            # Its matrices are as large as all the rest, so they are of one problem at a time.
            width = problem.at(sigma, ridge=settings.ridge)
            for found, lam in zip(solutions, lams, strict=True):
                solution = width.solve(
                    lam,
                    tol=settings.tol,
                    max_iter=settings.max_iter,
                    max_time=settings.seconds_left(),
                    progress=settings.progress,
                )
                found.append(solution)
    return solutions


def search_widths(
    problems: Sequence[CbpProblem],
    sigmas: DoubleArray,
    lams: Sequence[float],
    settings: CbpSettings,
    *,
    after: bool = False,
    who: str = "peak_sigma",
) -> list[FoundWidth]:
    """Return the width at the norm's peak for every lam.

    The distances serve all widths, and the matrices of a width all lams.
    """
    tried: list[list[list[CbpSolution]]] = []
    late = False
    for sigma in sigmas:
        try:
            solved = solve_at(problems, float(sigma), lams, settings)
        except WidthTooSmallError:
            # Smaller ones would be too small as well.
            break
        late = any(s.dual.status == "max_time" for found in solved for s in found)
        if late and tried:
            break
        tried.append(solved)
    if not tried:
        raise ValueError(
            f"{who} got no width that reaches a boundary point: the largest of {sigmas.size} is "
            f"{sigmas[0]:g}. Give larger sigmas."
        )
    return [
        _at_peak(problems, sigmas, [solved[i] for solved in tried], late, after)
        for i in range(len(lams))
    ]


def _at_peak(
    problems: Sequence[CbpProblem],
    sigmas: DoubleArray,
    tried: list[list[CbpSolution]],
    late: bool,
    after: bool,
) -> FoundWidth:
    """Return the path of one lam, by the solutions of the first widths, and what it chose."""
    norms, losses, accuracies = np.full((3, sigmas.size), np.nan)
    total = sum(float(problem.weights.sum()) for problem in problems)
    for s, solutions in enumerate(tried):
        norms[s] = np.sqrt(sum(solution.norm**2 for solution in solutions))
        losses[s] = sum(solution.loss for solution in solutions)
        right = sum(
            float(problem.weights @ (solution.decisions * problem.targets > 0))
            for problem, solution in zip(problems, solutions, strict=True)
        )
        accuracies[s] = right / total
    smoothed = smooth(norms)
    chosen, is_peak = choose_peak(smoothed, after=after)
    sigma = float(sigmas[chosen])
    path = WidthPath(sigmas, norms, smoothed, losses, accuracies, sigma, is_peak)
    return FoundWidth(path, tried[chosen], late)


def warn_without_peak(path: WidthPath, who: str) -> None:
    """Warn where the norm has no interior peak."""
    if not path.is_peak:
        warn_user(
            f"The norm of {who} has no peak between sigma={path.sigmas[0]:.3g} and "
            f"{path.sigmas[-1]:.3g}; it takes sigma={path.sigma:.3g}, where the norm is largest. "
            "Give a range of sigmas around the expected width, or a number.",
            ConvergenceWarning,
        )


def _draw_some(numbers: IndexArray, most: int, rng: np.random.Generator) -> IndexArray:
    """Return `most` of the numbers at random, in their order; all if they are fewer."""
    if numbers.size <= most:
        return numbers
    return np.sort(rng.choice(numbers, most, replace=False))


def _some_pairs(
    X: FloatArray, labels: IndexArray, most_samples: int, n_threads: int
) -> Iterator[tuple[IndexArray, IndexArray, IndexArray]]:
    """Yield rows of both classes and the pairs between them, for every pair of classes.

    Of a larger pair of classes, `most_samples` are drawn, from both classes in proportion.
    """
    rng = np.random.default_rng(0)
    for positive, negative in class_pairs(int(labels.max()) + 1):
        share = most_samples / max(most_samples, int(np.isin(labels, (positive, negative)).sum()))
        first, second = (
            _draw_some(of_class, max(1, round(share * of_class.size)), rng)
            for of_class in (np.flatnonzero(labels == positive), np.flatnonzero(labels == negative))
        )
        if first.size and second.size:
            yield first, second, pairs_between(X, first, second, n_threads=n_threads)


def _sample_problems(
    X: FloatArray,
    labels: IndexArray,
    weights: DoubleArray,
    *,
    most_samples: int,
    most_points: int,
    n_threads: int,
) -> list[CbpProblem]:
    """Return one problem per pair of classes, on some samples and points where there are many."""
    rng = np.random.default_rng(0)
    problems = []
    for first, second, pairs in _some_pairs(X, labels, most_samples, n_threads):
        chosen = pairs[_draw_some(np.arange(pairs.shape[0]), most_points, rng)]
        rows = np.concatenate([first, second])
        targets = np.repeat([1.0, -1.0], [first.size, second.size])
        problems.append(CbpProblem(X[rows], targets, weights[rows], pair_midpoints(X, chosen)[0]))
    return problems


def peak_of_samples(
    X: FloatArray,
    labels: IndexArray,
    weights: DoubleArray,
    *,
    sigmas: DoubleArray | None = None,
    lam: float = 1.0,
    after: bool = False,
    most_samples: int = _MOST_SAMPLES,
    n_threads: int = 1,
    who: str = "peak_sigma",
) -> WidthPath:
    """Return the path on distinct checked samples."""
    problems = _sample_problems(
        X,
        labels,
        weights,
        most_samples=most_samples,
        most_points=_MOST_POINTS,
        n_threads=n_threads,
    )
    widths = default_sigmas(X, weights) if sigmas is None else sigmas
    settings = CbpSettings(progress=current_progress(who, 0))
    (found,) = search_widths(problems, widths, [lam], settings, after=after, who=who)
    warn_without_peak(found.path, who)
    return found.path


def radius_of_samples(
    X: FloatArray, labels: IndexArray, weights: DoubleArray, *, n_threads: int = 1
) -> float:
    """Return three times the lower quartile of the boundary points' radii."""
    radii = [
        pair_midpoints(X, pairs)[1]
        for _, _, pairs in _some_pairs(X, labels, _MOST_SAMPLES, n_threads)
    ]
    joined = np.concatenate(radii)
    # Copies in two classes say nothing of a width.
    joined = joined[joined > 0.0]
    if joined.size == 0:
        return _distance(X, weights)
    return _FACTOR * float(np.quantile(joined, _QUANTILE))


def _distinct(X: Any, y: Any, who: str) -> tuple[FloatArray, IndexArray, DoubleArray]:
    X, _, labels = check_dense_classes(X, y, who)
    samples, weights = cpu.distinct_rows(DenseRows(X), labels, np.ones(labels.size))
    return X[samples], labels[samples], weights


def width_path(
    X: Any,
    y: Any,
    *,
    sigmas: Any = None,
    lam: float = 1.0,
    after_peak: bool = False,
    max_samples: int = _MOST_SAMPLES,
    n_jobs: int | None = None,
) -> WidthPath:
    """Fit SVM-CBP for widths from large to small and look for the peak of its norm.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples, scaled.
    y : array-like of shape (n_samples,)
        Class labels.
    sigmas : array-like, default=None
        Widths to try. None means 15, from eight times the root mean square distance of two samples
        down to a hundredth of that, evenly spaced in the logarithm.
    lam : float, default=1.0
        Weight of the losses against the norm.
    after_peak : bool, default=False
        Whether to take the next smaller width after the peak, as the thesis advises.
    max_samples : int, default=1000
        Larger pairs of classes are searched on this many samples, drawn from both in proportion.
        Time grows with the cube of this number.
    n_jobs : int, default=None
        Threads for the boundary points. None means 1, -1 all that the process may use.

    Returns
    -------
    path : WidthPath
        Norms, losses and accuracies by width, and the chosen one.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from svmosaic.boundary import width_path
    >>> path = width_path(*make_moons(60, noise=0.2, random_state=0))
    >>> path.norms.shape
    (15,)
    """
    X, labels, weights = _distinct(X, y, "width_path")
    grid = None if sigmas is None else descending_sigmas(sigmas, "width_path")
    return peak_of_samples(
        X,
        labels,
        weights,
        sigmas=grid,
        lam=lam,
        after=after_peak,
        most_samples=max_samples,
        n_threads=resolve_threads(n_jobs),
        who="width_path",
    )


def descending_sigmas(sigmas: Any, who: str) -> DoubleArray:
    """Return the caller's widths, checked, from large to small."""
    grid = np.sort(np.asarray(sigmas, dtype=np.float64).ravel())[::-1]
    if grid.size == 0 or not np.isfinite(grid).all() or grid[-1] <= 0.0:
        raise ValueError(
            f"The sigmas of {who} must be positive finite numbers. Got {sigmas!r} instead."
        )
    return np.ascontiguousarray(grid)


def peak_sigma(
    X: Any,
    y: Any,
    *,
    sigmas: Any = None,
    lam: float = 1.0,
    after_peak: bool = False,
    max_samples: int = _MOST_SAMPLES,
    n_jobs: int | None = None,
) -> float:
    """Return the rbf width at the peak of the norm of SVM-CBP.

    The norm |C'a| of the fitted SVM, the distance of the boundary points to the boundary, rises and
    falls as the width shrinks. Its peak marks where the classifier begins to follow single
    samples. Warns and takes the largest norm where there is no interior peak. It costs one fit of
    SVM-CBP per width. ``gamma="cbp"`` of rbf classifiers is 1 / (2 sigma^2) of this.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples, scaled.
    y : array-like of shape (n_samples,)
        Class labels.
    sigmas, lam, after_peak, max_samples, n_jobs : optional
        As in `svmosaic.boundary.width_path`.

    Returns
    -------
    sigma : float
        The width, of exp(-|x - z|^2 / (2 sigma^2)).

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from svmosaic import peak_sigma
    >>> peak_sigma(*make_moons(60, noise=0.2, random_state=0)) > 0.0
    True
    """
    X, labels, weights = _distinct(X, y, "peak_sigma")
    grid = None if sigmas is None else descending_sigmas(sigmas, "peak_sigma")
    return peak_of_samples(
        X,
        labels,
        weights,
        sigmas=grid,
        lam=lam,
        after=after_peak,
        most_samples=max_samples,
        n_threads=resolve_threads(n_jobs),
    ).sigma


def radius_sigma(X: Any, y: Any, *, n_jobs: int | None = None) -> float:
    """Return an rbf width from the radii of the boundary points, without a fit.

    Where classes overlap the radii shrink as samples are added, so of more than 1000 samples of two
    classes 1000 are drawn.

    ``gamma="cbp-radius"`` of rbf classifiers is 1 / (2 sigma^2) of this.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples, scaled.
    y : array-like of shape (n_samples,)
        Class labels.
    n_jobs : int, default=None
        Threads. None means 1, -1 all that the process may use.

    Returns
    -------
    sigma : float
        Three times the lower quartile of the radii.

    Examples
    --------
    >>> from svmosaic import radius_sigma
    >>> radius_sigma([[0.0], [1.0], [2.0], [5.0]], [0, 0, 1, 1])
    1.5
    """
    X, labels, weights = _distinct(X, y, "radius_sigma")
    return radius_of_samples(X, labels, weights, n_threads=resolve_threads(n_jobs))
