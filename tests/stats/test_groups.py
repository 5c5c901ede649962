"""Groups of methods without a significant difference."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from svmosaic.stats import indistinct_groups

RANKS = st.dictionaries(
    st.text("abcdefgh", min_size=1, max_size=3), st.floats(1, 8), min_size=2, max_size=8
)


def test_overlapping_groups_by_hand():
    ranks = {"d": 4.1, "a": 1.0, "b": 1.9, "c": 2.5, "e": 4.2}

    assert indistinct_groups(ranks, 1.0) == [("a", "b"), ("b", "c"), ("d", "e")]
    assert indistinct_groups(ranks, 4.0) == [("a", "b", "c", "d", "e")]
    assert indistinct_groups(ranks, 0.05) == []


@given(RANKS, st.floats(0.01, 8))
def test_groups_are_exactly_the_pairs_that_are_close(ranks, difference):
    groups = indistinct_groups(ranks, difference)

    close = {
        frozenset(pair)
        for pair in combinations(ranks, 2)
        if abs(ranks[pair[0]] - ranks[pair[1]]) < difference
    }
    assert {frozenset(pair) for group in groups for pair in combinations(group, 2)} == close


@given(RANKS, st.floats(0.01, 8))
def test_no_group_is_a_part_of_another(ranks, difference):
    groups = [set(group) for group in indistinct_groups(ranks, difference)]

    assert not any(a <= b for a in groups for b in groups if a is not b)
