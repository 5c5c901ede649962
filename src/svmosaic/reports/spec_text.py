"""A spec that was kept as plain values, written as TOML again."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["spec_as_toml"]


def spec_as_toml(experiment: Mapping[str, Any]) -> str:
    """Return the TOML file of an experiment, with all defaults written out.

    Examples
    --------
    >>> from svmosaic.reports.spec_text import spec_as_toml
    >>> print(spec_as_toml({"name": "small", "protocol": {"outer": 3}, "data": [], "methods": []}))
    name = "small"
    <BLANKLINE>
    [protocol]
    outer = 3
    """
    return "\n".join(_lines(experiment))


def _lines(experiment: Mapping[str, Any]) -> Iterator[str]:
    if "name" in experiment:
        yield f"name = {_value(experiment['name'])}"
    protocol = experiment.get("protocol")
    if protocol:
        yield from ("", "[protocol]", *_entries(protocol))
    for part in ("data", "methods"):
        for table in experiment.get(part, []):
            yield from ("", f"[[{part}]]", *_entries(table))


def _entries(table: Mapping[str, Any]) -> Iterator[str]:
    for name, value in table.items():
        # TOML has no null: an entry that is left out is None.
        if value is not None and value != {}:
            yield f"{_key(name)} = {_value(value)}"


def _key(name: str) -> str:
    plain = name.isascii() and name.replace("_", "a").replace("-", "a").isalnum()
    return name if plain else json.dumps(name)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(name)} = {_value(item)}" for name, item in value.items())
        return f"{{ {inner} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    # The spec's word for None; text of JSON is text of TOML except for the sign DEL.
    return json.dumps("None" if value is None else value, ensure_ascii=False).replace(
        "\x7f", "\\u007f"
    )
