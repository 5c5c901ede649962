"""MIRSVM: the NumPy reference, cycles, kernels, memory, and what a fitted model tells."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from multi_instance.toy_bags import needle_bags
from svmosaic.bags import Bags
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.settings import SmoSettings
from svmosaic.multi_instance import MIRSVMClassifier
from svmosaic.multi_instance.bag_statistics import argmax_in_bags, max_score_in_bags
from svmosaic.multi_instance.instance_kernel import InstanceKernel
from svmosaic.multi_instance.kernel_rows import KernelRows
from svmosaic.multi_instance.representatives import (
    BagProblem,
    alternate,
    draw_start,
)
from twins import mirsvm as twin

KERNELS = [
    KernelSpec("rbf", 0.2),
    KernelSpec("linear"),
    KernelSpec("laplacian", 0.2),
    KernelSpec("poly", 0.2, 2, 1.0),
]


def _problem(parts, y, spec):
    bags = Bags.from_list(parts)
    kernel = InstanceKernel(spec)
    signs = np.where(np.asarray(y) == 1, 1.0, -1.0)
    rows = KernelRows(kernel, bags.instances, 10.0)
    return BagProblem(bags, rows, np.arange(len(bags)), signs, np.ones(len(bags)))


@pytest.mark.parametrize("spec", KERNELS, ids=lambda spec: spec.kind)
@pytest.mark.parametrize("seed", range(3))
def test_the_passes_are_those_of_the_plain_twin(spec, seed):
    parts, y = needle_bags(seed=seed)
    problem = _problem(parts, y, spec)
    start = draw_start(problem.bags, np.random.RandomState(seed))
    settings = SmoSettings(C=3.0, tol=1e-6)

    ours = alternate(problem, start, settings, 100)
    plain = twin.solve(
        parts, problem.signs, start - problem.bags.offsets[:-1], spec, C=3.0, tol=1e-6
    )

    assert ours.agreement.size == len(plain)
    chosen = (ours.representatives - problem.bags.offsets[:-1]).tolist()
    (same,) = (one for one in plain if one.chosen.tolist() == chosen)
    assert_allclose(ours.coef, same.coef, atol=1e-3)
    assert_allclose(ours.intercept, same.intercept, atol=1e-3)


def test_the_model_is_the_svm_of_its_representatives():
    parts, y = needle_bags(seed=1)
    model = MIRSVMClassifier(C=2.0, gamma=0.3, tol=1e-6, random_state=0).fit(parts, y)
    X = np.vstack(parts)

    svm = SVC(C=2.0, gamma=0.3, tol=1e-6).fit(X[model.representatives_], y)

    assert_allclose(model.decision_instances(X), svm.decision_function(X), atol=1e-4)
    assert_array_equal(model.support_, np.sort(svm.support_))
    assert_array_equal(model.support_vectors_, X[model.representatives_[model.support_]])
    assert model.dual_coef_.shape == (1, model.support_.size)
    assert_allclose(model.dual_coef_.sum(), 0.0, atol=1e-9)
    assert model.n_support_.sum() == model.support_.size


def test_a_representative_belongs_to_its_bag():
    parts, y = needle_bags(seed=2)
    bags = Bags.from_list(parts)
    model = MIRSVMClassifier(random_state=0).fit(bags, y)

    assert_array_equal(bags.bag_of[model.representatives_], np.arange(len(bags)))


def test_at_a_fixed_point_the_representatives_are_the_most_positive_instances():
    # Every bag has a copy of one instance, so nothing else can be chosen.
    rng = np.random.default_rng(0)
    y = np.arange(16) % 2
    parts = [np.repeat(rng.normal(2.0 * label, 0.5, (1, 2)), 3, axis=0) for label in y]
    model = MIRSVMClassifier(random_state=0).fit(parts, y)

    assert model.stop_reason_ == "fixed"
    assert model.agreement_[-1] == 1.0
    assert model.n_passes_ == model.agreement_.size <= 2


def test_representatives_name_rows_of_flat_instances():
    parts, y = needle_bags(seed=3)
    flat, ids = np.vstack(parts), np.repeat(np.arange(24), [len(p) for p in parts])
    order = np.random.default_rng(0).permutation(ids.size)

    sorted_rows = MIRSVMClassifier(random_state=0).fit(flat, y[ids], bags=ids)
    mixed = MIRSVMClassifier(random_state=0).fit(flat[order], y[ids][order], bags=ids[order])

    assert_array_equal(ids[sorted_rows.representatives_], np.arange(24))
    of_bag = dict(zip(ids, flat[sorted_rows.representatives_][ids], strict=True))
    first = list(dict.fromkeys(ids[order].tolist()))
    for bag, row in zip(first, mixed.representatives_, strict=True):
        assert ids[order][row] == bag
        assert_array_equal(flat[order][row], of_bag[bag])


def test_a_cycle_ends_the_passes_with_its_best_machine():
    """A bag of a class that is pushed away prefers its other instance each time."""
    parts, y = needle_bags(n_bags=40, seed=4, shift=0.5)
    model = MIRSVMClassifier(C=100.0, gamma=2.0, n_init=1, random_state=0).fit(parts, y)

    assert model.stop_reason_ == "cycle"
    assert model.n_passes_ < 50
    scores = model.decision_function(parts)
    signs = np.where(y == 1, 1.0, -1.0)
    X = np.vstack(parts)[model.representatives_[model.support_]]
    norm = model.dual_coef_[0] @ rbf_kernel(X, gamma=2.0) @ model.dual_coef_[0]
    loss = 100.0 * np.maximum(0.0, 1.0 - signs * scores).sum()
    assert_allclose(model.objective_, norm / 2 + loss, rtol=1e-6)


def test_the_printed_algorithm_takes_the_most_negative_instance_of_a_negative_bag():
    parts, y = needle_bags(n_bags=40, seed=4, shift=0.5)
    model = MIRSVMClassifier(C=100.0, gamma=2.0, rule="algorithm", random_state=0).fit(parts, y)
    bags = Bags.from_list(parts)

    assert model.stop_reason_ == "fixed"
    assert model.agreement_[-1] == 1.0
    side = np.where(y == 1, 1.0, -1.0)[bags.bag_of]
    best = argmax_in_bags(bags, side * model.decision_instances(bags))
    scores = model.decision_instances(bags)
    assert_allclose(scores[model.representatives_], scores[best], atol=1e-6)


@pytest.mark.parametrize("names", [("inactive", "odour"), ("z", "active")])
def test_the_positive_class_may_be_the_first(names):
    parts, y = needle_bags(n_bags=30, seed=4, shift=4.0)
    labels = np.array(names)[y]
    settings = {"C": 10.0, "gamma": 0.1, "random_state": 0}
    side = "second" if names[0] < names[1] else "first"

    plain = MIRSVMClassifier(**settings).fit(parts, y)
    model = MIRSVMClassifier(positive=side, **settings).fit(parts, labels)

    # Bags are sorted by class, so that the starts differ; the model is of the same kind.
    assert np.mean(model.predict(parts) == labels) > 0.9
    sign = 1.0 if side == "second" else -1.0
    scores = sign * model.decision_function(parts)
    assert np.corrcoef(scores, plain.decision_function(parts))[0, 1] > 0.9
    assert model.n_support_.sum() == model.support_.size
    best = [(sign * model.decision_instances(part)).max() for part in parts]
    assert_allclose(scores, best)
    assert_array_equal(
        model.predict_instances(parts[0]),
        model.classes_[(model.decision_instances(parts[0]) > 0).astype(int)],
    )


def test_too_few_passes_warn_with_the_measurement():
    parts, y = needle_bags(seed=5)

    with pytest.warns(ConvergenceWarning, match=r"stopped at max_passes=1 with \d+% of the"):
        MIRSVMClassifier(max_passes=1, n_init=1, random_state=0).fit(parts, y)


def test_more_starts_never_have_a_larger_objective():
    parts, y = needle_bags(n_bags=30, seed=6, shift=1.0)
    objectives = [
        MIRSVMClassifier(C=10.0, gamma=0.5, n_init=n, random_state=0).fit(parts, y).objective_
        for n in (1, 3, 6)
    ]

    assert objectives == sorted(objectives, reverse=True)


def test_the_score_of_a_bag_is_that_of_its_most_positive_instance():
    parts, y = needle_bags(seed=7)
    model = MIRSVMClassifier(random_state=0).fit(parts, y)

    per_instance = [model.decision_instances(part).max() for part in parts]

    assert_allclose(model.decision_function(parts), per_instance)
    assert_array_equal(model.predict(parts), (np.array(per_instance) > 0).astype(int))
    assert_array_equal(
        model.predict_instances(Bags.from_list(parts)),
        np.concatenate([model.predict_instances(part) for part in parts]),
    )


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid", "laplacian", rbf_kernel])
@pytest.mark.parametrize("sparse", [False, True])
def test_every_kernel_finds_the_needle(kernel, sparse):
    parts, y = needle_bags(n_bags=40)
    train = [sp.csr_array(part) for part in parts] if sparse else parts
    gamma = 0.02 if kernel == "sigmoid" else 0.2
    model = MIRSVMClassifier(
        C=100.0, kernel=kernel, gamma=gamma, degree=2, coef0=0.5, random_state=0
    ).fit(train, y)

    assert model.score(train, y) >= 0.85
    assert sp.issparse(model.support_vectors_) == sparse


def test_a_kernel_function_is_the_named_kernel():
    parts, y = needle_bags(seed=8)

    def wide(X, Z):
        return rbf_kernel(X, Z, gamma=0.3)

    named = MIRSVMClassifier(gamma=0.3, random_state=0).fit(parts, y)
    called = MIRSVMClassifier(kernel=wide, random_state=0).fit(parts, y)

    assert_allclose(called.decision_function(parts), named.decision_function(parts), atol=1e-3)


def test_a_kernel_function_of_the_wrong_shape_is_refused():
    parts, y = needle_bags()

    with pytest.raises(ValueError, match="kernel function must return an array of shape"):
        MIRSVMClassifier(kernel=lambda X, Z: np.zeros((1, 1))).fit(parts, y)


def test_balanced_weights_move_the_boundary_to_the_larger_class():
    parts, y = needle_bags(n_bags=40, seed=9, shift=1.0)
    kept = np.r_[0:6, 20:40]
    parts, y = [parts[i] for i in kept], y[kept]
    scores = [
        MIRSVMClassifier(C=0.1, class_weight=weight, random_state=0)
        .fit(parts, y)
        .decision_function(parts)
        .mean()
        for weight in (None, "balanced")
    ]

    assert scores[1] > scores[0]


def test_three_classes_have_a_binary_classifier_each():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 8)
    centres = {"a": (0, 0), "b": (5, 0), "c": (0, 5)}
    parts = [rng.normal(centres[label], 0.5, (3, 2)) for label in y]
    model = MIRSVMClassifier(random_state=0).fit(parts, y)

    assert len(model.binary_classifiers_) == 3
    assert model.score(parts, y) == 1.0
    assert model.decision_instances(parts).shape == (72, 3)
    assert set(model.predict_instances(parts)) == {"a", "b", "c"}


@pytest.mark.parametrize("kernel", ["rbf", "poly", rbf_kernel])
def test_the_limit_changes_no_more_than_rounding(kernel):
    parts, y = needle_bags(seed=10)
    kept, summed = (
        MIRSVMClassifier(kernel=kernel, tol=1e-9, random_state=0, cache_mb=mb).fit(parts, y)
        for mb in (400.0, 0.0)
    )

    assert_array_equal(kept.representatives_, summed.representatives_)
    assert_allclose(kept.decision_function(parts), summed.decision_function(parts), atol=1e-7)


def test_the_first_of_equals_is_the_most_positive():
    bags = Bags(np.zeros((5, 1)), [0, 2, 5])

    scores = np.array([1.0, 1.0, 0.0, 3.0, 3.0])

    assert argmax_in_bags(bags, scores).tolist() == [0, 3]
    assert max_score_in_bags(bags, scores).tolist() == [1.0, 3.0]


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"C": 0.0}, "'C' parameter"),
        ({"kernel": "precomputed"}, "'kernel' parameter"),
        ({"gamma": "cbp"}, "'gamma' parameter"),
        ({"n_init": 0}, "'n_init' parameter"),
        ({"max_passes": 0}, "'max_passes' parameter"),
        ({"class_weight": {0: 1.0}}, "'class_weight' parameter"),
    ],
)
def test_bad_parameters_are_refused(params, words):
    parts, y = needle_bags()

    with pytest.raises(ValueError, match=words):
        MIRSVMClassifier(**params).fit(parts, y)


def test_instances_of_another_width_are_refused():
    parts, y = needle_bags()
    model = MIRSVMClassifier(random_state=0).fit(parts, y)

    with pytest.raises(ValueError, match=r"trained on instances with 3 features. Got 2"):
        model.decision_instances(np.zeros((4, 2)))
