"""Large exact fits move blocks of samples together; the model is the one without them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from sklearn.base import clone

from svmosaic import SMOClassifier, SMORegressor

# With so much noise, thousands of samples are near the margin: the solver works in sweeps.
N = 10_500


@pytest.fixture(scope="module")
def waves():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(N, 4)).astype(np.float32)
    signal = np.sin(4 * X[:, 0]) * np.sin(4 * X[:, 1]) + 0.3 * X[:, 2]
    labels = (signal > 0) ^ (rng.random(N) < 0.2)
    return X, labels.astype(int), signal + 0.3 * rng.normal(size=N)


@pytest.fixture(scope="module")
def classifier(waves):
    """Return the classifier of some number of threads; fitted once."""
    X, y, _ = waves
    return cache(lambda n_jobs: SMOClassifier(n_jobs=n_jobs, **CLASSES).fit(X, y))


CLASSES = {"C": 5.0, "gamma": 4.0, "cache_mb": 500}
TARGETS = {"C": 0.2, "gamma": 1.0, "epsilon": 0.05, "cache_mb": 500}


def expansion(model):
    return model.support_, model.dual_coef_, model.intercept_


def test_classification_gives_the_model_of_all_samples_at_once(waves, classifier):
    X, y, _ = waves
    blocks = classifier(2)
    at_once = SMOClassifier(n_jobs=2, shrinking=False, **CLASSES).fit(X, y)

    counters = blocks.fit_report_.counters
    assert counters.n_sweeps > 0
    assert 0 < counters.theta_min <= 1
    assert at_once.fit_report_.counters.n_sweeps == 0
    np.testing.assert_allclose(blocks.objective_, at_once.objective_, rtol=1e-6)
    assert 0 <= blocks.dual_gap_[0] <= 1e-3 * blocks.objective_[0]
    labels = blocks.predict(X) == at_once.predict(X)
    assert labels.mean() >= 0.999


def test_regression_gives_the_model_of_all_samples_at_once(waves):
    X, _, y = waves
    blocks = SMORegressor(n_jobs=2, **TARGETS).fit(X, y)
    at_once = SMORegressor(n_jobs=2, shrinking=False, **TARGETS).fit(X, y)

    # Steps are cut short where coefficients change their sign on the way.
    assert blocks.fit_report_.counters.theta_min < 1
    np.testing.assert_allclose(blocks.objective_, at_once.objective_, rtol=1e-6)
    np.testing.assert_allclose(blocks.predict(X), at_once.predict(X), atol=5e-3)


def test_threads_do_not_matter(classifier):
    one = classifier(1)

    for n_jobs in (2, 3, 16):
        several = classifier(n_jobs)
        assert one.fit_report_.counters == several.fit_report_.counters
        for ours, theirs in zip(expansion(one), expansion(several), strict=True):
            np.testing.assert_array_equal(ours, theirs, err_msg=f"n_jobs={n_jobs}")


def test_samples_with_the_largest_coefficients_are_reported(waves, classifier):
    # Samples far on the wrong side of the margin are not in play at the end.
    X, y, _ = waves
    model = classifier(2)

    signs = np.where(y == model.classes_[1], 1.0, -1.0)
    margins = signs * model.decision_function(X)
    wrong = np.flatnonzero(margins < 0.5)
    assert np.isin(wrong, model.support_).all()
    coefficients = np.zeros(N)
    coefficients[model.support_] = np.abs(model.dual_coef_[0])
    np.testing.assert_array_equal(coefficients[wrong], CLASSES["C"])


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "laplacian"])
def test_rounds_give_the_model_of_all_samples_at_once(kernel):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3400, 6))
    score = X @ rng.normal(size=6) + 0.3 * rng.normal(size=3400)
    model = SMOClassifier(C=2.0, kernel=kernel, gamma=0.2, degree=2, coef0=1.0)
    y = score > np.quantile(score, 0.9)

    in_rounds = clone(model).fit(X, y)
    at_once = clone(model).set_params(shrinking=False).fit(X, y)

    assert in_rounds.fit_report_.counters.n_rounds > at_once.fit_report_.counters.n_rounds
    np.testing.assert_allclose(in_rounds.objective_, at_once.objective_, rtol=1e-5)
    assert in_rounds.dual_gap_ < 1e-3 * in_rounds.objective_
