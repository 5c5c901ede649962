"""How well alarms tell the changes of a stream's concept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

__all__ = ["AlarmScores", "score_alarms"]


class AlarmScores(NamedTuple):
    """Alarms against the true changes of concept.

    Attributes
    ----------
    n_found, n_missed : int
        Changes with and without an alarm.
    n_false : int
        Alarms without a change, or for a change that an earlier alarm found.
    mean_delay : float
        Samples from a change to its alarm, over the changes found; nan if there are none.
    samples_per_false : float
        Samples of the stream for each false alarm; infinity if there are none.
    mean_time_ratio : float
        ``samples_per_false / mean_delay * n_found / (n_found + n_missed)``; larger is better. 0 if
        no change was found, nan if there was none.
    """

    n_found: int
    n_missed: int
    n_false: int
    mean_delay: float
    samples_per_false: float
    mean_time_ratio: float


def score_alarms(
    alarms: Sequence[int], drifts: Sequence[int], n_samples: int, *, horizon: int | None = None
) -> AlarmScores:
    """Compare the alarms of a detector or learner with the true changes of concept.

    The first alarm after a change counts as its detection, if it comes before the next
    change and within the horizon. All others are false.

    Parameters
    ----------
    alarms : sequence of int
        After how many samples each alarm was raised, in rising order.
    drifts : sequence of int
        The number, from 0, of the first sample of each new concept, in rising order.
    n_samples : int
        The length of the stream.
    horizon : int, default=None
        Samples after a change in which an alarm counts for it; None means until the next one.

    Returns
    -------
    AlarmScores
        Changes found and missed, false alarms, delays.

    References
    ----------
    .. [1] A. Bifet (2017), "Classifier concept drift detection and the illusion of progress",
       ICAISC, section 3 (mean time ratio), :doi:`10.1007/978-3-319-59060-8_64`.

    Examples
    --------
    >>> from svmosaic.metrics import score_alarms
    >>> score_alarms([120, 150, 450], drifts=[100, 300], n_samples=500, horizon=100)[:4]
    (1, 1, 2, 20.0)
    """
    for name, places in (("alarms", alarms), ("drifts", drifts)):
        if any(a > b for a, b in pairwise(places)):
            raise ValueError(
                f"score_alarms expects {name} in rising order. Got {list(places)!r}; sort them."
            )
    delays = []
    for i, drift in enumerate(drifts):
        last = drifts[i + 1] if i + 1 < len(drifts) else n_samples
        if horizon is not None:
            last = min(last, drift + horizon)
        # An alarm after exactly `drift` samples has seen none of the new concept.
        first = next((alarm - drift for alarm in alarms if drift < alarm <= last), None)
        if first is not None:
            delays.append(first)
    n_found, n_missed = len(delays), len(drifts) - len(delays)
    n_false = len(alarms) - n_found
    mean_delay = math.fsum(delays) / n_found if n_found else math.nan
    per_false = n_samples / n_false if n_false else math.inf
    ratio = math.nan
    if drifts:
        ratio = per_false / mean_delay * n_found / len(drifts) if n_found else 0.0
    return AlarmScores(n_found, n_missed, n_false, mean_delay, per_false, ratio)
