"""The trajectory of OLLAWV: how the worst violation falls as support vectors come in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from svmosaic.plots.style import COLOURS, finish, new_axes

__all__ = ["plot_trajectory"]

# A curve of more points than this is thinned; the eye sees no difference.
_MOST_POINTS = 2000
# More curves than this are drawn thin and without names.
_MOST_NAMED = 4
# A longer trajectory gets a logarithmic axis.
_MOST_LINEAR_STEPS = 200
# Half the window of the running mean, as a share of the steps and in steps.
_WINDOW_SHARE = 0.02
_WIDEST_HALF = 50


def plot_trajectory(
    model: Any,
    *,
    problems: Sequence[int] | None = None,
    ax: Any = None,
    title: str | None = None,
) -> Any:
    """Draw the worst y f(x) after each step against the number of support vectors.

    The selection starts with violations and ends where the worst sample reaches the margin. The
    values jump from step to step; a line through their running mean shows where they go.

    Parameters
    ----------
    model : OLLAWVClassifier or Pipeline
        A fitted model; a pipeline must end in one.
    problems : sequence of int, default=None
        The binary problems to draw; None means all.
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
    >>> from sklearn.datasets import load_iris
    >>> from svmosaic import OLLAWVClassifier
    >>> from svmosaic.plots import plot_trajectory
    >>> model = OLLAWVClassifier(refine=None).fit(*load_iris(return_X_y=True))
    >>> plot_trajectory(model).get_xlabel()
    'support vectors'
    """
    classifier = model.steps[-1][1] if isinstance(model, Pipeline) else model
    path = classifier.path_
    chosen = range(len(path)) if problems is None else problems
    ax = new_axes() if ax is None else ax
    named = len(chosen) <= _MOST_NAMED
    for number, m in enumerate(chosen):
        colour = COLOURS[number % len(COLOURS)]
        name = f"problem {m}" if len(chosen) > 1 else "worst y f(x) / C"
        _draw_path(ax, path[m], colour, name if named else None, faint=not named)
    margin = 0.0 if classifier.refine == "full" else classifier.margin
    ax.axhline(margin, color="black", linestyle="--", linewidth=1.3, label=f"margin {margin:g}")
    if max(path[m].rows.size for m in chosen) > _MOST_LINEAR_STEPS:
        # Most happens in the first steps.
        ax.set_xscale("log")
    ax.legend(frameon=False, loc="lower right")
    return finish(ax, title=title, xlabel="support vectors", ylabel="worst y f(x) / C")


def _draw_path(ax: Any, path: Any, colour: str, name: str | None, *, faint: bool) -> None:
    support, violations = path.n_support, path.violations
    if faint:
        x, y = _thin(support, _running_mean(violations))
        ax.plot(x, y, color=colour, linewidth=0.9, alpha=0.6)
        return
    x, y = _thin(support, violations)
    ax.plot(x, y, color=colour, linewidth=0.7, alpha=0.45, label=name)
    x, y = _thin(support, _running_mean(violations))
    ax.plot(x, y, color=colour, linewidth=1.8, label=f"{name}, running mean")


def _thin(x: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return fewer points, the first ones all, as a logarithmic axis shows them."""
    later = np.linspace(0, x.size - 1, min(x.size, _MOST_POINTS)).astype(np.int64)
    keep = np.union1d(np.arange(min(x.size, _MOST_LINEAR_STEPS)), later)
    return x[keep], y[keep]


def _running_mean(values: NDArray[Any]) -> NDArray[Any]:
    """Return the means of windows around each value, narrower at the ends."""
    place = np.arange(values.size)
    widest = min(_WIDEST_HALF, max(1, int(_WINDOW_SHARE * values.size)))
    # Narrow at the start, where the values rise most.
    half = np.minimum(np.minimum(widest, place // 2), values.size - 1 - place)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    begin, end = place - half, place + half + 1
    return np.asarray((sums[end] - sums[begin]) / (end - begin))
