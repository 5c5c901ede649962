"""Sums of the kernel rows of representatives, which are computed once where all can be kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from svmosaic.engine import cpu
from svmosaic.engine.problem import DoubleArray, IndexArray
from svmosaic.multi_instance.instance_kernel import InstanceKernel
from svmosaic.multi_instance.training_bags import TrainingBags
from svmosaic.utils.row_copies import group_copies

__all__ = ["Columns", "KernelRows", "known_rows"]

# The width of a table is a multiple of it: the values in a vector of the processor.
_LANES = 8
# Tables that are kept with training bags.
_MOST_KNOWN = 4


@dataclass(frozen=True)
class Columns:
    """Instances at which rows are summed.

    Attributes
    ----------
    X : {ndarray, csr_array} or None
        The distinct ones among them. None, where rows are kept, means all there are.
    places : ndarray of shape (n_instances,)
        For each instance its row in `X`.
    """

    X: Any
    places: IndexArray


class KernelRows:
    """The rows k(z, x) of instances z over all instances x, as far as they are asked for.

    If the rows of all instances fit into the limit, those that were used are kept. If not, none is:
    a sum is then computed without storing its terms, which for few features takes no longer than
    reading them, while a part of the rows would be lost before it is used again. Of instances that
    are equal, as they often are where features are counts, one is computed.

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
        first, self._distinct = group_copies(X)
        self.kernel = kernel
        self._X = X if first.size == X.shape[0] else X[first]
        n = first.size
        # Rows are stored in the order in which they come: a page of the table takes memory only
        # when it is first written.
        width = -(-n // _LANES) * _LANES
        self._table = np.empty((n, width)) if 8 * n * n <= limit_mb * 1e6 else None
        self._places = np.full(n, -1, dtype=np.int64)
        self.n_computed = 0

    def columns(self, instances: IndexArray) -> Columns:
        """Return what `expand` needs to sum at some instances only."""
        distinct = self._distinct[instances]
        if self._table is not None:
            return Columns(None, distinct)
        needed, places = np.unique(distinct, return_inverse=True)
        return Columns(self._X[needed], places)

    def gram(self, instances: IndexArray) -> DoubleArray:
        """Return the kernel values between some instances."""
        numbers = self._distinct[instances]
        if self._table is None:
            chosen = self._X[numbers]
            values = self.kernel.values(chosen, chosen)
            # Rounding may tell k(x, z) from k(z, x), and the solver reads either.
            return (values + values.T) / 2.0
        self._compute_missing(self._table, numbers)
        return cpu.gram_of_rows(self._table, self._X.shape[0], self._places[numbers], numbers)

    def expand(self, instances: IndexArray, coef: DoubleArray, columns: Columns) -> DoubleArray:
        """Return sum_j coef_j k(instance_j, x) for the instances x of the columns."""
        used = np.flatnonzero(coef)
        numbers, weights = self._distinct[instances[used]], coef[used]
        if self._table is None:
            return self.kernel.expand(columns.X, self._X[numbers], weights)[columns.places]
        self._compute_missing(self._table, numbers)
        sums = cpu.sum_rows(self._table, self._X.shape[0], self._places[numbers], weights)
        return sums[columns.places]

    def _compute_missing(self, table: DoubleArray, numbers: IndexArray) -> None:
        missing = numbers[self._places[numbers] < 0]
        if missing.size == 0:
            return
        missing = np.unique(missing)
        first, n_columns = self.n_computed, self._X.shape[0]
        for begin, block in self.kernel.blocks(self._X, self._X[missing]):
            table[first + begin : first + begin + block.shape[1], :n_columns] = block.T
        self._places[missing] = first + np.arange(missing.size)
        self.n_computed += missing.size


def known_rows(data: TrainingBags, kernel: InstanceKernel, X: Any, limit_mb: float) -> KernelRows:
    """Return the kernel rows of training instances `X`, those that were used before included.

    A search, the folds that weigh a mixture and the final fit ask for the same rows, whatever the
    labels. They share them where a few tables fit into the limit together.
    """
    is_small = _MOST_KNOWN * 8 * X.shape[0] ** 2 <= limit_mb * 1e6
    if kernel.spec.function is not None or not is_small:
        return KernelRows(kernel, X, limit_mb)
    known: dict[InstanceKernel, KernelRows] = data.once("kernel rows", dict)
    if kernel not in known:
        if len(known) >= _MOST_KNOWN:
            del known[next(iter(known))]
        known[kernel] = KernelRows(kernel, X, limit_mb)
    return known[kernel]
