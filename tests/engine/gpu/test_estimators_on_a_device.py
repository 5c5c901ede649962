"""Estimators with a device: the models of the CPU, in plain NumPy."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris

from svmosaic import OLLAWVClassifier, SMOClassifier, SMORegressor

pytest.importorskip("torch_engine")

X, Y = load_iris(return_X_y=True)
WEIGHTS = np.random.default_rng(0).integers(0, 4, Y.size).astype(float)


@pytest.fixture(
    params=["torch:cpu", pytest.param("cuda", marks=pytest.mark.gpu)], ids=["cpu", "cuda"]
)
def device(request):
    return request.param


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("estimator", [SMOClassifier, OLLAWVClassifier])
def test_classifiers_are_those_of_the_cpu(estimator, multi_class, dtype, device):
    params = {"C": 3.0, "tol": 1e-4, "multi_class": multi_class, "class_weight": "balanced"}
    expected = estimator(**params).fit(X.astype(dtype), Y, WEIGHTS)

    found = estimator(**params, device=device).fit(X.astype(dtype), Y, WEIGHTS)

    np.testing.assert_allclose(found.objective_, expected.objective_, rtol=1e-5)
    np.testing.assert_allclose(found.decision_function(X), expected.decision_function(X), atol=2e-3)
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))
    assert np.all(found.stop_reason_ == "converged")
    assert np.all(found.dual_gap_ <= 1e-3 * found.objective_)


def test_the_regressor_is_that_of_the_cpu(device):
    params = {"C": 2.0, "epsilon": 0.05, "tol": 1e-4}
    expected = SMORegressor(**params).fit(X, Y, WEIGHTS)

    found = SMORegressor(**params, device=device).fit(X, Y, WEIGHTS)

    np.testing.assert_allclose(found.objective_, expected.objective_, rtol=1e-5)
    np.testing.assert_allclose(found.predict(X), expected.predict(X), atol=1e-3)


def test_the_selection_of_ollawv_is_that_of_the_cpu(device):
    expected = OLLAWVClassifier(refine=None).fit(X, Y)

    found = OLLAWVClassifier(refine=None, device=device).fit(X, Y)

    np.testing.assert_allclose(found.dual_coef_, expected.dual_coef_, rtol=1e-12)
    np.testing.assert_allclose(found.decision_function(X), expected.decision_function(X), atol=1e-9)


def test_a_precomputed_kernel(device):
    K = X @ X.T
    expected = SMOClassifier(kernel="linear", tol=1e-5).fit(X, Y)

    found = SMOClassifier(kernel="precomputed", tol=1e-5, device=device).fit(K, Y)

    np.testing.assert_allclose(found.objective_, expected.objective_, rtol=1e-5)
    np.testing.assert_array_equal(found.predict(K), expected.predict(X))


def test_fitted_state_is_plain_numpy(device):
    model = SMOClassifier(device=device).fit(X, Y)

    assert type(model.support_vectors_) is np.ndarray
    assert type(model.expansion_.coefficients.values) is np.ndarray
    assert b"torch" not in pickle.dumps(model.set_params(device=None))


def test_a_second_fit_starts_from_the_first(device):
    model = SMOClassifier(C=3.0, warm_start=True, device=device).fit(X, Y)
    first = model.n_iter_.sum()

    model.fit(X, Y)

    assert model.n_iter_.sum() < first
