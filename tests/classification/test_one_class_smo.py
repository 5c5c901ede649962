"""What is true of OneClassSMO only."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import OneClassSVM

from svmosaic import OneClassSMO, load, save

RNG = np.random.default_rng(0)
X = np.vstack([RNG.normal(size=(150, 3)), RNG.normal(3.0, 0.5, size=(100, 3))])
WEIGHTS = RNG.uniform(0.5, 2.0, 250)


@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid"])
@pytest.mark.parametrize("nu", [0.053, 0.411])
@pytest.mark.filterwarnings("ignore:The kernel of OneClassSMO is not positive semidefinite")
def test_it_solves_the_problem_of_one_class_svm(kernel, nu):
    params = {"kernel": kernel, "nu": nu, "gamma": 0.1, "coef0": 0.2, "degree": 2, "tol": 1e-6}

    ours = OneClassSMO(**params).fit(X, sample_weight=WEIGHTS)
    theirs = OneClassSVM(**params).fit(X, sample_weight=WEIGHTS)

    scale = np.abs(theirs.decision_function(X)).max()
    np.testing.assert_allclose(
        ours.decision_function(X), theirs.decision_function(X), atol=1e-4 * max(1.0, scale)
    )
    assert ours.offset_ == pytest.approx(theirs.offset_[0], abs=1e-4 * max(1.0, scale))
    np.testing.assert_allclose(ours.score_samples(X) - ours.offset_, ours.decision_function(X))


def test_the_plane_is_that_of_one_class_svm():
    # Away from the origin, from which a plane parts the samples.
    params = {"kernel": "linear", "nu": 0.123, "tol": 1e-6}

    ours, theirs = OneClassSMO(**params).fit(X + 5.0), OneClassSVM(**params).fit(X + 5.0)

    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5)
    assert ours.offset_ == pytest.approx(theirs.offset_[0])


def test_samples_around_the_origin_have_no_plane():
    model = OneClassSMO(kernel="linear", nu=0.1, tol=1e-6).fit(X - X.mean(axis=0))

    np.testing.assert_allclose(model.coef_, 0.0, atol=1e-4)


@pytest.mark.parametrize("nu", [0.02, 0.1, 0.5, 1.0])
def test_nu_is_between_outliers_and_support_vectors(nu):
    model = OneClassSMO(nu=nu, tol=1e-6).fit(X)

    assert np.mean(model.decision_function(X) < -1e-4) <= nu
    assert model.support_.size >= nu * 250
    assert model.dual_coef_.sum() == pytest.approx(nu * 250)


def test_predictions_are_signs_of_decisions():
    model = OneClassSMO(nu=0.1).fit(X)

    np.testing.assert_array_equal(
        model.predict(X), np.where(model.decision_function(X) >= 0, 1, -1)
    )
    np.testing.assert_array_equal(OneClassSMO(nu=0.1).fit_predict(X), model.predict(X))
    assert model.predict([[50.0, 0.0, 0.0]]).tolist() == [-1]


def test_every_form_of_the_data_gives_the_same_model():
    params = {"nu": 0.2, "tol": 1e-7}
    expected = OneClassSMO(gamma=0.3, **params).fit(X).decision_function(X)
    K = rbf_kernel(X, gamma=0.3)

    for model in [
        OneClassSMO(gamma=0.3, **params).fit(sparse.csr_array(X)),
        OneClassSMO(gamma=0.3, n_jobs=2, **params).fit(X[::-1]),
        OneClassSMO(kernel=lambda A, B: rbf_kernel(A, B, gamma=0.3), **params).fit(X),
    ]:
        np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-5)
    given_kernel = OneClassSMO(kernel="precomputed", **params).fit(K)
    np.testing.assert_allclose(given_kernel.decision_function(K), expected, atol=1e-5)
    single = OneClassSMO(gamma=0.3, nu=0.2, tol=1e-5).fit(X.astype(np.float32))
    np.testing.assert_allclose(single.decision_function(X), expected, atol=1e-3)


def test_weights_mean_repetition():
    counts = np.random.default_rng(1).integers(0, 4, 250)

    weighted = OneClassSMO(nu=0.2).fit(X, sample_weight=counts)
    copies = OneClassSMO(nu=0.2).fit(np.repeat(X, counts, axis=0))

    np.testing.assert_allclose(
        weighted.decision_function(X), copies.decision_function(X), rtol=1e-9, atol=1e-9
    )


def test_limits_are_told():
    with pytest.warns(ConvergenceWarning, match=r"OneClassSMO stopped .* 2 updates"):
        model = OneClassSMO(nu=0.2, max_iter=2).fit(X)
    assert model.fit_status_ == 1
    with pytest.warns(ConvergenceWarning, match="stopped at max_time=1e-09 s"):
        OneClassSMO(nu=0.2, max_time=1e-9).fit(X)


def test_files_and_pickles_keep_the_model(tmp_path):
    model = OneClassSMO(nu=0.2).fit(X)

    save(model, tmp_path / "m")

    for copy in (load(tmp_path / "m"), pickle.loads(pickle.dumps(model))):
        assert copy.offset_ == model.offset_
        np.testing.assert_array_equal(copy.score_samples(X), model.score_samples(X))
