"""Our learners as River's: what they know and when, and River's own checks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

from svmosaic import NLSGDClassifier, OLLAL2Classifier
from svmosaic.streams import SEA
from svmosaic.streams.river import RiverClassifier


def _samples(n, begin=0):
    X, y = SEA(seed=1).read(begin, n)
    return [(dict(zip("abc", row, strict=True)), label) for row, label in zip(X, y, strict=True)]


def test_it_learns_what_the_estimator_learns():
    X, y = SEA(seed=1).read(0, 300)
    expected = GaussianNB().partial_fit(X[:100], y[:100], classes=[0, 1])
    expected.partial_fit(X[100:200], y[100:200])
    model = RiverClassifier(GaussianNB(), classes=[0, 1], chunk=100)

    for x, label in _samples(200):
        model.learn_one(x, label)

    found = [model.predict_one(x) for x, _ in _samples(100, 200)]
    assert found == expected.predict(X[200:]).tolist()
    shares = [list(model.predict_proba_one(x).values()) for x, _ in _samples(100, 200)]
    np.testing.assert_allclose(shares, expected.predict_proba(X[200:]))


def test_before_two_classes_came_the_most_frequent_label_is_predicted():
    model = RiverClassifier(GaussianNB(), chunk=3)
    assert model.predict_one({"a": 1.0}) is None
    assert model.predict_proba_one({"a": 1.0}) == {}

    for _ in range(5):
        model.learn_one({"a": 1.0}, "first")

    assert model.predict_one({"a": 1.0}) == "first"
    assert model.predict_proba_one({"a": 1.0}) == {"first": 1.0}


def test_a_new_label_restarts_with_what_is_remembered():
    model = RiverClassifier(GaussianNB(), memory=40)
    rng = np.random.default_rng(0)
    centres = {"red": 0.0, "green": 5.0, "blue": 10.0}

    for name in ["red", "green"] * 20 + ["blue", "red", "green"] * 5:
        model.learn_one({"x": centres[name] + rng.normal()}, name)

    assert {n: model.predict_one({"x": x}) for n, x in centres.items()} == {n: n for n in centres}
    assert set(model.predict_proba_one({"x": 0.0})) == set(centres)


def test_features_that_come_late_are_ignored_and_missing_ones_are_zero():
    model = RiverClassifier(GaussianNB(), classes=[0, 1], chunk=2)
    model.learn_one({"a": 0.0}, 0)
    model.learn_one({"a": 3.0, "b": 1.0}, 1)
    before = model.predict_proba_one({"a": 1.0, "b": 0.0})

    assert model.predict_proba_one({"a": 1.0}) == before
    assert model.predict_proba_one({"a": 1.0, "c": 99.0}) == before


def test_batches_are_samples_one_after_another():
    frame = pd.DataFrame([x for x, _ in _samples(250)])
    labels = pd.Series([label for _, label in _samples(250)])
    one = RiverClassifier(OLLAL2Classifier(random_state=0), chunk=30)
    many = RiverClassifier(OLLAL2Classifier(random_state=0), chunk=30)

    for x, label in _samples(200):
        one.learn_one(x, label)
    many.learn_many(frame[:170], labels[:170])
    many.learn_many(frame[170:200], labels[170:200])

    queries = frame[200:]
    found = many.predict_many(queries)
    assert found.tolist() == [one.predict_one(x) for x in queries.to_dict("records")]
    assert found.index.equals(queries.index)
    shares = many.predict_proba_many(queries)
    assert set(shares.columns) == {0, 1}
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_bad_input_is_told():
    with pytest.raises(TypeError, match=r"partial_fit and predict. str lacks one of them"):
        RiverClassifier("model")
    with pytest.raises(ValueError, match="'chunk' parameter of RiverClassifier must be an int"):
        RiverClassifier(GaussianNB(), chunk=0)
    with pytest.raises(ValueError, match=r"label 7, which is not among its classes \[0, 1\]"):
        RiverClassifier(GaussianNB(), classes=[0, 1]).learn_one({"a": 1.0}, 7)


def test_rivers_checks_of_estimators():
    checks = pytest.importorskip("river.checks")

    checks.check_estimator(RiverClassifier(NLSGDClassifier(random_state=0), chunk=20))


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [OLLAL2Classifier(random_state=0), GaussianNB()])
def test_rivers_checks_of_other_estimators(estimator):
    checks = pytest.importorskip("river.checks")

    checks.check_estimator(RiverClassifier(estimator))


def test_rivers_evaluation_takes_our_learners():
    evaluate = pytest.importorskip("river.evaluate")
    metrics = pytest.importorskip("river.metrics")
    model = RiverClassifier(OLLAL2Classifier(random_state=0), chunk=50)

    accuracy = evaluate.progressive_val_score(_samples(600), model, metrics.Accuracy())

    assert accuracy.get() > 0.75
