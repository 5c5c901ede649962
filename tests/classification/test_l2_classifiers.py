"""What is true of MNSVMClassifier, NNISDAClassifier and UniformSVC only."""

from __future__ import annotations

import pickle
import signal
import threading
import time
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs, make_classification, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from problems import problems
from svmosaic import MNSVMClassifier, NNISDAClassifier, UniformSVC, load, report_progress, save

L2_CLASSIFIERS = [MNSVMClassifier, NNISDAClassifier]
CLASSIFIERS = [*L2_CLASSIFIERS, UniformSVC]


@pytest.fixture(scope="module")
def moons():
    return make_moons(300, noise=0.25, random_state=0)


@pytest.fixture(scope="module")
def blobs():
    """Two classes with a gap between them."""
    X, y = make_blobs(120, centers=[[0, 0], [4, 4]], cluster_std=0.8, random_state=0)
    return X, y


# The problems -------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian"])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_both_l2_classifiers_are_the_same_model(moons, kernel, C):
    X, y = moons
    one, other = (M(kernel=kernel, C=C, gamma=1.0, tol=1e-7).fit(X, y) for M in L2_CLASSIFIERS)

    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-5)
    assert (one.dual_gap_ <= 1e-6 * one.objective_).all()


@pytest.mark.parametrize("kind", L2_CLASSIFIERS)
def test_with_the_linear_kernel_it_is_the_squared_hinge_svm(moons, kind):
    """LinearSVC minimises 1/2 (|w|^2 + b^2) + C' sum xi^2, so C' = C / 2."""
    X, y = moons
    ours = kind(kernel="linear", C=2.0, tol=1e-7).fit(X, y)
    theirs = LinearSVC(C=1.0, loss="squared_hinge", dual=True, tol=1e-9, max_iter=100_000)

    theirs.fit(X, y)

    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)


@pytest.mark.parametrize("kind", L2_CLASSIFIERS)
def test_two_points_by_hand(kind):
    """x = +1 and -1, linear, C = 1: Q = [[3, 0], [0, 3]], so a = 1/3 and f(x) = 2/3 x."""
    model = kind(kernel="linear", tol=1e-9).fit([[1.0], [-1.0]], [1, 0])

    np.testing.assert_allclose(model.decision_function([[1.0], [3.0]]), [2 / 3, 2.0])
    assert model.intercept_[0] == pytest.approx(0.0, abs=1e-12)
    assert model.objective_[0] == pytest.approx(1 / 3)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_uniform_with_a_large_penalty_is_the_hard_margin_svm(blobs, kernel):
    X, y = blobs
    ours = UniformSVC(kernel=kernel, gamma=0.1, C=1e6, tol=1e-6).fit(X, y)
    theirs = SVC(kernel=kernel, gamma=0.1, C=1e6, tol=1e-8).fit(X, y)

    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    assert np.abs(ours.decision_function(X)).min() == pytest.approx(1.0, abs=1e-4)


def test_the_penalty_of_the_uniform_svm_scales_and_never_moves_the_boundary(blobs):
    X, y = blobs
    small, large = (UniformSVC(kernel="linear", C=C).fit(X, y) for C in (1e-3, 1e-2))

    np.testing.assert_allclose(10 * small.decision_function(X), large.decision_function(X))
    # s = C / 2: the multipliers of each class sum up to it.
    assert small.dual_coef_[small.dual_coef_ > 0].sum() == pytest.approx(5e-4)


def test_uniform_svm_of_two_points_by_hand():
    """x = 0 and 2: |p - q|^2 = 4, so s = min(C/2, 1/2); f(x) = s (2 x - 2)."""
    X, y = [[0.0], [2.0]], [0, 1]

    hard = UniformSVC(kernel="linear", C=10.0).fit(X, y)
    soft = UniformSVC(kernel="linear", C=0.5).fit(X, y)

    np.testing.assert_allclose(hard.decision_function([[0.0], [1.0], [2.0]]), [-1, 0, 1])
    np.testing.assert_allclose(soft.decision_function([[0.0], [1.0], [2.0]]), [-0.5, 0, 0.5])
    # 1/2 |w|^2 + C xi with w = 1/2, xi = 1/2.
    assert soft.objective_[0] == pytest.approx(0.125 + 0.25)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_overlapping_hulls_give_a_constant_model_and_a_warning(moons, dtype):
    X, y = moons

    with pytest.warns(ConvergenceWarning, match=r"hulls .* overlap .* 1 of 1 binary problems.*rbf"):
        model = UniformSVC(kernel="linear").fit(X.astype(dtype), y)

    assert model.stop_reason_.tolist() == ["converged"]
    assert model.support_.size == 0
    assert set(model.decision_function(X)) == {0.0}
    assert set(model.predict(X)) == {0}
    assert model.objective_[0] == model.C


def test_a_binary_classifier_among_others_may_be_constant(tmp_path):
    X, y = load_iris(return_X_y=True)

    with pytest.warns(ConvergenceWarning, match="1 of 3 binary problems"):
        model = UniformSVC(kernel="linear").fit(X, y)

    # Setosa stands apart; versicolor and virginica overlap.
    assert np.mean(model.predict(X[:50]) == 0) == 1.0
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict(X), model.predict(X))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_hulls_that_nearly_touch_take_thousands_of_steps_and_not_millions(dtype):
    # Steps of two variables do not converge in three million.
    X, y = make_blobs(200, centers=2, cluster_std=2.0, random_state=0)
    X = ((X - X.mean(axis=0)) / X.std(axis=0)).astype(dtype)

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The convex hulls of the classes overlap")
        model = UniformSVC(tol=1e-5, max_iter=100_000).fit(X, y)

    assert model.n_iter_[0] < 50_000
    assert model.stop_reason_.tolist() == ["converged"]


def test_nearest_points_that_many_variables_move_to_are_those_of_single_steps():
    X, y = make_classification(600, random_state=0)
    exact = UniformSVC(gamma=0.05, tol=1e-9).fit(X, y)
    loose = UniformSVC(gamma=0.05, tol=1e-3).fit(X, y)

    assert exact.dual_gap_[0] < 1e-9
    assert loose.objective_[0] == pytest.approx(exact.objective_[0], abs=1e-4)
    # The hard margin, by another solver; C / 2 is larger than 2 / |p - q|^2.
    peer = SVC(C=1e9, gamma=0.05, tol=1e-6).fit(X, y)
    hard = UniformSVC(C=1e9, gamma=0.05, tol=1e-7).fit(X, y)
    np.testing.assert_allclose(
        hard.decision_function(X), peer.decision_function(X), rtol=1e-3, atol=1e-3
    )


def test_the_thesis_solver_repeats_for_a_seed_and_differs_between_seeds(moons):
    X, y = moons
    settings = {"solver": "smo", "gamma": 1.0, "C": 10.0}
    one, again, other = (UniformSVC(random_state=s, **settings).fit(X, y) for s in (1, 1, 2))

    np.testing.assert_array_equal(one.decision_function(X), again.decision_function(X))
    assert not np.array_equal(one.decision_function(X), other.decision_function(X))
    assert np.isnan(one.dual_gap_).all()


def test_the_thesis_solver_stops_short_of_the_optimum(blobs):
    """A sweep of partners that gain nothing looks like the end, whatever the tolerance."""
    X, y = blobs
    exact = UniformSVC(kernel="linear", C=100.0).fit(X, y)
    smo = UniformSVC(kernel="linear", C=100.0, solver="smo", tol=1e-9).fit(X, y)

    assert smo.stop_reason_.tolist() == ["converged"]
    assert smo.score(X, y) == 1.0
    assert 0.0 < smo.objective_[0] < 0.9 * exact.objective_[0]


def test_printed_bounds_pass_the_bound_on_the_sum(moons):
    X, y = moons
    settings = {"solver": "smo", "kernel": "linear", "max_iter": 50}

    sums = {}
    for bounds in ("feasible", "printed"):
        with warnings.catch_warnings():
            # The printed bounds go round in circles.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = UniformSVC(bounds=bounds, **settings).fit(X, y)
        sums[bounds] = np.abs(model.dual_coef_).sum()

    assert sums["feasible"] <= 1.0 + 1e-9 < sums["printed"]


# Weights, forms, threads --------------------------------------------------------------------


@pytest.mark.parametrize("kind", CLASSIFIERS)
@settings(max_examples=40)
@given(data=problems(weighted=False, kernels=("rbf", "laplacian")), seed=st.integers(0, 1000))
def test_weights_mean_repetition_and_row_order_does_not_matter(kind, data, seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, data.y.size)
    counts[[0, -1]] = 1  # both classes stay
    repeated = np.repeat(np.arange(data.y.size), counts)
    order = rng.permutation(repeated.size)
    model = kind(kernel=data.kernel.kind, gamma=data.kernel.gamma)

    with warnings.catch_warnings():
        # A row with both labels is a point of both hulls.
        warnings.simplefilter("ignore", ConvergenceWarning)
        weighted = clone(model).fit(data.X, data.y, counts.astype(float))
        copies = clone(model).fit(data.X[repeated][order], data.y[repeated][order])

    assert weighted.n_support_.tolist() == copies.n_support_.tolist()
    np.testing.assert_allclose(
        weighted.decision_function(data.X), copies.decision_function(data.X), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("kind", L2_CLASSIFIERS)
def test_a_weight_of_one_sample_is_that_many_copies_in_the_optimum(moons, kind):
    """Copies that are not merged: a trace of noise keeps them apart."""
    X, y = moons
    counts = np.random.default_rng(0).integers(1, 4, y.size)
    repeated = np.repeat(np.arange(y.size), counts)
    apart = X[repeated] + 1e-9 * np.random.default_rng(1).normal(size=(repeated.size, 2))

    weighted = kind(gamma=1.0, tol=1e-8).fit(X, y, counts)
    copies = kind(gamma=1.0, tol=1e-8).fit(apart, y[repeated])

    assert copies.support_.size > weighted.support_.size
    np.testing.assert_allclose(
        weighted.decision_function(X), copies.decision_function(X), atol=1e-6
    )


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_dense_sparse_and_single_precision_agree(blobs, kind):
    X, y = blobs
    double = kind(gamma=0.2, tol=1e-6).fit(X, y)
    csr = kind(gamma=0.2, tol=1e-6).fit(sparse.csr_array(X), y)
    single = kind(gamma=0.2).fit(X.astype(np.float32), y)

    np.testing.assert_allclose(double.decision_function(X), csr.decision_function(X), atol=1e-4)
    assert single.support_vectors_.dtype == np.float32
    assert np.mean(single.predict(X) == double.predict(X)) >= 0.99


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_threads_and_three_classes(kind, multi_class):
    X, y = load_iris(return_X_y=True)
    one, two = (kind(gamma=0.5, multi_class=multi_class, n_jobs=n).fit(X, y) for n in (None, 2))

    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))
    assert one.score(X, y) >= 0.95
    assert one.n_iter_.shape == one.stop_reason_.shape == one.dual_gap_.shape == (3,)


# The sigmoid kernel is indefinite, and fit says so.
@pytest.mark.filterwarnings("ignore:The kernel of .* is not positive semidefinite")
@pytest.mark.parametrize("kernel", ["precomputed", "poly", "sigmoid"])
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_other_kernels_learn(blobs, kind, kernel):
    X, y = blobs
    if kind is UniformSVC and kernel == "sigmoid":
        # Not positive semidefinite: there are points of the two hulls at no distance.
        with pytest.warns(ConvergenceWarning, match="overlap"):
            kind(kernel=kernel, gamma=0.05, coef0=0.5).fit(X, y)
        return
    train = X @ X.T if kernel == "precomputed" else X
    model = kind(kernel=kernel, gamma=0.05, coef0=0.5, degree=2).fit(train, y)

    assert model.score(train, y) >= 0.9


# Storing ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_models_come_back_the_same(blobs, kind, kernel, form, tmp_path):
    X, y = blobs
    if kernel == "precomputed":
        X = X @ X.T
    elif form is not np.asarray:
        X = form(X)
    model = kind(kernel=kernel).fit(X, y)
    save(model, tmp_path / "model")

    for again in (load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        assert type(again) is type(model)
        assert again.get_params() == model.get_params()
        np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
        np.testing.assert_array_equal(again.dual_gap_, model.dual_gap_)


# Limits and messages ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def noise():
    """Labels without a pattern: a fit would take many minutes."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(60_000, 20)), rng.integers(0, 2, 60_000)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("model", [*(M() for M in CLASSIFIERS), UniformSVC(solver="smo")], ids=str)
def test_ctrl_c_ends_a_fit_and_leaves_the_estimator_usable(noise, model, n_jobs):
    X, y = noise
    model = clone(model).set_params(gamma=0.5, n_jobs=n_jobs).fit(X[:200], y[:200])
    before = model.decision_function(X[:50])
    timer = threading.Timer(0.4, signal.raise_signal, [signal.SIGINT])
    timer.start()

    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)

    np.testing.assert_array_equal(model.decision_function(X[:50]), before)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_time_limit_gives_a_usable_model_and_a_warning(noise, kind):
    X, y = noise

    with pytest.warns(ConvergenceWarning, match=r"max_time=0.3 s with 1 of 1 binary problems"):
        model = kind(gamma=0.5, max_time=0.3).fit(X, y)

    assert model.stop_reason_.tolist() == ["max_time"]
    assert model.predict(X[:10]).shape == (10,)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_limit_on_updates_warns_with_the_measurement(moons, kind):
    message = rf"{kind.__name__} stopped at max_iter=3 .* violation .* \(tol=0.001\)"
    with pytest.warns(ConvergenceWarning, match=message):
        model = kind(gamma=1.0, max_iter=3).fit(*moons)

    assert model.n_iter_.tolist() == [3]


@pytest.mark.parametrize("kind", L2_CLASSIFIERS)
def test_a_kernel_without_a_solution_gets_one_sentence(moons, kind):
    X, y = moons
    K = -(X @ X.T)
    message = f"kernel of {kind.__name__} is not positive semidefinite .* 1 of 1 binary problems"
    with pytest.warns(ConvergenceWarning, match=message):
        model = kind(kernel="precomputed", C=100.0).fit(K, y)

    assert model.stop_reason_.tolist() == ["indefinite"]
    assert np.isfinite(model.decision_function(K)).all()


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0.0}, r"The 'C' parameter of \w+ must be a float .* Got 0.0"),
        ({"tol": -1.0}, r"The 'tol' parameter .* Got -1.0"),
        ({"max_iter": 0}, r"The 'max_iter' parameter .* Got 0"),
        ({"kernel": "gauss"}, r"The 'kernel' parameter .* Got 'gauss'"),
    ],
)
def test_bad_parameters_get_one_sentence(moons, kind, parameters, message):
    with pytest.raises(ValueError, match=message):
        kind(**parameters).fit(*moons)


def test_bad_choices_of_the_uniform_svm_get_one_sentence(moons):
    with pytest.raises(ValueError, match=r"The 'solver' parameter of UniformSVC .* Got 'qp'"):
        UniformSVC(solver="qp").fit(*moons)
    with pytest.raises(ValueError, match=r"The 'bounds' parameter of UniformSVC .* Got 'tight'"):
        UniformSVC(bounds="tight").fit(*moons)


def test_balanced_weights_help_the_small_class():
    X, y = make_classification(600, weights=[0.93], flip_y=0.05, random_state=1)
    plain, balanced = (
        NNISDAClassifier(C=0.01, class_weight=w).fit(X, y) for w in (None, "balanced")
    )

    assert np.mean(balanced.predict(X[y == 1])) > np.mean(plain.predict(X[y == 1]))


def test_joint_steps_of_the_uniform_svm_hear_an_interrupt():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1200, 5)), rng.integers(2, size=1200)
    heard = [time.process_time()]

    def listen(*_):
        heard.append(time.process_time())

    with report_progress(listen), pytest.warns(ConvergenceWarning, match="overlap"):
        UniformSVC(gamma=0.3, C=1e6).fit(X, y)

    # The rounds of a step together take up to a second.
    assert np.diff(heard).max() < 0.3
