"""Counts at the nodes of random trees, and the SVM on them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from svmosaic import Bags, load, save
from svmosaic.multi_instance import NodeCountSVMClassifier
from svmosaic.multi_instance.random_divisions import (
    RandomDivisions,
    divide_at_random,
    node_counts,
)


def _bags(seed=0, n=40):
    """Bags whose class is whether two instances lie near (3, 3)."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    bags = [rng.normal(size=(rng.integers(4, 8), 2)) for _ in y]
    for bag, label in zip(bags, y, strict=True):
        bag[: 2 * label] += 4.0
    return bags, y


def test_counts_by_hand():
    # One tree of depth two: x0 > 0, then x1 > 1 on the left, not divided on the right.
    divisions = RandomDivisions(np.array([[0, 1, 0]]), np.array([[0.0, 1.0, np.inf]]))
    bags = Bags.from_list(
        [np.array([[-1.0, 2.0], [-1.0, 0.0], [5.0, 0.0]]), np.array([[1.0, 9.0]])]
    )

    counts = node_counts(divisions, bags)

    assert counts.tolist() == [[3, 2, 1, 1, 1, 1, 0], [1, 0, 1, 0, 0, 1, 0]]


def test_divisions_lie_between_instances_and_sparse_rows_give_the_same():
    X = np.random.default_rng(0).integers(0, 3, size=(30, 5)).astype(float)

    dense = divide_at_random(X, 4, 3, np.random.RandomState(0))
    sparse = divide_at_random(csr_array(X), 4, 3, np.random.RandomState(0))

    np.testing.assert_array_equal(dense.thresholds, sparse.thresholds)
    np.testing.assert_array_equal(dense.features, sparse.features)
    divided = np.isfinite(dense.thresholds)
    assert divided[:, 0].all()
    assert ((dense.thresholds[divided] >= 0.0) & (dense.thresholds[divided] < 2.0)).all()


def test_equal_instances_are_not_divided():
    divisions = divide_at_random(np.ones((5, 2)), 2, 3, np.random.RandomState(0))

    assert np.isinf(divisions.thresholds).all()


def test_it_learns_how_many_instances_are_in_a_region():
    bags, y = _bags()
    new, truth = _bags(seed=1)

    model = NodeCountSVMClassifier(C=10.0, random_state=0).fit(bags, y)

    assert model.score(new, truth) > 0.85


def test_a_file_gives_the_same_model(tmp_path):
    bags, y = _bags()
    model = NodeCountSVMClassifier(n_trees=3, max_depth=3, random_state=0).fit(bags, y)
    save(model, tmp_path / "model.svmosaic")

    loaded = load(tmp_path / "model.svmosaic")

    np.testing.assert_array_equal(loaded.decision_function(bags), model.decision_function(bags))


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("node_features_", np.full((3, 7), 2)),
        ("node_features_", np.zeros((3, 6), dtype=np.int64)),
        ("node_thresholds_", np.full((3, 7), np.nan)),
        ("node_thresholds_", np.zeros((2, 7))),
    ],
)
def test_trees_that_do_not_fit_are_not_written(attribute, value, tmp_path):
    bags, y = _bags()
    model = NodeCountSVMClassifier(n_trees=3, max_depth=3, random_state=0).fit(bags, y)
    setattr(model, attribute, value)

    with pytest.raises(ValueError, match="cannot be saved"):
        save(model, tmp_path / "model.svmosaic")
