"""Kernel rows of representatives against all instances, computed once and kept."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np

from svmosaic.multi_instance.instance_kernel import InstanceKernel
from svmosaic.problem import DoubleArray, IndexArray

__all__ = ["KernelRows"]


class KernelRows:
    """The kernel rows that were asked for, as many as fit into a limit.

    Parameters
    ----------
    kernel : InstanceKernel
        The kernel.
    X : {ndarray, csr_array} of shape (n_instances, n_features)
        All instances.
    limit_mb : float
        Memory for rows. Those that were not asked for longest go first; the rows of one request
        stay together, however small the limit is.

    Attributes
    ----------
    kernel : InstanceKernel
        The kernel.
    n_computed : int
        Rows computed so far.
    """

    def __init__(self, kernel: InstanceKernel, X: Any, limit_mb: float) -> None:
        self.kernel = kernel
        self._X = X
        self._most = max(1, int(limit_mb * 1e6 / (8 * X.shape[0])))
        self._rows: OrderedDict[int, DoubleArray] = OrderedDict()
        self.n_computed = 0

    def get(self, instances: IndexArray) -> list[DoubleArray]:
        """Return the kernel row of each of some instances against all."""
        wanted = dict.fromkeys(instances.tolist())
        missing = [number for number in wanted if number not in self._rows]
        for number in wanted:
            if number in self._rows:
                self._rows.move_to_end(number)
        # Room first, so that old and new rows are never in memory together.
        room = max(self._most, len(wanted)) - len(missing)
        while len(self._rows) > room:
            self._rows.popitem(last=False)
        self._compute(missing)
        return [self._rows[number] for number in instances.tolist()]

    def gram(self, instances: IndexArray) -> DoubleArray:
        """Return the kernel values between some instances."""
        values = np.array([row[instances] for row in self.get(instances)])
        # Rounding may tell k(x, z) from k(z, x); the solver takes one half of the matrix or other.
        return np.ascontiguousarray((values + values.T) / 2.0)

    def expand(self, instances: IndexArray, coef: DoubleArray) -> DoubleArray:
        """Return sum_j coef_j k(instance_j, x) for all instances x."""
        scores = np.zeros(self._X.shape[0])
        used = np.flatnonzero(coef)
        for row, weight in zip(self.get(instances[used]), coef[used], strict=True):
            scores += weight * row
        return scores

    def _compute(self, missing: list[int]) -> None:
        for begin, block in self.kernel.blocks(self._X, self._X[missing]):
            for j in range(block.shape[1]):
                # A copy: a view would keep the whole block in memory.
                self._rows[missing[begin + j]] = block[:, j].copy()
        self.n_computed += len(missing)
