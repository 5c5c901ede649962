"""Critical-difference diagrams: average ranks, and which of them differ significantly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from svmosaic.plots.style import new_axes, shorten
from svmosaic.stats.comparison_record import ComparisonRecord
from svmosaic.utils.optional import import_optional

__all__ = ["plot_comparison", "plot_critical_difference"]

_GREY = "#555555"
_INTERVAL = "#C8C8C8"
_FONT_SIZE = 10.5
# Inches: the width of the figure, of a line of labels, and of all that is above the labels.
_WIDTH = 6.4
_LINE = 0.26
_HEAD = 0.95
# Points: a digit of a number on the axis, the gap between two numbers, a letter of a name, a rank,
# the gap before a name. A rank is beyond the axis, where no line of another method crosses it.
_DIGIT = 6.1
_NUMBER_GAP = 5.0
_LETTER = 6.8
_RANK = 27.0
_GAP = 4.5
# Shares of the width that the axis takes, for short names and for long ones.
_MOST_AXIS = 0.51
_LEAST_AXIS = 0.22
# Letters of a name; longer ones would be too small.
_LONGEST_NAME = 32


def plot_comparison(result: ComparisonRecord, *, ax: Any = None, title: str | None = None) -> Any:
    """Draw the critical-difference diagram of a comparison.

    Without a control, bars join methods that do not differ significantly. With a control, a grey
    interval of the critical difference starts at its rank, and one bar joins the methods that do
    not differ significantly from it.

    Parameters
    ----------
    result : Comparison
        What `svmosaic.stats.compare` returned.
    ax : matplotlib.axes.Axes, default=None
        Where to draw; None makes a new figure.
    title : str, default=None
        The title.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> from svmosaic.plots import plot_comparison
    >>> from svmosaic.stats import compare
    >>> scores = {"a": [0.9, 0.8, 0.7, 0.9], "b": [0.8, 0.7, 0.6, 0.8], "c": [0.7, 0.6, 0.6, 0.7]}
    >>> ax = plot_comparison(compare(scores))
    """
    return plot_critical_difference(
        result.average_ranks,
        result.critical_difference,
        groups=() if result.control is not None else result.groups,
        control=result.control,
        ax=ax,
        title=title,
    )


def plot_critical_difference(
    ranks: Mapping[str, float],
    difference: float,
    *,
    groups: Sequence[Sequence[str]] = (),
    control: str | None = None,
    ax: Any = None,
    title: str | None = None,
) -> Any:
    """Draw average ranks on a line, the best on the left, and the critical difference.

    Parameters
    ----------
    ranks : mapping of str to float
        Average rank of each method.
    difference : float
        The critical difference.
    groups : sequence of sequences of str, default=()
        Methods that do not differ significantly; a bar joins each group.
    control : str, default=None
        The method that the others are compared with. A grey interval of the critical difference
        starts at its rank, and a bar joins the methods inside; those outside differ significantly
        from it.
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
    >>> from svmosaic.plots import plot_critical_difference
    >>> ax = plot_critical_difference({"a": 1.2, "b": 1.9, "c": 2.9}, 0.8, groups=[("a", "b")])
    >>> sorted(text.get_text() for text in ax.texts if text.get_text() in "abc")
    ['a', 'b', 'c']
    """
    if control is not None and control not in ranks:
        raise ValueError(f"The control {control!r} has no rank. Ranked are: {', '.join(ranks)}.")
    names = sorted(ranks, key=lambda name: ranks[name])
    n_lines = math.ceil(len(names) / 2)
    # One unit of height is one line of labels; the bars hang between the axis and the labels.
    bars = _stack(groups, ranks)
    below = 0.7 + 0.35 * len(bars) if control is None else 1.2
    height = _HEAD + _LINE * (n_lines + below)
    ax = new_axes((_WIDTH, height)) if ax is None else ax
    low, high = 1.0, float(max(2, len(names)))
    if control is not None:
        _draw_interval(ax, ranks, control, difference, (low, high))
        bars = _stack([_like_control(ranks, control, difference)], ranks)
    room = _room_of(ax, names, high - low)
    _draw_axis(ax, low, high, room)
    _draw_ruler(ax, low, high, difference)
    for level, group in enumerate(bars):
        # The bar of a control is in the middle of its interval.
        _draw_bar(ax, ranks, group, (-0.55 if control is None else -0.28) - 0.35 * level)
    _draw_names(ax, names, ranks, control, (low, high), below, room)
    ax.set_xlim(low - room.side, high + room.side)
    ax.set_ylim(-(n_lines + below) + 0.2, 2.9)
    ax.set_axis_off()
    if title is not None:
        ax.set_title(title, fontsize=_FONT_SIZE + 1)
    return ax


@dataclass(frozen=True)
class _Room:
    """How the width of the axes is shared.

    Attributes
    ----------
    point : float
        A point in ranks.
    side : float
        The room on either side of the axis, in ranks.
    font_size : float
        Of the names.
    """

    point: float
    side: float
    font_size: float


def _room_of(ax: Any, names: Sequence[str], n_ranks: float) -> _Room:
    """Give the axis what the names leave; long names get smaller letters too."""
    cell = ax.get_subplotspec()
    # The layout of a new figure gives all of its cell to the axes; others keep to their place.
    share = ax.get_position().width if cell is None else 0.97 / cell.get_gridspec().ncols
    width: float = 72.0 * ax.figure.get_figwidth() * share
    longest = _LETTER * max(len(shorten(name, _LONGEST_NAME)) for name in names)
    rest = width - 2.0 * (longest + _RANK + _GAP)
    axis = min(_MOST_AXIS * width, max(_LEAST_AXIS * width, rest))
    point = n_ranks / axis
    side = (width - axis) / 2.0
    smaller = min(1.0, (side - _RANK - _GAP) / longest)
    return _Room(point, side * point, _FONT_SIZE * smaller)


def _like_control(ranks: Mapping[str, float], control: str, difference: float) -> list[str]:
    """Return the methods that do not differ significantly from the control, itself included."""
    return [name for name in ranks if abs(ranks[name] - ranks[control]) < difference]


def _stack(groups: Sequence[Sequence[str]], ranks: Mapping[str, float]) -> list[Sequence[str]]:
    """Return the groups by their best rank: one bar per level, so that bars never touch."""
    return sorted(
        (group for group in groups if len(group) > 1),
        key=lambda group: min(ranks[name] for name in group),
    )


def _draw_axis(ax: Any, low: float, high: float, room: _Room) -> None:
    ax.plot([low, high], [0, 0], color="black", linewidth=1.2, solid_capstyle="butt", zorder=3)
    ticks = range(int(low), int(high) + 1)
    # Numbers that are closer would touch.
    step = math.ceil((_DIGIT * len(str(len(ticks))) + _NUMBER_GAP) * room.point)
    for tick in ticks:
        has_number = (tick - ticks[0]) % step == 0
        length = 0.22 if has_number else 0.12
        ax.plot([tick, tick], [0, length], color="black", linewidth=1.0, zorder=3)
        if has_number:
            ax.text(tick, 0.34, str(tick), ha="center", va="bottom", fontsize=_FONT_SIZE - 1)


def _draw_ruler(ax: Any, low: float, high: float, difference: float) -> None:
    """Draw the critical difference above the axis."""
    y = 1.75
    # A ruler longer than the axis is cut; then no two methods can differ.
    end = min(low + difference, high)
    ax.plot([low, end], [y, y], color=_GREY, linewidth=1.6, zorder=3)
    for x in (low, end):
        ax.plot([x, x], [y - 0.14, y + 0.14], color=_GREY, linewidth=1.2, zorder=3)
    ax.text(
        low,
        y + 0.25,
        f"critical difference {difference:.3g}",
        ha="left",
        va="bottom",
        fontsize=_FONT_SIZE - 1,
        color=_GREY,
    )


def _draw_interval(
    ax: Any,
    ranks: Mapping[str, float],
    control: str,
    difference: float,
    limits: tuple[float, float],
) -> None:
    """Shade the ranks that do not differ significantly from the control's."""
    patches = import_optional("matplotlib.patches", "draw figures")
    begin = ranks[control]
    # Where the control ranks best there is nothing on its left, and the papers draw one side.
    best = begin <= min(ranks.values())
    left = begin if best else max(limits[0], begin - difference)
    right = min(limits[1], begin + difference)
    ax.add_patch(
        patches.Rectangle((left, -0.5), right - left, 0.5, color=_INTERVAL, linewidth=0, zorder=1)
    )


def _draw_bar(ax: Any, ranks: Mapping[str, float], group: Sequence[str], y: float) -> None:
    values = [ranks[name] for name in group]
    ax.plot(
        [min(values) - 0.02, max(values) + 0.02],
        [y, y],
        color="black",
        linewidth=3.2,
        solid_capstyle="butt",
        zorder=4,
    )


def _draw_names(
    ax: Any,
    names: Sequence[str],
    ranks: Mapping[str, float],
    control: str | None,
    limits: tuple[float, float],
    below: float,
    room: _Room,
) -> None:
    """Write the better half on the left and the other half on the right, joined to their ranks."""
    low, high = limits
    half = math.ceil(len(names) / 2)
    gap, beyond = _GAP * room.point, _RANK * room.point
    for number, name in enumerate(names):
        on_left = number < half
        line = number if on_left else len(names) - 1 - number
        y = -(below + line)
        side = low - beyond if on_left else high + beyond
        ax.plot([ranks[name], ranks[name], side], [0, y, y], color=_GREY, linewidth=0.9, zorder=2)
        ax.text(
            side - gap if on_left else side + gap,
            y,
            shorten(name, _LONGEST_NAME),
            ha="right" if on_left else "left",
            va="center",
            fontsize=room.font_size,
            fontweight="bold" if name == control else "normal",
            # A dollar sign in a name is a dollar sign.
            parse_math=False,
        )
        ax.text(
            side + gap / 2 if on_left else side - gap / 2,
            y + 0.08,
            f"{ranks[name]:.2f}",
            ha="left" if on_left else "right",
            va="bottom",
            fontsize=_FONT_SIZE - 3,
            color=_GREY,
        )
