"""Figures that follow the colour scheme of the reader: light lines where the page is dark.

A figure is an image, and the style sheet of the page does not reach into it. Its own does, and
browsers tell it the scheme.
"""

from __future__ import annotations

__all__ = ["follow_color_scheme"]

# Colours of `svmosaic.plots` and what they are on a dark page: text and lines, axes, marks, bands,
# and the blue of first curves. The others are readable on both.
_DARK = {
    "#000000": "#e8eaf0",
    "#555555": "#a3aab8",
    "#777777": "#8f97a6",
    "#c8c8c8": "#4a505c",
    "#0072b2": "#2b8fd6",
}
# What matplotlib writes black has no fill of its own. Numbers on coloured cells stay as they are.
_RULES = [
    f"svg {{ fill: {_DARK['#000000']}; }}",
    '[id^="on_colour"] { fill: #000000; }',
    '[id^="patch_"] > path[style*="fill: #ffffff"] { fill: none !important; }',
    *(
        f'[style*="{what}: {light}"] {{ {what}: {dark} !important; }}'
        for light, dark in _DARK.items()
        for what in ("fill", "stroke")
    ),
]
_STYLE = f"\n@media (prefers-color-scheme: dark) {{ {' '.join(_RULES)} }}".encode()
_FIGURE = b'<g id="figure_1">'
_END = b"</style>"


def follow_color_scheme(svg: bytes) -> bytes | None:
    """Return a figure of `svmosaic.plots.to_svg` with colours for dark pages too.

    Parameters
    ----------
    svg : bytes
        The figure.

    Returns
    -------
    bytes or None
        None where it is not such a figure, so that nothing is known of its colours.

    Examples
    --------
    >>> from svmosaic.plots import new_axes, to_svg
    >>> from svmosaic.reports.dark_figures import follow_color_scheme
    >>> b"prefers-color-scheme: dark" in follow_color_scheme(to_svg(new_axes()))
    True
    """
    if _FIGURE not in svg or _END not in svg:
        return None
    return svg.replace(_END, _STYLE + _END, 1)
