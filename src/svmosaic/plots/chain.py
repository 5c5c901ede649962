"""Correlations of several targets, in the order of a chain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from svmosaic.plots.style import finish, new_axes
from svmosaic.utils.correlations import target_correlations

__all__ = ["plot_chain"]

# Up to this many targets the coefficients are written into the map.
_MOST_WRITTEN = 10


def plot_chain(
    Y: Any,
    order: Sequence[int],
    *,
    names: Sequence[str] | None = None,
    ax: Any = None,
    title: str | None = None,
) -> Any:
    """Draw the correlations of the targets in the order of a chain.

    Each row is named with the target and the sum of its coefficients, by which `SVRCC` orders.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_targets)
        Targets of the training rows.
    order : sequence of int
        The chain, for example ``model.chains_[0]``.
    names : sequence of str, default=None
        Names of the targets; None means their numbers.
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
    >>> from sklearn.datasets import load_linnerud
    >>> from svmosaic.plots import plot_chain
    >>> ax = plot_chain(load_linnerud().target, [1, 0, 2], names=load_linnerud().target_names)
    >>> [tick.get_text() for tick in ax.get_xticklabels()]
    ['Waist', 'Weight', 'Pulse']
    """
    targets = np.asarray(Y, dtype=np.float64)
    chain = [int(target) for target in order]
    if targets.ndim != 2 or sorted(chain) != list(range(targets.shape[1])):
        raise ValueError(
            f"The order of a chain must name each column of Y once. Got {chain} for Y of shape "
            f"{targets.shape}."
        )
    P = target_correlations(targets)
    shown = P[np.ix_(chain, chain)]
    known = [str(target) for target in range(len(chain))] if names is None else list(names)
    ax = new_axes() if ax is None else ax
    image = ax.imshow(shown, cmap="RdBu", vmin=-1.0, vmax=1.0, interpolation="nearest")
    bar = ax.figure.colorbar(image, ax=ax, pad=0.02)
    bar.set_label("correlation")
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=8.5)
    places = range(len(chain))
    ax.set_xticks(places, labels=[known[t] for t in chain], rotation=45, ha="right")
    ax.set_yticks(places, labels=[f"{known[t]}, sum {P[t].sum():.2f}" for t in chain])
    for tick in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        tick.set_parse_math(False)
    if len(chain) <= _MOST_WRITTEN:
        for (i, j), value in np.ndenumerate(shown):
            colour = "white" if abs(value) > 0.6 else "black"
            ax.text(
                *(j, i, f"{value:.2f}"),
                ha="center",
                va="center",
                fontsize=8,
                color=colour,
                gid=f"on_colour_{i}_{j}",
            )
    finish(ax, title=title, xlabel="target, in the order of the chain", ylabel="")
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)
    ax.tick_params(length=0)
    return ax
