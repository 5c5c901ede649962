"""Parameters as JSON; what JSON lacks becomes an object with one key."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from svmosaic.utils.array_checks import refuse

__all__ = ["from_plain", "plain_value"]

_MAX_DEPTH = 8


def plain_value(value: Any, who: str) -> Any:
    """Return a value as JSON; `who` names it in messages."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"float": str(float(value))}
    if isinstance(value, list):
        return [plain_value(item, who) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [plain_value(item, who) for item in value]}
    if isinstance(value, dict):
        return {
            "dict": [[plain_value(key, who), plain_value(item, who)] for key, item in value.items()]
        }
    if callable(value):
        raise TypeError(
            f"{who} is a function, and a model file holds no code. Use a named kernel, or "
            "kernel='precomputed' with the function's values."
        )
    raise TypeError(
        f"{who} must be a number, a string, None, or a list, tuple or dict of these to be saved. "
        f"Got {type(value).__name__} instead."
    )


def from_plain(value: Any, depth: int = 0) -> Any:
    """Return the parameter that `plain_value` stored."""
    if depth > _MAX_DEPTH:
        refuse("a parameter is nested too deeply")
    if type(value) is int and not -(2**63) <= value < 2**63:
        refuse("a parameter is a whole number of more than 64 bits")
    if isinstance(value, list):
        return [from_plain(item, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    tag, content = next(iter(value.items())) if len(value) == 1 else ("", None)
    if tag == "float" and content in ("nan", "inf", "-inf"):
        return float(content)
    if tag == "tuple" and isinstance(content, list):
        return tuple(from_plain(item, depth + 1) for item in content)
    if tag == "dict" and isinstance(content, list):
        return dict(_pair(item, depth + 1) for item in content)
    return refuse("a parameter is of a kind that no model has")


def _pair(item: Any, depth: int) -> tuple[Any, Any]:
    if not isinstance(item, list) or len(item) != 2 or isinstance(item[0], list | dict):
        refuse("a parameter is of a kind that no model has")
    return from_plain(item[0], depth), from_plain(item[1], depth)
