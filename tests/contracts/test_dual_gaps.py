"""A dual gap is reported only where it bounds the distance to the optimum."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from svmosaic import (
    KernelPrimalSVC,
    MNSVMClassifier,
    NNISDAClassifier,
    NuSMOClassifier,
    NuSMORegressor,
    OLLAWVClassifier,
    OneClassSMO,
    SMOClassifier,
    SMORegressor,
    UniformSVC,
)
from svmosaic.engine.definiteness import is_known_semidefinite, is_semidefinite_on
from svmosaic.engine.kernels import KernelSpec

ESTIMATORS = [
    SMOClassifier,
    OLLAWVClassifier,
    MNSVMClassifier,
    NNISDAClassifier,
    UniformSVC,
    KernelPrimalSVC,
    SMORegressor,
    NuSMOClassifier,
    NuSMORegressor,
    OneClassSMO,
]
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS)
with_free_intercept = pytest.mark.parametrize(
    "estimator",
    [
        SMOClassifier,
        OLLAWVClassifier,
        SMORegressor,
        NuSMOClassifier,
        NuSMORegressor,
    ],
)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 3))
    X[30:, 0] += 6.0
    return X, np.repeat([0, 1], 30)


def square_distances(X, Z):
    return ((X[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2)


def fit(model, X, y):
    """Return the fitted model and the messages of its warnings about the kernel."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    messages = [str(one.message) for one in caught if issubclass(one.category, ConvergenceWarning)]
    return model, [text for text in messages if "not positive semidefinite" in text]


@every_estimator
def test_no_gap_for_an_indefinite_matrix(estimator, data):
    X, y = data
    rng = np.random.default_rng(0)
    A = rng.normal(size=(60, 60))
    K = X @ X.T + 2.0 * (A + A.T)
    assert np.linalg.eigvalsh(K)[0] < -1.0

    model, told = fit(estimator(kernel="precomputed"), K, y)

    assert np.isnan(model.dual_gap_).all()
    assert len(told) == 1
    assert f"The kernel of {estimator.__name__}" in told[0]


@every_estimator
def test_no_gap_for_an_indefinite_formula(estimator, data):
    X, y = data

    for kernel, more in [
        ("sigmoid", {"gamma": 1.0, "coef0": -1.0}),
        ("poly", {"gamma": 1.0, "degree": 3, "coef0": -5.0}),
        (lambda X, Z: np.tanh(X @ Z.T - 1.0), {}),
    ]:
        model, told = fit(estimator(kernel=kernel, **more), X, y)

        assert np.isnan(model.dual_gap_).all(), kernel
        assert len(told) == 1, kernel


@every_estimator
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_matrices_of_low_rank_keep_their_gap(estimator, dtype, data):
    X, y = data
    X = X.astype(dtype)

    for model, rows in [
        (estimator(kernel="precomputed"), X @ X.T),
        (estimator(kernel=lambda X, Z: (X @ Z.T + 1.0) ** 2), X),
        (estimator(kernel="precomputed"), np.zeros((60, 60), dtype=dtype)),
    ]:
        model, told = fit(model, rows, y)

        assert not told
        assert np.isfinite(model.dual_gap_).all()


@with_free_intercept
def test_conditionally_definite_kernels_have_a_gap(estimator, data):
    # -|x - z|^2 and 2 x'z differ by terms that a free intercept cancels: the optimum is the same.
    X, y = data

    model, told = fit(estimator(kernel=lambda X, Z: -square_distances(X, Z), tol=1e-6), X, y)
    same, _ = fit(estimator(kernel=lambda X, Z: 2.0 * X @ Z.T, tol=1e-6), X, y)

    assert not told
    np.testing.assert_allclose(model.objective_, same.objective_, rtol=1e-4)
    assert (model.dual_gap_ <= 1e-3 * np.abs(model.objective_)).all()


def test_without_an_intercept_such_a_kernel_has_none(data):
    X, y = data

    model, told = fit(KernelPrimalSVC(kernel=lambda X, Z: -square_distances(X, Z)), X, y)

    assert np.isnan(model.dual_gap_).all()
    assert len(told) == 1


def test_only_the_problems_that_are_not_convex_lose_their_gap():
    # Classes 0 and 1 have a definite block; the values of class 2 with itself are indefinite.
    rng = np.random.default_rng(2)
    X = rng.normal(size=(90, 3)) + np.repeat(np.eye(3) * 4, 30, axis=0)
    K = X @ X.T
    A = rng.normal(size=(30, 30))
    K[60:, 60:] += 3.0 * (A + A.T)

    model, told = fit(SMOClassifier(kernel="precomputed"), K, np.repeat([0, 1, 2], 30))

    assert np.isfinite(model.dual_gap_).tolist() == [True, False, False]
    assert "2 of 3 binary problems are not convex" in told[0]


def test_what_counts_depends_on_the_intercept():
    K = np.array([[1.0, 2.0], [2.0, 1.0]])
    samples = np.arange(2)
    kernel = KernelSpec("precomputed")

    assert not is_known_semidefinite(kernel)
    assert not is_semidefinite_on(kernel, K, samples, "none")
    # With coefficients that sum to zero only the direction (1, -1) is left, and it curves down.
    assert not is_semidefinite_on(kernel, K, samples, "free")
    assert is_semidefinite_on(kernel, -K, samples, "free")
    assert is_semidefinite_on(kernel, np.eye(2) - 0.6, samples, "regularised")
    assert not is_semidefinite_on(kernel, np.eye(2) - 0.6, samples, "none")


def test_many_samples_are_looked_at_in_part():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 2)).astype(np.float32)
    kernel = KernelSpec("sigmoid", gamma=1.0, coef0=-1.0)

    assert not is_semidefinite_on(kernel, X, np.arange(3000), "free")
    assert is_semidefinite_on(KernelSpec("rbf", gamma=0.5), X, np.arange(3000), "free")
