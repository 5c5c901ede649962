"""Every generator against a plain transcription of its definition, and its frequencies."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svmosaic.streams import (
    LED,
    SEA,
    STAGGER,
    Agrawal,
    Hyperplane,
    Mixed,
    RandomRBF,
    RandomTree,
    Sine,
    Waveform,
)
from svmosaic.streams.block_seeds import Purpose, block_rng

MANY = 40_000
# Four standard deviations of a frequency over that many samples.
NEAR = 4 * 0.5 / math.sqrt(MANY)


def sea(theta):
    return lambda a, b, c: 0 if a + b <= theta else 1


def mixed(v, w, x, y):
    z = y < 0.5 + 0.3 * math.sin(3 * math.pi * x)
    return 0 if (v and w) or (v and z) or (w and z) else 1


def within(value, low, high):
    return low * 1000 <= value <= high * 1000


def by_age(age, low, middle, high):
    return low if age < 40 else middle if age < 60 else high


def agrawal_4(salary, commission, age, level, *rest):
    if age < 40:
        group_a = within(salary, 25, 75) if level in (0, 1) else within(salary, 50, 100)
    elif age < 60:
        group_a = within(salary, 50, 100) if level in (1, 2, 3) else within(salary, 75, 125)
    else:
        group_a = within(salary, 50, 100) if level in (2, 3, 4) else within(salary, 25, 75)
    return int(not group_a)


def agrawal_5(salary, commission, age, level, car, zipcode, house, years, loan):
    if age < 40:
        group_a = within(loan, 100, 300) if within(salary, 50, 100) else within(loan, 200, 400)
    elif age < 60:
        group_a = within(loan, 200, 400) if within(salary, 75, 125) else within(loan, 300, 500)
    else:
        group_a = within(loan, 300, 500) if within(salary, 25, 75) else within(loan, 100, 300)
    return int(not group_a)


def agrawal_10(salary, commission, age, level, car, zipcode, house, years, loan):
    equity = house * (years - 20) / 10 if years >= 20 else 0
    return 0 if 2 * (salary + commission) / 3 - 5000 * level + equity / 5 - 10000 > 0 else 1


# Stream without noise -> the class of one point.
LITERAL = {
    SEA: {1: sea(8), 2: sea(9), 3: sea(7), 4: sea(9.5)},
    Sine: {
        1: lambda a, b: 1 if a < math.sin(b) else 0,
        2: lambda a, b: 0 if a < math.sin(b) else 1,
        3: lambda a, b: 1 if a < 0.5 + 0.3 * math.sin(3 * math.pi * b) else 0,
        4: lambda a, b: 0 if a < 0.5 + 0.3 * math.sin(3 * math.pi * b) else 1,
    },
    Mixed: {1: mixed, 2: lambda *point: 1 - mixed(*point)},
    STAGGER: {
        1: lambda size, colour, shape: int(size == 0 and colour == 0),
        2: lambda size, colour, shape: int(colour == 2 or shape == 0),
        3: lambda size, colour, shape: int(size in (1, 2)),
    },
    Agrawal: {
        1: lambda s, c, age, *r: 0 if age < 40 or age >= 60 else 1,
        2: lambda s, c, age, *r: int(
            not by_age(age, within(s, 50, 100), within(s, 75, 125), within(s, 25, 75))
        ),
        3: lambda s, c, age, e, *r: int(
            not by_age(age, e in (0, 1), e in (1, 2, 3), e in (2, 3, 4))
        ),
        4: agrawal_4,
        5: agrawal_5,
        6: lambda s, c, age, *r: int(
            not by_age(age, within(s + c, 50, 100), within(s + c, 75, 125), within(s + c, 25, 75))
        ),
        7: lambda s, c, age, e, *r: 0 if 2 * (s + c) / 3 - r[-1] / 5 - 20000 > 0 else 1,
        8: lambda s, c, age, e, *r: 0 if 2 * (s + c) / 3 - 5000 * e - 20000 > 0 else 1,
        9: lambda s, c, age, e, *r: 0 if 2 * (s + c) / 3 - 5000 * e - r[-1] / 5 - 10000 > 0 else 1,
        10: agrawal_10,
    },
}
QUIET = {SEA: {"noise": 0.0}, Agrawal: {"perturbation": 0.0}}
FUNCTIONS = [(maker, function) for maker, rules in LITERAL.items() for function in rules]


@pytest.mark.parametrize(("maker", "function"), FUNCTIONS)
@pytest.mark.parametrize("balance", [False, True])
def test_labels_are_those_of_the_definition(maker, function, balance):
    made = maker(function, seed=3, balance=balance, **QUIET.get(maker, {}))

    X, y = made.read(500, 1500)

    assert y.tolist() == [LITERAL[maker][function](*point) for point in X.tolist()]
    assert np.array_equal(made.label(X), y)


@pytest.mark.parametrize(("maker", "function"), FUNCTIONS)
def test_balanced_classes_alternate_and_begin_with_one(maker, function):
    made = maker(function, seed=3, balance=True, **QUIET.get(maker, {}))

    _, y = made.read(0, 2500)

    assert np.array_equal(y, 1 - np.arange(2500) % 2)


@pytest.mark.parametrize(
    ("made", "share"),
    [
        (SEA(1, noise=0.0), 1 - 0.32),
        (SEA(2, noise=0.0), 1 - 0.405),
        (SEA(3, noise=0.0), 1 - 0.245),
        (SEA(4, noise=0.0), 1 - 0.45125),
        (SEA(1, noise=0.1), 0.1 + 0.8 * (1 - 0.32)),
        (Sine(1), 1 - math.cos(1)),
        (Sine(2), math.cos(1)),
        (Sine(3), 0.5 + 0.2 / math.pi),
        (Mixed(1), 1 - (0.25 + 0.5 * (0.5 + 0.2 / math.pi))),
        (STAGGER(1), 1 / 9),
        (STAGGER(2), 5 / 9),
        (STAGGER(3), 2 / 3),
        (Agrawal(1), 20 / 61),
        (Hyperplane(), 0.5),
    ],
    ids=lambda value: value.name if hasattr(value, "name") else None,
)
def test_classes_are_as_frequent_as_they_should_be(made, share):
    assert np.mean(made.read(0, MANY)[1]) == pytest.approx(share, abs=NEAR)


def test_balance_does_not_change_the_distribution_within_a_class():
    plain, balanced = SEA(1, noise=0.0, seed=1), SEA(1, noise=0.0, seed=2, balance=True)

    means = []
    for made in (plain, balanced):
        X, y = made.read(0, MANY)
        means.append([X[y == code].mean(axis=0) for code in (0, 1)])

    assert np.allclose(means[0], means[1], atol=0.12)


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.3])
def test_noise_turns_over_so_many_labels(noise):
    made = SEA(3, noise=noise, seed=1)
    X, y = made.read(0, MANY)

    assert np.mean(made.label(X) != y) == pytest.approx(noise, abs=NEAR)


def test_irrelevant_features_say_nothing():
    X, y = Sine(1, n_irrelevant=2).read(0, MANY)

    correlations = np.corrcoef(X.T, y)[-1, :-1]

    assert np.abs(correlations[:2]).min() > 0.2
    assert np.abs(correlations[2:]).max() < 0.03
    assert (X >= 0).all()
    assert (X <= 1).all()


def test_features_fill_their_ranges():
    for made, low, high in (
        (SEA(), 0, 10),
        (Sine(), 0, 1),
        (Mixed(), 0, 1),
        (STAGGER(), 0, 2),
        (Hyperplane(), 0, 1),
    ):
        X, _ = made.read(0, MANY)
        assert X.min(axis=0) == pytest.approx(low, abs=0.01 * high)
        assert X.max(axis=0) == pytest.approx(high, abs=0.01 * high)
        assert X.mean(axis=0) == pytest.approx((low + high) / 2, abs=0.02 * high)


def test_applicants_have_the_declared_features():
    X, _ = Agrawal(1, perturbation=0.0).read(0, MANY)
    salary, commission, age, level, car, zipcode, house, years, loan = X.T

    assert 20_000 <= salary.min() <= salary.max() <= 150_000
    assert ((commission == 0) == (salary >= 75_000)).all()
    assert commission[commission > 0].min() >= 10_000
    assert sorted(set(age)) == list(range(20, 81))
    assert sorted(set(level)) == list(range(5))
    assert sorted(set(car)) == list(range(20))
    assert sorted(set(zipcode)) == list(range(9))
    assert sorted(set(years)) == list(range(1, 31))
    ratio = house / (100_000 * (9 - zipcode))
    assert 0.5 <= ratio.min() <= 0.501
    assert 1.499 <= ratio.max() <= 1.5
    assert loan.max() <= 500_000


def test_perturbation_moves_features_within_their_ranges_and_keeps_labels():
    plain, moved = Agrawal(2, perturbation=0.0, seed=1), Agrawal(2, perturbation=0.05, seed=1)

    (X, y), (X_moved, y_moved) = plain.read(0, 1000), moved.read(0, 1000)

    assert np.array_equal(y, y_moved)
    assert np.array_equal(X[:, [3, 4, 5]], X_moved[:, [3, 4, 5]])
    assert 0 < np.abs(X - X_moved)[:, 0].max() <= 0.05 * 130_000
    assert X_moved[:, 0].max() <= 150_000
    assert set(X_moved[:, 2]) <= set(range(20, 81))
    assert ((X[:, 1] == 0) == (X_moved[:, 1] == 0)).all()


def test_a_display_without_noise_shows_its_digit():
    X, y = LED(noise=0.0, n_irrelevant=0).read(0, 1000)

    shown = {digit: {tuple(row) for row in X[y == digit]} for digit in range(10)}

    assert all(len(rows) == 1 for rows in shown.values())
    assert len(set.union(*shown.values())) == 10
    # The number of segments that are lit on any such display.
    lit = [sum(next(iter(shown[digit]))) for digit in range(10)]
    assert lit == [6, 2, 5, 5, 4, 5, 6, 3, 7, 6]


def test_every_segment_fails_with_the_given_probability():
    noisy, quiet = LED(noise=0.1, seed=5).read(0, MANY), LED(noise=0.0, seed=5).read(0, MANY)

    assert np.array_equal(noisy[1], quiet[1])
    failed = (noisy[0] != quiet[0]).mean(axis=0)
    assert failed[:7] == pytest.approx(0.1, abs=NEAR)
    assert (failed[7:] == 0).all()
    assert noisy[0][:, 7:].mean(axis=0) == pytest.approx(0.5, abs=NEAR)
    assert np.bincount(noisy[1]) / MANY == pytest.approx(0.1, abs=NEAR)


@pytest.mark.parametrize("n_drift", [1, 4, 7])
def test_segments_change_places_with_irrelevant_features(n_drift):
    plain = LED(seed=2).read(0, 1000)
    made = LED(seed=2, n_drift_features=n_drift)
    X, y = made.read(0, 1000)

    moved = np.flatnonzero(made.places != np.arange(24))

    assert np.array_equal(y, plain[1])
    assert np.array_equal(X[:, made.places], plain[0])
    assert (moved < 7).sum() == (moved >= 7).sum() == n_drift
    assert np.array_equal(made.places[made.places], np.arange(24))


def test_waves_have_the_published_means():
    X, y = Waveform(n_irrelevant=19, seed=1).read(0, MANY)
    triangle = [0, 1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1, 0]
    waves = np.zeros((3, 21))
    waves[0, 0:13] = waves[1, 8:21] = waves[2, 4:17] = triangle

    for code, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        mean = X[y == code].mean(axis=0)
        assert mean[:21] == pytest.approx((waves[a] + waves[b]) / 2, abs=0.1)
        assert mean[21:] == pytest.approx(0, abs=0.05)
        # Variance of u h_a + (1 - u) h_b is (h_a - h_b)^2 / 12, and the noise has 1.
        variance = 1 + (waves[a] - waves[b]) ** 2 / 12
        assert X[y == code].var(axis=0)[:21] == pytest.approx(variance, rel=0.1)
    assert np.bincount(y) / MANY == pytest.approx(1 / 3, abs=NEAR)


def test_spheres_lie_round_their_centroids():
    made = RandomRBF(n_centroids=5, n_features=4, n_classes=3, seed=6)
    X, y = made.read(0, MANY)

    # In four dimensions a distance |N(0, s)| is often small: the nearest centre is the own one
    # for most samples, and those say what is wanted.
    distances = np.linalg.norm(X[:, None] - made.centres(0), axis=2)
    nearest = distances.argmin(axis=1)
    certain = distances.min(axis=1) < 0.02

    assert certain.sum() > 1000
    assert np.array_equal(y[certain], made._labels[nearest[certain]])


def test_the_distance_to_a_single_centroid_is_normal():
    made = RandomRBF(n_centroids=1, n_features=6, n_classes=2, seed=3)
    X, y = made.read(0, MANY)

    distances = np.linalg.norm(X - made.centres(0)[0], axis=1)

    assert len(set(y)) == 1
    width = made._widths[0]
    assert distances.mean() == pytest.approx(width * math.sqrt(2 / math.pi), rel=0.02)
    assert np.sqrt((distances**2).mean()) == pytest.approx(width, rel=0.02)


def test_centroids_are_drawn_by_weight():
    made = RandomRBF(n_centroids=8, n_classes=8, seed=1)
    weights = np.diff(made._cumulated, prepend=0.0)
    expected = np.bincount(made._labels, weights, 8) / weights.sum()

    found = np.bincount(made.read(0, MANY)[1], minlength=8) / MANY

    assert found == pytest.approx(expected, abs=NEAR)


def test_moving_centres_follow_the_step_by_step_rule():
    made = RandomRBF(n_centroids=6, n_features=3, speed=0.01, n_drift_centroids=4, seed=2)
    centres = made._centres.copy()
    steps = made._velocities.copy()

    for t in range(1000):
        centres += steps
        outside = (centres > 1) | (centres < 0)
        centres = np.where(centres > 1, 2 - centres, np.where(centres < 0, -centres, centres))
        steps[outside] *= -1
        if t % 97 == 0:
            assert made.centres(t) == pytest.approx(centres, abs=1e-9)
    assert np.linalg.norm(made._velocities[:4], axis=1) == pytest.approx(0.01)
    assert np.array_equal(made.centres(10**6)[4:], made._centres[4:])


def test_samples_lie_round_the_moved_centre():
    made = RandomRBF(n_centroids=1, n_features=3, speed=0.001, seed=1)
    X, _ = made.read(700, 300)

    middle = X.mean(axis=0)

    assert np.linalg.norm(middle - made.centres(850)[0]) < np.linalg.norm(
        middle - made.centres(0)[0]
    )


def literal_weights(made, position):
    """Walk step by step, with the same draws."""
    weights = made.weights(0).tolist()
    direction = [1] * made.n_drift_features
    for t in range(position):
        if t % 1000 == 0:
            draws = block_rng(made.seed, Purpose.DRIFT, t // 1000).random((1000, len(direction)))
        for i in range(made.n_drift_features):
            weights[i] += direction[i] * made.magnitude
            if draws[t % 1000, i] < made.sigma:
                direction[i] = -direction[i]
    return weights


@pytest.mark.parametrize("position", [0, 1, 2, 999, 1000, 1001, 2345])
def test_weights_walk_as_the_step_by_step_rule_says(position):
    made = Hyperplane(n_features=5, n_drift_features=3, magnitude=0.01, sigma=0.2, seed=4)

    assert made.weights(position) == pytest.approx(literal_weights(made, position), abs=1e-9)


@given(begin=st.integers(0, 5000))
def test_the_hyperplane_divides_the_samples(begin):
    made = Hyperplane(n_features=4, n_drift_features=4, magnitude=0.1, noise=0.0, seed=4)

    (x,), (label,) = made.read(begin, 1)
    weights = made.weights(begin)

    assert label == int(weights @ x >= 0.5 * weights.sum())


def test_directions_turn_with_probability_sigma():
    made = Hyperplane(n_drift_features=10, magnitude=1.0, sigma=0.1)
    weights = np.array([made.weights(t) for t in range(1500)])

    turned = np.diff(np.sign(np.diff(weights, axis=0)), axis=0) != 0

    assert turned.mean() == pytest.approx(0.1, abs=0.012)


def literal_leaf(tree, point):
    node = 0
    while tree._features[node] >= 0:
        value = point[tree._features[node]]
        if tree._features[node] < tree.n_numeric:
            branch = int(value >= tree._thresholds[node])
        else:
            branch = int(value)
        node = tree._first_children[node] + branch
    return tree._labels[node]


@pytest.mark.parametrize("seed", range(5))
def test_samples_have_the_class_of_their_leaf(seed):
    made = RandomTree(n_classes=4, n_numeric=3, n_nominal=2, n_values=3, seed=seed)

    X, y = made.read(0, 1000)

    assert y.tolist() == [literal_leaf(made, point) for point in X]
    assert set(X[:, 3:].ravel()) == {0, 1, 2}


def test_a_tree_has_leaves_only_where_it_may():
    made = RandomTree(n_numeric=4, n_nominal=0, max_depth=6, first_leaf_level=4, seed=3)
    depth = {0: 0}
    for node, feature in enumerate(made._features):
        if feature >= 0:
            first = made._first_children[node]
            depth |= {first: depth[node] + 1, first + 1: depth[node] + 1}

    leaves = [depth[node] for node in depth if made._features[node] < 0]

    assert len(depth) == made._features.size
    assert min(leaves) >= 4
    assert max(leaves) == 6


def test_a_nominal_feature_is_asked_for_once_on_a_branch():
    made = RandomTree(n_numeric=0, n_nominal=2, n_values=2, max_depth=5, leaf_fraction=0.0)

    # Two features with two values: four leaves, then nothing is left to ask.
    assert (made._features < 0).sum() == 4
