"""Figures of the papers, and the numbers behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import multivariate_normal
from sklearn.model_selection import GridSearchCV

from svmosaic.datasets import describe
from svmosaic.experiments.spec import find_estimator
from svmosaic.metrics.machine import count_support_vectors
from svmosaic.plots import to_png, to_svg
from svmosaic.plots.published_figures import (
    BoundaryPanel,
    boundary_points,
    plot_against_size,
    plot_boundary_panels,
)
from svmosaic.reproduce.comparison import Numbers
from svmosaic.reproduce.printed import read_printed, read_rows
from svmosaic.reproduce.spec import TableSpec

__all__ = ["Drawing", "draw_boundaries", "draw_growth"]

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Drawing:
    """A figure as SVG and PNG, with its numbers in tables by name."""

    svg: bytes
    png: bytes
    tables: Mapping[str, Rows]


# Numbers against the size -------------------------------------------------------------------


def draw_growth(figure: TableSpec, table: TableSpec, numbers: Numbers) -> Drawing:
    """Draw a metric of a table against the number of samples, ours and the paper's."""
    settings = figure.figure or {}
    (metric,) = (metric for metric in table.metrics if metric.name == settings["metric"])
    rows: list[dict[str, Any]] = []
    for cell in numbers.of(metric.name):
        if cell.ours is not None:
            n = describe(table.registered_name(cell.dataset)).n_samples
            rows.append(_growth_row("ours", cell.dataset, n, cell.method, cell.ours))
    sizes = _printed_sizes(settings["sizes"])
    for (dataset, name, method), value in read_printed(table.printed or "").items():
        if name == metric.name:
            rows.append(_growth_row("paper", dataset, sizes[dataset], method, value))
    panels: dict[str, dict[str, list[tuple[float, float]]]] = {"ours": {}, "paper": {}}
    for row in rows:
        points = panels[row["source"]].setdefault(row["method"], [])
        points.append((row["n_samples"], row["value"]))
    axes = plot_against_size(
        panels, ylabel=metric.label, log_y=bool(settings.get("logarithmic", False))
    )
    return Drawing(to_svg(axes[0]), to_png(axes[0]), {"": rows})


def _growth_row(source: str, dataset: str, n: int, method: str, value: float) -> dict[str, Any]:
    return {
        "source": source,
        "dataset": dataset,
        "n_samples": n,
        "method": method,
        "value": value,
    }


def _printed_sizes(file: str) -> dict[str, int]:
    return {row["dataset"]: int(row["n_samples"]) for row in read_rows(file)}


# Boundaries ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _TwoNormals:
    """Two classes of two-dimensional normal samples with known densities."""

    means: Sequence[Sequence[float]]
    covariances: Sequence[Sequence[Sequence[float]]]

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
        """Return n samples, half of each class."""
        counts = (n - n // 2, n // 2)
        parts = [
            rng.multivariate_normal(mean, covariance, count)
            for mean, covariance, count in zip(self.means, self.covariances, counts, strict=True)
        ]
        return np.concatenate(parts), np.repeat([0, 1], counts)

    def decide(self, X: Any) -> Any:
        """Return the logarithm of the classes' ratio, whose sign is the best decision."""
        first, second = (
            multivariate_normal(mean, covariance).logpdf(X)
            for mean, covariance in zip(self.means, self.covariances, strict=True)
        )
        return second - first


def draw_boundaries(spec: TableSpec, *, quick: bool) -> Drawing:
    """Draw the boundaries of machines on normal data beside the best one."""
    settings = spec.figure or {}
    truth = _TwoNormals(settings["means"], settings["covariances"])
    rng = np.random.default_rng(settings["random_state"])
    n_test = settings["n_test_quick"] if quick else settings["n_test"]
    X_test, y_test = truth.draw(n_test, rng)
    best = truth.decide(X_test) > 0
    panels, rows, points = [], [], []
    for n in settings["n_samples_quick"] if quick else settings["n_samples"]:
        X, y = truth.draw(n, rng)
        models = {item["name"]: _fit(item, X, y) for item in spec.method_entries}
        panels.append(BoundaryPanel(f"{n} samples", X, y, models, truth.decide))
        decisions = {name: model.decision_function for name, model in models.items()}
        for name, decide in {**decisions, "Bayes": truth.decide}.items():
            found = decide(X_test) > 0
            model = models.get(name)
            rows.append(
                {
                    "n_samples": n,
                    "method": name,
                    "test_accuracy": float(np.mean(found == y_test)),
                    "agreement_with_bayes": float(np.mean(found == best)),
                    "support_vectors": None if model is None else count_support_vectors(model),
                    "params": "" if model is None else str(model.best_params_),
                }
            )
            points += [
                {"n_samples": n, "method": name, "x1": float(a), "x2": float(b)}
                for a, b in boundary_points(decide, X)
            ]
    axes = plot_boundary_panels(panels)
    return Drawing(to_svg(axes[0]), to_png(axes[0]), {"": rows, "-boundaries": points})


def _fit(item: Mapping[str, Any], X: Any, y: Any) -> Any:
    params = {k: None if v == "None" else v for k, v in item.get("params", {}).items()}
    model = find_estimator(item["estimator"])(**params)
    if item.get("tunes_itself", False):
        return model.fit(X, y)
    return GridSearchCV(model, item["grid"], cv=5).fit(X, y)
