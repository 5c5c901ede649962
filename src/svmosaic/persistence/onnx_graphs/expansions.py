"""Kernel values and kernel expansions as nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from svmosaic.engine.expansion import KernelExpansion
from svmosaic.engine.kernels import KernelSpec
from svmosaic.persistence.onnx_graphs.graph import Graph, NotExportableError

__all__ = [
    "absolute_distances",
    "decaying",
    "dense_vectors",
    "expansion_values",
    "squared_distances",
]


def expansion_values(graph: Graph, X: str, expansion: KernelExpansion) -> str:
    """Return the values of all functions of an expansion, shape (n_samples, n_outputs)."""
    kernel = expansion.kernel
    if kernel.kind == "precomputed":
        what = "precomputed kernel values" if kernel.function is None else "a kernel function"
        raise NotExportableError(
            f"ONNX holds no model with {what}: a graph computes kernels from samples by name. Use "
            "a named kernel, or svmosaic.save or pickle."
        )
    X = graph.rounded(X, expansion.vectors.dtype)
    if kernel.kind == "linear" or expansion.n_vectors == 0:
        n_features = expansion.vectors.shape[1]
        weights = np.zeros((expansion.n_outputs, n_features))
        if expansion.n_vectors:
            weights = expansion.feature_weights()
        return graph.linear(X, weights.T, expansion.intercepts)
    values = _kernel_values(graph, X, kernel, dense_vectors(graph, expansion.vectors))
    coefficients = expansion.coefficient_matrix().toarray()
    return graph.linear(values, coefficients, expansion.intercepts)


def dense_vectors(graph: Graph, vectors: Any) -> Any:
    """Return support vectors as a dense table, after a look at its size."""
    if not sp.issparse(vectors):
        return vectors
    graph.reserve(vectors.shape[0] * vectors.shape[1] * graph.dtype.itemsize)
    return vectors.toarray()


def _kernel_values(graph: Graph, X: str, kernel: KernelSpec, vectors: Any) -> str:
    """Return the kernel values of samples and vectors, shape (n_samples, n_vectors)."""
    if kernel.kind in ("rbf", "laplacian"):
        measure = squared_distances if kernel.kind == "rbf" else absolute_distances
        return decaying(graph, measure(graph, X, vectors), kernel.gamma)
    inner = graph.linear(X, kernel.gamma * vectors.T.astype(np.float64), kernel.coef0)
    if kernel.kind == "sigmoid":
        return graph.add("Tanh", inner)
    return graph.add("Pow", inner, graph.numbers(kernel.degree))


def decaying(graph: Graph, distances: str, gamma: float) -> str:
    """Return exp(-gamma d)."""
    # After the distances: ONNX Runtime rounds a factor beside a product of matrices to float32.
    return graph.add("Exp", graph.add("Mul", distances, graph.numbers(-gamma)))


def squared_distances(graph: Graph, X: str, vectors: Any) -> str:
    """Return |x - v|^2 for all samples and vectors.

    They come from |x|^2 - 2 x'v + |v|^2, in which digits are lost far from the origin; so the
    mean of the vectors is the origin.
    """
    vectors = vectors.astype(np.float64)
    center = vectors.mean(axis=0) if len(vectors) else np.zeros(vectors.shape[1])
    moved = vectors - center
    X = graph.add("Sub", X, graph.numbers(center))
    lengths = graph.add("ReduceSum", graph.add("Mul", X, X), graph.integers([1]), keepdims=1)
    crossed = graph.linear(X, -2.0 * moved.T, (moved**2).sum(axis=1))
    return graph.add("Relu", graph.add("Add", crossed, lengths))


def absolute_distances(graph: Graph, X: str, vectors: Any) -> str:
    """Return the sums of |x_f - v_f| over the features f, for all samples and vectors.

    One feature after the other: all differences at once would need n_features times the memory.
    """
    columns = graph.add("Unsqueeze", graph.add("Transpose", X), graph.integers([2]))
    rows = graph.numbers(vectors.T[:, np.newaxis, :])
    n_samples = graph.add("Shape", X, start=0, end=1)
    shape = graph.add("Concat", n_samples, graph.integers([len(vectors)]), axis=0)
    body = (("Sub", ["a", "b"], "difference"), ("Abs", ["difference"], "added"))
    return graph.accumulated(columns, rows, shape, body)
