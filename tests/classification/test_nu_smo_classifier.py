"""What is true of NuSMOClassifier only."""

from __future__ import annotations

import pickle
import signal
import threading
import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler
from sklearn.svm import NuSVC

from problems import problems
from svmosaic import NuSMOClassifier, SMOClassifier, load, save


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    # NuSVC keeps copies apart.
    _, distinct = np.unique(X, axis=0, return_index=True)
    return X[distinct], y[distinct]


@pytest.mark.parametrize(
    "kernel",
    [
        {"kernel": "linear"},
        {"kernel": "rbf", "gamma": 0.05},
        {"kernel": "poly", "gamma": 0.05, "degree": 2, "coef0": 1.0},
    ],
    ids=lambda kernel: kernel["kernel"],
)
@pytest.mark.parametrize("nu", [0.071, 0.333])
def test_it_solves_the_problem_of_nusvc(tumours, kernel, nu):
    X, y = tumours
    weights = np.random.default_rng(0).uniform(0.5, 2.0, y.size)

    ours = NuSMOClassifier(nu=nu, tol=1e-6, **kernel).fit(X, y, weights)
    theirs = NuSVC(nu=nu, tol=1e-6, **kernel).fit(X, y, weights)

    np.testing.assert_allclose(
        ours.decision_function(X), theirs.decision_function(X), rtol=1e-4, atol=1e-4
    )
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    assert ours.fit_status_ == theirs.fit_status_ == 0
    assert abs(ours.support_.size - theirs.support_.size) <= 2
    if kernel == {"kernel": "linear"}:
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


def test_several_classes_are_those_of_nusvc(iris):
    X, y = iris
    params = {"nu": 0.2137, "gamma": 0.3, "tol": 1e-7, "decision_function_shape": "ovo"}

    ours, theirs = NuSMOClassifier(**params).fit(X, y), NuSVC(**params).fit(X, y)

    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-4)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_the_same_function_has_a_C(tumours):
    X, y = tumours
    weights = np.random.default_rng(1).uniform(0.5, 2.0, y.size)
    model = NuSMOClassifier(nu=0.2, tol=1e-8).fit(X, y, weights)

    other = SMOClassifier(C=model.C_[0], tol=1e-8).fit(X, y, weights)

    np.testing.assert_allclose(
        model.decision_function(X), other.decision_function(X), rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("nu", [0.05, 0.2, 0.5, 0.7])
def test_nu_is_between_margin_errors_and_support_vectors(tumours, nu):
    X, y = tumours
    model = NuSMOClassifier(nu=nu, tol=1e-6).fit(X, y)

    margins = np.where(y == 1, 1.0, -1.0) * model.decision_function(X)

    assert np.mean(margins < 1.0 - 1e-4) <= nu
    assert model.support_.size >= nu * y.size


def test_infeasible_nu_is_refused(tumours):
    X, y = tumours
    with pytest.raises(ValueError, match=r"specified nu is infeasible\. Got nu=0\.9, .* 0\.745"):
        NuSMOClassifier(nu=0.9).fit(X, y)
    NuSMOClassifier(nu=2 * np.mean(y == 0), tol=0.1).fit(X, y)
    with pytest.raises(ValueError, match="specified nu is infeasible"):
        NuSMOClassifier(nu=0.5).fit(X, y, np.where(y == 0, 1e-3, 1.0))
    balanced = NuSMOClassifier(nu=0.9, class_weight="balanced").fit(X, y)
    assert balanced.score(X, y) > 0.9


def test_class_weights_are_weights_of_samples(tumours):
    X, y = tumours
    by_class = NuSMOClassifier(nu=0.2, tol=1e-7, class_weight={0: 3.0}).fit(X, y)
    by_sample = NuSMOClassifier(nu=0.2, tol=1e-7).fit(X, y, np.where(y == 0, 3.0, 1.0))

    np.testing.assert_allclose(
        by_class.decision_function(X), by_sample.decision_function(X), atol=1e-5
    )


def test_class_weights_without_room_for_nu_lower_it(tumours):
    X, y = tumours
    weights = {0: 1e3, 1: 1e-3}
    model = NuSMOClassifier(nu=0.5, tol=1e-7, class_weight=weights).fit(X, y)

    # All samples of the lighter class have all that they may.
    assert model.n_support_[1] == np.sum(y == 1)
    assert np.mean(model.predict(X) == 0) > 0.95
    other = SMOClassifier(C=model.C_[0], tol=1e-7, class_weight=weights).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), other.decision_function(X), atol=1e-4)


def test_the_unit_of_the_weights_does_not_matter(tumours):
    X, y = tumours
    one = NuSMOClassifier(nu=0.3).fit(X, y)
    light = NuSMOClassifier(nu=0.3).fit(X, y, np.full(y.size, 2.0**-20))

    np.testing.assert_allclose(light.decision_function(X), one.decision_function(X), rtol=1e-9)
    np.testing.assert_allclose(light.C_, one.C_ * 2.0**20)


@settings(max_examples=40)
@given(data=problems(weighted=False), seed=st.integers(0, 1000), form=st.sampled_from([0, 1]))
def test_weights_mean_repetition_and_row_order_does_not_matter(data, seed, form):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, data.y.size)
    counts[[0, -1]] = 1
    rows = rng.permutation(np.repeat(np.arange(data.y.size), counts))
    nu = 1.6 * min(np.mean(data.y[rows] > 0), np.mean(data.y[rows] < 0))
    X = sparse.csr_array(data.X) if form else data.X
    params = {"nu": nu, "gamma": 0.5, "tol": 1e-4}

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        weighted = NuSMOClassifier(**params).fit(X, data.y, counts.astype(float))
        copies = NuSMOClassifier(**params).fit(X[rows], data.y[rows])

    assume(np.isfinite(weighted.C_).all())
    np.testing.assert_allclose(
        weighted.decision_function(X), copies.decision_function(X), rtol=1e-9, atol=1e-9
    )


def test_every_form_of_the_data_gives_the_same_model(tumours):
    X, y = (part[::3] for part in tumours)
    params = {"nu": 0.2, "tol": 1e-7}
    expected = NuSMOClassifier(gamma=0.05, **params).fit(X, y).decision_function(X)
    K = rbf_kernel(X, gamma=0.05)

    found = {
        "csr": NuSMOClassifier(gamma=0.05, **params).fit(sparse.csr_array(X), y),
        "threads": NuSMOClassifier(gamma=0.05, n_jobs=2, **params).fit(X, y),
        "function": NuSMOClassifier(kernel=lambda A, B: rbf_kernel(A, B, gamma=0.05), **params).fit(
            X, y
        ),
    }

    for name, model in found.items():
        np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-5, err_msg=name)
    given_kernel = NuSMOClassifier(kernel="precomputed", **params).fit(K, y)
    np.testing.assert_allclose(given_kernel.decision_function(K), expected, atol=1e-5)
    single = NuSMOClassifier(gamma=0.05, nu=0.2, tol=1e-5).fit(X.astype(np.float32), y)
    assert single.support_vectors_.dtype == np.float32
    np.testing.assert_allclose(single.decision_function(X), expected, atol=5e-3)


def test_classes_that_meet_have_no_margin():
    X = np.tile([[0.0], [1.0]], (10, 1))
    y = np.repeat([0, 1], 10)

    with pytest.warns(ConvergenceWarning, match="found no margin above tol=0.001 in 1 of 1"):
        model = NuSMOClassifier().fit(X, y)

    assert np.isinf(model.C_).all()
    assert np.isfinite(model.decision_function(X)).all()


def test_limits_are_told(tumours):
    X, y = tumours
    with pytest.warns(ConvergenceWarning, match=r"NuSMOClassifier stopped with .* 3 updates"):
        model = NuSMOClassifier(nu=0.2, max_iter=3).fit(X, y)
    assert model.fit_status_ == 1
    assert model.stop_reason_.tolist() == ["max_iter"]
    with pytest.warns(ConvergenceWarning, match="stopped at max_time=1e-09 s"):
        model = NuSMOClassifier(nu=0.2, max_time=1e-9).fit(X, y)
    assert np.isnan(model.dual_gap_).all()
    assert np.isfinite(model.decision_function(X)).all()


def test_files_and_pickles_keep_the_model(iris, tmp_path):
    X, y = iris
    model = NuSMOClassifier(nu=0.2).fit(X, y)

    save(model, tmp_path / "m")
    loaded = load(tmp_path / "m")

    assert type(loaded) is NuSMOClassifier
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(loaded.C_, model.C_)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))


def test_ctrl_c_ends_a_fit():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30_000, 20)), rng.integers(0, 2, 30_000)
    model = NuSMOClassifier(nu=0.3).fit(X[:100], y[:100])
    before = model.decision_function(X[:20])
    timer = threading.Timer(0.4, signal.raise_signal, [signal.SIGINT])
    timer.start()

    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)

    timer.cancel()
    np.testing.assert_array_equal(model.decision_function(X[:20]), before)
