"""Callbacks of scikit-learn around our fits."""

from __future__ import annotations

import importlib
import io
import sys
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV

from svmosaic import (
    OLLAWVClassifier,
    OLLAWVClassifierCV,
    SMOClassifier,
    SMORegressor,
    StreamOLLAWV,
    report_progress,
)
from svmosaic.svm import SVC
from svmosaic.utils import callbacks
from svmosaic.utils.estimator import Estimator
from svmosaic.utils.progress import current_progress
from svmosaic.utils.sklearn_compat import fit_context

needs_callbacks = pytest.mark.skipif(
    not callbacks.HAS_CALLBACKS, reason="this scikit-learn has no callbacks; 1.9 has"
)


class Recorder:
    """Writes down what it is told."""

    # A search passes it on to what it fits.
    max_propagation_depth = None

    def __init__(self):
        self.events, self.fitted = [], []

    def setup(self, estimator, context):
        self.events.append(("setup", context.task_name))

    def on_fit_task_begin(self, estimator, context, *, X=None):
        self.events.append(("begin", context.estimator_name, context.task_name, X is not None))

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.events.append(("end", context.estimator_name, context.task_name))
        if fitted_estimator is not None:
            self.fitted.append(fitted_estimator)

    def teardown(self, estimator, context):
        self.events.append(("teardown", context.task_name))


class Reporter(Estimator):
    """Reports as two solvers do, one after the other."""

    _parameter_constraints: ClassVar = {}

    def __init__(self, fails=False):
        self.fails = fails

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        progress = current_progress("Reporter", 0)
        for done, total in ((0, 3), (2, 3), (3, 3), (0, 1), (1, 1)):
            if progress is not None:
                progress(done, total, 10)
        if self.fails:
            raise RuntimeError("no")
        self.value_ = len(X)
        return self


@needs_callbacks
def test_problems_are_tasks():
    recorder = Recorder()

    Reporter().set_callbacks(recorder).fit([[0.0]])

    told = [
        (event[0], event[-2] if event[0] == "begin" else event[-1]) for event in recorder.events
    ]
    problem = [("begin", "problem"), ("end", "problem")]
    assert told == [
        *(("setup", "fit"), ("begin", "fit")),
        *(("begin", "solve"), *problem * 3, ("end", "solve")),
        *(("begin", "solve"), *problem, ("end", "solve")),
        *(("end", "fit"), ("teardown", "fit")),
    ]
    assert recorder.fitted[0].value_ == 1


@needs_callbacks
def test_a_failed_fit_ends_its_callbacks_and_leaves_the_model():
    recorder = Recorder()
    model = Reporter().fit([[0.0]] * 5).set_callbacks(recorder).set_params(fails=True)

    with pytest.raises(RuntimeError, match="no"):
        model.fit([[0.0]])

    assert recorder.events[-1] == ("teardown", "fit")
    assert model.value_ == 5
    assert not hasattr(model, "_callback_fit_ctx")
    model.set_callbacks().set_params(fails=False).fit([[0.0]])
    assert recorder.events[-1] == ("teardown", "fit")


@needs_callbacks
def test_own_progress_is_told_as_before():
    seen, recorder = [], Recorder()

    with report_progress(lambda done, total, steps: seen.append((done, total))):
        Reporter().set_callbacks(recorder).fit([[0.0]])

    assert seen == [(0, 3), (2, 3), (3, 3), (0, 1), (1, 1)]
    assert len(recorder.events) == 16


@needs_callbacks
@pytest.mark.parametrize(
    "model",
    [
        OLLAWVClassifier(),
        OLLAWVClassifierCV(gammas=[0.1], Cs=[1.0], cv=2),
        SMOClassifier(),
        SMORegressor(),
        StreamOLLAWV(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_estimators_tell_begin_and_end(model):
    X, y = load_iris(return_X_y=True)
    plain = clone(model).fit(X, y)
    recorder = Recorder()

    model.set_callbacks(recorder).fit(X, y)

    name = type(model).__name__
    fit = [event for event in recorder.events if "fit" in event]
    assert fit == [
        ("setup", "fit"),
        ("begin", name, "fit", True),
        ("end", name, "fit"),
        ("teardown", "fit"),
    ]
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    np.testing.assert_array_equal(recorder.fitted[-1].predict(X), plain.predict(X))


@needs_callbacks
def test_a_search_of_scikit_learn_passes_its_callbacks_on():
    X, y = load_iris(return_X_y=True)
    recorder = Recorder()
    search = GridSearchCV(OLLAWVClassifier(), {"C": [1.0, 10.0]}, cv=2)

    search.set_callbacks(recorder).fit(X, y)

    ends = [event for event in recorder.events if event[:2] == ("end", "OLLAWVClassifier")]
    # Two candidates on two folds, and the best one on all rows.
    assert sum(event[2] == "fit" for event in ends) == 5
    assert recorder.events.count(("setup", "fit")) == 1


@needs_callbacks
def test_a_search_with_a_scoring_function_is_told_once():
    X, y = load_iris(return_X_y=True)
    recorder, seen = Recorder(), []
    # Its score is not a function of the confusion matrix, so that models are fitted one by one.
    search = OLLAWVClassifierCV(
        gammas=[0.1, 1.0], Cs=[1.0, 10.0], cv=2, scoring=lambda model, X, y: model.score(X, y)
    )

    with report_progress(lambda done, total, steps: seen.append((done, total))):
        search.set_callbacks(recorder).fit(X, y)

    ended = [event[2] for event in recorder.events if event[0] == "end"]
    # Four candidates on two folds; the best one on all rows may report its three pairs.
    assert ended[:9] == ["problem"] * 8 + ["solve"]
    assert ended.count("problem") in (8, 11)
    assert seen[0][1] == 8
    assert (8, 8) in seen


@needs_callbacks
def test_the_progress_bar_of_scikit_learn_works(monkeypatch):
    pytest.importorskip("rich")
    from sklearn.callback import ProgressBar

    monkeypatch.setattr(sys, "stdout", io.StringIO())
    X, y = load_iris(return_X_y=True)

    model = OLLAWVClassifier().set_callbacks(ProgressBar()).fit(X, y)

    assert model.score(X, y) > 0.9
    assert "OLLAWVClassifier - fit" in sys.stdout.getvalue()


def test_without_callbacks_in_scikit_learn_fits_are_as_they_were(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.callback", None)
    old = importlib.util.module_from_spec(importlib.util.find_spec(callbacks.__name__))

    callbacks.__spec__.loader.exec_module(old)

    def fit(self):
        return self

    assert not old.HAS_CALLBACKS
    assert old.tell_callbacks(fit) is fit
    assert not hasattr(old.CallbackSupportMixin, "set_callbacks")


@needs_callbacks
def test_a_fit_within_a_fit_is_one_task():
    # SVC calls the fit of its base; a second set-up would leave the thread of a bar behind.
    recorder = Recorder()

    SVC().set_callbacks(recorder).fit(*load_iris(return_X_y=True))

    names = [event[0] for event in recorder.events]
    assert names.count("setup") == names.count("teardown") == 1
    assert names[-1] == "teardown"
