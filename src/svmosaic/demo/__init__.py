"""What ``svmosaic demo`` shows: a chapter for each kind of problem, measured when it runs."""

from __future__ import annotations

from svmosaic.demo.chapter import Chapter
from svmosaic.demo.scale import FULL, QUICK, Scale

__all__ = ["FULL", "QUICK", "Chapter", "Scale"]
