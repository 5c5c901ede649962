"""The SVMs among the peers, on problems solved by hand and on bags of one instance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from svmosaic import SMOClassifier
from svmosaic.engine import cpu
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.rows import rows_of_samples
from svmosaic.multi_instance import Bags
from svmosaic.multi_instance.bag_kernels import bag_sums
from svmosaic.multi_instance.instance_kernel import InstanceKernel
from svmosaic.multi_instance.peers import (
    BagMISVMClassifier,
    InstanceMISVMClassifier,
    MIGraphClassifier,
    MIWrapperClassifier,
    SetKernelClassifier,
    SimpleMIClassifier,
)
from svmosaic.multi_instance.peers.bag_kernel_svm import share_bag_kernels
from svmosaic.multi_instance.training_bags import prepare_training


def _bags(*values):
    """Bags of instances with one feature."""
    return [np.array(bag, dtype=float)[:, np.newaxis] for bag in values]


HARD = {"kernel": "linear", "C": 1000.0, "tol": 1e-9}


def test_mi_svm_ends_with_the_margin_between_witnesses_and_negative_instances():
    # The means are 2.5 and 6. With the witnesses 5 and 6 the margin lies between 1 and 5, so
    # f(x) = (x - 3) / 2.
    model = BagMISVMClassifier(**HARD).fit(_bags([0, 5], [6], [0, 1], [1]), [1, 1, 0, 0])

    scores = model.decision_function(_bags([0, 5], [1], [3], [2, 4]))
    assert_allclose(scores, [1, -1, 0, 0.5], atol=1e-9)
    assert model.witnesses_.tolist() == [1, 2]
    assert model.n_passes_ == 2


def test_mi_instance_svm_labels_the_instances_of_positive_bags():
    # Of three instances at 0 two are negative: f(0) = -1 and f(6) = 1 cost least, so
    # f(x) = x / 3 - 1, and the instance at 0 in the first bag becomes negative.
    bags = _bags([0, 6], [6], [0], [0])

    model = InstanceMISVMClassifier(kernel="linear", C=10.0, tol=1e-9).fit(bags, [1, 1, 0, 0])

    assert_allclose(model.decision_function([*bags, *_bags([3])]), [1, 1, -1, -1, 0], atol=1e-7)
    assert model.instance_labels_.tolist() == [-1, 1, 1, -1, -1]
    assert model.n_passes_ == 2


def test_mi_instance_svm_leaves_every_positive_bag_a_positive_instance():
    # The second positive bag lies among the negative ones; its larger instance must stay.
    bags = _bags([9, 10], [0.0, 0.1], [-1], [0.05], [0.2], [-0.3])

    model = InstanceMISVMClassifier(kernel="linear", C=0.1).fit(bags, [1, 1, 0, 0, 0, 0])

    assert model.instance_labels_[:4].tolist() == [1, 1, -1, 1]


def test_witnesses_and_labels_name_rows_of_flat_instances():
    # The bags of the tests above, with the rows mixed.
    X = np.array([[1.0], [5.0], [6.0], [0.0], [1.0], [0.0]])
    ids, y = np.array([2, 0, 1, 2, 3, 0]), np.array([0, 1, 1, 0, 0, 1])

    bag_margin = BagMISVMClassifier(**HARD).fit(X, y, bags=ids)
    labelled = InstanceMISVMClassifier(**HARD).fit(X, y, bags=ids)

    assert bag_margin.witnesses_.tolist() == [1, 2]
    assert labelled.instance_labels_.tolist() == [-1, 1, 1, -1, -1, -1]


@pytest.mark.parametrize("kind", [BagMISVMClassifier, InstanceMISVMClassifier])
def test_too_few_passes_are_reported(kind):
    bags = _bags([0, 6], [6], [0], [0])

    with pytest.warns(ConvergenceWarning, match=r"stopped at max_passes=1"):
        kind(kernel="linear", C=10.0, max_passes=1).fit(bags, [1, 1, 0, 0])


def test_set_kernel_with_averages_is_the_svm_of_means():
    # The means are 3 and 1, so f = mean - 2.
    model = SetKernelClassifier(normalization="average", **HARD)
    model.fit(_bags([2, 4], [0, 2]), [1, 0])

    assert_allclose(model.decision_function(_bags([2, 4], [0, 2], [7, 8])), [1, -1, 5.5])


def test_set_kernel_in_feature_space_sees_directions_only():
    # The means 3 and -1 have the directions 1 and -1, so f is the direction of the mean; a bag
    # with mean 0 has none.
    model = SetKernelClassifier(**HARD).fit(_bags([2, 4], [-3, 1]), [1, 0])

    assert_allclose(model.decision_function(_bags([100], [-9, 1], [-1, 1])), [1, -1, 0], atol=1e-9)
    assert sorted(model.support_.tolist()) == [0, 1]


def test_graph_kernel_lets_equal_instances_share_a_vote():
    # The two zeros are a clique: weights 1/2, 1/2 and 1, together 2. The bags are at 1.5 and
    # -1.5, so f = x / 1.5.
    model = MIGraphClassifier(epsilon=0.0, **HARD).fit(_bags([0, 0, 3], [0, 0, -3]), [1, 0])
    (weights,) = np.split(model._instance_weights(Bags.from_list(_bags([0, 3, 0]))), 1)

    assert_allclose(weights, [0.25, 0.5, 0.25])
    assert_allclose(model.decision_function(_bags([3], [0, 0, 0, 3])), [2, 1])


def test_graph_kernel_takes_the_mean_distance_of_a_bag():
    # Distances 1, 9, 10, each twice, and three zeros: mean 40 / 9 = 4.4. So 0 and 1 are joined.
    weights = MIGraphClassifier()._instance_weights(Bags.from_list(_bags([0, 1, 10], [5], [2, 2])))

    assert_allclose(weights, [0.25, 0.25, 0.5, 1.0, 0.5, 0.5])


def test_graph_kernel_with_one_clique_is_the_set_kernel():
    rng = np.random.default_rng(0)
    bags = [rng.normal(i % 2, 1, (rng.integers(1, 6), 2)) for i in range(12)]
    y = np.arange(12) % 2

    graph = MIGraphClassifier(epsilon=1e6).fit(bags, y)
    mean = SetKernelClassifier(normalization="average").fit(bags, y)

    assert_allclose(graph.decision_function(bags), mean.decision_function(bags), atol=1e-9)


def test_graph_kernel_is_semidefinite():
    rng = np.random.default_rng(1)
    bags = Bags.from_list([rng.normal(size=(rng.integers(1, 9), 2)) for _ in range(30)])
    weights = MIGraphClassifier()._instance_weights(bags)

    kernel = InstanceKernel(KernelSpec("rbf", gamma=0.5))
    gram = bag_sums(kernel, bags, bags, weights, weights)

    assert np.linalg.eigvalsh(gram).min() > -1e-12


# Some are powers of two times the one before, some are not; one comes twice.
@pytest.mark.parametrize(
    "gammas", [[0.01], [1.0, 300.0, 4.0, 0.01], [2.0, 0.5, 0.125, 0.02, 0.005, 0.5, 64.0]]
)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("dtype", "rtol"), [(np.float64, 1e-12), (np.float32, 1e-4)])
def test_kernel_of_bags_is_the_sum_over_their_instances(gammas, form, dtype, rtol):
    rng = np.random.default_rng(5)
    sizes = [1, 8, 0, 5, 9, 40, 300]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    X = rng.normal(size=(offsets[-1], 4)).round(1).astype(dtype)
    weights = rng.random((3, offsets[-1]))
    given = rows_of_samples(form(X)), offsets, weights, np.array(gammas)

    found = cpu.rbf_between_bags(*given)

    Z = X.astype(np.float64)
    distances = ((Z[:, None] - Z) ** 2).sum(axis=2)
    members = np.repeat(np.eye(len(sizes)), sizes, axis=0)
    for w, own in enumerate(weights):
        for g, gamma in enumerate(gammas):
            values = np.exp(-gamma * distances) * own[:, None] * own
            expected = members.T @ values @ members
            assert_allclose(found[w, g], expected, rtol=rtol, atol=1e-300)
            assert_array_equal(found[w, g], found[w, g].T)
    assert_array_equal(found, cpu.rbf_between_bags(*given, n_threads=3))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"weights": np.ones((1, 2))}, "for each instance"),
        ({"offsets": np.array([0, 2])}, "ascend from 0"),
        ({"offsets": np.array([0, 4, 3])}, "ascend from 0"),
        ({"gammas": np.array([1.0, 0.0])}, "positive"),
    ],
)
def test_bags_that_do_not_fit_their_instances_are_refused(change, words):
    given = {
        "instances": rows_of_samples(np.ones((3, 3))),
        "offsets": np.array([0, 1, 3]),
        "weights": np.ones((1, 3)),
        "gammas": np.ones(1),
    }

    with pytest.raises(ValueError, match=words):
        cpu.rbf_between_bags(**(given | change))


def test_kernels_that_are_shared_are_those_of_each_classifier():
    rng = np.random.default_rng(2)
    bags = [rng.normal(size=(rng.integers(1, 9), 3)) for _ in range(14)]
    data = prepare_training(bags, np.arange(14) % 2, None, "test")
    learners = [
        kind(gamma=gamma)
        for kind in (SetKernelClassifier, MIGraphClassifier)
        for gamma in (0.1, 0.4, 1.5)
    ]
    share_bag_kernels(learners, data)

    for one in learners:
        shared, _ = one._known_gram(data, data.bags, one.gamma)
        alone, _ = one._known_gram(replace(data, known={}), data.bags, one.gamma)
        assert_allclose(shared, alone, rtol=1e-13)


def test_simple_mi_has_means_or_extremes_as_rows():
    bags = Bags.from_list(_bags([2, 4], [0, 2], [1]))

    assert SimpleMIClassifier()._rows(bags).tolist() == [[3], [1], [1]]
    assert SimpleMIClassifier(transform="min-max")._rows(bags).tolist() == [[2, 4], [0, 2], [1, 1]]
    # The means are 3 and 1, so f = mean - 2.
    model = SimpleMIClassifier(SMOClassifier(**HARD)).fit(_bags([2, 4], [0, 2]), [1, 0])
    assert_allclose(model.decision_function(_bags([7, 8])), [5.5])


def test_mi_wrapper_averages_over_the_bag():
    # The tree cuts between 1 and 4. Of three instances two are positive for certain:
    # (1/2 + 1/2 - 1/2) / 3 = 1/6.
    model = MIWrapperClassifier(DecisionTreeClassifier(), random_state=0)
    model.fit(_bags([4, 5], [6], [0, 1], [1]), [1, 1, 0, 0])

    assert_allclose(model.decision_function(_bags([5, 6, 0], [0], [9])), [1 / 6, -0.5, 0.5])


def test_mi_wrapper_gives_all_bags_the_same_weight():
    # Two small positive bags at 0 outweigh one large negative bag there.
    bags = _bags([0], [0], [0] * 9, [-5], [5])
    model = MIWrapperClassifier(DecisionTreeClassifier(), random_state=0)

    assert model.fit(bags, [1, 1, 0, 0, 1]).predict(_bags([0]))[0] == 1


def test_mi_wrapper_needs_weights():
    bags = _bags([0], [1])

    with pytest.raises(TypeError, match="KNeighborsClassifier has none"):
        MIWrapperClassifier(KNeighborsClassifier()).fit(bags, [0, 1])


@pytest.mark.parametrize(
    "peer",
    [
        BagMISVMClassifier(tol=1e-8),
        InstanceMISVMClassifier(tol=1e-8),
        SetKernelClassifier(tol=1e-8),
        MIGraphClassifier(tol=1e-8),
        SimpleMIClassifier(SMOClassifier(tol=1e-8)),
        MIWrapperClassifier(SMOClassifier(tol=1e-8)),
    ],
    ids=lambda peer: type(peer).__name__,
)
def test_on_bags_of_one_instance_it_is_the_ordinary_svm(peer):
    X, y = make_classification(60, 4, random_state=0)
    bags = Bags(X, np.arange(61))

    model, ordinary = peer.fit(bags, y), SMOClassifier(tol=1e-8).fit(X, y)

    assert_allclose(model.decision_function(bags), ordinary.decision_function(X), atol=1e-6)
    assert_array_equal(model.predict(bags), ordinary.predict(X))


@pytest.mark.parametrize("kind", [BagMISVMClassifier, InstanceMISVMClassifier])
def test_a_bag_has_the_largest_score_of_its_instances(kind):
    rng = np.random.default_rng(4)
    y = np.arange(20) % 2
    parts = [rng.normal(size=(rng.integers(1, 6), 2)) for _ in y]
    for part, label in zip(parts, y, strict=True):
        part[0] += 4 * label
    model = kind(C=10.0).fit(parts, y)

    scores = model.decision_instances(np.vstack(parts))
    bags = Bags.from_list(parts)

    assert_allclose(np.maximum.reduceat(scores, bags.offsets[:-1]), model.decision_function(parts))
    assert_array_equal(model.predict_instances(bags), (scores > 0).astype(int))
    with pytest.raises(ValueError, match=r"trained on instances with 2 features\. Got 3"):
        model.predict_instances(np.zeros((1, 3)))
