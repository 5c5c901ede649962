"""Distinct labels and their numbers are those of NumPy's sorts."""

from __future__ import annotations

import numpy as np
import pytest

from svmosaic.utils.labels import distinct_labels, label_numbers, ordered_bits

RNG = np.random.default_rng(0)
LABELS = {
    "small integers": RNG.integers(-3, 9, 200),
    "bytes": RNG.integers(0, 200, 200).astype(np.uint8),
    "signed bytes": RNG.integers(-128, 127, 200).astype(np.int8),
    "one": np.array([7]),
    "far apart": np.array([-(2**63), 5, 2**63 - 1]),
    "large": np.array([2**64 - 1, 2**64 - 3], dtype=np.uint64),
    "none": np.array([], dtype=int),
    "truth values": RNG.random(50) < 0.5,
    "numbers": RNG.integers(0, 4, 50) / 4,
    "strings": np.array(["b", "a", "b"]),
}


@pytest.mark.parametrize("y", LABELS.values(), ids=LABELS)
def test_distinct_labels_are_those_of_a_sort(y):
    found = distinct_labels(y)

    expected = np.unique(y)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == expected.dtype


@pytest.mark.parametrize("y", LABELS.values(), ids=LABELS)
def test_label_numbers_are_those_of_a_search(y):
    # Labels that are not among the classes get the number of the next one.
    for classes in (np.unique(y), np.unique(y)[::2]):
        found = label_numbers(y, classes)

        np.testing.assert_array_equal(found, np.searchsorted(classes, y))
        assert found.dtype == np.int64


def test_ordered_bits_compare_as_the_numbers_do():
    values = np.concatenate([RNG.normal(size=50), [0.0, -0.0, 1e-320, -1e-320, 1e308, -1e308]])
    values = np.concatenate([values, values])

    found = ordered_bits(values)

    np.testing.assert_array_equal(
        np.unique(found, return_inverse=True)[1], np.unique(values, return_inverse=True)[1]
    )
