"""L2-SVMs in the span of a few landmarks: what long windows teach, at the price of few vectors.

A kernel model of 9000 samples has thousands of support vectors, and every prediction pays for
each of them. Here the model is a combination of the kernel functions of a few hundred samples, the
landmarks, and all samples of the window decide on its coefficients.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, cho_solve

from svmosaic.classification.stream.damped_newton import Stopping, minimise
from svmosaic.engine.problem import DoubleArray, IndexArray

__all__ = ["choose_landmarks", "fit_pairs", "fit_span"]

# Of the largest entry: added to the diagonal, so that near copies among landmarks do no harm. The
# kernel values have seven digits.
_JITTER = 1e-6
_INTERCEPT_PENALTY = 1e-6
# Models are compared by errors, of which more digits would change none.
_STOPPING = Stopping(gain=5e-3, max_steps=8, shortest=1e-2)
# Without a start, a share of the samples is learned first: far from the end, the others would only
# say the same.
_SHARE = 4
# With more classes than this, there are too many pairs for a model each.
_MOST_BY_PAIRS = 8


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
    start: DoubleArray | None = None,
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
    start : ndarray of shape (n_landmarks + 1, n_pairs), default=None
        Coefficients to begin with.

    Returns
    -------
    weights : ndarray of shape (n_landmarks + 1, n_pairs)
        The intercepts last.
    """
    whole = _bordered(penalty)
    X = np.column_stack([K, np.ones(len(K))])
    pairs = list(combinations(range(n_classes), 2))
    if n_classes > _MOST_BY_PAIRS:
        scores = _least_squares(X, whole, labels, n_classes, C)
        return np.column_stack([scores[:, j] - scores[:, i] for i, j in pairs])
    columns = []
    for number, (i, j) in enumerate(pairs):
        rows = slice(None) if n_classes == 2 else np.flatnonzero((labels == i) | (labels == j))
        targets = np.where(labels[rows] == j, 1.0, -1.0)
        own = X[rows]
        begin = _rough(own, whole, targets, C) if start is None else start[:, number]
        columns.append(fit_span(own, whole, targets, C, begin))
    return np.column_stack(columns)


def _rough(X: DoubleArray, penalty: DoubleArray, targets: DoubleArray, C: float) -> DoubleArray:
    """Return weights near those of all samples."""
    begin = np.zeros(X.shape[1])
    if len(X) < _SHARE * X.shape[1]:
        return begin
    return fit_span(X[::_SHARE], penalty, targets[::_SHARE], _SHARE * C, begin)


def fit_span(
    X: DoubleArray, penalty: DoubleArray, targets: DoubleArray, C: float, start: DoubleArray
) -> DoubleArray:
    r"""Return the weights of the L2-SVM with a norm of its own.

    It minimises :math:`\tfrac12 w^T P w + \tfrac C2 \sum_i \max(0, 1 - y_i w x_i)^2` by Newton's
    method: where the samples inside the margin stay the same, a step ends in the minimum.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_weights)
        Samples.
    penalty : ndarray of shape (n_weights, n_weights)
        The matrix P, positive definite.
    targets : ndarray of shape (n_samples,)
        +1 or -1.
    C : float
        Weight of the losses.
    start : ndarray of shape (n_weights,)
        Weights to begin with.

    Returns
    -------
    weights : ndarray of shape (n_weights,)

    References
    ----------
    .. [1] O. Chapelle (2007), "Training a support vector machine in the primal", Neural Computation
       19, section 4, :doi:`10.1162/neco.2007.19.5.1155`.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.classification.stream.landmarks import fit_span
    >>> X = np.array([[-1.0, 1.0], [1.0, 1.0]])
    >>> fit_span(X, np.diag([1.0, 1e-6]), np.array([-1.0, 1.0]), 1e6, np.zeros(2)).round(3)
    array([1., 0.])
    """
    curvature = _Curvature(X)

    def solve(inside: npt.NDArray[np.bool_]) -> DoubleArray:
        hessian = C * curvature.of(inside) + penalty
        return _solve(hessian, C * ((targets * inside) @ X))

    return minimise(partial(_loss, X, penalty, targets, C), solve, start, _STOPPING)


class _Curvature:
    """The sum of x x' over the samples inside the margin, of which few change with a step."""

    def __init__(self, X: DoubleArray) -> None:
        self.X = X
        self.inside = np.zeros(len(X), dtype=bool)
        self.sums = np.zeros((X.shape[1], X.shape[1]))

    def of(self, inside: npt.NDArray[np.bool_]) -> DoubleArray:
        """Return the sum over these samples."""
        entered, left = inside & ~self.inside, self.inside & ~inside
        if np.count_nonzero(entered) + np.count_nonzero(left) < np.count_nonzero(inside):
            self.sums = self.sums + self._sum(entered) - self._sum(left)
        else:
            self.sums = self._sum(inside)
        self.inside = inside
        return self.sums

    def _sum(self, chosen: npt.NDArray[np.bool_]) -> DoubleArray:
        rows = self.X[chosen]
        return rows.T @ rows


def _loss(
    X: DoubleArray, penalty: DoubleArray, targets: DoubleArray, C: float, weights: DoubleArray
) -> tuple[float, npt.NDArray[np.bool_]]:
    """Return the objective and which samples are inside the margin."""
    slack = np.maximum(1.0 - targets * (X @ weights), 0.0)
    norm = float(weights @ (penalty @ weights))
    return 0.5 * norm + 0.5 * C * float(slack @ slack), slack > 0.0


def _least_squares(
    X: DoubleArray, penalty: DoubleArray, labels: IndexArray, n_classes: int, C: float
) -> DoubleArray:
    """Return the weights of each class against the rest: one matrix serves them all."""
    targets = np.zeros((len(X), n_classes))
    targets[np.arange(len(X)), labels] = 1.0
    return _solve(C * (X.T @ X) + penalty, C * (X.T @ targets))


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
