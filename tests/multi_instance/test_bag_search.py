"""The search over bags: what is shared changes no score, and the best candidate is trained."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import KFold

from multi_instance.toy_bags import needle_bags
from svmosaic.multi_instance import (
    BagClassifier,
    BagMISVMClassifier,
    BagSearchCV,
    CitationKNNClassifier,
    MIGraphClassifier,
    MIRSVMClassifier,
    NodeCountSVMClassifier,
    SetKernelClassifier,
    SummarySVMClassifier,
)
from svmosaic.multi_instance.inner_folds import alike_but_for, fold_score, inner_splits, mean_score
from svmosaic.multi_instance.training_bags import prepare_training

TIGHT = {"tol": 1e-8}
WIDTHS = [{"C": C, "gamma": gamma} for C in (0.5, 20.0) for gamma in (0.05, 0.6)]
VOTES = [{"n_references": r, "n_citers": c} for r in (1, 3) for c in (0, 2, 99)]
SHARING = [
    (SetKernelClassifier(**TIGHT), WIDTHS),
    (SetKernelClassifier(normalization="average", **TIGHT), [{"gamma": 0.2}, {"gamma": 0.4}]),
    (MIGraphClassifier(**TIGHT), WIDTHS),
    (SummarySVMClassifier(summary="mean", **TIGHT), WIDTHS),
    (SummarySVMClassifier(summary="min-max", **TIGHT), WIDTHS),
    (CitationKNNClassifier(), VOTES),
    (CitationKNNClassifier(), [{"hausdorff": "minimal"}, {"hausdorff": "maximal"}]),
]


def _problem(parts, y):
    return prepare_training(parts, y, None, "test")


@pytest.mark.parametrize(("estimator", "candidates"), SHARING)
def test_shared_tables_change_no_score(estimator, candidates):
    data = _problem(*needle_bags(n_bags=30, seed=1, shift=1.5))
    splits = inner_splits(3, data.signs, np.random.RandomState(0))

    shared = estimator.score_left_out(data, splits, candidates)
    alone = BagClassifier.score_left_out(estimator, data, splits, candidates)

    assert len(shared) == len(candidates)
    for ours, theirs in zip(shared, alone, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            assert_allclose(one, other, atol=1e-5)


def test_shared_kernel_rows_change_no_score():
    """Bags of one instance leave MIRSVM nothing to draw."""
    rng = np.random.default_rng(2)
    y = np.arange(30) % 2
    parts = [rng.normal(label, 1.0, (1, 2)) for label in y]
    data = _problem(parts, y)
    splits = inner_splits(3, data.signs, np.random.RandomState(0))
    estimator = MIRSVMClassifier(n_init=2, random_state=0, **TIGHT)

    shared = estimator.score_left_out(data, splits, WIDTHS)
    alone = BagClassifier.score_left_out(estimator, data, splits, WIDTHS)

    for ours, theirs in zip(shared, alone, strict=True):
        assert_allclose(np.concatenate(ours), np.concatenate(theirs), atol=1e-5)


def test_a_left_out_bag_takes_no_part():
    parts, y = needle_bags(n_bags=20, seed=3)
    data = _problem(parts, y)
    train, test = np.arange(1, 20), np.array([0])
    estimator = MIRSVMClassifier(n_init=1, gamma=0.2, random_state=0, **TIGHT)
    before = estimator.score_left_out(data, [(train, test)], [{"C": 3.0}])[0][0]

    labels = data.labels.copy()
    labels[0] = 1 - labels[0]
    flipped = replace(data, labels=labels)
    after = estimator.score_left_out(flipped, [(train, test)], [{"C": 3.0}])[0][0]

    assert_array_equal(before, after)


def test_the_best_candidate_is_trained_on_all_bags():
    parts, y = needle_bags(n_bags=40, seed=4, shift=2.0)
    grid = {"C": [0.01, 10.0], "gamma": [1e-4, 0.3, 50.0]}
    search = BagSearchCV(SetKernelClassifier(), grid, random_state=0).fit(parts, y)

    table = search.cv_results_
    best = int(np.argmax(table["mean_test_score"]))
    assert len(table["params"]) == 6
    assert search.n_splits_ == 3
    assert search.best_params_ == table["params"][best]
    assert search.best_score_ == table["mean_test_score"][best] > table["mean_test_score"].min()
    direct = SetKernelClassifier(**search.best_params_).fit(parts, y)
    assert_allclose(search.decision_function(parts), direct.decision_function(parts), atol=1e-9)


def test_a_classifier_that_shares_nothing_is_searched_too():
    parts, y = needle_bags(n_bags=24, seed=5)
    search = BagSearchCV(BagMISVMClassifier(), {"C": [1.0, 10.0]}, cv=KFold(2, shuffle=True))

    assert search.fit(parts, y).score(parts, y) > 0.8


def test_a_class_of_one_bag_takes_the_first_candidate():
    parts, y = needle_bags(n_bags=10)
    y = (np.arange(10) == 0).astype(int)
    search = BagSearchCV(SetKernelClassifier(), {"C": [5.0, 1.0]}, random_state=0).fit(parts, y)

    assert search.best_params_ == {"C": 5.0}
    assert np.isnan(search.best_score_)


@pytest.mark.parametrize("values", ["rbf", 3.0, []])
def test_a_grid_without_lists_is_refused(values):
    parts, y = needle_bags()
    with pytest.raises(ValueError, match=r"list of values for each name\. 'C' has"):
        BagSearchCV(SetKernelClassifier(), {"C": values}).fit(parts, y)


@pytest.mark.parametrize(
    "estimator",
    [
        SetKernelClassifier(),
        MIGraphClassifier(),
        SummarySVMClassifier(),
        NodeCountSVMClassifier(n_trees=2),
        MIRSVMClassifier(),
        BagMISVMClassifier(),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
@pytest.mark.parametrize("value", [-1.0, 0.0, np.nan, "a"])
def test_a_candidate_that_no_fit_would_accept_is_refused(estimator, value):
    parts, y = needle_bags()
    message = rf"'C' parameter of {type(estimator).__name__} must be"
    for grid in ({"C": [value]}, {"C": [1.0, value]}):
        with pytest.raises(ValueError, match=message):
            BagSearchCV(estimator, grid, random_state=0).fit(parts, y)


def test_the_score_is_the_mean_of_accuracy_and_auc():
    rng = np.random.default_rng(0)
    signs = np.where(rng.random(40) < 0.4, 1.0, -1.0)
    # Rounded, so that some are equal.
    scores = np.round(rng.normal(size=40) + 0.5 * signs, 1)

    accuracy = accuracy_score(signs > 0, scores > 0)
    assert fold_score(signs, scores) == pytest.approx(
        (accuracy + roc_auc_score(signs > 0, scores)) / 2
    )
    # A fold of one class has no curve.
    assert fold_score(np.ones(4), np.array([1.0, 2.0, -1.0, 3.0])) == 0.75
    halves = [(np.arange(20, 40), np.arange(20)), (np.arange(20), np.arange(20, 40))]
    mean = (fold_score(signs[:20], scores[:20]) + fold_score(signs[20:], scores[20:])) / 2
    assert mean_score(signs, halves, [scores[:20], scores[20:]]) == pytest.approx(mean)


def test_candidates_are_grouped_by_what_they_share():
    groups = alike_but_for(WIDTHS, "C")

    assert groups == [({"gamma": 0.05}, [0, 2]), ({"gamma": 0.6}, [1, 3])]
