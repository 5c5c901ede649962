"""Calibrated probabilities as nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmosaic.classification.calibrated import CalibratedClassifier
from svmosaic.classification.class_scores import has_pairs
from svmosaic.engine.class_pairs import class_pairs
from svmosaic.persistence.onnx_graphs.graph import Graph

__all__ = ["class_probabilities"]


def class_probabilities(graph: Graph, values: str, model: CalibratedClassifier) -> str:
    """Return the probabilities of the classes, from a column per pair of classes or class."""
    log_odds = _log_odds(graph, values, model)
    n_classes = model.classes_.size
    if n_classes == 2:
        # The softmax of 0 and z is the sigmoid of -z and z.
        zeros = graph.add("Mul", log_odds, graph.numbers(0.0))
        return graph.add("Softmax", graph.add("Concat", zeros, log_odds, axis=1), axis=1)
    scores = _coupled(graph, log_odds, n_classes) if has_pairs(model.estimator_) else log_odds
    return graph.add("Softmax", graph.add("Div", scores, graph.numbers(model.temperature_)), axis=1)


def _coupled(graph: Graph, log_odds: str, n_classes: int) -> str:
    """Return the scores of `couple_pairs`: -log(1 + sum_j exp(-z_ij))."""
    numbers = np.zeros((n_classes, n_classes), dtype=np.int64)
    # A class against itself is the 1 of the sum.
    signs = np.zeros((n_classes, n_classes))
    for number, (i, j) in enumerate(class_pairs(n_classes, "ovo")):
        numbers[i, j] = numbers[j, i] = number
        signs[i, j], signs[j, i] = -1.0, 1.0
    table = graph.add("Gather", log_odds, graph.integers(numbers), axis=1)
    signed = graph.add("Mul", table, graph.numbers(signs))
    return graph.add("Neg", graph.add("ReduceLogSumExp", signed, axes=[2], keepdims=0))


def _log_odds(graph: Graph, values: str, model: CalibratedClassifier) -> str:
    if model.method == "sigmoid":
        scaled = graph.add("Mul", values, graph.numbers(model.slopes_[np.newaxis]))
        return graph.add("Add", scaled, graph.numbers(model.offsets_))
    columns, end = [], 0
    for number, n_knots in enumerate(model.n_knots_.tolist()):
        begin, end = end, end + n_knots
        column = graph.column(values, number)
        columns.append(_steps(graph, column, model.knots_[begin:end], model.levels_[begin:end]))
    p = graph.add("Concat", *columns, axis=1)
    rest = graph.add("Sub", graph.numbers(1.0), p)
    return graph.add("Sub", graph.add("Log", p), graph.add("Log", rest))


def _steps(graph: Graph, column: str, knots: Any, levels: Any) -> str:
    """Return a function that is linear between knots and constant beyond the outer ones."""
    if knots.size == 1:
        zeros = graph.add("Mul", column, graph.numbers(0.0))
        return graph.add("Add", zeros, graph.numbers(levels))
    inside = graph.add("Clip", column, graph.numbers(knots[0]), graph.numbers(knots[-1]))
    # The number of inner knots that are passed is the number of the piece.
    passed = graph.add("GreaterOrEqual", inside, graph.numbers(knots[np.newaxis, 1:-1]))
    piece = graph.add("ReduceSum", graph.cast(passed, np.int64), graph.integers([1]), keepdims=1)
    low, base, rise = (
        graph.add("Gather", graph.numbers(part), piece)
        for part in (knots[:-1], levels[:-1], np.diff(levels) / np.diff(knots))
    )
    above = graph.add("Mul", graph.add("Sub", inside, low), rise)
    return graph.add("Add", base, above)
