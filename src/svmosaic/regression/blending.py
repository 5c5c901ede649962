"""Weighted means of predictors: weights from what they predict for rows left out."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import nnls

from svmosaic.engine.problem import DoubleArray

__all__ = ["blend_weights", "shared_weights"]

# Outweighs any target: the weights sum to 1.
_SUM_WEIGHT = 1e4
# How many rows equal weights are worth beside the rows of all targets together.
_EQUAL_ROWS = 3.0
# Weights from few rows follow chance; the mean over this many draws of the rows follows it less.
_N_DRAWS = 50


def blend_weights(
    predictions: DoubleArray, target: DoubleArray, prior: float, centre: DoubleArray | None = None
) -> DoubleArray:
    """Return the weights from 0, with sum 1, with which predictions fit a target best.

    They minimise sum_i (y_i - sum_k w_k p_ik)^2 + prior * sum_k (w_k - c_k)^2: the weights c count
    as much as `prior` further rows.

    Parameters
    ----------
    predictions : ndarray of shape (n_samples, n_predictions)
        Predictions of rows left out, for a target of variance 1.
    target : ndarray of shape (n_samples,)
        The true values.
    prior : float
        A larger prior keeps the weights closer to the centre.
    centre : ndarray of shape (n_predictions,), default=None
        The weights c. None means equal ones.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.regression.blending import blend_weights
    >>> y = np.array([-1.0, 0.0, 1.0])
    >>> blend_weights(np.column_stack([y, -y]), y, prior=0.0).round(3).tolist()
    [1.0, 0.0]
    """
    n = predictions.shape[1]
    if centre is None:
        centre = np.full(n, 1.0 / n)
    root = np.sqrt(prior)
    rows = np.vstack([predictions, root * np.eye(n), np.full((1, n), _SUM_WEIGHT)])
    values = np.concatenate([target, root * centre, [_SUM_WEIGHT]])
    weights = nnls(rows, values)[0]
    return np.asarray(weights / weights.sum())


def shared_weights(
    parts: DoubleArray, targets: DoubleArray, priors: DoubleArray, random_state: Any
) -> tuple[DoubleArray, float]:
    """Return weights for each target that shrink towards those of all targets together.

    They are means over draws of as many rows with replacement. Of the priors, that one is taken
    whose weights have the least error for rows that their draw has left out.

    Parameters
    ----------
    parts : ndarray of shape (n_predictions, n_samples, n_targets)
        Predictions of rows left out, for targets of variance 1.
    targets : ndarray of shape (n_samples, n_targets)
        The true values.
    priors : ndarray of shape (n_priors,)
        How many rows the weights of all targets together may be worth.
    random_state : RandomState instance
        Draws the rows.

    Returns
    -------
    weights : ndarray of shape (n_predictions, n_targets)
        Weights from 0, which sum to 1 for each target.
    prior : float
        The prior that was taken.
    """
    n_parts, n_samples, n_targets = parts.shape
    sums = np.zeros((priors.size, n_parts, n_targets))
    errors = np.zeros((priors.size, n_targets))
    for _ in range(_N_DRAWS):
        drawn = random_state.randint(n_samples, size=n_samples)
        left_out = np.setdiff1d(np.arange(n_samples), drawn)
        p, y = parts[:, drawn], targets[drawn]
        common = blend_weights(p.reshape(n_parts, -1).T, y.ravel(), _EQUAL_ROWS)
        for number, prior in enumerate(priors):
            weights = np.column_stack(
                [blend_weights(p[:, :, t].T, y[:, t], prior, common) for t in range(n_targets)]
            )
            sums[number] += weights
            blended = np.einsum("kit,kt->it", parts[:, left_out], weights)
            errors[number] += np.sum((blended - targets[left_out]) ** 2, axis=0)
    # Targets that are hard to predict shall not decide alone.
    least = errors.min(axis=0)
    ratios = np.sqrt(errors[:, least > 0.0] / least[least > 0.0])
    best = int(ratios.sum(axis=1).argmin())
    return sums[best] / sums[best].sum(axis=0), float(priors[best])
