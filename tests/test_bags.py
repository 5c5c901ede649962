"""Bags: indexing, validation, order, and scikit-learn's tools on them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.utils.validation import _num_samples

from svmosaic.bags import canonical_bags
from svmosaic.multi_instance import BagClassifier, Bags, check_bags


class MeanRule(BagClassifier):
    """The mean of a feature over a bag, above or below the middle of the classes."""

    def __init__(self, feature=0):
        self.feature = feature

    def _fit_binary(self, data):
        means, signs = self._means(data.bags), data.signs
        self.middle_ = (means[signs > 0].mean() + means[signs < 0].mean()) / 2

    def _decide_binary(self, bags):
        return self._means(bags) - self.middle_

    def _means(self, bags):
        column = bags.instances[:, [self.feature]]
        column = column.toarray() if sp.issparse(column) else column
        return np.add.reduceat(column[:, 0], bags.offsets[:-1]) / bags.sizes


def _random_bags(rng, n_bags=12, n_features=3, sparse=False):
    parts = [rng.normal(i % 2, 0.1, (rng.integers(1, 6), n_features)) for i in range(n_bags)]
    if sparse:
        parts = [sp.csr_array(part) for part in parts]
    return parts, np.arange(n_bags) % 2


@given(st.lists(st.integers(0, 4), min_size=1, max_size=8), st.data())
def test_taking_bags_is_taking_from_the_list(sizes, data):
    rng = np.random.default_rng(0)
    parts = [rng.normal(size=(size, 2)) for size in sizes]
    bags = Bags.from_list(parts)
    chosen = data.draw(st.lists(st.integers(-len(sizes), len(sizes) - 1), max_size=6))

    for taken, wanted in (
        (bags[chosen], [parts[i] for i in chosen]),
        (bags[np.asarray(chosen, dtype=int), ...], [parts[i] for i in chosen]),
        (bags[1:], parts[1:]),
        (bags[::-1], parts[::-1]),
        (bags[np.asarray(sizes) > 1], [p for p in parts if len(p) > 1]),
    ):
        assert len(taken) == len(wanted) == _num_samples(taken)
        for ours, theirs in zip(taken, wanted, strict=True):
            assert_array_equal(ours, theirs)


def test_a_slice_of_bags_copies_no_instance():
    bags = Bags.from_list([np.zeros((2, 3)), np.ones((1, 3)), np.ones((4, 3))])

    assert np.shares_memory(bags[1:].instances, bags.instances)


def test_bags_of_ids_come_in_the_order_of_their_first_instance():
    bags = Bags.from_ids(np.arange(5.0)[:, None], ["z", "a", "z", "b", "a"])

    assert [bag[:, 0].tolist() for bag in bags] == [[0, 2], [1, 4], [3]]
    assert bags.bag_of.tolist() == [0, 0, 1, 1, 2]


def test_three_forms_of_the_same_bags():
    parts, _ = _random_bags(np.random.default_rng(1))
    flat, ids = np.vstack(parts), np.repeat(np.arange(12), [len(p) for p in parts])

    for form in (check_bags(parts), check_bags(flat, bags=ids), check_bags(Bags.from_list(parts))):
        assert_array_equal(form.instances, flat)
        assert_array_equal(form.bag_of, ids)


@pytest.mark.parametrize(
    ("X", "options", "error", "words"),
    [
        ([], {}, ValueError, "at least one bag"),
        ([np.zeros((0, 2))], {}, ValueError, "Bag 0 is empty"),
        ([np.zeros((1, 2)), np.zeros((0, 2))], {}, ValueError, "Bag 1 is empty"),
        (np.zeros((3, 2)), {}, ValueError, "bags=ids"),
        (sp.csr_array(np.eye(2)), {}, TypeError, "Got a sparse matrix"),
        ("text", {}, TypeError, "Got str"),
        ([np.zeros((1, 2)), np.zeros((1, 3))], {}, ValueError, "bag 1 has 3"),
        ([np.zeros((1, 2)), sp.csr_array(np.zeros((1, 2)))], {}, ValueError, "Got both"),
        ([np.array([[np.nan]])], {}, ValueError, "NaN"),
        ([np.zeros((1, 2))], {"n_features": 3}, ValueError, "trained on instances with 3"),
        (np.zeros((3, 2)), {"bags": [0, 1]}, ValueError, "one bag id per instance"),
    ],
)
def test_bad_bags_get_one_clear_sentence(X, options, error, words):
    with pytest.raises(error, match=words):
        check_bags(X, **options)


@pytest.mark.parametrize("offsets", [[0, 2], [1, 3], [0, 2, 1, 3], [], [[0, 3]], [0.0, 3.0]])
def test_bad_offsets_are_refused(offsets):
    with pytest.raises(ValueError, match="Bags expects offsets"):
        Bags(np.zeros((3, 1)), offsets)


def test_types_of_instances():
    assert check_bags([np.zeros((1, 2), np.float32)]).instances.dtype == np.float32
    assert check_bags([np.zeros((1, 2), np.int8)]).instances.dtype == np.float64


@pytest.mark.parametrize("sparse", [False, True])
def test_canonical_order_depends_on_content_alone(sparse):
    rng = np.random.default_rng(2)
    parts, y = _random_bags(rng, sparse=sparse)
    parts[3] = parts[1].copy()
    first = canonical_bags(Bags.from_list(parts), y)

    order = rng.permutation(12)
    mixed = [parts[i][rng.permutation(parts[i].shape[0])] for i in order]
    second = canonical_bags(Bags.from_list(mixed), y[order])

    dense = (lambda X: X.toarray()) if sparse else np.asarray
    assert_array_equal(dense(first.bags.instances), dense(second.bags.instances))
    assert_array_equal(first.bags.offsets, second.bags.offsets)
    assert_array_equal(y[first.bag_order], y[order][second.bag_order])
    given = Bags.from_list(parts)
    assert_array_equal(dense(given.instances[first.row_order]), dense(first.bags.instances))


@pytest.mark.parametrize("sparse", [False, True])
def test_scikit_learn_searches_and_splits_bags(sparse):
    parts, y = _random_bags(np.random.default_rng(3), sparse=sparse)
    bags = Bags.from_list(parts)

    assert cross_val_score(MeanRule(), bags, y, cv=StratifiedKFold(3)).min() == 1.0
    assert cross_val_score(MeanRule(), parts, y, cv=3).min() == 1.0
    search = GridSearchCV(MeanRule(), {"feature": [0, 1, 2]}, cv=2).fit(bags, y)
    assert search.score(bags, y) == 1.0
    assert_array_equal(pickle.loads(pickle.dumps(search)).predict(bags), search.predict(parts))


def test_flat_instances_with_ids_and_any_labels():
    parts, y = _random_bags(np.random.default_rng(4))
    names = np.array(["no", "yes"])[y]
    ids = np.repeat(np.arange(12), [len(p) for p in parts])
    model = MeanRule().fit(np.vstack(parts), names[ids], bags=ids)

    assert_array_equal(model.predict(parts), names)
    assert_array_equal(model.predict(np.vstack(parts), bags=ids), names)
    with pytest.raises(ValueError, match=r"one label per bag\. Bag 0 has"):
        MeanRule().fit(np.vstack(parts), np.arange(ids.size), bags=ids)


def test_more_classes_are_learned_one_against_the_rest():
    rng = np.random.default_rng(5)
    y = np.arange(12) % 3
    parts = [rng.normal(0, 0.1, (3, 3)) + np.eye(3)[label] for label in y]

    class Any3(MeanRule):
        def _fit_binary(self, data):
            signs = data.signs
            means = np.array([bag.mean(axis=0) for bag in data.bags])
            self.feature_ = int((means[signs > 0].mean(0) - means[signs < 0].mean(0)).argmax())
            self.feature = self.feature_
            super()._fit_binary(data)

    model = Any3().fit(parts, y)

    assert_array_equal(model.predict(parts), y)
    assert model.decision_function(parts).shape == (12, 3)


def test_one_class_and_wrong_lengths_are_refused():
    parts, y = _random_bags(np.random.default_rng(6))
    with pytest.raises(ValueError, match="MeanRule expects bags of at least two classes"):
        MeanRule().fit(parts, np.zeros(12))
    with pytest.raises(ValueError, match=r"one label per bag, 12\. Got 11"):
        MeanRule().fit(parts, y[:-1])


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("value", "words"), [(np.nan, "NaN"), (np.inf, "an infinite value")])
def test_the_bag_with_a_value_that_is_not_finite_is_named(sparse, value, words):
    X = np.ones((6, 2))
    X[0] = 0.0
    X[4, 1] = value
    bags = Bags(sp.csr_array(X) if sparse else X, [0, 2, 3, 6])

    with pytest.raises(ValueError, match=f"M expects finite numbers. Bag 2 contains {words};"):
        check_bags(bags, who="M")
