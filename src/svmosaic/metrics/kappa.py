"""Cohen's kappa: agreement beyond chance."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d

__all__ = ["cohen_kappa"]


def cohen_kappa(y_true: Any, y_pred: Any) -> float:
    """Return Cohen's kappa, (p_o - p_e) / (1 - p_e).

    p_o is the share of samples on which both agree, (TP + TN) / n for two classes; p_e is the share
    that would agree by chance. Melki (2018) prints n' in place of TP + TN (Eq. 4.17d and 6.3b); by
    that formula kappa would be negative for a good classifier. The tables there have the value
    of this function.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted classes, any number of them.

    Returns
    -------
    float
        1 where all agree, 0 where no more agree than by chance, negative where fewer do. 0 where
        both have one class only, the same: chance explains it all.

    See Also
    --------
    sklearn.metrics.cohen_kappa_score : The same with weights; not a number in the last case.

    Examples
    --------
    Musk1 in table 4.9: 46 and 37 right, 1 and 8 wrong.

    >>> from svmosaic.metrics import cohen_kappa
    >>> truth = [1] * 47 + [0] * 45
    >>> found = [1] * 46 + [0] * 1 + [1] * 8 + [0] * 37
    >>> round(cohen_kappa(truth, found), 4)
    0.8036
    """
    truth, predicted = column_or_1d(y_true), column_or_1d(y_pred)
    check_consistent_length(truth, predicted)
    n = truth.size
    observed = np.sum(truth == predicted) / n
    expected = sum(
        int(np.sum(truth == label)) * int(np.sum(predicted == label)) for label in np.unique(truth)
    )
    if expected == n**2:
        return 0.0
    return float((observed - expected / n**2) / (1.0 - expected / n**2))
