"""Ctrl-C in two steps: the end of the current piece of work, or soon whatever is running."""

from __future__ import annotations

import _thread
import signal
import threading
from types import FrameType
from typing import Any, Self

__all__ = ["GentleInterrupt"]

# A chunk that ends in this time is finished first. A user feels a quarter of a second.
_PATIENCE_SECONDS = 0.15


class GentleInterrupt:
    """Within a ``with`` block, Ctrl-C first asks and a moment later interrupts.

    Work that is done in short pieces calls `check` between them and so ends where nothing is
    lost. A longer piece is interrupted in its middle.
    """

    def __init__(self) -> None:
        self._asked = False
        self._timer: threading.Timer | None = None
        self._before: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def check(self) -> None:
        """Raise KeyboardInterrupt if the user has asked for the end."""
        if self._asked:
            if self._timer is not None:
                self._timer.cancel()
            raise KeyboardInterrupt

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True
        # It calls this handler again, in the main thread.
        self._timer = threading.Timer(_PATIENCE_SECONDS, _thread.interrupt_main)
        self._timer.daemon = True
        self._timer.start()
