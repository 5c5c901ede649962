"""L2-SVMs in the span of a few landmarks: what long windows teach, at the price of few vectors.

A kernel model of 9000 samples has thousands of support vectors, and every prediction pays for
each of them. Here the model is a combination of the kernel functions of a few hundred samples, the
landmarks, and all samples of the window decide on its coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, cho_solve

from svmosaic.classification.stream.damped_newton import Stopping, minimise
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.utils.side_by_side import call_side_by_side

__all__ = ["choose_landmarks", "fit_pairs", "fit_span"]

# Of the largest entry: added to the diagonal, so that near copies among landmarks do no harm. The
# kernel values have seven digits.
_JITTER = 1e-6
_INTERCEPT_PENALTY = 1e-6
# Models are compared by errors, of which more digits would change none.
_STOPPING = Stopping(gain=3e-2, max_steps=8, shortest=1e-2)
# Without decisions to start from, a share of the samples is learned first: far from the end, the
# others would only say the same.
_SHARE = 4
# With more classes than this, there are too many pairs for a model each.
_MOST_BY_PAIRS = 8
# Multiplications that take longer than to wake a thread; those that wait for memory count ten
# times.
_WORTH_A_THREAD = 1e6


def choose_landmarks(n_samples: int, count: int) -> IndexArray:
    """Return places that are spread evenly over the window, at most `count`.

    Examples
    --------
    >>> from svmosaic.classification.stream.landmarks import choose_landmarks
    >>> choose_landmarks(10, 4).tolist()
    [0, 3, 6, 9]
    """
    return np.unique(np.linspace(0, n_samples - 1, min(count, n_samples)).round().astype(np.int64))


def fit_pairs(
    K: DoubleArray,
    penalty: DoubleArray,
    labels: IndexArray,
    n_classes: int,
    C: float,
    decisions: DoubleArray | None = None,
    n_threads: int = 1,
) -> DoubleArray:
    """Return coefficients of all pairs of classes, one column each, positive for the second.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_landmarks)
        Kernel values of samples and landmarks.
    penalty : ndarray of shape (n_landmarks, n_landmarks)
        Kernel values of the landmarks, which measure the norm of a model.
    labels : ndarray of shape (n_samples,)
        Classes, from 0; each has a sample.
    n_classes : int
        Number of classes.
    C : float
        Weight of the losses.
    decisions : ndarray of shape (n_samples, n_pairs), default=None
        Decision values of a model that is not far from the one that is looked for.
    n_threads : int, default=1
        Threads; the coefficients do not depend on them.

    Returns
    -------
    weights : ndarray of shape (n_landmarks + 1, n_pairs)
        The intercepts last.
    """
    whole = _bordered(penalty)
    pairs = list(combinations(range(n_classes), 2))
    if n_classes > _MOST_BY_PAIRS:
        scores = _least_squares(K, whole, labels, n_classes, C, n_threads)
        return np.column_stack([scores[:, j] - scores[:, i] for i, j in pairs])

    def fit_pair(number: int, n_threads: int) -> DoubleArray:
        i, j = pairs[number]
        rows = slice(None) if n_classes == 2 else np.flatnonzero((labels == i) | (labels == j))
        targets = np.where(labels[rows] == j, 1.0, -1.0)
        own = K[rows]
        if decisions is None:
            inside = _roughly_inside(own, whole, targets, C, n_threads)
        else:
            inside = targets * decisions[rows, number] < 1.0
        return fit_span(own, whole, targets, C, inside, n_threads)

    if n_classes == 2:
        return fit_pair(0, n_threads)[:, None]
    calls = [partial(fit_pair, number, 1) for number in range(len(pairs))]
    return np.column_stack(call_side_by_side(calls, n_threads))


def _roughly_inside(
    K: DoubleArray, penalty: DoubleArray, targets: DoubleArray, C: float, n_threads: int
) -> npt.NDArray[np.bool_]:
    """Return which samples are inside the margin of a model of a share of them."""
    everyone = np.ones(len(K), dtype=bool)
    if len(K) < _SHARE * len(penalty):
        return everyone
    share = slice(None, None, _SHARE)
    weights = fit_span(K[share], penalty, targets[share], _SHARE * C, everyone[share], n_threads)
    inside: npt.NDArray[np.bool_] = targets * (K @ weights[:-1] + weights[-1]) < 1.0
    return inside


def fit_span(
    X: DoubleArray,
    penalty: DoubleArray,
    targets: DoubleArray,
    C: float,
    inside: npt.NDArray[np.bool_],
    n_threads: int = 1,
) -> DoubleArray:
    r"""Return the weights of the L2-SVM with a norm of its own, the intercept last.

    It minimises :math:`\tfrac12 w^T P w + \tfrac C2 \sum_i \max(0, 1 - y_i w x_i)^2`, where
    :math:`x_i` ends with a one, by Newton's method: where the samples inside the margin stay the
    same, a step ends in the minimum.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Samples.
    penalty : ndarray of shape (n_features + 1, n_features + 1)
        The matrix P, positive definite.
    targets : ndarray of shape (n_samples,)
        +1 or -1.
    C : float
        Weight of the losses.
    inside : ndarray of shape (n_samples,)
        A guess: which samples will be inside the margin. The first step starts from it.
    n_threads : int, default=1
        Threads; the weights do not depend on them.

    Returns
    -------
    weights : ndarray of shape (n_features + 1,)

    References
    ----------
    .. [1] O. Chapelle (2007), "Training a support vector machine in the primal", Neural Computation
       19, section 4, :doi:`10.1162/neco.2007.19.5.1155`.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.classification.stream.landmarks import fit_span
    >>> X = np.array([[-1.0], [1.0]])
    >>> inside = np.array([True, True])
    >>> fit_span(X, np.diag([1.0, 1e-6]), np.array([-1.0, 1.0]), 1e6, inside).round(3)
    array([1., 0.])
    """
    inside_sums = _InsideSums(X, targets, n_threads)

    def solve(inside: npt.NDArray[np.bool_]) -> DoubleArray:
        sums = inside_sums.of(inside)
        return _solve(C * sums.curvature + penalty, C * sums.gradient)

    evaluate = partial(_loss, X, penalty, targets, C, n_threads)
    return minimise(evaluate, solve, solve(inside), _STOPPING)


@dataclass(frozen=True)
class _Sums:
    """The sums of x x' and of y x over some samples; x ends with a one, and y may be a row."""

    curvature: DoubleArray
    gradient: DoubleArray

    def __add__(self, other: _Sums) -> _Sums:
        return _Sums(self.curvature + other.curvature, self.gradient + other.gradient)

    def __sub__(self, other: _Sums) -> _Sums:
        return _Sums(self.curvature - other.curvature, self.gradient - other.gradient)


class _InsideSums:
    """Sums over the samples inside the margin, of which few change with a step."""

    def __init__(self, X: DoubleArray, targets: DoubleArray, n_threads: int) -> None:
        self.X = X
        self.targets = targets
        self.n_threads = n_threads
        self.inside = np.zeros(len(X), dtype=bool)
        size = X.shape[1] + 1
        self.sums = _Sums(np.zeros((size, size)), np.zeros(size))

    def of(self, inside: npt.NDArray[np.bool_]) -> _Sums:
        """Return the sums over these samples."""
        entered, left = inside & ~self.inside, self.inside & ~inside
        if np.count_nonzero(entered) + np.count_nonzero(left) < np.count_nonzero(inside):
            self.sums = self.sums + self._sum(entered) - self._sum(left)
        else:
            self.sums = self._sum(inside)
        self.inside = inside
        return self.sums

    def _sum(self, chosen: npt.NDArray[np.bool_]) -> _Sums:
        places = np.flatnonzero(chosen)
        half = places.size // 2
        return _sum_halves(self.X, self.targets, places[:half], places[half:], self.n_threads)


def _sum_halves(
    X: DoubleArray, targets: DoubleArray, first: Any, second: Any, n_threads: int
) -> _Sums:
    """Return the sums over two parts of the rows, computed side by side where they are many."""
    n_products = 2 * len(targets[first]) * X.shape[1] ** 2
    one, other = call_side_by_side(
        [partial(_sum_rows, X, targets, first), partial(_sum_rows, X, targets, second)],
        n_threads if n_products > _WORTH_A_THREAD else 1,
    )
    return one + other


def _sum_rows(X: DoubleArray, targets: DoubleArray, part: Any) -> _Sums:
    rows, wanted = X[part], targets[part]
    n, m = rows.shape
    curvature = np.empty((m + 1, m + 1))
    curvature[:m, :m] = rows.T @ rows
    curvature[m, :m] = curvature[:m, m] = np.ones(n) @ rows
    curvature[m, m] = n
    gradient = np.concatenate([rows.T @ wanted, wanted.sum(axis=0, keepdims=True)])
    return _Sums(curvature, gradient)


def _loss(
    X: DoubleArray,
    penalty: DoubleArray,
    targets: DoubleArray,
    C: float,
    n_threads: int,
    weights: DoubleArray,
) -> tuple[float, npt.NDArray[np.bool_]]:
    """Return the objective and which samples are inside the margin."""
    half = len(X) // 2
    values = call_side_by_side(
        [lambda: X[:half] @ weights[:-1], lambda: X[half:] @ weights[:-1]],
        n_threads if 10 * X.size > _WORTH_A_THREAD else 1,
    )
    slack = np.maximum(1.0 - targets * (np.concatenate(values) + weights[-1]), 0.0)
    norm = float(weights @ (penalty @ weights))
    return 0.5 * norm + 0.5 * C * float(slack @ slack), slack > 0.0


def _least_squares(
    K: DoubleArray,
    penalty: DoubleArray,
    labels: IndexArray,
    n_classes: int,
    C: float,
    n_threads: int,
) -> DoubleArray:
    """Return the weights of each class against the rest: one matrix serves them all."""
    targets = np.zeros((len(K), n_classes))
    targets[np.arange(len(K)), labels] = 1.0
    half = len(K) // 2
    sums = _sum_halves(K, targets, slice(None, half), slice(half, None), n_threads)
    return _solve(C * sums.curvature + penalty, C * sums.gradient)


def _solve(matrix: DoubleArray, right: DoubleArray) -> DoubleArray:
    """Return the solution for a matrix that is positive definite but for rounding."""
    jitter = _JITTER * float(matrix.diagonal().max())
    while True:
        try:
            solution: DoubleArray = cho_solve(cho_factor(matrix, check_finite=False), right)
        except np.linalg.LinAlgError:
            matrix = matrix.copy()
            matrix.flat[:: len(matrix) + 1] += jitter
            jitter *= 10.0
        else:
            return solution


def _bordered(penalty: DoubleArray) -> DoubleArray:
    """Return the penalty with a row and a column for the intercept."""
    m = len(penalty)
    whole = np.zeros((m + 1, m + 1))
    whole[:m, :m] = penalty
    whole.flat[:: m + 2] += _JITTER * float(penalty.diagonal().max())
    whole[m, m] = _INTERCEPT_PENALTY
    return whole
