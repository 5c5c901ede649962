"""Drift detectors: from errors, one by one, to an alarm."""

from __future__ import annotations

import math
from typing import Any, Protocol, runtime_checkable

import numpy as np

from svmosaic.utils.array_checks import refuse
from svmosaic.utils.state_codec import Flag, Real, Record, Scope, Whole

__all__ = ["DDM", "DDM_STATE", "DriftDetector", "feed"]


@runtime_checkable
class DriftDetector(Protocol):
    """What a stream learner asks of a detector; River's detectors have it."""

    drift_detected: bool

    def update(self, x: Any) -> Any:
        """Take one error: 1 for a wrong prediction, 0 for a right one.

        Parameters
        ----------
        x : bool or int
            The error.

        Returns
        -------
        object
            Detectors of different libraries return different things.
        """


def feed(detector: DriftDetector, errors: Any) -> bool:
    """Give a detector some errors; return whether it raised an alarm at any of them.

    It stops at the first alarm, since a detector may restart with the next error.

    Parameters
    ----------
    detector : DriftDetector
        The detector.
    errors : array-like of bool or int
        The errors, in their order.

    Examples
    --------
    >>> from svmosaic.drift import DDM, feed
    >>> feed(DDM(), [0, 1] * 50), feed(DDM(), [0] * 190 + [1] * 30)
    (False, True)
    """
    if isinstance(detector, DDM):
        return detector.update_many(errors)
    for error in np.asarray(errors).astype(int).tolist():
        detector.update(error)
        if detector.drift_detected:
            return True
    return False


class DDM:
    r"""Drift detection by the number of errors, the Drift Detection Method.

    While the concept stays, the share of errors :math:`p_i` of a learner falls. The detector keeps
    the lowest :math:`p_i + s_i`, with :math:`s_i = \sqrt{p_i (1 - p_i) / i}`, and raises an alarm
    when the current one is `alarm` standard deviations above it. The next error after an alarm is
    the first of a new concept.

    Parameters
    ----------
    warning : float, default=2.0
        Standard deviations for a warning.
    alarm : float, default=3.0
        Standard deviations for an alarm. A larger value reacts later and errs less often.
    min_samples : int, default=30
        Errors and right predictions before the first alarm.

    Attributes
    ----------
    drift_detected, warning_detected : bool
        Whether the last error raised an alarm, or a warning.
    n_samples : int
        Predictions since the last alarm.

    References
    ----------
    .. [1] J. Gama, P. Medas, G. Castillo, P. Rodrigues (2004), "Learning with drift detection",
       SBIA, section 3, :doi:`10.1007/978-3-540-28645-5_29`.

    Examples
    --------
    >>> from svmosaic.streams import DDM
    >>> detector = DDM()
    >>> alarms = [i for i in range(400) if detector.update(i % 10 == 0 if i < 300 else i % 2 == 0)]
    >>> 300 < alarms[0] < 400
    True
    """

    def __init__(self, warning: float = 2.0, alarm: float = 3.0, min_samples: int = 30) -> None:
        if not 0.0 < warning <= alarm:
            raise ValueError(
                f"DDM expects 0 < warning <= alarm. Got warning={warning} and alarm={alarm}."
            )
        if min_samples < 1:
            raise ValueError(f"DDM expects min_samples >= 1. Got {min_samples}.")
        self.warning = warning
        self.alarm = alarm
        self.min_samples = min_samples
        self.reset()

    def __repr__(self) -> str:
        return f"DDM(warning={self.warning}, alarm={self.alarm}, min_samples={self.min_samples})"

    def reset(self) -> None:
        """Start again: no errors, no alarm."""
        self.drift_detected = False
        self.warning_detected = False
        self.n_samples = 0
        self._n_errors = 0
        self._lowest = math.inf
        self._lowest_share = 0.0
        self._lowest_deviation = 0.0

    def update(self, x: Any) -> bool:
        """Take one error and return whether it raises an alarm.

        Parameters
        ----------
        x : bool or int
            1 for a wrong prediction, 0 for a right one.

        Returns
        -------
        bool
            True at an alarm.
        """
        return self.update_many([x])

    def update_many(self, errors: Any) -> bool:
        """Take some errors, in their order, up to the first alarm; return whether there was one.

        Parameters
        ----------
        errors : array-like of bool or int
            1 for a wrong prediction, 0 for a right one. Those after an alarm are not looked at.

        Returns
        -------
        bool
            True if there was an alarm.
        """
        if self.drift_detected:
            self.reset()
        wrong = np.asarray(errors).astype(np.int64).ravel()
        if wrong.size == 0:
            return False
        n = self.n_samples + np.arange(1, wrong.size + 1)
        n_errors = self._n_errors + np.cumsum(wrong)
        share = n_errors / n
        deviation = np.sqrt(share * (1.0 - share) / n)
        level = np.where((n >= self.min_samples) & (n_errors > 0), share + deviation, np.inf)
        # The place of the lowest level so far; -1 stands for the one of earlier calls.
        levels = np.concatenate([[self._lowest], level])
        lowest = np.minimum.accumulate(levels)
        place = np.maximum.accumulate(np.where(levels == lowest, np.arange(levels.size), 0))
        low_share = np.concatenate([[self._lowest_share], share])[place]
        low_deviation = np.concatenate([[self._lowest_deviation], deviation])[place]
        known = np.isfinite(level)
        alarms = known & (level > (low_share + self.alarm * low_deviation)[1:])
        last = int(alarms.argmax()) if alarms.any() else wrong.size - 1
        self.n_samples = int(n[last])
        self._n_errors = int(n_errors[last])
        self._lowest = float(lowest[last + 1])
        self._lowest_share = float(low_share[last + 1])
        self._lowest_deviation = float(low_deviation[last + 1])
        self.drift_detected = bool(alarms[last])
        limit = self._lowest_share + self.warning * self._lowest_deviation
        self.warning_detected = bool(known[last] and level[last] > limit)
        return self.drift_detected


def _check_ddm(detector: DDM, path: str, sizes: Scope) -> None:
    if detector.warning > detector.alarm or detector._n_errors > detector.n_samples:
        refuse(f"'{path}' is not the state of a detector")


DDM_STATE = Record(
    DDM,
    {
        "warning": Real(above=0.0),
        "alarm": Real(above=0.0),
        "min_samples": Whole(1),
        "drift_detected": Flag(),
        "warning_detected": Flag(),
        "n_samples": Whole(),
        "_n_errors": Whole(),
        # Infinite before there are enough samples.
        "_lowest": Real(minimum=0.0, odd=("inf",)),
        "_lowest_share": Real(minimum=0.0, maximum=1.0),
        "_lowest_deviation": Real(minimum=0.0),
    },
    checks=(_check_ddm,),
)
