"""Classes that declare what is stored of them: nothing is lost, and new ones need no registry."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.random import RandomState
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris

import svmosaic
from multi_instance.toy_bags import needle_bags
from same_state import assert_same_state, identical
from svmosaic import (
    SVRTC,
    SVRWC,
    MIRMixSVMClassifier,
    NLSGDClassifier,
    OLLAL2Classifier,
    OLLAWVClassifier,
    OnlineSVMCBPClassifier,
    OnlineSVMClassifier,
)
from svmosaic.exceptions import ModelFileError
from svmosaic.persistence.model_file import decode, encode
from svmosaic.persistence.storable import find_declaration, storable, storable_classes
from svmosaic.utils.declaration import doubles, write_declared
from svmosaic.utils.state_codec import NotPlainError, PlainState

X, Y = load_iris(return_X_y=True)
X, Y = X[:100:2], Y[:100:2]
BAGS = needle_bags()
GRID = {"gammas": [0.1], "Cs": [1.0], "cv": 2}
SMALL = {
    "MIRMixSVMClassifier": {"C": [1.0], "gamma": [0.5], "n_init": 1, "random_state": 0},
    "MIRSVMClassifier": {"random_state": 0},
    "MultiTargetSVR": GRID,
    "SVRRC": GRID,
    "SVRCC": GRID,
    "SVRWC": {"Cs": [1.0], "epsilons": [0.1], "cv": 2, "n_chains": 2},
    "SVRTC": {"Cs": [1.0], "epsilons": [0.1], "cv": 2, "n_chains": 2, "n_trees": 3},
    "NodeCountSVMClassifier": {"n_trees": 3, "max_depth": 3, "random_state": 0},
    "SVMEnsembleClassifier": {"gamma_factors": [1.0], "Cs": [1.0], "cv": 2},
    "StreamOLLAWV": {"chunk_size": 20},
    "StreamOLLAL2": {"chunk_size": 20},
    "OnlineSVMCBPClassifier": {"max_iter": 400},
}
# Tables of searches.
NOT_STORED = {"MIRMixSVMClassifier": {"cv_results_", "n_splits_"}}
# Estimators within others, which are compared by the bytes of the files.
WITHIN = {"estimator", "estimator_"}
# Objects within these are compared by what they are written as.
BY_STATE = {"StreamOLLAWV", "StreamOLLAL2"}


def fitted(name):
    kind = storable_classes()[name]
    model = kind(**SMALL.get(name, {}))
    if find_declaration(kind).of_bags:
        return model.fit(*BAGS)
    if issubclass(kind, svmosaic.MultiTargetSVR.__base__) or kind in (SVRTC, SVRWC):
        return model.fit(X, np.c_[X[:, 0] + Y, X[:, 1] - Y])
    return model.fit(X, Y)


# The classes are far apart, and whether rounding makes a peak differs between processors.
@pytest.mark.filterwarnings("ignore:The norm of SVMCBPClassifier has no peak")
@pytest.mark.parametrize("name", storable("model"))
def test_every_attribute_of_every_model_comes_back(name):
    model = fitted(name)

    loaded = decode(encode(model))

    assert encode(loaded) == encode(model)
    lost = set(vars(model)) - set(vars(loaded))
    # What a fit cost is told once, and seconds would make equal models different files.
    assert lost <= NOT_STORED.get(name, set()) | {"_fit_report"}
    if name not in BY_STATE:
        for attribute in (
            set(vars(loaded))
            - {"binary_classifiers_", "members_", "weighted_members_", "scalers_", "support_bags_"}
            - WITHIN
        ):
            assert identical(getattr(loaded, attribute), getattr(model, attribute)), attribute


def test_public_estimators_are_found():
    # The searches keep a model that is one of these, and their tables.
    searches = {"OLLAWVClassifierCV", "SVMCBPClassifierCV"}
    public = (getattr(svmosaic, name) for name in svmosaic.__all__)
    estimators = {kind.__name__ for kind in public if hasattr(kind, "get_params")}

    assert estimators - searches <= set(storable("model"))
    assert not searches & set(storable_classes())


class Doubling(OLLAWVClassifier):
    """A classifier with one attribute more."""

    _model_file = OLLAWVClassifier._model_file.extend({"twice_": doubles("n_features")})

    def fit(self, X, y):
        super().fit(X, y)
        self.twice_ = 2.0 * X[0]
        return self


def test_a_new_estimator_needs_no_change_here(monkeypatch):
    model = Doubling().fit(X, Y)
    with pytest.raises(TypeError, match="Got Doubling instead"):
        encode(model)
    monkeypatch.setattr("svmosaic.preprocessing.Doubling", Doubling, raising=False)
    storable_classes.cache_clear()
    try:
        loaded = decode(encode(model))
    finally:
        storable_classes.cache_clear()

    assert_same_state(loaded, model)


def test_a_class_without_a_declaration_within_another_is_refused():
    model = MIRMixSVMClassifier(**SMALL["MIRMixSVMClassifier"]).fit(*BAGS)
    model.members_[0] = BaseEstimator()

    with pytest.raises(TypeError, match="A model file cannot hold BaseEstimator"):
        encode(model)


# States of online classifiers -----------------------------------------------------------------

ONLINE = [
    NLSGDClassifier(),
    NLSGDClassifier(kernel="linear", multi_class="ovr"),
    NLSGDClassifier(kernel=lambda A, B: A @ B.T),
    OLLAL2Classifier(),
    OnlineSVMClassifier(max_iter=200),
    OnlineSVMCBPClassifier(max_iter=400),
]


def copied(state):
    return PlainState(json.loads(json.dumps(state.values)), tuple(a.copy() for a in state.arrays))


@pytest.mark.parametrize("model", ONLINE, ids=lambda model: type(model).__name__)
def test_a_state_gives_the_same_model_to_go_on_from(model):
    model = type(model)(**model.get_params()).partial_fit(X, Y, classes=[0, 1])
    other = type(model)(**model.get_params()).fit(X[:, :2], 1 - Y)

    assert other.set_plain_state(copied(model.get_plain_state())) is other

    assert_same_state(other, model)
    assert_same_state(other.partial_fit(X[::-1], Y[::-1]), model.partial_fit(X[::-1], Y[::-1]))


def test_a_generator_of_random_numbers_has_no_plain_state():
    model = OLLAL2Classifier(random_state=RandomState(0)).fit(X, Y)

    with pytest.raises(NotPlainError, match="RandomState cannot be stored"):
        model.get_plain_state()


def with_values(**changes):
    return lambda state: PlainState({**state.values, **changes}, state.arrays)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda state: PlainState([], state.arrays), "other entries"),
        (with_values(extra=1), "other entries"),
        (with_values(values=[]), "other entries"),
        (with_values(values={}), "'n_features_in' is missing"),
        (with_values(arrays=7), "other entries"),
        (with_values(arrays=[]), "more or fewer arrays"),
        (lambda state: with_values(arrays=["t"] * len(state.arrays))(state), "is missing"),
        (lambda state: with_values(arrays=[[]] * len(state.arrays))(state), "more or fewer"),
        (lambda state: PlainState(state.values, state.arrays[:-1]), "more or fewer arrays"),
        (lambda state: PlainState(state.values, state.arrays[::-1]), "expected"),
    ],
)
def test_a_state_that_cannot_be_is_refused_and_changes_nothing(change, words):
    model = OLLAL2Classifier().fit(X, Y)
    before = dict(vars(model))

    with pytest.raises(ModelFileError, match=words):
        model.set_plain_state(change(copied(write_declared(model))))
    assert identical(before, vars(model))
