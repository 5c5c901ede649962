"""Warnings that point at the user's line, however deep in the library they arise."""

from __future__ import annotations

import sys
import warnings

__all__ = ["warn_user"]

# Frames of scikit-learn lie between ours, because it decorates `fit` and calls it in searches.
_LIBRARIES = ("svmosaic", "sklearn", "joblib")


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn at the line outside of the library that led here."""
    level = 1
    frame = sys._getframe()
    while frame.f_back is not None and _is_inside(frame.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _is_inside(module: str) -> bool:
    return module.partition(".")[0] in _LIBRARIES
