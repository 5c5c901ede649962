"""Figures of fitted models, drawn with matplotlib.

Every function draws into the axes it is given, or into those of a new figure, and returns the
axes. No figure is shown and no global state of matplotlib is touched.
"""

from __future__ import annotations

from svmosaic.plots.agreement import plot_agreement
from svmosaic.plots.bag_boundary import plot_bag_boundary
from svmosaic.plots.boundary import plot_boundaries, plot_boundary
from svmosaic.plots.boundary_points import plot_boundary_points
from svmosaic.plots.chain import plot_chain
from svmosaic.plots.critical_difference import plot_comparison, plot_critical_difference
from svmosaic.plots.curve import plot_curves
from svmosaic.plots.growth import plot_growth
from svmosaic.plots.heat_map import plot_heat_map
from svmosaic.plots.reliability import plot_reliability, reliability_bins
from svmosaic.plots.stream_curves import plot_prequential
from svmosaic.plots.style import new_axes, to_png, to_svg
from svmosaic.plots.trajectory import plot_trajectory
from svmosaic.plots.width_profile import plot_sigma_lambda, plot_width_profile

__all__ = [
    "new_axes",
    "plot_agreement",
    "plot_bag_boundary",
    "plot_boundaries",
    "plot_boundary",
    "plot_boundary_points",
    "plot_chain",
    "plot_comparison",
    "plot_critical_difference",
    "plot_curves",
    "plot_growth",
    "plot_heat_map",
    "plot_prequential",
    "plot_reliability",
    "plot_sigma_lambda",
    "plot_trajectory",
    "plot_width_profile",
    "reliability_bins",
    "to_png",
    "to_svg",
]
