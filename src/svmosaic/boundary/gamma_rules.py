"""Widths by boundary points as rules for gamma; `svmosaic.engine.gamma` names them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from svmosaic.boundary.kernel_widths import peak_of_samples, radius_of_samples
from svmosaic.engine.gamma import gamma_from_sigma
from svmosaic.engine.problem import DoubleArray, IndexArray

__all__ = ["peak_gamma", "radius_gamma"]


def peak_gamma(X: Any, weights: DoubleArray, labels: IndexArray | None) -> float:
    """1 / (2 sigma^2) of the peak of SVM-CBP's norm."""
    known = _boundary_classes("cbp", X, labels)
    return gamma_from_sigma(peak_of_samples(X, known, weights, who="gamma='cbp'").sigma)


def radius_gamma(X: Any, weights: DoubleArray, labels: IndexArray | None) -> float:
    """1 / (2 sigma^2) of three times the lower quartile of the boundary points' radii."""
    known = _boundary_classes("cbp-radius", X, labels)
    return gamma_from_sigma(radius_of_samples(X, known, weights))


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
