"""What every fit of a classifier begins with: weights, classes, samples, binary problems."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from svmosaic.classification.training import prepare_training
from svmosaic.engine.class_pairs import choose_classes

X = np.array([[2.0], [0.0], [2.0], [1.0], [0.0], [5.0]])
Y = np.array(["b", "a", "b", "a", "a", "c"])


def prepare(X=X, y=Y, sample_weight=None, **options):
    return prepare_training(X, y, sample_weight, who="Learner", **options)


def test_copies_are_one_sample_with_their_weight():
    training = prepare(sample_weight=[1.0, 1.0, 3.0, 1.0, 1.0, 1.0])

    assert sorted(training.samples.tolist()) == [0, 1, 3, 5]
    weights = dict(zip(training.samples.tolist(), training.weights.tolist(), strict=True))
    assert weights == {0: 4.0, 1: 2.0, 3: 1.0, 5: 1.0}
    assert training.row_weights.tolist() == [1.0, 1.0, 3.0, 1.0, 1.0, 1.0]


def test_neither_the_order_of_rows_nor_repetition_matters():
    order = [4, 2, 5, 1, 0, 3, 3]
    weights = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.5])

    one, other = prepare(), prepare(X[order], Y[order], weights)

    np.testing.assert_array_equal(one.X[one.samples], other.X[other.samples])
    np.testing.assert_array_equal(one.weights, other.weights)
    for first, second in zip(one.problems, other.problems, strict=True):
        np.testing.assert_array_equal(first.targets, second.targets)
        np.testing.assert_array_equal(one.X[first.samples], other.X[second.samples])


def test_in_the_given_order_every_row_of_positive_weight_is_a_sample():
    training = prepare(sample_weight=[1.0, 0.0, 2.0, 1.0, 1.0, 1.0], in_given_order=True)

    assert training.samples.tolist() == [0, 2, 3, 4, 5]
    assert training.weights.tolist() == [1.0, 2.0, 1.0, 1.0, 1.0]


def test_there_is_one_problem_per_pair_or_per_class():
    assert [p.samples.size for p in prepare().problems] == [3, 3, 2]
    assert [p.samples.size for p in prepare(multi_class="ovr").problems] == [4, 4, 4]


def test_a_class_without_weight_does_not_exist():
    training = prepare(sample_weight=[1.0, 1.0, 1.0, 1.0, 1.0, 0.0])

    assert training.classes.tolist() == ["a", "b"]
    assert len(training.problems) == 1
    # As in scikit-learn, the second class is the positive one.
    (problem,) = training.problems
    assert set(X[problem.samples[problem.targets > 0], 0]) == {2.0}


def test_balanced_classes_have_the_same_total_weight():
    training = prepare(class_weight="balanced")

    totals = [training.row_weights[c == Y].sum() for c in training.classes]
    assert totals == pytest.approx([2.0, 2.0, 2.0])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"y": np.repeat("a", 6)}, ValueError, "Learner needs samples of at least 2 classes"),
        # Newer versions of scikit-learn say it themselves.
        ({"sample_weight": np.zeros(6)}, ValueError, "at least one"),
        ({"kernel": "precomputed"}, ValueError, "Learner with kernel='precomputed' expected X"),
        (
            {"X": sparse.csr_array(X), "dense_only": True},
            TypeError,
            "Learner takes dense arrays only",
        ),
        (
            {"X": sparse.csr_array(np.eye(6)), "kernel": "precomputed"},
            TypeError,
            "Sparse precomputed kernels are not supported",
        ),
    ],
)
def test_data_that_cannot_be_learned_from_get_one_sentence(arguments, error, message):
    with pytest.raises(error, match=message):
        prepare(**arguments)


def test_outputs_choose_classes():
    two = np.array([[-0.5], [0.0], [0.5]])
    # Columns are the pairs (0, 1), (0, 2), (1, 2); the last row is a cycle, decided by sums.
    pairs = np.array([[1.0, 1.0, 1.0], [-1.0, -1.0, -1.0], [1.0, -1.0, 5.0]])

    assert choose_classes(two, 2, "ovo").tolist() == [0, 0, 1]
    assert choose_classes(pairs, 3, "ovo").tolist() == [0, 2, 1]
    assert choose_classes(np.array([[0.1, 0.3, 0.2]]), 3, "ovr").tolist() == [1]
