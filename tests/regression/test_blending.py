"""Weights that several targets share."""

from __future__ import annotations

import numpy as np
import pytest

from svmosaic.regression.blending import blend_weights, shared_weights

PRIORS = np.array([1.0, 10.0, 100.0, 1000.0])


def _problem(truth, n_rows, seed):
    """Parts of independent errors; the targets are their means with the true weights, and noise."""
    rng = np.random.default_rng(seed)
    n_parts, n_targets = truth.shape
    parts = rng.normal(size=(n_parts, n_rows, n_targets))
    targets = np.einsum("kit,kt->it", parts, truth)
    targets += rng.normal(size=targets.shape)
    return parts, targets


def _distance(weights, truth):
    return float(np.sum((weights - truth) ** 2))


def _found(parts, targets):
    return shared_weights(parts, targets, PRIORS, np.random.RandomState(0))


@pytest.fixture(params=[0, 1, 2])
def alike(request):
    """Ten targets with the same true weights, and few rows."""
    truth = np.tile([[0.7], [0.3], [0.0], [0.0]], 10)
    return truth, *_problem(truth, 30, request.param)


def test_targets_that_are_alike_share_their_weights(alike):
    truth, parts, targets = alike
    weights, prior = _found(parts, targets)
    alone = np.column_stack(
        [blend_weights(parts[:, :, t].T, targets[:, t], 1.0) for t in range(10)]
    )

    assert prior >= 100.0
    assert _distance(weights, truth) < _distance(alone, truth) / 3
    np.testing.assert_allclose(weights.sum(axis=0), 1.0)
    assert (weights >= 0.0).all()


def test_targets_that_differ_have_weights_of_their_own():
    truth = np.eye(4)
    parts, targets = _problem(truth, 300, 0)

    weights, prior = _found(parts, targets)

    assert prior <= 10.0
    assert _distance(weights, truth) < 0.05


def test_weights_shrink_towards_the_centre():
    rng = np.random.default_rng(0)
    parts, target = rng.normal(size=(20, 3)), rng.normal(size=20)
    centre = np.array([0.2, 0.5, 0.3])

    far, near = (blend_weights(parts, target, prior, centre) for prior in (1.0, 1e6))

    np.testing.assert_allclose(near, centre, atol=1e-4)
    assert np.abs(far - centre).max() > 0.05


def test_targets_without_error_are_no_obstacle():
    parts = np.zeros((2, 10, 2))
    parts[:, :, 1] = np.random.default_rng(0).normal(size=(2, 10))

    weights, _ = _found(parts, np.zeros((10, 2)))

    assert np.isfinite(weights).all()
    np.testing.assert_allclose(weights.sum(axis=0), 1.0)


def test_one_row_is_enough():
    weights, _ = _found(np.ones((3, 1, 1)), np.ones((1, 1)))

    np.testing.assert_allclose(weights, 1.0 / 3.0, atol=1e-4)
