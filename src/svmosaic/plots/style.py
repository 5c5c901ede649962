"""One look for all figures: colours that colour-blind readers can tell apart, plain axes."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from svmosaic.utils.optional import import_optional

__all__ = [
    "COLOURS",
    "MARKERS",
    "draw_series",
    "finish",
    "is_geometric",
    "name_powers",
    "new_axes",
    "shorten",
    "to_png",
    "to_svg",
]

# M. Okabe and K. Ito, "Color Universal Design" (2008); the yellow is left out, it is too light.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
# A second sign beside the colour, for prints without colours.
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
# A third one for more than seven.
_DASHES = ("-", "--", ":")

# Inches. At this width a figure fills a phone's screen with letters of readable size.
_SIZE = (4.8, 3.9)
_FONT_SIZE = 10.5
_GREY = "#555555"
_DPI = 150
# Names longer than this do not fit side by side above a figure.
_LONG_NAME = 22
# Letters of a line of a title, and of a name in a legend.
_TITLE_WIDTH = 48
_LEGEND_WIDTH = 46
# Above this factor between the ends of an axis its powers of ten are enough.
_PLAIN_FACTOR = 300.0


def new_axes(size: tuple[float, float] = _SIZE) -> Any:
    """Return the axes of a new figure that belongs to no window.

    Parameters
    ----------
    size : tuple of float, default=(4.8, 3.9)
        Width and height in inches.

    Returns
    -------
    ax : matplotlib.axes.Axes
        Its figure is ``ax.figure``.

    Examples
    --------
    >>> from svmosaic.plots import new_axes
    >>> ax = new_axes()
    >>> ax.figure.get_size_inches().tolist()
    [4.8, 3.9]
    """
    module = import_optional("matplotlib.figure", "draw figures")
    figure = module.Figure(figsize=size, layout="constrained", facecolor="white")
    return figure.add_subplot()


def finish(ax: Any, *, title: str | None, xlabel: str, ylabel: str) -> Any:
    """Label the axes and give them the common look; an existing title stays if none is given."""
    if title is not None:
        # A longer line would be cut at the edges of the figure.
        lines = textwrap.fill(title, _TITLE_WIDTH)
        ax.set_title(lines, fontsize=_FONT_SIZE + 1, parse_math=False)
    ax.set_xlabel(xlabel, fontsize=_FONT_SIZE, parse_math=False)
    ax.set_ylabel(ylabel, fontsize=_FONT_SIZE, parse_math=False)
    ax.tick_params(labelsize=_FONT_SIZE - 1, colors=_GREY)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(_GREY)
    legend = ax.get_legend()
    if legend is not None:
        for text in legend.get_texts():
            text.set_fontsize(_FONT_SIZE - 1)
    return ax


def draw_series(ax: Any, series: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    """Draw a line with markers through the points of each name; the names are above the axes."""
    lines = {}
    for number, (name, points) in enumerate(series.items()):
        if points:
            (lines[name],) = ax.plot(
                *zip(*sorted(points), strict=True),
                color=COLOURS[number % len(COLOURS)],
                marker=MARKERS[number % len(MARKERS)],
                linestyle=_DASHES[number // len(COLOURS) % len(_DASHES)],
                markersize=5.5,
                linewidth=1.4,
            )
    ax.grid(alpha=0.25, linewidth=0.7)
    # One line needs no name.
    if len(lines) < 2:
        return
    legend = ax.legend(
        list(lines.values()),
        [shorten(name, _LEGEND_WIDTH) for name in lines],
        frameon=False,
        loc="lower left",
        bbox_to_anchor=(-0.02, 1.0),
        ncols=2 if max(map(len, lines)) <= _LONG_NAME else 1,
        borderaxespad=0.2,
        columnspacing=1.2,
        handlelength=1.8,
    )
    for text in legend.get_texts():
        # A dollar sign in a name is a dollar sign.
        text.set_parse_math(False)


def name_powers(axis: Any, values: Sequence[float]) -> None:
    """Give a logarithmic axis over few powers of ten ticks with plain numbers."""
    if not values or max(values) > _PLAIN_FACTOR * min(values):
        return
    ticker = import_optional("matplotlib.ticker", "draw figures")
    axis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(ticker.NullFormatter())


def shorten(name: str, most: int) -> str:
    """Return a name of at most this many letters; the end of a longer one becomes an ellipsis."""
    return name if len(name) <= most else f"{name[: most - 1].rstrip()}…"


def is_geometric(values: Sequence[float]) -> bool:
    """Whether values in rising order are spread over factors rather than steps."""
    if len(values) < 3 or values[0] <= 0:
        return False
    middle = values[len(values) // 2]
    return middle - values[0] < 0.35 * (values[-1] - values[0])


def to_svg(ax: Any) -> bytes:
    """Return the figure of `ax` as SVG; the same figure gives the same bytes.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Axes of the figure.

    Returns
    -------
    bytes
        What the file would hold.

    Examples
    --------
    >>> from svmosaic.plots import new_axes, to_svg
    >>> b"<svg" in to_svg(new_axes())
    True
    """
    matplotlib = import_optional("matplotlib", "draw figures")
    stream = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "svmosaic", "svg.fonttype": "path"}):
        # Points are drawn as pixels inside the SVG where there are many; hence the resolution.
        ax.figure.savefig(stream, format="svg", dpi=_DPI, metadata={"Date": None, "Creator": None})
    return stream.getvalue()


def to_png(ax: Any) -> bytes:
    """Return the figure of `ax` as PNG.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Axes of the figure.

    Returns
    -------
    bytes
        What the file would hold.

    Examples
    --------
    >>> from svmosaic.plots import new_axes, to_png
    >>> to_png(new_axes())[1:4]
    b'PNG'
    """
    stream = io.BytesIO()
    ax.figure.savefig(stream, format="png", dpi=_DPI, metadata={"Software": None})
    return stream.getvalue()
