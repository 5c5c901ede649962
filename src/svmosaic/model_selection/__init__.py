"""Protocols that estimate how good a method is, and searches for its parameters.

Everything here takes any scikit-learn estimator. Put scaling into a pipeline, so that it sees
training rows only.
"""

from __future__ import annotations

from svmosaic.model_selection.derived_seeds import derive_seed
from svmosaic.model_selection.evaluation import Evaluation, SplitResult
from svmosaic.model_selection.pattern_search import PatternSearchCV
from svmosaic.model_selection.protocols import holdout_cv, monte_carlo_cv, nested_cv

__all__ = [
    "Evaluation",
    "PatternSearchCV",
    "SplitResult",
    "derive_seed",
    "holdout_cv",
    "monte_carlo_cv",
    "nested_cv",
]
