"""Rules for gamma: the number that a name means on the training samples."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from svmosaic.engine.problem import DeviceTable, DoubleArray, IndexArray

__all__ = [
    "DENSE_GAMMA_RULES",
    "GAMMA_RULES",
    "gamma_from_sigma",
    "resolve_gamma",
    "sigma_from_gamma",
]


def _scale(X: Any, weights: DoubleArray, labels: IndexArray | None) -> float:
    """1 / (n_features * variance of all values)."""
    with np.errstate(over="ignore", invalid="ignore"):
        return _inverse_variance(X, weights)


def _inverse_variance(X: Any, weights: DoubleArray) -> float:
    if weights.size > 0 and np.all(weights == weights[0]):
        # Equal weights are no weights, to the last bit.
        weights = np.ones_like(weights)
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


# A rule gets the distinct samples, their weights and, from classifiers, their classes; so repeating
# a row is the same as weighting it. Widths by boundary points train a model of their own, from
# layers above: they are named here and loaded when somebody asks for one.
GammaRule = Callable[[Any, DoubleArray, IndexArray | None], float]
GAMMA_RULES: dict[str, GammaRule | str] = {
    "scale": _scale,
    "auto": _auto,
    "cbp": "svmosaic.boundary.gamma_rules:peak_gamma",
    "cbp-radius": "svmosaic.boundary.gamma_rules:radius_gamma",
}
# Rules that give a width of the rbf kernel and of no other, from dense samples.
DENSE_GAMMA_RULES = ("cbp", "cbp-radius")


def _rule(name: str) -> GammaRule:
    rule = GAMMA_RULES[name]
    if callable(rule):
        return rule
    module, _, function = rule.partition(":")
    return cast(GammaRule, getattr(importlib.import_module(module), function))


def resolve_gamma(
    gamma: float | str,
    X: Any,
    samples: IndexArray,
    weights: DoubleArray,
    labels: IndexArray | None = None,
    kernel: str = "rbf",
) -> float:
    """Return the number that `gamma` means on the given samples of `X`.

    `labels`, if there are any, belong to the samples.
    """
    if not isinstance(gamma, str):
        return float(gamma)
    if gamma in DENSE_GAMMA_RULES and kernel != "rbf":
        raise ValueError(
            f"gamma={gamma!r} is a width of the rbf kernel. Got kernel={kernel!r} instead; use "
            "'scale', 'auto' or a number."
        )
    value = _value_of(gamma, X, samples, weights, labels)
    if not 0.0 < value < np.inf:
        raise ValueError(
            f"gamma={gamma!r} cannot be computed: squared features overflow float64, or all "
            "of them underflow. Scale the features."
        )
    return value


def _value_of(
    rule: str, X: Any, samples: IndexArray, weights: DoubleArray, labels: IndexArray | None
) -> float:
    if rule == "auto":
        # It asks for the number of features only, and rows would be copied.
        return _auto(X, weights, labels)
    if rule == "scale" and isinstance(X, DeviceTable):
        variance = X.mean_and_variance(samples, weights)[1]
        if 0.0 < variance < np.inf:
            return float(1.0 / (X.shape[1] * variance))
    return _rule(rule)(X[samples], weights, labels)


def gamma_from_sigma(sigma: float) -> float:
    """Return 1 / (2 sigma^2)."""
    square = sigma * sigma
    if not 0.0 < square < np.inf:
        raise ValueError(
            f"sigma={sigma:g} has a square that float64 cannot hold. Scale the features or give "
            "another sigma."
        )
    return float(0.5 / square)


def sigma_from_gamma(gamma: float) -> float:
    """Return the width of which `gamma` is 1 / (2 sigma^2)."""
    return float(np.sqrt(0.5 / gamma))
