"""Kernel rows that are kept, their sums and their tables, against plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import rbf_kernel

from svmosaic.engine import cpu
from svmosaic.multi_instance.instance_kernel import make_kernel
from svmosaic.multi_instance.kernel_rows import KernelRows, known_rows
from svmosaic.multi_instance.training_bags import prepare_training

LIMITS = [0.0, 400.0]


def _table(n_rows, n_columns, seed=0):
    """Return a table of the needed width whose unused end holds nan."""
    table = np.full((n_rows, -(-n_columns // 8) * 8), np.nan)
    table[:, :n_columns] = np.random.default_rng(seed).normal(size=(n_rows, n_columns))
    return table


@pytest.mark.parametrize("n_columns", [1, 7, 8, 9, 2047, 2048, 2049, 5000])
@pytest.mark.parametrize("n_chosen", [0, 1, 5, 40])
def test_a_sum_of_rows(n_columns, n_chosen):
    table = _table(20, n_columns)
    rng = np.random.default_rng(1)
    places, weights = rng.integers(0, 20, n_chosen), rng.normal(size=n_chosen)

    found = cpu.sum_rows(table, n_columns, places, weights)

    assert_allclose(found, weights @ table[places, :n_columns], rtol=1e-12, atol=1e-12)


def test_a_column_does_not_depend_on_where_it_stands():
    """Bags in another order give the same sums to the last bit."""
    table, order = _table(20, 3001), np.random.default_rng(2).permutation(3001)
    moved = table.copy()
    moved[:, :3001] = table[:, order]
    places, weights = np.arange(20), np.random.default_rng(3).normal(size=20)

    found = cpu.sum_rows(table, 3001, places, weights)

    assert_array_equal(cpu.sum_rows(moved, 3001, places, weights), found[order])


def test_a_table_of_instances_is_the_mean_of_both_ways():
    table = _table(6, 11)
    places, instances = np.array([5, 0, 3]), np.array([10, 2, 2])

    found = cpu.gram_of_rows(table, 11, places, instances)

    values = table[places][:, instances]
    assert_array_equal(found, (values + values.T) / 2.0)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda t: cpu.sum_rows(t, 11, np.array([6]), np.ones(1)), IndexError),
        (lambda t: cpu.sum_rows(t, 11, np.array([-1]), np.ones(1)), IndexError),
        (lambda t: cpu.sum_rows(t, 17, np.array([0]), np.ones(1)), ValueError),
        (lambda t: cpu.sum_rows(t, 11, np.array([0]), np.ones(2)), ValueError),
        (lambda t: cpu.sum_rows(t[:, :9].copy(), 9, np.array([0]), np.ones(1)), ValueError),
        (lambda t: cpu.gram_of_rows(t, 11, np.array([0]), np.array([11])), IndexError),
        (lambda t: cpu.gram_of_rows(t, 11, np.array([0]), np.array([-1])), IndexError),
        (lambda t: cpu.gram_of_rows(t, 11, np.array([0]), np.array([1, 2])), ValueError),
    ],
)
def test_nothing_outside_of_the_table_is_read(call, error):
    with pytest.raises(error):
        call(_table(6, 11))


@pytest.mark.parametrize("limit_mb", LIMITS)
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "linear", "poly"])
def test_sums_and_tables_are_those_of_the_kernel(kernel, limit_mb):
    X = np.random.default_rng(4).normal(size=(37, 3))
    spec = make_kernel(kernel, 0.7, 2, 1.0, X)
    rows = KernelRows(spec, X, limit_mb)
    values = spec.values(X, X)
    chosen, coef = np.array([3, 3, 30, 12]), np.array([1.0, -0.5, 0.0, 2.0])
    everywhere = rows.columns(np.arange(37))

    assert_allclose(rows.gram(chosen), values[np.ix_(chosen, chosen)], rtol=1e-12)
    found = rows.expand(chosen, coef, everywhere)
    assert_allclose(found, coef @ values[chosen], rtol=1e-12, atol=1e-12)
    some = np.array([36, 1, 5])
    assert_array_equal(rows.expand(chosen, coef, rows.columns(some)), found[some])
    # Rows that are asked for again are not computed again, and others are added.
    assert rows.n_computed == (0 if limit_mb == 0.0 else 3)
    again = np.array([12, 5])
    found = rows.expand(again, np.ones(2), everywhere)
    assert_allclose(found, values[again].sum(axis=0), rtol=1e-12)
    assert rows.n_computed == (0 if limit_mb == 0.0 else 4)


@pytest.mark.parametrize("limit_mb", LIMITS)
def test_copies_of_an_instance_are_computed_once(limit_mb):
    rng = np.random.default_rng(5)
    which = rng.integers(0, 9, 60)
    X = rng.normal(size=(9, 4))[which]
    kernel = make_kernel("rbf", 0.3, 3, 0.0, X)
    rows = KernelRows(kernel, X, limit_mb)
    chosen, coef = np.arange(0, 60, 2), rng.normal(size=30)
    values = kernel.values(X, X)

    found = rows.expand(chosen, coef, rows.columns(np.arange(60)))

    assert_allclose(rows.gram(chosen), values[np.ix_(chosen, chosen)], rtol=1e-12)
    assert_allclose(found, coef @ values[chosen], rtol=1e-12, atol=1e-12)
    for number in range(9):
        assert np.unique(found[which == number]).size == 1
    assert rows.n_computed == (0 if limit_mb == 0.0 else np.unique(which[chosen]).size)


def test_rows_are_kept_only_if_all_of_them_fit():
    X = np.random.default_rng(0).normal(size=(50, 2))
    kernel = make_kernel("rbf", 0.5, 3, 0.0, X)
    all_rows_mb = 50 * 50 * 8 / 1e6
    roomy = KernelRows(kernel, X, limit_mb=all_rows_mb)
    tight = KernelRows(kernel, X, limit_mb=all_rows_mb * 0.99)

    for rows in (roomy, tight):
        for begin in (0, 5, 0, 20):
            wanted = np.arange(begin, begin + 8)
            assert_allclose(rows.gram(wanted), rbf_kernel(X[wanted], gamma=0.5), rtol=1e-12)
            found = rows.expand(wanted, np.ones(8), rows.columns(np.arange(50)))
            assert_allclose(found, rbf_kernel(X, X[wanted], gamma=0.5).sum(axis=1))

    # Each once: 0 to 12 and 20 to 27.
    assert roomy.n_computed == 21
    assert tight.n_computed == 0


def test_rows_are_shared_by_all_who_learn_from_the_same_bags():
    X = np.random.default_rng(7).normal(size=(12, 2))
    data = prepare_training([X[:5], X[5:9], X[9:]], [0, 1, 1], None, "a test")
    kernels = [make_kernel("rbf", gamma, 3, 0.0, X) for gamma in (0.1, 0.2, 0.3, 0.4, 0.5)]

    first = known_rows(data, kernels[0], X, 400.0)

    assert known_rows(data.against_rest(1), kernels[0], X, 400.0) is first
    # Four tables are kept, and none where four would be too many.
    for kernel in kernels[1:]:
        known_rows(data, kernel, X, 400.0)
    assert known_rows(data, kernels[0], X, 400.0) is not first
    assert known_rows(data, kernels[0], X, 1e-3) is not known_rows(data, kernels[0], X, 1e-3)
