"""Decision boundaries of classifiers on two features."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from svmosaic.plots.class_regions import class_leads
from svmosaic.plots.style import COLOURS, MARKERS, finish, new_axes
from svmosaic.utils.optional import import_optional

__all__ = ["plot_boundaries", "plot_boundary"]

DoubleArray = NDArray[np.float64]
Decision = Callable[[DoubleArray], Any]

# Above this number, points become an image inside the figure, which keeps the file small.
_MOST_VECTOR_POINTS = 300
_FILL_ALPHA = 0.13
# Letters of three names that fit side by side below the axes.
_LEGEND_LETTERS = 40
_BOUNDARY_STYLES = ("-", "-.", ":", (0, (6, 1, 1, 1, 1, 1)))


def plot_boundary(
    model: Any,
    X: Any,
    y: Any,
    *,
    ax: Any = None,
    support: bool = True,
    margins: bool = True,
    resolution: int = 200,
    title: str | None = None,
    feature_names: tuple[str, str] | None = None,
) -> Any:
    """Draw the regions of the classes, the boundary, the margins and the support vectors.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted classifier on two features; a scaler before it is undone.
    X : array-like or data frame of shape (n_samples, 2)
        Samples to show; they also set the limits of the axes. The columns of a frame name the axes,
        and the model is asked with frames.
    y : array-like of shape (n_samples,)
        Their classes.
    ax : matplotlib.axes.Axes, default=None
        Where to draw; None makes a new figure.
    support : bool, default=True
        Whether to ring the support vectors.
    margins : bool, default=True
        Whether to draw the two margins, for models with two classes: where the decision value is
        plus or minus 1 or, for OLLAWV with ``refine=None``, plus or minus margin * C.
    resolution : int, default=200
        Points of the grid along each axis. A larger one shows finer details and costs its square.
        Near boundaries of three or more classes four times as many are asked along each axis.
    title : str, default=None
        The title.
    feature_names : tuple of str, default=None
        Labels of the axes. None means the columns of a frame, or "feature 1" and "feature 2".

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes drawn into.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svmosaic import OLLAWVClassifier
    >>> from svmosaic.plots import plot_boundary
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OLLAWVClassifier().fit(X[:, :2], y)
    >>> ax = plot_boundary(model, X[:, :2], y, resolution=20)
    >>> ax.get_xlabel()
    'feature 1'
    """
    feature_names, frame = feature_names or _names_of(X), _maker_of_frames(X)
    X, y = _checked(X, y)
    ax = new_axes() if ax is None else ax
    grid = _make_grid(X, resolution)
    classes = np.asarray(model.classes_)
    _draw_model(ax, grid, model, margins=margins, frame=frame)
    _draw_samples(ax, X, y, classes)
    if support:
        vectors = _support_vectors(model)
        ax.scatter(
            *vectors.T,
            s=46,
            facecolors="none",
            edgecolors="black",
            linewidths=0.7,
            label=f"support vectors ({vectors.shape[0]})",
            rasterized=vectors.shape[0] > _MOST_VECTOR_POINTS,
            zorder=4,
        )
    _set_limits(ax, grid)
    _add_legend(ax)
    return finish(ax, title=title, xlabel=feature_names[0], ylabel=feature_names[1])


def plot_boundaries(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    bayes: Decision | None = None,
    ax: Any = None,
    resolution: int = 200,
    title: str | None = None,
    feature_names: tuple[str, str] | None = None,
) -> Any:
    """Draw the boundaries of several two-class models into one figure.

    Parameters
    ----------
    models : dict of str to estimator
        Fitted classifiers on two features, by the name to show.
    X : array-like or data frame of shape (n_samples, 2)
        Samples to show.
    y : array-like of shape (n_samples,)
        Their classes.
    bayes : callable, default=None
        The best decision that there is: gets points of shape (n, 2) and returns values that are
        positive for the second class. Drawn dashed and black.
    ax, resolution, title, feature_names : optional
        As in `plot_boundary`.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes drawn into.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from svmosaic import OLLAWVClassifier
    >>> from svmosaic.plots import plot_boundaries
    >>> X, y = make_blobs(60, centers=2, random_state=0)
    >>> models = {f"C={C}": OLLAWVClassifier(C=C).fit(X, y) for C in (1, 100)}
    >>> ax = plot_boundaries(models, X, y, resolution=20)
    >>> [text.get_text() for text in ax.get_legend().get_texts()][-2:]
    ['C=1', 'C=100']
    """
    feature_names, frame = feature_names or _names_of(X), _maker_of_frames(X)
    X, y = _checked(X, y)
    for name, model in models.items():
        if len(model.classes_) != 2:
            raise ValueError(
                f"plot_boundaries expected models of 2 classes. {name!r} has "
                f"{len(model.classes_)}; draw it with plot_boundary."
            )
    ax = new_axes() if ax is None else ax
    grid = _make_grid(X, resolution)
    _draw_samples(ax, X, y, np.unique(y), faint=True)
    handles, labels = ax.get_legend_handles_labels()
    for number, (name, model) in enumerate(models.items()):
        # The samples have the first two colours.
        colour = COLOURS[(number + 2) % len(COLOURS)]
        line = _BOUNDARY_STYLES[number % len(_BOUNDARY_STYLES)]
        handles.append(
            _draw_level(ax, grid, model.decision_function(frame(grid.points)), colour, line, 2.2)
        )
        labels.append(name)
    if bayes is not None:
        handles.append(_draw_level(ax, grid, bayes(grid.points), "black", "--", 1.6))
        labels.append("Bayes")
    _set_limits(ax, grid)
    _add_legend(ax, handles, labels)
    return finish(ax, title=title, xlabel=feature_names[0], ylabel=feature_names[1])


# The grid -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Grid:
    """Points on a rectangle around the samples."""

    x: DoubleArray
    y: DoubleArray

    @property
    def points(self) -> DoubleArray:
        return np.column_stack([np.tile(self.x, self.y.size), np.repeat(self.y, self.x.size)])

    def shaped(self, values: Any) -> DoubleArray:
        return np.asarray(values, dtype=np.float64).reshape(self.y.size, self.x.size)


def _names_of(X: Any) -> tuple[str, str]:
    """Return the labels of the axes: the columns of a frame of two, or plain ones."""
    columns = getattr(X, "columns", None)
    if columns is None or len(columns) != 2:
        return "feature 1", "feature 2"
    first, second = (str(name) for name in columns)
    return first, second


def _maker_of_frames(X: Any) -> Callable[[DoubleArray], Any]:
    """Return what makes points such as `X`: a model that was fitted to names is asked with them."""
    columns = getattr(X, "columns", None)
    if columns is None:
        return lambda points: points
    if type(X).__module__.startswith("polars"):
        return lambda points: type(X)(points, schema=list(columns))
    return lambda points: type(X)(points, columns=columns)


def _checked(X: Any, y: Any) -> tuple[DoubleArray, Any]:
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError(
            f"A boundary can be drawn for samples of shape (n_samples, 2). Got shape {X.shape} "
            "instead; choose two features."
        )
    return X, np.asarray(y)


def _make_grid(X: DoubleArray, resolution: int) -> _Grid:
    low, high = X.min(axis=0), X.max(axis=0)
    pad = 0.06 * np.where(high > low, high - low, 1.0)
    x, y = (np.linspace(low[j] - pad[j], high[j] + pad[j], resolution) for j in range(2))
    return _Grid(x, y)


def _set_limits(ax: Any, grid: _Grid) -> None:
    ax.set_xlim(grid.x[0], grid.x[-1])
    ax.set_ylim(grid.y[0], grid.y[-1])


# Drawing ------------------------------------------------------------------------------------


def _draw_model(
    ax: Any,
    grid: _Grid,
    model: Any,
    *,
    margins: bool,
    frame: Callable[[DoubleArray], Any] = lambda points: points,
) -> None:
    """Fill the regions of the classes, and draw the lines between them."""
    classes = np.asarray(model.classes_)
    if classes.size == 2:
        values = grid.shaped(model.decision_function(frame(grid.points)))
        _fill_two_regions(ax, grid, values)
        _draw_two_class_lines(ax, grid, values, _margin_level(model) if margins else None)
        return

    def numbers_at(points: DoubleArray) -> Any:
        return np.searchsorted(classes, model.predict(frame(points)))

    _draw_regions(ax, grid, class_leads(numbers_at, grid.x, grid.y, classes.size))


def _fill_two_regions(ax: Any, grid: _Grid, values: DoubleArray) -> None:
    ax.contourf(
        grid.x,
        grid.y,
        values,
        levels=[-np.inf, 0.0, np.inf],
        colors=COLOURS[:2],
        alpha=_FILL_ALPHA,
    )


def _draw_regions(ax: Any, grid: _Grid, leads: DoubleArray) -> None:
    for c, lead in enumerate(leads):
        if lead.max() <= 0.0:
            continue
        colour = COLOURS[c % len(COLOURS)]
        ax.contourf(grid.x, grid.y, lead, levels=[0.0, np.inf], colors=[colour], alpha=_FILL_ALPHA)
        _draw_level(ax, grid, lead, "black", "-", 1.2)


def _draw_two_class_lines(ax: Any, grid: _Grid, values: DoubleArray, margin: float | None) -> None:
    _draw_level(ax, grid, values, "black", "-", 1.8)
    if margin is not None:
        for side in (-margin, margin):
            _draw_level(ax, grid, values, "black", "--", 1.0, level=side)


def _draw_level(
    ax: Any,
    grid: _Grid,
    values: Any,
    colour: str,
    style: Any,
    width: float,
    *,
    level: float = 0.0,
) -> Any:
    """Draw where the values pass a level; return a line for the legend."""
    shaped = grid.shaped(values)
    # Without a crossing there is nothing to draw, and matplotlib would warn.
    if shaped.min() < level < shaped.max():
        ax.contour(
            grid.x,
            grid.y,
            shaped,
            levels=[level],
            colors=[colour],
            linestyles=[style],
            linewidths=[width],
            zorder=3,
        )
    lines = import_optional("matplotlib.lines", "draw figures")
    return lines.Line2D([], [], color=colour, linestyle=style, linewidth=width)


def _draw_samples(ax: Any, X: DoubleArray, y: Any, classes: Any, *, faint: bool = False) -> None:
    many = X.shape[0] > _MOST_VECTOR_POINTS
    for c, label in enumerate(classes):
        chosen = X[y == label]
        ax.scatter(
            *chosen.T,
            s=10 if many else 20,
            c=COLOURS[c % len(COLOURS)],
            marker=MARKERS[c % len(MARKERS)],
            alpha=0.35 if faint and many else 0.55 if faint else 0.85,
            linewidths=0,
            label=f"class {label}",
            rasterized=many,
            zorder=2,
        )


def _add_legend(ax: Any, handles: Any = None, labels: Any = None) -> None:
    """Put the legend below the axes, where it hides nothing."""
    if handles is None:
        handles, labels = ax.get_legend_handles_labels()
    longest = sorted(map(len, labels))[-3:]
    ax.legend(
        handles,
        labels,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.16),
        ncols=3 if sum(longest) <= _LEGEND_LETTERS else 2,
        frameon=False,
        columnspacing=1.2,
        handlelength=2.2,
    )


# What a model says of itself ----------------------------------------------------------------


def _final_estimator(model: Any) -> Any:
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def _support_vectors(model: Any) -> DoubleArray:
    """Return the support vectors in the units of the data."""
    vectors = _final_estimator(model).support_vectors_
    vectors = vectors.toarray() if hasattr(vectors, "toarray") else np.asarray(vectors)
    # A linear online classifier has none, and scalers refuse empty tables.
    if isinstance(model, Pipeline) and vectors.shape[0]:
        for _, scaler in reversed(model.steps[:-1]):
            vectors = scaler.inverse_transform(vectors)
    return np.asarray(vectors, dtype=np.float64)


def _margin_level(model: Any) -> float:
    estimator = _final_estimator(model)
    plain = getattr(estimator, "refine", "full") is None
    return float(estimator.margin * estimator.C) if plain else 1.0
