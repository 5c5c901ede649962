"""A damaged, foreign or hostile file gives `ModelFileError` or the identical model."""

from __future__ import annotations

import copy
import gzip
import io
import json
import pickle
import struct
import sys
import tracemalloc
import warnings

import numpy as np
import pytest
import safetensors.numpy
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from forged_files import forge, open_up
from svmosaic import OLLAWVClassifier
from svmosaic.exceptions import ModelFileError
from svmosaic.persistence import load, save
from svmosaic.persistence.model_file import VERSION, _checksum, decode, encode
from svmosaic.preprocessing import ConstantHolder
from svmosaic.utils.strict_json import canonical_json

N_FEATURES = 3


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(12, N_FEATURES)).astype(np.float32)
    X[X < -0.5] = 0.0
    return X, np.arange(12) % 3


def as_selected(model, X):
    """Return the model as one of 0.1 with refine="selected", which kept the samples of its path."""
    rows = np.unique(model._path["rows"])
    model._selected = {
        "rows": rows,
        "vectors": X[rows],
        "labels": np.zeros(rows.size, dtype=np.int64),
        "weights": np.ones(rows.size),
    }
    return model.set_params(refine="selected")


@pytest.fixture(scope="module")
def models(data):
    """Small models that together use every field of the format."""
    X, y = data
    K = X @ X.T
    short = {"max_iter": 3}
    return {
        "dense": OLLAWVClassifier(**short).fit(X[:6], y[:6] == 1),
        "sparse": OLLAWVClassifier(**short).fit(sp.csr_array(X), y),
        "plain": OLLAWVClassifier(refine=None, multi_class="ovr", **short).fit(X, y),
        "pairwise": OLLAWVClassifier(kernel="precomputed", **short).fit(K, y),
        "selected": as_selected(OLLAWVClassifier(**short).fit(X[:6], y[:6] == 1), X),
        "scaled": make_pipeline(MinMaxScaler(), OLLAWVClassifier(**short)).fit(X, y),
        "standard": make_pipeline(StandardScaler(), OLLAWVClassifier(**short)).fit(X, y),
    }


def frame(header, data=b""):
    """Return a safetensors file with any header."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


# Damage -------------------------------------------------------------------------------------


def assert_error_or_identical(content, original):
    try:
        model = decode(content)
    except ModelFileError:
        return
    assert encode(model) == original


@pytest.mark.parametrize("kind", ["dense", "sparse", "selected", "scaled"])
def test_every_changed_byte_gives_an_error_or_the_identical_model(models, kind):
    original = encode(models[kind])
    assert len(original) < 6000

    for position in range(len(original)):
        for change in (0x01, 0x20, 0x80, 0xFF):
            changed = bytearray(original)
            changed[position] ^= change
            assert_error_or_identical(bytes(changed), original)


@pytest.mark.slow
def test_every_value_of_every_byte_gives_an_error_or_the_identical_model(models):
    original = encode(models["dense"])

    for position in range(len(original)):
        changed = bytearray(original)
        for change in range(1, 256):
            changed[position] = original[position] ^ change
            assert_error_or_identical(bytes(changed), original)


@pytest.mark.parametrize("kind", ["dense", "scaled"])
def test_every_truncation_is_refused(models, kind):
    content = encode(models[kind])

    for length in range(len(content)):
        with pytest.raises(ModelFileError):
            decode(content[:length])


@pytest.mark.parametrize("tail", [b"\0", b"x" * 100])
def test_bytes_after_the_end_are_refused(models, tail):
    with pytest.raises(ModelFileError):
        decode(encode(models["dense"]) + tail)


def test_removed_and_doubled_bytes_are_refused(models):
    content = encode(models["dense"])

    for position in range(0, len(content), 7):
        for changed in (
            content[:position] + content[position + 1 :],
            content[:position] + content[position : position + 1] + content[position:],
        ):
            assert_error_or_identical(changed, content)


def test_random_content_with_a_fitting_checksum_never_breaks_prediction(data, models):
    X, _ = data
    inputs = {"pairwise": X @ X.T}
    rng = np.random.default_rng(11)
    accepted = refused = 0
    complaints = set()
    for kind, model in models.items():
        header, tensors = open_up(encode(model))
        for _ in range(150):
            changed = {name: array.copy() for name, array in tensors.items()}
            name = rng.choice(sorted(changed))
            array = changed[name].reshape(-1)
            if not array.size:
                continue
            raw = array.view(np.uint8)
            raw[rng.integers(raw.size)] ^= 1 << rng.integers(8)
            try:
                loaded = decode(forge(header, changed))
            except ModelFileError:
                refused += 1
                continue
            accepted += 1
            with warnings.catch_warnings():
                # A changed number may be huge; then decisions overflow, as they should.
                warnings.simplefilter("ignore", RuntimeWarning)
                try:
                    loaded.predict(inputs.get(kind, X))
                except ValueError as error:
                    complaints.add(str(error).partition("\n")[0])
    assert all("infinity or a value too large" in complaint for complaint in complaints)
    assert accepted > 100
    assert refused > 100


# Files of another kind ----------------------------------------------------------------------


def _zip_of_arrays():
    stream = io.BytesIO()
    np.savez(stream, a=np.arange(3))
    return stream.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\n", "a text file"),
        (b"hello", "a text file"),
        ("x,y\n1,2\n# ä\n" * 999, "a text file"),
        (b'{"format": "svmosaic"}' * 9, "a text file"),
        (b"svm_type c_svc\nkernel_type rbf\n", "import_libsvm"),
        (pickle.dumps({"a": 1}), "a pickle, which can run any code"),
        (pickle.dumps({"a": 1}, protocol=2), "a pickle, which can run any code"),
        (gzip.compress(b"abc"), "a gzip file"),
        (_zip_of_arrays(), "a ZIP archive"),
        (b"\x93NUMPY\x01\x00v\x00{'descr'", "a NumPy array"),
        (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
        (bytes(range(256)) * 4, "a binary file of another format"),
        (b"\x7fELF\x02\x01\x01\x00", "a binary file of another format"),
        (safetensors.numpy.save({"a": np.zeros(3)}), "a safetensors file, but not"),
        (
            safetensors.numpy.save({"a": np.zeros(3)}, {"format": "pt"}),
            "a safetensors file, but not",
        ),
        (
            safetensors.numpy.save({"a": np.zeros(3)}, {"svmosaic": '{"format": "other"}'}),
            "a safetensors file, but not",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 50 else "",
)
def test_other_files_are_named_for_what_they_seem_to_be(tmp_path, content, message):
    path = tmp_path / "some file"
    path.write_bytes(content.encode() if isinstance(content, str) else content)

    with pytest.raises(ModelFileError, match=message) as caught:
        load(path)

    assert str(caught.value).startswith(f"{path}: ")
    assert str(caught.value).endswith(".")


def test_a_large_file_of_another_kind_is_not_read(tmp_path):
    path = tmp_path / "movie"
    with path.open("wb") as stream:
        stream.truncate(1 << 33)
    tracemalloc.start()

    with pytest.raises(ModelFileError):
        load(path)

    assert tracemalloc.get_traced_memory()[1] < 20e6
    tracemalloc.stop()


def test_newer_version_says_to_upgrade(models):
    header, tensors = open_up(encode(models["dense"]))
    header |= {"version": VERSION + 1, "unheard": "of"}

    with pytest.raises(ModelFileError, match=f"reads up to version {VERSION}. Upgrade svmosaic"):
        decode(forge(header, tensors))


# Hostile headers and arrays, with a fitting checksum ----------------------------------------


def _step(header):
    return header["steps"][-1]


def _set(*keys):
    """Return a change that sets header["steps"][-1][keys[0]]...[keys[-2]] = keys[-1]."""

    def change(header, tensors):
        place = _step(header)
        for key in keys[:-2]:
            place = place[key]
        place[keys[-2]] = keys[-1]

    return change


def _top(**entries):
    return lambda header, tensors: header.update(entries)


def _array(name, function):
    def change(header, tensors):
        changed = function(tensors[f"step0.{name}"].copy())
        tensors[f"step0.{name}"] = np.asarray(changed, order="C")

    return change


def _put(index, value):
    def change(array):
        array[index] = value
        return array

    return change


def _drop(name):
    return lambda header, tensors: tensors.pop(f"step0.{name}")


def _no_key(key):
    return lambda header, tensors: _step(header)["values"].pop(key)


def _both(*changes):
    def change(header, tensors):
        for each in changes:
            each(header, tensors)

    return change


def _deep(depth):
    value = 1
    for _ in range(depth):
        value = [value]
    return value


NAN, INF = float("nan"), float("inf")

# model, change, part of the message
HOSTILE = {
    "library": ("dense", _top(library=3), "another type"),
    "pipeline word": ("dense", _top(pipeline="yes"), "another type"),
    "pipeline of one name": ("dense", _both(_top(pipeline=True), _set("name", "a__b")), "names"),
    "pipeline parameter": ("dense", _both(_top(pipeline=True), _set("name", "memory")), "names"),
    "pipeline no name": ("dense", _both(_top(pipeline=True), _set("name", "")), "names"),
    "no steps": ("dense", _top(steps=[]), "number of steps"),
    "steps word": ("dense", _top(steps="model"), "number of steps"),
    "step list": ("dense", _top(steps=[[]]), "other entries"),
    "many steps": ("scaled", _top(pipeline=False), "number of steps"),
    "version word": ("dense", _top(version="1"), "not a number"),
    "version zero": ("dense", _top(version=0), "not a number"),
    "version true": ("dense", _top(version=True), "not a number"),
    "extra entry": ("dense", _top(code="print()"), "other entries"),
    "extra step entry": ("dense", _set("code", "print()"), "other entries"),
    "class path": ("dense", _set("class", "os.system"), "not known"),
    "class number": ("dense", _set("class", 7), "another type"),
    "class sklearn": ("dense", _set("class", "SVC"), "not known"),
    "scaler last": ("dense", _set("class", "MinMaxScaler"), "not known in this place"),
    "name number": ("dense", _set("name", 7), "another type"),
    "values list": ("dense", _set("values", []), "another type"),
    "params list": ("dense", _set("params", []), "not a dictionary"),
    "params unknown": ("dense", _set("params", "__class__", "x"), "is not known"),
    "params C": ("dense", _set("params", "C", -1.0), "'C' parameter"),
    "params C word": ("dense", _set("params", "C", "1"), "'C' parameter"),
    "params C infinite": ("dense", _set("params", "C", {"float": "inf"}), "'C' parameter"),
    "params C nan": ("dense", _set("params", "C", {"float": "nan"}), "'C' parameter"),
    "params kernel": ("dense", _set("params", "kernel", "eval"), "'kernel' parameter"),
    "params tag": ("dense", _set("params", "C", {"code": "1"}), "of a kind"),
    "params two tags": ("dense", _set("params", "C", {"float": "inf", "a": 1}), "of a kind"),
    "params float": ("dense", _set("params", "C", {"float": "0x10"}), "of a kind"),
    "params dict": ("dense", _set("params", "class_weight", {"dict": [[1]]}), "of a kind"),
    "params key": ("dense", _set("params", "class_weight", {"dict": [[[], 1]]}), "of a kind"),
    "params deep": ("dense", _set("params", "class_weight", _deep(50)), "nested too deeply"),
    "params very deep": ("dense", _set("params", "class_weight", _deep(900)), "nested too deeply"),
    "params huge": ("dense", _set("params", "n_jobs", 2**64), "more than 64 bits"),
    "degree": ("dense", _set("params", "degree", 2**40), "degree"),
    "multi_class": ("sparse", _set("params", "multi_class", "ovr"), "rows of dual_coef"),
    "kernel precomputed": ("dense", _set("params", "kernel", "precomputed"), "has shape"),
    "kernel not precomputed": ("pairwise", _set("params", "kernel", "rbf"), "has shape"),
    "refine": ("selected", _set("params", "refine", "some"), "The 'refine' parameter of"),
    "path row": ("plain", _array("path.rows", _put(0, 10**6)), "not a support vector"),
    "missing value": ("dense", _no_key("gamma"), "'gamma' is missing"),
    "unknown value": ("dense", _set("values", "extra", 1), "not part of"),
    "gamma zero": ("dense", _set("values", "gamma", 0.0), "a number above 0"),
    "gamma word": ("dense", _set("values", "gamma", "scale"), "a number above 0"),
    "gamma true": ("dense", _set("values", "gamma", True), "a number above 0"),
    "n_features": ("dense", _set("values", "n_features_in", 4), "has shape"),
    "n_features huge": ("sparse", _set("values", "n_features_in", 2**60), "has shape"),
    "n_features zero": ("dense", _set("values", "n_features_in", 0), "from 1"),
    "n_features float": ("dense", _set("values", "n_features_in", 3.0), "from 1"),
    "feature names": ("dense", _set("values", "feature_names_in", ["a"]), "3 were expected"),
    "feature names words": ("dense", _set("values", "feature_names_in", "abc"), "list of strings"),
    "feature names type": ("dense", _set("values", "feature_names_in", [1, 2, 3]), "strings"),
    "stop reason": ("dense", _set("values", "stop_reason", ["bored"]), "not one of"),
    "stop reasons": ("dense", _set("values", "stop_reason", ["converged"] * 2), "expected"),
    "classes list": ("dense", _set("values", "classes", [0, 1]), "another way"),
    "classes type": ("dense", _set("values", "classes", "type", "complex128"), "no known type"),
    "classes type list": ("dense", _set("values", "classes", "type", []), "no known type"),
    "classes mixed": ("dense", _set("values", "classes", "items", [False, 1]), "of type bool"),
    "classes one": ("dense", _set("values", "classes", "items", [True]), "at least two"),
    "classes three": ("sparse", _set("values", "classes", "items", [0, 1, 2, 3]), "expected"),
    "classes order": ("dense", _set("values", "classes", "items", [True, False]), "ascend"),
    "classes same": ("sparse", _set("values", "classes", "items", [1, 1, 2]), "ascend"),
    "classes range": ("sparse", _set("values", "classes", "items", [0, 1, 2**63]), "not fit"),
    "classes infinite": (
        "dense",
        _set("values", "classes", {"type": "float32", "items": [0.0, 1e300]}),
        "nan or infinite",
    ),
    "classes zeros": (
        "dense",
        _set("values", "classes", {"type": "str", "items": ["a", "a\0"]}),
        "ascend",
    ),
    "classes long": (
        "dense",
        _set("values", "classes", {"type": "str", "items": ["a", "b" * 2**25 + "b"]}),
        "too long",
    ),
    "missing array": ("dense", _drop("intercept"), "'intercept' is missing"),
    "extra array": ("dense", lambda h, t: t.update({"step0.x": np.zeros(1)}), "not part of"),
    "array elsewhere": ("dense", lambda h, t: t.update({"step1.x": np.zeros(1)}), "not part of"),
    "array of bytes": ("dense", _array("support", lambda a: a.astype(np.int8)), "no model uses"),
    "array of three axes": ("dense", _array("dual_coef", lambda a: a[None]), "shape"),
    "dual_coef type": ("dense", _array("dual_coef", lambda a: a.astype("f4")), "has type float32"),
    "dual_coef nan": ("dense", _array("dual_coef", _put((0, 0), NAN)), "nan or infinity"),
    "dual_coef columns": ("dense", _array("dual_coef", lambda a: a[:, 1:]), "entries where"),
    "dual_coef rows": ("sparse", _array("dual_coef", lambda a: a[1:]), "rows of dual_coef"),
    "dual_coef axes": ("dense", _array("dual_coef", lambda a: a[0]), "1 axes"),
    "intercept infinite": ("dense", _array("intercept", _put(0, INF)), "nan or infinity"),
    "intercept count": ("dense", _array("intercept", lambda a: np.zeros(2)), "expected"),
    "intercepts": (
        "sparse",
        _both(
            _set("values", "stop_reason", ["converged"]),
            *(_array(n, lambda a: a[:1]) for n in ("intercept", "n_iter", "dual_gap", "objective")),
        ),
        "intercept: 1 where 3",
    ),
    "n_support sum": ("dense", _array("n_support", _put(0, 100)), "sum of n_support"),
    "n_support negative": (
        "dense",
        _array("n_support", lambda a: a + np.int32([5, -5])),
        "at least 0",
    ),
    "n_support wraps": (
        "dense",
        _array("n_support", lambda a: np.array([2**62, 2**62], dtype=np.int64)),
        "at most",
    ),
    "support negative": ("dense", _array("support", _put(0, -1)), "at least 0"),
    "support twice": ("dense", _array("support", lambda a: a * 0), "names a row twice"),
    "support cut": ("dense", _array("support", lambda a: a[1:]), "entries where"),
    "support out of range": ("pairwise", _array("support", _put(0, 12)), "at most 11"),
    "support wide": (
        "dense",
        _array("support", lambda a: a.astype(np.int64) + 2**31),
        "at most",
    ),
    "vectors nan": ("dense", _array("support_vectors", _put((0, 0), NAN)), "nan or infinity"),
    "vectors axes": ("dense", _array("support_vectors", np.ravel), "1 axes"),
    "vectors rows": ("dense", _array("support_vectors", lambda a: a[1:]), "has shape"),
    "vectors type": (
        "dense",
        _array("support_vectors", lambda a: a.astype(np.int32)),
        "has type int32",
    ),
    "vectors form": (
        "dense",
        _set("values", "support_vectors", {"form": "coo", "shape": [1, 1]}),
        "another way",
    ),
    "vectors no form": ("dense", _set("values", "support_vectors", None), "another way"),
    "csr shape": (
        "sparse",
        _set("values", "support_vectors", "shape", [2**61, N_FEATURES]),
        "offsets for",
    ),
    "csr shape negative": ("sparse", _set("values", "support_vectors", "shape", [-1, 3]), "way"),
    "csr shape words": ("sparse", _set("values", "support_vectors", "shape", "ab"), "way"),
    "csr index": ("sparse", _array("support_vectors.indices", _put(0, 3)), "outside 0 to 2"),
    "csr index negative": ("sparse", _array("support_vectors.indices", _put(0, -1)), "outside"),
    "csr order": (
        "sparse",
        _array("support_vectors.indices", lambda a: a * 0),
        "do not ascend within a row",
    ),
    "csr offsets fall": ("sparse", _array("support_vectors.indptr", _put(1, 100)), "ascend from"),
    "csr offsets begin": ("sparse", _array("support_vectors.indptr", _put(0, 1)), "ascend from"),
    "csr offsets end": ("sparse", _array("support_vectors.indptr", _put(-1, 2**30)), "ascend"),
    "csr offsets count": ("sparse", _array("support_vectors.indptr", lambda a: a[1:]), "offsets"),
    "csr offset type": (
        "sparse",
        _array("support_vectors.indptr", lambda a: a.astype(np.int64)),
        "offsets of type",
    ),
    "csr values": ("sparse", _array("support_vectors.data", lambda a: a[1:]), "indices for"),
    "csr nan": ("sparse", _array("support_vectors.data", _put(0, NAN)), "nan or infinity"),
    "csr axes": ("sparse", _array("support_vectors.data", lambda a: a[None]), "one axis"),
    "csr precomputed": (
        "sparse",
        _set("params", "kernel", "precomputed"),
        "has shape",
    ),
    "n_iter": ("dense", _array("n_iter", _put(0, -1)), "at least 0"),
    "path offsets": ("sparse", _array("path.offsets", _put(1, 99)), "offsets of the path"),
    "path offsets begin": ("sparse", _array("path.offsets", _put(0, 1)), "offsets of the path"),
    "path offsets count": ("sparse", _array("path.offsets", lambda a: a[1:]), "offsets of the"),
    "paths": (
        "sparse",
        _array("path.total_weights", lambda a: a[1:]),
        "there are 2 paths; the model has 3 outputs",
    ),
    "path weight": ("sparse", _array("path.total_weights", _put(0, 0.0)), "more than 0"),
    "path steps": ("sparse", _array("path.steps", _put(0, NAN)), "nan or infinity"),
    "path lengths": ("sparse", _array("path.steps", lambda a: a[1:]), "entries where"),
    "path missing": ("sparse", _set("values", "path", False), "'path' is missing"),
    "path word": ("sparse", _set("values", "path", "no"), "true or false"),
    "selected missing": ("selected", _set("values", "selected", False), "not part of"),
    "selected labels": ("selected", _array("selected.labels", _put(0, -1)), "at least 0"),
    "selected weight": ("selected", _array("selected.weights", _put(0, -1.0)), "more than 0"),
    "selected row": ("selected", _array("selected.rows", _put(0, 2**62)), "at most"),
    "selected rows": ("selected", _array("selected.rows", lambda a: a[1:]), "entries where"),
    "selected vectors": ("selected", _array("selected.vectors", lambda a: a[0]), "expected 2"),
    "scale zero": ("scaled", _array("scale", _put(0, 0.0)), "more than 0"),
    "scale nan": ("scaled", _array("scale", _put(0, NAN)), "nan or infinity"),
    "scale cut": ("scaled", _array("scale", lambda a: a[1:]), "entries where"),
    "scale null": ("scaled", _both(_drop("scale"), lambda h, t: None), "is missing"),
    "seen": ("scaled", _array("n_samples_seen", lambda a: a * 0 - 1), "at least 0"),
    "standard mean": (
        "standard",
        _both(_drop("mean"), lambda h, t: h["steps"][0]["values"].update(mean=None)),
        "lacks its mean",
    ),
    "standard null": (
        "standard",
        lambda h, t: h["steps"][0]["values"].update(mean=[1]),
        "must be an array",
    ),
    "range": (
        "scaled",
        lambda h, t: h["steps"][0]["params"].update(feature_range={"tuple": [1, 0]}),
        "feature_range",
    ),
    "range words": (
        "scaled",
        lambda h, t: h["steps"][0]["params"].update(feature_range={"tuple": ["a", "b"]}),
        "feature_range",
    ),
    "two of a name": (
        "scaled",
        lambda h, t: h["steps"][0].update(name=h["steps"][1]["name"]),
        "names of the steps",
    ),
    "model before model": (
        "scaled",
        lambda h, t: h["steps"][0].update({"class": "OLLAWVClassifier"}),
        "not known in this place",
    ),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_content_is_refused(models, case):
    kind, change, message = HOSTILE[case]
    header, tensors = copy.deepcopy(open_up(encode(models[kind])))
    change(header, tensors)

    with pytest.raises(ModelFileError, match=message):
        decode(forge(header, tensors))


def test_a_class_that_was_removed_gets_a_sentence(models):
    header, tensors = open_up(encode(models["dense"]))
    _step(header)["class"] = "MIRSetSVMClassifier"

    with pytest.raises(
        ModelFileError, match="MIRSetSVMClassifier is no longer part of svmosaic; load it with"
    ):
        decode(forge(header, tensors))


def test_scaler_of_other_width_is_refused(models):
    header, tensors = open_up(encode(models["scaled"]))
    wide = MinMaxScaler().fit(np.ones((2, 5)) * [[0], [1]])
    header["steps"][0]["values"]["n_features_in"] = 5
    for name in ("min", "scale", "data_min", "data_max", "data_range"):
        tensors[f"step0.{name}"] = getattr(wide, f"{name}_")

    with pytest.raises(ModelFileError, match="different numbers of features"):
        decode(forge(header, tensors))


@pytest.mark.parametrize(
    ("held", "values", "message"),
    [
        ([4], [0.0], "at most 3"),
        ([-1], [0.0], "at least 0"),
        ([1, 1], [0.0, 0.0], "does not ascend"),
        ([1], [NAN], "nan or infinity"),
        ([1, 2], [0.0], "n_held"),
    ],
)
def test_held_features_that_are_not_there_are_refused(held, values, message):
    model = make_pipeline(ConstantHolder(), OLLAWVClassifier()).fit(np.eye(4), [0, 1, 0, 1])
    header, tensors = open_up(encode(model))
    tensors["step0.held"] = np.array(held, dtype=np.int64)
    tensors["step0.values"] = np.array(values)

    with pytest.raises(ModelFileError, match=message):
        decode(forge(header, tensors))


def test_a_missing_parameter_takes_its_default(data, models):
    header, tensors = open_up(encode(models["dense"]))
    del _step(header)["params"]["verbose"]

    assert decode(forge(header, tensors)).verbose == 0


@pytest.mark.parametrize(
    "content",
    [
        frame(b"{}"),
        frame(b"[]"),
        frame(b"{" * 1000),
        frame(b'{"__metadata__":' + b"[" * 100_000),
        frame({"__metadata__": {"svmosaic": "[" * 100_000}}),
        frame({"__metadata__": {"svmosaic": "[]"}}),
        frame({"__metadata__": {"svmosaic": "1" * 10_000}}),
        frame({"__metadata__": {"svmosaic": '{"a":NaN}'}}),
        frame({"__metadata__": {"svmosaic": '{"a":1,"a":1}'}}),
        frame({"__metadata__": {"svmosaic": '{"format":"svmosaic","version":1,"a":1e999}'}}),
        frame({"__metadata__": {"svmosaic": {"format": "svmosaic"}}}),
        frame({"__metadata__": {"svmosaic": '{"format":"svmosaic","version":1}'}}),
        frame({"__metadata__": {"svmosaic": '{"format":"svmosaic","version":1e9}'}}),
        frame({"__metadata__": []}),
        frame(b'{"__metadata__":{"svmosaic":"\xff"}}'),
        frame(b'{"__metadata__":{"svmosaic":"\\ud800"}}'),
        frame({"a": {"dtype": "F64", "shape": [2**61], "data_offsets": [0, 0]}}),
        frame({"a": {"dtype": "F64", "shape": [2**32, 2**32], "data_offsets": [0, 0]}}),
        frame({"a": {"dtype": "F64", "shape": [0, 2**63], "data_offsets": [0, 0]}}),
        frame({"a": {"dtype": "F64", "shape": [-1], "data_offsets": [0, 8]}}, bytes(8)),
        frame({"a": {"dtype": "F64", "shape": [1], "data_offsets": [8, 0]}}, bytes(8)),
        frame({"a": {"dtype": "F64", "shape": [1], "data_offsets": [0, 2**63]}}, bytes(8)),
        frame({"a": {"dtype": "X", "shape": [1], "data_offsets": [0, 8]}}, bytes(8)),
        struct.pack("<Q", 2**63) + b"{}",
        struct.pack("<Q", 99_999_999) + b"{}",
        b"\x02",
    ],
)
def test_hostile_containers_are_refused_without_much_memory(content):
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError):
            decode(content)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 20e6


def test_empty_axis_with_a_huge_one_is_refused(models):
    header, tensors = open_up(encode(models["dense"]))
    header["sha256"] = _checksum(header, tensors)
    entry = {"dtype": "F64", "shape": [0, 2**62], "data_offsets": [0, 0]}

    with pytest.raises(ModelFileError, match="shape"):
        decode(
            frame({"__metadata__": {"svmosaic": canonical_json(header)}, "step0.intercept": entry})
        )


class NoImports:
    """A finder that allows no module that is not loaded yet."""

    def find_spec(self, name, path=None, target=None):
        raise AssertionError(f"import of {name}")


def test_loading_imports_nothing_that_the_file_names(models, monkeypatch):
    content = encode(models["scaled"])
    decode(content)
    header, tensors = open_up(content)
    _step(header)["class"] = "antigravity.AntiGravity"
    hostile = forge(header, tensors)
    monkeypatch.setattr(sys, "meta_path", [NoImports(), *sys.meta_path])

    decode(content)
    with pytest.raises(ModelFileError, match="not known"):
        decode(hostile)


def test_file_name_comes_first_in_the_message(models, tmp_path):
    path = tmp_path / "model.safetensors"
    save(models["dense"], path)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)

    with pytest.raises(ModelFileError, match="checksum does not match") as caught:
        load(path)

    assert str(caught.value).startswith(str(path))
