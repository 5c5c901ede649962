"""Sums of the kernel rows of representatives, which are computed once where all can be kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmosaic.multi_instance.instance_kernel import InstanceKernel
from svmosaic.problem import DoubleArray, IndexArray

__all__ = ["KernelRows"]

# Kernel values that a sum copies at once: few enough to stay in the cache.
_GATHERED_VALUES = 32_768


class KernelRows:
    """The rows k(z, x) of instances z over all instances x, as far as they are asked for.

    If the rows of all instances fit into the limit, those that were used are kept. If not, none is:
    a sum is then computed without storing its terms, which for few features takes no longer than
    reading them, while a part of the rows would be lost before it is used again.

    Parameters
    ----------
    kernel : InstanceKernel
        The kernel.
    X : {ndarray, csr_array} of shape (n_instances, n_features)
        All instances.
    limit_mb : float
        Memory for rows.

    Attributes
    ----------
    kernel : InstanceKernel
        The kernel.
    n_computed : int
        Rows that are kept.
    """

    def __init__(self, kernel: InstanceKernel, X: Any, limit_mb: float) -> None:
        n = X.shape[0]
        self.kernel = kernel
        self._X = X
        # One table, so that a sum gathers rows. They stand in it as they come, because its pages
        # take memory when they are written.
        self._table = np.empty((n, n)) if 8 * n * n <= limit_mb * 1e6 else None
        self._places = np.full(n, -1)
        self.n_computed = 0

    def gram(self, instances: IndexArray) -> DoubleArray:
        """Return the kernel values between some instances."""
        if self._table is None:
            chosen = self._X[instances]
            values = self.kernel.values(chosen, chosen)
        else:
            self._compute_missing(self._table, instances)
            values = self._table[self._places[instances][:, None], instances]
        # Rounding may tell k(x, z) from k(z, x); the solver takes one half of the matrix or other.
        return (values + values.T) / 2.0

    def expand(self, instances: IndexArray, coef: DoubleArray) -> DoubleArray:
        """Return sum_j coef_j k(instance_j, x) for all instances x."""
        used = np.flatnonzero(coef)
        rows, weights = instances[used], coef[used]
        if self._table is None:
            return self.kernel.expand(self._X, self._X[rows], weights, 0.0)
        self._compute_missing(self._table, rows)
        places = self._places[rows]
        scores = np.zeros(self._X.shape[0])
        width = max(1, _GATHERED_VALUES // scores.size)
        for begin in range(0, rows.size, width):
            part = slice(begin, begin + width)
            # Not the product of BLAS, whose sums may depend on its threads.
            scores += np.einsum("j,jx->x", weights[part], self._table[places[part]])
        return scores

    def _compute_missing(self, table: DoubleArray, instances: IndexArray) -> None:
        missing = np.unique(instances[self._places[instances] < 0])
        first = self.n_computed
        for begin, block in self.kernel.blocks(self._X, self._X[missing]):
            table[first + begin : first + begin + block.shape[1]] = block.T
        self._places[missing] = first + np.arange(missing.size)
        self.n_computed += missing.size
