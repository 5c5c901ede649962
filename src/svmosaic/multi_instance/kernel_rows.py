"""Sums of the kernel rows of representatives, which are computed once where all can be kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmosaic.backends import cpu
from svmosaic.multi_instance.instance_kernel import InstanceKernel
from svmosaic.problem import DoubleArray, IndexArray

__all__ = ["KernelRows"]

# The width of a table is a multiple of it: the values in a vector of the processor.
_LANES = 8


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
        # Rows stand in the table as they come, because its pages take memory when they are written.
        width = -(-n // _LANES) * _LANES
        self._table = np.empty((n, width)) if 8 * n * n <= limit_mb * 1e6 else None
        self._places = np.full(n, -1, dtype=np.int64)
        self.n_computed = 0

    def gram(self, instances: IndexArray) -> DoubleArray:
        """Return the kernel values between some instances."""
        if self._table is None:
            chosen = self._X[instances]
            values = self.kernel.values(chosen, chosen)
            # Rounding may tell k(x, z) from k(z, x), and the solver reads either.
            return (values + values.T) / 2.0
        self._compute_missing(self._table, instances)
        return cpu.gram_of_rows(self._table, self._X.shape[0], self._places[instances], instances)

    def expand(self, instances: IndexArray, coef: DoubleArray) -> DoubleArray:
        """Return sum_j coef_j k(instance_j, x) for all instances x."""
        used = np.flatnonzero(coef)
        rows, weights = instances[used], coef[used]
        if self._table is None:
            return self.kernel.expand(self._X, self._X[rows], weights, 0.0)
        self._compute_missing(self._table, rows)
        return cpu.sum_rows(self._table, self._X.shape[0], self._places[rows], weights)

    def _compute_missing(self, table: DoubleArray, instances: IndexArray) -> None:
        missing = instances[self._places[instances] < 0]
        if missing.size == 0:
            return
        missing = np.unique(missing)
        first, n_columns = self.n_computed, self._X.shape[0]
        for begin, block in self.kernel.blocks(self._X, self._X[missing]):
            table[first + begin : first + begin + block.shape[1], :n_columns] = block.T
        self._places[missing] = first + np.arange(missing.size)
        self.n_computed += missing.size
