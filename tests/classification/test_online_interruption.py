"""Ctrl-C and progress in the loops of the online classifiers."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest

from svmosaic import NLSGDClassifier, OLLAL2Classifier, report_progress

# Each would take minutes on the data below.
LONG = [
    NLSGDClassifier(gamma=0.5),
    NLSGDClassifier(gamma=0.5, order="random", n_jobs=2),
    NLSGDClassifier(kernel="linear", epochs=100_000),
    OLLAL2Classifier(gamma=0.5, n_jobs=2),
    OLLAL2Classifier(gamma=0.5, order="given", budget=1000),
]
long_runs = pytest.mark.parametrize("model", LONG, ids=str)


@pytest.fixture(scope="module")
def noise():
    """Labels without a pattern: almost every sample is a violator."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(100_000, 20)), rng.integers(0, 2, 100_000)


@pytest.fixture
def press_ctrl_c():
    """Return a function that sends SIGINT to this process after some seconds."""
    timers = []

    def press(seconds):
        timers.append(threading.Timer(seconds, signal.raise_signal, [signal.SIGINT]))
        timers[-1].start()

    yield press
    for timer in timers:
        timer.cancel()


@long_runs
def test_ctrl_c_ends_a_fit_and_leaves_the_estimator_usable(noise, press_ctrl_c, model):
    X, y = noise
    epochs = model.epochs
    model.set_params(epochs=1).fit(X[:200], y[:200])
    before = model.decision_function(X[:50])
    press_ctrl_c(0.4)

    with pytest.raises(KeyboardInterrupt):
        model.set_params(epochs=epochs).fit(X, y)

    np.testing.assert_array_equal(model.decision_function(X[:50]), before)


@pytest.mark.parametrize("kind", [NLSGDClassifier, OLLAL2Classifier])
def test_ctrl_c_ends_a_chunk_and_leaves_the_model_as_it_was(noise, press_ctrl_c, kind):
    X, y = noise
    model = kind(gamma=0.5).partial_fit(X[:500], y[:500], classes=[0, 1])
    before = model.decision_function(X[:50]), model.t_.copy(), model.n_samples_seen_
    press_ctrl_c(0.4)

    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X, y)

    np.testing.assert_array_equal(model.decision_function(X[:50]), before[0])
    np.testing.assert_array_equal(model.t_, before[1])
    assert model.n_samples_seen_ == before[2]


@long_runs
def test_progress_is_reported_and_its_errors_reach_the_caller(noise, model):
    X, y = noise
    seen = []

    def listen(done, total, steps):
        seen.append((done, total, steps))
        if len(seen) == 3:
            raise RuntimeError("enough")

    with report_progress(listen), pytest.raises(RuntimeError, match="enough"):
        model.fit(X, y)

    assert [(done, total) for done, total, _ in seen] == [(0, 1)] * 3
    assert seen[0][2] < seen[1][2] < seen[2][2]
