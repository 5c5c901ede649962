"""Reliability: predicted probabilities against how often the class came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from svmosaic.plots.style import draw_series, finish, new_axes

__all__ = ["plot_reliability", "reliability_bins"]


def reliability_bins(
    happened: Any, probabilities: Any, *, n_bins: int = 10
) -> list[tuple[float, float, int]]:
    """Return mean probability, share of events and number of samples of each bin.

    Bins hold about equally many samples, so that each share is known about equally well. Equal
    probabilities share a bin.

    Parameters
    ----------
    happened : array-like of bool, shape (n_samples,)
        Whether the event came: for a class, ``y == label``.
    probabilities : array-like of shape (n_samples,)
        What was predicted for it.
    n_bins : int, default=10
        Number of bins at most.

    Returns
    -------
    bins : list of (float, float, int)
        By ascending probability.

    Examples
    --------
    >>> from svmosaic.plots import reliability_bins
    >>> reliability_bins([False, True, True, True], [0.5, 0.5, 1.0, 1.0], n_bins=2)
    [(0.5, 0.5, 2), (1.0, 1.0, 2)]
    """
    events, p = np.asarray(happened), np.asarray(probabilities, dtype=np.float64)
    if events.shape != p.shape or p.ndim != 1 or p.size == 0:
        raise ValueError(
            "A reliability diagram needs one probability for each sample. Got shapes "
            f"{events.shape} and {p.shape}; pass y == label and a column of predict_proba."
        )
    if not np.isin(events, (0, 1)).all():
        raise ValueError(
            "A reliability diagram needs to know whether an event came: truth values, or 0 and 1. "
            f"Got {events[~np.isin(events, (0, 1))][0]!r}; pass y == label."
        )
    if not np.all((p >= 0.0) & (p <= 1.0)):
        wrong = p[~((p >= 0.0) & (p <= 1.0))][0]
        raise ValueError(f"A probability must be in [0, 1]. Got {wrong:g}; pass predict_proba.")
    if n_bins < 1:
        raise ValueError(f"The number of bins must be at least 1. Got {n_bins}.")
    edges = np.unique(np.quantile(p, np.linspace(0.0, 1.0, n_bins + 1)[1:-1]))
    places = np.searchsorted(edges, p, side="right")
    found = []
    for place in np.unique(places):
        inside = places == place
        found.append((float(p[inside].mean()), float(events[inside].mean()), int(inside.sum())))
    return found


def plot_reliability(
    curves: Mapping[str, tuple[Any, Any]],
    *,
    n_bins: int = 10,
    ax: Any = None,
    title: str | None = None,
) -> Any:
    """Draw how often an event occurred against its predicted probability.

    A point below the diagonal is a probability that was too high.

    Parameters
    ----------
    curves : mapping of str to (array-like, array-like)
        For each model whether the event came, and its probability: for a class ``y == label`` and
        its column of `predict_proba`, on samples that were not trained on.
    n_bins : int, default=10
        Maximum number of points of a curve; each represents about the same number of samples.
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
    >>> from svmosaic.plots import plot_reliability
    >>> ax = plot_reliability({"coin": ([True, False] * 5, [0.5] * 10)})
    >>> ax.get_lines()[-1].get_xydata().tolist()
    [[0.5, 0.5]]
    """
    ax = new_axes() if ax is None else ax
    ax.plot([0.0, 1.0], [0.0, 1.0], color="#999999", linewidth=1.0, linestyle="--")
    draw_series(
        ax,
        {
            name: [(p, share) for p, share, _ in reliability_bins(events, values, n_bins=n_bins)]
            for name, (events, values) in curves.items()
        },
    )
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    return finish(ax, title=title, xlabel="predicted probability", ylabel="share of events")
