"""The ensemble of planes between boundary points (OGE) as nodes."""

from __future__ import annotations

import numpy as np

from svmosaic.classification.oge import ON_PLANE, OGEClassifier
from svmosaic.persistence.onnx_graphs.graph import Graph

__all__ = ["plane_votes"]


def plane_votes(graph: Graph, X: str, model: OGEClassifier) -> str:
    """Return the outputs of the binary problems: weighted signs of planes, less a threshold."""
    # A sign that rounding turns would change a vote, so all of it is in float64.
    float64 = graph.in_float64()
    values = _plane_votes(float64, graph.cast(X, np.float64), model)
    return float64.cast(values, graph.dtype)


def _plane_votes(graph: Graph, X: str, model: OGEClassifier) -> str:
    values = graph.linear(X, model.normals_.T, -model.offsets_)
    # A sample that lies on a plane, but for rounding, has no side.
    largest = graph.add("ReduceMax", graph.add("Abs", X), axes=[1], keepdims=1)
    size = graph.add("Add", largest, graph.numbers(np.abs(model.offsets_)))
    limit = graph.add("Mul", size, graph.numbers(ON_PLANE))
    aside = graph.cast(graph.add("Greater", graph.add("Abs", values), limit), graph.dtype)
    signs = graph.add("Mul", graph.add("Sign", values), aside)
    weights = np.zeros((model.weights_.size, model.n_planes_.size))
    problems = np.repeat(np.arange(model.n_planes_.size), model.n_planes_)
    weights[np.arange(model.weights_.size), problems] = model.weights_
    return graph.linear(signs, weights, -model.threshold_)
