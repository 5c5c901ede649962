"""Online classifiers in model files, pickles and skops: every attribute, and what is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import skops.io
from sklearn.datasets import load_iris

from same_state import assert_same_state
from svmosaic import NLSGDClassifier, OLLAL2Classifier, OLLAWVClassifier, load, save
from svmosaic.persistence import export_libsvm, import_libsvm, trusted_types


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def through_file(model, folder):
    save(model, folder / "model.safetensors")
    return load(folder / "model.safetensors")


def through_skops(model, folder):
    return skops.io.loads(skops.io.dumps(model), trusted=trusted_types())


def through_pickle(model, folder):
    return pickle.loads(pickle.dumps(model))


@pytest.mark.parametrize("way", [through_file, through_skops, through_pickle])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "precomputed"])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("kind", [NLSGDClassifier, OLLAL2Classifier])
def test_every_attribute_comes_back(iris, tmp_path, kind, multi_class, kernel, way):
    X, y = iris
    X = X @ X.T if kernel == "precomputed" else X
    model = kind(kernel=kernel, multi_class=multi_class).fit(X, y)

    loaded = way(model, tmp_path)

    assert_same_state(loaded, model)
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))


def test_a_pipeline_with_sparse_vectors_comes_back(iris, tmp_path):
    X, y = iris
    model = NLSGDClassifier().fit(sp.csr_matrix(X), y)

    loaded = through_file(model, tmp_path)

    assert type(loaded.support_vectors_) is type(model.support_vectors_)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("kernel", "change", "message"),
    [
        ("rbf", {"_state": np.ones((2, 3))}, "'state' has shape"),
        ("rbf", {"_feature_weights": np.ones((3, 4))}, "'feature_weights' has shape"),
        ("rbf", {"n_samples_seen_": 20}, "'support' holds .*; at most 19 was expected"),
        ("rbf", {"t_": np.array([1.0, 2.0, -1.0])}, "'t' holds -1.0"),
        ("linear", {"_state": np.ones((3, 3))}, "'state' has shape"),
        ("linear", {"_feature_weights": np.full((3, 4), np.nan)}, "nan or infinity"),
        ("linear", {"_state_intercept": np.ones(2)}, "'state_intercept' has 2 entries"),
    ],
)
def test_a_state_that_contradicts_itself_is_refused(iris, tmp_path, kernel, change, message):
    model = NLSGDClassifier(kernel=kernel).fit(*iris)
    vars(model).update(change)

    with pytest.raises(ValueError, match=message):
        save(model, tmp_path / "model.safetensors")


def test_libsvm_text_takes_vectors_only(iris, tmp_path):
    X, y = iris
    model = OLLAL2Classifier(gamma=0.5).fit(X, y)
    export_libsvm(model, tmp_path / "text")

    same = import_libsvm(tmp_path / "text")

    assert type(same) is OLLAWVClassifier
    np.testing.assert_array_equal(same.predict(X), model.predict(X))
    with pytest.raises(ValueError, match="keeps only the weights of the features"):
        export_libsvm(NLSGDClassifier(kernel="linear").fit(X, y), tmp_path / "text")
