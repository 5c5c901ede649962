"""Alarms against the true changes of concept."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svmosaic.metrics import score_alarms

places = st.lists(st.integers(0, 1000), max_size=8, unique=True).map(sorted)


def test_a_case_by_hand():
    # Found after 20 and 150 samples; 60 comes before any change, 150 tells the first once more.
    scores = score_alarms([60, 120, 150, 450], drifts=[100, 300], n_samples=600)

    assert scores[:3] == (2, 0, 2)
    assert scores.mean_delay == pytest.approx((20 + 150) / 2)
    assert scores.samples_per_false == 300.0
    assert scores.mean_time_ratio == pytest.approx(300 / 85)


def test_a_horizon_makes_a_late_alarm_a_false_one():
    scores = score_alarms([120, 450], drifts=[100, 300], n_samples=600, horizon=100)

    assert scores[:4] == (1, 1, 1, 20.0)
    assert scores.mean_time_ratio == pytest.approx(600 / 20 / 2)


def test_an_alarm_before_the_first_new_sample_tells_nothing():
    assert score_alarms([100], drifts=[100], n_samples=200)[:3] == (0, 1, 1)
    assert score_alarms([101], drifts=[100], n_samples=200)[:4] == (1, 0, 0, 1.0)


def test_without_changes_or_alarms():
    assert math.isnan(score_alarms([5], drifts=[], n_samples=10).mean_time_ratio)
    assert score_alarms([5], drifts=[], n_samples=10).n_false == 1
    silent = score_alarms([], drifts=[5], n_samples=10)
    assert silent[:3] == (0, 1, 0)
    assert math.isnan(silent.mean_delay)
    assert math.isinf(silent.samples_per_false)
    assert silent.mean_time_ratio == 0.0


def test_places_out_of_order_are_told():
    with pytest.raises(ValueError, match="expects alarms in rising order"):
        score_alarms([5, 3], drifts=[1], n_samples=10)


@given(places, places, st.one_of(st.none(), st.integers(1, 1000)))
def test_every_alarm_and_every_change_counts_once(alarms, drifts, horizon):
    scores = score_alarms(alarms, drifts, 1000, horizon=horizon)

    assert scores.n_found + scores.n_missed == len(drifts)
    assert scores.n_found + scores.n_false == len(alarms)
    # The plain twin: each alarm belongs to the last change before it.
    owners = np.searchsorted(drifts, alarms, side="left") - 1
    told = {
        int(owner)
        for owner, alarm in zip(owners, alarms, strict=True)
        if owner >= 0 and (horizon is None or alarm - drifts[owner] <= horizon)
    }
    assert scores.n_found == len(told)
