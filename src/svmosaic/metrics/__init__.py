"""Metrics that scikit-learn lacks, and scorers by name for all of them.

Accuracy, precision, recall, F1, the area under the ROC curve and many more are in
`sklearn.metrics`; what is here follows the same conventions.
"""

from __future__ import annotations

from svmosaic.metrics.confusion import (
    one_point_auc_score,
    specificity_score,
    type_1_error,
    type_2_error,
)
from svmosaic.metrics.drift_alarms import AlarmScores, score_alarms
from svmosaic.metrics.kappa import cohen_kappa
from svmosaic.metrics.model_cost import support_vector_share, time_improvement
from svmosaic.metrics.scorers import get_scorer, scorer_names

__all__ = [
    "AlarmScores",
    "cohen_kappa",
    "get_scorer",
    "one_point_auc_score",
    "score_alarms",
    "scorer_names",
    "specificity_score",
    "support_vector_share",
    "time_improvement",
    "type_1_error",
    "type_2_error",
]
