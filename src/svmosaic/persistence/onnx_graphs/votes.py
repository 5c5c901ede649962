"""From the outputs of binary classifiers to decision values and labels, as the library does it."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmosaic.engine.class_pairs import MultiClass, class_pairs
from svmosaic.persistence.onnx_graphs.graph import Graph

__all__ = ["Classified", "classify", "largest", "pair_sums", "pair_votes", "whole_votes"]

# The decision values, the number of their columns (0: a vector), the numbers of the classes.
Classified = tuple[str, int, str]


def classify(
    graph: Graph, outputs: str, n_classes: int, multi_class: MultiClass, *, all_pairs: bool = False
) -> Classified:
    """Return what binary classifiers with these outputs decide.

    With `all_pairs`, the decision values of one-vs-one are the outputs instead of votes.
    """
    if n_classes == 2:
        decision = graph.squeezed(outputs)
        positive = graph.add("Greater", decision, graph.numbers(0.0))
        return decision, 0, graph.cast(positive, np.int64)
    if multi_class == "ovr":
        return outputs, n_classes, largest(graph, outputs)
    votes = pair_votes(graph, outputs, n_classes)
    if all_pairs:
        return outputs, n_classes * (n_classes - 1) // 2, largest(graph, votes)
    return votes, n_classes, largest(graph, votes)


def largest(graph: Graph, values: str) -> str:
    """Return the column of the largest value of each row, the first of equal ones."""
    return graph.add("ArgMax", values, axis=1, keepdims=0)


def pair_votes(graph: Graph, outputs: str, n_classes: int) -> str:
    """Return votes of one-vs-one with ties ordered; see `combine_votes` of the engine."""
    votes = whole_votes(graph, outputs, n_classes)
    sums = pair_sums(graph, outputs, n_classes)
    above = graph.add("Add", graph.add("Abs", sums), graph.numbers(1.0))
    fraction = graph.add("Div", sums, graph.add("Mul", above, graph.numbers(3.0)))
    return graph.add("Add", votes, fraction)


def whole_votes(graph: Graph, outputs: str, n_classes: int) -> str:
    """Return the number of pairs that each class wins."""
    first, second = _sides(n_classes)
    zero = graph.numbers(0.0)
    won = graph.cast(graph.add("Greater", outputs, zero), graph.dtype)
    lost = graph.cast(graph.add("LessOrEqual", outputs, zero), graph.dtype)
    return graph.add(
        "Add",
        graph.add("MatMul", won, graph.numbers(first)),
        graph.add("MatMul", lost, graph.numbers(second)),
    )


def pair_sums(graph: Graph, outputs: str, n_classes: int) -> str:
    """Return for each class the signed sum of the outputs of its pairs.

    One opponent after the other, in the order of the library: another order has other last bits,
    and they may decide between equal votes.
    """
    numbers = np.zeros((n_classes, n_classes), dtype=np.int64)
    signs = np.zeros((n_classes, n_classes))
    for number, (i, j) in enumerate(class_pairs(n_classes, "ovo")):
        numbers[i, j] = numbers[j, i] = number
        signs[j, i], signs[i, j] = 1.0, -1.0
    total = ""
    for opponent in range(n_classes):
        against = graph.add("Gather", outputs, graph.integers(numbers[opponent]), axis=1)
        signed = graph.add("Mul", against, graph.numbers(signs[opponent]))
        total = graph.add("Add", total, signed) if total else signed
    return total


def _sides(n_classes: int) -> tuple[Any, Any]:
    """Return which class each pair speaks for, if positive and if not."""
    pairs = np.array(class_pairs(n_classes, "ovo"))
    everyone = np.eye(n_classes)
    return everyone[pairs[:, 0]], everyone[pairs[:, 1]]
