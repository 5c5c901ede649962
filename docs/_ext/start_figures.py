"""Draw the figures of the start page: a fitted model, and what the benchmarks wrote.

Each is drawn twice, for the light and for the dark theme, on a transparent ground.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from sklearn.datasets import make_blobs
from sphinx.application import Sphinx

from svmosaic import OLLAWVClassifier

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
    series += (("intelex", "Intel extension", "^", _PEERS[theme][1]),)
    series += (("full", "svmosaic", "o", _OURS[theme]),)
    for place, name in enumerate(names):
        values = times[name].values()
        ax.plot([min(values), max(values)], [place, place], color=_PEERS[theme][1], lw=0.7)
    for peer, label, marker, colour in series:
        x = [times[name][peer] for name in names]
        ax.plot(x, range(len(names)), marker, color=colour, label=label, ms=6)
    ax.set_yticks(range(len(names)), names)
    ax.set_xscale("log")
    ax.set_xlabel("seconds to fit, eight data sets")


def _growth(ax: Any, results: Path, theme: str) -> None:
    """Draw the time of a fit against the number of rows."""
    series = (("svc", "scikit-learn", "s", _PEERS[theme][0]),)
    series += (("intelex", "Intel extension", "^", _PEERS[theme][1]),)
    series += (("full", "svmosaic", "o", _OURS[theme]),)
    rows = _read(results / "scaling.csv")
    for peer, label, marker, colour in series:
        points = [(r["n"], r["fit_seconds"]) for r in rows if r["peer"] == peer]
        kept = [(int(n), float(t)) for n, t in points if t]
        ax.plot(*zip(*kept, strict=True), marker=marker, color=colour, label=label, ms=5)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("rows (intrusion), seconds to fit")


def _tuning(ax: Any, results: Path, theme: str) -> None:
    """Draw accuracy against the cost of finding C and gamma, one pair of points per data set."""
    rows = _read(results / "nested_cv.csv")
    labels = (("svc", "GridSearchCV(SVC)", "s", _PEERS[theme][0]),)
    labels += (("full", "OLLAWVClassifierCV", "o", _OURS[theme]),)
    for method, label, marker, colour in labels:
        kept = [row for row in rows if row["method"] == method]
        x = [float(row["cpu_seconds"]) for row in kept]
        y = [float(row["accuracy"]) for row in kept]
        ax.plot(x, y, marker, color=colour, label=label, ms=6)
    ax.set_xscale("log")
    ax.set_xlabel("CPU seconds to tune; accuracy %, eleven sets")


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
    ax.set_axis_off()


FIGURES: dict[str, Callable[[Any, Path, str], None]] = {
    "fits": _seconds_of_fits,
    "growth": _growth,
    "tuning": _tuning,
}
# The picture beside the first sentence; it has no axes and no legend.
PICTURES: dict[str, Callable[[Any, Path, str], None]] = {"mosaic": _mosaic}


def _finish(figure: Figure, ax: Any) -> None:
    """Add the legend, and leave out what the eye does not need."""
    ax.spines[["top", "right"]].set_visible(False)
    figure.legend(
        **{"loc": "outside upper left", "frameon": False, "ncols": 3},
        **{"handletextpad": 0.3, "columnspacing": 1.0},
    )


def _draw(name: str, theme: str, results: Path, path: Path) -> None:
    ink = _INK[theme]
    # Letters are drawn, so that they look the same everywhere; the same data give the same file.
    settings = {"svg.fonttype": "path", "svg.hashsalt": "svmosaic", "font.size": 10}
    settings |= {"axes.edgecolor": ink, "text.color": ink, "axes.labelcolor": ink}
    settings |= {"xtick.color": ink, "ytick.color": ink}
    with rc_context(settings):
        figure = Figure(figsize=(4.4, 3.1), layout="constrained")
        ax = figure.add_subplot()
        (FIGURES | PICTURES)[name](ax, results, theme)
        if name in FIGURES:
            _finish(figure, ax)
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
