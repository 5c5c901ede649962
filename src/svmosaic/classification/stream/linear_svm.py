"""Linear models in the primal: L2-SVMs by Newton's method, and least squares for many classes."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
import numpy.typing as npt

from svmosaic.classification.stream.damped_newton import Stopping, minimise
from svmosaic.engine.problem import DoubleArray, FloatArray, IndexArray

__all__ = ["fit_hyperplane", "fit_scores"]

# The intercept is hardly penalised: only enough that the matrix can always be inverted.
_INTERCEPT_PENALTY = 1e-6
# Newton's steps double the digits, so that a small gain means the end is reached.
_STOPPING = Stopping(gain=1e-4, max_steps=20, shortest=1e-3)


def fit_hyperplane(
    X: DoubleArray, targets: DoubleArray, C: float, start: DoubleArray
) -> DoubleArray:
    r"""Return the weights of the L2-SVM, the intercept last.

    It minimises :math:`\tfrac12\|w\|^2 + \tfrac C2 \sum_i \max(0, 1 - y_i w x_i)^2`. Where the set
    of samples inside the margin stays the same, this is a square function and one step of Newton's
    method ends in its minimum.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features + 1)
        Samples, with a last column of ones.
    targets : ndarray of shape (n_samples,)
        +1 or -1.
    C : float
        Weight of the losses.
    start : ndarray of shape (n_features + 1,)
        Weights to begin with.

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
    >>> from svmosaic.classification.stream.linear_svm import fit_hyperplane
    >>> X = np.array([[-1.0, 1.0], [1.0, 1.0]])
    >>> fit_hyperplane(X, np.array([-1.0, 1.0]), 1e6, np.zeros(2)).round(3)
    array([1., 0.])
    """
    signed = X * targets[:, None]
    penalty = np.ones(X.shape[1])
    penalty[-1] = _INTERCEPT_PENALTY

    def solve(inside: npt.NDArray[np.bool_]) -> DoubleArray:
        active = signed.compress(inside, axis=0)
        hessian = C * (active.T @ active)
        hessian.flat[:: X.shape[1] + 1] += penalty
        total = np.ones(len(active)) @ active
        return np.asarray(np.linalg.solve(hessian, C * total), dtype=np.float64)

    return minimise(partial(_loss, signed, penalty, C), solve, start, _STOPPING)


def _loss(
    signed: DoubleArray, penalty: DoubleArray, C: float, weights: DoubleArray
) -> tuple[float, npt.NDArray[np.bool_]]:
    """Return the objective and which samples are inside the margin."""
    slack = np.maximum(1.0 - signed @ weights, 0.0)
    return 0.5 * float(penalty @ weights**2) + 0.5 * C * float(slack @ slack), slack > 0.0


def fit_scores(X: FloatArray, labels: IndexArray, C: float) -> dict[tuple[int, int], DoubleArray]:
    """Return a hyperplane for each pair of classes, all from one solve.

    Each class gets the ridge regression of its indicator; a pair is decided by the difference of
    their scores. Forty classes have 780 pairs, each of which would need a machine of its own.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Samples.
    labels : ndarray of shape (n_samples,)
        Classes, from 0; one without samples is in no pair.
    C : float
        Weight of the losses against that of the squared weights.

    Returns
    -------
    planes : dict of (int, int) to ndarray of shape (n_features + 1,)
        Weights, the intercept last, positive for the second class.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.classification.stream.linear_svm import fit_scores
    >>> X = np.array([[-1.0], [-2.0], [1.0], [2.0]])
    >>> sorted(fit_scores(X, np.array([0, 0, 2, 2]), 1.0))
    [(0, 2)]
    """
    A = np.column_stack([np.asarray(X, dtype=np.float64), np.ones(len(X))])
    known = np.unique(labels)
    targets = (labels[:, None] == known).astype(np.float64)
    matrix = C * (A.T @ A)
    penalty = np.ones(A.shape[1])
    penalty[-1] = _INTERCEPT_PENALTY
    matrix.flat[:: A.shape[1] + 1] += penalty
    scores = np.linalg.solve(matrix, C * (A.T @ targets))
    pairs = combinations(range(known.size), 2)
    return {(int(known[i]), int(known[j])): scores[:, j] - scores[:, i] for i, j in pairs}
