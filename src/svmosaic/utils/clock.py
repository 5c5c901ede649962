"""A limit on seconds that several calls of solvers share."""

from __future__ import annotations

import time

__all__ = ["Deadline"]


class Deadline:
    """Counts from when it is made.

    Parameters
    ----------
    seconds : float or None
        None means no limit.
    """

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    def seconds_left(self) -> float:
        """Return what is left as solvers want it: 0 means no limit."""
        # A deadline that is over still has to be noticed by the solver, which returns at once.
        return 0.0 if self._end is None else max(1e-9, self._end - time.monotonic())
