"""Kernel rows of representatives against all instances, computed once and kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmosaic.multi_instance.instance_kernel import InstanceKernel
from svmosaic.problem import DoubleArray, IndexArray

__all__ = ["KernelRows"]

# Kernel values that a sum copies at once: few enough to stay in the cache.
_GATHERED_VALUES = 32_768


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
        n = X.shape[0]
        self.kernel = kernel
        self._X = X
        room = min(n, max(1, int(limit_mb * 1e6 / (8 * n))))
        # One table, so that a request is one gather. Its pages take memory when they are written.
        self._values = np.empty((room, n))
        self._held = np.full(room, -1)
        self._last_asked = np.zeros(room, dtype=np.int64)
        self._place = np.full(n, -1)
        self._requests = 0
        self.n_computed = 0

    def gram(self, instances: IndexArray) -> DoubleArray:
        """Return the kernel values between some instances."""
        places = self._places(instances)
        values = self._values[places[:, None], instances]
        # Rounding may tell k(x, z) from k(z, x); the solver takes one half of the matrix or other.
        return (values + values.T) / 2.0

    def expand(self, instances: IndexArray, coef: DoubleArray) -> DoubleArray:
        """Return sum_j coef_j k(instance_j, x) for all instances x."""
        used = np.flatnonzero(coef)
        places, weights = self._places(instances[used]), coef[used]
        scores = np.zeros(self._X.shape[0])
        width = max(1, _GATHERED_VALUES // scores.size)
        for begin in range(0, used.size, width):
            part = slice(begin, begin + width)
            # Not the product of BLAS, whose sums may depend on its threads.
            scores += np.einsum("j,jx->x", weights[part], self._values[places[part]])
        return scores

    def _places(self, instances: IndexArray) -> IndexArray:
        """Return the place of each instance's row in the table, after computing those missing."""
        self._requests += 1
        places = self._place[instances]
        self._last_asked[places[places >= 0]] = self._requests
        if np.any(places < 0):
            self._compute(np.unique(instances[places < 0]))
            places = self._place[instances]
        return places

    def _compute(self, missing: IndexArray) -> None:
        places = self._make_room(missing.size)
        for begin, block in self.kernel.blocks(self._X, self._X[missing]):
            self._values[places[begin : begin + block.shape[1]]] = block.T
        self._place[missing] = places
        self._held[places] = missing
        self._last_asked[places] = self._requests
        self.n_computed += missing.size

    def _make_room(self, count: int) -> IndexArray:
        """Return places for new rows: empty ones, else those not asked for longest."""
        old = np.flatnonzero(self._last_asked < self._requests)
        if old.size < count:
            # All others belong to this request.
            more = count - old.size
            self._values = np.concatenate([self._values, np.empty((more, self._X.shape[0]))])
            self._held = np.concatenate([self._held, np.full(more, -1)])
            self._last_asked = np.concatenate([self._last_asked, np.zeros(more, dtype=np.int64)])
            old = np.flatnonzero(self._last_asked < self._requests)
        places = old[np.argsort(self._last_asked[old], kind="stable")[:count]]
        gone = self._held[places]
        self._place[gone[gone >= 0]] = -1
        return places
