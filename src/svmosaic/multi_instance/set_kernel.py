"""The normalised set kernel between whole bags."""

from __future__ import annotations

import numpy as np

from svmosaic.bags import Bags
from svmosaic.multi_instance.instance_kernel import InstanceKernel
from svmosaic.problem import DoubleArray

__all__ = ["normalise", "set_norms", "set_sums"]


def set_sums(kernel: InstanceKernel, first: Bags, second: Bags) -> DoubleArray:
    """Return the sums of the kernel values of all pairs of instances, for all pairs of bags."""
    sums = np.zeros((len(first), len(second)))
    bag_of = second.bag_of
    for begin, block in kernel.blocks(first.instances, second.instances):
        columns = np.add.reduceat(block, first.offsets[:-1], axis=0)
        bags = bag_of[begin : begin + block.shape[1]]
        starts = np.flatnonzero(np.concatenate([[True], np.diff(bags) > 0]))
        # A bag may go on in the next block.
        sums[:, bags[starts]] += np.add.reduceat(columns, starts, axis=1)
    return sums


def set_norms(kernel: InstanceKernel, bags: Bags) -> DoubleArray:
    """Return the square roots of each bag's sum with itself."""
    return np.sqrt(np.maximum(0.0, [kernel.values(bag, bag).sum() for bag in bags]))


def normalise(sums: DoubleArray, first: DoubleArray, second: DoubleArray) -> DoubleArray:
    """Return the sums over the norms; a bag whose norm is zero is orthogonal to all."""
    norms = np.outer(first, second)
    return np.divide(sums, norms, out=np.zeros_like(sums), where=norms > 0.0)
