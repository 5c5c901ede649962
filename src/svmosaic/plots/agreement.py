"""How the representatives of bags settle, pass by pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.pipeline import Pipeline

from svmosaic.plots.style import draw_series, finish, new_axes

__all__ = ["plot_agreement"]


def plot_agreement(models: Any, *, ax: Any = None, title: str | None = None) -> Any:
    """Draw the share of representatives that each pass left as they were.

    The figure 4.2 of Melki's dissertation. A classifier whose curve does not end at 1 went
    in a cycle, or had no passes left.

    Parameters
    ----------
    models : estimator or dict of str to estimator
        Fitted classifiers with ``agreement_``, or pipelines that end in one, by the name to show.
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
    >>> import numpy as np
    >>> from svmosaic import MIRSVMClassifier
    >>> from svmosaic.plots import plot_agreement
    >>> rng = np.random.default_rng(0)
    >>> bags = [rng.normal(i % 2, 1.0, (3, 2)) for i in range(12)]
    >>> model = MIRSVMClassifier(random_state=0).fit(bags, np.arange(12) % 2)
    >>> plot_agreement(model).get_xlabel()
    'pass'
    """
    named = models if isinstance(models, Mapping) else {type(_classifier(models)).__name__: models}
    series = {name: _points(name, _classifier(model)) for name, model in named.items()}
    ax = new_axes() if ax is None else ax
    draw_series(ax, series)
    ax.axhline(1.0, color="#555555", linestyle="--", linewidth=0.8)
    ax.set_ylim(0.0, 1.05)
    ax.xaxis.get_major_locator().set_params(integer=True)
    return finish(ax, title=title, xlabel="pass", ylabel="share of representatives unchanged")


def _classifier(model: Any) -> Any:
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def _points(name: str, classifier: Any) -> list[tuple[float, float]]:
    shares = getattr(classifier, "agreement_", None)
    if shares is None:
        raise ValueError(
            f"plot_agreement expects fitted classifiers with 'agreement_', such as "
            f"MIRSVMClassifier for two classes. {name!r} has none."
        )
    return [(float(number), float(share)) for number, share in enumerate(shares, 1)]
