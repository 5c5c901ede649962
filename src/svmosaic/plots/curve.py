"""Scores against one parameter, a curve for each method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from svmosaic.plots.style import draw_series, finish, is_geometric, new_axes

__all__ = ["plot_curves"]

# Up to this many values of the parameter each has a tick of its own.
_MOST_TICKS = 8


def plot_curves(
    series: Mapping[str, Sequence[tuple[float, float]]],
    *,
    xlabel: str,
    ylabel: str,
    ax: Any = None,
    title: str | None = None,
) -> Any:
    """Draw a score against a parameter.

    The axis of the parameter is logarithmic where its values grow by factors.

    Parameters
    ----------
    series : mapping of str to sequence of tuple of float
        For each method its pairs of parameter and score.
    xlabel, ylabel : str
        Names of the parameter and of the score.
    ax : matplotlib.axes.Axes, default=None
        Where to draw; None makes a new figure.
    title : str, default=None
        The title.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes drawn into.

    Examples
    --------
    >>> from svmosaic.plots import plot_curves
    >>> ax = plot_curves({"SVC": [(0.1, 0.8), (1, 0.9), (10, 0.7)]}, xlabel="C", ylabel="accuracy")
    >>> ax.get_xscale()
    'log'
    """
    ax = new_axes() if ax is None else ax
    draw_series(ax, series)
    tried = sorted({x for pairs in series.values() for x, _ in pairs})
    if is_geometric(tried):
        ax.set_xscale("log")
    if len(tried) <= _MOST_TICKS:
        ax.set_xticks(tried, labels=[f"{x:,.0f}" if x >= 1000 else f"{x:.3g}" for x in tried])
        ax.set_xticks([], minor=True)
    return finish(ax, title=title, xlabel=xlabel, ylabel=ylabel)
