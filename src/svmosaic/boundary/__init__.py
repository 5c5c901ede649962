"""Characteristic boundary points: finding them, the machine they regularise, kernel widths.

See docs/boundary_points.md for the method and its formulas.
"""

from __future__ import annotations

from svmosaic.boundary.points import BoundaryPoints, characteristic_boundary_points
from svmosaic.boundary.widths import WidthPath, peak_sigma, radius_sigma, width_path

__all__ = [
    "BoundaryPoints",
    "WidthPath",
    "characteristic_boundary_points",
    "peak_sigma",
    "radius_sigma",
    "width_path",
]
