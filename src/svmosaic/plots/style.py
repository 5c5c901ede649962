"""One look for all figures: colours that colour-blind readers can tell apart, plain axes."""

from __future__ import annotations

import io
from typing import Any

from svmosaic.utils.optional import import_optional

__all__ = ["COLOURS", "MARKERS", "finish", "new_axes", "to_png", "to_svg"]

# M. Okabe and K. Ito, "Color Universal Design" (2008); the yellow is left out, it is too light.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
# A second sign beside the colour, for prints without colours.
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

# Inches. At this width a figure fills a phone's screen with letters of readable size.
_SIZE = (4.8, 3.9)
_FONT_SIZE = 10.5
_GREY = "#555555"
_DPI = 150


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
        ax.set_title(title, fontsize=_FONT_SIZE + 1)
    ax.set_xlabel(xlabel, fontsize=_FONT_SIZE)
    ax.set_ylabel(ylabel, fontsize=_FONT_SIZE)
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


def to_svg(ax: Any) -> bytes:
    """Return the figure of `ax` as SVG; the same figure gives the same bytes.

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

    Examples
    --------
    >>> from svmosaic.plots import new_axes, to_png
    >>> to_png(new_axes())[1:4]
    b'PNG'
    """
    stream = io.BytesIO()
    ax.figure.savefig(stream, format="png", dpi=_DPI, metadata={"Software": None})
    return stream.getvalue()
