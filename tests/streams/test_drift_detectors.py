"""Drift detectors: alarms where errors become more frequent, and few others."""

from __future__ import annotations

import math

import numpy as np
import pytest

from svmosaic.drift import feed
from svmosaic.streams import DDM, DriftDetector


def ddm_by_the_paper(errors, alarm=3.0, min_samples=30):
    """Return the places of alarms, one error at a time, as in section 3 of Gama et al. (2004)."""
    places = []
    n = n_errors = 0
    lowest = lowest_share = lowest_deviation = math.inf
    for place, error in enumerate(errors):
        n += 1
        n_errors += error
        share = n_errors / n
        deviation = math.sqrt(share * (1 - share) / n)
        if n < min_samples or n_errors == 0:
            continue
        if share + deviation <= lowest:
            lowest, lowest_share, lowest_deviation = share + deviation, share, deviation
        if share + deviation > lowest_share + alarm * lowest_deviation:
            places.append(place)
            n = n_errors = 0
            lowest = lowest_share = lowest_deviation = math.inf
    return places


def bernoulli(shares, seed):
    return (np.random.default_rng(seed).random(len(shares)) < shares).astype(int)


@pytest.mark.parametrize("seed", range(5))
def test_alarms_are_those_of_the_paper(seed):
    errors = bernoulli([0.1] * 500 + [0.4] * 300 + [0.05] * 400 + [0.5] * 200, seed)
    detector = DDM()

    found = [place for place, error in enumerate(errors) if detector.update(error)]

    assert len(found) >= 1
    assert found == ddm_by_the_paper(errors)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [1, 7, 250])
def test_many_errors_at_once_give_the_same_alarms(seed, size):
    errors = bernoulli([0.1] * 500 + [0.4] * 500, seed)
    one_by_one, detector = DDM(), DDM()

    for begin in range(0, 1000, size):
        part = errors[begin : begin + size]
        # Errors after an alarm are not looked at.
        alarm = any(one_by_one.update(error) for error in part)

        assert detector.update_many(part) == alarm
        assert detector.drift_detected == one_by_one.drift_detected
        assert detector.warning_detected == one_by_one.warning_detected
        assert detector.n_samples == one_by_one.n_samples


def test_alarm_comes_soon_after_a_change():
    delays = []
    for seed in range(20):
        errors = bernoulli([0.1] * 1000 + [0.4] * 1000, seed)
        places = ddm_by_the_paper(errors)
        detector = DDM()
        found = [place for place, error in enumerate(errors) if detector.update(error)]
        assert found == places
        delays.append(min(place for place in found if place >= 1000) - 1000)

    assert max(delays) < 400


def test_false_alarms_are_rare_without_a_change():
    alarms = sum(DDM(min_samples=200).update_many(bernoulli([0.2] * 5000, s)) for s in range(100))

    # Known of the method: the lowest level is a minimum of many, so it is exceeded now and then.
    assert alarms <= 20


def test_larger_threshold_alarms_later():
    errors = bernoulli([0.1] * 1000 + [0.4] * 1000, 3)
    early, late = DDM(), DDM(alarm=6.0)

    first = next(place for place, error in enumerate(errors) if early.update(error))
    second = next(place for place, error in enumerate(errors) if late.update(error))

    assert first < second


def test_a_warning_precedes_an_alarm():
    detector = DDM()
    warned = False
    for error in [0] * 190 + [1] * 60:
        if detector.update(error):
            break
        warned = warned or detector.warning_detected

    assert detector.drift_detected
    assert warned


def test_reset_forgets_everything():
    detector = DDM()
    detector.update_many([0] * 190 + [1] * 60)
    detector.reset()

    assert vars(detector) == vars(DDM())


def test_after_an_alarm_it_restarts():
    detector = DDM()
    assert detector.update_many([0] * 190 + [1] * 60)

    detector.update_many([1, 0])

    assert not detector.drift_detected
    assert detector.n_samples == 2


def test_no_errors_change_nothing():
    detector = DDM()

    assert not detector.update_many([])
    assert detector.n_samples == 0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"warning": 4.0}, "warning <= alarm. Got warning=4.0 and alarm=3.0"),
        ({"warning": 0.0}, "0 < warning"),
        ({"min_samples": 0}, "min_samples >= 1. Got 0"),
    ],
)
def test_strange_settings_are_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        DDM(**settings)


class ThirdError:
    """A detector as River's: an alarm at the third error."""

    def __init__(self):
        self.n_errors = 0
        self.drift_detected = False

    def update(self, x):
        self.n_errors += x
        self.drift_detected = self.n_errors == 3


def test_any_detector_with_update_and_drift_detected_fits():
    assert isinstance(ThirdError(), DriftDetector)
    assert isinstance(DDM(), DriftDetector)
    assert feed(ThirdError(), [1, 0, 1, 1, 0])
    assert not feed(ThirdError(), [1, 0, 1])


@pytest.mark.parametrize("name", ["ADWIN", "KSWIN", "PageHinkley"])
def test_detectors_of_river_fit(name):
    drift = pytest.importorskip("river.drift")
    detector = getattr(drift, name)()

    assert isinstance(detector, DriftDetector)
    assert feed(detector, bernoulli([0.1] * 2000 + [0.9] * 2000, 0))
