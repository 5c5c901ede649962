"""SVRTC: chained SVRs and trees, weighted for each target."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold

from svmosaic import SVRTC, SVRWC, export_onnx, load, report_progress, save
from svmosaic.regression.tree_tables import predict_trees, table_of_trees
from svmosaic.regression.weighted_parts import new_members

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

    table = table_of_trees(one.estimators_, np.zeros(1), np.ones(1))
    of_both = table_of_trees(both.estimators_, np.array([7.0, -3.0]), np.array([2.0, 5.0]))

    found = predict_trees(table, X)
    np.testing.assert_allclose(found[:, 0], one.predict(X), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(predict_trees(table, csr_array(X)), found)
    expected = both.predict(X) * [2.0, 5.0] + [7.0, -3.0]
    np.testing.assert_allclose(predict_trees(of_both, X), expected, rtol=1e-12, atol=1e-12)


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


def _flatten_targets(model):
    model.weighted_members_[0]._y_ndim = 1


def _change_kernel(model):
    model.members_[1].kernel = "rbf"


def _drop_output(model):
    model.trees_[-1]["values"] = model.trees_[-1]["values"][:1]


def _turn_range(model):
    model.target_range_ = model.target_range_[::-1]


@pytest.mark.parametrize(
    "damage",
    [
        *(_loop, _far_child, _far_feature, _one_child, _drop_trees, _shift_roots),
        *(_drop_svr, _swap_svrs, _turn_range, _flatten_targets, _change_kernel, _drop_output),
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


@pytest.mark.parametrize("offset", [1e5, 1e10])
def test_targets_far_from_zero_have_the_same_trees(problem, model, offset):
    X, Y = problem

    far = SVRTC(n_trees=30, **SMALL).fit(X, Y + offset)

    # What is left of the targets has fewer digits.
    assert np.std(far.predict(X) - offset - model.predict(X)) < 0.05
    sizes, expected = (np.array([len(t["features"]) for t in one.trees_]) for one in (far, model))
    assert (sizes > expected / 2).all()


@pytest.mark.parametrize("constant", [1.0, 1e8, 1e154, -1e300])
def test_a_constant_target_leaves_the_others_alone(problem, constant):
    X, Y = problem
    settings = {**SMALL, "n_trees": 20}
    beside = np.column_stack([Y, np.full(len(Y), constant)])

    found = SVRTC(**settings).fit(X, beside)

    np.testing.assert_allclose(found.predict(X)[:, 2], constant, rtol=1e-12)
    assert min(len(table["features"]) for table in found.trees_[-2:]) > 100
    # Chains and draws are others.
    assert np.std(found.predict(X)[:, :2] - SVRTC(**settings).fit(X, Y).predict(X)) < 0.15


def test_wide_indices_of_sparse_rows_change_nothing(problem):
    X, Y = problem
    narrow = csr_array(X)
    wide = csr_array(
        (narrow.data, narrow.indices.astype(np.int64), narrow.indptr.astype(np.int64)),
        shape=X.shape,
    )

    found, expected = (SVRTC(n_trees=4, **SMALL).fit(rows, Y) for rows in (wide, narrow))

    np.testing.assert_array_equal(found.predict(wide), expected.predict(narrow))


def test_features_beyond_single_precision_are_refused(problem):
    X, Y = problem

    with pytest.raises(ValueError, match=r"SVRTC expected features .* Got values of up to 1e\+39"):
        SVRTC(**SMALL).fit(1e39 * X / np.abs(X).max(), Y)


@pytest.mark.parametrize("kind", [SVRWC, SVRTC])
def test_messages_name_what_the_user_has_called(problem, kind):
    with pytest.raises(ValueError, match=f"The 'Cs' parameter of {kind.__name__} must"):
        kind(**{**SMALL, "Cs": []}).fit(*problem)
    with pytest.raises(ValueError, match=f"{kind.__name__} keeps the distances"):
        kind(memory_limit_mb=1e-3, **SMALL).fit(*problem)
    with pytest.raises(ValueError, match=f"{kind.__name__} expected at least a sample for each"):
        kind(**SMALL).fit(problem[0][:2], problem[1][:2])
    with pytest.warns(ConvergenceWarning, match=f"{kind.__name__} stopped") as caught:
        kind(max_iter=1, **SMALL).fit(*problem)
    assert len(caught) == 1


def test_copies_of_rows_in_other_folds_are_left_out_by_their_own(problem):
    X, y = np.tile(problem[0][:40], (2, 1)), np.tile(problem[1][:40, :1], (2, 1))
    splits = list(KFold(4, shuffle=True, random_state=0).split(X))

    for member in new_members(SVRWC(**SMALL)):
        # Whether a target is alone must not decide how copies of its rows are left out.
        alone, beside = (
            member.fit_held_out(X, targets, splits, np.random.RandomState(0)).values[0, :, 0]
            for targets in (y, np.hstack([y, y]))
        )

        np.testing.assert_allclose(alone, beside, atol=1e-3)
        assert np.abs(alone[:40] - alone[40:]).max() > 0.01


def test_the_growth_of_trees_is_reported(problem):
    seen = []

    with report_progress(lambda done, total, steps: seen.append((done, total))):
        SVRTC(n_trees=3, **SMALL).fit(*problem)

    # Three groups of targets, two kinds of trees and three folds.
    assert {(n, 15) for n in range(1, 16)} <= set(seen)


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
