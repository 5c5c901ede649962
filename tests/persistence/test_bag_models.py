"""Model files of classifiers of bags."""

from __future__ import annotations

import copy
import dataclasses
import json

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler

from forged_files import forge, open_up
from multi_instance.toy_bags import needle_bags
from svmosaic import (
    MIRMixSVMClassifier,
    MIRSVMClassifier,
    OLLAWVClassifier,
    load,
    save,
)
from svmosaic.exceptions import ModelFileError
from svmosaic.multi_instance import (
    BagSearchCV,
    BagTransformer,
    MIGraphClassifier,
    NodeCountSVMClassifier,
    SetKernelClassifier,
    SummarySVMClassifier,
)
from svmosaic.persistence.model_file import decode, encode
from svmosaic.preprocessing import ConstantHolder

SETS = SetKernelClassifier(C=10.0)
MIX = MIRMixSVMClassifier(C=[1.0, 10.0], gamma=[0.5], n_init=1, random_state=0)
MODELS = [
    MIRSVMClassifier(C=10.0, random_state=0),
    MIRSVMClassifier(kernel="linear", random_state=0),
    MIX,
    SETS,
    SetKernelClassifier(normalization="average"),
    MIGraphClassifier(C=10.0),
    NodeCountSVMClassifier(n_trees=3, max_depth=3, random_state=0),
    *(SummarySVMClassifier(summary=name) for name in ("mean", "min-max", "mean-size", "profile")),
]
BAGS, Y = needle_bags()
SPARSE = [csr_array(np.where(bag > 0.3, bag, 0.0)) for bag in BAGS]


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("bags", [BAGS, SPARSE], ids=["dense", "sparse"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_file_gives_the_same_model(model, bags, n_classes, tmp_path):
    y = Y if n_classes == 2 else np.array(["a", "b", "c"])[np.arange(len(Y)) % 3]
    model = clone(model).fit(bags, y)
    save(model, tmp_path / "model.svmosaic")

    loaded = load(tmp_path / "model.svmosaic")

    expected = model.decision_function(bags)
    np.testing.assert_array_equal(loaded.decision_function(bags), expected)
    np.testing.assert_array_equal(loaded.predict(bags), model.predict(bags))
    assert loaded.get_params() == model.get_params()
    # Tables of a search are not kept; everything else is.
    lost = set(vars(model)) - set(vars(loaded))
    assert lost <= {"cv_results_", "n_splits_"}


@pytest.mark.parametrize("scaler", [MinMaxScaler(), MaxAbsScaler(), ConstantHolder()], ids=str)
def test_a_pipeline_with_a_scaler_of_bags_is_one_file(scaler, tmp_path):
    model = make_pipeline(BagTransformer(scaler), MIRSVMClassifier(random_state=0)).fit(BAGS, Y)
    save(model, tmp_path / "model.svmosaic")

    loaded = load(tmp_path / "model.svmosaic")

    expected = model.decision_function(BAGS)
    np.testing.assert_array_equal(loaded.decision_function(BAGS), expected)
    assert type(loaded[0].transformer) is type(scaler)
    assert not hasattr(loaded[0].transformer, "scale_")
    # What was loaded can be trained again.
    assert clone(loaded).fit(BAGS, Y).score(BAGS, Y) == model.score(BAGS, Y)


def test_a_scaler_of_samples_does_not_go_before_a_model_of_bags():
    model = make_pipeline(BagTransformer(MinMaxScaler()), MIRSVMClassifier(random_state=0))
    model.fit(BAGS, Y)
    model.steps[0] = ("scale", MinMaxScaler().fit(BAGS[0]))

    with pytest.raises(ValueError, match="the model is one of bags and its scaler not"):
        encode(model)

    samples = make_pipeline(MinMaxScaler(), OLLAWVClassifier()).fit(np.eye(3), [0, 1, 0])
    samples.steps[0] = ("scale", BagTransformer(MinMaxScaler()).fit([np.eye(3)]))
    with pytest.raises(ValueError, match="or the other way round"):
        encode(samples)


def test_a_kernel_that_is_a_function_is_not_saved(tmp_path):
    model = MIRSVMClassifier(kernel=lambda a, b: a @ b.T, random_state=0).fit(BAGS, Y)

    with pytest.raises(TypeError, match="holds no code"):
        save(model, tmp_path / "model.svmosaic")


def test_of_a_search_the_best_estimator_is_saved_with_the_labels(tmp_path):
    labels = np.array(["dull", "active"])[Y]
    search = BagSearchCV(SetKernelClassifier(), {"C": [1.0, 10.0]}, random_state=0)
    search.fit(BAGS, labels)

    with pytest.raises(TypeError, match=r"Save its best_estimator_\.$"):
        save(search, tmp_path / "model.svmosaic")
    save(search.best_estimator_, tmp_path / "model.svmosaic")

    loaded = load(tmp_path / "model.svmosaic")
    np.testing.assert_array_equal(loaded.predict(BAGS), search.predict(BAGS))
    assert set(loaded.predict(BAGS)) == {"dull", "active"}


# Models that do not fit together ------------------------------------------------------------


def _set(name, change):
    return lambda model: setattr(model, name, change(getattr(model, name)))


def _set_in_expansion(name, change):
    def damage(model):
        value = change(getattr(model.expansion_, name))
        model.expansion_ = dataclasses.replace(model.expansion_, **{name: value})

    return damage


DAMAGE = {
    "a bag twice": (MODELS[0], _set("support_", lambda v: np.zeros_like(v))),
    "a bag that is not there": (MODELS[0], _set("support_", lambda v: v + 100)),
    "one vector less": (MODELS[0], _set_in_expansion("vectors", lambda v: v[:-1])),
    "other counts": (MODELS[0], _set("n_support_", lambda v: v + 1)),
    "another reason": (MODELS[0], _set("stop_reason_", lambda v: "tired")),
    "no intercept": (MODELS[0], _set_in_expansion("intercepts", lambda v: v[:0])),
    "a classifier too many": (
        MODELS[0],
        lambda model: model.binary_classifiers_.append(copy.deepcopy(model)),
    ),
    "no bags": (SETS, _set("support_bags_", lambda v: None)),
    "fewer bags": (SETS, _set("support_bags_", lambda v: v[:-1])),
    "a member less": (MIX, lambda model: model.members_.pop()),
    "another member": (MIX, lambda model: model.members_.__setitem__(0, model.members_[2])),
    "a weight less": (MIX, _set("weights_", lambda v: v[:-1])),
    "a score less": (MIX, _set("member_scores_", lambda v: dict(list(v.items())[1:]))),
    "weights of fewer instances": (SETS, _set("_support_weights", lambda v: v[:-1])),
    "a column less": (MODELS[-1], _set("center_", lambda v: v[:-1])),
    "a scale of zero": (MODELS[-1], _set("scale_", lambda v: 0 * v)),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_model_that_does_not_fit_together_is_not_written(name):
    model, damage = DAMAGE[name]
    model = clone(model).fit(BAGS, Y)
    damage(model)

    with pytest.raises(ValueError, match="cannot be saved"):
        encode(model)


# Forged files -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mixture():
    return open_up(encode(clone(MIX).fit(BAGS, Y)))


def test_a_member_of_another_class_is_refused(mixture):
    header, tensors = json.loads(json.dumps(mixture[0])), dict(mixture[1])
    header["steps"][0]["values"]["members"][0]["class"] = "OLLAWVClassifier"

    with pytest.raises(ModelFileError, match="'OLLAWVClassifier' is not known in this place"):
        decode(forge(header, tensors))


@pytest.mark.parametrize("members", [7, {}, [7], [{"class": "MIRSVMClassifier"}]])
def test_members_in_another_form_are_refused(mixture, members):
    header, tensors = json.loads(json.dumps(mixture[0])), dict(mixture[1])
    header["steps"][0]["values"]["members"] = members

    with pytest.raises(ModelFileError):
        decode(forge(header, tensors))


def test_models_within_models_end_somewhere(mixture):
    header, tensors = json.loads(json.dumps(mixture[0])), dict(mixture[1])
    step = header["steps"][0]
    for _ in range(40):
        inner = {key: step[key] for key in ("class", "params", "values")}
        step = {**step, "values": {**step["values"], "machines": [inner]}}

    with pytest.raises(ModelFileError, match="nested too deeply"):
        decode(forge({**header, "steps": [step]}, tensors))


@pytest.mark.parametrize("offsets", [[0, 0], [1, 2], [0, 5, 3], [[0]]])
def test_offsets_of_bags_are_checked(offsets):
    header, tensors = open_up(encode(clone(SETS).fit(BAGS, Y)))
    tensors["step0.support_bags.offsets"] = np.array(offsets, dtype=np.int64)

    with pytest.raises(ModelFileError, match="the offsets of"):
        decode(forge(header, tensors))
