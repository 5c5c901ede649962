"""Folds are scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold

from svmosaic.utils.splits import classification_splits


@given(
    counts=st.lists(st.integers(6, 12), min_size=2, max_size=5),
    n_splits=st.integers(2, 6),
    seed=st.integers(0, 1000),
)
def test_integers_mean_stratified_folds(counts, n_splits, seed):
    y = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))

    ours = classification_splits(n_splits, y[:, None], y)

    theirs = StratifiedKFold(n_splits, shuffle=True, random_state=0).split(y[:, None], y)
    for (train, test), (their_train, their_test) in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(train, their_train)
        np.testing.assert_array_equal(test, their_test)


def test_small_classes_get_scikit_learns_words():
    y = np.repeat([0, 1], [20, 3])

    with pytest.warns(UserWarning, match="least populated class"):
        classification_splits(5, y[:, None], y)
    with pytest.raises(ValueError, match="cannot be greater than the number of members"):
        classification_splits(22, y[:, None], y)
