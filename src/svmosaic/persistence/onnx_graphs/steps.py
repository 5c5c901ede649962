"""Steps before a model as nodes: imputation, constant features, scaling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from svmosaic.persistence.onnx_graphs.graph import Graph, NotExportableError
from svmosaic.preprocessing import ConstantHolder

__all__ = ["add_step"]


def add_step(graph: Graph, X: str, step: Any) -> str:
    """Return the samples after a fitted transformer."""
    if step is None or step == "passthrough":
        return X
    found = _STEPS.get(type(step))
    if found is None:
        raise NotExportableError(
            "Before a model, ONNX export knows "
            f"{', '.join(kind.__name__ for kind in _STEPS)}. Got {type(step).__name__}; transform "
            "the data before prediction, or use pickle."
        )
    return found(graph, X, step)


def _impute(graph: Graph, X: str, imputer: Any) -> str:
    missing = imputer.missing_values
    if imputer.add_indicator or not isinstance(missing, int | float):
        raise NotExportableError(
            "ONNX export knows a SimpleImputer of numbers that adds no columns. Got "
            f"missing_values={missing!r} and add_indicator={imputer.add_indicator}; impute before "
            "prediction."
        )
    if np.isnan(missing):
        gaps = graph.add("IsNaN", X)
    else:
        gaps = graph.add("Equal", X, graph.numbers(missing))
    statistics = np.asarray(imputer.statistics_, dtype=np.float64)
    filled = graph.add("Where", gaps, graph.numbers(np.nan_to_num(statistics)), X)
    # A feature without any value in training is left out.
    kept = np.flatnonzero(~np.isnan(statistics))
    if kept.size == statistics.size:
        return filled
    return graph.add("Gather", filled, graph.integers(kept), axis=1)


def _hold(graph: Graph, X: str, holder: ConstantHolder) -> str:
    held, values = np.zeros((2, holder.n_features_in_))
    held[holder.held_], values[holder.held_] = 1.0, holder.values_
    return graph.add("Where", graph.flags(held), graph.numbers(values), X)


def _standardise(graph: Graph, X: str, scaler: Any) -> str:
    if scaler.with_mean:
        X = graph.add("Sub", X, graph.numbers(scaler.mean_))
    if scaler.with_std:
        X = graph.add("Div", X, graph.numbers(scaler.scale_))
    return X


def _to_range(graph: Graph, X: str, scaler: Any) -> str:
    X = graph.add("Mul", X, graph.numbers(scaler.scale_))
    X = graph.add("Add", X, graph.numbers(scaler.min_))
    return _clipped(graph, X, *scaler.feature_range) if scaler.clip else X


def _to_unit(graph: Graph, X: str, scaler: Any) -> str:
    X = graph.add("Div", X, graph.numbers(scaler.scale_))
    # A parameter since scikit-learn 1.8.
    return _clipped(graph, X, -1.0, 1.0) if getattr(scaler, "clip", False) else X


def _clipped(graph: Graph, X: str, low: float, high: float) -> str:
    return graph.add("Clip", X, graph.numbers(low), graph.numbers(high))


_STEPS: dict[type, Callable[[Graph, str, Any], str]] = {
    SimpleImputer: _impute,
    ConstantHolder: _hold,
    StandardScaler: _standardise,
    MinMaxScaler: _to_range,
    MaxAbsScaler: _to_unit,
}
