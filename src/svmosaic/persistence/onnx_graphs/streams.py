"""Learners of streams as nodes: the model that predicts now, with its own scaling."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmosaic.classification.stream.chunk_scaling import Scaler
from svmosaic.classification.stream.stream_classifier import StreamClassifier
from svmosaic.classification.stream.stream_models import Constant, Linear
from svmosaic.persistence.onnx_graphs.expansions import expansion_values
from svmosaic.persistence.onnx_graphs.graph import Graph
from svmosaic.persistence.onnx_graphs.votes import Classified, classify

__all__ = ["stream_decision"]

# Where `Scaler` cuts values off.
_FAR = 1e6


def stream_decision(graph: Graph, X: str, learner: StreamClassifier) -> Classified:
    """Return what the model of a stream learner decides."""
    model: Any = learner._rule.model
    n_classes, known = learner.classes_.size, model.classes
    if isinstance(model, Constant):
        zeros = graph.linear(X, np.zeros((learner.n_features_in_, 1)), [1.0])
        values, places = zeros, graph.add("ArgMax", zeros, axis=1, keepdims=0)
    else:
        outputs = _outputs(graph, X, model)
        values, _, places = classify(graph, outputs, known.size, model.multi_class)
        if known.size == 2:
            values = graph.add("Concat", graph.add("Neg", outputs), outputs, axis=1)
    numbers = graph.add("Gather", graph.integers(known), places)
    if known.size < n_classes:
        values = _padded(graph, values, known, n_classes)
    if n_classes > 2:
        return values, n_classes, numbers
    halves = graph.linear(values, [[-0.5], [0.5]], [0.0])
    return graph.squeezed(halves), 0, numbers


def _outputs(graph: Graph, X: str, model: Any) -> str:
    scaled = _scaled(graph, X, model.scaler)
    if isinstance(model, Linear):
        return graph.linear(scaled, model.weights[:-1], model.weights[-1])
    return expansion_values(graph, scaled, model.expansion)


def _scaled(graph: Graph, X: str, scaler: Scaler) -> str:
    moved = graph.add("Sub", X, graph.numbers(scaler.offset))
    scaled = graph.add("Div", moved, graph.numbers(scaler.scale))
    cut = graph.add("Clip", scaled, graph.numbers(-_FAR), graph.numbers(_FAR))
    return graph.rounded(cut, np.float32)


def _padded(graph: Graph, values: str, known: Any, n_classes: int) -> str:
    """Return values of all classes; those not seen of late are below all others."""
    least = graph.add("ReduceMin", values, axes=[1], keepdims=1)
    below = graph.add("Sub", least, graph.numbers(1.0))
    columns = np.full(n_classes, known.size)
    columns[known] = np.arange(known.size)
    both = graph.add("Concat", values, below, axis=1)
    return graph.add("Gather", both, graph.integers(columns), axis=1)
