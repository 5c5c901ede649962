"""What is true of NuSMORegressor only."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_friedman1
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import NuSVR

from svmosaic import NuSMORegressor, SMORegressor, load, save

X, Y = make_friedman1(250, noise=0.5, random_state=0)
WEIGHTS = np.random.default_rng(0).uniform(0.5, 2.0, 250)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("nu", [0.1, 0.4, 0.9])
def test_it_solves_the_problem_of_nusvr(kernel, nu):
    params = {"kernel": kernel, "nu": nu, "C": 3.0, "gamma": 0.1, "coef0": 1.0, "degree": 2}

    ours = NuSMORegressor(tol=1e-6, **params).fit(X, Y, WEIGHTS)
    theirs = NuSVR(tol=1e-6, **params).fit(X, Y, WEIGHTS)

    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-3)
    assert ours.fit_status_ == 0
    if kernel == "linear":
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


@pytest.mark.parametrize("nu", [0.1, 0.4])
def test_the_tube_is_that_of_epsilon_svr(nu):
    model = NuSMORegressor(nu=nu, C=5.0, tol=1e-7).fit(X, Y, WEIGHTS)

    given_width = SMORegressor(epsilon=model.epsilon_, C=5.0, tol=1e-7).fit(X, Y, WEIGHTS)

    assert model.epsilon_ > 0.0
    np.testing.assert_allclose(model.predict(X), given_width.predict(X), atol=1e-5)


@pytest.mark.parametrize("nu", [0.05, 0.3, 0.6])
def test_nu_is_between_errors_and_support_vectors(nu):
    model = NuSMORegressor(nu=nu, tol=1e-6).fit(X, Y)

    outside = np.abs(model.predict(X) - Y) > model.epsilon_ + 1e-4

    assert np.mean(outside) <= nu
    assert model.support_.size >= nu * 250


def test_every_form_of_the_data_gives_the_same_model():
    params = {"nu": 0.3, "C": 2.0, "tol": 1e-7}
    expected = NuSMORegressor(gamma=0.2, **params).fit(X, Y).predict(X)
    K = rbf_kernel(X, gamma=0.2)

    for model in [
        NuSMORegressor(gamma=0.2, **params).fit(sparse.csr_array(X), Y),
        NuSMORegressor(gamma=0.2, n_jobs=2, **params).fit(X[::-1], Y[::-1]),
        NuSMORegressor(kernel=lambda A, B: rbf_kernel(A, B, gamma=0.2), **params).fit(X, Y),
    ]:
        np.testing.assert_allclose(model.predict(X), expected, atol=1e-5)
    given_kernel = NuSMORegressor(kernel="precomputed", **params).fit(K, Y)
    np.testing.assert_allclose(given_kernel.predict(K), expected, atol=1e-5)
    single = NuSMORegressor(gamma=0.2, nu=0.3, C=2.0, tol=1e-4).fit(X.astype(np.float32), Y)
    np.testing.assert_allclose(single.predict(X), expected, atol=1e-2)


def test_weights_mean_repetition():
    counts = np.random.default_rng(1).integers(0, 4, 250)

    weighted = NuSMORegressor(nu=0.2).fit(X, Y, counts)
    copies = NuSMORegressor(nu=0.2).fit(np.repeat(X, counts, axis=0), np.repeat(Y, counts))

    np.testing.assert_allclose(weighted.predict(X), copies.predict(X), rtol=1e-9, atol=1e-9)


def test_equal_targets_need_no_support():
    model = NuSMORegressor().fit(X, np.full(250, 3.0))

    assert model.support_.size == 0
    np.testing.assert_allclose(model.predict(X), 3.0)
    assert model.epsilon_ == 0.0


def test_limits_are_told():
    with pytest.warns(ConvergenceWarning, match=r"NuSMORegressor stopped .* 3 updates"):
        model = NuSMORegressor(max_iter=3).fit(X, Y)
    assert model.fit_status_ == 1
    with pytest.warns(ConvergenceWarning, match="stopped at max_time=1e-09 s"):
        NuSMORegressor(max_time=1e-9).fit(X, Y)


def test_files_and_pickles_keep_the_model(tmp_path):
    model = NuSMORegressor().fit(X, Y)

    save(model, tmp_path / "m")

    for copy in (load(tmp_path / "m"), pickle.loads(pickle.dumps(model))):
        assert copy.epsilon_ == model.epsilon_
        np.testing.assert_array_equal(copy.predict(X), model.predict(X))
