"""NLSGDClassifier and OLLAL2Classifier: streams, orders, weights, seeds, messages."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from problems import problems
from svmosaic import NLSGDClassifier, OLLAL2Classifier, load, save

ONLINE = [NLSGDClassifier, OLLAL2Classifier]
online = pytest.mark.parametrize("kind", ONLINE, ids=lambda kind: kind.__name__)


@pytest.fixture(scope="module")
def iris():
    """Scaled and shuffled, so that every chunk has all classes."""
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(y.size)
    return ((X - X.mean(axis=0)) / X.std(axis=0))[order], y[order]


def one_pass(kind, **params):
    """Return a model whose `fit` does what `partial_fit` does."""
    if kind is NLSGDClassifier:
        params = {"average": 0.0, **params}
    return kind(order="given", epochs=1, gamma=0.5, **params)


def in_chunks(model, X, y, cuts, weights=None):
    edges = [0, *cuts, y.size]
    for begin, end in pairwise(edges):
        part = None if weights is None else weights[begin:end]
        model.partial_fit(X[begin:end], y[begin:end], classes=np.unique(y), sample_weight=part)
    return model


def assert_same_model(one, other, X):
    np.testing.assert_array_equal(one.support_, other.support_)
    np.testing.assert_array_equal(one.n_support_, other.n_support_)
    np.testing.assert_allclose(one.dual_coef_, other.dual_coef_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(one.t_, other.t_)
    np.testing.assert_array_equal(one.n_iter_, other.n_iter_)
    assert one.n_samples_seen_ == other.n_samples_seen_
    np.testing.assert_allclose(
        one.decision_function(X), other.decision_function(X), rtol=1e-9, atol=1e-9
    )


# Streams ------------------------------------------------------------------------------------


@online
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csr_matrix])
def test_chunks_are_one_pass_over_the_whole(iris, kind, multi_class, kernel, form):
    X, y = iris
    weights = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 2.0, 2.5], y.size)
    params = {"multi_class": multi_class, "kernel": kernel, "fit_intercept": True}

    whole = one_pass(kind, **params).fit(form(X), y, sample_weight=weights)
    chunks = in_chunks(one_pass(kind, **params), form(X), y, [1, 7, 60, 100], weights)

    assert_same_model(chunks, whole, X)


@online
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_a_chunk_need_not_have_all_classes(iris, kind, multi_class):
    X, y = iris
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]

    whole = one_pass(kind, multi_class=multi_class).fit(X, y)
    chunks = in_chunks(one_pass(kind, multi_class=multi_class), X, y, [50, 100])

    assert_same_model(chunks, whole, X)


def rbf_function(X, Z):
    squares = (np.square(X).sum(axis=1)[:, None] + np.square(Z).sum(axis=1)) - 2 * X @ Z.T
    return np.exp(-0.5 * squares)


@online
def test_a_kernel_function_can_stream(iris, kind):
    X, y = iris

    named = in_chunks(one_pass(kind), X, y, [70])
    function = in_chunks(one_pass(kind, kernel=rbf_function), X, y, [70])

    assert_same_model(function, named, X)


@online
def test_partial_fit_continues_a_fitted_model(iris, kind):
    X, y = iris

    fitted = one_pass(kind).fit(X[:80], y[:80]).partial_fit(X[80:], y[80:])

    assert_same_model(fitted, one_pass(kind).fit(X, y), X)


@online
def test_the_first_chunk_decides_form_and_type(iris, kind):
    X, y = iris
    model = one_pass(kind).partial_fit(X[:80].astype(np.float32), y[:80], classes=[0, 1, 2])

    model.partial_fit(sparse.csr_array(X[80:]), y[80:])

    assert isinstance(model.support_vectors_, np.ndarray)
    assert model.support_vectors_.dtype == np.float32
    assert model.score(X, y) > 0.85


def test_average_of_a_chunk_leaves_the_raw_model_alone(iris):
    """The mean is what predicts; the sums go on as if there were none."""
    X, y = iris
    last = in_chunks(one_pass(NLSGDClassifier), X, y, [50, 100])
    mean = in_chunks(one_pass(NLSGDClassifier, average=0.5), X, y, [50, 100])

    np.testing.assert_array_equal(mean.support_, last.support_)
    np.testing.assert_allclose(mean._state, last._state)
    assert not np.allclose(mean.dual_coef_, last.dual_coef_)


def test_a_model_without_new_samples_keeps_its_mean(iris):
    X, y = iris
    model = NLSGDClassifier(gamma=0.5, average=0.5).fit(X, y)
    before = model.decision_function(X)
    untouched = clone(model).set_params(decision_function_shape="ovo").fit(X, y)
    pairs = untouched.decision_function(X)[:, 0]

    untouched.partial_fit(X[y == 2], y[y == 2])

    np.testing.assert_allclose(untouched.decision_function(X)[:, 0], pairs, rtol=1e-12)
    np.testing.assert_array_equal(model.decision_function(X), before)


@online
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_saved_model_goes_on_as_if_it_had_not_been_saved(iris, kind, kernel, form, tmp_path):
    X, y = iris
    model = one_pass(kind, kernel=kernel)
    model.partial_fit(form(X[:90]), y[:90], classes=[0, 1, 2])
    save(model, tmp_path / "model.safetensors")
    loaded = load(tmp_path / "model.safetensors")

    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    for continued in (model, loaded):
        continued.partial_fit(form(X[90:]), y[90:])

    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(loaded.t_, model.t_)


# Orders, weights, seeds ---------------------------------------------------------------------


def models():
    shared = {
        "gamma": st.sampled_from(["scale", 0.7]),
        "kernel": st.sampled_from(["rbf", "linear", "laplacian"]),
        "epochs": st.integers(1, 3),
        "fit_intercept": st.booleans(),
        "random_state": st.integers(0, 5),
    }
    sgd = st.builds(
        NLSGDClassifier,
        order=st.sampled_from(["shuffled", "random"]),
        average=st.sampled_from([0.0, 0.25, 0.5]),
        C=st.sampled_from([1.0, 50.0]),
        **shared,
    )
    olla = st.builds(OLLAL2Classifier, budget=st.sampled_from([None, 5]), **shared)
    return st.one_of(sgd, olla)


@settings(max_examples=100)
@given(data=problems(weighted=False), model=models(), seed=st.integers(0, 1000))
def test_weights_mean_repetition_and_row_order_does_not_matter(data, model, seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, data.y.size)
    counts[[0, -1]] = 1  # both classes stay
    repeated = np.repeat(np.arange(data.y.size), counts)
    order = rng.permutation(repeated.size)

    weighted = clone(model).fit(data.X, data.y, sample_weight=counts.astype(float))
    copies = clone(model).fit(data.X[repeated][order], data.y[repeated][order])

    assert weighted.n_support_.tolist() == copies.n_support_.tolist()
    np.testing.assert_allclose(
        weighted.decision_function(data.X), copies.decision_function(data.X), rtol=1e-9, atol=1e-9
    )


@settings(max_examples=30)
@given(data=problems(weighted=False), average=st.sampled_from([0.0, 0.5]))
def test_nlsgd_weighs_by_shares_of_the_total(data, average):
    """t counts weight, so half of every weight is the same model in the same order."""
    model = NLSGDClassifier(order="given", average=average)
    n = data.y.size

    whole = clone(model).fit(data.X, data.y, sample_weight=np.ones(n))
    half = clone(model).fit(data.X, data.y, sample_weight=np.full(n, 0.5))

    np.testing.assert_allclose(half.t_, 0.5 * whole.t_)
    np.testing.assert_allclose(half.dual_coef_, whole.dual_coef_, rtol=1e-9)


@online
def test_the_seed_is_the_result(iris, kind):
    X, y = iris

    one, again, other = (
        kind(random_state=seed).fit(X, y).decision_function(X) for seed in (1, 1, 2)
    )

    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)
    state = kind(random_state=np.random.RandomState(3)).fit(X, y)
    same = kind(random_state=np.random.RandomState(3)).fit(X, y)
    np.testing.assert_array_equal(state.decision_function(X), same.decision_function(X))


def test_a_stored_number_of_the_shuffle():
    """Made by this library on x86-64: another platform must give the same visits."""
    X = np.arange(10.0)[:, None]
    y = np.arange(10) % 2

    model = OLLAL2Classifier(kernel="linear", fit_intercept=False, epochs=1, C=0.01).fit(X, y)

    # Row i of alpha is 0.01 * 2 / sqrt(t) at visit t: read the order of the visits from it.
    alpha = dict(zip(model.support_.tolist(), np.abs(model.dual_coef_[0]), strict=True))
    assert sorted(alpha, key=alpha.get, reverse=True) == VISITS_OF_SEED_0


VISITS_OF_SEED_0 = [5, 4, 9, 3, 1, 2, 8, 7, 0, 6]


# The linear kernel --------------------------------------------------------------------------


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("average", [0.0, 0.5])
def test_the_linear_model_is_the_linear_kernel(iris, form, average):
    X, y = iris
    params = {"average": average, "fit_intercept": True, "C": 50.0}

    primal = NLSGDClassifier(kernel="linear", **params).fit(form(X), y)
    kernel = NLSGDClassifier(kernel="poly", degree=1, gamma=1.0, **params).fit(form(X), y)

    assert primal.support_.size == 0
    assert primal.support_vectors_.shape == (0, 4)
    assert primal.coef_.shape == (3, 4)
    np.testing.assert_allclose(
        primal.decision_function(X), kernel.decision_function(X), rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(primal.intercept_, kernel.intercept_, rtol=1e-9, atol=1e-9)


def test_only_a_linear_model_has_weights_of_features(iris):
    with pytest.raises(AttributeError, match="only available when using a linear kernel"):
        _ = NLSGDClassifier().fit(*iris).coef_


def test_the_intercept_is_the_sum_of_the_coefficients(iris):
    X, y = iris
    model = NLSGDClassifier(gamma=0.5, fit_intercept=True, average=0.25).fit(X, y == 0)

    assert model.intercept_[0] == pytest.approx(model.dual_coef_.sum())
    assert NLSGDClassifier(gamma=0.5).fit(X, y == 0).intercept_[0] == 0.0


# Quality ------------------------------------------------------------------------------------


def test_many_epochs_approach_the_optimum():
    """The objective is within 2 % of the optimum, which LIBSVM's C = C / n gives."""
    from sklearn.svm import LinearSVC

    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    y = np.where(X @ [1.0, -1.0, 0.5, 0.0, 0.0] + 0.3 * rng.normal(size=400) > 0, 1, -1)
    C = 100.0

    def objective(w):
        return 0.5 / C * w @ w + np.maximum(0.0, 1.0 - y * (X @ w)).mean()

    exact = LinearSVC(
        C=C / 400, loss="hinge", fit_intercept=False, tol=1e-8, max_iter=1_000_000, random_state=0
    ).fit(X, y)
    ours = NLSGDClassifier(kernel="linear", C=C, epochs=200, average=0.5).fit(X, y)

    assert objective(ours.coef_[0]) <= 1.02 * objective(exact.coef_[0])


@online
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid", "laplacian", "precomputed"])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_every_kernel_learns_three_classes(kind, kernel, multi_class):
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 30)
    X = np.repeat([[0, 0], [4, 0], [0, 4]], 30, axis=0) + rng.normal(size=(90, 2)) * 0.5
    train = X @ X.T if kernel == "precomputed" else X
    gamma = 0.1 if kernel == "sigmoid" else 0.5
    model = kind(
        kernel=kernel,
        gamma=gamma,
        coef0=0.5,
        multi_class=multi_class,
        fit_intercept=True,
        epochs=20,
    ).fit(train, y)

    assert model.decision_function(train).shape == (90, 3)
    assert model.score(train, y) >= (0.6 if kernel == "sigmoid" else 0.9)


def test_a_budget_holds_through_a_stream(iris):
    X, y = iris
    model = OLLAL2Classifier(gamma=0.5, budget=7)

    for begin in range(0, 150, 30):
        part = slice(begin, begin + 30)
        model.partial_fit(X[part], y[part] == 1, classes=[False, True])
        assert model.support_.size <= 7

    assert model.n_samples_seen_ == 150


# Messages and limits ------------------------------------------------------------------------


@online
def test_the_first_chunk_needs_the_classes(iris, kind):
    with pytest.raises(ValueError, match=r"first call of partial_fit .* needs classes"):
        kind().partial_fit(*iris)


@online
def test_one_class_is_not_enough(iris, kind):
    with pytest.raises(ValueError, match="needs at least 2 classes"):
        kind().partial_fit(*iris, classes=[1])


@online
def test_classes_may_not_change(iris, kind):
    X, y = iris
    model = kind().partial_fit(X, y, classes=[0, 1, 2])

    with pytest.raises(
        ValueError, match=r"got classes=\[0, 1\], but the first call had \[0, 1, 2\]"
    ):
        model.partial_fit(X, y, classes=[0, 1])


@online
def test_an_unknown_label_is_named(iris, kind):
    X, y = iris

    with pytest.raises(
        ValueError, match=r"got the label 2, which is not among the classes \[0, 1\]"
    ):
        kind().partial_fit(X, y, classes=[0, 1])


@online
def test_the_number_of_features_may_not_change(iris, kind):
    X, y = iris
    model = kind().partial_fit(X, y, classes=[0, 1, 2])

    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 4 features"):
        model.partial_fit(X[:, :3], y)


@pytest.mark.parametrize(("kernel", "later"), [("rbf", "linear"), ("linear", "rbf")])
def test_a_linear_model_cannot_become_another(iris, kernel, later):
    model = NLSGDClassifier(kernel=kernel).fit(*iris).set_params(kernel=later)

    with pytest.raises(ValueError, match=f"cannot continue with kernel='{later}'"):
        model.partial_fit(*iris)


@online
def test_what_cannot_stream_says_so(iris, kind):
    X, y = iris

    assert not hasattr(kind(kernel="precomputed"), "partial_fit")
    with pytest.raises(AttributeError):
        kind(kernel="precomputed").partial_fit(X @ X.T, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="cannot balance classes"):
        kind(class_weight="balanced").partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="all weights of this chunk are zero"):
        kind(class_weight={0: 0.0}).partial_fit(X[y == 0], y[y == 0], classes=[0, 1, 2])


@online
def test_class_weights_of_a_stream_are_sample_weights(iris, kind):
    X, y = iris
    weights = np.where(y == 1, 2.0, 1.0)

    by_class = one_pass(kind, class_weight={1: 2.0})
    in_chunks(by_class, X, y, [50])
    by_sample = in_chunks(one_pass(kind), X, y, [50], weights)

    assert_same_model(by_class, by_sample, X)
    np.testing.assert_array_equal(weights, np.where(y == 1, 2.0, 1.0))


@online
def test_weights_beyond_all_visits_are_an_error(iris, kind):
    X, y = iris

    with pytest.raises(ValueError, match="visits in one epoch; at most 1e\\+08"):
        kind().fit(X, y, sample_weight=np.full(150, 1e9))


@online
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_a_time_limit_gives_what_was_reached(kind, kernel):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 20)), rng.integers(0, 2, 20_000)
    model = kind(kernel=kernel, max_time=0.2, epochs=10**6)

    with pytest.warns(ConvergenceWarning, match="max_time=0.2 s with 1 of 1 binary problems"):
        model.fit(X, y)

    assert model.stop_reason_.tolist() == ["max_time"]
    assert np.isfinite(model.decision_function(X[:10])).all()
