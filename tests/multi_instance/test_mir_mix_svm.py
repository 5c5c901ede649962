"""MIR-Mix-SVM: its weights and cut against plain loops, its views against single classifiers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import accuracy_score, cohen_kappa_score, roc_auc_score
from sklearn.model_selection import KFold
from sklearn.svm import SVC

from multi_instance.toy_bags import needle_bags
from svmosaic.bags import canonical_bags, check_bags
from svmosaic.multi_instance import (
    MIRMixSVMClassifier,
    MIRSVMClassifier,
    SetKernelClassifier,
    SummarySVMClassifier,
)
from svmosaic.multi_instance.inner_folds import mean_score
from svmosaic.multi_instance.mir_mix_svm import _best_cut

SMALL = {"C": [1.0, 10.0], "gamma": [0.1, 0.5], "random_state": 0}


def test_one_view_alone_is_its_svm_but_for_unit_and_cut():
    parts, y = needle_bags(n_bags=30, seed=1, shift=2.0)
    mix = MIRMixSVMClassifier(views=["set"], **SMALL).fit(parts, y)
    alone = SetKernelClassifier(**mix.best_params_["set"]).fit(parts, y)

    expected = mix.weights_[0] * alone.decision_function(parts) - mix.threshold_
    assert_allclose(mix.decision_function(parts), expected, atol=1e-9)


def test_weights_and_cut_are_those_of_the_formula():
    parts, y = needle_bags(n_bags=30, seed=2, shift=1.5)
    views = ["set", "mean", "min-max"]
    folds, mixing_folds = KFold(3), KFold(5)
    mix = MIRMixSVMClassifier(
        views=views, sharpness=2.0, tol=1e-8, cv=folds, mixing_cv=mixing_folds, **SMALL
    )
    mix.fit(parts, y)

    # Folds are over bags sorted by class and content; the model is asked for that order.
    order = canonical_bags(check_bags(parts), y).bag_order
    bags, signs = [parts[i] for i in order], np.where(y[order] == 1, 1.0, -1.0)
    makers = {
        "set": SetKernelClassifier,
        "mean": lambda **p: SummarySVMClassifier(summary="mean", **p),
        "min-max": lambda **p: SummarySVMClassifier(summary="min-max", **p),
    }
    splits = list(folds.split(bags))

    def score_left_out(view, splits):
        scores = np.zeros(30)
        for train, test in splits:
            model = makers[view](tol=1e-8, **mix.best_params_[view])
            model.fit([bags[i] for i in train], signs[train])
            scores[test] = model.decision_function([bags[i] for i in test])
        return scores

    left_out, quality = [], []
    for view in views:
        left_out.append(score_left_out(view, mixing_folds.split(bags)))
        searched = score_left_out(view, splits)
        in_search = mean_score(signs, splits, [searched[test] for _, test in splits])
        truth = signs > 0
        accuracy = accuracy_score(truth, left_out[-1] > 0)
        in_mixing = (accuracy + roc_auc_score(truth, left_out[-1])) / 2.0
        quality.append((in_search + in_mixing) / 2.0)
    powers = np.exp(2.0 * np.sqrt(30) * np.array(quality))
    weights = powers / powers.sum() / np.std(left_out, axis=1)

    assert_allclose(list(mix.member_scores_.values()), quality, atol=1e-9)
    assert_allclose(mix.weights_, weights, rtol=1e-4)
    mixed = weights @ np.array(left_out)
    assert_allclose(mix.threshold_, _best_cut(mixed, signs > 0), atol=1e-4)


def test_the_cut_has_the_most_accuracy_and_kappa():
    rng = np.random.default_rng(0)
    truth = rng.random(50) < 0.2
    scores = rng.normal(size=50) + truth - 2.0

    cut = _best_cut(scores, truth)

    # Blurred scores are normal ones: drawn, they agree with the truth as the formula says.
    drawn = scores + 3.0 / np.sqrt(50) * scores.std() * rng.normal(size=(4000, 50))

    def value(at):
        said = (drawn > at).ravel()
        return np.mean(said == np.tile(truth, 4000)) + cohen_kappa_score(np.tile(truth, 4000), said)

    tried = [value(at) for at in np.linspace(scores.min(), scores.max(), 40)]
    assert value(cut) >= max(tried) - 2e-3
    assert value(cut) > value(0.0)


def test_without_anything_to_gain_the_cut_stays_at_zero():
    truth = np.array([False, False, True, True])

    assert abs(_best_cut(np.array([-2.0, -1.0, 1.0, 2.0]), truth)) < 1e-12
    # All alike, as from a model that has learned nothing.
    assert _best_cut(np.zeros(4), truth) == 0.0


def test_sharpness_goes_from_all_views_to_the_best():
    parts, y = needle_bags(n_bags=40, seed=3, shift=2.0)
    views = ["set", "mean", "representatives"]
    even = MIRMixSVMClassifier(views=views, sharpness=0.0, **SMALL).fit(parts, y)
    sharp = MIRMixSVMClassifier(views=views, sharpness=1e6, **SMALL).fit(parts, y)

    assert even.best_params_ == sharp.best_params_
    best = int(np.argmax(list(sharp.member_scores_.values())))
    assert np.all(even.weights_ > 0)
    assert sharp.weights_[best] > 0
    assert_allclose(np.delete(sharp.weights_, best), 0.0, atol=1e-12)


def test_opposite_representatives_are_mirsvm_with_the_classes_renamed():
    parts, y = needle_bags(n_bags=30, seed=4, shift=4.0)
    settings = {"C": [10.0], "gamma": [0.1], "random_state": 0}
    mix = MIRMixSVMClassifier(views=["opposite representatives"], **settings).fit(parts, 1 - y)
    plain = MIRSVMClassifier(C=10.0, gamma=0.1, random_state=0).fit(parts, y)

    # Without the cut, which is of left-out bags. Starts differ, since bags are sorted by class.
    found = (mix.decision_function(parts) + mix.threshold_) / mix.weights_[0]
    assert np.corrcoef(-found, plain.decision_function(parts))[0, 1] > 0.9
    assert np.mean((found < 0) == (y == 1)) > 0.9


def test_a_class_of_one_bag_weighs_all_views_alike():
    parts, _ = needle_bags(n_bags=8)
    mix = MIRMixSVMClassifier(views=["set", "mean"], **SMALL)
    mix.fit(parts, (np.arange(8) == 0).astype(int))

    assert_array_equal(mix.weights_, [0.5, 0.5])
    assert mix.threshold_ == 0.0
    assert mix.best_params_["set"] == {"C": 1.0, "gamma": 0.1}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"views": ["sets"]}, "list of some of .* Got 'sets'"),
        ({"views": []}, "at least one view"),
        ({"views": ["set", "set"]}, "none twice"),
        ({"C": []}, "'C' parameter .* must be a list of positive numbers"),
        ({"gamma": [1.0, -1.0]}, "'gamma' parameter .* must be a list of positive numbers"),
    ],
)
def test_bad_parameters_are_refused(settings, message):
    parts, y = needle_bags()
    with pytest.raises(ValueError, match=message):
        MIRMixSVMClassifier(**settings).fit(parts, y)


# The rows of bags ---------------------------------------------------------------------------


def _row(bag, summary):
    mean, size = bag.mean(axis=0), [np.log(bag.shape[0])]
    low, high = bag.min(axis=0), bag.max(axis=0)
    return {
        "mean": mean,
        "min-max": np.r_[low, high],
        "mean-size": np.r_[mean, size],
        "profile": np.r_[mean, bag.std(axis=0), low, high, size],
    }[summary]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("summary", ["mean", "min-max", "mean-size", "profile"])
def test_a_summary_classifier_is_the_svm_on_the_rows(summary, sparse):
    parts, y = needle_bags(n_bags=30, seed=5, shift=1.0)
    rows = np.array([_row(part, summary) for part in parts])
    if summary in ("mean-size", "profile"):
        rows = (rows - rows[::2].mean(axis=0)) / rows[::2].std(axis=0) / np.sqrt(rows.shape[1])
    svm = SVC(C=3.0, gamma=0.4, tol=1e-8).fit(rows[::2], y[::2])
    given = [sp.csr_array(part) for part in parts] if sparse else parts
    ours = SummarySVMClassifier(C=3.0, gamma=0.4, summary=summary, tol=1e-8)
    ours.fit(given[::2], y[::2])

    assert_allclose(
        ours.decision_function(given[1::2]), svm.decision_function(rows[1::2]), atol=1e-5
    )
