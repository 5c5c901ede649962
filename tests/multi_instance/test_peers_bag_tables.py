"""What peers share: kernels, distances and statistics of bags against plain double loops."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from svmosaic.engine.kernels import KernelSpec
from svmosaic.multi_instance import Bags
from svmosaic.multi_instance.bag_kernels import bag_norms, bag_sums
from svmosaic.multi_instance.bag_statistics import (
    argmax_in_bags,
    max_in_bags,
    mean_in_bags,
    min_in_bags,
    sum_in_bags,
)
from svmosaic.multi_instance.instance_kernel import InstanceKernel
from svmosaic.multi_instance.peers.bag_blocks import iter_blocks
from svmosaic.multi_instance.peers.bag_distances import distances_to_bags, hausdorff_distances

KERNELS = {
    "rbf": (KernelSpec("rbf", gamma=0.7), lambda x, z: np.exp(-0.7 * ((x - z) ** 2).sum())),
    "linear": (KernelSpec("linear"), lambda x, z: x @ z),
    "poly": (
        KernelSpec("poly", gamma=0.5, degree=2, coef0=1.0),
        lambda x, z: (0.5 * (x @ z) + 1.0) ** 2,
    ),
}


def _bags(seed, sizes, *, sparse=False):
    X = np.random.default_rng(seed).normal(size=(sum(sizes), 3))
    X[np.abs(X) < 0.4] = 0.0
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return Bags(sp.csr_array(X) if sparse else X, offsets)


def _kernel(spec):
    return InstanceKernel(spec)


def _dense(bags):
    return [bag.toarray() if sp.issparse(bag) else bag for bag in bags]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(1, 7))
def test_blocks_have_every_instance_once_with_its_bag(sizes, n_rows):
    bags = _bags(0, sizes)

    found = []
    for block in iter_blocks(bags, n_rows):
        assert block.begins[0] == 0
        n_block = block.rows.stop - block.rows.start
        counts = np.diff(np.append(block.begins, n_block))
        assert counts.min() >= 1
        found += np.repeat(np.arange(block.bags.start, block.bags.stop), counts).tolist()

    assert found == bags.bag_of.tolist()


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", KERNELS)
def test_sums_over_pairs_of_bags_are_the_double_loop(name, sparse):
    spec, function = KERNELS[name]
    A, B = _bags(1, [3, 1, 5], sparse=sparse), _bags(2, [2, 4], sparse=sparse)
    rng = np.random.default_rng(3)
    u, v = rng.random(9), rng.random(6)

    values = bag_sums(_kernel(spec), A, B, u, v)

    parts = zip(_dense(A), np.split(u, A.offsets[1:-1]), strict=True)
    others = list(zip(_dense(B), np.split(v, B.offsets[1:-1]), strict=True))
    wanted = [
        [
            sum(
                ui * vj * function(x, z)
                for x, ui in zip(a, ua, strict=True)
                for z, vj in zip(b, vb, strict=True)
            )
            for b, vb in others
        ]
        for a, ua in parts
    ]
    assert_allclose(values, wanted, rtol=1e-10)


@pytest.mark.parametrize("name", KERNELS)
def test_sums_of_bags_with_themselves_are_symmetric_and_semidefinite(name):
    spec, _ = KERNELS[name]
    # The fourth bag alone is longer than several parts.
    bags = _bags(4, [700, 600, 1, 1500, 20, 3])
    weights = np.repeat(1.0 / bags.sizes, bags.sizes)
    same = Bags(bags.instances.copy(), bags.offsets)

    gram = bag_sums(_kernel(spec), bags, bags, weights, weights)

    assert_array_equal(gram, gram.T)
    assert np.linalg.eigvalsh(gram).min() > -1e-12 * gram.max()
    # The other way, without the use of symmetry.
    assert_allclose(gram, bag_sums(_kernel(spec), bags, same, weights, weights), rtol=1e-10)
    assert_allclose(np.diagonal(gram), bag_norms(_kernel(spec), bags, weights) ** 2, rtol=1e-10)


@pytest.mark.parametrize("sparse", [False, True])
def test_hausdorff_distances_are_the_double_loop(sparse):
    A, B = _bags(5, [3, 1, 5], sparse=sparse), _bags(6, [2, 4], sparse=sparse)
    tables = [[np.linalg.norm(a[:, np.newaxis] - b, axis=2) for b in _dense(B)] for a in _dense(A)]

    nearest = [[t.min() for t in row] for row in tables]
    farthest = [[max(t.min(axis=0).max(), t.min(axis=1).max()) for t in row] for row in tables]

    assert_allclose(hausdorff_distances(A, B), nearest, rtol=1e-7)
    assert_allclose(hausdorff_distances(A, B, "maximal"), farthest, rtol=1e-7)


def test_distances_of_bags_that_cross_blocks():
    A, B = _bags(7, [1500, 3, 900]), _bags(8, [2000, 5])
    tables = [[np.linalg.norm(a[:, np.newaxis] - b, axis=2) for b in B] for a in A]

    assert_allclose(hausdorff_distances(A, B), [[t.min() for t in row] for row in tables])
    assert_allclose(
        hausdorff_distances(A, B, "maximal"),
        [[max(t.min(axis=0).max(), t.min(axis=1).max()) for t in row] for row in tables],
    )
    assert_allclose(distances_to_bags(A[1], B), np.column_stack([t.min(axis=1) for t in tables[1]]))


@pytest.mark.parametrize("sparse", [False, True])
def test_statistics_are_those_of_each_bag(sparse):
    bags = _bags(9, [3, 1, 5], sparse=sparse)
    parts = _dense(bags)

    def dense(values):
        return values.toarray() if sp.issparse(values) else values

    assert_allclose(dense(sum_in_bags(bags, bags.instances)), [p.sum(axis=0) for p in parts])
    assert_allclose(dense(mean_in_bags(bags, bags.instances)), [p.mean(axis=0) for p in parts])
    assert_array_equal(dense(min_in_bags(bags)), [p.min(axis=0) for p in parts])
    assert_array_equal(dense(max_in_bags(bags)), [p.max(axis=0) for p in parts])


def test_the_first_of_several_largest_scores_is_taken():
    bags = _bags(10, [3, 1, 2])

    rows = argmax_in_bags(bags, np.array([1.0, 2.0, 2.0, -1.0, 0.0, 0.0]))

    assert rows.tolist() == [1, 3, 4]


@given(st.integers(0, 1000), st.lists(st.integers(1, 5), min_size=1, max_size=6))
def test_extremes_of_sparse_bags_count_what_is_not_stored(seed, sizes):
    dense = _bags(seed, sizes)
    # Each value is stored in two parts, and some zeros are stored.
    X = sp.csr_array(dense.instances)
    halves = sp.csr_array(
        (np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape
    )
    halves.data[:4] = 0.0
    dense = Bags(halves.toarray(), dense.offsets)
    bags = Bags(halves, dense.offsets)

    for extreme in (min_in_bags, max_in_bags):
        found = extreme(bags)
        assert_array_equal(found.toarray(), extreme(dense))
        assert found.has_canonical_format
        assert (found.data != 0.0).all()
