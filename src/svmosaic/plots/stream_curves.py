"""Measures along a data stream, a curve for each learner, with marks where the concept changes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from svmosaic.plots.style import COLOURS, finish, new_axes, shorten

if TYPE_CHECKING:
    from svmosaic.streams import PrequentialResult

__all__ = ["plot_prequential"]

_SIZE = (7.2, 3.9)
_DASHES = ("-", "--", ":")
# A curve of more points is drawn as means of neighbours; the eye sees no difference.
_MOST_POINTS = 400
_MARK_COLOUR = "#777777"
_LEGEND_WIDTH = 30
_LEGEND_COLUMNS = 3
_ALARM_LABEL = "a learner restarted"
# The height of a row of triangles, as a share of the axes.
_ALARM_ROW = 0.03


def plot_prequential(
    result: PrequentialResult,
    *,
    metric: str = "accuracy",
    windowed: bool = True,
    ax: Any = None,
    title: str | None = None,
) -> Any:
    """Draw a measure of each learner along the stream.

    Dashed lines are changes of the concept, triangles at the foot the places where a learner
    restarted, a row for each learner.

    Parameters
    ----------
    result : PrequentialResult
        What `svmosaic.streams.prequential` gave.
    metric : str, default="accuracy"
        The measure.
    windowed : bool, default=True
        Draw it over the last window of samples, which shows a change and the recovery; False draws
        it over all samples so far.
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
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from svmosaic.plots import plot_prequential
    >>> from svmosaic.streams import SEA, prequential
    >>> result = prequential(GaussianNB(), SEA(seed=1), n_samples=5000)
    >>> plot_prequential(result, metric="kappa").get_ylabel()
    'kappa, last window'
    """
    field = f"window_{metric}" if windowed else metric
    if not any(field in record for record in result.records):
        raise ValueError(
            f"The result has no measure {metric!r}. Choose one that prequential was asked for: "
            f"{', '.join(_measures(result.records)) or 'it has none'}."
        )
    ax = new_axes(_SIZE) if ax is None else ax
    names = list(dict.fromkeys(record["learner"] for record in result.records))
    n_alarmed = 0
    for number, name in enumerate(names):
        x, y = _curve(result.records, name, field)
        ax.plot(
            x,
            y,
            color=COLOURS[number % len(COLOURS)],
            linestyle=_DASHES[number // len(COLOURS) % len(_DASHES)],
            linewidth=1.4,
            label=shorten(name, _LEGEND_WIDTH),
        )
        alarms = result.alarms(name)
        if alarms:
            ax.plot(
                alarms,
                # A row of its own, since learners may restart in the same chunk.
                [_ALARM_ROW * n_alarmed] * len(alarms),
                marker="^",
                linestyle="none",
                color=COLOURS[number % len(COLOURS)],
                markersize=5,
                transform=ax.get_xaxis_transform(),
                clip_on=False,
                label=_ALARM_LABEL if n_alarmed == 0 else None,
            )
            n_alarmed += 1
    end = max(record["end"] for record in result.records)
    for number, drift in enumerate(drift for drift in result.drifts if drift < end):
        label = "the concept changes" if number == 0 else None
        ax.axvline(drift, color=_MARK_COLOUR, linestyle="--", linewidth=0.9, label=label)
    ax.grid(alpha=0.25, linewidth=0.7)
    ax.set_xlim(0, end)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    legend = ax.legend(
        frameon=False,
        # Below the axes, where neither curves nor the title are.
        loc="upper left",
        bbox_to_anchor=(-0.02, -0.16),
        ncols=_LEGEND_COLUMNS,
        borderaxespad=0.2,
    )
    for text in legend.get_texts():
        # A dollar sign in a name is a dollar sign.
        text.set_parse_math(False)
    shown = metric.replace("_", " ")
    ylabel = f"{shown}, last window" if windowed else f"{shown}, all samples"
    return finish(ax, title=title, xlabel="samples", ylabel=ylabel)


def _measures(records: Sequence[Mapping[str, Any]]) -> list[str]:
    prefix = "window_"
    return [n.removeprefix(prefix) for n in (records[0] if records else ()) if n.startswith(prefix)]


def _curve(records: Sequence[Mapping[str, Any]], name: str, field: str) -> tuple[Any, Any]:
    """Return samples and values; the first chunk, which nobody predicts, has none."""
    points = [
        (record["end"], record[field])
        for record in records
        if record["learner"] == name and not math.isnan(record[field])
    ]
    if len(points) <= _MOST_POINTS:
        return [x for x, _ in points], [y for _, y in points]
    parts = np.array_split(np.array(points, dtype=np.float64), _MOST_POINTS)
    means = np.array([part.mean(axis=0) for part in parts])
    return means[:, 0], means[:, 1]
