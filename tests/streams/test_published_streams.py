"""The streams of the published tables."""

import numpy as np
import pytest

from svmosaic.datasets import describe
from svmosaic.exceptions import DataNotFoundError
from svmosaic.streams import describe_stream, list_streams, stream

# Rows of table 6.5, in its order.
TABLE = [
    "CovType",
    "Census",
    "Shuttle",
    "RBFNoDrift",
    "LEDNoDrift",
    "HyperplaneSlow",
    "HyperplaneFaster",
    "RBFGradualRecurring",
    "RBFBlips",
    "WaveformGenerator",
    "STAGGERGeneratorF1",
    "HyperplaneFaster02",
    "RBFGradualRecurringv2",
    "MixedGeneratorBT",
    "MixedGeneratorBF",
    "RandomRBFGeneratorC4A25",
    "RandomRBFGeneratorC4A50",
    "SineGeneratorF1BF",
    "SineGeneratorF2BF",
    "STAGGERGeneratorF1BF",
    "STAGGERGeneratorF2BF",
    "HyperplaneFasterAN5",
    "SEASuddenAN0",
    "SEASuddenAN05",
]
GENERATED = [name for name in list_streams() if describe_stream(name).data is None]
DATA = [name for name in list_streams() if describe_stream(name).data is not None]


def test_the_table_is_complete_and_in_order():
    assert list(list_streams("6.5")) == TABLE
    assert len(list_streams("6.2")) == 15
    assert set(list_streams()) - set(TABLE) == {"HyperplaneFasterAN0"}


@pytest.mark.parametrize("name", list_streams())
def test_every_stream_has_its_reasons(name):
    info = describe_stream(name)

    assert info.name == name
    assert len(info.reason) > 20
    assert (info.data is None) == bool(info.concepts)


@pytest.mark.parametrize("name", GENERATED)
def test_a_stream_is_what_the_registry_says(name):
    info = describe_stream(name)

    made = stream(name)
    X, y = made.read(0, 3000)

    assert made.name == name
    assert made.length == info.n_samples == 1_000_000
    assert X.shape == (3000, info.n_features)
    assert made.classes.size == info.n_classes
    assert set(np.unique(y)) == set(made.classes)


@pytest.mark.parametrize("name", DATA)
def test_a_data_set_is_as_large_as_the_registry_says(name):
    info = describe_stream(name)
    data = describe(info.data)

    assert (info.n_samples, info.n_features, info.n_classes) == (
        data.n_samples,
        data.n_features,
        data.n_classes,
    )


def test_a_data_set_comes_in_its_own_order(load_real):
    data = load_real("shuttle")

    made = stream("Shuttle", n_samples=5000)
    X, y = made.read(1000, 9000)

    assert made.length == 5000
    assert np.array_equal(X, data.X[1000:5000])
    assert np.array_equal(y, data.y[1000:5000])
    with pytest.raises(ValueError, match="Shuttle has 58000 samples"):
        stream("Shuttle", n_samples=58_001)


@pytest.mark.parametrize("name", GENERATED)
def test_seeds_give_other_streams(name):
    first, again, other = (stream(name, n_samples=1000, seed=s).read(0, 1000) for s in (1, 1, 2))

    assert np.array_equal(first[0], again[0])
    assert not np.array_equal(first[0], other[0])


def test_drifts_keep_their_place_in_a_short_run():
    assert stream("SEASuddenAN05").drifts == (250_000, 500_000, 750_000)
    assert stream("SEASuddenAN05", n_samples=4000).drifts == (1000, 2000, 3000)
    assert stream("RBFGradualRecurring", n_samples=8000).drifts == (1000, 2000, 3000, 4000)
    assert stream("RBFBlips", n_samples=10_000).drifts == (2499, 4998, 7497, 9996)
    assert stream("HyperplaneSlow", n_samples=10_000).drifts == ()


def test_sudden_concepts_are_the_four_functions():
    made = stream("SEASuddenAN0", n_samples=80_000)
    X, y = made.read(0, 80_000)
    total = X[:, 0] + X[:, 1]

    for part, threshold in enumerate((8, 9, 7, 9.5)):
        rows = slice(20_000 * part, 20_000 * (part + 1))
        wrong = (total[rows] > threshold) != y[rows]
        assert wrong.mean() == pytest.approx(0.1, abs=0.01)


def test_attribute_noise_is_all_that_two_streams_differ_by():
    (X, y), (X_noisy, y_noisy) = (
        stream(name, n_samples=5000).read(0, 5000) for name in ("SEASuddenAN0", "SEASuddenAN05")
    )

    assert np.array_equal(y, y_noisy)
    assert (X_noisy - X).std() == pytest.approx(0.05 * 10 / np.sqrt(12), rel=0.05)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("STAGGERGeneratorF1", "STAGGERGeneratorF1BF"),
        ("HyperplaneFaster", "HyperplaneFasterAN0"),
    ],
)
def test_streams_with_equal_printed_results_are_equal(first, second):
    ours, theirs = (stream(name, n_samples=1000).read(0, 1000) for name in (first, second))

    assert np.array_equal(ours[0], theirs[0])
    assert np.array_equal(ours[1], theirs[1])


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("hyperplaneslow", "Did you mean 'HyperplaneSlow'"),
        ("RBFBlip", "Did you mean 'RBFBlips'"),
        ("xyz", "svmosaic stream list"),
    ],
)
def test_an_unknown_name_earns_an_offer(name, sentence):
    with pytest.raises(DataNotFoundError, match=sentence):
        stream(name)


@pytest.mark.parametrize(
    ("name", "accuracy", "kappa"),
    [
        ("RBFNoDrift", 94.21, 88.42),
        ("LEDNoDrift", 73.83, 70.92),
        ("HyperplaneFaster", 89.51, 79.02),
        ("RandomRBFGeneratorC4A25", 99.12, 98.82),
        ("RandomRBFGeneratorC4A50", 99.74, 99.65),
        ("RBFBlips", 99.07, 98.74),
        ("RBFGradualRecurring", 98.41, 97.88),
        ("SineGeneratorF1BF", 97.79, 95.55),
    ],
)
def test_classes_are_as_frequent_as_the_printed_kappa_says(name, accuracy, kappa):
    y = stream(name, n_samples=100_000).read(0, 100_000)[1]

    chance = np.sum((np.unique(y, return_counts=True)[1] / y.size) ** 2)

    # kappa = (accuracy - chance) / (1 - chance), for predictions as frequent as the classes.
    assert 1 - chance == pytest.approx((100 - accuracy) / (100 - kappa), abs=0.02)
