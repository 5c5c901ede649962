"""Probabilities of many classes from the log-odds of all pairs."""

from __future__ import annotations

import numpy as np

from svmosaic.engine.problem import DoubleArray

__all__ = ["couple_pairs"]


def couple_pairs(log_odds: DoubleArray, n_classes: int) -> DoubleArray:
    """Return log-probabilities of the classes, up to a constant per row.

    If class i has the share r_ij of the samples of i and j, then p_i = 1 / (sum_j 1 / r_ij - (k -
    2)) over the k - 1 others. In log-odds that is 1 / (1 + sum_j exp(-z_ij)): a class is probable
    if it wins against all others, and how the others do among themselves does not matter.

    Parameters
    ----------
    log_odds : ndarray of shape (n_samples, n_pairs)
        z_ij, positive for class i, for the pairs (0, 1), (0, 2) and so on.
    n_classes : int
        Number of classes.

    Returns
    -------
    scores : ndarray of shape (n_samples, n_classes)
        Their softmax are probabilities.

    References
    ----------
    .. [1] D. Price, S. Knerr, L. Personnaz, G. Dreyfus (1995), "Pairwise neural network classifiers
       with probabilistic outputs", Advances in Neural Information Processing Systems 7, 1109-1116,
       Eq. 8.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.classification.pair_coupling import couple_pairs
    >>> p = np.array([0.5, 0.3, 0.2])
    >>> z = np.log([[p[0] / p[1], p[0] / p[2], p[1] / p[2]]])
    >>> np.exp(couple_pairs(z, 3)).round(6).tolist()
    [[0.5, 0.3, 0.2]]
    """
    # The logarithm of 1 + sum_j exp(-z_ij), one class after the other.
    lost = np.zeros((log_odds.shape[0], n_classes))
    begin = 0
    for i in range(n_classes - 1):
        end = begin + n_classes - 1 - i
        against_later = log_odds[:, begin:end]
        lost[:, i] = np.logaddexp(lost[:, i], np.logaddexp.reduce(-against_later, axis=1))
        lost[:, i + 1 :] = np.logaddexp(lost[:, i + 1 :], against_later)
        begin = end
    return -lost
