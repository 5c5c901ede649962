"""The Friedman test: Demsar's example, SciPy, and the level it promises."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats as scipy_stats

from demsar import SCORES
from svmosaic.stats import friedman

TABLES = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 9), st.integers(3, 6)),
    elements=st.integers(0, 6).map(float),
)


def test_demsars_example():
    test = friedman(list(SCORES.values()))

    assert (test.n_datasets, test.n_methods) == (14, 4)
    assert test.chi2 == pytest.approx(9.28, abs=0.005)
    assert pytest.approx(3.69, abs=0.005) == test.F
    assert test.degrees_of_freedom == (3, 39)
    assert test.p_value == pytest.approx(0.020, abs=0.0005)


@given(TABLES)
def test_with_ties_corrected_it_is_scipys(scores):
    test = friedman(scores, correct_ties=True)
    # SciPy divides by zero where every row is one tie; equal methods then.
    if np.ptp(scores, axis=1).any():
        expected = scipy_stats.friedmanchisquare(*scores.T)
        assert test.chi2 == pytest.approx(expected.statistic, rel=1e-10, abs=1e-10)
        assert test.chi2_p_value == pytest.approx(expected.pvalue, rel=1e-8)
    else:
        assert (test.chi2, test.p_value) == (0.0, 1.0)


@given(TABLES)
def test_without_the_correction_it_is_demsars_formula(scores):
    n, k = scores.shape
    mean = scipy_stats.rankdata(-scores, axis=1).mean(axis=0)
    expected = 12 * n / (k * (k + 1)) * (sum(mean**2) - k * (k + 1) ** 2 / 4)

    assert friedman(scores).chi2 == pytest.approx(expected, abs=1e-9)


@given(TABLES)
def test_ties_make_the_plain_test_conservative(scores):
    assert friedman(scores).p_value >= friedman(scores, correct_ties=True).p_value - 1e-12


@given(TABLES)
def test_the_direction_does_not_matter(scores):
    up, down = friedman(scores), friedman(scores, higher_is_better=False)

    assert up.chi2 == pytest.approx(down.chi2, abs=1e-9)


def test_data_sets_that_all_agree_are_the_strongest_evidence():
    test = friedman([[1, 2, 3]] * 4)

    assert math.isinf(test.F)
    assert test.p_value == 0.0


def test_two_methods_are_enough():
    test = friedman([[1, 2], [1, 2], [1, 2], [2, 1]])

    # Ranks 1.75 and 1.25: chi2 = 12 * 4 / 6 * (2 * 0.25^2) = 1, F = 3 * 1 / (4 - 1) = 1.
    assert (test.chi2, test.F) == (1.0, 1.0)


@pytest.mark.parametrize(("n", "k"), [(10, 3), (24, 10), (15, 12)])
def test_five_percent_of_null_tables_are_rejected(n, k):
    rng = np.random.default_rng(0)
    # The ranks of equal methods are random orders; the statistic needs their sums only.
    orders = rng.permuted(np.tile(np.arange(1.0, k + 1), (10_000, n, 1)), axis=2)
    chi2 = 12 * n / (k * (k + 1)) * (orders.mean(axis=1) ** 2).sum(axis=1) - 3 * n * (k + 1)
    F = (n - 1) * chi2 / (n * (k - 1) - chi2)
    rejected = scipy_stats.f.sf(F, k - 1, (k - 1) * (n - 1)) <= 0.05
    ours = np.array([friedman(table).p_value <= 0.05 for table in orders[:300]])

    assert 0.04 <= rejected.mean() <= 0.06
    np.testing.assert_array_equal(ours, rejected[:300])
