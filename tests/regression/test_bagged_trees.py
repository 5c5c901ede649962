"""Bagged trees against the forests of scikit-learn, and what rows out of bag get."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor

from svmosaic.regression.bagged_trees import fit_bagged_trees

KINDS = [(DecisionTreeRegressor, RandomForestRegressor), (ExtraTreeRegressor, ExtraTreesRegressor)]


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 5))
    X[np.abs(X) < 0.4] = 0.0
    return X, np.column_stack([X[:, 0] > 0, X[:, 1] * X[:, 2]]) + 0.1 * rng.normal(size=(80, 2))


@pytest.mark.parametrize("targets", [[0], [0, 1]])
@pytest.mark.parametrize(("kind", "forest"), KINDS)
def test_they_predict_as_well_as_a_forest_of_scikit_learn(problem, kind, forest, targets):
    X, Y = problem
    y = Y[:, targets]
    bagged = fit_bagged_trees(kind, 200, X, y, random_state=0)
    peer = forest(200, bootstrap=True, random_state=1, oob_score=True)
    peer.fit(X, y if len(targets) > 1 else y[:, 0])

    # Other draws, so alike and not equal.
    expected = peer.oob_prediction_.reshape(y.shape)
    assert_allclose(bagged.importances, peer.feature_importances_, atol=0.05)
    error, of_peer = (np.mean((v - y) ** 2) for v in (bagged.out_of_bag(X, y), expected))
    assert error == pytest.approx(of_peer, rel=0.15)


@pytest.mark.parametrize(("kind", "_"), KINDS)
def test_out_of_bag_is_the_mean_of_the_trees_that_have_not_drawn_a_row(problem, kind, _):
    X, Y = problem
    bagged = fit_bagged_trees(kind, 7, X, Y, random_state=0)

    found = bagged.out_of_bag(X, Y)

    for row in range(len(X)):
        unseen = [
            tree.predict(X[[row]])[0]
            for tree, drawn in zip(bagged.trees, bagged.drawn, strict=True)
            if drawn[row] == 0
        ]
        assert_allclose(found[row], np.mean(unseen, axis=0) if unseen else Y.mean(axis=0))


@pytest.mark.parametrize(("kind", "_"), KINDS)
def test_the_trees_do_not_depend_on_threads(problem, kind, _):
    X, Y = problem

    one, two = (
        fit_bagged_trees(kind, 9, X, Y, random_state=0, n_threads=n).out_of_bag(X, Y)
        for n in (1, 2)
    )

    assert_array_equal(two, one)


@pytest.mark.parametrize(("kind", "_"), KINDS)
def test_trees_of_sparse_rows_are_as_good(problem, kind, _):
    X, Y = problem

    # Trees look at sparse features in another order, which decides between equal splits.
    sparse, dense = (
        fit_bagged_trees(kind, 200, rows, Y, random_state=0).out_of_bag(rows, Y)
        for rows in (csr_array(X), X)
    )

    errors = [np.mean((values - Y) ** 2) for values in (sparse, dense)]
    assert errors[0] == pytest.approx(errors[1], rel=0.15)


def test_values_beyond_single_precision_are_split_like_others(problem):
    X, Y = problem
    X = X.copy()
    X[:, 0] *= 1e300

    bagged = fit_bagged_trees(DecisionTreeRegressor, 50, X, Y[:, :1], random_state=0)

    assert bagged.importances[0] > 0.8
    assert np.isfinite(bagged.out_of_bag(X, Y[:, :1])).all()


def test_a_constant_target_has_no_important_feature(problem):
    X, _ = problem

    bagged = fit_bagged_trees(DecisionTreeRegressor, 3, X, np.ones((80, 1)), random_state=0)

    assert_array_equal(bagged.importances, 0.0)
    assert_array_equal(bagged.out_of_bag(X, np.ones((80, 1))), 1.0)
