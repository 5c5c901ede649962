"""ST, MTS, MTSC, RC, RCC, ERC and ERCC against scikit-learn's and against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.multioutput import MultiOutputRegressor, RegressorChain
from sklearn.tree import DecisionTreeRegressor

from svmosaic.regression.peers import ERC, ERCC, MTS, MTSC, RC, RCC, ST


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    Y = np.column_stack([X[:, 0] ** 2, X[:, 0] ** 2 + X[:, 1], X[:, 2]])
    return X[:40], Y[:40], X[40:]


def test_st_is_one_regressor_per_target(data):
    X, Y, X_test = data
    expected = MultiOutputRegressor(Ridge()).fit(X, Y).predict(X_test)

    np.testing.assert_allclose(ST(Ridge()).fit(X, Y).predict(X_test), expected)


def test_rc_is_a_regressor_chain(data):
    X, Y, X_test = data
    expected = RegressorChain(Ridge(), order=[2, 0, 1]).fit(X, Y).predict(X_test)

    model = RC(Ridge(), order=[2, 0, 1]).fit(X, Y)

    np.testing.assert_allclose(model.predict(X_test), expected)


def test_rcc_appends_predictions_of_rows_left_out(data):
    X, Y, X_test = data
    # Leaving one row out needs no seed.
    chain = RegressorChain(Ridge(), order=[1, 0, 2], cv=len(X)).fit(X, Y)

    model = RCC(Ridge(), order=[1, 0, 2], cv=len(X)).fit(X, Y)

    np.testing.assert_allclose(model.predict(X_test), chain.predict(X_test))


@pytest.mark.parametrize(("ensemble", "one"), [(ERC(Ridge()), RC), (ERCC(Ridge(), cv=40), RCC)])
def test_ensembles_average_their_chains(ensemble, one, data):
    X, Y, X_test = data
    more = {"cv": 40} if one is RCC else {}

    model = ensemble.fit(X, Y)

    assert model.orders_.shape == (6, 3)
    chains = [one(Ridge(), order=order, **more).fit(X, Y) for order in model.orders_]
    expected = np.mean([chain.predict(X_test) for chain in chains], axis=0)
    np.testing.assert_allclose(model.predict(X_test), expected)


def test_mts_sees_the_predictions_of_the_other_targets(data):
    X, Y, X_test = data
    first = [Ridge().fit(X, y) for y in Y.T]
    estimates = np.column_stack([model.predict(X) for model in first])
    of_test = np.column_stack([model.predict(X_test) for model in first])
    expected = np.column_stack(
        [
            Ridge()
            .fit(np.hstack([X, np.delete(estimates, t, 1)]), Y[:, t])
            .predict(np.hstack([X_test, np.delete(of_test, t, 1)]))
            for t in range(3)
        ]
    )

    np.testing.assert_allclose(MTS(Ridge()).fit(X, Y).predict(X_test), expected)


def test_mtsc_differs_from_mts_for_a_model_that_knows_its_rows(data):
    X, Y, X_test = data
    tree = DecisionTreeRegressor(random_state=0)

    plain = MTS(tree, random_state=0).fit(X, Y).predict(X_test)
    corrected = MTSC(tree, cv=5, random_state=0).fit(X, Y).predict(X_test)

    assert not np.allclose(plain, corrected)


def test_the_default_base_is_bagging_of_100_trees(data):
    model = ST(random_state=0).fit(data[0], data[1][:, 0])

    (base,) = model.estimators_
    assert isinstance(base, RandomForestRegressor)
    assert base.n_estimators == 100


@pytest.mark.parametrize("kind", [ST, MTS, RC, ERC])
def test_a_seed_gives_the_same_model(kind, data):
    X, Y, X_test = data
    base = DecisionTreeRegressor(max_features=1)

    first, again = (kind(base, random_state=3).fit(X, Y).predict(X_test) for _ in range(2))

    np.testing.assert_array_equal(first, again)


def test_an_order_names_every_target_once(data):
    with pytest.raises(ValueError, match="'order' parameter of RC must name"):
        RC(Ridge(), order=[0, 1]).fit(data[0], data[1])


def test_out_of_bag_predictions_correct_a_chain(data):
    X, Y, _ = data
    base = RandomForestRegressor(30, oob_score=True)

    model = RCC(base, order=[1, 0, 2], cv="oob", random_state=0).fit(X, Y)

    first, second, _ = model.chains_[0]
    expected = np.column_stack([X, first.oob_prediction_]).astype(np.float32)
    thresholds = {
        value
        for tree in second.estimators_
        for value in tree.tree_.threshold[tree.tree_.feature == 3]
    }
    assert thresholds
    assert min(thresholds) >= expected[:, 3].min()
    assert max(thresholds) <= expected[:, 3].max()


@pytest.mark.parametrize("kind", [MTSC, ERCC])
def test_the_default_base_has_out_of_bag_predictions(kind, data):
    X, Y, X_test = data

    model = kind(cv="oob", random_state=0).fit(X, Y[:, :2])

    assert model.predict(X_test).shape == (20, 2)


def test_a_base_without_out_of_bag_predictions_is_refused(data):
    X, Y, _ = data

    with pytest.raises(ValueError, match=r"MTSC with cv='oob' needs an estimator that predicts"):
        MTSC(Ridge(), cv="oob").fit(X, Y)
