"""Model files, pickle and skops for regressors of several targets."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from svmosaic import SVRCC, SVRRC, SVRWC, MultiTargetSVR, load, save
from svmosaic.persistence import trusted_types

GRID = {"gammas": [0.1, 1.0], "Cs": [1.0, 10.0], "epsilons": [0.1], "cv": 3}
rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))
Y = np.column_stack([X[:, 0], X[:, 0] + X[:, 1] ** 2, X[:, 2]])

MODELS = [
    MultiTargetSVR(**GRID),
    SVRRC(appended="out_of_fold", **GRID),
    SVRRC(n_chains=2, **GRID),
    SVRCC(order=[2, 0, 1], **GRID),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_a_file_gives_the_same_model(model, form, tmp_path):
    model.fit(form(X), Y)
    save(model, tmp_path / "model.svmosaic")

    loaded = load(tmp_path / "model.svmosaic")

    np.testing.assert_array_equal(loaded.predict(form(X)), model.predict(form(X)))
    np.testing.assert_array_equal(loaded.cv_errors_, model.cv_errors_)
    assert loaded.get_params() == model.get_params()


def test_one_target_stays_one_dimensional(tmp_path):
    model = SVRRC(**GRID).fit(X, Y[:, 0])
    save(model, tmp_path / "model.svmosaic")

    assert load(tmp_path / "model.svmosaic").predict(X).shape == (40,)


def test_a_pipeline_with_a_chain_is_one_file(tmp_path):
    model = make_pipeline(StandardScaler(), SVRCC(**GRID)).fit(X, Y)
    save(model, tmp_path / "model.svmosaic")

    np.testing.assert_array_equal(load(tmp_path / "model.svmosaic").predict(X), model.predict(X))


@pytest.mark.parametrize("model", MODELS[:2], ids=str)
def test_pickle_and_skops(model):
    skops = pytest.importorskip("skops.io")
    model.fit(csr_array(X), Y)

    data = skops.dumps(model)

    assert set(skops.get_untrusted_types(data=data)) <= set(trusted_types())
    loaded = skops.loads(data, trusted=trusted_types())
    for copy in (pickle.loads(pickle.dumps(model)), loaded):
        np.testing.assert_array_equal(copy.predict(csr_array(X)), model.predict(csr_array(X)))


def break_order(model):
    model.chains_[0] = 0


def break_link(model):
    model.links_[0, 0] = 99


def break_target(model):
    model.links_[0] = model.links_[0][::-1].copy()


def look_ahead(model):
    model.link_columns_[model.links_[0, model.chains_[0, 0]]] = 0


@pytest.mark.parametrize("damage", [break_order, break_link, break_target, look_ahead])
def test_a_model_that_does_not_fit_together_is_not_written(damage, tmp_path):
    model = SVRCC(**GRID).fit(X, Y)
    damage(model)

    with pytest.raises(ValueError, match="cannot be saved"):
        save(model, tmp_path / "model.svmosaic")


WEIGHTED = SVRWC(n_chains=2, Cs=[1.0, 10.0], epsilons=[0.1], cv=3)


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_a_file_gives_the_same_weighted_chains(form, tmp_path):
    model = clone(WEIGHTED).fit(form(X), Y)
    save(model, tmp_path / "model.svmosaic")

    loaded = load(tmp_path / "model.svmosaic")

    np.testing.assert_array_equal(loaded.predict(form(X)), model.predict(form(X)))
    np.testing.assert_array_equal(loaded.weights_, model.weights_)
    assert [m.get_params() for m in loaded.members_] == [m.get_params() for m in model.members_]


def drop_member(model):
    del model.members_[1]


def break_member(model):
    model.members_[1].links_[0, 0] = 99


def double_weights(model):
    model.weights_ *= 2


def swap_member(model):
    model.members_[1] = clone(model.members_[1]).fit(X, Y[:, :2])


@pytest.mark.parametrize("damage", [drop_member, break_member, double_weights, swap_member])
def test_weighted_chains_that_do_not_fit_together_are_not_written(damage, tmp_path):
    model = clone(WEIGHTED).fit(X, Y)
    damage(model)

    with pytest.raises(ValueError, match="cannot be saved"):
        save(model, tmp_path / "model.svmosaic")
