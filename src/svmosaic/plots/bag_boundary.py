"""Decision boundaries of classifiers of bags, on instances with two features."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from svmosaic.bags import Bags, check_bags
from svmosaic.plots.boundary import (
    _add_legend,
    _checked,
    _draw_level,
    _draw_samples,
    _make_grid,
    _set_limits,
)
from svmosaic.plots.style import finish, new_axes

__all__ = ["plot_bag_boundary"]


def plot_bag_boundary(
    model: Any,
    X: Any,
    y: Any,
    *,
    ax: Any = None,
    representatives: bool = True,
    resolution: int = 120,
    title: str | None = None,
    feature_names: tuple[str, str] = ("feature 1", "feature 2"),
) -> Any:
    """Draw the instances of bags, the boundary between them, and the representatives.

    The figure 4.3 of Melki's dissertation. The boundary is where the score of a bag with one
    instance passes zero.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted classifier of bags, two classes.
    X : Bags or list of arrays
        The training bags, two features.
    y : array-like of shape (n_bags,)
        Their classes.
    ax : matplotlib.axes.Axes, default=None
        Where to draw; None makes a new figure.
    representatives : bool, default=True
        Whether to ring the representatives, where the model has ``representatives_``, thickly if
        they are support vectors; or else the support vectors.
    resolution : int, default=120
        Points of the grid along each axis.
    title : str, default=None
        The title.
    feature_names : tuple of str, default=("feature 1", "feature 2")
        Labels of the axes.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes drawn into.

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic import MIRSVMClassifier
    >>> from svmosaic.plots import plot_bag_boundary
    >>> rng = np.random.default_rng(0)
    >>> bags = [rng.normal(i % 2, 1.0, (3, 2)) for i in range(12)]
    >>> y = np.arange(12) % 2
    >>> model = MIRSVMClassifier(random_state=0).fit(bags, y)
    >>> plot_bag_boundary(model, bags, y, resolution=20).get_xlabel()
    'feature 1'
    """
    bags = check_bags(X, who="plot_bag_boundary")
    instances, labels = _checked(bags.instances, np.asarray(y)[bags.bag_of])
    classes = np.asarray(model.classes_)
    if classes.size != 2:
        raise ValueError(
            f"plot_bag_boundary expects a model of 2 classes. Got one of {classes.size}."
        )
    ax = new_axes() if ax is None else ax
    grid = _make_grid(instances, resolution)
    points = grid.points
    alone = Bags(points, np.arange(points.shape[0] + 1))
    scores = model.decision_function(alone)
    _draw_samples(ax, instances, labels, classes, faint=True)
    classifier = model.steps[-1][1] if isinstance(model, Pipeline) else model
    if representatives:
        _draw_rings(ax, instances, classifier)
    handles, names = ax.get_legend_handles_labels()
    handles.append(_draw_level(ax, grid, scores, "black", "-", 1.8))
    for level in (-1.0, 1.0):
        _draw_level(ax, grid, scores, "black", "--", 1.0, level=level)
    _set_limits(ax, grid)
    _add_legend(ax, handles, [*names, "boundary"])
    return finish(ax, title=title, xlabel=feature_names[0], ylabel=feature_names[1])


def _draw_rings(ax: Any, instances: Any, classifier: Any) -> None:
    rows = getattr(classifier, "representatives_", None)
    vectors = getattr(classifier, "support_vectors_", None)
    if rows is None and vectors is not None:
        _ring(ax, vectors, 1.6, f"support vectors ({vectors.shape[0]})")
    if rows is None:
        return
    if rows.max(initial=-1) >= instances.shape[0]:
        raise ValueError(
            f"plot_bag_boundary expects the bags that the model was trained on. They had more than "
            f"{instances.shape[0]} instances; pass representatives=False for others."
        )
    support = rows[classifier.support_]
    for chosen, width, name in (
        (np.setdiff1d(rows, support), 0.6, "representatives"),
        (support, 1.6, f"support vectors ({support.size})"),
    ):
        if chosen.size:
            _ring(ax, instances[chosen], width, name)


def _ring(ax: Any, points: Any, width: float, name: str) -> None:
    ax.scatter(
        *points.T,
        s=52,
        facecolors="none",
        edgecolors="black",
        linewidths=width,
        label=name,
        zorder=4,
    )
