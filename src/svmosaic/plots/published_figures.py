"""Figures of the papers in panels: numbers against sizes, boundaries, ranks, chains, bags."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmosaic.plots.agreement import plot_agreement
from svmosaic.plots.bag_boundary import plot_bag_boundary
from svmosaic.plots.boundary import plot_boundaries
from svmosaic.plots.chain import plot_chain
from svmosaic.plots.critical_difference import plot_comparison
from svmosaic.plots.style import COLOURS, MARKERS, finish
from svmosaic.stats.comparison_record import ComparisonRecord
from svmosaic.utils.optional import import_optional

__all__ = [
    "BagPanel",
    "BoundaryPanel",
    "ChainPanel",
    "boundary_points",
    "plot_against_size",
    "plot_agreement_panels",
    "plot_bag_panels",
    "plot_boundary_panels",
    "plot_chain_panels",
    "plot_rank_panels",
]

_PANEL_SIZE = (4.8, 3.9)
# A diagram of ranks is a wide one; its panels are stacked.
_RANK_PANEL_SIZE = (6.8, 3.0)
_CHAIN_PANEL_SIZE = (5.6, 4.4)
_AGREEMENT_PANEL_SIZE = (3.6, 2.8)
_AGREEMENT_COLUMNS = 3
_GRID_POINTS = 200


@dataclass(frozen=True)
class BoundaryPanel:
    """One panel of boundaries: samples, fitted models by name, and the best decision."""

    title: str
    X: NDArray[np.float64]
    y: NDArray[np.int64]
    models: Mapping[str, Any]
    bayes: Callable[[NDArray[np.float64]], Any]


@dataclass(frozen=True)
class ChainPanel:
    """One panel of correlations: targets, the order of their chain, and their names."""

    title: str
    Y: NDArray[np.float64]
    order: Sequence[int]
    names: Sequence[str]


@dataclass(frozen=True)
class BagPanel:
    """One panel of a boundary between bags: a fitted model, the bags and their classes."""

    title: str
    model: Any
    bags: Any
    y: NDArray[np.int64]


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
        Whether the axis of the values is logarithmic.

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


def plot_rank_panels(panels: Mapping[str, ComparisonRecord]) -> Any:
    """Draw critical-difference diagrams, one below the other.

    Parameters
    ----------
    panels : dict of str to comparison
        What to draw, by title.

    Returns
    -------
    axes : list of matplotlib.axes.Axes
        One per panel.
    """
    axes = _new_panels(len(panels), _RANK_PANEL_SIZE, columns=1)
    for ax, (title, result) in zip(axes, panels.items(), strict=True):
        plot_comparison(result, ax=ax, title=title)
    return axes


def plot_chain_panels(panels: Sequence[ChainPanel]) -> Any:
    """Draw the correlations of targets in the order of their chains, side by side.

    Parameters
    ----------
    panels : sequence of ChainPanel
        What to draw.

    Returns
    -------
    axes : list of matplotlib.axes.Axes
        One per panel.
    """
    axes = _new_panels(len(panels), _CHAIN_PANEL_SIZE)
    for ax, panel in zip(axes, panels, strict=True):
        plot_chain(panel.Y, panel.order, names=panel.names, ax=ax, title=panel.title)
    return axes


def plot_agreement_panels(panels: Mapping[str, Mapping[str, Any]]) -> Any:
    """Draw how the representatives of bags settle, three panels in a row.

    Parameters
    ----------
    panels : dict of str to dict
        By title: fitted classifiers by name.

    Returns
    -------
    axes : list of matplotlib.axes.Axes
        One per panel.
    """
    axes = _new_panels(len(panels), _AGREEMENT_PANEL_SIZE, columns=_AGREEMENT_COLUMNS)
    for ax, (title, models) in zip(axes, panels.items(), strict=True):
        plot_agreement(models, ax=ax, title=title)
        ax.set_ylabel("share unchanged")
    _share_legend(axes)
    return axes


def plot_bag_panels(panels: Sequence[BagPanel]) -> Any:
    """Draw boundaries between bags, one panel beside the other.

    Parameters
    ----------
    panels : sequence of BagPanel
        What to draw.

    Returns
    -------
    axes : list of matplotlib.axes.Axes
        One per panel.
    """
    axes = _new_panels(len(panels))
    for ax, panel in zip(axes, panels, strict=True):
        plot_bag_boundary(panel.model, panel.bags, panel.y, ax=ax, title=panel.title)
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
    contourpy = import_optional("contourpy", "follow the boundary of a classifier")
    x, y = (np.linspace(X[:, j].min(), X[:, j].max(), _GRID_POINTS) for j in range(2))
    grid = np.column_stack([np.tile(x, y.size), np.repeat(y, x.size)])
    values = np.asarray(decision(grid), dtype=np.float64).reshape(y.size, x.size)
    lines = contourpy.contour_generator(x, y, values).lines(0.0)
    return np.concatenate(lines) if lines else np.empty((0, 2))


def _new_panels(
    count: int, size: tuple[float, float] = _PANEL_SIZE, *, columns: int | None = None
) -> list[Any]:
    """Return this many axes, in rows of `columns`; by default all in one row."""
    module = import_optional("matplotlib.figure", "draw figures")
    columns = min(columns or count, count)
    rows = -(-count // columns)
    figure = module.Figure(
        figsize=(columns * size[0], rows * size[1]), layout="constrained", facecolor="white"
    )
    axes = list(figure.subplots(rows, columns, squeeze=False).ravel())
    for ax in axes[count:]:
        ax.remove()
    return axes[:count]


def _share_legend(axes: Sequence[Any]) -> None:
    """Put one legend above all axes in place of theirs; the names are the same everywhere."""
    legend = axes[0].get_legend()
    if legend is None:
        return
    names = [text.get_text() for text in legend.get_texts()]
    handles = list(legend.legend_handles)
    for ax in axes:
        ax.get_legend().remove()
    axes[0].figure.legend(
        handles, names, loc="outside upper center", ncols=len(names), frameon=False
    )


def _share_limits(axes: Sequence[Any]) -> None:
    for get, put in (("get_xlim", "set_xlim"), ("get_ylim", "set_ylim")):
        limits = [getattr(ax, get)() for ax in axes]
        for ax in axes:
            getattr(ax, put)(min(low for low, _ in limits), max(high for _, high in limits))
