"""Figures of the papers: numbers against the size of data sets, and boundaries side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmosaic.plots.boundary import plot_boundaries
from svmosaic.plots.style import COLOURS, MARKERS, finish
from svmosaic.utils.optional import import_optional

__all__ = ["BoundaryPanel", "boundary_points", "plot_against_size", "plot_boundary_panels"]

_PANEL_SIZE = (4.8, 3.9)
_GRID_POINTS = 200


@dataclass(frozen=True)
class BoundaryPanel:
    """One panel of boundaries: samples, fitted models by name, and the best decision."""

    title: str
    X: NDArray[np.float64]
    y: NDArray[np.int64]
    models: Mapping[str, Any]
    bayes: Callable[[NDArray[np.float64]], Any]


def plot_against_size(
    panels: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]],
    *,
    ylabel: str,
    log_y: bool = False,
) -> Any:
    """Draw numbers of methods against the number of samples, one panel beside the other.

    Parameters
    ----------
    panels : dict of str to dict
        By title: for each method its points, (number of samples, value).
    ylabel : str
        What the values are.
    log_y : bool, default=False
        Whether the values stand on a logarithmic axis.

    Returns
    -------
    axes : list of matplotlib.axes.Axes
        One per panel; all panels have the same limits.

    Examples
    --------
    >>> from svmosaic.plots.published_figures import plot_against_size
    >>> points = {"a": [(100, 1.0), (1000, 4.0)], "b": [(100, 2.0), (1000, 30.0)]}
    >>> left, right = plot_against_size({"ours": points, "paper": points}, ylabel="s")
    >>> left.get_ylim() == right.get_ylim()
    True
    """
    axes = _new_panels(len(panels))
    names = list(dict.fromkeys(name for methods in panels.values() for name in methods))
    for ax, (title, methods) in zip(axes, panels.items(), strict=True):
        for name, points in methods.items():
            number = names.index(name)
            x, y = np.array(sorted(points)).reshape(-1, 2).T
            ax.plot(
                x,
                y,
                color=COLOURS[number % len(COLOURS)],
                marker=MARKERS[number % len(MARKERS)],
                markersize=4,
                linewidth=1,
                label=name,
            )
        ax.set_xscale("log")
        ax.set_yscale("log" if log_y else "linear")
        ax.legend(frameon=False)
        finish(ax, title=title, xlabel="samples", ylabel=ylabel)
    _share_limits(axes)
    return axes


def plot_boundary_panels(panels: Sequence[BoundaryPanel]) -> Any:
    """Draw the boundaries of models, one panel beside the other.

    Parameters
    ----------
    panels : sequence of BoundaryPanel
        What to draw.

    Returns
    -------
    axes : list of matplotlib.axes.Axes
        One per panel.
    """
    axes = _new_panels(len(panels))
    for ax, panel in zip(axes, panels, strict=True):
        plot_boundaries(panel.models, panel.X, panel.y, bayes=panel.bayes, ax=ax, title=panel.title)
    return axes


def boundary_points(
    decision: Callable[[NDArray[np.float64]], Any], X: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return points at which a decision is zero, in the rectangle of some samples.

    Parameters
    ----------
    decision : callable
        Gets points of shape (n, 2) and returns n values.
    X : ndarray of shape (n_samples, 2)
        The samples.

    Returns
    -------
    ndarray of shape (n_points, 2)
        Along the boundary, piece by piece.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.plots.published_figures import boundary_points
    >>> points = boundary_points(lambda P: P[:, 0] - 0.5, np.array([[0.0, 0.0], [1.0, 1.0]]))
    >>> bool(np.allclose(points[:, 0], 0.5))
    True
    """
    contourpy = import_optional("contourpy", "follow the boundary of a machine")
    x, y = (np.linspace(X[:, j].min(), X[:, j].max(), _GRID_POINTS) for j in range(2))
    grid = np.column_stack([np.tile(x, y.size), np.repeat(y, x.size)])
    values = np.asarray(decision(grid), dtype=np.float64).reshape(y.size, x.size)
    lines = contourpy.contour_generator(x, y, values).lines(0.0)
    return np.concatenate(lines) if lines else np.empty((0, 2))


def _new_panels(count: int) -> list[Any]:
    module = import_optional("matplotlib.figure", "draw figures")
    width, height = _PANEL_SIZE
    figure = module.Figure(figsize=(count * width, height), layout="constrained", facecolor="white")
    return list(figure.subplots(1, count, squeeze=False)[0])


def _share_limits(axes: Sequence[Any]) -> None:
    for get, put in (("get_xlim", "set_xlim"), ("get_ylim", "set_ylim")):
        limits = [getattr(ax, get)() for ax in axes]
        for ax in axes:
            getattr(ax, put)(min(low for low, _ in limits), max(high for _, high in limits))
