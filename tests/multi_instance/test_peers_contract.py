"""What every peer owes: order, purity, classes, sparse instances, documentation."""

from __future__ import annotations

import copy
import pickle
import re

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils._param_validation import InvalidParameterError

from svmosaic.multi_instance import Bags, peers
from svmosaic.multi_instance.peers import (
    BaggedBagsClassifier,
    BagMISVMClassifier,
    CitationKNNClassifier,
    DiverseDensityClassifier,
    EMDDClassifier,
    InstanceMISVMClassifier,
    MIBoostClassifier,
    MIGraphClassifier,
    MIOptimalBallClassifier,
    MIWrapperClassifier,
    SetKernelClassifier,
    SimpleMIClassifier,
    StackedBagsClassifier,
    TLCClassifier,
)

PEERS = [
    BagMISVMClassifier(C=10.0),
    InstanceMISVMClassifier(C=10.0, kernel="linear"),
    SimpleMIClassifier(),
    SimpleMIClassifier(transform="min-max"),
    MIWrapperClassifier(),
    SetKernelClassifier(C=10.0),
    SetKernelClassifier(C=10.0, kernel="poly", coef0=1.0, normalization="average"),
    MIGraphClassifier(C=10.0),
    DiverseDensityClassifier(random_state=0, n_starts=5),
    EMDDClassifier(random_state=0, n_starts=5),
    MIOptimalBallClassifier(),
    MIBoostClassifier(random_state=0),
    CitationKNNClassifier(),
    CitationKNNClassifier(hausdorff="maximal"),
    TLCClassifier(random_state=0),
    BaggedBagsClassifier(random_state=0, n_estimators=5),
    BaggedBagsClassifier(MIOptimalBallClassifier(), voting="mean", random_state=0, n_estimators=5),
    StackedBagsClassifier(random_state=0, cv=3),
]


def _name(peer):
    return re.sub(r"\s+", " ", str(peer))


every_peer = pytest.mark.parametrize("peer", PEERS, ids=_name)


def _problem(n_classes=2, n_bags=24, seed=0):
    """Bags of a class lie around its own corner, far apart."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_bags) % n_classes
    corners = 4.0 * np.eye(4)[:n_classes]
    return [rng.normal(corners[k], 0.4, (rng.integers(1, 6), 4)) for k in y], y


@every_peer
def test_order_of_bags_and_instances_changes_nothing(peer):
    parts, y = _problem()
    # Noise: an easy problem would hide a dependence.
    y = np.where(np.arange(y.size) % 7 == 0, 1 - y, y)
    new, _ = _problem(seed=1)
    rng = np.random.default_rng(2)
    order = rng.permutation(len(parts))
    mixed = [parts[i][rng.permutation(len(parts[i]))] for i in order]

    first = clone(peer).fit(parts, y).decision_function(new)
    second = clone(peer).fit(mixed, y[order]).decision_function(new)
    turned = clone(peer).fit(parts, y).decision_function([bag[::-1] for bag in new][::-1])[::-1]

    assert_array_equal(first, second)
    assert_allclose(first, turned, rtol=1e-9, atol=1e-9)


@every_peer
def test_prediction_is_pure_and_survives_pickling(peer):
    parts, y = _problem()
    model = clone(peer).fit(parts, y)
    before = pickle.dumps(model)
    kept = copy.deepcopy(parts)

    scores = model.decision_function(parts)

    assert_array_equal(model.decision_function(parts), scores)
    assert pickle.dumps(model) == before
    assert_array_equal(pickle.loads(before).decision_function(parts), scores)
    for ours, theirs in zip(kept, parts, strict=True):
        assert_array_equal(ours, theirs)


@every_peer
@pytest.mark.parametrize("n_classes", [2, 3])
def test_far_classes_with_names_are_told_apart(peer, n_classes):
    parts, y = _problem(n_classes)
    names = np.array(["crane", "goose", "swan"])[y]
    new, truth = _problem(n_classes, seed=1)

    model = clone(peer).fit(parts, names)

    assert model.classes_.tolist() == ["crane", "goose", "swan"][:n_classes]
    assert model.decision_function(new).shape == ((24,) if n_classes == 2 else (24, 3))
    assert np.mean(model.predict(new) == np.array(["crane", "goose", "swan"])[truth]) > 0.9


@every_peer
def test_sparse_instances_work_and_new_bags_may_have_the_other_form(peer):
    parts, y = _problem()
    rare = [np.where(np.abs(part) < 1.0, 0.0, part) for part in parts]
    sparse = [sp.csr_array(part) for part in rare]

    model = clone(peer).fit(sparse, y)
    other = clone(peer).fit(rare, y)

    assert np.mean(model.predict(sparse) == y) > 0.9
    assert_allclose(model.decision_function(rare), model.decision_function(sparse), atol=1e-9)
    assert_allclose(other.decision_function(sparse), other.decision_function(rare), atol=1e-9)


@every_peer
def test_single_precision_is_accepted(peer):
    parts, y = _problem()
    single = [part.astype(np.float32) for part in parts]

    assert np.mean(clone(peer).fit(single, y).predict(single) == y) > 0.9


@every_peer
def test_wrong_parameters_are_named(peer):
    parts, y = _problem()
    for name in peer.get_params(deep=False):
        wrong = clone(peer).set_params(**{name: object()})
        with pytest.raises(InvalidParameterError, match=f"'{name}' parameter of"):
            wrong.fit(parts, y)


@every_peer
def test_every_parameter_and_attribute_is_documented(peer):
    parts, y = _problem()
    model = clone(peer).fit(parts, y)

    text = re.split(r"See Also|Notes\n", type(peer).__doc__)[0]
    groups = re.findall(r"^    (\w[\w, ]*?) :", text, re.MULTILINE)
    names = {name for group in groups for name in group.split(", ")}
    attributes = {name for name in vars(model) if name.endswith("_") and name[0] != "_"}
    views = (
        {"support_vectors_", "dual_coef_", "intercept_"} if "expansion_" in attributes else set()
    )

    assert set(peer.get_params(deep=False)) | attributes | views == names


def test_all_peers_are_exported_and_checked_here():
    checked = {type(peer).__name__ for peer in PEERS} | {"SawmilClassifier"}

    assert checked == set(peers.__all__)
    assert all(hasattr(peers, name) for name in peers.__all__)


def test_scikit_learn_searches_over_a_peer():
    parts, y = _problem()
    bags = Bags.from_list(parts)

    search = GridSearchCV(SetKernelClassifier(), {"C": [0.1, 10.0]}, cv=3).fit(bags, y)

    assert search.score(bags, y) == 1.0
    assert cross_val_score(BagMISVMClassifier(C=10.0), bags, y, cv=3).mean() > 0.9


def test_threads_do_not_change_the_model():
    parts, y = _problem()

    for peer in (SetKernelClassifier(), MIOptimalBallClassifier(), CitationKNNClassifier()):
        alone = clone(peer).fit(parts, y).decision_function(parts)
        together = clone(peer).set_params(n_jobs=2).fit(parts, y).decision_function(parts)
        assert_array_equal(alone, together)
