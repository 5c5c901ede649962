"""Characteristic boundary points: finding them, the SVM that they regularise, kernel widths.

See docs/boundary_points.md for the method and its formulas.
"""

from __future__ import annotations

from svmosaic.boundary.kernel_widths import WidthPath, peak_sigma, radius_sigma, width_path
from svmosaic.boundary.points import BoundaryPoints, characteristic_boundary_points

__all__ = [
    "BoundaryPoints",
    "WidthPath",
    "characteristic_boundary_points",
    "peak_sigma",
    "radius_sigma",
    "width_path",
]
