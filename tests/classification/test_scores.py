"""Scores from confusion matrices are scikit-learn's scores."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    confusion_matrix,
    f1_score,
)

from svmosaic.classification.scores import SCORES

THEIRS = {
    "accuracy": accuracy_score,
    "balanced_accuracy": balanced_accuracy_score,
    "f1_macro": lambda y, p, sample_weight: f1_score(
        y, p, average="macro", sample_weight=sample_weight, zero_division=0.0
    ),
}


@pytest.mark.parametrize("name", SCORES)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 30), n_classes=st.integers(2, 5))
def test_scores_are_those_of_scikit_learn(name, seed, n, n_classes):
    rng = np.random.default_rng(seed)
    y, predicted = rng.integers(0, n_classes, (2, n))
    weights = rng.choice([0.5, 1.0, 2.0], n)
    confusion = confusion_matrix(
        y, predicted, labels=np.arange(n_classes), sample_weight=weights
    ).astype(float)

    with warnings.catch_warnings():
        # Balanced accuracy speaks up when a class is predicted that does not occur.
        warnings.simplefilter("ignore", UserWarning)
        expected = THEIRS[name](y, predicted, sample_weight=weights)

    assert SCORES[name](confusion[None])[0] == pytest.approx(expected)
