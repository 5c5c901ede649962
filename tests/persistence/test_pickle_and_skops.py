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
from svmosaic.engine.expansion import KernelExpansion
from svmosaic.engine.problem import Coefficients
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


@pytest.mark.parametrize("refine", [None, "full"])
@pytest.mark.parametrize("kind", KINDS)
def test_skops_asks_for_the_documented_types_only(iris, kind, refine):
    model, X = _fitted(kind, refine, *iris)

    data = skops.io.dumps(model)

    assert set(skops.io.get_untrusted_types(data=data)) <= set(trusted_types())
    loaded = skops.io.loads(data, trusted=trusted_types())
    assert np.array_equal(loaded.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("refine", [None, "full"])
@pytest.mark.parametrize("kind", KINDS)
def test_pickled_model_predicts_the_same(iris, kind, refine):
    model, X = _fitted(kind, refine, *iris)

    loaded = pickle.loads(pickle.dumps(model))

    assert np.array_equal(loaded.decision_function(X), model.decision_function(X))
    assert np.array_equal(loaded.predict(X), model.predict(X))


def _forged(expansion, **changes):
    """Return the pickle of an expansion with other fields, of it or of its coefficients."""
    fields = dict(expansion.__dict__)
    parts = dict(expansion.coefficients.__dict__)
    for name, value in changes.items():
        (parts if name in parts else fields)[name] = value
    fields["coefficients"] = object.__new__(Coefficients)
    fields["coefficients"].__dict__.update(parts)
    other = object.__new__(KernelExpansion)
    other.__dict__.update(fields)
    return pickle.dumps(other)


DAMAGE = {
    "a vector is missing": lambda e: {"vectors": e.vectors[1:]},
    "no offsets": lambda e: {"offsets": e.coefficients.offsets[:0]},
    "offsets descend": lambda e: {"offsets": e.coefficients.offsets[::-1].copy()},
    "offsets end beyond the values": lambda e: {"values": e.coefficients.values[:-3]},
    "outputs are missing": lambda e: {"outputs": e.coefficients.outputs[:-1]},
    "an output that is not there": lambda e: {"outputs": e.coefficients.outputs + 2**40},
    "a negative output": lambda e: {"outputs": e.coefficients.outputs - 1},
    "an intercept is missing": lambda e: {"intercepts": e.intercepts[1:]},
    "a value is nan": lambda e: {"values": e.coefficients.values * np.nan},
    "an intercept is infinite": lambda e: {"intercepts": e.intercepts + np.inf},
    "a vector is nan": lambda e: {"vectors": e.vectors * np.nan},
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("kind", ["dense", "csr_array"])
def test_pickle_with_impossible_fields_is_refused(iris, kind, damage):
    model, _ = _fitted(kind, "full", *iris)
    expansion = model.expansion_

    pickle.loads(_forged(expansion))  # nothing changed

    with pytest.raises(ValueError, match="The pickled model is damaged"):
        pickle.loads(_forged(expansion, **DAMAGE[damage](expansion)))


def test_pickle_with_a_negative_column_is_refused(iris):
    model, _ = _fitted("precomputed", "full", *iris)
    expansion = model.expansion_

    with pytest.raises(ValueError, match="a column is negative"):
        pickle.loads(_forged(expansion, columns=expansion.columns - 1000))
