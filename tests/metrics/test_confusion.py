"""Rates of the confusion matrix, by hand and beside scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score, recall_score

from svmosaic.metrics import (
    cohen_kappa,
    one_point_auc_score,
    specificity_score,
    type_1_error,
    type_2_error,
)

TRUTH = ["no"] * 5 + ["yes"] * 3
FOUND = ["no", "no", "no", "yes", "yes", "yes", "yes", "no"]


def test_rates_by_hand():
    assert specificity_score(TRUTH, FOUND) == pytest.approx(3 / 5)
    assert type_1_error(TRUTH, FOUND) == pytest.approx(2 / 5)
    assert type_2_error(TRUTH, FOUND) == pytest.approx(1 / 3)
    assert one_point_auc_score(TRUTH, FOUND) == pytest.approx((1 + 2 / 3 - 2 / 5) / 2)


def test_pos_label_swaps_the_two_errors():
    assert type_1_error(TRUTH, FOUND, pos_label="no") == type_2_error(TRUTH, FOUND)
    assert specificity_score(TRUTH, FOUND, pos_label="no") == pytest.approx(2 / 3)


def test_macro_is_the_mean_over_positive_classes():
    truth, found = [0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 0]
    each = [specificity_score(truth, found, pos_label=label) for label in (0, 1, 2)]

    assert specificity_score(truth, found, average="macro") == pytest.approx(np.mean(each))


def test_three_classes_are_refused_without_an_average():
    with pytest.raises(ValueError, match="for 2 classes, and 3 were found"):
        specificity_score([0, 1, 2], [0, 1, 1])
    with pytest.raises(ValueError, match="'average' must be 'binary' or 'macro'"):
        specificity_score([0, 1], [0, 1], average="micro")


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_against_scikit_learn(pairs):
    truth = np.array([0, 1] + [int(t) for t, _ in pairs])
    found = np.array([0, 1] + [int(f) for _, f in pairs])

    assert specificity_score(truth, found) == recall_score(truth, found, pos_label=0)
    assert one_point_auc_score(truth, found) == pytest.approx(balanced_accuracy_score(truth, found))
    assert cohen_kappa(truth, found) == pytest.approx(cohen_kappa_score(truth, found))


def test_kappa_of_one_class_is_chance():
    assert cohen_kappa([1, 1, 1], [1, 1, 1]) == 0.0
    assert cohen_kappa([1, 1, 2, 2], [1, 1, 2, 2]) == 1.0


def test_kappa_of_three_classes_with_names():
    truth, found = ["a", "b", "c", "c", "b"], ["a", "c", "c", "c", "b"]

    assert cohen_kappa(truth, found) == pytest.approx(cohen_kappa_score(truth, found))
