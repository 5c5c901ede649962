"""StreamOLLAWV: chunks from any batches, the published rule, adaptation, bounded memory."""

from __future__ import annotations

import copy
import pickle
import resource
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from svmosaic import OLLAWVClassifier, OLLAWVClassifierCV, StreamOLLAL2, StreamOLLAWV
from svmosaic.streams import (
    DDM,
    SEA,
    ConceptDrift,
    Hyperplane,
    Mixed,
    RandomRBF,
    Sine,
    prequential,
)

RULES = ["adaptive", "published"]
MEMORIES = ["chunk", "support", 4000]


def accuracy(model, stream, n_samples, **options):
    # Labels by chunks, which end where those of the evaluation end.
    options = {"one_by_one": False, **options}
    result = prequential({"model": model}, stream, n_samples=n_samples, **options)
    return result.last()["model"]["accuracy"]


# Batches --------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("size", [1, 37, 250])
def test_batches_of_any_size_give_the_same_model(rule, size):
    X, y = Sine(seed=1).read(0, 1000)
    whole = StreamOLLAWV(rule=rule, chunk_size=100)
    # A first batch of a whole chunk: after it both see the same chunks.
    whole.partial_fit(X[:100], y[:100], classes=[0, 1]).partial_fit(X[100:], y[100:])
    parts = StreamOLLAWV(rule=rule, chunk_size=100).partial_fit(X[:100], y[:100], classes=[0, 1])

    for begin in range(100, 1000, size):
        parts.partial_fit(X[begin : begin + size], y[begin : begin + size])

    assert parts.n_samples_seen_ == whole.n_samples_seen_ == 1000
    np.testing.assert_array_equal(parts.decision_function(X), whole.decision_function(X))


@pytest.mark.parametrize("rule", RULES)
def test_prediction_keeps_nothing(rule):
    X, y = Sine(seed=1).read(0, 1000)
    model = StreamOLLAWV(rule=rule, memory="chunk").fit(X, y)
    before = pickle.dumps(model)

    model.predict(X)
    model.decision_function(X)
    model.forecast(X)

    assert pickle.dumps(model) == before


LEARNERS = {
    "adaptive": StreamOLLAWV(chunk_size=100, memory=400),
    "published": StreamOLLAWV(rule="published", chunk_size=100),
    "L2": StreamOLLAL2(chunk_size=100),
}


@pytest.mark.parametrize("size", [100, 30, 250])
@pytest.mark.parametrize("name", LEARNERS)
def test_forecasts_save_time_and_change_nothing(name, size):
    X, y = Sine(seed=1).read(0, 1100)
    helped = clone(LEARNERS[name]).partial_fit(X[:100], y[:100], classes=[0, 1])
    alone = clone(LEARNERS[name]).partial_fit(X[:100], y[:100], classes=[0, 1])

    for begin in range(100, 1100, size):
        part, labels = X[begin : begin + size], y[begin : begin + size]
        forecast = helped.forecast(part)
        np.testing.assert_array_equal(forecast.labels, alone.predict(part))
        helped.partial_fit(part, labels, forecast=forecast)
        alone.partial_fit(part, labels)

    assert helped.model_ == alone.model_
    np.testing.assert_array_equal(helped.decision_function(X), alone.decision_function(X))


@pytest.mark.parametrize("name", ["adaptive", "L2"])
def test_what_was_predicted_is_not_predicted_again(name, monkeypatch):
    X, y = Sine(seed=1).read(0, 300)
    model = clone(LEARNERS[name]).partial_fit(X[:200], y[:200], classes=[0, 1])
    X, y = X[200:], y[200:]
    forecast = model.forecast(X)
    asked = []
    decide = type(forecast.model).decide

    def note(self, samples, n_threads):
        asked.append(self)
        return decide(self, samples, n_threads)

    monkeypatch.setattr(type(forecast.model), "decide", note)

    copy.deepcopy(model).partial_fit(X, y)
    n_alone = len(asked)
    model.partial_fit(X, y, forecast=forecast)

    assert len(asked) - n_alone == n_alone - 1


@pytest.mark.parametrize("name", ["adaptive", "L2"])
def test_a_forecast_of_other_samples_or_of_an_earlier_model_does_no_harm(name):
    X, y = Sine(seed=1).read(0, 400)
    model = clone(LEARNERS[name]).partial_fit(X[:100], y[:100], classes=[0, 1])
    expected = copy.deepcopy(model)
    first, second = X[100:200], X[200:300]
    other, early = model.forecast(second.copy()), model.forecast(second)

    model.partial_fit(first, y[100:200], forecast=other)
    model.partial_fit(second, y[200:300], forecast=early)
    expected.partial_fit(first, y[100:200]).partial_fit(second, y[200:300])

    np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(X))


@pytest.mark.parametrize("rule", RULES)
def test_there_is_a_model_after_the_first_sample(rule):
    X, y = Sine(seed=1).read(0, 300)
    model = StreamOLLAWV(rule=rule, chunk_size=200)
    right = 0

    for i in range(300):
        if i:
            right += model.predict(X[i : i + 1])[0] == y[i]
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])

    assert right > 220


@pytest.mark.parametrize("rule", RULES)
def test_the_caller_may_reuse_the_batch(rule):
    X, y = Sine(seed=1).read(0, 150)
    model = StreamOLLAWV(rule=rule, chunk_size=100).partial_fit(X[:100], y[:100], classes=[0, 1])
    other = StreamOLLAWV(rule=rule, chunk_size=100).partial_fit(X[:100], y[:100], classes=[0, 1])
    more_X, more_y = Sine(seed=2).read(0, 50)

    batch = X[100:].copy()
    model.partial_fit(batch, y[100:])
    batch[:] = 0.0
    model.partial_fit(more_X, more_y)
    other.partial_fit(X[100:], y[100:]).partial_fit(more_X, more_y)

    np.testing.assert_array_equal(model.decision_function(X), other.decision_function(X))


def test_no_sample_is_lost_when_chunks_get_smaller():
    X, y = Sine(seed=1).read(0, 400)
    model = StreamOLLAWV(chunk_size=100).partial_fit(X[:100], y[:100], classes=[0, 1])
    learned = []

    model.partial_fit(X[100:190], y[100:190])
    model.set_params(chunk_size=50)
    rule = type(model._rule)
    learn = rule.learn

    def note(self, X, codes, *args, **options):
        learned.append(X.copy())
        learn(self, X, codes, *args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rule, "learn", note)
        model.partial_fit(X[190:], y[190:])

    np.testing.assert_array_equal(np.concatenate(learned), X[100:390])
    assert [len(chunk) for chunk in learned] == [90, 50, 50, 50, 50]


def test_fit_starts_from_the_beginning():
    X, y = Sine(seed=1).read(0, 500)
    once = StreamOLLAWV(chunk_size=200).fit(X, y)
    twice = StreamOLLAWV(chunk_size=200).fit(X[::-1], y[::-1]).fit(X, y)

    assert twice.n_samples_seen_ == 500
    np.testing.assert_array_equal(once.decision_function(X), twice.decision_function(X))


# Classes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("memory", MEMORIES)
def test_classes_come_and_go(rule, memory):
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [6, 0], [0, 6], [6, 6]])
    model = StreamOLLAWV(rule=rule, memory=memory, chunk_size=60)

    for present in ([0], [0, 1], [1], [1, 2, 3], [2], [0, 1, 2, 3]):
        codes = rng.choice(present, size=60)
        X = centres[codes] + rng.normal(size=(60, 2))
        y = np.array(["a", "b", "c", "d"])[codes]
        model.partial_fit(X, y, classes=["a", "b", "c", "d", "e"])
        assert model.decision_function(X).shape == (60, 5)
        assert np.mean(model.predict(X) == y) > 0.9
        assert "e" not in model.predict(rng.normal(size=(50, 2)))


def test_two_classes_have_one_decision():
    X, y = Sine(seed=1).read(0, 400)
    model = StreamOLLAWV().fit(X, y)

    decisions = model.decision_function(X)

    assert decisions.shape == (400,)
    np.testing.assert_array_equal(model.predict(X), model.classes_[(decisions > 0).astype(int)])


def test_a_chunk_of_one_of_two_classes():
    X, y = Sine(seed=1).read(0, 400)
    model = StreamOLLAWV(rule="published", chunk_size=50).fit(X, y)
    model.partial_fit(X[y == 1][:50], y[y == 1][:50])

    assert model.predict(X).tolist() == [1] * 400
    assert (model.decision_function(X) > 0).all()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m, X, y: m.partial_fit(X, y), "needs classes"),
        (lambda m, X, y: m.partial_fit(X, y, classes=[1]), "at least 2 classes"),
        (lambda m, X, y: m.partial_fit(X, y, classes=[1, 2]), "the label 0, which is not among"),
        (
            lambda m, X, y: m.partial_fit(X, y, classes=[0, 1]).partial_fit(X, y, classes=[0, 2]),
            r"classes=\[0, 2\], but the first call had \[0, 1\]",
        ),
        (lambda m, X, y: m.fit(X, np.zeros(len(y))), "at least 2 classes"),
        (lambda m, X, y: m.set_params(memory="all").fit(X, y), "'memory' parameter"),
        (lambda m, X, y: m.set_params(rule="new").fit(X, y), "'rule' parameter"),
        (lambda m, X, y: m.set_params(detector="ddm").fit(X, y), "'detector' parameter"),
    ],
)
def test_bad_input_is_refused(call, words):
    X, y = Sine(seed=1).read(0, 50)

    with pytest.raises(ValueError, match=words):
        call(StreamOLLAWV(), X, y)


def test_without_samples_there_is_no_model():
    with pytest.raises(NotFittedError):
        StreamOLLAWV().predict(np.zeros((1, 2)))
    with pytest.raises(NotFittedError):
        _ = StreamOLLAWV().model_


# The published rule ---------------------------------------------------------------------------


def test_published_rule_is_a_new_model_per_chunk():
    stream = Mixed(seed=1)
    model = StreamOLLAWV(rule="published", chunk_size=500)

    def unit(X, of):
        low, high = of.min(axis=0), of.max(axis=0)
        return ((X - low) / np.where(high > low, high - low, 1.0)).astype(np.float32)

    first, labels = stream.read(0, 500)
    model.partial_fit(first, labels, classes=[0, 1])
    choice = model._rule.choice
    for begin in range(500, 3000, 500):
        X, y = stream.read(begin, 500)
        last, last_labels = stream.read(begin - 500, 500)
        alone = OLLAWVClassifier(refine=None, gamma=choice.gamma, margin=choice.margin)
        alone.fit(unit(last, last), last_labels)

        np.testing.assert_array_equal(model.predict(X), alone.predict(unit(X, last)))
        model.partial_fit(X, y)
        assert model._rule.choice is choice
    assert model.model_ == "plain, 500 samples"
    assert model.n_drifts_ == 0


def test_published_rule_chooses_on_the_first_chunk_of_the_printed_grid():
    X, y = Mixed(seed=1).read(0, 500)
    chosen = StreamOLLAWV(rule="published", chunk_size=500).fit(X, y)._rule.choice
    unit = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    search = OLLAWVClassifierCV(
        refine=None,
        gammas=[0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 16.0],
        margins=[0.001, 0.01, 0.1, 1.0, 10.0, 100.0],
    ).fit(unit, y)
    tried = search.cv_results_
    place = np.flatnonzero(
        (tried["param_gamma"] == chosen.gamma) & (tried["param_margin"] == chosen.margin)
    )

    # The folds differ in a few rows, so the best may differ by as little.
    assert tried["mean_test_score"][place[0]] > search.best_score_ - 0.01


# Adaptation -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "stream",
    [Sine(seed=1), Mixed(seed=1), RandomRBF(seed=3), Hyperplane(seed=1), SEA(noise=0.1, seed=1)],
    ids=lambda stream: stream.name,
)
def test_adaptive_rule_beats_the_published_one(stream):
    adaptive = accuracy(StreamOLLAWV(), stream, 12_000)

    assert adaptive > accuracy(StreamOLLAWV(rule="published"), stream, 12_000)


@pytest.mark.parametrize("memory", ["support", 8000])
def test_memory_helps_where_nothing_changes(memory):
    with_memory = accuracy(StreamOLLAWV(memory=memory), Mixed(seed=1), 10_000)

    assert with_memory > accuracy(StreamOLLAWV(memory="chunk"), Mixed(seed=1), 10_000) + 0.003


def test_linear_concepts_get_linear_models():
    model = StreamOLLAWV()
    accuracy(model, SEA(noise=0.1, seed=1), 15_000)

    assert model.model_.startswith("linear")
    assert model.n_support_ == 0


def turning(width=1, seed=1):
    """Return a stream whose classes are exchanged at sample 8500 and back at 14 200."""
    one, other = Sine(function=1, seed=seed), Sine(function=2, seed=seed)
    return ConceptDrift([one, other, one], positions=[8500, 14_200], width=width, seed=0)


def test_memory_is_dropped_upon_a_drift():
    model = StreamOLLAWV()
    result = prequential({"model": model}, turning(), n_samples=19_000, one_by_one=False)
    windows = {r["end"]: r["window_accuracy"] for r in result.records}

    assert model.n_drifts_ == 2
    assert windows[8000] > 0.98
    # The change is in the middle of a chunk, and what is learned from is only what came after.
    assert windows[9000] < 0.7
    assert windows[10_000] > 0.96
    # The first concept comes back: so does its model, and 800 samples need not be enough.
    assert windows[16_000] > 0.985


def test_without_a_drift_nothing_is_dropped():
    model = StreamOLLAWV()
    accuracy(model, RandomRBF(seed=3), 30_000)

    assert model.n_drifts_ == 0


class Never:
    """A detector that never raises an alarm."""

    drift_detected = False

    def update(self, x):
        pass


def test_detectors_decide_about_alarms():
    with_ddm, with_none = StreamOLLAWV(detector=DDM()), StreamOLLAWV(detector=Never())

    good = accuracy(with_ddm, turning(seed=3), 19_000)
    bad = accuracy(with_none, turning(seed=3), 19_000)

    # DDM may miss the way back: rounding decides how much the model errs by then.
    assert with_ddm.n_drifts_ >= 1
    assert with_none.n_drifts_ == 0
    assert good > bad
    assert with_ddm.detector.n_samples == 0  # The user's own is not touched.


# Reproducibility and memory -------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_threads_do_not_matter(rule):
    stream = RandomRBF(seed=3, n_classes=3)
    one, two = (StreamOLLAWV(rule=rule, n_jobs=n) for n in (1, 2))
    X, _ = stream.read(50_000, 500)

    for begin in range(0, 6000, 1000):
        for model in (one, two):
            model.partial_fit(*stream.read(begin, 1000), classes=stream.classes)

    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


@pytest.mark.parametrize("rule", RULES)
def test_a_pickled_learner_goes_on_alike(rule):
    stream = turning()
    model = StreamOLLAWV(rule=rule)
    for begin in range(0, 8000, 1000):
        model.partial_fit(*stream.read(begin, 1000), classes=[0, 1])
    copy = pickle.loads(pickle.dumps(model))

    for begin in range(8000, 12_000, 1000):
        X, y = stream.read(begin, 1000)
        np.testing.assert_array_equal(model.decision_function(X), copy.decision_function(X))
        model.partial_fit(X, y)
        copy.partial_fit(X, y)


def test_learning_gives_no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        StreamOLLAWV().fit(*RandomRBF(seed=1, n_classes=4).read(0, 3000))


@pytest.mark.parametrize("memory", MEMORIES)
def test_memory_is_bounded(memory):
    stream = RandomRBF(seed=3, n_features=5)
    # A false alarm, which rounding decides about, would keep a model in case it is needed again.
    model = StreamOLLAWV(memory=memory, chunk_size=200, detector=Never())
    sizes = []
    for begin in range(0, 40_000, 200):
        model.partial_fit(*stream.read(begin, 200), classes=[0, 1])
        if begin % 5000 == 0:
            sizes.append(len(pickle.dumps(model)))

    assert max(sizes[4:]) < 1.25 * max(sizes[2:4])


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_a_million_samples_take_no_more_memory_than_two_hundred_thousand(rule):
    stream = RandomRBF(seed=3)
    model = StreamOLLAWV(rule=rule)
    peaks = {}
    for begin in range(0, 1_000_000, 1000):
        X, y = stream.read(begin, 1000)
        if begin:
            model.predict(X)
        model.partial_fit(X, y, classes=[0, 1])
        peaks[begin + 1000] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    # The allocator's pages come a few megabytes at a time; the samples themselves have 64.
    assert peaks[1_000_000] < 1.05 * peaks[200_000]
