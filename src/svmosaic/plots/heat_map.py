"""Scores over two parameters as a map of colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from svmosaic.plots.style import finish, new_axes

__all__ = ["plot_heat_map"]

# Up to this many columns and rows the numbers are written into the map.
_MOST_WRITTEN = 8
# At most this many ticks are named on an axis.
_MOST_NAMED = 9


def plot_heat_map(
    scores: Any,
    columns: Sequence[Any],
    rows: Sequence[Any],
    *,
    xlabel: str,
    ylabel: str,
    label: str = "score",
    ax: Any = None,
    title: str | None = None,
) -> Any:
    """Draw scores over two parameters; a frame marks the best one.

    Parameters
    ----------
    scores : array-like of shape (n_rows, n_columns)
        The scores, nan where there is none. The highest is the best.
    columns, rows : sequence
        Values of the two parameters.
    xlabel, ylabel : str
        Names of the two parameters: of the columns, of the rows.
    label : str, default="score"
        What the colours mean.
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
    >>> from svmosaic.plots import plot_heat_map
    >>> ax = plot_heat_map([[0.8, 0.9], [0.7, 0.6]], [0.1, 1], [1, 10], xlabel="gamma", ylabel="C")
    >>> [text.get_text() for text in ax.texts]
    ['0.800', '0.900', '0.700', '0.600']
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.shape != (len(rows), len(columns)):
        raise ValueError(
            f"The scores of a heat map have the shape {values.shape}; {len(rows)} rows and "
            f"{len(columns)} columns are named. Give one score for each pair."
        )
    ax = new_axes() if ax is None else ax
    image = ax.imshow(
        np.ma.masked_invalid(values),
        origin="lower",
        aspect="auto",
        cmap="viridis",
        interpolation="nearest",
    )
    bar = ax.figure.colorbar(image, ax=ax, pad=0.02)
    bar.set_label(label, parse_math=False)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=8.5)
    _name_ticks(ax.xaxis, columns)
    _name_ticks(ax.yaxis, rows)
    if max(values.shape) <= _MOST_WRITTEN:
        _write_numbers(ax, values, image)
    if np.isfinite(values).any():
        _frame_best(ax, values)
    finish(ax, title=title, xlabel=xlabel, ylabel=ylabel)
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)
    ax.tick_params(length=0)
    return ax


def _name_ticks(axis: Any, values: Sequence[Any]) -> None:
    step = -(-len(values) // _MOST_NAMED)
    places = range(0, len(values), step)
    names = [_short(values[place]) for place in places]
    axis.set_ticks(list(places), labels=names)
    for tick in axis.get_ticklabels():
        tick.set_parse_math(False)


def _short(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.3g}"
    return str(value)


def _write_numbers(ax: Any, values: Any, image: Any) -> None:
    for (i, j), value in np.ndenumerate(values):
        if np.isfinite(value):
            dark = image.norm(value) < 0.6
            ax.text(
                *(j, i, f"{value:.3f}"),
                ha="center",
                va="center",
                fontsize=8,
                color="white" if dark else "black",
                gid=f"on_colour_{i}_{j}",
            )


def _frame_best(ax: Any, values: Any) -> None:
    i, j = np.unravel_index(np.nanargmax(values), values.shape)
    xs = [j - 0.5, j + 0.5, j + 0.5, j - 0.5, j - 0.5]
    ys = [i - 0.5, i - 0.5, i + 0.5, i + 0.5, i - 0.5]
    for colour, width in (("white", 4.0), ("#D55E00", 2.2)):
        ax.plot(xs, ys, color=colour, linewidth=width, clip_on=False, zorder=5)
