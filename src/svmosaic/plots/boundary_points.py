"""Characteristic boundary points on two features, with their balls."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmosaic.boundary import characteristic_boundary_points
from svmosaic.plots.boundary import _add_legend, _checked, _draw_samples, _make_grid, _set_limits
from svmosaic.plots.style import finish, new_axes
from svmosaic.utils.optional import import_optional

__all__ = ["plot_boundary_points"]

_GREEN = "#1b7f3b"
# More balls than this hide what they should show.
_MOST_BALLS = 400


def plot_boundary_points(
    X: Any,
    y: Any,
    *,
    balls: bool = True,
    sigma: float | None = None,
    ax: Any = None,
    title: str | None = None,
    feature_names: tuple[str, str] = ("feature 1", "feature 2"),
) -> Any:
    """Draw the characteristic boundary points and the empty balls that make them.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
        Samples.
    y : array-like of shape (n_samples,)
        Their classes.
    balls : bool, default=True
        Whether to draw the balls; of many, those of some points at regular distances in the list.
    sigma : float, default=None
        A kernel width to show as a bar in the corner.
    ax : matplotlib.axes.Axes, default=None
        Where to draw; None makes a new figure.
    title : str, default=None
        The title.
    feature_names : tuple of str, default=("feature 1", "feature 2")
        Labels of the axes.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes drawn into.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from svmosaic.plots import plot_boundary_points
    >>> ax = plot_boundary_points(*make_moons(40, noise=0.1, random_state=0))
    >>> [text.get_text() for text in ax.get_legend().get_texts()][:2]
    ['class 0', 'class 1']
    """
    X, y = _checked(X, y)
    found = characteristic_boundary_points(X, y)
    ax = new_axes() if ax is None else ax
    _draw_samples(ax, X, y, np.unique(y), faint=True)
    if balls:
        _draw_balls(ax, found.points, found.radii)
    ax.scatter(
        *found.points.T,
        s=9,
        c=_GREEN,
        linewidths=0,
        label=f"boundary points ({found.radii.size})",
        zorder=4,
    )
    grid = _make_grid(X, 2)
    _set_limits(ax, grid)
    # Balls are round only where both axes have one unit.
    ax.set_aspect("equal", adjustable="box")
    if sigma is not None:
        _draw_width(ax, grid, sigma)
    _add_legend(ax)
    return finish(ax, title=title, xlabel=feature_names[0], ylabel=feature_names[1])


def _draw_balls(ax: Any, points: Any, radii: Any) -> None:
    patches = import_optional("matplotlib.patches", "draw figures")
    collections = import_optional("matplotlib.collections", "draw figures")
    step = -(-radii.size // _MOST_BALLS)
    circles = [
        patches.Circle(point, radius)
        for point, radius in zip(points[::step], radii[::step], strict=True)
    ]
    ax.add_collection(
        collections.PatchCollection(
            circles, facecolors="none", edgecolors=_GREEN, linewidths=0.5, alpha=0.55, zorder=3
        )
    )


def _draw_width(ax: Any, grid: Any, sigma: float) -> None:
    left, bottom = grid.x[0] + 0.04 * np.ptp(grid.x), grid.y[0] + 0.05 * np.ptp(grid.y)
    ax.plot([left, left + sigma], [bottom, bottom], color="black", linewidth=2.5, zorder=5)
    ax.annotate(
        f"sigma = {sigma:.3g}",
        (left, bottom),
        xytext=(0, 4),
        textcoords="offset points",
        fontsize=9,
        zorder=5,
    )
