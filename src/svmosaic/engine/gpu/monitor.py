"""Progress and the time limit of a run, asked between the steps of a solver."""

from __future__ import annotations

import time

from svmosaic.engine.cpu import Progress

__all__ = ["Monitor"]

# Seconds between two reports.
_INTERVAL = 0.05


class Monitor:
    """Counts problems and steps, reports them, and says when the time is over.

    Ctrl-C needs no help: Python raises it between two steps.
    """

    def __init__(self, n_problems: int, max_time: float, progress: Progress | None) -> None:
        self.n_problems = n_problems
        self.n_done = 0
        self.n_steps = 0
        self._progress = progress
        self._deadline = time.monotonic() + max_time if max_time > 0 else float("inf")
        self._next_report = time.monotonic() + _INTERVAL

    def add(self, steps: int) -> None:
        """Count steps and report them if it is time to."""
        self.n_steps += steps
        now = time.monotonic()
        if self._progress is not None and now >= self._next_report:
            self._next_report = now + _INTERVAL
            self._progress(self.n_done, self.n_problems, self.n_steps)

    @property
    def is_late(self) -> bool:
        """Whether the time limit is over."""
        return time.monotonic() >= self._deadline
