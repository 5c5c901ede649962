"""From arrays to rows: what every kernel expansion of the library shares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmosaic.boundary.machine import gamma_of
from svmosaic.boundary.widths import peak_of_samples, radius_of_samples
from svmosaic.problem import (
    CallbackRows,
    CsrRows,
    DenseRows,
    DoubleArray,
    FloatArray,
    IndexArray,
    KernelKind,
    KernelSpec,
    PairwiseRows,
    Rows,
)

__all__ = [
    "DENSE_GAMMA_RULES",
    "GAMMA_RULES",
    "KERNELS",
    "KernelFunction",
    "kernel_spec",
    "make_rows",
    "resolve_gamma",
]

KERNELS: tuple[KernelKind, ...] = (
    "linear",
    "poly",
    "rbf",
    "sigmoid",
    "laplacian",
    "precomputed",
)

KernelFunction = Callable[[Any, Any], Any]


def make_rows(X: Any, kernel: str | KernelFunction) -> Rows:
    """Return the validated `X` in the form that the core reads.

    A callable kernel is asked for one column at a time.
    """
    if callable(kernel):
        return _callback_rows(X, kernel)
    if kernel == "precomputed":
        return PairwiseRows(X)
    if sp.issparse(X):
        return CsrRows(X.data, X.indices, X.indptr, X.shape[1])
    return DenseRows(X)


def _callback_rows(X: Any, kernel: KernelFunction) -> CallbackRows:
    n_samples = X.shape[0]

    def column(j: int) -> FloatArray:
        values = _dense_values(kernel(X, X[j : j + 1]))
        if values.shape != (n_samples, 1):
            raise ValueError(
                f"The kernel function must return an array of shape ({n_samples}, 1) for "
                f"{n_samples} and 1 samples. Got shape {values.shape} instead."
            )
        return values[:, 0].copy()

    # Blocks: few calls of the function, little memory for what is off the diagonal.
    block = 64
    diagonal = np.empty(n_samples)
    for begin in range(0, n_samples, block):
        part = X[begin : begin + block]
        diagonal[begin : begin + block] = np.diagonal(_dense_values(kernel(part, part)))
    return CallbackRows(column, diagonal, n_samples)


def _dense_values(values: Any) -> DoubleArray:
    values = values.toarray() if sp.issparse(values) else values
    return np.asarray(values, dtype=np.float64)


def _scale(X: Any, weights: DoubleArray, labels: IndexArray | None) -> float:
    """1 / (n_features * variance of all values)."""
    with np.errstate(over="ignore", invalid="ignore"):
        return _inverse_variance(X, weights)


def _inverse_variance(X: Any, weights: DoubleArray) -> float:
    n_features = X.shape[1]
    total = float(weights.sum()) * n_features
    if sp.issparse(X):
        weighted = sp.diags_array(weights) @ X
        mean = float(weighted.sum()) / total
        square = float(weighted.multiply(X).sum()) / total
        variance = square - mean * mean
    else:
        values = X.astype(np.float64, copy=False)
        mean = float(weights @ values.sum(axis=1)) / total
        square = variance = float(weights @ ((values - mean) ** 2).sum(axis=1)) / total
    if variance > 0.0:
        return float(1.0 / (n_features * variance))
    # Equal values have any width, others one that is too small for their squares.
    vanished = square == 0.0 and X.max() > X.min()
    return np.inf if vanished else 1.0


def _auto(X: Any, weights: DoubleArray, labels: IndexArray | None) -> float:
    """1 / n_features."""
    return 1.0 / float(X.shape[1])


def _cbp(X: Any, weights: DoubleArray, labels: IndexArray | None) -> float:
    """1 / (2 sigma^2) of the peak of SVM-CBP's norm."""
    known = _boundary_classes("cbp", X, labels)
    return gamma_of(peak_of_samples(X, known, weights, who="gamma='cbp'").sigma)


def _cbp_radius(X: Any, weights: DoubleArray, labels: IndexArray | None) -> float:
    """1 / (2 sigma^2) of three times the lower quartile of the boundary points' radii."""
    known = _boundary_classes("cbp-radius", X, labels)
    return gamma_of(radius_of_samples(X, known, weights))


def _boundary_classes(rule: str, X: Any, labels: IndexArray | None) -> IndexArray:
    """Return the labels as numbers from 0, if the rule can work at all."""
    if sp.issparse(X):
        raise TypeError(
            f"gamma={rule!r} measures balls between samples and takes dense arrays only. Got a "
            "sparse matrix; use X.toarray() or another gamma."
        )
    numbers = None if labels is None else np.unique(labels, return_inverse=True)[1]
    if numbers is None or numbers.max(initial=0) == 0:
        raise ValueError(
            f"gamma={rule!r} needs samples of two classes, between which boundary points lie; use "
            "'scale' or a number."
        )
    return np.asarray(numbers, dtype=np.int64)


# The one place where names of rules for gamma are known. A rule gets the distinct samples, their
# weights and, from classifiers, their classes; so repeating a row is the same as weighting it.
GAMMA_RULES: dict[str, Callable[[Any, DoubleArray, IndexArray | None], float]] = {
    "scale": _scale,
    "auto": _auto,
    "cbp": _cbp,
    "cbp-radius": _cbp_radius,
}
# Those that make a width of the rbf kernel and of no other, from dense samples.
DENSE_GAMMA_RULES = ("cbp", "cbp-radius")


def resolve_gamma(
    gamma: float | str,
    X: Any,
    samples: IndexArray,
    weights: DoubleArray,
    labels: IndexArray | None = None,
    kernel: str = "rbf",
) -> float:
    """Return the number that `gamma` stands for on the given samples of `X`.

    `labels`, if there are any, belong to the samples.
    """
    if not isinstance(gamma, str):
        return float(gamma)
    if gamma in DENSE_GAMMA_RULES and kernel != "rbf":
        raise ValueError(
            f"gamma={gamma!r} is a width of the rbf kernel. Got kernel={kernel!r} instead; use "
            "'scale', 'auto' or a number."
        )
    value = GAMMA_RULES[gamma](X[samples], weights, labels)
    if not 0.0 < value < np.inf:
        raise ValueError(
            f"gamma={gamma!r} finds no width: the squares of the features leave the range of "
            "float64. Scale the features."
        )
    return value


def kernel_spec(
    kernel: str | KernelFunction, gamma: float, degree: int, coef0: float
) -> KernelSpec:
    """Return the kernel for the core, which reads a callable's values as they are."""
    kind: Any = "precomputed" if callable(kernel) else kernel
    return KernelSpec(kind, gamma, int(degree), float(coef0))
