"""The figures of chapter 4: how representatives of bags settle, and boundaries between bags."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler

from svmosaic.bags import Bags
from svmosaic.datasets import load
from svmosaic.experiments.spec import find_estimator
from svmosaic.multi_instance.bag_transformer import BagTransformer
from svmosaic.plots.published_figures import BagPanel, plot_agreement_panels, plot_bag_panels
from svmosaic.reproduce.drawing import Drawing
from svmosaic.reproduce.paper_spec import TableSpec

__all__ = ["draw_agreement", "draw_bag_boundaries"]


def draw_agreement(spec: TableSpec, quick: bool) -> Drawing:
    """Draw the share of representatives that each pass left as they were, by data set."""
    settings = spec.figure or {}
    panels, rows = {}, []
    for name in settings["datasets_quick"] if quick else settings["datasets"]:
        data = load(name)
        scaler = MaxAbsScaler() if sp.issparse(data.X.instances) else MinMaxScaler()
        bags = BagTransformer(scaler).fit_transform(data.X)
        models = {item["name"]: _fit(item, bags, data.y) for item in spec.method_entries}
        panels[f"{name}, {len(bags)} bags"] = models
        rows += [
            {
                "dataset": name,
                "method": method,
                "pass": number,
                "unchanged": round(float(share) * len(bags)),
                "bags": len(bags),
                "stop_reason": model.stop_reason_,
            }
            for method, model in models.items()
            for number, share in enumerate(model.agreement_, 1)
        ]
    return Drawing.of(plot_agreement_panels(panels), rows=rows)


def draw_bag_boundaries(spec: TableSpec, quick: bool) -> Drawing:
    """Draw boundaries between two-dimensional bags, and count support vectors."""
    settings = spec.figure or {}
    rng = np.random.default_rng(settings["random_state"])
    bags, y = _toy_bags(settings, settings["n_bags"], rng)
    n_test = settings["n_test_quick"] if quick else settings["n_test"]
    test_bags, y_test = _toy_bags(settings, [n_test, n_test], rng)
    panels, rows = [], []
    for item in spec.method_entries:
        model = _fit(item, bags, y)
        coef = np.ravel(model.dual_coef_)
        panels.append(BagPanel(item["name"], model, bags, y))
        rows.append(
            {
                "method": item["name"],
                "support_vectors": coef.size,
                "of_positive_bags": int(np.sum(coef > 0)),
                "of_negative_bags": int(np.sum(coef < 0)),
                "training_accuracy": float(model.score(bags, y)),
                "test_accuracy": float(model.score(test_bags, y_test)),
            }
        )
    return Drawing.of(plot_bag_panels(panels), rows=rows)


def _toy_bags(
    settings: Any, counts: list[int], rng: np.random.Generator
) -> tuple[Bags, NDArray[np.int64]]:
    """Return negative bags, then positive ones, some of whose instances lie apart."""
    y = np.repeat([0, 1], counts)
    size = settings["bag_size"]
    bags = rng.normal(size=(y.size, size, 2))
    bags[y == 1, : settings["n_witnesses"]] += settings["shift"]
    return Bags(bags.reshape(-1, 2), np.arange(y.size + 1) * size), y


def _fit(item: Any, bags: Bags, y: Any) -> Any:
    return find_estimator(item["estimator"])(**item.get("params", {})).fit(bags, y)
