"""Draw the figures of the start page: a fitted model, and what the benchmarks wrote.

Each is drawn twice, for the light and for the dark theme, on a transparent ground.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from sklearn.datasets import make_blobs, make_moons
from sklearn.naive_bayes import GaussianNB
from sphinx.application import Sphinx

from svmosaic import OLLAWVClassifier, StreamOLLAWV
from svmosaic.streams import ConceptDrift, Sine, prequential

__all__ = ["FIGURES", "PICTURES", "setup"]

# Our colour first; they differ on both grounds.
_INK = {"light": "#323232", "dark": "#ced6dd"}
_OURS = {"light": "#0072B2", "dark": "#56B4E9"}
_TILES = ("#0072B2", "#E69F00", "#009E73")
_PEERS = {"light": ("#B34700", "#767676"), "dark": ("#F0A060", "#9aa5b1")}


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _seconds_of_fits(ax: Any, results: Path, theme: str) -> None:
    """Draw a row of points for each data set: what a fit takes."""
    times: dict[str, dict[str, float]] = {}
    for row in _read(results / "classification.csv"):
        peer = "intelex" if row["peer"].startswith("intelex") else row["peer"]
        if peer in ("svc", "intelex", "full"):
            of_set = times.setdefault(row["set"], {})
            # Peers get their fastest form.
            of_set[peer] = min(of_set.get(peer, float("inf")), float(row["fit_seconds"]))
    names = sorted(times, key=lambda name: times[name]["svc"])
    series = (("svc", "scikit-learn", "s", _PEERS[theme][0]),)
    series += (("intelex", "Intel", "^", _PEERS[theme][1]),)
    series += (("full", "svmosaic", "o", _OURS[theme]),)
    for place, name in enumerate(names):
        values = times[name].values()
        ax.plot([min(values), max(values)], [place, place], color=_PEERS[theme][1], lw=0.7)
    for peer, label, marker, colour in series:
        x = [times[name][peer] for name in names]
        ax.plot(x, range(len(names)), marker, color=colour, label=label, ms=8)
    ax.set_yticks(range(len(names)), names)
    ax.set_xscale("log")
    ax.set_xlabel("seconds to fit")


def _growth(ax: Any, results: Path, theme: str) -> None:
    """Draw the time of a fit against the number of rows."""
    series = (("svc", "scikit-learn", "s", _PEERS[theme][0]),)
    series += (("intelex", "Intel", "^", _PEERS[theme][1]),)
    series += (("full", "svmosaic", "o", _OURS[theme]),)
    rows = _read(results / "scaling.csv")
    for peer, label, marker, colour in series:
        points = [(r["n"], r["fit_seconds"]) for r in rows if r["peer"] == peer]
        kept = [(int(n), float(t)) for n, t in points if t]
        ax.plot(*zip(*kept, strict=True), marker=marker, color=colour, label=label, ms=7, lw=2.5)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("rows")
    ax.set_ylabel("seconds to fit")


def _tuning(ax: Any, results: Path, theme: str) -> None:
    """Draw accuracy against the cost of finding C and gamma, one pair of points per data set."""
    rows = _read(results / "nested_cv.csv")
    labels = (("svc", "grid search, SVC", "s", _PEERS[theme][0]),)
    labels += (("full", "svmosaic", "o", _OURS[theme]),)
    for method, label, marker, colour in labels:
        kept = [row for row in rows if row["method"] == method]
        by_set = [
            [r for r in kept if r["set"] == name] for name in dict.fromkeys(r["set"] for r in kept)
        ]
        x = [fmean(float(row["cpu_seconds"]) for row in seeds) for seeds in by_set]
        y = [fmean(float(row["accuracy"]) for row in seeds) for seeds in by_set]
        ax.plot(x, y, marker, color=colour, label=label, ms=8)
    ax.set_xscale("log")
    ax.set_xlabel("CPU seconds to tune")
    ax.set_ylabel("accuracy, %")


def _mosaic(ax: Any, results: Path, theme: str) -> None:
    """Draw the regions of three classes in tiles, shaded by the decision values."""
    X, y = make_blobs([60, 60, 60], cluster_std=1.6, random_state=3)
    model = OLLAWVClassifier(gamma=0.1, C=2.0, multi_class="ovr").fit(X, y)
    low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
    x, z = np.meshgrid(np.linspace(low[0], high[0], 42), np.linspace(low[1], high[1], 26))
    points = np.column_stack([x.ravel(), z.ravel()])
    predicted, values = model.predict(points), np.sort(model.decision_function(points), axis=1)
    sure = np.clip(0.2 + 0.3 * (values[:, -1] - values[:, -2]), 0.2, 0.8)
    colours = np.array([to_rgb(colour) for colour in _TILES])
    tiles = np.column_stack([colours[predicted], sure])
    ax.scatter(*points.T, c=tiles, marker="s", s=44, linewidths=0)
    ax.scatter(*X.T, c=colours[y], s=26, edgecolors="white", linewidths=0.8)
    ax.scatter(*X[model.support_].T, s=70, facecolors="none", edgecolors=_INK[theme], linewidths=1)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))


def _tables(ax: Any, results: Path, theme: str) -> None:
    """Draw two classes, the regions of a model and its boundary."""
    X, y = make_moons(140, noise=0.18, random_state=1)
    model = OLLAWVClassifier(gamma=1.5, C=5.0).fit(X, y)
    x, z = np.meshgrid(np.linspace(-1.8, 2.8, 120), np.linspace(-1.1, 1.6, 80))
    values = model.decision_function(np.column_stack([x.ravel(), z.ravel()])).reshape(x.shape)
    ax.contourf(x, z, values, [-np.inf, 0, np.inf], colors=_TILES[:2], alpha=0.25)
    ax.contour(x, z, values, [0], colors=_INK[theme], linewidths=2)
    ax.scatter(*X.T, c=[_TILES[label] for label in y], s=34, edgecolors="white", linewidths=0.6)


def _targets(ax: Any, results: Path, theme: str) -> None:
    """Draw three targets of one input, and arrows from each to the next."""
    rng = np.random.default_rng(0)
    x = np.linspace(0, 1, 60)
    first = np.sin(5 * x)
    curves = (3.4 + 0.8 * first, 1.2 + 0.5 * first**2 + 0.4 * x, 0.6 * (first - x) - 0.3)
    for curve, colour in zip(curves, _TILES, strict=True):
        ax.plot(x, curve, color=colour, lw=3)
        ax.scatter(x[::3], curve[::3] + 0.12 * rng.normal(size=20), color=colour, s=26)
    arrow = {"arrowstyle": "-|>", "color": _INK[theme], "lw": 2, "mutation_scale": 18}
    for upper, lower in pairwise(curves):
        for place in (15, 45):
            ends = (x[place], lower[place] + 0.15), (x[place], upper[place] - 0.15)
            ax.annotate("", *ends, arrowprops=arrow)


def _bags(ax: Any, results: Path, theme: str) -> None:
    """Draw six bags, three of them positive; one instance of each of these decides."""
    rng = np.random.default_rng(4)
    for number in range(6):
        corner = np.array([1.25 * (number % 3), 1.2 * (number // 3)])
        positive = number in (1, 3, 5)
        colour = _TILES[1 if positive else 0]
        box = FancyBboxPatch(corner, 1, 0.9, boxstyle="round,pad=0.06,rounding_size=0.18")
        box.set(facecolor=to_rgba(colour, 0.18), edgecolor=colour, linewidth=2)
        ax.add_patch(box)
        points = corner + rng.uniform(0.1, 0.8, (6, 2)) * [1.1, 1]
        ax.scatter(*points.T, color=_TILES[0], s=44)
        if positive:
            ax.scatter(*points[0], color=_TILES[1], s=90)
            ax.scatter(*points[0], s=210, facecolors="none", edgecolors=_INK[theme], linewidths=2)
    ax.set(xlim=(-0.15, 3.65), ylim=(-0.15, 2.25))


def _stream(ax: Any, results: Path, theme: str) -> None:
    """Draw the accuracy of two learners before and after a change."""
    concepts = [Sine(function=1, seed=1), Sine(function=2, seed=1)]
    drifting = ConceptDrift(concepts, positions=[3_000], width=1, seed=0)
    learners = {"ours": StreamOLLAWV(), "naive Bayes": GaussianNB()}
    found = prequential(learners, drifting, n_samples=6_000, chunk=250, keep_predictions=True)
    ax.axvline(3_000, color=_INK[theme], lw=1.5, ls="--")
    for name, colour in (("naive Bayes", _TILES[1]), ("ours", _TILES[0])):
        predicted = found.predictions[name]
        right = predicted == found.labels[found.labels.size - predicted.size :]
        blocks = right[right.size % 250 :].reshape(-1, 250).mean(axis=1)
        places = 6_000 - 250 * np.arange(blocks.size)[::-1]
        ax.plot(places, blocks, color=colour, lw=3.5)
    ax.set(ylim=(-0.05, 1.1))


FIGURES: dict[str, Callable[[Any, Path, str], None]] = {
    "fits": _seconds_of_fits,
    "growth": _growth,
    "tuning": _tuning,
}
# The picture beside the first sentence, and those of the cards; they have no axes and no legend.
PICTURES: dict[str, Callable[[Any, Path, str], None]] = {
    "mosaic": _mosaic,
    "tables": _tables,
    "targets": _targets,
    "bags": _bags,
    "stream": _stream,
}


def _finish(figure: Figure, ax: Any) -> None:
    """Add the legend, and leave out what the eye does not need."""
    ax.spines[["top", "right"]].set_visible(False)
    figure.legend(
        **{"loc": "outside upper left", "frameon": False, "ncols": 3},
        **{"handletextpad": 0.1, "columnspacing": 0.6, "handlelength": 1.2, "borderpad": 0},
    )


def _draw(name: str, theme: str, results: Path, path: Path) -> None:
    ink = _INK[theme]
    # Letters are drawn, so that they look the same everywhere; the same data give the same file.
    settings = {"svg.fonttype": "path", "svg.hashsalt": "svmosaic", "font.size": 13}
    settings |= {"axes.edgecolor": ink, "text.color": ink, "axes.labelcolor": ink}
    settings |= {"xtick.color": ink, "ytick.color": ink}
    with rc_context(settings):
        figure = Figure(figsize=(4.4, 3.4 if name in FIGURES else 3.1), layout="constrained")
        ax = figure.add_subplot()
        (FIGURES | PICTURES)[name](ax, results, theme)
        if name in FIGURES:
            _finish(figure, ax)
        else:
            ax.set_axis_off()
        figure.savefig(path, transparent=True, metadata={"Date": None})


def draw_all(app: Sphinx) -> None:
    """Draw every figure for both themes."""
    results = Path(app.srcdir).parent / "benchmarks" / "results"
    folder = Path(app.srcdir) / "_static" / "start"
    folder.mkdir(parents=True, exist_ok=True)
    for name in (*FIGURES, *PICTURES):
        for theme in _INK:
            _draw(name, theme, results, folder / f"{name}-{theme}.svg")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the event."""
    app.connect("builder-inited", draw_all)
    return {"parallel_read_safe": True}
