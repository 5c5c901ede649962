"""Java's generator and Weka's folds."""

from __future__ import annotations

import numpy as np
import pytest

from svmosaic.model_selection.weka_folds import JavaRandom, WekaFolds, weka_order


def test_numbers_of_a_small_bound_follow_the_definition():
    # The generator by hand: 48-bit state, 31 high bits.
    state = (7 ^ 0x5DEECE66D) % 2**48
    expected = []
    for _ in range(20):
        state = (state * 0x5DEECE66D + 11) % 2**48
        expected.append((state >> 17) % 6)
    random = JavaRandom(7)

    assert [random.next_int(6) for _ in range(20)] == expected


def test_powers_of_two_take_the_high_bits():
    state = ((1 ^ 0x5DEECE66D) * 0x5DEECE66D + 11) % 2**48

    assert JavaRandom(1).next_int(8) == state >> 45


@pytest.mark.parametrize("n", [1, 2, 10, 97])
def test_an_order_names_every_row_once(n):
    assert sorted(weka_order(n, 1).tolist()) == list(range(n))


def test_the_first_folds_are_one_longer():
    sizes = [len(test) for _, test in WekaFolds(10).split(np.zeros((154, 1)))]

    assert sizes == [16] * 4 + [15] * 6


def test_folds_are_blocks_of_one_shuffle():
    X = np.zeros((23, 1))
    order = weka_order(23, 1)

    splits = list(WekaFolds(5).split(X))

    np.testing.assert_array_equal(np.concatenate([test for _, test in splits]), order)
    for train, test in splits:
        np.testing.assert_array_equal(train, order[~np.isin(order, test)])


def test_a_link_shuffles_once_more_before():
    X = np.zeros((23, 1))
    folds = WekaFolds(5, shuffle_links=True).for_link(2, 1, 4)

    order = np.concatenate([test for _, test in folds.split(X)])

    np.testing.assert_array_equal(order, weka_order(23, 9)[weka_order(23, 1)])
    assert WekaFolds(5).for_link(2, 1, 4).seeds_before == ()
