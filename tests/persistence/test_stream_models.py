"""Stream learners in model files: they continue to the same bits, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from forged_files import forge, open_up
from svmosaic import StreamOLLAL2, StreamOLLAWV, load, save
from svmosaic.exceptions import ModelFileError
from svmosaic.persistence.model_file import decode, encode
from svmosaic.streams import DDM, Sine

MODELS = {
    "adaptive": StreamOLLAWV(chunk_size=40, memory=200),
    "support": StreamOLLAWV(chunk_size=40, memory="support"),
    "detector": StreamOLLAWV(chunk_size=40, memory=200, detector=DDM(alarm=2.5)),
    "published": StreamOLLAWV(rule="published", chunk_size=40),
    "L2": StreamOLLAL2(chunk_size=40),
    "budget": StreamOLLAL2(chunk_size=40, budget=5, gamma=0.5, keep=-np.inf),
}


def samples(begin, count):
    """Return samples of three classes in words; the concept changes at 150."""
    X, y = Sine(seed=1).read(begin, count)
    numbers = np.arange(begin, begin + count)
    codes = np.where(X[:, 0] > 0.7, 2, np.where(numbers < 150, y, 1 - y))
    return X, np.array(["high", "low", "right"])[codes]


def trained(name):
    model = clone(MODELS[name])
    return model.partial_fit(*samples(0, 230), classes=["high", "low", "right"])


@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_learner_continues_to_the_same_bits(name, tmp_path):
    model = trained(name)
    X, y = samples(230, 200)
    save(model, tmp_path / "model.safetensors")

    loaded = load(tmp_path / "model.safetensors")

    assert repr(loaded) == repr(model)
    assert loaded.n_samples_seen_ == 230
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    loaded.partial_fit(X, y)
    model.partial_fit(X, y)
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert (loaded.model_, loaded.n_drifts_) == (model.model_, model.n_drifts_)
    assert encode(loaded) == encode(model)


def test_names_of_features_and_a_pipeline_come_back(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = samples(0, 200)
    model = make_pipeline(MinMaxScaler(), StreamOLLAL2(chunk_size=40)).fit(X, y)
    named = StreamOLLAWV(chunk_size=40).fit(pandas.DataFrame(X).add_prefix("x"), y)
    save(model, tmp_path / "pipeline.safetensors")
    save(named, tmp_path / "named.safetensors")

    loaded = load(tmp_path / "pipeline.safetensors")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    loaded = load(tmp_path / "named.safetensors")
    assert loaded.feature_names_in_.tolist() == [f"x{number}" for number in range(X.shape[1])]


def test_a_detector_of_another_library_cannot_be_saved(tmp_path):
    drift = pytest.importorskip("river.drift")
    model = StreamOLLAWV(chunk_size=40, detector=drift.ADWIN()).fit(*samples(0, 100))

    with pytest.raises(TypeError, match="ADWIN cannot be stored; expected DDM"):
        save(model, tmp_path / "model.safetensors")
    assert list(tmp_path.iterdir()) == []


def test_parameters_that_were_changed_after_training_are_refused(tmp_path):
    model = trained("adaptive").set_params(alarm=4.0)

    with pytest.raises(ValueError, match="learned with another 'alarm'"):
        save(model, tmp_path / "model.safetensors")


# Forged files ---------------------------------------------------------------------------------


def rule_of(header):
    return header["steps"][0]["values"]["state"]["rule"]["state"]


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("adaptive", lambda rule: rule.update(place=99), "no expert that predicts"),
        ("adaptive", lambda rule: rule.update(experts=[]), "not a list of 1 to"),
        ("adaptive", lambda rule: rule.update(time=-1), "whole number from 0"),
        ("adaptive", lambda rule: rule.update(alarm=2.0), "another 'alarm'"),
        ("adaptive", lambda rule: rule["choices"].pop(), "no parameters for some family"),
        ("adaptive", lambda rule: rule["window"].update(chunks=[]), "not a list of 1 to"),
        ("adaptive", lambda rule: rule["window"].update(budget=10**9), "another 'memory'"),
        ("adaptive", lambda rule: rule["window"]["chunks"][0].reverse(), "has type int64"),
        ("adaptive", lambda rule: rule.update(other=1), "other entries than expected"),
        ("adaptive", lambda rule: rule["record"].append([5, 4]), "more errors than predictions"),
        ("detector", lambda rule: rule.update(detector=None), "detector in one place only"),
        ("detector", lambda rule: rule["detector"].update(kind="os.system"), "is not one of ddm"),
        ("detector", lambda rule: rule["detector"]["state"].update(lowest="nan"), "not a number"),
        ("published", lambda rule: rule.update(model=None), "other entries than expected"),
        ("published", lambda rule: rule["model"].update(kind="linear"), "other entries"),
        ("L2", lambda rule: rule["pairs"].pop(), "lacks a pair"),
        ("L2", lambda rule: rule.update(gamma="nan"), "not a number"),
        ("L2", lambda rule: rule["pairs"][0][1].update(support=10**6), "names no array"),
        ("L2", lambda rule: rule["pairs"].append(rule["pairs"][0]), "has a key twice"),
    ],
)
def test_hostile_values_are_refused(name, change, words):
    header, tensors = open_up(encode(trained(name)))
    change(rule_of(header))

    with pytest.raises(ModelFileError, match=words):
        decode(forge(header, tensors))


@pytest.mark.parametrize("name", MODELS)
def test_hostile_arrays_are_refused(name):
    header, tensors = open_up(encode(trained(name)))

    for key, array in tensors.items():
        for value in (np.nan, np.inf) if array.dtype.kind == "f" else (-(2**62), 2**62):
            forged = array.copy()
            forged.flat[-1] = value
            with pytest.raises(ModelFileError):
                decode(forge(header, {**tensors, key: forged}))
        longer = np.concatenate([array, array])
        for forged in (longer, array.astype("float64" if array.dtype.kind == "i" else "int64")):
            with pytest.raises(ModelFileError):
                decode(forge(header, {**tensors, key: forged}))


def test_an_array_that_nothing_names_is_refused():
    header, tensors = open_up(encode(trained("L2")))

    with pytest.raises(ModelFileError, match="no part of the state names"):
        decode(forge(header, {**tensors, f"step0.state.{len(tensors)}": np.zeros(3)}))
