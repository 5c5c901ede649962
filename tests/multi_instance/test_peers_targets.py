"""Diverse Density, EM-DD and the optimal ball, on problems solved by hand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime

from svmosaic.multi_instance import Bags
from svmosaic.multi_instance.peers import (
    DiverseDensityClassifier,
    EMDDClassifier,
    MIOptimalBallClassifier,
)
from svmosaic.multi_instance.peers.target_point import (
    TargetPoint,
    density,
    find_target,
    log_noisy_or,
    starting_rows,
)


def _bags(*values):
    """Bags of instances with one feature."""
    return [np.array(bag, dtype=float)[:, np.newaxis] for bag in values]


def test_density_by_hand():
    # All p are 1/2. Two instances of a positive bag: 1 - 1/4. One negative: 1/2.
    loss, _ = density(np.full(3, np.log(2.0)), np.array([0, 2, 3]), np.array([True, False]))

    assert_allclose(loss, -np.log(0.75) - np.log(0.5))


@pytest.mark.parametrize("scale", [0.01, 1.0, 10.0, 30.0])
def test_slopes_of_the_density_are_its_derivatives(scale):
    distances = scale * np.array([0.3, 1.2, 0.9, 2.0, 0.4])
    offsets, positive = np.array([0, 2, 3, 5]), np.array([True, True, False])

    _, slopes = density(distances, offsets, positive)

    wanted = approx_fprime(distances, lambda d: density(d, offsets, positive)[0], 1e-7 * scale)
    assert_allclose(slopes, wanted, rtol=1e-4, atol=1e-6)


def test_far_bags_do_not_underflow():
    # exp(-2000) is no double; the probability is 2 exp(-2000).
    assert_allclose(log_noisy_or(np.array([2000.0, 2000.0]), np.array([0, 2])), np.log(2) - 2000)
    loss, slopes = density(np.array([2000.0, 2000.0]), np.array([0, 2]), np.array([True]))
    assert_allclose(slopes, [0.5, 0.5])
    assert np.isfinite(loss)


def test_noisy_or_is_the_plain_formula():
    distances = np.random.default_rng(0).exponential(size=7)
    offsets = np.array([0, 3, 4, 7])

    wanted = [np.log(1 - np.prod(1 - np.exp(-part))) for part in np.split(distances, [3, 4])]

    assert_allclose(log_noisy_or(distances, offsets), wanted)


def test_gradient_search_does_not_end_above_its_start():
    rng = np.random.default_rng(1)
    bags = Bags.from_list([rng.normal(size=(3, 2)) for _ in range(6)])
    positive = np.arange(6) % 2 == 0

    found = find_target(bags, positive, TargetPoint(bags.instances[0], np.ones(2)), 100)

    distances = ((bags.instances - bags.instances[0]) ** 2).sum(axis=1)
    assert found.loss < density(distances, bags.offsets, positive)[0]
    again = (((bags.instances - found.point) * found.scales) ** 2).sum(axis=1)
    assert_allclose(density(again, bags.offsets, positive)[0], found.loss)


@pytest.mark.parametrize("kind", [DiverseDensityClassifier, EMDDClassifier])
def test_target_between_single_instances(kind):
    # By symmetry the target is 0. With u = s^2 the loss is 2u - 2 log(1 - exp(-9u)), least where
    # exp(9u) = 10: s = sqrt(log(10) / 9), loss = 2 log(10) / 9 - 2 log(0.9).
    model = kind(max_iter=1000).fit(_bags([-1], [1], [-3], [3]), [1, 1, 0, 0])

    assert_allclose(model.target_, [0.0], atol=1e-3)
    assert_allclose(model.feature_scales_, [np.sqrt(np.log(10) / 9)], rtol=1e-3)
    assert_allclose(model.loss_, 2 * np.log(10) / 9 - 2 * np.log(0.9), rtol=1e-5)
    # p = exp(-u x^2) is a half at sqrt(9 log 2 / log 10) = 1.646.
    assert model.predict(_bags([1.6], [1.7], [-1.7, 1.6])).tolist() == [1, 0, 1]


@pytest.mark.parametrize("kind", [DiverseDensityClassifier, EMDDClassifier])
def test_a_feature_without_meaning_is_scaled_away(kind):
    rng = np.random.default_rng(2)
    bags, y = [], np.arange(40) % 2
    for label in y:
        bag = np.column_stack([rng.uniform(-10, 10, 4), rng.uniform(-10, 10, 4)])
        bag[np.abs(bag[:, 0] - 3) < 3, 0] = -5
        if label:
            bag[0, 0] = rng.normal(3, 0.3)
        bags.append(bag)

    model = kind(random_state=0).fit(bags, y)

    assert abs(model.target_[0] - 3) < 0.5
    assert model.feature_scales_[1] < 0.1 * model.feature_scales_[0]
    assert model.score(bags, y) == 1.0


def test_starts_come_from_the_smallest_positive_bags():
    bags = Bags(np.zeros((12, 1)), [0, 5, 7, 8, 12])
    positive = np.array([True, True, False, True])
    rng = np.random.RandomState(0)

    assert starting_rows(bags, positive, 1, 10, rng).tolist() == [5, 6]
    assert starting_rows(bags, positive, 2, 10, rng).tolist() == [5, 6, 8, 9, 10, 11]
    assert starting_rows(bags, positive, 2, 4, rng).size == 4


def test_ball_has_the_widest_gap():
    # Around 5 the bags are at 0, 1 and 5: radius 3. Around 6 at 1, 0 and 4, a narrower gap.
    model = MIOptimalBallClassifier().fit(_bags([5, 9], [6, 1], [0, 10]), [1, 1, 0])

    assert model.center_.tolist() == [[5.0]]
    assert model.center_row_ == 0
    assert model.radius_ == 3.0
    assert model.n_correct_ == 3
    assert_allclose(model.decision_function(_bags([5], [9], [-1, 7])), [3, -1, 1])


def test_ball_is_the_best_of_all_by_plain_loops():
    rng = np.random.default_rng(3)
    bags = [rng.normal(0.5 * (i % 2), 1, (rng.integers(1, 5), 2)) for i in range(20)]
    y = np.arange(20) % 2

    best = 0
    for center in np.vstack([bag for bag, label in zip(bags, y, strict=True) if label]):
        distances = np.array([np.linalg.norm(bag - center, axis=1).min() for bag in bags])
        best = max(best, *(((distances <= r) == y).sum() for r in distances))
    model = MIOptimalBallClassifier().fit(bags, y)

    assert model.n_correct_ == best
    assert (model.predict(bags) == y).sum() == best


def test_a_ball_around_everything_is_possible():
    # Any cut that leaves the negative bag out leaves two positive ones out.
    bags = _bags([0], [2], [20], [22], [11])

    model = MIOptimalBallClassifier().fit(bags, [1, 1, 1, 1, 0])

    assert model.n_correct_ == 4
    assert model.predict(bags).tolist() == [1] * 5
