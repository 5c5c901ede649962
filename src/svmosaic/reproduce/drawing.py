"""A figure that was drawn, with its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from svmosaic.plots import to_png, to_svg

__all__ = ["Drawing", "Rows"]

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Drawing:
    """A figure as SVG and PNG, with its numbers in tables by name."""

    svg: bytes
    png: bytes
    tables: Mapping[str, Rows]

    @classmethod
    def of(cls, axes: Sequence[Any], **tables: Rows) -> Drawing:
        """Return the figure that has these axes; the table ``rows`` has no name of its own."""
        named = {"" if name == "rows" else f"-{name}": rows for name, rows in tables.items()}
        return cls(to_svg(axes[0]), to_png(axes[0]), named)
