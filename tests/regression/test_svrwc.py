"""SVRWC: two kernels, alone and in chains, weighted by predictions of rows left out."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.model_selection import KFold, ShuffleSplit

from svmosaic import SVRRC, SVRWC, MultiTargetSVR
from svmosaic.regression.blending import blend_weights

GRID = {"Cs": [1.0, 30.0], "epsilons": [0.01, 0.1], "cv": 3}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    smooth = np.sin(X[:, 0])
    Y = np.column_stack([smooth, smooth + X[:, 1], np.abs(X).sum(axis=1)])
    return X[:60], Y[:60] + 0.02 * rng.normal(size=(60, 3)), X[60:], Y[60:]


def test_weights_are_from_zero_and_sum_to_one(data):
    X, Y, X_test, Y_test = data

    model = SVRWC(**GRID).fit(X, Y)

    assert model.weights_.shape == (4, 3)
    assert np.all(model.weights_ >= 0)
    np.testing.assert_allclose(model.weights_.sum(axis=0), 1.0)
    assert model.score(X_test, Y_test) > 0.8


def test_a_prediction_is_the_weighted_mean_of_the_regressors_of_the_library(data):
    X, Y, X_test, _ = data
    folds = list(KFold(3, shuffle=True, random_state=1).split(X))
    grid = {**GRID, "cv": folds}
    model = SVRWC(random_state=0, **grid).fit(X, Y)

    parts = []
    for kernel, member in zip(("rbf", "laplacian"), model.members_, strict=True):
        parts.append(MultiTargetSVR(kernel=kernel, **grid).fit(X, Y).predict(X_test))
        chains = SVRRC(kernel=kernel, appended="out_of_fold", **grid)
        chains.set_params(random_state=member.random_state).fit(X, Y)
        parts.append(chains.predict(X_test))

    expected = sum(
        weight * part for weight, part in zip(model.weights_[:, np.newaxis], parts, strict=True)
    )
    np.testing.assert_allclose(model.predict(X_test), expected, atol=5e-3)


def test_a_large_prior_gives_equal_weights(data):
    X, Y, _, _ = data

    model = SVRWC(prior=1e9, **GRID).fit(X, Y)

    np.testing.assert_allclose(model.weights_, 0.25, atol=1e-4)


def test_weights_solve_their_problem():
    rng = np.random.default_rng(1)
    y = rng.normal(size=40)
    P = y[:, None] * [0.9, 0.5, -1.0] + 0.5 * rng.normal(size=(40, 3))

    def cost(w):
        return ((y - P @ w) ** 2).sum() + 2.0 * ((w - 1 / 3) ** 2).sum()

    w = blend_weights(P, y, prior=2.0)

    for _ in range(200):
        other = rng.dirichlet(np.ones(3))
        assert cost(w) <= cost(other) + 1e-6
        assert cost(w) <= cost(0.99 * w + 0.01 * other) + 1e-6


def test_kinks_call_for_the_laplacian_kernel():
    rng = np.random.default_rng(2)
    X = rng.uniform(-1, 1, size=(200, 2))
    steps = np.sign(X[:, 0]) + np.sign(X[:, 1])
    smooth = np.sin(2 * X[:, 0]) + X[:, 1]

    model = SVRWC(**GRID).fit(X, np.column_stack([steps, smooth]))

    of_laplacian = model.weights_[2:].sum(axis=0)
    assert of_laplacian[0] > 0.5 > of_laplacian[1]


def test_one_target_sparse_rows_and_pickle(data):
    X, Y, X_test, _ = data
    model = SVRWC(**GRID).fit(X, Y[:, 0])

    assert model.predict(X_test).shape == (30,)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(model)).predict(X_test), model.predict(X_test)
    )
    sparse = SVRWC(**GRID).fit(csr_array(X), Y[:, 0])
    np.testing.assert_allclose(sparse.predict(csr_array(X_test)), model.predict(X_test), atol=1e-2)


def test_the_model_does_not_depend_on_threads(data):
    X, Y, X_test, _ = data

    one = SVRWC(**GRID).fit(X, Y).predict(X_test)

    np.testing.assert_array_equal(SVRWC(n_jobs=2, **GRID).fit(X, Y).predict(X_test), one)


def test_folds_that_do_not_test_every_row_are_refused(data):
    X, Y, _, _ = data

    with pytest.raises(ValueError, match="SVRWC needs a 'cv' that tests every row once"):
        SVRWC(cv=ShuffleSplit(3, random_state=0)).fit(X, Y)
