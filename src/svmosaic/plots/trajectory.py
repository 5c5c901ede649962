"""The trajectory of OLLAWV: how the worst violation falls as support vectors come in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from svmosaic.engine.class_pairs import class_pairs
from svmosaic.plots.style import COLOURS, finish, new_axes, shorten

__all__ = ["plot_trajectory"]

# A curve of more points than this is thinned; the eye sees no difference.
_MOST_POINTS = 2000
# More curves than this cannot be distinguished.
_MOST_DRAWN = 5
# A longer trajectory gets a logarithmic axis.
_MOST_LINEAR_STEPS = 200
# Half the window of the running mean, as a share of the steps and in steps.
_WINDOW_SHARE = 0.02
_WIDEST_HALF = 50
# Letters of the name of a class.
_LONGEST_LABEL = 16


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
        The binary problems to draw. None means all or, of more than five, those with the most
        steps: they are the hardest, and the legend says how many there are.
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
    chosen = _hardest(path) if problems is None else list(problems)
    ax = new_axes() if ax is None else ax
    names = _problem_names(classifier) if len(path) > 1 else ["worst y f(x) / C"]
    for number, m in enumerate(chosen):
        _draw_path(ax, path[m], COLOURS[number % len(COLOURS)], names[m], alone=len(path) == 1)
    margin = 0.0 if classifier.refine == "full" else classifier.margin
    ax.axhline(margin, color="black", linestyle="--", linewidth=1.3, label=f"margin {margin:g}")
    if max(path[m].rows.size for m in chosen) > _MOST_LINEAR_STEPS:
        # Most happens in the first steps.
        ax.set_xscale("log")
    legend = ax.legend(frameon=False, loc="lower right", title=_note(len(chosen), path, problems))
    legend.set_alignment("left")
    legend.get_title().set_fontsize("small")
    for text in legend.get_texts():
        # A dollar sign in the name of a class is a dollar sign.
        text.set_parse_math(False)
    return finish(ax, title=title, xlabel="support vectors", ylabel="worst y f(x) / C")


def _hardest(path: Sequence[Any]) -> list[int]:
    """Return the problems with the most steps, the hardest first where not all are drawn."""
    if len(path) <= _MOST_DRAWN:
        return list(range(len(path)))
    steps = np.array([one.rows.size for one in path])
    return [int(m) for m in np.argsort(-steps, kind="stable")[:_MOST_DRAWN]]


def _problem_names(classifier: Any) -> list[str]:
    labels = [shorten(str(label), _LONGEST_LABEL) for label in classifier.classes_]
    return [
        f"{labels[i]} vs rest" if j < 0 else f"{labels[i]} vs {labels[j]}"
        for i, j in class_pairs(len(labels), classifier.multi_class)
    ]


def _note(n_drawn: int, path: Sequence[Any], problems: Sequence[int] | None) -> str | None:
    """Return what is left out, if it was not chosen by the caller."""
    if problems is not None or n_drawn == len(path):
        return None
    return f"the {n_drawn} hardest of {len(path)} problems"


def _draw_path(ax: Any, path: Any, colour: str, name: str, *, alone: bool) -> None:
    x, y = _thin(path.n_support, path.violations)
    # Of several, the mean has the name and the steps are behind it.
    ax.plot(x, y, color=colour, linewidth=0.7, alpha=0.45, label=name if alone else None)
    x, y = _thin(path.n_support, _running_mean(path.violations))
    ax.plot(x, y, color=colour, linewidth=1.8, label="running mean" if alone else name)


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
