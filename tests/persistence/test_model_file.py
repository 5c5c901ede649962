"""A saved model comes back the same: predictions bit for bit, parameters, path."""

from __future__ import annotations

import os
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, StandardScaler

from same_state import assert_same_state, identical
from svmosaic import OLLAWVClassifier, OLLAWVClassifierCV
from svmosaic.persistence import load, save
from svmosaic.persistence.model_file import encode
from svmosaic.preprocessing import ConstantHolder

KERNELS = ("rbf", "linear", "poly", "sigmoid", "laplacian")
NAMES = np.array(["setosa", "versicolor", "virginica"])


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


@pytest.fixture
def round_trip(tmp_path):
    def save_and_load(model):
        path = tmp_path / "model.safetensors"
        save(model, path)
        return load(path)

    return save_and_load


def assert_same_model(loaded, model, X):
    assert type(loaded) is type(model)
    assert identical(loaded.decision_function(X), model.decision_function(X))
    assert identical(loaded.predict(X), model.predict(X))
    if not isinstance(model, Pipeline):
        assert_same_state(loaded, model)


# The sigmoid kernel is indefinite, and fit says so.
@pytest.mark.filterwarnings("ignore:The kernel of .* is not positive semidefinite")
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("refine", [None, "full"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_round_trip_keeps_every_attribute(iris, round_trip, kernel, refine, multi_class):
    X, y = iris
    model = OLLAWVClassifier(kernel=kernel, refine=refine, multi_class=multi_class).fit(X, y)

    assert_same_model(round_trip(model), model, X)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csr_matrix])
def test_round_trip_keeps_types_of_vectors(iris, round_trip, form, dtype, n_classes):
    X, y = iris
    X, y = form(X[y < n_classes].astype(dtype)), y[y < n_classes]
    model = OLLAWVClassifier().fit(X, y)

    loaded = round_trip(model)

    assert loaded.support_vectors_.dtype == dtype
    assert_same_model(loaded, model, X)


def test_round_trip_keeps_64_bit_indices(iris, round_trip):
    X, y = iris
    X = sp.csr_array(X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    model = OLLAWVClassifier().fit(X, y)
    assert model.support_vectors_.indices.dtype == np.int64

    assert_same_model(round_trip(model), model, X)


def test_round_trip_keeps_64_bit_indices_of_a_csr_matrix(iris, round_trip):
    X, y = iris
    model = OLLAWVClassifier().fit(sp.csr_matrix(X), y)
    vectors = model.support_vectors_
    vectors.indices, vectors.indptr = vectors.indices.astype("i8"), vectors.indptr.astype("i8")

    assert_same_model(round_trip(model), model, X)


@pytest.mark.parametrize("refine", [None, "full"])
def test_round_trip_of_a_precomputed_kernel(iris, round_trip, refine):
    X, y = iris
    K = X @ X.T
    model = OLLAWVClassifier(kernel="precomputed", refine=refine).fit(K, y)

    assert_same_model(round_trip(model), model, K)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, 7, 1000]),
        np.array([3, 7, 100], dtype=np.uint8),
        np.array([-5, 0, 2**62]),
        np.array([1.0, 2.0, 3.0], dtype=np.float32),
        np.array([-1.0, 0.0, 1.0]),
        NAMES,
        NAMES.astype(object),
        np.array(["", "ß é 中", 'quote " \\ \n\t']),
    ],
    ids=str,
)
def test_round_trip_keeps_labels(iris, round_trip, labels):
    X, y = iris
    model = OLLAWVClassifier(refine=None).fit(X, labels[y])

    assert_same_model(round_trip(model), model, X)


def test_round_trip_keeps_truth_values_as_labels(iris, round_trip):
    X, y = iris
    model = OLLAWVClassifier().fit(X, y == 1)

    loaded = round_trip(model)

    assert loaded.predict(X).dtype == bool
    assert_same_model(loaded, model, X)


def test_round_trip_keeps_feature_names(iris, round_trip):
    X, y = iris
    X = pd.DataFrame(X, columns=["length", "width", "é", "x.y"])
    model = OLLAWVClassifier().fit(X, y)

    assert_same_model(round_trip(model), model, X)


def test_round_trip_keeps_odd_parameters(iris, round_trip):
    X, y = iris
    params = {
        "C": np.float64(2.5),
        "degree": np.int32(2),
        "class_weight": {np.int64(0): 1, 1: 2.5, 2: np.float32(0.5)},
        "max_iter": 40,
        "max_time": 1e6,
        "n_jobs": -1,
    }
    model = OLLAWVClassifier(**params).fit(X, y)
    # Not used after the fit, so that any plain content is as good as another.
    model.class_weight |= {3: float("inf"), "a": (None, True, [1, -0.0])}

    loaded = round_trip(model)

    assert loaded.get_params() == model.get_params()
    assert type(loaded.C) is float
    assert identical(loaded.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_at_margin_and_at_budget_work_after_loading(iris, round_trip, form):
    X, y = iris
    X = form(X)
    model = OLLAWVClassifier(refine=None, margin=0.5).fit(X, y)

    loaded = round_trip(model)

    for shorter, expected in (
        (loaded.at_margin(0.05), model.at_margin(0.05)),
        (loaded.at_budget(4), model.at_budget(4)),
    ):
        assert_same_model(shorter, expected, X)
        assert_same_model(round_trip(shorter), expected, X)


@pytest.mark.parametrize(
    "scaler",
    [
        MinMaxScaler(),
        MinMaxScaler(feature_range=(-1, 1), clip=True),
        StandardScaler(),
        StandardScaler(with_mean=False),
        StandardScaler(with_mean=False, with_std=False),
        MaxAbsScaler(),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_round_trip_of_a_scaler_and_a_model(iris, round_trip, scaler, dtype):
    X, y = iris
    X = X.astype(dtype)
    model = Pipeline([("scale", clone(scaler)), ("model", OLLAWVClassifier())]).fit(X, NAMES[y])

    loaded = round_trip(model)

    assert_same_model(loaded, model, X)
    assert [name for name, _ in loaded.steps] == ["scale", "model"]
    assert loaded["scale"].get_params() == scaler.get_params()
    for name, value in vars(model["scale"]).items():
        assert identical(value, getattr(loaded["scale"], name)), name


def test_round_trip_of_a_sparse_pipeline_with_other_names(iris, round_trip):
    X, y = iris
    X = sp.csr_matrix(X)
    model = make_pipeline(MaxAbsScaler(), StandardScaler(with_mean=False), OLLAWVClassifier())
    model.fit(X, y)

    loaded = round_trip(model)

    assert list(loaded.named_steps) == list(model.named_steps)
    assert_same_model(loaded, model, X)


def test_same_model_gives_the_same_bytes(iris):
    X, y = iris
    model = OLLAWVClassifier().fit(X, NAMES[y])

    assert encode(model) == encode(pickle.loads(pickle.dumps(model)))


@pytest.mark.parametrize("refine", [None, "full"])
def test_round_trip_of_a_selection_that_took_all_samples(round_trip, refine):
    X = np.arange(6.0)[:, np.newaxis]
    model = OLLAWVClassifier(gamma=10.0, margin=50.0, max_iter=1.0, refine=refine)
    model.fit(X, [0, 1, 0, 1, 0, 1])

    loaded = round_trip(model)

    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))


def test_loaded_arrays_can_be_written(iris, round_trip):
    model = round_trip(OLLAWVClassifier().fit(*iris))

    model.intercept_[0] += 1.0
    model.support_vectors_[0, 0] = 1.0


def test_loaded_model_can_be_cloned_fitted_and_pickled(iris, round_trip):
    X, y = iris
    model = OLLAWVClassifier(gamma=0.3).fit(X, y)

    loaded = round_trip(model)

    assert_same_model(clone(loaded).fit(X, y), model, X)
    assert_same_model(pickle.loads(pickle.dumps(loaded)), model, X)


@pytest.mark.parametrize("refine", [None, "full"])
def test_schema_names_every_attribute_of_a_fitted_model(iris, refine):
    X, y = iris
    model = OLLAWVClassifier(refine=refine).fit(pd.DataFrame(X, columns=list("abcd")), y)

    # What the file has of the expansion are its views.
    views = {"expansion_.kernel.gamma", "dual_coef_", "intercept_", "support_vectors_"}
    named = set(OLLAWVClassifier._model_file.fields)

    told_once = {"_fit_report"}
    known = (named - views) | {"expansion_"} | told_once
    assert vars(model).keys() - model.get_params().keys() == known


# What cannot be saved -----------------------------------------------------------------------


def test_kernel_function_is_refused_in_one_sentence(iris, tmp_path):
    model = OLLAWVClassifier(kernel=lambda A, B: A @ B.T).fit(*iris)

    with pytest.raises(TypeError, match=r"'kernel' parameter of OLLAWVClassifier is a function"):
        save(model, tmp_path / "model")

    assert list(tmp_path.iterdir()) == []


def test_unfitted_model_is_refused(tmp_path):
    with pytest.raises(NotFittedError):
        save(OLLAWVClassifier(), tmp_path / "model")
    with pytest.raises(NotFittedError):
        save(make_pipeline(MinMaxScaler(), OLLAWVClassifier()), tmp_path / "model")


class Renamed(OLLAWVClassifier):
    """A subclass may hold more than the file does."""


Renamed.__name__ = "OLLAWVClassifier"


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        MinMaxScaler(),
        Renamed(),
        make_pipeline(Normalizer(), OLLAWVClassifier()),
        make_pipeline("passthrough", OLLAWVClassifier()),
        make_pipeline(MinMaxScaler(), LogisticRegression()),
    ],
    ids=lambda model: type(model).__name__,
)
def test_other_objects_are_refused(iris, tmp_path, model):
    with pytest.raises(TypeError, match="Got"):
        save(model.fit(*iris), tmp_path / "model")


def test_object_that_is_no_estimator_is_refused(tmp_path):
    with pytest.raises(TypeError, match=r"must end in .*OLLAWVClassifier"):
        save({"C": 1}, tmp_path / "model")


def test_search_is_refused_with_what_to_save_instead(iris, tmp_path):
    X, y = iris
    search = OLLAWVClassifierCV(gammas=[0.1], Cs=[1.0], cv=2).fit(X, y)

    with pytest.raises(TypeError, match="Save its best_estimator_"):
        save(search, tmp_path / "model")

    save(search.best_estimator_, tmp_path / "model")
    assert np.array_equal(load(tmp_path / "model").predict(X), search.predict(X))


def test_labels_without_a_place_are_refused(iris, tmp_path):
    X, y = iris
    model = OLLAWVClassifier().fit(X, y)
    model.classes_ = np.array(["2020-01-01", "2021-01-01", "2022-01-01"], dtype="M8[D]")

    with pytest.raises(ValueError, match="class labels of type"):
        save(model, tmp_path / "model")


def test_parameter_without_a_place_is_refused(iris, tmp_path):
    model = OLLAWVClassifier().fit(*iris)
    model.set_params(class_weight=np.ones(3))

    with pytest.raises(TypeError, match=r"'class_weight' parameter .* Got ndarray instead"):
        save(model, tmp_path / "model")


def test_state_that_could_not_be_loaded_is_not_written(iris, tmp_path):
    model = OLLAWVClassifier().fit(*iris)
    model.expansion_ = replace(model.expansion_, intercepts=model.intercept_[:-1])

    with pytest.raises(ValueError, match=r"cannot be saved: '.*' has 3 entries where 2 were"):
        save(model, tmp_path / "model")

    assert list(tmp_path.iterdir()) == []


def test_changed_refine_is_not_written(iris, tmp_path):
    model = OLLAWVClassifier(refine="full").fit(*iris).set_params(refine=None)

    with pytest.raises(ValueError, match="'refine' was not None in the fit"):
        save(model, tmp_path / "model")


# Atomic writing -----------------------------------------------------------------------------


def test_error_while_writing_leaves_the_old_file(iris, tmp_path, monkeypatch):
    X, y = iris
    path = tmp_path / "model"
    old = OLLAWVClassifier().fit(X, y)
    save(old, path)

    def disk_full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", disk_full)
    with pytest.raises(OSError, match="No space"):
        save(OLLAWVClassifier(C=100.0).fit(X, y), path)

    assert list(tmp_path.iterdir()) == [path]
    assert_same_model(load(path), old, X)


def test_missing_folder_and_file_give_the_usual_errors(iris, tmp_path):
    model = OLLAWVClassifier().fit(*iris)

    with pytest.raises(FileNotFoundError):
        save(model, tmp_path / "nowhere" / "model")
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing")


def test_path_can_be_a_string(iris, tmp_path):
    X, y = iris
    model = OLLAWVClassifier().fit(X, y)

    save(model, str(tmp_path / "model"))

    assert_same_model(load(str(tmp_path / "model")), model, X)


# Imputers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent"])
def test_an_imputer_before_the_scaler_is_kept(iris, tmp_path, dtype, strategy):
    X, y = iris
    X = X.astype(dtype)
    X[::7, 1] = np.nan
    model = make_pipeline(SimpleImputer(strategy=strategy), MinMaxScaler(), OLLAWVClassifier())
    model.fit(X, y)
    save(model, tmp_path / "model")

    loaded = load(tmp_path / "model")

    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    assert loaded[0].statistics_.dtype == model[0].statistics_.dtype
    assert loaded[0].get_params()["strategy"] == strategy


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_held_features_are_kept(iris, tmp_path, dtype):
    X, y = iris
    train, new = X.astype(dtype), X.astype(dtype)
    train[:, 2] = 3.0
    model = make_pipeline(ConstantHolder(), MinMaxScaler(), OLLAWVClassifier()).fit(train, y)
    save(model, tmp_path / "model")

    loaded = load(tmp_path / "model")

    np.testing.assert_array_equal(loaded.decision_function(new), model.decision_function(new))
    np.testing.assert_array_equal(loaded[0].held_, [2])
    assert loaded[0].values_.dtype == dtype


@pytest.mark.parametrize(
    "imputer", [SimpleImputer(add_indicator=True), SimpleImputer(missing_values=-1.0)]
)
def test_an_imputer_that_does_more_is_refused(iris, tmp_path, imputer):
    X, y = iris
    model = make_pipeline(imputer, OLLAWVClassifier()).fit(X, y)

    with pytest.raises(ValueError, match="must fill nan and add no columns"):
        save(model, tmp_path / "model")
