"""A stream learner whose `fit` or `partial_fit` fails or is interrupted is what it was before."""

from __future__ import annotations

import copy
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import svmosaic.classification.stream
from svmosaic import StreamOLLAL2, StreamOLLAWV
from svmosaic.engine import cpu
from svmosaic.streams import DDM, Sine

FOLDER = str(Path(svmosaic.classification.stream.__file__).parent)
N_MOMENTS = 20
LEARNERS = {
    "adaptive": StreamOLLAWV(chunk_size=30, memory=120),
    "support": StreamOLLAWV(chunk_size=30, memory="support"),
    "detector": StreamOLLAWV(chunk_size=30, memory=120, detector=DDM()),
    "published": StreamOLLAWV(rule="published", chunk_size=30),
    "L2": StreamOLLAL2(chunk_size=30),
}


class Stop(Exception):
    """What an interrupt raises."""


def _samples(begin, count):
    """Return samples of a stream whose concept changes at 120."""
    X, y = Sine(seed=1).read(begin, count)
    return X, np.where(np.arange(begin, begin + count) < 120, y, 1 - y)


def _wide():
    rng = np.random.default_rng(3)
    codes = rng.integers(3, size=75)
    return rng.normal(size=(75, 5)) + 2.0 * codes[:, None], np.array(["a", "b", "c"])[codes]


def _learned(name):
    """Return a learner after 100 samples, of which some wait for a full chunk."""
    model = copy.deepcopy(LEARNERS[name])
    return model.partial_fit(*_samples(0, 100), classes=[0, 1])


CALLS = {
    "go on": lambda model: model.partial_fit(*_samples(100, 90)),
    "other width and classes": lambda model: model.fit(*_wide()),
}


def _moments(call, model):
    """Return numbers of lines of the stream learners that a call runs, from first to last."""
    n_lines = 0

    def count(frame, event, arg):
        nonlocal n_lines
        n_lines += event == "line"
        return count

    _trace(count, call, copy.deepcopy(model))
    # What a model computes once and keeps is not computed again by the next call.
    return np.linspace(0, 0.98 * n_lines, N_MOMENTS).astype(int)


def _stop_at(call, model, moment):
    """Interrupt a call before one of its lines."""
    left = moment

    def stop(frame, event, arg):
        nonlocal left
        if event == "line":
            left -= 1
            if left < 0:
                raise Stop
        return stop

    with pytest.raises(Stop):
        _trace(stop, call, model)


def _trace(function, call, model):
    def enter(frame, event, arg):
        return function if frame.f_code.co_filename.startswith(FOLDER) else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        call(model)
    finally:
        sys.settrace(before)


def _outcome(model):
    """Return all that a user sees, now and after more samples."""
    X, _ = _samples(1000, 200)
    now = model.decision_function(X)
    seen = model.n_samples_seen_, model.n_drifts_, model.model_
    later = copy.deepcopy(model).partial_fit(*_samples(100, 40))
    return [now, seen, later.decision_function(X), later.model_, later.n_drifts_]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", LEARNERS)
def test_interrupted_learner_goes_on_as_if_nothing_happened(name, call):
    model = _learned(name)
    detector = repr(vars(model.detector)) if name == "detector" else None
    expected = _outcome(model)

    for moment in _moments(CALLS[call], model):
        _stop_at(CALLS[call], model, moment)

        np.testing.assert_equal(_outcome(model), expected)
        with pytest.raises(ValueError, match="5 features, but"):
            model.predict(_wide()[0])
    if detector is not None:
        assert repr(vars(model.detector)) == detector


@pytest.mark.parametrize("name", LEARNERS)
def test_learner_whose_first_fit_is_interrupted_is_not_fitted(name):
    calls = (
        lambda model: model.fit(*_samples(0, 75)),
        lambda model: model.partial_fit(*_samples(0, 75), classes=[0, 1]),
    )
    for call in calls:
        model = copy.deepcopy(LEARNERS[name])
        for moment in _moments(call, model):
            _stop_at(call, model, moment)

            assert set(vars(model)) == set(model.get_params())
            with pytest.raises(NotFittedError):
                model.predict(_samples(0, 2)[0])
        call(model)
        fresh = call(copy.deepcopy(LEARNERS[name]))
        np.testing.assert_equal(_outcome(model), _outcome(fresh))


@pytest.mark.parametrize(
    ("name", "inner"),
    [
        ("adaptive", "solve"),
        ("adaptive", "tune_ollawv"),
        ("adaptive", "decide"),
        ("published", "solve"),
        ("L2", "solve"),
        ("L2", "decide"),
    ],
)
def test_error_of_the_core_leaves_the_learner_as_it_was(name, inner, monkeypatch):
    model = _learned(name)
    expected = _outcome(model)
    original = getattr(cpu, inner)
    n_calls = 0

    for last in range(N_MOMENTS):
        n_calls = 0

        def fail(*args, last=last, **kwargs):
            nonlocal n_calls
            n_calls += 1
            if n_calls > last:
                raise MemoryError("out of memory")
            return original(*args, **kwargs)

        with monkeypatch.context() as patch:
            patch.setattr(cpu, inner, fail)
            try:
                CALLS["go on"](copied := copy.deepcopy(model))
            except MemoryError:
                with pytest.raises(MemoryError):
                    CALLS["go on"](model)
            else:
                assert last > 0
                assert copied.n_samples_seen_ == 190
                break
        np.testing.assert_equal(_outcome(model), expected)


@pytest.mark.parametrize("name", LEARNERS)
def test_learner_stopped_by_a_timer_is_the_old_or_the_new_one(name):
    model = _learned(name)
    call = CALLS["go on"]
    expected = _outcome(model)
    began = time.perf_counter()
    finished = _outcome(call(copy.deepcopy(model)))
    seconds = time.perf_counter() - began

    def ring(*_):
        raise Stop

    before = signal.signal(signal.SIGALRM, ring)
    try:
        for moment in range(N_MOMENTS):
            tried = copy.deepcopy(model)
            try:
                signal.setitimer(signal.ITIMER_REAL, seconds * (moment + 1) / N_MOMENTS)
                call(tried)
                signal.setitimer(signal.ITIMER_REAL, 0.0)
            except Stop:
                pass
            found = _outcome(tried)
            # The timer may ring when the call has just ended.
            wanted = expected if found[1] == expected[1] else finished
            np.testing.assert_equal(found, wanted)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
