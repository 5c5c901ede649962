"""How a quantity grows with the number of rows: time, support vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from svmosaic.plots.style import draw_series, finish, name_powers, new_axes

__all__ = ["plot_growth"]


def plot_growth(
    series: Mapping[str, Sequence[tuple[float, float]]],
    *,
    ylabel: str,
    xlabel: str = "rows",
    ax: Any = None,
    title: str | None = None,
) -> Any:
    """Draw values against the number of rows, both on logarithmic axes.

    On such axes a power of n is a straight line, and its slope is the exponent.

    Parameters
    ----------
    series : mapping of str to sequence of tuple of float
        For each method its pairs of rows and value. Pairs that are not positive have no place on
        logarithmic axes and are left out.
    ylabel, xlabel : str
        What the values and the rows are.
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
    >>> from svmosaic.plots import plot_growth
    >>> ax = plot_growth({"SVC": [(100, 0.1), (1000, 9.0)]}, ylabel="seconds")
    >>> ax.get_xscale(), ax.get_yscale()
    ('log', 'log')
    """
    ax = new_axes() if ax is None else ax
    positive = {
        name: [(x, y) for x, y in points if x > 0 and y > 0] for name, points in series.items()
    }
    draw_series(ax, positive)
    ax.set_xscale("log")
    ax.set_yscale("log")
    points = [point for of_name in positive.values() for point in of_name]
    name_powers(ax.xaxis, [x for x, _ in points])
    name_powers(ax.yaxis, [y for _, y in points])
    return finish(ax, title=title, xlabel=xlabel, ylabel=ylabel)
