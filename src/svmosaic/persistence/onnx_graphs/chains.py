"""Regressors of several targets as nodes: links, chains and weighted chains."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmosaic.persistence.onnx_graphs.expansions import (
    absolute_distances,
    decaying,
    dense_vectors,
    squared_distances,
)
from svmosaic.persistence.onnx_graphs.graph import Graph
from svmosaic.regression.chained_svr import ChainedSVR
from svmosaic.regression.svrwc import SVRWC

__all__ = ["chain_targets", "weighted_targets"]


def chain_targets(graph: Graph, X: str, model: ChainedSVR) -> str:
    """Return the targets that the chains predict on average, shape (n_samples, n_targets)."""
    return _mean(graph, _chain_values(graph, X, model))


def weighted_targets(graph: Graph, X: str, model: SVRWC) -> str:
    """Return the weighted mean of links alone and of chains, for both kernels."""
    parts: list[str] = []
    for member in model.members_:
        alone, *chains = _chain_values(graph, X, member)
        parts += [alone, _mean(graph, chains)]
    weighted = [
        graph.add("Mul", part, graph.numbers(weights))
        for part, weights in zip(parts, model.weights_, strict=True)
    ]
    return graph.add("Sum", *weighted)


def _mean(graph: Graph, values: list[str]) -> str:
    if len(values) == 1:
        return values[0]
    # ONNX Runtime has no Mean of float64.
    return graph.add("Div", graph.add("Sum", *values), graph.numbers(len(values)))


def _chain_values(graph: Graph, X: str, model: Any) -> list[str]:
    """Return what each chain predicts, in the unit of the targets."""
    vectors = dense_vectors(graph, model.support_vectors_)
    X = graph.rounded(X, vectors.dtype)
    absolute = model.kernel == "laplacian"
    distances = (absolute_distances if absolute else squared_distances)(graph, X, vectors)
    # A link that several chains begin with is computed once.
    known: dict[tuple[int, tuple[str, ...]], str] = {}
    chains = []
    for order, links in zip(model.chains_.tolist(), model.links_.tolist(), strict=True):
        values: dict[int, str] = {}
        for target in order:
            number = links[target]
            seen = [t for t, column in enumerate(model.link_columns_[number]) if column >= 0]
            key = (number, tuple(values[t] for t in seen))
            if key not in known:
                wide = _widen(graph, distances, model, number, {t: values[t] for t in seen})
                known[key] = _link_value(graph, wide, model, number)
            values[target] = known[key]
        columns = [values[target] for target in range(model.n_targets_)]
        table = graph.add("Concat", *columns, axis=1)
        scaled = graph.add("Mul", table, graph.numbers(model.target_scale_))
        chains.append(graph.add("Add", scaled, graph.numbers(model.target_mean_)))
    return chains


def _widen(graph: Graph, distances: str, model: Any, number: int, values: dict[int, str]) -> str:
    """Return distances with the targets before a link as further features."""
    for target, value in values.items():
        column = model.appended_[model.link_columns_[number, target]]
        apart = graph.add("Sub", value, graph.numbers(column[np.newaxis]))
        if model.kernel == "laplacian":
            apart = graph.add("Abs", apart)
        else:
            apart = graph.add("Mul", apart, apart)
        distances = graph.add("Add", distances, apart)
    return distances


def _link_value(graph: Graph, distances: str, model: Any, number: int) -> str:
    kernel = decaying(graph, distances, model.gamma_[number])
    return graph.linear(kernel, model.dual_coef_[number][:, np.newaxis], model.intercept_[number])
