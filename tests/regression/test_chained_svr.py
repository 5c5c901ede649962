"""MultiTargetSVR, SVRRC and SVRCC: chains, orders, what is appended, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.model_selection import KFold, ShuffleSplit

from svmosaic import SVRCC, SVRRC, MultiTargetSVR, report_progress
from svmosaic.model_selection.weka_folds import WekaFolds
from svmosaic.regression.chain_orders import correlation_order, random_orders
from twins import smo

GRID = {"gammas": [0.02, 0.2, 2.0], "Cs": [1.0, 30.0], "epsilons": [0.01, 0.1], "cv": 3}
ONE = {"gammas": [0.1], "Cs": [10.0], "epsilons": [0.05]}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70, 4))
    first = np.sin(X[:, 0]) + 0.5 * X[:, 1]
    second = first**2 + X[:, 2]
    third = -second + 0.3 * X[:, 3]
    Y = np.column_stack([first, second, third]) + 0.05 * rng.normal(size=(70, 3))
    return X[:50], Y[:50], X[50:], Y[50:]


REGRESSORS = [
    MultiTargetSVR(**GRID),
    SVRRC(**GRID),
    SVRRC(appended="out_of_fold", **GRID),
    SVRRC(search="grid", **GRID),
    SVRCC(appended="out_of_fold", **GRID),
    SVRCC(search="grid", **GRID),
    SVRCC(appended="out_of_fold", search="grid", **GRID),
    SVRCC(order="cv", **GRID),
]


@pytest.mark.parametrize("regressor", REGRESSORS, ids=str)
def test_regressors_learn_and_keep_the_form_of_the_targets(regressor, data):
    X, Y, X_test, Y_test = data

    model = clone(regressor).fit(X, Y)

    assert model.predict(X_test).shape == Y_test.shape
    assert model.score(X_test, Y_test) > 0.7
    assert model.chains_.shape == model.links_.shape
    assert clone(regressor).fit(X, Y[:, 0]).predict(X_test).shape == (20,)
    assert clone(regressor).fit(X, Y[:, :1]).predict(X_test).shape == (20, 1)


def test_with_one_target_all_regressors_are_the_same_bit_for_bit(data):
    X, Y, X_test, _ = data
    # Copies of rows, too.
    X, Y = np.vstack([X, X[:9]]), np.vstack([Y, Y[:9]])
    expected = MultiTargetSVR(**GRID).fit(X, Y[:, 0]).predict(X_test)

    for regressor in REGRESSORS[1:]:
        np.testing.assert_array_equal(
            clone(regressor).fit(X, Y[:, 0]).predict(X_test), expected, err_msg=str(regressor)
        )


def kernel(A, B, gamma, name="rbf"):
    apart = A[:, None] - B
    return np.exp(-gamma * (apart**2 if name == "rbf" else np.abs(apart)).sum(axis=2))


@pytest.mark.parametrize("name", ["rbf", "laplacian"])
def test_chains_equal_chains_on_widened_inputs(data, name):
    X, Y, X_test, _ = data
    orders = random_orders(3, 4, np.random.RandomState(0))
    settings = {**ONE, "scale_targets": False, "tol": 1e-11}
    # The oracle: solve each link on inputs that were widened, by its own Gram matrix.
    for order in orders.tolist():
        wide, wide_test = X, X_test
        expected = np.empty((20, 3))
        for target in order:
            solution = smo.solve(
                kernel(wide, wide, 0.1, name),
                Y[:, target],
                np.full(50, 10.0),
                tol=1e-11,
                epsilon=0.05,
            )
            values = kernel(wide_test, wide[solution.support], 0.1, name) @ solution.coef
            expected[:, target] = values + solution.intercept
            wide = np.column_stack([wide, Y[:, target]])
            wide_test = np.column_stack([wide_test, expected[:, target]])

        model = SVRCC(order=order, appended="true", kernel=name, **settings).fit(X, Y)

        np.testing.assert_allclose(model.predict(X_test), expected, atol=1e-8)


def test_widths_of_the_laplacian_kernel_follow_the_unit_of_the_inputs(data):
    X, Y, _, _ = data

    gammas = MultiTargetSVR(kernel="laplacian").fit(X, Y).candidates_[:8, 0]
    larger = MultiTargetSVR(kernel="laplacian").fit(10 * X, Y).candidates_[:8, 0]

    np.testing.assert_allclose(gammas[5], 1 / (4 * X.std()))
    np.testing.assert_allclose(gammas / larger, 10)


def test_a_laplacian_regressor_takes_sparse_rows(data):
    X, Y, X_test, _ = data
    dense = MultiTargetSVR(kernel="laplacian", **ONE).fit(X, Y).predict(X_test)

    sparse = MultiTargetSVR(kernel="laplacian", **ONE).fit(csr_array(X), Y)

    np.testing.assert_allclose(sparse.predict(csr_array(X_test)), dense, atol=1e-6)


def test_an_ensemble_is_the_mean_of_its_chains(data):
    X, Y, X_test, _ = data
    model = SVRRC(n_chains=4, appended="true", **ONE).fit(X, Y)

    chains = model.predict_chains(X_test)

    assert model.chains_.shape == (4, 3)
    np.testing.assert_array_equal(model.predict(X_test), chains.mean(axis=0))
    for order, values in zip(model.chains_, chains, strict=True):
        alone = SVRCC(order=order.tolist(), appended="true", **ONE).fit(X, Y)
        np.testing.assert_allclose(alone.predict(X_test), values, rtol=1e-9, atol=1e-9)


def test_links_that_chains_share_are_stored_once(data):
    X, Y, _, _ = data

    model = SVRRC(n_chains=6, appended="true", **ONE).fit(X, Y)

    # Three targets, each alone, after one or both of the others: 3 x 4 links in 6 x 3 places.
    assert model.dual_coef_.shape[0] == 12


def test_out_of_fold_values_are_those_of_the_inner_folds(data):
    X, Y, _, _ = data
    folds = KFold(3, shuffle=True, random_state=5)
    settings = {**ONE, "cv": folds, "scale_targets": False, "tol": 1e-9, "appended": "out_of_fold"}
    model = SVRCC(order=[1, 0, 2], **settings).fit(X, Y)
    expected = np.empty(50)
    for train, test in folds.split(X):
        fold = MultiTargetSVR(**{**ONE, "scale_targets": False, "tol": 1e-9})
        expected[test] = fold.fit(X[train], Y[train, 1]).predict(X[test])

    last = model.links_[0, 2]
    column = model.appended_[model.link_columns_[last, 1]]

    np.testing.assert_allclose(column, expected[model.support_], atol=1e-6)


def test_copies_of_rows_do_not_change_the_model(data):
    X, Y, X_test, _ = data
    settings = {**ONE, "scale_targets": False, "tol": 1e-9}
    twice = np.repeat(np.arange(50), 2)
    copied = MultiTargetSVR(**settings).fit(X[twice], Y[twice])

    double = MultiTargetSVR(**{**settings, "Cs": [20.0]}).fit(X, Y)

    np.testing.assert_allclose(copied.predict(X_test), double.predict(X_test), atol=1e-6)
    assert copied.support_.size <= 50


@pytest.mark.parametrize("regressor", REGRESSORS[:3], ids=str)
def test_neither_threads_nor_storage_matter(regressor, data):
    X, Y, X_test, _ = data
    expected = clone(regressor).fit(X, Y).predict(X_test)

    threaded = clone(regressor).set_params(n_jobs=2).fit(X, Y).predict(X_test)
    sparse = clone(regressor).fit(csr_array(X), Y).predict(csr_array(X_test))

    np.testing.assert_array_equal(threaded, expected)
    np.testing.assert_allclose(sparse, expected, atol=5e-3)


# Orders -------------------------------------------------------------------------------------


def test_the_order_by_correlation_follows_row_sums(data):
    Y = data[1]
    P = np.corrcoef(Y.T)

    assert correlation_order(Y).tolist() == np.argsort(-P.sum(axis=1)).tolist()
    assert (
        correlation_order(Y, absolute=True).tolist() == np.argsort(-np.abs(P).sum(axis=1)).tolist()
    )
    assert SVRCC(**ONE).fit(*data[:2]).chains_.tolist() == [correlation_order(Y).tolist()]


def test_equal_sums_keep_the_order_of_the_targets():
    Y = np.random.default_rng(0).normal(size=(20, 2))

    assert correlation_order(Y).tolist() == [0, 1]


def test_a_constant_target_correlates_with_nothing():
    Y = np.column_stack([np.ones(9), np.arange(9.0), np.arange(9.0) ** 2])

    assert correlation_order(Y).tolist()[-1] == 0


def test_random_orders_are_different_and_limited():
    orders = random_orders(4, 10, np.random.RandomState(0))

    assert len({tuple(order) for order in orders.tolist()}) == 10
    assert len(random_orders(2, 10, np.random.RandomState(0))) == 2
    assert len(random_orders(30, 10, np.random.RandomState(0))) == 10


def test_the_order_by_error_begins_with_the_best_target_alone(data):
    X, Y, _, _ = data
    alone = MultiTargetSVR(**GRID).fit(X, Y)

    model = SVRCC(order="cv", **GRID).fit(X, Y)

    assert model.chains_[0, 0] == np.argmin(alone.cv_errors_.min(axis=1))


# Search -------------------------------------------------------------------------------------


def test_the_chosen_parameters_have_the_least_error(data):
    model = MultiTargetSVR(**GRID).fit(*data[:2])

    best = model.candidates_[model.cv_errors_.argmin(axis=1)]

    np.testing.assert_array_equal(np.column_stack([model.gamma_, model.C_, model.epsilon_]), best)


def test_each_link_may_have_folds_of_its_own(data):
    X, Y, _, _ = data
    folds = WekaFolds(3, shuffle_links=True)
    model = SVRCC(**{**GRID, "cv": folds, "search": "grid"}, order=[1, 0, 2]).fit(X, Y)

    alone = MultiTargetSVR(**{**GRID, "cv": folds.for_link(0, 0, 3)}).fit(X, Y)

    # The first link of the chain sees the inputs only.
    np.testing.assert_array_equal(model.cv_errors_[model.links_[0, 1]], alone.cv_errors_[1])


def test_a_search_without_folds_needs_one_candidate_and_true_values(data):
    X, Y, _, _ = data
    # Three folds of two rows would be refused.
    model = MultiTargetSVR(**ONE, cv=3).fit(X[:2], Y[:2])

    assert np.isnan(model.cv_errors_).all()


def test_an_error_in_the_progress_ends_the_fit():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(500, 5)), rng.normal(size=(500, 6))

    def stop(done, total, steps):
        raise RuntimeError("enough")

    with report_progress(stop), pytest.raises(RuntimeError, match="enough"):
        SVRRC().fit(X, Y)


# Refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [[0, 1], [0, 1, 1], [0.0, 1.0, 2.0], [1, 2, 3]])
def test_an_order_names_every_target_once(order, data):
    with pytest.raises(ValueError, match="name each of the 3 targets once"):
        SVRCC(order=order, **ONE).fit(*data[:2])


@pytest.mark.parametrize(
    ("name", "values"), [("gammas", [0.0]), ("Cs", []), ("epsilons", [-0.1]), ("Cs", [np.nan])]
)
def test_a_grid_is_made_of_positive_numbers(name, values, data):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of SVRRC must be a list of"):
        SVRRC(**{**GRID, name: values}).fit(*data[:2])


def test_out_of_fold_values_need_folds_that_test_every_row_once(data):
    with pytest.raises(ValueError, match="tests every row once"):
        SVRRC(appended="out_of_fold", cv=ShuffleSplit(3, random_state=0)).fit(*data[:2])


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (SVRRC(appended="out_of_fold"), "SVRRC with appended='out_of_fold' needs one set"),
        (SVRCC(appended="out_of_fold"), "SVRCC with appended='out_of_fold' needs one set"),
        (SVRCC(order="cv"), "SVRCC with order='cv' needs one set"),
    ],
    ids=["SVRRC", "SVRCC", "order"],
)
def test_folds_for_each_link_suit_links_that_do_not_depend_on_folds(model, words, data):
    with pytest.raises(ValueError, match=words):
        clone(model).set_params(cv=WekaFolds(3, shuffle_links=True)).fit(*data[:2])


def test_distances_that_do_not_fit_are_refused_beforehand(data):
    with pytest.raises(ValueError, match="Raise it or fit to fewer samples"):
        MultiTargetSVR(memory_limit_mb=0.01).fit(*data[:2])


def test_a_regressor_that_stops_early_says_so(data):
    with pytest.warns(match="MultiTargetSVR stopped with violation"):
        MultiTargetSVR(**ONE, max_iter=1).fit(*data[:2])
