"""Kernels in plain NumPy."""

from __future__ import annotations

import numpy as np

from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DoubleArray

__all__ = ["gram"]


def gram(X: DoubleArray, Z: DoubleArray, kernel: KernelSpec) -> DoubleArray:
    """Return the kernel values of all pairs of rows of `X` and `Z`."""
    if kernel.kind in ("rbf", "laplacian"):
        difference = X[:, None, :] - Z[None, :, :]
        distance = (difference**2 if kernel.kind == "rbf" else abs(difference)).sum(axis=2)
        return np.asarray(np.exp(-kernel.gamma * distance))
    products = X @ Z.T
    if kernel.kind == "poly":
        return np.asarray((kernel.gamma * products + kernel.coef0) ** kernel.degree)
    if kernel.kind == "sigmoid":
        return np.asarray(np.tanh(kernel.gamma * products + kernel.coef0))
    return products
