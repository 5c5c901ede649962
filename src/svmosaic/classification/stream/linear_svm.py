"""The linear L2-SVM in the primal, by Newton's method: exact and fast where features are few."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from svmosaic.engine.problem import DoubleArray

__all__ = ["fit_hyperplane"]

# The intercept is hardly penalised: only so much that the matrix can always be inverted.
_INTERCEPT_PENALTY = 1e-6
# Newton's steps double the digits, so that a small gain means the end is reached.
_GAIN = 1e-4
_MAX_STEPS = 20
_SHORTEST_STEP = 1e-3


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
    weights = start
    loss, inside = _loss(signed, penalty, C, weights)
    for _ in range(_MAX_STEPS):
        active = signed[inside]
        hessian = C * (active.T @ active)
        hessian.flat[:: X.shape[1] + 1] += penalty
        step = np.linalg.solve(hessian, C * active.sum(axis=0)) - weights
        length = 1.0
        while True:
            candidate = weights + length * step
            new_loss, new_inside = _loss(signed, penalty, C, candidate)
            if new_loss <= loss or length < _SHORTEST_STEP:
                break
            length /= 2
        if new_loss > loss:
            break
        gain, weights, loss, inside = loss - new_loss, candidate, new_loss, new_inside
        if gain <= _GAIN * loss:
            break
    return weights


def _loss(
    signed: DoubleArray, penalty: DoubleArray, C: float, weights: DoubleArray
) -> tuple[float, npt.NDArray[np.bool_]]:
    """Return the objective and which samples are inside the margin."""
    slack = np.maximum(1.0 - signed @ weights, 0.0)
    return 0.5 * float(penalty @ weights**2) + 0.5 * C * float(slack @ slack), slack > 0.0
