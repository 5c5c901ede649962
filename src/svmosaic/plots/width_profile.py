"""What a width of the kernel does to the classifiers with boundary points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from svmosaic.boundary import characteristic_boundary_points
from svmosaic.plots.boundary import (
    _checked,
    _draw_model,
    _draw_samples,
    _make_grid,
    _set_limits,
)
from svmosaic.plots.style import COLOURS, finish, new_axes
from svmosaic.utils.optional import import_optional

__all__ = ["plot_sigma_lambda", "plot_width_profile"]

_GREEN = "#1b7f3b"


def plot_width_profile(
    model: Any,
    X: Any,
    y: Any,
    X_test: Any = None,
    y_test: Any = None,
    *,
    sigmas: Any = None,
    gradient: bool = False,
    ax: Any = None,
    title: str | None = None,
) -> Any:
    """Draw norm, error and accuracies of a classifier with boundary points against the width.

    The classifier is fitted once for every width. Norm and error are scaled to a largest value
    of 1, so that all curves share one axis.

    Parameters
    ----------
    model : SVMCBPClassifier or OnlineSVMCBPClassifier
        The classifier; its `sigma` is replaced by every width in turn.
    X : array-like of shape (n_samples, n_features)
        Training samples.
    y : array-like of shape (n_samples,)
        Their classes.
    X_test, y_test : array-like, default=None
        Samples and classes for the test accuracy; None leaves it out.
    sigmas : array-like, default=None
        Widths; None means those that the fitted `model` tried, or those of `width_path`.
    gradient : bool, default=False
        Whether to draw the change of the norm from width to width instead of the error.
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
    >>> from sklearn.datasets import make_moons
    >>> from svmosaic import SVMCBPClassifier
    >>> from svmosaic.plots import plot_width_profile
    >>> X, y = make_moons(40, noise=0.2, random_state=0)
    >>> ax = plot_width_profile(SVMCBPClassifier(), X, y, sigmas=[0.1, 0.3, 1.0])
    >>> [line.get_label() for line in ax.get_lines()]
    ['norm', 'error', 'training accuracy']
    """
    X, y = np.asarray(X), np.asarray(y)
    widths = _widths(model, X, y, sigmas)
    fitted = [clone(model).set_params(sigma=float(sigma)).fit(X, y) for sigma in widths]
    norms = np.array([_norm(one, X, y) for one in fitted])
    curves = {"norm": (_unit(norms), COLOURS[0], "-")}
    if gradient:
        curves["change of the norm"] = (_unit(np.gradient(norms)), COLOURS[2], "-.")
    else:
        errors = np.array([_error(one, X, y) for one in fitted])
        curves["error"] = (_unit(errors), COLOURS[2], "-.")
    curves["training accuracy"] = (_scores(fitted, X, y), COLOURS[1], "--")
    if X_test is not None:
        curves["test accuracy"] = (_scores(fitted, X_test, y_test), COLOURS[5], ":")
    ax = new_axes() if ax is None else ax
    for label, (values, colour, style) in curves.items():
        ax.plot(widths, values, color=colour, linestyle=style, marker=".", label=label)
    ax.set_xscale("log")
    ax.legend(frameon=False)
    return finish(ax, title=title, xlabel="sigma", ylabel="accuracy; norm and error, scaled")


def plot_sigma_lambda(
    model: Any,
    X: Any,
    y: Any,
    *,
    sigmas: Sequence[float],
    lams: Sequence[float],
    resolution: int = 100,
    size: float = 2.3,
) -> Any:
    """Draw the boundaries of a classifier for several widths (columns) and lambdas (rows).

    Parameters
    ----------
    model : SVMCBPClassifier or OnlineSVMCBPClassifier
        The classifier; `sigma` and `lam` are replaced.
    X : array-like of shape (n_samples, 2)
        Training samples.
    y : array-like of shape (n_samples,)
        Their classes, two of them.
    sigmas, lams : sequence of float
        The widths and the lambdas.
    resolution : int, default=100
        Points of the grid along each axis of a panel.
    size : float, default=2.3
        Width and height of a panel in inches.

    Returns
    -------
    figure : matplotlib.figure.Figure
        A figure with one panel per pair of values.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from svmosaic import SVMCBPClassifier
    >>> from svmosaic.plots import plot_sigma_lambda
    >>> X, y = make_moons(40, noise=0.2, random_state=0)
    >>> figure = plot_sigma_lambda(
    ...     SVMCBPClassifier(), X, y, sigmas=[0.2, 1.0], lams=[1.0], resolution=20
    ... )
    >>> len(figure.axes)
    2
    """
    X, y = _checked(X, y)
    points = characteristic_boundary_points(X, y).points
    module = import_optional("matplotlib.figure", "draw figures")
    figure = module.Figure(
        figsize=(size * len(sigmas), size * len(lams)), layout="constrained", facecolor="white"
    )
    panels = figure.subplots(len(lams), len(sigmas), squeeze=False)
    grid = _make_grid(X, resolution)
    for line, lam in zip(panels, lams, strict=True):
        for ax, sigma in zip(line, sigmas, strict=True):
            classifier = clone(model).set_params(sigma=float(sigma), lam=float(lam)).fit(X, y)
            _draw_model(ax, grid, classifier, margins=False)
            _draw_samples(ax, X, y, classifier.classes_, faint=True)
            ax.scatter(*points.T, s=6, c=_GREEN, linewidths=0, zorder=4)
            _set_limits(ax, grid)
            finish(ax, title=f"sigma {sigma:g}, lambda {lam:g}", xlabel="", ylabel="")
            ax.set_xticks([])
            ax.set_yticks([])
    return figure


# The terms ----------------------------------------------------------------------------------


def _widths(model: Any, X: Any, y: Any, sigmas: Any) -> Any:
    if sigmas is None:
        sigmas = getattr(model, "sigmas_", None)
    if sigmas is None or len(sigmas) == 0:
        # A search of its own, for the range of widths alone.
        sigmas = clone(model).set_params(sigma="peak").fit(X, y).sigmas_
    return np.sort(np.asarray(sigmas, dtype=np.float64))[::-1]


def _unit(values: Any) -> Any:
    largest = np.abs(values).max()
    return values / largest if largest > 0.0 else values


def _scores(fitted: Sequence[Any], X: Any, y: Any) -> Any:
    return np.array([one.score(X, y) for one in fitted])


def _norm(classifier: Any, X: Any, y: Any) -> float:
    """Return the root sum of squares of the decisions at the boundary points."""
    if hasattr(classifier, "norm_"):
        return float(np.linalg.norm(classifier.norm_))
    points = characteristic_boundary_points(X, y).points
    return float(np.linalg.norm(classifier.decision_function(points)))


def _error(classifier: Any, X: Any, y: Any) -> float:
    """Return the sum of the hinge losses."""
    if hasattr(classifier, "loss_"):
        return float(classifier.loss_.sum())
    decisions = classifier.decision_function(X)
    if decisions.ndim != 1:
        raise ValueError(
            "plot_width_profile draws the error of online classifiers with two classes. Got "
            f"{classifier.classes_.size} classes; use gradient=True."
        )
    signs = np.where(np.asarray(y) == classifier.classes_[1], 1.0, -1.0)
    return float(np.maximum(0.0, 1.0 - signs * decisions).sum())
