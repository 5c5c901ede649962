"""Ctrl-C, progress and time limits in every long loop."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest

from svmosaic import OLLAWVClassifier, OLLAWVClassifierCV, report_progress


@pytest.fixture(scope="module")
def noise():
    """Labels without a pattern: selection and refinement would take many minutes."""
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


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("settings", [{"refine": None}, {"refine": "full", "max_iter": 500}])
def test_ctrl_c_ends_a_fit_and_leaves_the_estimator_usable(noise, press_ctrl_c, settings, n_jobs):
    X, y = noise
    model = OLLAWVClassifier(gamma=0.5, n_jobs=n_jobs, **settings).fit(X[:200], y[:200])
    before = model.decision_function(X[:50])
    press_ctrl_c(0.4)

    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)

    # The earlier fit is untouched, and a new one works.
    np.testing.assert_array_equal(model.decision_function(X[:50]), before)
    model.fit(X[:300], y[:300])


def test_ctrl_c_ends_many_small_problems(noise, press_ctrl_c):
    X, _ = noise
    y = np.arange(100_000) % 60
    press_ctrl_c(0.4)

    with pytest.raises(KeyboardInterrupt):
        OLLAWVClassifier(gamma=0.5, n_jobs=2, margin=5.0).fit(X, y)


def test_ctrl_c_ends_a_prediction(noise, press_ctrl_c):
    X, y = noise
    model = OLLAWVClassifier(gamma=0.5, refine=None).fit(X[:12_000], y[:12_000])
    many = np.tile(X, (10, 1))
    press_ctrl_c(0.5)

    with pytest.raises(KeyboardInterrupt):
        model.predict(many)


def test_ctrl_c_ends_a_search(noise, press_ctrl_c):
    X, y = noise
    press_ctrl_c(0.5)

    with pytest.raises(KeyboardInterrupt):
        OLLAWVClassifierCV().fit(X[:10_000], y[:10_000])


def test_progress_is_reported_and_its_errors_reach_the_caller(noise):
    X, y = noise
    seen = []

    def listen(done, total, steps):
        seen.append((done, total, steps))
        if len(seen) >= 3 and steps > seen[0][2]:
            raise RuntimeError("enough")

    with report_progress(listen), pytest.raises(RuntimeError, match="enough"):
        OLLAWVClassifier(gamma=0.5).fit(X, y)

    assert all(done == 0 and total == 1 for done, total, _ in seen)
    steps = [steps for _, _, steps in seen]
    assert steps == sorted(steps)


def test_verbose_logs_progress(noise, caplog):
    X, y = noise

    with caplog.at_level("INFO", logger="svmosaic"), pytest.warns(match="stopped at max_time"):
        OLLAWVClassifier(gamma=0.5, verbose=1, max_time=3.0).fit(X, y)

    assert "OLLAWVClassifier: 0 of 1 problems done" in caplog.text
