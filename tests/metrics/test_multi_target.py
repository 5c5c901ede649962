"""Measures of several targets, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor

from svmosaic.metrics.multi_target import (
    SCORES,
    average_correlation,
    average_rmse,
    average_rrmse,
    in_units_of_training,
    make_multi_target_scorer,
    total_mse,
)

TRUE = np.array([[1.0, 10.0], [2.0, 30.0], [3.0, 20.0]])
PREDICTED = np.array([[1.0, 12.0], [2.0, 24.0], [4.0, 20.0]])
TRAIN = np.array([[0.0, 20.0], [2.0, 40.0]])  # means 1 and 30


def test_mse_is_the_sum_over_targets():
    assert total_mse(TRUE, PREDICTED) == pytest.approx(1 / 3 + (4 + 36) / 3)


def test_armse_is_the_mean_over_targets():
    assert average_rmse(TRUE, PREDICTED) == pytest.approx((np.sqrt(1 / 3) + np.sqrt(40 / 3)) / 2)


def test_arrmse_divides_by_the_error_of_the_training_mean():
    of_mean = (0 + 1 + 4, 400 + 0 + 100)

    value = average_rrmse(TRUE, PREDICTED, TRAIN)

    assert value == pytest.approx((np.sqrt(1 / of_mean[0]) + np.sqrt(40 / of_mean[1])) / 2)


def test_arrmse_without_training_rows_divides_by_the_error_of_the_own_mean():
    assert average_rrmse(TRUE, np.tile(TRUE.mean(axis=0), (3, 1))) == pytest.approx(1.0)


def test_a_mean_without_error_is_never_divided_by():
    flat = np.ones((3, 1))

    assert average_rrmse(flat, flat, flat) == 1.0
    assert average_rrmse(flat, flat + 1, flat) == np.inf


def test_acc_centres_true_values_on_the_training_mean():
    true, predicted = TRUE - [1.0, 30.0], PREDICTED - PREDICTED.mean(axis=0)
    norms = np.sqrt((true**2).sum(axis=0) * (predicted**2).sum(axis=0))
    expected = (true * predicted).sum(axis=0) / norms

    assert average_correlation(TRUE, PREDICTED, TRAIN) == pytest.approx(np.mean(expected))


def test_acc_without_training_rows_is_the_usual_correlation():
    usual = [np.corrcoef(TRUE[:, j], PREDICTED[:, j])[0, 1] for j in range(2)]

    assert average_correlation(TRUE, PREDICTED) == pytest.approx(np.mean(usual))


def test_a_constant_target_counts_zero():
    assert average_correlation(np.ones((3, 1)), PREDICTED[:, :1]) == 0.0
    assert average_correlation(TRUE[:, :1], np.ones((3, 1))) == 0.0


@pytest.mark.parametrize("name", SCORES)
def test_scores_are_highest_for_the_truth(name):
    score = SCORES[name]

    assert score(TRUE, TRUE, TRUE) > score(TRUE, PREDICTED, TRUE)


def test_a_scorer_takes_a_model():
    model = DummyRegressor().fit(np.zeros((3, 1)), TRUE)
    score = make_multi_target_scorer("neg_total_mse")

    expected = -total_mse(TRUE, np.tile(TRUE.mean(axis=0), (3, 1)))
    assert score(model, np.zeros((3, 1)), TRUE) == pytest.approx(expected)


def test_shapes_must_agree():
    with pytest.raises(ValueError, match="the same shape"):
        total_mse(TRUE, PREDICTED[:2])
    with pytest.raises(ValueError, match="2 columns"):
        average_rrmse(TRUE, PREDICTED, TRAIN[:, :1])


def test_errors_in_units_of_training_do_not_depend_on_the_units():
    true, predicted = in_units_of_training(TRUE, PREDICTED, TRAIN)

    # The standard deviations of the training rows are the roots of 2 and of 200.
    assert total_mse(true, predicted) == pytest.approx((1 / 3) / 2 + (40 / 3) / 200)
    for name in ("neg_scaled_mse", "neg_scaled_rmse"):
        plain = SCORES[name](TRUE, PREDICTED, TRAIN)
        assert SCORES[name](7 * TRUE, 7 * PREDICTED, 7 * TRAIN) == pytest.approx(plain)


def test_a_target_that_does_not_vary_in_training_keeps_its_unit():
    true, predicted = in_units_of_training([[2.0]], [[5.0]], [[1.0], [1.0]])

    assert (true[0, 0], predicted[0, 0]) == (2.0, 5.0)
