"""Critical values and differences: published ones, and the integral behind them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats
from scipy.integrate import quad

from svmosaic.stats import (
    bonferroni_dunn_critical_value,
    critical_difference,
    nemenyi_critical_value,
)
from svmosaic.stats.rank_difference import nemenyi_p_value

# Demsar (2006), table 5. It prints 2.724 for Bonferroni-Dunn with 9 methods, which is a misprint of
# 2.734 (= the normal quantile of 1 - 0.05 / 16).
NEMENYI = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102}
NEMENYI_10 = {2: 1.645, 3: 2.052, 4: 2.291, 5: 2.459, 6: 2.589, 7: 2.693, 8: 2.780, 9: 2.855}
DUNN = {2: 1.960, 3: 2.241, 4: 2.394, 5: 2.498, 6: 2.576, 7: 2.638, 8: 2.690, 9: 2.734}
DUNN_10 = {2: 1.645, 3: 1.960, 4: 2.128, 5: 2.241, 6: 2.326, 7: 2.394, 8: 2.450, 9: 2.498}


@pytest.mark.parametrize(
    ("function", "alpha", "table"),
    [
        (nemenyi_critical_value, 0.05, NEMENYI | {10: 3.164}),
        (nemenyi_critical_value, 0.10, NEMENYI_10 | {10: 2.920}),
        (bonferroni_dunn_critical_value, 0.05, DUNN | {10: 2.773}),
        (bonferroni_dunn_critical_value, 0.10, DUNN_10 | {10: 2.539}),
    ],
)
def test_the_published_tables_of_critical_values(function, alpha, table):
    for k, value in table.items():
        # The table was made from studentised ranges of three digits.
        assert function(k, alpha) == pytest.approx(value, abs=1e-3), k


def _range_above(q, k):
    """Return the chance that k normal numbers spread over more than q, by its integral."""

    def density(x):
        return (
            k
            * scipy_stats.norm.pdf(x)
            * (scipy_stats.norm.cdf(x) - scipy_stats.norm.cdf(x - q)) ** (k - 1)
        )

    return 1 - quad(density, -8, q + 8, epsabs=1e-13, epsrel=1e-13, limit=200)[0]


@pytest.mark.parametrize("k", [2, 3, 6, 10, 13])
def test_nemenyi_is_the_range_of_normal_numbers(k):
    value = nemenyi_critical_value(k)

    assert _range_above(value * math.sqrt(2), k) == pytest.approx(0.05, abs=1e-8)
    for z in (0.5, 1.5, 3.0):
        assert nemenyi_p_value(z, k) == pytest.approx(_range_above(z * math.sqrt(2), k), abs=1e-10)


def test_two_methods_need_no_correction():
    assert nemenyi_critical_value(2) == pytest.approx(scipy_stats.norm.isf(0.025), abs=1e-9)
    assert bonferroni_dunn_critical_value(2) == pytest.approx(scipy_stats.norm.isf(0.025))


def test_demsars_critical_differences():
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(4, 14, alpha=0.10) == pytest.approx(1.12, abs=0.005)
    assert critical_difference(4, 14, test="bonferroni-dunn") == pytest.approx(1.16, abs=0.01)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: critical_difference(1, 10), "at least 2 methods. Got 1"),
        (lambda: critical_difference(3, 0), "at least 1 data set. Got 0"),
        (lambda: critical_difference(3, 10, alpha=1.5), "between 0 and 1. Got 1.5"),
        (lambda: critical_difference(3, 10, test="tukey"), "Got 'tukey'"),
    ],
)
def test_bad_requests_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(("n", "k"), [(24, 10), (23, 3), (15, 12)])
def test_the_family_wise_level_holds_for_equal_methods(n, k):
    rng = np.random.default_rng(1)
    means = rng.permuted(np.tile(np.arange(1.0, k + 1), (10_000, n, 1)), axis=2).mean(axis=1)

    any_pair = np.ptp(means, axis=1) >= critical_difference(k, n)
    dunn = critical_difference(k, n, test="bonferroni-dunn")
    any_with_control = np.abs(means[:, 1:] - means[:, :1]).max(axis=1) >= dunn

    assert 0.03 <= any_pair.mean() <= 0.06
    assert any_with_control.mean() <= 0.055
