"""The folders of the gallery, in the order in which they are shown."""

from __future__ import annotations

__all__ = ["FOLDERS"]

FOLDERS = [
    "../examples/classification",
    "../examples/regression",
    "../examples/several_targets",
    "../examples/bags",
    "../examples/streams",
    "../examples/comparisons",
    "../examples/large_data",
    "../examples/deployment",
]
