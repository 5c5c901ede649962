"""Features that are constant in training data: held, dense and sparse, in both precisions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler

from svmosaic.preprocessing import ConstantHolder, holds_features

TRAIN = np.array([[1.0, 0.0, 5.0, -2.0], [2.0, 0.0, 5.0, 0.0], [0.0, 0.0, 5.0, 1.0]])
TEST = np.array([[3.0, 61.0, 0.0, 4.0], [0.0, 0.0, 5.0, 0.0], [0.0, -1.0, 7.0, 0.0]])
HELD = np.array([[3.0, 0.0, 5.0, 4.0], [0.0, 0.0, 5.0, 0.0], [0.0, 0.0, 5.0, 0.0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("make", [np.array, sp.csr_array, sp.csr_matrix], ids=lambda f: f.__name__)
def test_constant_features_are_held(make, dtype):
    train, test = make(TRAIN.astype(dtype)), make(TEST.astype(dtype))
    holder = ConstantHolder().fit(train)
    found = holder.transform(test)

    assert_array_equal(holder.held_, [1, 2])
    assert_array_equal(holder.values_, [0.0, 5.0])
    assert type(found) is type(test)
    assert found.dtype == dtype
    assert_array_equal(found.toarray() if sp.issparse(found) else found, HELD)
    # The data that came are as they were.
    assert_array_equal(test.toarray() if sp.issparse(test) else test, TEST)


@given(st.integers(0, 2**31), st.booleans())
def test_it_is_a_plain_loop_over_columns(seed, sparse):
    rng = np.random.default_rng(seed)
    train, test = rng.integers(0, 2, size=(2, 4, 6)).astype(float)
    make = sp.csr_array if sparse else np.array
    found = ConstantHolder().fit(make(train)).transform(make(test))

    expected = test.copy()
    for j in range(6):
        if len(set(train[:, j])) == 1:
            expected[:, j] = train[0, j]
    assert_array_equal(found.toarray() if sparse else found, expected)


@pytest.mark.parametrize("sparse", [False, True])
def test_training_data_stay_as_they_are(sparse):
    train = sp.csr_array(TRAIN) if sparse else TRAIN
    found = ConstantHolder().fit_transform(train)

    assert_array_equal(found.toarray() if sparse else found, TRAIN)


@pytest.mark.parametrize(
    ("make", "scaler"), [(np.array, MinMaxScaler), (sp.csr_array, MaxAbsScaler)]
)
def test_what_a_scaler_cannot_scale_stays_in_the_range_of_training(make, scaler):
    pages = np.zeros((4, 3))
    pages[:3, :2] = [[10.0, 1.0], [20.0, 3.0], [40.0, 2.0]]
    pages[3] = [20.0, 3.0, 61.0]  # A word that no other page has.

    alone = scaler().fit(make(pages[:3])).transform(make(pages[3:]))
    held = make_pipeline(ConstantHolder(), scaler()).fit(make(pages[:3])).transform(make(pages[3:]))

    assert alone.max() == 61.0
    assert held.max() <= 1.0


@pytest.mark.parametrize("make", [np.array, sp.csr_array], ids=lambda f: f.__name__)
def test_a_feature_with_gaps_is_not_constant(make):
    train, test = make([[1.0, 2.0], [np.nan, 2.0]]), make([[3.0, 4.0], [np.nan, 2.0]])
    holder = ConstantHolder().fit(train)
    found = holder.transform(test)

    assert_array_equal(holder.held_, [1])
    expected = np.array([[3.0, 2.0], [np.nan, 2.0]])
    assert_array_equal(found.toarray() if sp.issparse(found) else found, expected)
    assert holds_features("none", train, test)
    assert not holds_features("none", train, test[1:])


def test_infinity_is_refused():
    with pytest.raises(ValueError, match="infinity"):
        ConstantHolder().fit([[1.0], [np.inf]])
