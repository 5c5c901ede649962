"""SVRTC: chained SVRs and trees, weighted for each target."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

from svmosaic import SVRTC, SVRWC, export_onnx, load, save
from svmosaic.regression.tree_tables import predict_trees, tables_of_trees

SMALL = {"n_chains": 2, "Cs": [1.0, 10.0], "epsilons": [0.1], "cv": 3}


@pytest.fixture(scope="module")
def problem():
    """One smooth target, and one that a single input of twelve decides by a step."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, size=(150, 12))
    smooth = X @ np.linspace(0.5, 1.5, 12)
    return X, np.column_stack([smooth, np.where(X[:, 3] > 0.2, 3.0, -1.0)])


@pytest.fixture(scope="module")
def model(problem):
    return SVRTC(n_trees=30, **SMALL).fit(*problem)


@pytest.mark.parametrize("kind", [RandomForestRegressor, ExtraTreesRegressor])
def test_trees_as_arrays_predict_what_the_forest_predicts(problem, kind):
    X, Y = problem
    one = kind(7, random_state=0).fit(X[:100], Y[:100, 1])
    both = kind(7, random_state=0).fit(X[:100], Y[:100] / [2.0, 5.0])

    (table,) = tables_of_trees(one.estimators_, np.ones(1))
    tables = tables_of_trees(both.estimators_, np.array([2.0, 5.0]))

    np.testing.assert_allclose(predict_trees(table, X), one.predict(X), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(predict_trees(table, csr_array(X)), predict_trees(table, X))
    found = np.column_stack([predict_trees(one, X) for one in tables])
    np.testing.assert_allclose(found, both.predict(X) * [2.0, 5.0], rtol=1e-12, atol=1e-12)


def test_weights_prefer_svrs_for_smooth_targets_and_trees_for_steps(model):
    of_all_inputs, by_trees = model.weights_[:4].sum(axis=0), model.weights_[4:8].sum(axis=0)

    np.testing.assert_allclose(model.weights_.sum(axis=0), 1.0)
    assert by_trees[0] < 0.1
    assert of_all_inputs[1] < 0.1
    assert by_trees[1] > 0.5


def test_the_svr_of_weighted_inputs_finds_the_inputs_that_matter():
    rng = np.random.default_rng(3)
    X = rng.uniform(-1.0, 1.0, size=(360, 20))
    y = np.sin(3.0 * X[:, 4]) + X[:, 7]

    model = SVRTC(n_trees=30, **SMALL).fit(X[:160], y[:160])
    without = SVRWC(**SMALL).fit(X[:160], y[:160])

    assert model.weights_.shape == (7, 1)
    (member,) = model.weighted_members_
    assert set(np.argsort(member.input_weights_)[-2:]) == {4, 7}
    # On new rows, half the error of an SVR of all inputs.
    errors = [np.mean((one.predict(X[160:]) - y[160:]) ** 2) for one in (model, without)]
    assert errors[0] < errors[1] / 2


def test_it_is_better_than_svrs_alone_where_trees_are(problem, model):
    X, Y = problem
    rng = np.random.default_rng(1)
    new = rng.uniform(-1.0, 1.0, size=(200, 12))
    truth = np.where(new[:, 3] > 0.2, 3.0, -1.0)

    without = SVRWC(**SMALL).fit(X, Y)

    errors = [np.mean((one.predict(new)[:, 1] - truth) ** 2) for one in (model, without)]
    assert errors[0] < errors[1] / 2


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_a_file_gives_the_same_model(problem, form, tmp_path):
    X, Y = problem
    model = SVRTC(n_trees=4, **SMALL).fit(form(X), Y)
    save(model, tmp_path / "model.svmosaic")

    loaded = load(tmp_path / "model.svmosaic")

    np.testing.assert_array_equal(loaded.predict(form(X)), model.predict(form(X)))


def _loop(model):
    model.trees_[0]["left"][0] = 0


def _far_child(model):
    model.trees_[0]["right"][0] = model.trees_[0]["right"].size


def _far_feature(model):
    model.trees_[1]["features"][0] = 12


def _one_child(model):
    model.trees_[1]["left"][0] = -1


def _drop_trees(model):
    del model.trees_[0]


def _shift_roots(model):
    model.trees_[0]["roots"] += 1


def _drop_svr(model):
    del model.weighted_members_[0]


def _swap_svrs(model):
    model.weighted_members_.reverse()


def _turn_range(model):
    model.target_range_ = model.target_range_[::-1]


@pytest.mark.parametrize(
    "damage",
    [
        *(_loop, _far_child, _far_feature, _one_child, _drop_trees, _shift_roots),
        *(_drop_svr, _swap_svrs, _turn_range),
    ],
)
def test_parts_that_do_not_fit_together_are_not_written(problem, damage, tmp_path):
    model = SVRTC(n_trees=2, **SMALL).fit(*problem)
    damage(model)

    with pytest.raises(ValueError, match="cannot be saved"):
        save(model, tmp_path / "model.svmosaic")


def test_the_model_does_not_depend_on_threads(problem):
    X, Y = problem
    one, two = (SVRTC(n_trees=5, n_jobs=n, **SMALL).fit(X, Y).predict(X) for n in (1, 2))

    np.testing.assert_array_equal(one, two)


def test_rows_that_all_trees_have_seen_do_no_harm(problem):
    X, Y = problem

    assert np.isfinite(SVRTC(n_trees=1, **SMALL).fit(X, Y).weights_).all()


def test_no_value_lies_beyond_those_of_training(problem, model):
    X, Y = problem

    found = model.predict(3.0 * X)

    assert (found >= Y.min(axis=0)).all()
    assert (found <= Y.max(axis=0)).all()


@pytest.mark.parametrize("priors", [[], [-1.0], "many", [np.inf]])
def test_priors_that_are_no_numbers_are_refused_before_anything_is_fitted(problem, priors):
    with pytest.raises(ValueError, match="The 'priors' parameter of SVRTC must be"):
        SVRTC(priors=priors).fit(*problem)


def test_a_cv_without_every_row_is_refused(problem):
    X, Y = problem
    folds = [(np.arange(100), np.arange(100, 150))]

    with pytest.raises(ValueError, match="SVRTC needs a 'cv' that tests every row once"):
        SVRTC(**{**SMALL, "cv": folds}).fit(X, Y)


def test_there_is_no_graph_for_trees(model, tmp_path):
    pytest.importorskip("onnx")

    with pytest.raises((TypeError, ValueError), match="SVRTC"):
        export_onnx(model, tmp_path / "model.onnx")


@pytest.mark.parametrize("kind", [SVRWC, SVRTC])
def test_targets_of_any_size_have_the_same_model(problem, kind):
    X, Y = problem
    size = 2.0**530

    # Squares of such targets overflow.
    large, usual = (kind(**SMALL).fit(X, s * Y).predict(X) for s in (size, 1.0))

    np.testing.assert_allclose(large / size, usual, rtol=1e-6, atol=1e-9)
