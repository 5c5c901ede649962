"""Running scores against scikit-learn's on the same predictions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, cohen_kappa_score, f1_score

from svmosaic.streams.running_scores import MEASURES, RunningScores

LABELS = np.array(["c", "a", "b"])


def _wanted(y, p):
    accuracy = accuracy_score(y, p)
    most = np.unique(y, return_counts=True)[1].max() / len(y)
    return {
        "accuracy": accuracy,
        "kappa_m": 0.0 if most == 1 else (accuracy - most) / (1 - most),
        "f1_macro": f1_score(y, p, average="macro", zero_division=0),
    }


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=60),
    st.integers(1, 20),
    st.integers(1, 70),
)
def test_scores_in_parts_are_scores_of_the_whole(pairs, part, window):
    y, p = (np.array(column) for column in zip(*pairs, strict=True))
    scores = RunningScores(LABELS, window)
    for begin in range(0, len(y), part):
        scores.add(y[begin : begin + part], p[begin : begin + part])

    for found, labels, predicted in (
        (scores.scores(), y, p),
        (scores.windowed(), y[-window:], p[-window:]),
    ):
        for name, value in _wanted(labels, predicted).items():
            assert found[name] == pytest.approx(value, abs=1e-12), name
        if len({*labels, *predicted}) > 1:
            kappa = cohen_kappa_score(labels, predicted)
            assert found["kappa"] == pytest.approx(kappa, abs=1e-12)
    assert scores.n_scored == len(y)


def test_kappa_t_compares_with_the_label_before():
    scores = RunningScores([0, 1], 100)
    scores.add([0, 0, 1], [0, 0, 1])
    scores.add([1], [0])

    # Of four labels the second and the fourth are those before them.
    assert scores.scores()["kappa_t"] == pytest.approx((0.75 - 0.5) / 0.5)


def test_nothing_scored_is_not_a_number():
    assert np.isnan(list(RunningScores([0, 1], 5).scores().values())).all()
    assert tuple(RunningScores([0, 1], 5).scores()) == MEASURES


def test_a_prediction_of_no_class_is_wrong_and_a_label_of_none_is_refused():
    scores = RunningScores([0, 1], 5)
    scores.add([0, 1], [7, 1])
    assert scores.scores()["accuracy"] == 0.5
    with pytest.raises(ValueError, match="has the label 3, which is not among its classes"):
        scores.add([3], [0])


def test_a_label_that_nobody_predicted_is_the_label_before():
    scores = RunningScores([0, 1], window=10)
    scores.add([1, 1, 0], [])
    scores.add([1, 0, 0, 1], [0, 0])

    assert scores.n_scored == 2
    assert scores.n_same == 1  # of the last two labels the first repeats the one before
    scores.add([1], [1])
    assert scores.n_same == 2
