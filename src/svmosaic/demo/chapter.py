"""A chapter of the demo, and what chapters share."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from svmosaic.plots import to_svg
from svmosaic.reports import Figure, Section

__all__ = ["Chapter", "best_seconds", "to_figure"]

# A time below this is measured again, and the best counts: a short one is mostly noise.
_SHORT_SECONDS = 0.3
_MOST_REPEATS = 5


@dataclass(frozen=True)
class Chapter:
    """A part of the demo.

    Attributes
    ----------
    fact : tuple of str
        Its result in a few words, and the figure that stands out.
    sentence : str
        The result as one sentence for the terminal and the top of the page.
    section : Section
        The part of the page.
    """

    fact: tuple[str, str]
    sentence: str
    section: Section


def best_seconds(work: Callable[[], object]) -> float:
    """Return the seconds of the fastest of a few calls."""
    best, spent = float("inf"), 0.0
    for _ in range(_MOST_REPEATS):
        begin = time.perf_counter()
        work()
        seconds = time.perf_counter() - begin
        best, spent = min(best, seconds), spent + seconds
        if spent >= _SHORT_SECONDS:
            break
    return best


def to_figure(ax: Any, alt: str, caption: str, *, wide: bool = False) -> Figure:
    """Return drawn axes as a figure of the page."""
    return Figure(to_svg(ax), "image/svg+xml", alt, caption, wide)
