"""Hashes of rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

from svmosaic.utils.row_hashes import hash_rows

TABLES = hnp.arrays(
    np.float32,
    st.tuples(st.integers(1, 8), st.integers(1, 4)),
    elements=st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 3e38]),
)


@given(TABLES)
def test_the_hash_depends_on_values_alone(X):
    found = hash_rows(X)

    assert found.dtype == np.uint64
    assert_array_equal(hash_rows(X.astype(np.float64)), found)
    assert_array_equal(hash_rows(np.asfortranarray(X)), found)
    assert_array_equal(hash_rows(sp.csr_array(X)), found)
    assert_array_equal(hash_rows(X[::-1]), found[::-1])


@given(TABLES)
def test_rows_with_other_values_have_other_hashes(X):
    _, number = np.unique(X, axis=0, return_inverse=True)
    equal = number.ravel()[:, np.newaxis] == number.ravel()

    found = hash_rows(X)

    assert_array_equal(found[:, np.newaxis] == found, equal)


def test_no_two_of_many_rows_share_a_hash():
    # Few bits differ, in values and in columns.
    X = np.stack(np.meshgrid(*[np.arange(40.0)] * 3), axis=-1).reshape(-1, 3)

    assert np.unique(hash_rows(X)).size == 40**3
    assert np.unique(hash_rows(sp.eye_array(5000, format="csr"))).size == 5000


@pytest.mark.parametrize("n_rows", [0, 1, 700])
def test_blocks_do_not_show(n_rows):
    X = np.random.default_rng(0).normal(size=(n_rows, 300))

    assert_array_equal(hash_rows(X), [hash_rows(row[np.newaxis])[0] for row in X])


def test_entries_of_a_sparse_table_may_come_in_any_order_and_in_parts():
    table = sp.csr_array(
        (np.array([2.0, 1.0, 3.0, 0.0]), np.array([2, 0, 2, 1]), np.array([0, 3, 4])), shape=(2, 3)
    )

    assert_array_equal(hash_rows(table), hash_rows(np.array([[1.0, 0.0, 5.0], [0.0, 0.0, 0.0]])))
