"""MIR-Set-SVM: its two ends, the search, and which class is sought."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import KFold
from sklearn.svm import SVC

from multi_instance.toy_bags import needle_bags
from svmosaic.bags import Bags
from svmosaic.multi_instance import MIRSetSVMClassifier, MIRSVMClassifier
from svmosaic.multi_instance.instance_kernel import make_kernel
from svmosaic.multi_instance.set_kernel import normalise, set_norms, set_sums


def _set_kernel(first, second, gamma):
    def total(a, b):
        return rbf_kernel(a, b, gamma=gamma).sum()

    return np.array(
        [[total(a, b) / np.sqrt(total(a, a) * total(b, b)) for b in second] for a in first]
    )


def test_the_set_kernel_is_that_of_the_formula(monkeypatch):
    parts, _ = needle_bags()
    first, second = Bags.from_list(parts[:10]), Bags.from_list(parts[10:])
    kernel = make_kernel("rbf", 0.3, 3, 0.0, first.instances)

    for limit in (4_000_000, 7 * first.n_instances):
        # The second limit cuts bags in two.
        monkeypatch.setattr("svmosaic.multi_instance.instance_kernel._BLOCK_VALUES", limit)
        values = normalise(
            set_sums(kernel, first, second), set_norms(kernel, first), set_norms(kernel, second)
        )
        assert_allclose(values, _set_kernel(parts[:10], parts[10:], 0.3), rtol=1e-10)


def test_a_bag_of_zero_norm_is_orthogonal_to_all():
    bags = Bags.from_list([np.array([[1.0], [-1.0]]), np.array([[2.0]])])
    kernel = make_kernel("linear", "scale", 3, 0.0, bags.instances)
    norms = set_norms(kernel, bags)

    assert_allclose(normalise(set_sums(kernel, bags, bags), norms, norms), [[0, 0], [0, 1]])


def test_a_share_of_one_is_mirsvm():
    parts, y = needle_bags(seed=1)
    settings = {"C": 3.0, "gamma": 0.3, "n_init": 2, "random_state": 0}
    ours = MIRSetSVMClassifier(mu=1.0, positive="second", **settings).fit(parts, y)
    plain = MIRSVMClassifier(**settings).fit(parts, y)

    assert_allclose(ours.decision_function(parts), plain.decision_function(parts), atol=1e-9)
    assert_array_equal(ours.representatives_, plain.representatives_)
    assert ours.support_bags_ is None


def test_a_share_of_zero_is_the_svm_of_the_set_kernel():
    parts, y = needle_bags(seed=2)
    train, test = parts[::2], parts[1::2]
    K = _set_kernel(train, train, 0.3)
    svm = SVC(C=3.0, kernel="precomputed", tol=1e-6).fit(K, y[::2])
    ours = MIRSetSVMClassifier(
        C=3.0, mu=0.0, positive="second", summary="set", gamma=0.3, tol=1e-6, random_state=0
    ).fit(train, y[::2])

    expected = svm.decision_function(_set_kernel(test, train, 0.3))
    assert_allclose(ours.decision_function(test), expected, atol=1e-4)
    assert ours.n_passes_ == 1


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("summary", ["mean", "min-max"])
def test_a_share_of_zero_may_be_the_svm_of_means_or_extremes(summary, sparse):
    parts, y = needle_bags(seed=2)
    if summary == "mean":
        rows = np.array([part.mean(axis=0) for part in parts])
    else:
        rows = np.array([np.r_[part.min(axis=0), part.max(axis=0)] for part in parts])
    svm = SVC(C=3.0, gamma=0.3, tol=1e-6).fit(rows, y)
    given = [sp.csr_array(part) for part in parts] if sparse else parts
    ours = MIRSetSVMClassifier(
        C=3.0, mu=0.0, positive="second", summary=summary, gamma=0.3, tol=1e-6, random_state=0
    ).fit(given, y)

    assert_allclose(ours.decision_function(given), svm.decision_function(rows), atol=1e-4)


def test_the_sought_class_is_a_matter_of_names_alone():
    parts, y = needle_bags(seed=3)
    settings = {"C": 3.0, "mu": 0.5, "random_state": None}
    flipped = MIRSetSVMClassifier(positive="first", **{**settings, "random_state": 0})
    first = flipped.fit(parts, 1 - y).decision_function(parts)
    # Bags are sorted by class, so another naming has other starts; none depends on them here.
    second = MIRSetSVMClassifier(positive="second", **{**settings, "random_state": 0})
    scores = second.fit(parts, y).decision_function(parts)

    assert np.corrcoef(first, -scores)[0, 1] > 0.95
    assert_array_equal(first < 0, scores > 0)


def test_the_search_finds_the_class_that_an_instance_proves():
    """The needle is in bags of the first class, which the published machine cannot say."""
    parts, y = needle_bags(n_bags=60, seed=4, shift=3.0)
    # Extremes of a bag would show the needle too.
    settings = {"C": [1.0, 10.0], "gamma": [0.05, 0.5], "summary": ["set", "mean"]}
    model = MIRSetSVMClassifier(random_state=0, **settings).fit(parts, 1 - y)

    assert model.best_params_["positive"] == "first"
    assert model.best_params_["mu"] > 0.0
    table = model.cv_results_
    # For each gamma and C: mu = 0 with 2 summaries, 0.5 with 2 of either class, 1 with either.
    assert len(table["params"]) == 2 * 2 * (2 + 4 + 2) == table["mean_test_score"].size
    best = table["params"][int(np.argmax(table["mean_test_score"]))]
    assert best == model.best_params_
    assert model.best_score_ == table["mean_test_score"].max() > 0.9
    assert model.n_splits_ == 3


def test_whole_bags_need_the_set_kernel():
    """The share of instances on the right tells, and no single instance does."""
    rng = np.random.default_rng(0)
    y = np.arange(240) % 2
    parts = [
        np.where(rng.random((20, 1)) < 0.35 + 0.3 * label, 3.0, -3.0) + rng.normal(size=(20, 1))
        for label in y
    ]
    train, test = slice(0, 40), slice(40, 240)
    model = MIRSetSVMClassifier(C=[1.0, 10.0], summary="set", random_state=0)
    model.fit(parts[train], y[train])
    plain = MIRSVMClassifier(C=10.0, random_state=0).fit(parts[train], y[train])

    assert model.best_params_["mu"] < 1.0
    # Counting is right for nine of ten.
    assert model.score(parts[test], y[test]) > 0.8
    assert plain.score(parts[test], y[test]) < 0.7


def test_without_a_choice_there_is_no_search():
    parts, y = needle_bags()
    model = MIRSetSVMClassifier(mu=0.5, positive="second", summary="set", random_state=0)
    model.fit(parts, y)

    assert np.isnan(model.best_score_)
    assert not hasattr(model, "cv_results_")


def test_a_class_of_one_bag_leaves_the_first_candidate():
    parts, _ = needle_bags()
    few = [*parts[:1], *parts[12:]]
    model = MIRSetSVMClassifier(random_state=0).fit(few, [1] + [0] * 12)

    assert model.best_params_ == {
        "C": 1.0,
        "gamma": "scale",
        "mu": 0.0,
        "positive": "second",
        "summary": "set",
    }


def test_folds_may_be_a_splitter():
    parts, y = needle_bags()
    folds = KFold(4, shuffle=True, random_state=0)

    assert MIRSetSVMClassifier(cv=folds, random_state=0).fit(parts, y).n_splits_ == 4


def test_sparse_bags():
    parts, y = needle_bags(seed=5)
    dense = MIRSetSVMClassifier(random_state=0).fit(parts, y)
    csr = MIRSetSVMClassifier(random_state=0).fit([sp.csr_array(part) for part in parts], y)

    assert csr.best_params_ == dense.best_params_
    assert_allclose(csr.decision_function(parts), dense.decision_function(parts), atol=1e-3)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"mu": 1.5}, "'mu' parameter"),
        ({"mu": [0.5, -0.1]}, "'mu' parameter of MIRSetSVMClassifier must be"),
        ({"C": [0.0]}, "'C' parameter of MIRSetSVMClassifier must be"),
        ({"C": []}, "'C' parameter of MIRSetSVMClassifier is an empty list"),
        ({"gamma": ["cbp"]}, "'gamma' parameter of MIRSetSVMClassifier must be"),
        ({"positive": ("third",)}, "'positive' parameter of MIRSetSVMClassifier must be"),
        ({"positive": "third"}, "'positive' parameter"),
        ({"summary": ["sum"]}, "'summary' parameter of MIRSetSVMClassifier must be"),
    ],
)
def test_bad_parameters_are_refused(params, words):
    parts, y = needle_bags()

    with pytest.raises(ValueError, match=words):
        MIRSetSVMClassifier(**params).fit(parts, y)
