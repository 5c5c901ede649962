"""JSON from a file that nobody vouches for: one object, every key once, finite numbers only."""

from __future__ import annotations

import json
import math
from typing import Any

from svmosaic.exceptions import ModelFileError

__all__ = ["canonical_json", "parse_object"]


def canonical_json(value: Any) -> str:
    """Return JSON in one form only, so that equal values have equal texts."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def parse_object(text: str, what: str) -> dict[str, Any]:
    """Return a JSON object; a key that comes twice, nan and infinity are refused.

    Parameters
    ----------
    text : str
        The JSON.
    what : str
        What it is, for messages, such as ``"the header of the model file"``.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ModelFileError(f"{what} has an entry twice")
        return found

    def finite(number: str) -> float:
        # 1e999 is a number to JSON and infinity to Python.
        value = float(number)
        if not math.isfinite(value):
            raise ModelFileError(f"{what} holds a number that is too large")
        return value

    def no_constant(name: str) -> Any:
        raise ModelFileError(f"{what} holds {name}")

    try:
        parsed = json.loads(
            text, object_pairs_hook=unique, parse_constant=no_constant, parse_float=finite
        )
    except ModelFileError:
        raise
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{what} is damaged") from error
    if not isinstance(parsed, dict):
        raise ModelFileError(f"{what} is damaged")
    return parsed
