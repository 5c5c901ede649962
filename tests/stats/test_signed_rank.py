"""Wilcoxon's test: all signs counted one by one, SciPy, Demsar's example."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from demsar import SCORES
from svmosaic.stats import wilcoxon

# Differences with many ties and zeros.
DIFFERENCES = st.lists(st.integers(-4, 4), min_size=1, max_size=9)


def test_demsars_example():
    scores = np.array(list(SCORES.values()))

    test = wilcoxon(scores[:, 1], scores[:, 0])

    # Two zeros share the ranks 1 and 2, half of them on either side.
    assert (test.r_plus, test.r_minus, test.n, test.n_zero) == (93.0, 12.0, 14, 2)


def _count_signs(ranks, gap):
    """Return the share of all signs with |R+ - R-| at least as large, one by one."""
    sums = [abs(np.dot(signs, ranks)) for signs in product((-1, 1), repeat=len(ranks))]
    return np.mean(np.array(sums) >= gap - 1e-9)


@given(DIFFERENCES, st.sampled_from(["split", "drop"]))
def test_the_p_value_is_the_share_of_all_signs(differences, zeros):
    d = np.array(differences, dtype=float)
    n_zero = int(np.sum(d == 0))
    n_left_out = n_zero if zeros == "drop" else n_zero % 2
    kept = np.concatenate([d[d != 0], np.zeros(n_zero - n_left_out)])
    ranks = scipy_stats.rankdata(np.abs(kept))
    half = ranks[kept == 0].sum() / 2

    test = wilcoxon(d, np.zeros_like(d), zeros=zeros)

    assert test.exact
    assert test.r_plus == ranks[kept > 0].sum() + half
    assert test.r_minus == ranks[kept < 0].sum() + half
    expected = _count_signs(ranks[kept != 0], abs(test.r_plus - test.r_minus))
    assert test.p_value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n", [5, 12, 24, 50])
def test_without_ties_it_is_scipys_exact_test(n):
    d = np.random.default_rng(n).normal(0.3, 1.0, n)

    expected = scipy_stats.wilcoxon(d, method="exact")
    test = wilcoxon(d, np.zeros(n))

    assert min(test.r_plus, test.r_minus) == expected.statistic
    assert test.p_value == pytest.approx(expected.pvalue, rel=1e-10)


@pytest.mark.parametrize("zeros", ["drop", "split"])
def test_large_samples_are_scipys_approximation(zeros):
    rng = np.random.default_rng(3)
    d = rng.integers(-20, 24, 400).astype(float)
    d[np.flatnonzero(d == 0)[: np.sum(d == 0) % 2]] = 1.0

    test = wilcoxon(d, np.zeros(400), zeros=zeros)
    # Pratt ranks zeros and gives them to neither side: the variance is the same.
    expected = scipy_stats.wilcoxon(
        d, zero_method="wilcox" if zeros == "drop" else "pratt", method="asymptotic"
    )

    assert not test.exact
    assert test.p_value == pytest.approx(expected.pvalue, rel=1e-9)


def test_the_exact_and_the_normal_p_value_meet():
    d = np.random.default_rng(5).normal(0.15, 1.0, 200)

    exact = wilcoxon(d, np.zeros(200))
    normal = wilcoxon(np.append(d, 1e-9), np.zeros(201))

    assert exact.exact
    assert not normal.exact
    assert exact.p_value == pytest.approx(normal.p_value, rel=0.02)


def test_equal_methods_give_no_evidence():
    for zeros in ("split", "drop"):
        test = wilcoxon([0.5, 0.6, 0.7], [0.5, 0.6, 0.7], zeros=zeros)
        assert (test.p_value, test.n_zero) == (1.0, 3)
        assert test.r_plus == test.r_minus


def test_rounding_errors_are_neither_differences_nor_do_they_break_ties():
    # 0.9 - 0.8 and 0.5 - 0.4 differ in their last bits; 0.1 + 0.2 is not 0.3.
    test = wilcoxon([0.9, 0.4, 0.1 + 0.2, 0.7], [0.8, 0.5, 0.3, 0.2], zeros="drop")

    assert (test.r_plus, test.r_minus, test.n_zero) == (4.5, 1.5, 1)


@given(DIFFERENCES)
def test_swapping_the_methods_swaps_the_sums(differences):
    d = np.array(differences, dtype=float)
    one, other = wilcoxon(d, 0 * d), wilcoxon(0 * d, d)

    assert (one.r_plus, one.r_minus) == (other.r_minus, other.r_plus)
    assert one.p_value == other.p_value
    assert wilcoxon(0 * d, d, higher_is_better=False) == one


@given(DIFFERENCES, st.sampled_from([0.001, 0.1, 3.0, 1e6]))
def test_the_unit_of_the_scores_does_not_matter(differences, unit):
    d = np.array(differences, dtype=float)

    assert wilcoxon(unit * d, 0 * d) == wilcoxon(d, 0 * d)


def test_at_most_five_percent_of_null_samples_are_rejected():
    rng = np.random.default_rng(2)
    p = [wilcoxon(d, np.zeros(12)).p_value for d in rng.normal(size=(4000, 12))]

    # The exact test is discrete: with 12 differences its true level is 0.0425.
    assert 0.035 <= np.mean(np.array(p) <= 0.05) <= 0.05


@pytest.mark.parametrize(
    ("x", "y", "options", "message"),
    [
        ([1, 2], [1], {}, "equally long"),
        ([], [], {}, "equally long"),
        ([1, np.nan], [1, 2], {}, "finite"),
        ([1, 2], [2, 1], {"zeros": "pratt"}, "Got 'pratt'"),
    ],
)
def test_bad_scores_are_refused(x, y, options, message):
    with pytest.raises(ValueError, match=message):
        wilcoxon(x, y, **options)
