"""Concepts change where they should, and nowhere else."""

import numpy as np
import pytest

from svmosaic.streams import SEA, ArrayStream, AttributeNoise, Blips, ConceptDrift, Sine


def constant(label, length=None):
    """Return a stream whose samples tell which stream they are of."""
    n_rows = 20_000 if length is None else length
    return ArrayStream(np.arange(n_rows)[:, None] + 0.0, np.full(n_rows, label))


@pytest.mark.parametrize("width", [0, 1, 1.0])
def test_a_sudden_change_happens_at_its_position(width):
    made = ConceptDrift([constant(0), constant(1), constant(2)], [1500, 4000], width)

    X, y = made.read(0, 20_000)

    assert y.tolist() == [0] * 1500 + [1] * 2500 + [2] * 16_000
    assert np.array_equal(X[:, 0], np.arange(20_000))
    assert made.drifts == (1500, 4000)
    assert made.classes.tolist() == [0, 1, 2]


def test_a_gradual_change_follows_the_sigmoid():
    made = ConceptDrift([constant(0), constant(1)], [10_000], 4000, seed=3)
    y = made.read(0, 20_000)[1]

    shares = y.reshape(40, 500).mean(axis=1)
    times = 250 + 500 * np.arange(40)

    assert shares == pytest.approx(1 / (1 + np.exp(-4 * (times - 10_000) / 4000)), abs=0.09)
    assert (y[:1000] == 0).all()
    assert (y[-1000:] == 1).all()


def test_far_from_a_change_there_are_no_strays():
    made = ConceptDrift([constant(0), constant(1)], [10_000], 100)

    y = made.read(0, 20_000)[1]

    assert (y[:9000] == 0).all()
    assert (y[11_000:] == 1).all()
    assert 0 < y[9900:10_100].mean() < 1


def test_a_concept_comes_back():
    first, second = SEA(1, noise=0.0, seed=1), SEA(3, noise=0.0, seed=2)
    made = ConceptDrift([first, second, first], [2000, 3000])

    X, y = made.read(0, 5000)

    for concept, part in ((first, slice(0, 2000)), (second, slice(2000, 3000))):
        assert np.array_equal(concept.label(X[part]), y[part])
    assert np.array_equal(first.label(X[3000:]), y[3000:])
    assert not np.array_equal(first.label(X[2000:3000]), y[2000:3000])


def test_draws_between_concepts_are_independent_of_the_samples():
    # The same seed everywhere must not tie the choice of a concept to what it gives.
    made = ConceptDrift([Sine(1, seed=0), Sine(2, seed=0)], [10_000], 10_000, seed=0)
    X, _ = made.read(5000, 10_000)
    numbers = made.concept_numbers(5000, 10_000)

    assert abs(np.corrcoef(X[:, 0], numbers)[0, 1]) < 0.04


def test_the_seed_changes_a_gradual_mixture():
    concepts = [constant(0), constant(1)]

    first, again, other = (
        ConceptDrift(concepts, [10_000], 4000, seed=seed).read(0, 20_000)[1] for seed in (1, 1, 2)
    )

    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_each_change_may_have_its_own_width():
    made = ConceptDrift([constant(0), constant(1), constant(2)], [5000, 15_000], [1, 2000])

    y = made.read(0, 20_000)[1]

    assert (y[:5000] == 0).all()
    assert (y[5000:10_000] == 1).all()
    assert set(y[14_500:15_500]) == {1, 2}


def test_the_shortest_concept_ends_the_stream():
    made = ConceptDrift([constant(0, 900), SEA_like()], [500])

    assert made.length == 900


def SEA_like():
    return ArrayStream(np.zeros((2000, 1)), np.ones(2000, dtype=int))


def test_names_are_classes_too():
    first = ArrayStream(np.zeros((100, 1)), ["no"] * 100)
    second = ArrayStream(np.zeros((100, 1)), ["perhaps"] * 100)

    y = ConceptDrift([first, second], [50]).read(0, 100)[1]

    assert y.tolist() == ["no"] * 50 + ["perhaps"] * 50


def test_blips_interrupt_at_equal_distances():
    made = Blips(constant(0), constant(1), every=3000, length=200)

    y = made.read(0, 20_000)[1]

    assert made.drifts == tuple(range(3000, 20_000, 3000))
    assert np.flatnonzero(y).tolist() == [t for t in range(20_000) if t >= 3000 and t % 3000 < 200]


def test_endless_blips_mark_the_first_ones():
    assert len(Blips(SEA(1), SEA(2), every=10, length=1).drifts) == 1000


def test_marks_of_an_interrupted_stream_stay():
    drifting = ConceptDrift([constant(0), constant(1)], [5000])

    assert Blips(drifting, constant(2), every=8000, length=10).drifts == (5000, 8000, 16_000)


def test_attribute_noise_has_the_given_size_and_keeps_labels():
    clean = SEA(1, noise=0.0)
    noisy = AttributeNoise(clean, 0.2, seed=1)

    (X, y), (X_noisy, y_noisy) = clean.read(500, 20_000), noisy.read(500, 20_000)

    assert np.array_equal(y, y_noisy)
    difference = X_noisy - X
    assert difference.mean(axis=0) == pytest.approx(0, abs=0.02)
    assert difference.std(axis=0) == pytest.approx(0.2 * 10 / np.sqrt(12), rel=0.05)
    assert np.abs(np.corrcoef(difference.T) - np.eye(3)).max() < 0.03


def test_shuffling_is_a_permutation_and_has_a_seed():
    X, y = np.arange(50.0)[:, None], np.arange(50) % 3

    plain, first, again, other = (
        ArrayStream(X, y, shuffle=seed).read(0, 50) for seed in (None, 1, 1, 2)
    )

    assert np.array_equal(plain[0], X)
    assert np.array_equal(first[0], again[0])
    assert not np.array_equal(first[0], other[0])
    assert sorted(first[0][:, 0]) == X[:, 0].tolist()
    assert np.array_equal(first[0][:, 0] % 3, first[1])
