"""Boosting, neighbours, trees, bagging and stacking among the peers."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import scipy.sparse as sp
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from svmosaic.exceptions import MissingDependencyError
from svmosaic.multi_instance import Bags
from svmosaic.multi_instance.peers import (
    BaggedBagsClassifier,
    CitationKNNClassifier,
    MIBoostClassifier,
    MIOptimalBallClassifier,
    SawmilClassifier,
    SetKernelClassifier,
    SimpleMIClassifier,
    StackedBagsClassifier,
    TLCClassifier,
)
from svmosaic.multi_instance.peers.mi_boost import _best_factor


def _bags(*values):
    """Bags of instances with one feature."""
    return [np.array(bag, dtype=float)[:, np.newaxis] for bag in values]


def test_weight_of_a_boosted_classifier_by_hand():
    # Three quarters of the weight right, one quarter wrong: half the logarithm of 3.
    assert_allclose(_best_factor(np.array([0.75, 0.25]), np.array([-1.0, 1.0])), np.log(3) / 2)
    assert _best_factor(np.array([0.5, 0.5]), np.array([-1.0, 1.0])) == 0.0
    assert _best_factor(np.array([0.5, 0.5]), np.array([-1.0, -0.1])) == 10.0


def test_boosting_by_hand():
    # The stump cuts between 1 and 4 and is wrong for the negative instance at 5 alone. No bag is
    # more than half wrong, so the loss falls for ever and the factor is cut to 10.
    bags = _bags([4, 5], [6], [0, 5], [1])

    model = MIBoostClassifier(random_state=0, n_rounds=1).fit(bags, [1, 1, 0, 0])

    assert model.estimator_weights_.tolist() == [10.0]
    # One instance of three is positive: 10 (1 - 1 - 1) / 3.
    assert_allclose(model.decision_function(_bags([5, 0, 0], [9])), [-10 / 3, 10])


def test_boosting_on_bags_of_one_instance_is_adaboost():
    X, y = make_classification(80, 4, flip_y=0.2, random_state=0)
    bags = Bags(X, np.arange(81))
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)

    model = MIBoostClassifier(stump, n_rounds=20).fit(bags, y)
    ordinary = AdaBoostClassifier(stump, n_estimators=20, random_state=0).fit(X, y)

    # Their weights are twice ours, and their score is twice the weighted mean of the votes.
    assert_allclose(2 * model.estimator_weights_, ordinary.estimator_weights_, rtol=1e-6)
    votes = model.decision_function(bags) / model.estimator_weights_.sum()
    assert_allclose(2 * votes, ordinary.decision_function(X), atol=1e-9)


def test_citation_by_hand():
    # Negative bags at 0 and 1, positive ones at 3 and 4. From 1.9 the nearest is 1. The second
    # nearest of the others are at 3, 2, 2 and 3, so all four cite: (2 - 3) / 5.
    bags, y = _bags([0], [1], [3], [4]), [0, 0, 1, 1]

    model = CitationKNNClassifier(n_references=1, n_citers=2).fit(bags, y)

    assert sorted(model.reach_.tolist()) == [2, 2, 3, 3]
    assert_allclose(model.decision_function(_bags([1.9])), [-0.2])


def test_bags_at_equal_distances_all_count():
    # From 2, one step away from a negative and a positive bag, the vote is even.
    model = CitationKNNClassifier(n_references=1, n_citers=1)
    model.fit(_bags([0], [1], [3], [4]), [0, 0, 1, 1])

    assert model.decision_function(_bags([2]))[0] == 0.0
    assert model.predict(_bags([2], [2.2])).tolist() == [0, 1]


def test_the_nearest_instances_decide_the_minimal_distance_and_the_farthest_the_maximal():
    bags, y = _bags([0, 100], [10]), [0, 1]
    new = _bags([1, 12])

    nearest = CitationKNNClassifier(n_references=1, n_citers=0).fit(bags, y)
    farthest = CitationKNNClassifier(n_references=1, n_citers=0, hausdorff="maximal").fit(bags, y)

    # Minimal: 1 and 2. Maximal: 88 and 9.
    assert nearest.predict(new)[0] == 0
    assert farthest.predict(new)[0] == 1


def test_without_citers_single_instances_have_ordinary_neighbours():
    X, y = make_classification(60, 4, random_state=0)
    new, _ = make_classification(30, 4, random_state=1)

    model = CitationKNNClassifier(n_references=3, n_citers=0).fit(Bags(X, np.arange(61)), y)

    wanted = KNeighborsClassifier(3).fit(X, y).predict(new)
    assert_array_equal(model.predict(Bags(new, np.arange(31))), wanted)


def test_more_neighbours_than_bags_are_all_bags():
    model = CitationKNNClassifier(n_references=9, n_citers=9)
    model.fit(_bags([0], [1], [3]), [0, 0, 1])

    assert_allclose(model.decision_function(_bags([3])), [-1 / 3])


def test_two_levels_count_instances_at_the_nodes():
    # A bag is positive if it has two instances at 1; none at all tells nothing alone.
    bags, y = _bags([1, 1, 0], [1, 1, 0, 0], [1, 0], [1, 0, 0]), [1, 1, 0, 0]

    model = TLCClassifier(random_state=0).fit(bags, y)

    counts = model._counts(Bags.from_list(bags))
    assert counts.tolist() == [[3, 1, 2], [4, 2, 2], [2, 1, 1], [3, 2, 1]]
    assert model.predict([*bags, *_bags([0, 0, 0, 0, 1, 1])]).tolist() == [1, 1, 0, 0, 1]


def test_bagging_votes():
    bags, y = _bags([5, 9], [5.5], [6, 1], [0, 10], [0], [11]), [1, 1, 1, 0, 0, 0]

    model = BaggedBagsClassifier(MIOptimalBallClassifier(), n_estimators=7, random_state=0)
    model.fit(bags, y)

    votes = [one.predict(bags) for one in model.estimators_]
    assert_allclose(model.decision_function(bags), np.mean(votes, axis=0))
    mean = model.set_params(voting="mean").decision_function(bags)
    assert_allclose(mean, np.mean([m.decision_function(bags) for m in model.estimators_], axis=0))
    # Different draws give different classifiers.
    assert len({one.radius_ for one in model.estimators_}) > 1


def test_bagging_never_draws_one_class_alone():
    bags, y = _bags([5], [0], [0.1], [0.2], [0.3], [0.4]), [1, 0, 0, 0, 0, 0]

    model = BaggedBagsClassifier(MIOptimalBallClassifier(), n_estimators=30, random_state=0)

    assert len(model.fit(bags, y).estimators_) == 30


def test_jobs_do_not_change_an_ensemble():
    bags, y = _bags([5, 9], [5.5], [6, 1], [0, 10], [0], [11]), [1, 1, 1, 0, 0, 0]

    for model in (BaggedBagsClassifier(random_state=0), StackedBagsClassifier(random_state=0)):
        alone = model.fit(bags, y).decision_function(bags)
        with parallel_config("threading"):
            together = model.set_params(n_jobs=2).fit(bags, y).decision_function(bags)
        assert_array_equal(alone, together)


def test_stacking_learns_from_scores_of_left_out_bags():
    bags, y = _bags([4, 5], [6], [5], [0, 1], [1], [0.5]), [1, 1, 1, 0, 0, 0]
    bases = [("mean", SimpleMIClassifier()), ("set", SetKernelClassifier())]

    model = StackedBagsClassifier(bases, LogisticRegression(), random_state=0, cv=3).fit(bags, y)

    # The last classifier is linear in the scores of the classifiers trained on all bags.
    scores = np.column_stack([m.decision_function(bags) for m in model.stack_.estimators_])
    last = model.stack_.final_estimator_
    assert_allclose(model.decision_function(bags), scores @ last.coef_[0] + last.intercept_[0])
    assert model.predict(bags).tolist() == y


def test_stacking_needs_two_bags_of_a_class():
    with pytest.raises(ValueError, match="at least two bags of every class"):
        StackedBagsClassifier().fit(_bags([0], [1], [2]), [1, 0, 0])


@pytest.mark.parametrize("package", ["sawmil", "osqp"])
def test_a_missing_package_is_named(package, monkeypatch):
    if package == "osqp":
        pytest.importorskip("sawmil")
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(MissingDependencyError, match=f"'{package}' is needed to"):
        SawmilClassifier().fit(_bags([0], [1]), [0, 1])


def test_sawmil_refuses_sparse_instances():
    pytest.importorskip("sawmil")

    with pytest.raises(TypeError, match="dense instances only"):
        SawmilClassifier().fit([sp.csr_array(np.eye(2)), sp.csr_array(np.eye(2))], [0, 1])


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_sawmil_solves_our_set_kernel_problem(kernel):
    pytest.importorskip("sawmil")
    pytest.importorskip("osqp")
    rng = np.random.default_rng(0)
    bags = [rng.normal(i % 2, 1, (rng.integers(1, 6), 3)) for i in range(20)]
    y = np.arange(20) % 2

    theirs = SawmilClassifier(model="nsk", C=20.0, kernel=kernel).fit(bags, y)
    ours = SetKernelClassifier(C=1.0, kernel=kernel).fit(bags, y)

    # Their C is divided by the number of bags.
    assert_allclose(theirs.decision_function(bags), ours.decision_function(bags), atol=0.05)
    sparse_positive = SawmilClassifier(model="smil", C=1000.0, kernel=kernel).fit(bags, y)
    assert sparse_positive.score(bags, y) > 0.5
