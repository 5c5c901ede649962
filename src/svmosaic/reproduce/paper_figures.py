"""Figures of the papers, and the numbers behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import multivariate_normal
from sklearn.model_selection import GridSearchCV

from svmosaic.datasets import describe, load
from svmosaic.experiments.spec import find_estimator
from svmosaic.metrics.model_cost import count_support_vectors
from svmosaic.plots.published_figures import (
    BoundaryPanel,
    ChainPanel,
    boundary_points,
    plot_against_size,
    plot_boundary_panels,
    plot_chain_panels,
    plot_rank_panels,
)
from svmosaic.regression.chain_orders import correlation_order
from svmosaic.reproduce.bag_figures import draw_agreement, draw_bag_boundaries
from svmosaic.reproduce.drawing import Drawing
from svmosaic.reproduce.paper_comparison import Numbers
from svmosaic.reproduce.paper_spec import Metric, TableSpec
from svmosaic.reproduce.printed import read_printed, read_rows
from svmosaic.reproduce.statements import compare_records
from svmosaic.utils.correlations import target_correlations

__all__ = ["draw_alone", "draw_of_table"]


def draw_of_table(figure: TableSpec, table: TableSpec, numbers: Numbers) -> Drawing:
    """Draw a metric of a table, ours and the paper's."""
    settings = figure.figure or {}
    (metric,) = (metric for metric in table.metrics if metric.name == settings["metric"])
    return _OF_TABLE[settings["kind"]](settings, table, numbers, metric)


def draw_alone(spec: TableSpec, *, quick: bool) -> Drawing:
    """Draw a figure that belongs to no table."""
    return _ALONE[(spec.figure or {})["kind"]](spec, quick)


# Numbers against the size -------------------------------------------------------------------


def _draw_growth(
    settings: Mapping[str, Any], table: TableSpec, numbers: Numbers, metric: Metric
) -> Drawing:
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
    return Drawing.of(axes, rows=rows)


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


# Critical differences -----------------------------------------------------------------------


def _draw_ranks(
    settings: Mapping[str, Any], table: TableSpec, numbers: Numbers, metric: Metric
) -> Drawing:
    found = {
        name: result
        for name, paper in (("ours", False), ("paper", True))
        if (result := compare_records(table, numbers, metric, paper=paper)) is not None
    }
    if not found:
        raise ValueError(
            f"{metric.label} of {table.id} cannot be ranked: fewer than two data sets have all "
            "methods. Run the table again; the same command resumes."
        )
    rows = [
        {
            "source": source,
            "method": method,
            "rank": rank,
            "n_datasets": len(result.table.datasets),
            "critical_difference": result.critical_difference,
        }
        for source, result in found.items()
        for method, rank in result.average_ranks.items()
    ]
    titles = {"ours": "ours", "paper": "the printed numbers"}
    axes = plot_rank_panels(
        {
            f"{metric.name}, {titles[source]}, {len(result.table.datasets)} data sets": result
            for source, result in found.items()
        }
    )
    return Drawing.of(axes, rows=rows)


# Chains -------------------------------------------------------------------------------------


def _draw_chains(spec: TableSpec, quick: bool) -> Drawing:
    """Draw the correlations of targets, all rows of each data set, in the order of SVRCC."""
    panels, rows = [], []
    for name in (spec.figure or {})["datasets"]:
        data = load(name)
        Y = np.asarray(data.y, dtype=np.float64)
        order = correlation_order(Y).tolist()
        names = [str(target) for target in data.target_names or range(Y.shape[1])]
        panels.append(ChainPanel(name, Y, order, names))
        P = target_correlations(Y)
        rows += [
            {
                "dataset": name,
                "place": place,
                "target": names[target],
                "sum_of_correlations": float(P[target].sum()),
            }
            for place, target in enumerate(order, 1)
        ]
    axes = plot_chain_panels(panels)
    return Drawing.of(axes, rows=rows)


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


def _draw_boundaries(spec: TableSpec, quick: bool) -> Drawing:
    """Draw the boundaries of classifiers on normal data beside the best one."""
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
    return Drawing.of(axes, rows=rows, boundaries=points)


def _fit(item: Mapping[str, Any], X: Any, y: Any) -> Any:
    params = {k: None if v == "None" else v for k, v in item.get("params", {}).items()}
    model = find_estimator(item["estimator"])(**params)
    if item.get("tunes_itself", False):
        return model.fit(X, y)
    return GridSearchCV(model, item["grid"], cv=5).fit(X, y)


_OF_TABLE: dict[str, Callable[[Mapping[str, Any], TableSpec, Numbers, Metric], Drawing]] = {
    "growth": _draw_growth,
    "ranks": _draw_ranks,
}
_ALONE: dict[str, Callable[[TableSpec, bool], Drawing]] = {
    "agreement": draw_agreement,
    "bag-boundaries": draw_bag_boundaries,
    "boundaries": _draw_boundaries,
    "chains": _draw_chains,
}
