"""What is true of SMORegressor only."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVR

from problems import problems
from svmosaic import SMORegressor, load, save
from svmosaic.datasets import read_table
from svmosaic.datasets.loading import data_folder


@pytest.fixture(scope="module")
def waves():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    return X, np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.normal(size=300)


def test_three_points_by_hand():
    """Linear kernel, x = -1, 0, 1, t = -1, 0, 1, epsilon = 0.5: the flattest line in the tube.

    f = w x + b must pass within 0.5 of +-1 at +-1, so w = 0.5 and b = 0; only the ends support it
    with |beta| = 0.25, because w = beta_3 - beta_1.
    """
    model = SMORegressor(kernel="linear", C=10.0, epsilon=0.5, tol=1e-9).fit(
        [[-1.0], [0.0], [1.0]], [-1.0, 0.0, 1.0]
    )

    np.testing.assert_allclose(model.coef_, [[0.5]])
    np.testing.assert_allclose(model.intercept_, [0.0], atol=1e-9)
    assert model.support_.tolist() == [0, 2]
    np.testing.assert_allclose(model.dual_coef_, [[-0.25, 0.25]])


# The sigmoid kernel is indefinite, and fit says so.
@pytest.mark.filterwarnings("ignore:The kernel of .* is not positive semidefinite")
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0])
def test_it_solves_the_problem_of_svr(waves, kernel, epsilon):
    X, y = waves
    common = {"kernel": kernel, "epsilon": epsilon, "gamma": 0.1, "coef0": 1.0, "tol": 1e-6}
    ours = SMORegressor(**common).fit(X, y)
    theirs = SVR(**common).fit(X, y)

    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-3, atol=1e-3)
    gap = ours.dual_gap_[0]
    assert np.isnan(gap) if kernel == "sigmoid" else 0 <= gap <= 1e-3 * max(1.0, ours.objective_[0])


@pytest.mark.parametrize(("epsilon", "scale"), [(0.0, 1.0), (0.1, 1.0), (0.1, 1000.0)])
def test_many_samples_join_in_rounds_and_give_the_same_model(epsilon, scale):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(3000, 3))
    y = scale * (np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * rng.normal(size=3000))
    common = {
        "epsilon": epsilon * scale,
        "C": 0.5 * scale,
        "gamma": 0.5,
        "tol": 1e-5 * scale,
        "cache_mb": 50,
    }
    rounds = SMORegressor(**common).fit(X, y)
    at_once = SMORegressor(shrinking=False, **common).fit(X, y)
    theirs = SVR(**{k: v for k, v in common.items() if k != "cache_mb"}).fit(X, y)

    assert rounds.stop_reason_.tolist() == ["converged"]
    np.testing.assert_allclose(rounds.objective_, at_once.objective_, rtol=1e-7)
    np.testing.assert_allclose(rounds.predict(X), theirs.predict(X), atol=2e-3 * scale)
    assert 0 <= rounds.dual_gap_[0] <= 1e-3 * rounds.objective_[0]


@pytest.mark.parametrize("name", ["edm", "jura", "andro", "wisconsin", "stock", "polymer"])
def test_predictions_agree_with_svr_on_real_data(name):
    folder = data_folder()
    if folder is None:
        pytest.skip("needs the data folder: set SVMOSAIC_DATA")
    data = read_table(folder / "multitarget" / f"{name}.arff.gz", allow_nan=True)
    X, y = np.nan_to_num(data.X), np.asarray(data.y, dtype=float)
    X = MinMaxScaler().fit_transform(X)
    spread = y.std()

    ours = SMORegressor(C=10 * spread, epsilon=0.05 * spread, tol=1e-5 * spread).fit(X, y)
    theirs = SVR(C=10 * spread, epsilon=0.05 * spread, tol=1e-5 * spread).fit(X, y)

    assert np.abs(ours.predict(X) - theirs.predict(X)).max() <= 1e-3 * spread


@settings(max_examples=60)
@given(data=problems(weighted=False, kernels=("rbf",)), seed=st.integers(0, 1000))
def test_weights_mean_repetition_and_row_order_does_not_matter(data, seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, data.y.size)
    counts[0] = 1
    rows = rng.permutation(np.repeat(np.arange(data.y.size), counts))

    weighted = SMORegressor().fit(data.X, data.y, counts)
    copies = SMORegressor().fit(data.X[rows], data.y[rows])

    np.testing.assert_allclose(
        weighted.predict(data.X), copies.predict(data.X), rtol=1e-9, atol=1e-9
    )


def test_sparse_float32_precomputed_and_function_agree(waves):
    X, y = waves
    dense = SMORegressor(gamma=0.2, tol=1e-6).fit(X, y).predict(X)
    K = np.exp(-0.2 * ((X[:, None] - X[None]) ** 2).sum(axis=2))

    csr = SMORegressor(gamma=0.2, tol=1e-6).fit(sparse.csr_array(X), y).predict(X)
    single = SMORegressor(gamma=0.2, tol=1e-4).fit(X.astype(np.float32), y)
    given_kernel = SMORegressor(kernel="precomputed", tol=1e-6).fit(K, y).predict(K)

    np.testing.assert_allclose(csr, dense, atol=1e-4)
    np.testing.assert_allclose(given_kernel, dense, atol=1e-4)
    np.testing.assert_allclose(single.predict(X), dense, atol=1e-2)
    assert single.support_vectors_.dtype == np.float32


def test_a_warm_start_needs_fewer_updates(waves):
    X, y = waves
    cold = SMORegressor(C=1.2).fit(X, y)
    warm = SMORegressor(C=1.0, warm_start=True).fit(X, y)
    warm.set_params(C=1.2).fit(X, y)

    assert warm.n_iter_[0] < cold.n_iter_[0]
    np.testing.assert_allclose(warm.predict(X), cold.predict(X), atol=1e-2)


def test_targets_inside_the_tube_need_no_support_vector(waves):
    X, _ = waves
    model = SMORegressor(epsilon=1.0).fit(X, np.full(300, 3.0))

    assert model.support_.size == 0
    np.testing.assert_allclose(model.predict(X), 3.0, atol=1.0)


def test_limits_warn_and_files_keep_the_model(waves, tmp_path):
    X, y = waves
    with pytest.warns(ConvergenceWarning, match=r"SMORegressor stopped .* 3 updates"):
        SMORegressor(max_iter=3).fit(X, y)
    model = SMORegressor().fit(X, y)
    save(model, tmp_path / "model")

    np.testing.assert_array_equal(load(tmp_path / "model").predict(X), model.predict(X))
