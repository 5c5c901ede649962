"""Equal rows of a table."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from svmosaic.utils.row_copies import group_copies


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30))
def test_rows_of_a_set_are_equal(rows):
    X = np.array(rows, dtype=float)

    first, number = group_copies(X)

    assert_array_equal(X[first][number], X)
    assert_array_equal(number[first], np.arange(first.size))
    assert len(set(rows)) <= first.size <= len(rows)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_all_copies_are_found_where_there_are_many(dtype, order):
    rng = np.random.default_rng(0)
    X = np.asarray(rng.normal(size=(7, 3))[rng.integers(0, 7, 50)], dtype=dtype, order=order)

    first, number = group_copies(X)

    assert first.size == np.unique(X, axis=0).shape[0]
    assert_array_equal(X[first][number], X)


def test_rows_with_equal_sums_may_differ():
    X = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [0.0, 3.0]])

    first, number = group_copies(X)

    assert first.size == 3
    assert number[0] == number[2]


@pytest.mark.parametrize(
    "X",
    [np.random.default_rng(0).normal(size=(40, 2)), sp.csr_array(np.ones((4, 2)))],
    ids=["few copies", "sparse"],
)
def test_nothing_is_looked_for_where_it_does_not_pay(X):
    first, number = group_copies(X)

    assert_array_equal(first, np.arange(X.shape[0]))
    assert_array_equal(number, np.arange(X.shape[0]))


def test_sums_beyond_the_largest_number_are_no_error():
    first, _ = group_copies(np.array([[1e308, 1e308], [1e308, 1.1e308], [-1e308, -1e308]]))

    assert first.size == 3
