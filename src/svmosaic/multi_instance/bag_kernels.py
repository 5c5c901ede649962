"""Kernels between whole bags: weighted sums of kernel values of their instances."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmosaic.bags import Bags
from svmosaic.engine.problem import DoubleArray
from svmosaic.multi_instance.bag_statistics import sum_in_bags
from svmosaic.multi_instance.instance_kernel import InstanceKernel

__all__ = ["bag_norms", "bag_sums"]

# Parts into which the bags are cut. With the same bags on both sides each part meets only itself
# and those after it, so that 1/2 + 1/32 of all pairs are computed.
_PARTS = 16


def bag_sums(
    kernel: InstanceKernel,
    first: Bags,
    second: Bags,
    of_first: DoubleArray,
    of_second: DoubleArray,
) -> DoubleArray:
    """Return sum_ij u_i v_j k(x_i, z_j) for all pairs of bags, of shape (len(first), len(second)).

    The weights u and v belong to the instances. With the same bags and weights on both sides, about
    half of the pairs of instances are computed.
    """
    if kernel.spec.kind == "linear":
        # The sum of products is the product of sums.
        return _dense(_weighted(first, of_first) @ _weighted(second, of_second).T)
    symmetric = first is second and of_first is of_second
    result = np.zeros((len(first), len(second)))
    for begin, end in _parts(first):
        start = begin if symmetric else 0
        part, others = first[begin:end], second[start:]
        values = kernel.sums(part.instances, others, of_second[second.offsets[start] :])
        values *= of_first[first.offsets[begin] : first.offsets[end], np.newaxis]
        result[begin:end, start:] = np.add.reduceat(values, part.offsets[:-1], axis=0)
        if symmetric:
            own = result[begin:end, begin:end]
            # Rounding may tell k(x, z) from k(z, x).
            result[begin:end, begin:end] = (own + own.T) / 2.0
            result[end:, begin:end] = result[begin:end, end:].T
    return result


def bag_norms(kernel: InstanceKernel, bags: Bags, weights: DoubleArray) -> DoubleArray:
    """Return the length of each bag's weighted sum in feature space."""
    squares = np.empty(len(bags))
    for i, (begin, end) in enumerate(zip(bags.offsets[:-1], bags.offsets[1:], strict=True)):
        one, own = bags[i : i + 1], weights[begin:end]
        squares[i] = bag_sums(kernel, one, one, own, own)[0, 0]
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)), dtype=np.float64)


def _parts(bags: Bags) -> Iterator[tuple[int, int]]:
    """Yield runs of bags with about as many instances each."""
    goals = bags.n_instances * np.arange(1, _PARTS + 1) / _PARTS
    ends = np.unique(np.searchsorted(bags.offsets, goals))
    begin = 0
    for end in ends.tolist():
        yield begin, end
        begin = end


def _weighted(bags: Bags, weights: DoubleArray) -> Any:
    return sum_in_bags(bags, sp.diags_array(weights) @ bags.instances)


def _dense(values: Any) -> DoubleArray:
    values = values.toarray() if sp.issparse(values) else values
    return np.asarray(values, dtype=np.float64)
