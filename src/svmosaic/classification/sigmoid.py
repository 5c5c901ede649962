"""From decision values to log-odds: Platt's sigmoid, isotonic steps and the temperature."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import expit, logsumexp
from sklearn.isotonic import IsotonicRegression

from svmosaic.engine.problem import DoubleArray, IndexArray

__all__ = ["fit_sigmoid", "fit_steps", "fit_temperature", "smoothed_targets", "step_log_odds"]

_MAX_STEPS = 100
_TOLERANCE = 1e-10
_SHORTEST_STEP = 1e-10
# Keeps the Hessian invertible where the classes are apart.
_RIDGE = 1e-12
# Temperatures outside of exp(-6) to exp(6) mean that the values say nothing, or everything.
_LOG_RANGE = (-6.0, 6.0)
# Scores whose exponentials are held at once.
_BLOCK_VALUES = 1 << 20


def smoothed_targets(positive: npt.NDArray[np.bool_], weights: DoubleArray) -> DoubleArray:
    """Return Platt's targets: (N+ + 1) / (N+ + 2) for positives, 1 / (N- + 2) for the others.

    They are the probabilities that the counts allow for, so that no sample is certain.
    """
    n_positive = float(weights[positive].sum())
    n_negative = float(weights.sum()) - n_positive
    return np.where(positive, (n_positive + 1.0) / (n_positive + 2.0), 1.0 / (n_negative + 2.0))


def fit_sigmoid(
    values: DoubleArray, positive: npt.NDArray[np.bool_], weights: DoubleArray
) -> tuple[float, float]:
    """Return slope and offset of the log-odds, slope * value + offset.

    Platt's sigmoid by maximum likelihood, with the numerics of Lin, Lin and Weng: Newton's method
    with backtracking, on formulas that neither overflow nor cancel.

    Parameters
    ----------
    values : ndarray of shape (n_samples,)
        Decision values of samples that the classifier has not been trained on.
    positive : ndarray of bool, shape (n_samples,)
        Whether each sample is of the positive class.
    weights : ndarray of shape (n_samples,)
        Weights of the samples.

    Returns
    -------
    slope, offset : float
        What turns a decision value into log-odds.

    References
    ----------
    .. [1] H.-T. Lin, C.-J. Lin, R. C. Weng (2007), "A note on Platt's probabilistic outputs for
       support vector machines", Machine Learning 68, 267-276, Algorithm 1.
       https://doi.org/10.1007/s10994-007-5018-6

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.classification.sigmoid import fit_sigmoid
    >>> values = np.array([-2.0, -1.0, 1.0, 2.0])
    >>> slope, offset = fit_sigmoid(values, values > 0, np.ones(4))
    >>> slope > 0, abs(offset) < 1e-9
    (True, True)
    """
    targets = smoothed_targets(positive, weights)
    # In units of their size, so that the ridge means the same for all.
    size = float(np.abs(values).max(initial=0.0)) or 1.0
    f = values / size
    total = float(weights.sum())
    n_positive = float(weights[positive].sum())
    slope, offset = 0.0, float(np.log((n_positive + 1.0) / (total - n_positive + 1.0)))
    loss = _loss(slope * f + offset, targets, weights)
    for _ in range(_MAX_STEPS):
        p = expit(slope * f + offset)
        residual = weights * (p - targets)
        by_slope, by_offset = float(residual @ f), float(residual.sum())
        if max(abs(by_slope), abs(by_offset)) <= _TOLERANCE * total:
            break
        curvature = weights * p * (1.0 - p)
        weighted = curvature * f
        first, cross = float(weighted @ f) + _RIDGE * total, float(weighted.sum())
        second = float(curvature.sum()) + _RIDGE * total
        # Newton's step, from two equations.
        determinant = first * second - cross * cross
        step = (
            (cross * by_offset - second * by_slope) / determinant,
            (cross * by_slope - first * by_offset) / determinant,
        )
        descent = by_slope * step[0] + by_offset * step[1]
        length = 1.0
        while length > _SHORTEST_STEP:
            new = (slope + length * step[0], offset + length * step[1])
            new_loss = _loss(new[0] * f + new[1], targets, weights)
            if new_loss < loss + 1e-4 * length * descent:
                break
            length /= 2.0
        else:
            # No smaller value along the step: the minimum is reached to the last digits.
            break
        (slope, offset), loss = new, new_loss
    return float(slope / size), float(offset)


def _loss(log_odds: DoubleArray, targets: DoubleArray, weights: DoubleArray) -> float:
    """Return the cross entropy, log(1 + e^z) - t z, without overflow."""
    return float(weights @ (np.logaddexp(0.0, log_odds) - targets * log_odds))


def fit_steps(
    values: DoubleArray, positive: npt.NDArray[np.bool_], weights: DoubleArray
) -> tuple[DoubleArray, DoubleArray]:
    """Return knots and probabilities of the rising function that fits best.

    Between knots it is linear, beyond the outer ones constant. It is fitted to Platt's targets, so
    that no probability is 0 or 1.
    """
    kept = weights > 0.0
    rising = IsotonicRegression(out_of_bounds="clip")
    rising.fit(values[kept], smoothed_targets(positive, weights)[kept], weights[kept])
    return (
        np.asarray(rising.X_thresholds_, dtype=np.float64),
        np.asarray(rising.y_thresholds_, dtype=np.float64),
    )


def step_log_odds(values: DoubleArray, knots: DoubleArray, levels: DoubleArray) -> DoubleArray:
    """Return the log-odds that `fit_steps` gives for values."""
    p = np.interp(values, knots, levels)
    return np.log(p) - np.log1p(-p)


def fit_temperature(scores: DoubleArray, labels: IndexArray, weights: DoubleArray) -> float:
    """Return the temperature T with the smallest log loss of softmax(scores / T).

    Its targets are Platt's: (N + 1) / (N + 2) for the class of a sample, where that has the weight
    N, and the rest for the others.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        Log-probabilities of the classes, up to a factor and a constant per row.
    labels : ndarray of shape (n_samples,)
        Numbers of the classes.
    weights : ndarray of shape (n_samples,)
        Weights of the samples.

    References
    ----------
    .. [1] C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger (2017), "On calibration of modern neural
       networks", ICML. https://proceedings.mlr.press/v70/guo17a.html

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.classification.sigmoid import fit_temperature
    >>> p = np.array([[0.8, 0.1, 0.1]] * 1000)
    >>> labels = np.repeat([0, 1, 2], [800, 100, 100])
    >>> round(fit_temperature(3.0 * np.log(p), labels, np.ones(1000)), 2)
    3.0
    """
    # Platt's targets: even perfectly separated classes do not get probabilities of 0 and 1.
    n_classes = scores.shape[1]
    others = 1.0 / (np.bincount(labels, weights, n_classes)[labels] + 2.0)
    own = scores[np.arange(labels.size), labels]
    mean_of_others = (scores.sum(axis=1) - own) / (n_classes - 1)
    expected = (1.0 - others) * own + others * mean_of_others

    size = max(1, _BLOCK_VALUES // n_classes)
    blocks = [slice(begin, begin + size) for begin in range(0, labels.size, size)]

    def loss(log_t: float) -> float:
        factor = np.exp(-log_t)
        # Some rows at a time: the sums over classes need several tables of the size of the scores.
        return sum(
            float(weights[b] @ (logsumexp(factor * scores[b], axis=1) - factor * expected[b]))
            for b in blocks
        )

    found = minimize_scalar(loss, bounds=_LOG_RANGE, method="bounded", options={"xatol": 1e-9})
    return float(np.exp(found.x))
