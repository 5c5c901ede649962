"""StreamOLLAL2: the change rule, decay, budget, and the published figures' neighbourhood."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from svmosaic import StreamOLLAL2
from svmosaic.classification.stream.olla_l2_rule import mean_margin
from svmosaic.streams import SEA, ConceptDrift, Mixed, RandomRBF, Sine, prequential


def accuracy(model, stream, n_samples):
    return prequential({"model": model}, stream, n_samples=n_samples).last()["model"]["accuracy"]


def learn(model, stream, chunks, size=500):
    """Learn from some chunks; return what happened at each."""
    done = []
    for number in chunks:
        model.partial_fit(*stream.read(number * size, size), classes=stream.classes)
        done.append(model.model_.split()[-1])
    return done


def olla_l2(Z, codes, gamma, C, vectors, alpha, intercept, epochs):
    """Algorithm 6.1 on one chunk, in plain NumPy, going on from a model."""
    points = np.concatenate([vectors, Z])
    alpha = np.concatenate([alpha, np.zeros(len(Z))])
    targets = np.where(codes == 1, 1.0, -1.0)
    t = 0
    for _ in range(epochs):
        for i, y in enumerate(targets):
            t += 1
            kernel = np.exp(-gamma * ((points - Z[i]) ** 2).sum(axis=1))
            if y * (kernel @ alpha + intercept) <= 1:
                place = len(vectors) + i
                step = 2 / np.sqrt(t) * (C * y - alpha[place])
                alpha[place] += step
                intercept += step
    return points, alpha, intercept


def test_update_is_the_algorithm_on_a_decayed_model():
    stream = Sine(seed=1)
    X, y = stream.read(0, 400)
    query = stream.read(400, 100)[0]
    # keep=-10: margins that grow are no reason to keep the model.
    model = StreamOLLAL2(gamma=0.7, C=2.0, chunk_size=200, keep=-10.0, rebuild=10.0, decay=0.8)
    model.partial_fit(X, y, classes=[0, 1])
    mean, deviation = X[:200].mean(axis=0), X[:200].std(axis=0)
    Z = (X - mean) / deviation

    empty = np.empty((0, 2)), np.empty(0)
    state = olla_l2(Z[:200], y[:200], 0.7, 2.0, *empty, 0.0, 2)
    points, alpha, intercept = state
    used = alpha != 0
    points, alpha, intercept = olla_l2(
        Z[200:], y[200:], 0.7, 2.0, points[used], 0.8 * alpha[used], 0.8 * intercept, 2
    )
    distances = ((((query - mean) / deviation)[:, None] - points) ** 2).sum(axis=2)
    expected = np.exp(-0.7 * distances) @ alpha + intercept

    assert model.model_ == "OLLA-L2, updated"
    np.testing.assert_allclose(model.decision_function(query), expected, rtol=1e-3, atol=1e-3)


def test_without_a_threshold_every_chunk_gets_a_model_of_its_own():
    stream = Sine(seed=1)
    X, y = stream.read(0, 600)
    query = stream.read(600, 100)[0]
    model = StreamOLLAL2(gamma=0.7, chunk_size=200, keep=-np.inf, rebuild=-np.inf)
    model.partial_fit(X, y, classes=[0, 1])

    last = StreamOLLAL2(gamma=0.7, chunk_size=200).fit(X[400:], y[400:])

    assert model.n_drifts_ == 2
    assert np.array_equal(model.decision_function(query), last.decision_function(query))


def test_mean_margin_is_the_papers_xi_per_sample():
    X, y = Sine(seed=1).read(0, 300)
    model = StreamOLLAL2(gamma=1.0).fit(X, y)

    xi = np.where(y == 1, 1, -1) @ model.decision_function(X)

    inner = model._rule.model
    assert mean_margin(inner.classes, inner.decide(X, 1), y) == pytest.approx(xi / 300)


def test_mean_margin_of_several_classes_is_positive_when_right():
    stream = RandomRBF(n_classes=3, seed=1)
    X, y = stream.read(0, 500)
    model = StreamOLLAL2().fit(X, y)

    inner = model._rule.model
    decisions = inner.decide(X, 1)
    right = mean_margin(inner.classes, decisions, y)
    wrong = mean_margin(inner.classes, decisions, (y + 1) % 3)

    assert right > 0.5
    assert wrong < 0.0


def test_thresholds_decide_what_happens():
    stream = Mixed(seed=1)

    kept = learn(StreamOLLAL2(chunk_size=500, keep=9.0, rebuild=10.0), stream, range(6))
    updated = learn(StreamOLLAL2(chunk_size=500, keep=-10.0, rebuild=10.0), stream, range(6))
    noisy = SEA(noise=0.2, seed=1)
    rebuilt = learn(StreamOLLAL2(chunk_size=500, keep=-11.0, rebuild=1e-9), noisy, range(12))

    # The second chunk has none before it to compare with.
    assert kept == ["rebuilt", "updated"] + ["kept"] * 4
    assert updated == ["rebuilt"] + ["updated"] * 5
    # Whenever a chunk's margins are smaller; never twice in a row, for want of a chunk before.
    assert rebuilt[2:].count("rebuilt") >= 2
    assert "kept" not in rebuilt


def test_a_model_that_is_kept_stays_the_same():
    stream = Mixed(seed=1)
    model = StreamOLLAL2(chunk_size=500, keep=9.0, rebuild=10.0)
    learn(model, stream, range(2))
    X, _ = stream.read(9000, 100)
    before = model.decision_function(X)

    learn(model, stream, range(2, 5))

    np.testing.assert_array_equal(model.decision_function(X), before)


def test_a_reversed_concept_rebuilds():
    stream = ConceptDrift(
        [Sine(function=1, seed=1), Sine(function=2, seed=1)], positions=[5000], width=1, seed=0
    )
    model = StreamOLLAL2()
    result = prequential({"model": model}, stream, n_samples=9000)
    windows = {r["end"]: r["window_accuracy"] for r in result.records}

    assert windows[6000] < 0.2
    assert windows[7000] > 0.9
    assert model.n_drifts_ == 1


@pytest.mark.parametrize("budget", [5, 50])
def test_budget_keeps_the_largest_coefficients(budget):
    stream = RandomRBF(seed=3)
    model = StreamOLLAL2(chunk_size=500, budget=budget, keep=-10.0, rebuild=10.0)
    sizes = []

    for number in range(8):
        learn(model, stream, [number])
        sizes.append(model.n_support_)

    assert max(sizes) <= budget


def test_memory_is_bounded():
    stream = RandomRBF(seed=3)
    model = StreamOLLAL2(chunk_size=200, budget=100, keep=-10.0, rebuild=10.0)
    learn(model, stream, range(10), 200)
    early = len(pickle.dumps(model))
    learn(model, stream, range(10, 100), 200)

    assert len(pickle.dumps(model)) <= 1.02 * early


@pytest.mark.parametrize(
    ("stream", "least"),
    [(Sine(seed=1), 0.96), (Mixed(seed=1), 0.95), (RandomRBF(seed=3), 0.89), (SEA(seed=1), 0.83)],
    ids=["Sine", "Mixed", "RandomRBF", "SEA"],
)
def test_defaults_learn(stream, least):
    assert accuracy(StreamOLLAL2(), stream, 12_000) > least


def test_classes_come_and_go():
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [6, 0], [0, 6]])
    model = StreamOLLAL2(chunk_size=60)

    for present in ([0], [0], [0, 1], [1], [1, 2], [0, 1, 2], [0, 1, 2]):
        codes = rng.choice(present, size=60)
        X = centres[codes] + rng.normal(size=(60, 2))
        model.partial_fit(X, codes, classes=[0, 1, 2, 3])
        assert model.decision_function(X).shape == (60, 4)
        assert set(model.predict(X)) <= {0, 1, 2}
    assert np.mean(model.predict(X) == codes) > 0.9


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"keep": 0.5, "rebuild": 0.4}, "keep <= rebuild. Got keep=0.5 and rebuild=0.4"),
        ({"decay": 1.5}, "'decay' parameter"),
        ({"budget": 0}, "'budget' parameter"),
    ],
)
def test_strange_settings_are_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        StreamOLLAL2(**settings).fit(*Sine(seed=1).read(0, 50))


def test_a_class_without_vectors_meets_a_new_class():
    rng = np.random.default_rng(0)
    model = StreamOLLAL2(chunk_size=20, budget=1, gamma=1.0)

    # With one vector per pair, one of the first two classes has none when the third comes.
    for present in ([0, 1], [2], [0, 3], [0, 1, 2, 3]):
        codes = rng.choice(present, size=20)
        model.partial_fit(rng.normal(size=(20, 2)) + 3.0 * codes[:, None], codes, range(4))

    assert model.decision_function(np.zeros((2, 2))).shape == (2, 4)
