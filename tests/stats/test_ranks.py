"""Ranks, and what must not change them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from svmosaic.stats import average_ranks, meta_ranks, rank_scores

# Few different values, so that ties are frequent.
TABLES = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 8), st.integers(2, 6)),
    elements=st.integers(-5, 5).map(float),
)


def test_ranks_by_hand():
    scores = [[0.9, 0.7, 0.9, 0.1], [1.0, 1.0, 1.0, 1.0]]

    assert rank_scores(scores).tolist() == [[1.5, 3, 1.5, 4], [2.5] * 4]
    assert rank_scores(scores, higher_is_better=False).tolist() == [[3.5, 2, 3.5, 1], [2.5] * 4]


def test_rounding_errors_do_not_break_ties():
    assert rank_scores([[0.1 + 0.2, 0.3], [1e20, 1e20 * (1 + 1e-15)]]).tolist() == [[1.5, 1.5]] * 2
    assert rank_scores([[0.3, 0.3 + 1e-12], [1e-30, 2e-30]]).tolist() == [[2, 1], [2, 1]]


@given(TABLES)
def test_rows_sum_to_the_same(scores):
    k = scores.shape[1]

    np.testing.assert_array_equal(rank_scores(scores).sum(axis=1), k * (k + 1) / 2)


@given(TABLES)
def test_the_other_direction_mirrors_the_ranks(scores):
    k = scores.shape[1]
    best_low = rank_scores(scores, higher_is_better=False)

    np.testing.assert_array_equal(rank_scores(scores), k + 1 - best_low)
    np.testing.assert_array_equal(rank_scores(-scores), best_low)


@given(TABLES, st.sampled_from([np.exp, np.arctan, lambda x: 3 * x + 7, lambda x: x**3]))
def test_increasing_transforms_change_nothing(scores, transform):
    np.testing.assert_array_equal(rank_scores(transform(scores)), rank_scores(scores))


@given(TABLES, st.randoms(use_true_random=False))
def test_the_order_of_methods_and_data_sets_does_not_matter(scores, random):
    rows, columns = (random.sample(range(n), n) for n in scores.shape)

    np.testing.assert_array_equal(
        rank_scores(scores[rows][:, columns]), rank_scores(scores)[rows][:, columns]
    )


def test_average_ranks_keep_the_order_of_the_table():
    ranks = average_ranks({"worse": [1, 2], "better": [3, 4]})

    assert list(ranks.items()) == [("worse", 2.0), ("better", 1.0)]


def test_meta_ranks_rank_the_ranks():
    ranks = {
        "accuracy": {"a": 1.5, "b": 1.7, "c": 2.8},
        "time": {"c": 1.0, "b": 2.5, "a": 2.5},
    }

    assert meta_ranks(ranks) == {"a": 1.75, "b": 2.25, "c": 2.0}


@pytest.mark.parametrize(
    ("ranks", "message"),
    [
        ({}, "at least one measure"),
        ({"f1": {"a": 1, "b": 2}, "time": {"a": 1}}, "'b' is not ranked by all measures"),
    ],
)
def test_bad_meta_ranks_are_refused(ranks, message):
    with pytest.raises(ValueError, match=message):
        meta_ranks(ranks)


@pytest.mark.parametrize(
    ("scores", "message"), [([1, 2], "shape"), ([[1, np.nan], [1, 2]], "not finite")]
)
def test_what_cannot_be_ranked_is_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        rank_scores(scores)
