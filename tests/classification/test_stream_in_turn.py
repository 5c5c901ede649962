"""Stream learners that get each label before the next sample."""

from __future__ import annotations

import time

import numpy as np
import pytest

from svmosaic import StreamOLLAL2, StreamOLLAWV, load, save
from svmosaic.classification.stream.in_turn import GUESSES, InTurn, _nearest_before
from svmosaic.streams import SEA, ArrayStream, Sine, prequential


def runs(seed, *, n_samples=1500, n_classes=40, length=10, spread=0.5):
    """Return samples whose labels come in runs, and which drift about their class within one."""
    rng = np.random.default_rng(seed)
    centres = 0.5 * rng.normal(size=(n_classes, 12))
    rows, y = [], []
    while len(y) < n_samples:
        label = int(rng.integers(n_classes))
        x = centres[label] + spread * rng.normal(size=12)
        for _ in range(int(rng.geometric(1.0 / length))):
            x = x + 0.2 * (centres[label] - x) + 0.5 * spread * rng.normal(size=12)
            rows.append(x)
            y.append(label)
    return np.array(rows[:n_samples]), np.array(y[:n_samples])


def of_generator(stream, n_samples=1600):
    return stream.read(0, n_samples)


STREAMS = {
    "40 classes in runs": lambda: runs(1),
    "5 classes in short runs": lambda: runs(2, n_classes=5, length=3, spread=1.0),
    "labels that features say nothing about": lambda: (
        np.random.default_rng(3).normal(size=(1500, 3)),
        np.arange(1500) // 20 % 2,
    ),
    "SEA": lambda: of_generator(SEA(seed=5)),
    "Sine": lambda: of_generator(Sine(seed=5)),
}


@pytest.fixture
def watched(monkeypatch):
    """Return a list of what every guess was, and of the labels."""
    seen = []
    note = InTurn.note

    def watch(turn, guesses, X, y):
        codes = guesses.codes
        seen.append([codes.get(name, codes["model"]) == y for name in GUESSES])
        note(turn, guesses, X, y)

    monkeypatch.setattr(InTurn, "note", watch)
    return seen


@pytest.mark.parametrize("name", STREAMS)
def test_never_a_point_behind_the_best_of_no_change_and_the_guesses(name, watched):
    X, y = STREAMS[name]()

    predicted = StreamOLLAWV().predict_then_learn(X, y, classes=np.unique(y))

    right = np.concatenate([np.array(part) for part in watched], axis=1)
    best = max(right.mean(axis=1).max(), np.mean(y[1:] == y[:-1]))
    assert np.mean(predicted[1:] == y[1:]) > best - 0.01


def test_an_autocorrelated_stream_of_many_classes_beats_the_label_before():
    X, y = runs(7, n_samples=1200, n_classes=20)
    stream = ArrayStream(X, y)

    result = prequential(StreamOLLAWV(), stream, chunk=100)
    by_chunks = prequential(StreamOLLAWV(), stream, chunk=100, one_by_one=False)

    assert result.last()["StreamOLLAWV"]["kappa_t"] > 0.2
    # Labels that come too late are no help.
    assert by_chunks.last()["StreamOLLAWV"]["kappa_t"] < 0.0


@pytest.mark.parametrize("model", [StreamOLLAL2(), StreamOLLAWV(rule="published")])
def test_rules_that_need_whole_chunks_do_not_predict_in_turn(model):
    assert not hasattr(model, "predict_then_learn")
    assert not hasattr(model, "predict_next")


def test_a_misspelt_rule_is_named():
    X, y = SEA(seed=1).read(0, 10)
    with pytest.raises(ValueError, match=r"'rule' parameter of StreamOLLAWV .* Got 'adaptiv'"):
        StreamOLLAWV(rule="adaptiv").predict_then_learn(X, y, classes=[0, 1])


def test_batches_of_any_size_are_predicted_as_samples_one_by_one():
    model = StreamOLLAWV(chunk_size=60, memory=300)
    X, y = runs(3, n_samples=230, n_classes=4)
    names = np.array(["a", "b", "c", "d"])
    whole, single = type(model)(**model.get_params()), type(model)(**model.get_params())

    together = whole.predict_then_learn(X, names[y], classes=names)
    told = []
    for i in range(len(y)):
        if i > 0:
            ahead = single.predict_next(X[i : i + 1])
        answer = single.predict_then_learn(X[i : i + 1], names[y[i : i + 1]], classes=names)
        assert i == 0 or answer == ahead
        told.append(answer[0])

    np.testing.assert_array_equal(together, told)
    assert whole.n_samples_seen_ == single.n_samples_seen_ == 230
    np.testing.assert_array_equal(whole.decision_function(X), single.decision_function(X))


@pytest.mark.parametrize("chunk_size", [1, 4, 20, 60])
def test_full_chunks_end_at_multiples_of_their_size(chunk_size):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(10 * chunk_size, 2)), rng.integers(2, size=10 * chunk_size)
    model = StreamOLLAWV(chunk_size=chunk_size)
    ends = []
    for place in range(y.size):
        model.predict_then_learn(X[[place]], y[[place]], classes=[0, 1])
        if model._n_pending == 0:
            ends.append(model._n_learned)

    assert [end for end in ends if end > 6 * chunk_size] == [k * chunk_size for k in range(7, 11)]
    sizes = np.diff(ends)
    assert sizes.max() <= chunk_size
    # On the way there no chunk is a crumb: one error among few samples would look like a change.
    assert sizes[np.array(ends[:-1]) >= 4 * chunk_size].min() >= chunk_size // 2


def test_one_error_after_an_odd_number_of_samples_is_no_change():
    X, y = SEA(seed=1).read(0, 5000)
    model = StreamOLLAWV().fit(X[:4999], y[:4999])
    wrong = 1 - model.predict(X[4999:]).astype(int)
    model.predict_then_learn(X[4999:], wrong)

    assert model.n_drifts_ == 0
    assert model._n_pending == 1


@pytest.mark.parametrize("n_before", [1, 3, 499, 500])
@pytest.mark.parametrize("n_samples", [1, 7, 125])
def test_the_nearest_is_one_of_the_last_500_before_a_sample(n_before, n_samples):
    # Few values, so that many tie: then the oldest counts.
    distances = np.random.default_rng(0).integers(30, size=(n_samples, n_before + n_samples))
    nearest = _nearest_before(distances.astype(float))
    for i, row in enumerate(distances):
        first = max(n_before + i - 500, 0)
        assert n_before + nearest[i] == first + row[first : n_before + i].argmin()


def test_own_and_later_labels_are_not_used():
    X, y = runs(4, n_samples=400, n_classes=3)
    told = StreamOLLAWV().predict_then_learn(X, y, classes=[0, 1, 2])

    changed = y.copy()
    changed[300:] = (changed[300:] + 1) % 3
    again = StreamOLLAWV().predict_then_learn(X, changed, classes=[0, 1, 2])

    np.testing.assert_array_equal(told[:301], again[:301])


def test_a_loaded_learner_goes_on_in_turn_to_the_same_bits(tmp_path):
    X, y = runs(5, n_samples=500, n_classes=4)
    model = StreamOLLAWV(chunk_size=60, memory=300)
    model.predict_then_learn(X[:333], y[:333], classes=[0, 1, 2, 3])
    save(model, tmp_path / "model.safetensors")

    loaded = load(tmp_path / "model.safetensors")

    expected = model.predict_then_learn(X[333:], y[333:])
    np.testing.assert_array_equal(loaded.predict_then_learn(X[333:], y[333:]), expected)
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))


def test_predict_next_takes_one_sample():
    X, y = runs(8, n_samples=60, n_classes=3)
    model = StreamOLLAWV()
    model.predict_then_learn(X, y, classes=[0, 1, 2])

    with pytest.raises(ValueError, match="expects the one sample that comes next"):
        model.predict_next(X[:2])


def test_labels_in_turn_change_nothing_for_predict():
    X, y = runs(9, n_samples=300, n_classes=3)
    model = StreamOLLAWV(chunk_size=50)
    model.predict_then_learn(X, y, classes=[0, 1, 2])

    before = model.predict(X)
    np.testing.assert_array_equal(np.concatenate([model.predict(row[None]) for row in X]), before)


def test_the_label_before_may_come_from_partial_fit():
    labels = np.repeat(np.arange(18) % 3, 50)
    X = np.random.default_rng(0).normal(size=(900, 3))
    model = StreamOLLAWV(chunk_size=100)
    model.predict_then_learn(X[:450], labels[:450], classes=[0, 1, 2])

    model.partial_fit(X[450:490], labels[450:490])

    assert model.predict_next(X[490:491]) == labels[489]


def test_wide_samples_take_no_time():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2000))
    model = StreamOLLAWV()
    begin = time.perf_counter()
    for first in range(0, 60, 10):
        part = X[first : first + 10]
        model.predict_then_learn(part, part[:, 0] > 0, classes=[False, True])

    # It took half a minute, and takes 0.1 seconds.
    assert time.perf_counter() - begin < 5.0
