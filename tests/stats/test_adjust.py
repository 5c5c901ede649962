"""Adjusted p-values: by hand, by definition, and by what they may not do."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svmosaic.stats import bonferroni, hochberg, holm, shaffer
from svmosaic.stats.adjust import _true_counts, holm_thresholds

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=9)


def test_by_hand():
    p = [0.01, 0.04, 0.03, 0.005]

    np.testing.assert_allclose(bonferroni(p), [0.04, 0.16, 0.12, 0.02])
    np.testing.assert_allclose(holm(p), [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(hochberg(p), [0.03, 0.04, 0.04, 0.02])


def _rejected_by_holm(p, alpha):
    """Reject by definition: in order, as long as p <= alpha / (hypotheses left)."""
    rejected = set()
    for i, j in enumerate(np.argsort(p, kind="stable")):
        if p[j] * (len(p) - i) > alpha:
            break
        rejected.add(j)
    return rejected


def _rejected_by_hochberg(p, alpha):
    """Reject by definition: the i-th smallest and all below it, for the largest such i."""
    order = np.argsort(p, kind="stable")
    good = [i for i, j in enumerate(order) if p[j] * (len(p) - i) <= alpha]
    return set(order[: max(good) + 1]) if good else set()


@given(P_VALUES, st.sampled_from([0.01, 0.05, 0.1, 0.5]))
def test_adjusted_p_values_reject_what_the_procedures_reject(p, alpha):
    assert set(np.flatnonzero(holm(p) <= alpha)) == _rejected_by_holm(p, alpha)
    assert set(np.flatnonzero(hochberg(p) <= alpha)) == _rejected_by_hochberg(p, alpha)


@given(P_VALUES)
def test_the_procedures_are_ordered_by_power(p):
    assert np.all(np.asarray(p) <= hochberg(p))
    assert np.all(hochberg(p) <= holm(p))
    assert np.all(holm(p) <= bonferroni(p))


@given(P_VALUES, st.randoms(use_true_random=False))
def test_the_order_of_the_hypotheses_does_not_matter(p, random):
    order = random.sample(range(len(p)), len(p))
    for adjust in (bonferroni, holm, hochberg):
        np.testing.assert_array_equal(adjust(np.asarray(p)[order]), adjust(p)[order])


@given(P_VALUES, st.sampled_from([0.01, 0.05, 0.1]))
def test_thresholds_lead_to_the_same_rejections(p, alpha):
    thresholds = holm_thresholds(p, alpha)
    order = np.argsort(p, kind="stable")
    passed = np.cumprod(np.asarray(p)[order] <= thresholds[order]).astype(bool)

    assert set(order[passed]) == set(np.flatnonzero(holm(p) <= alpha * (1 + 1e-12)))
    assert sorted(thresholds) == pytest.approx([alpha / i for i in range(len(p), 0, -1)])


def _partitions(items):
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for size in range(len(rest) + 1):
        for others in combinations(rest, size):
            left = [item for item in rest if item not in others]
            for partition in _partitions(left):
                yield [(first, *others), *partition]


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_the_numbers_of_true_pairs_are_those_of_all_partitions(k):
    counts = {
        sum(len(group) * (len(group) - 1) // 2 for group in partition)
        for partition in _partitions(list(range(k)))
    }

    assert _true_counts(k) == counts


def test_shaffers_factors():
    # Four methods: 6, 3, 2, 1 or 0 pairs can be equal, so the factors are 6, 3, 3, 3, 2, 1.
    p = np.array([0.001, 0.002, 0.003, 0.004, 0.005, 0.006])

    np.testing.assert_allclose(shaffer(p, 4), [0.006, 0.006, 0.009, 0.012, 0.012, 0.012])


@given(st.lists(st.floats(0, 1), min_size=10, max_size=10))
def test_shaffer_lies_between_the_plain_p_values_and_holms(p):
    assert np.all(shaffer(p, 5) <= holm(p))
    assert np.all(shaffer(p, 5) >= np.asarray(p))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: holm([0.5, 1.5]), "from 0 to 1"),
        (lambda: holm([[0.5]]), r"shape \(1, 1\)"),
        (lambda: hochberg([float("nan")]), "from 0 to 1"),
        (lambda: shaffer([0.1, 0.2], 3), "3 methods have 3 pairs. Got 2"),
    ],
)
def test_what_is_no_p_value_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
