"""Large problems start from the solutions of clusters; the model is the one without them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC

from svmosaic import OLLAWVClassifier, SMOClassifier, SMORegressor

# `shrinking=False` keeps all samples in play from the beginning and makes no clusters.
N = 10_500


@pytest.fixture(scope="module")
def rings():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(N, 3))
    labels = (np.hypot(X[:, 0], X[:, 1]) + 0.05 * rng.normal(size=N) > 0.7).astype(int)
    return X, labels


SETTINGS = {"C": 5.0, "gamma": 2.0, "tol": 1e-4}


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_the_model_is_that_of_all_samples_at_once(rings, kernel):
    X, y = rings
    clusters = SMOClassifier(kernel=kernel, **SETTINGS).fit(X, y)
    at_once = SMOClassifier(kernel=kernel, shrinking=False, **SETTINGS).fit(X, y)

    assert clusters.stop_reason_.tolist() == ["converged"]
    np.testing.assert_allclose(clusters.objective_, at_once.objective_, rtol=1e-6)
    assert 0 <= clusters.dual_gap_[0] <= 1e-3 * clusters.objective_[0]
    np.testing.assert_allclose(
        clusters.decision_function(X), at_once.decision_function(X), atol=2e-2
    )


def test_full_refinement_gives_the_model_of_svc(rings):
    X, y = rings
    ours = OLLAWVClassifier(refine="full", **SETTINGS).fit(X, y)
    theirs = SVC(**SETTINGS, cache_size=500).fit(X, y)

    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=2e-2)
    assert len(ours.support_) <= 1.01 * len(theirs.support_)


@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_regression_gives_the_model_of_all_samples_at_once(rings, scale):
    X, _ = rings
    y = scale * (np.sin(3 * X[:, 0]) + X[:, 1] ** 2)
    common = {"C": scale, "gamma": 1.0, "epsilon": 0.05 * scale, "tol": 1e-4 * scale}
    clusters = SMORegressor(**common).fit(X, y)
    at_once = SMORegressor(shrinking=False, **common).fit(X, y)

    np.testing.assert_allclose(clusters.objective_, at_once.objective_, rtol=1e-6)
    np.testing.assert_allclose(clusters.predict(X), at_once.predict(X), atol=2e-3 * scale)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_threads_do_not_matter(rings, dtype, form):
    X, y = rings
    X = form(X.astype(dtype))
    one, three = (SMOClassifier(n_jobs=n, **SETTINGS).fit(X, y) for n in (1, 3))

    np.testing.assert_array_equal(one.support_, three.support_)
    np.testing.assert_array_equal(one.dual_coef_, three.dual_coef_)
    np.testing.assert_array_equal(one.intercept_, three.intercept_)


def test_the_order_of_the_rows_does_not_matter(rings):
    X, y = rings
    order = np.random.default_rng(1).permutation(N)
    given = SMOClassifier(**SETTINGS).fit(X, y)
    permuted = SMOClassifier(**SETTINGS).fit(X[order], y[order])

    coefficients = np.zeros((2, N))
    coefficients[0, given.support_] = given.dual_coef_[0]
    coefficients[1, order[permuted.support_]] = permuted.dual_coef_[0]
    np.testing.assert_array_equal(*coefficients)


def test_weights_mean_repetition(rings):
    X, y = rings
    twice = np.arange(N) % 7 == 0
    weighted = SMOClassifier(**SETTINGS).fit(X, y, sample_weight=1.0 + twice)
    repeated = SMOClassifier(**SETTINGS).fit(
        np.vstack([X, X[twice]]), np.concatenate([y, y[twice]])
    )

    np.testing.assert_array_equal(weighted.decision_function(X), repeated.decision_function(X))


def test_clusters_of_one_class_are_left_alone(rings):
    X, _ = rings
    y = (X[:, 0] > 0.95).astype(int)
    clusters = SMOClassifier(**SETTINGS).fit(X, y)
    at_once = SMOClassifier(shrinking=False, **SETTINGS).fit(X, y)

    np.testing.assert_allclose(clusters.objective_, at_once.objective_, rtol=1e-6)


def test_a_limit_on_time_ends_it(rings):
    X, y = rings
    model = SMOClassifier(max_time=1e-3, **SETTINGS)
    with pytest.warns(UserWarning, match="max_time"):
        model.fit(X, y)

    assert model.stop_reason_.tolist() == ["max_time"]
    assert np.all(np.isfinite(model.decision_function(X[:10])))
