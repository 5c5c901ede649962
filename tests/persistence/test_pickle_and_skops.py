"""Pickle and skops, the formats of others."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import skops.io
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from svmosaic import OLLAWVClassifier
from svmosaic.persistence import trusted_types


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def _fitted(kind, refine, X, y):
    names = np.array(["a", "b", "c"])[y]
    model = OLLAWVClassifier(refine=refine)
    return {
        "dense": lambda: (model.fit(X, y), X),
        "float32": lambda: (model.fit(X.astype(np.float32), y), X),
        "truth": lambda: (model.fit(X, y == 0), X),
        "strings": lambda: (model.fit(X, names), X),
        "objects": lambda: (model.fit(X, names.astype(object)), X),
        "csr_matrix": lambda: (model.fit(sp.csr_matrix(X), y), X),
        "csr_array": lambda: (model.fit(sp.csr_array(X), y), X),
        "precomputed": lambda: (model.set_params(kernel="precomputed").fit(X @ X.T, y), X @ X.T),
        "weights": lambda: (model.set_params(class_weight={0: 2.0, 1: 1, 2: 1}).fit(X, y), X),
        "pipeline": lambda: (make_pipeline(StandardScaler(), model).fit(X, y), X),
    }[kind]()


KINDS = (
    "dense",
    "float32",
    "truth",
    "strings",
    "objects",
    "csr_matrix",
    "csr_array",
    "precomputed",
    "weights",
    "pipeline",
)


@pytest.mark.parametrize("refine", [None, "selected", "full"])
@pytest.mark.parametrize("kind", KINDS)
def test_skops_asks_for_the_documented_types_only(iris, kind, refine):
    model, X = _fitted(kind, refine, *iris)

    data = skops.io.dumps(model)

    assert set(skops.io.get_untrusted_types(data=data)) <= set(trusted_types())
    loaded = skops.io.loads(data, trusted=trusted_types())
    assert np.array_equal(loaded.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("refine", [None, "selected", "full"])
@pytest.mark.parametrize("kind", KINDS)
def test_pickled_model_predicts_the_same(iris, kind, refine):
    model, X = _fitted(kind, refine, *iris)

    loaded = pickle.loads(pickle.dumps(model))

    assert np.array_equal(loaded.decision_function(X), model.decision_function(X))
    assert np.array_equal(loaded.predict(X), model.predict(X))
