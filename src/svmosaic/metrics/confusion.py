"""Rates of the four cells of a confusion matrix: specificity, errors of two types, one-point AUC.

With two classes the positive one is the second in sorted order, as in `decision_function`, unless
`pos_label` names it. With ``average="macro"`` each class is the positive one in turn, all others
together are the negative one, and the mean is returned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d

__all__ = ["one_point_auc_score", "specificity_score", "type_1_error", "type_2_error"]

Average = Literal["binary", "macro"]


def specificity_score(
    y_true: Any, y_pred: Any, *, pos_label: Any = None, average: Average = "binary"
) -> float:
    """Return the share of negative samples that were predicted negative: TN / (TN + FP).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted classes.
    pos_label : object, default=None
        The positive class; None means the second of two in sorted order.
    average : {"binary", "macro"}, default="binary"
        "macro" takes each class as the positive one in turn and returns the mean, for any number
        of classes.

    Returns
    -------
    float
        From 0 to 1, larger is better; 0 where there is no negative sample.

    See Also
    --------
    sklearn.metrics.recall_score : The share of positive samples that were found.

    Examples
    --------
    >>> from svmosaic.metrics import specificity_score
    >>> specificity_score([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0])
    0.75
    """
    return _mean(y_true, y_pred, pos_label, average, lambda c: c.true_negative_rate)


def type_1_error(
    y_true: Any, y_pred: Any, *, pos_label: Any = None, average: Average = "binary"
) -> float:
    """Return the share of negative samples that were predicted positive: FP / (TN + FP).

    Parameters
    ----------
    y_true, y_pred, pos_label, average : optional
        As in `specificity_score`.

    Returns
    -------
    float
        From 0 to 1, smaller is better; 0 where there is no negative sample.

    Examples
    --------
    >>> from svmosaic.metrics import type_1_error
    >>> type_1_error([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0])
    0.25
    """
    return _mean(y_true, y_pred, pos_label, average, lambda c: c.false_positive_rate)


def type_2_error(
    y_true: Any, y_pred: Any, *, pos_label: Any = None, average: Average = "binary"
) -> float:
    """Return the share of positive samples that were predicted negative: FN / (TP + FN).

    Parameters
    ----------
    y_true, y_pred, pos_label, average : optional
        As in `specificity_score`.

    Returns
    -------
    float
        From 0 to 1, smaller is better; 0 where there is no positive sample.

    Examples
    --------
    >>> from svmosaic.metrics import type_2_error
    >>> type_2_error([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0])
    0.5
    """
    return _mean(y_true, y_pred, pos_label, average, lambda c: c.false_negative_rate)


def one_point_auc_score(
    y_true: Any, y_pred: Any, *, pos_label: Any = None, average: Average = "binary"
) -> float:
    """Return what Melki (2018, Eq. 4.17e) calls AUC: (1 + TPR - FPR) / 2 of predicted classes.

    It is the area under a ROC curve of one point and equals the balanced accuracy. The area under
    the curve of decision values, which AUC usually means, is
    `sklearn.metrics.roc_auc_score` (``"roc_auc"`` as a name).

    Parameters
    ----------
    y_true, y_pred, pos_label, average : optional
        As in `specificity_score`.

    Returns
    -------
    float
        From 0 to 1, larger is better; 0.5 for a constant.

    Examples
    --------
    >>> from svmosaic.metrics import one_point_auc_score
    >>> one_point_auc_score([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0])
    0.625
    """
    return _mean(
        y_true,
        y_pred,
        pos_label,
        average,
        lambda c: (1.0 + c.true_positive_rate - c.false_positive_rate) / 2.0,
    )


# The four cells -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Cells:
    """Counts of a confusion matrix of two classes."""

    true_positive: int
    false_negative: int
    false_positive: int
    true_negative: int

    @property
    def true_positive_rate(self) -> float:
        return _share(self.true_positive, self.false_negative)

    @property
    def false_negative_rate(self) -> float:
        return _share(self.false_negative, self.true_positive)

    @property
    def false_positive_rate(self) -> float:
        return _share(self.false_positive, self.true_negative)

    @property
    def true_negative_rate(self) -> float:
        return _share(self.true_negative, self.false_positive)


def _share(part: int, rest: int) -> float:
    return part / (part + rest) if part + rest else 0.0


def _mean(y_true: Any, y_pred: Any, pos_label: Any, average: str, rate: Any) -> float:
    truth, predicted = column_or_1d(y_true), column_or_1d(y_pred)
    check_consistent_length(truth, predicted)
    labels = np.unique(np.concatenate([truth, predicted]))
    if average == "macro":
        # A class that no true sample has says nothing about the negatives that it would add.
        positives = list(np.unique(truth))
    elif average == "binary":
        positives = [_positive(labels, pos_label)]
    else:
        raise ValueError(f"The 'average' must be 'binary' or 'macro'. Got {average!r}.")
    return float(np.mean([rate(_count(truth, predicted, label)) for label in positives]))


def _positive(labels: Any, pos_label: Any) -> Any:
    if pos_label is not None:
        return pos_label
    if labels.size != 2:
        raise ValueError(
            f"The metric is for 2 classes, and {labels.size} were found. Name the positive one by "
            "'pos_label', or take the mean over all with average='macro'."
        )
    return labels[1]


def _count(truth: Any, predicted: Any, positive: Any) -> _Cells:
    is_positive, found = truth == positive, predicted == positive
    return _Cells(
        true_positive=int(np.sum(is_positive & found)),
        false_negative=int(np.sum(is_positive & ~found)),
        false_positive=int(np.sum(~is_positive & found)),
        true_negative=int(np.sum(~is_positive & ~found)),
    )
