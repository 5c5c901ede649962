"""Kernels between bags: weighted sums of kernel values of their instances, block by block."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from svmosaic.backends import cpu
from svmosaic.bags import Bags
from svmosaic.base import make_rows
from svmosaic.multi_instance.peers.bag_blocks import Block, blocks_of
from svmosaic.multi_instance.peers.bag_statistics import sums_of_bags
from svmosaic.problem import DoubleArray, KernelSpec
from svmosaic.utils.validation import canonical_csr

__all__ = ["bag_kernel", "bag_norms", "instance_kernel"]


def instance_kernel(A: Any, B: Any, kernel: KernelSpec, *, n_threads: int = 1) -> DoubleArray:
    """Return the values of an rbf, linear or poly kernel for all rows of two tables of one type."""
    if kernel.kind == "rbf":
        values = cpu.pair_distances(
            make_rows(canonical_csr(A), "rbf"),  # type: ignore[arg-type]
            make_rows(canonical_csr(B), "rbf"),  # type: ignore[arg-type]
            n_threads=n_threads,
        )
        values *= -kernel.gamma
        return np.exp(values, out=values)
    products = _dense(A @ B.T)
    if kernel.kind == "linear":
        return products
    products *= kernel.gamma
    products += kernel.coef0
    return np.asarray(np.power(products, kernel.degree, out=products))


def bag_kernel(
    A: Bags,
    B: Bags,
    weights_a: DoubleArray,
    weights_b: DoubleArray,
    kernel: KernelSpec,
    *,
    n_threads: int = 1,
) -> DoubleArray:
    """Return sum_ij u_i v_j k(x_i, z_j) for all pairs of bags, of shape (len(A), len(B)).

    The weights belong to the instances. With the same bags and weights on both sides, half of
    the pairs of instances are computed.
    """
    if kernel.kind == "linear":
        # The sum of products is the product of sums.
        return _dense(_weighted_sums(A, weights_a) @ _weighted_sums(B, weights_b).T)
    symmetric = A is B and weights_a is weights_b
    result = np.zeros((len(A), len(B)))
    columns = list(blocks_of(B))
    for a in blocks_of(A):
        for b in columns:
            if symmetric and b.rows.start < a.rows.start:
                continue
            values = instance_kernel(
                A.instances[a.rows], B.instances[b.rows], kernel, n_threads=n_threads
            )
            part = _reduce(values, a, b, weights_a, weights_b)
            result[a.bags, b.bags] += part
            if symmetric and b.rows.start > a.rows.start:
                result[b.bags, a.bags] += part.T
    return (result + result.T) / 2 if symmetric else result


def _reduce(
    values: DoubleArray, a: Block, b: Block, weights_a: DoubleArray, weights_b: DoubleArray
) -> DoubleArray:
    """Sum the values of a block over the bags on both sides."""
    values *= weights_a[a.rows, np.newaxis]
    part = np.add.reduceat(values, a.begins, axis=0)
    part *= weights_b[b.rows]
    return np.asarray(np.add.reduceat(part, b.begins, axis=1), dtype=np.float64)


def bag_norms(
    bags: Bags, weights: DoubleArray, kernel: KernelSpec, *, n_threads: int = 1
) -> DoubleArray:
    """Return the length of each bag's weighted sum in feature space."""
    squares = np.empty(len(bags))
    for i, (begin, end) in enumerate(zip(bags.offsets[:-1], bags.offsets[1:], strict=True)):
        one, own = bags[i : i + 1], weights[begin:end]
        squares[i] = bag_kernel(one, one, own, own, kernel, n_threads=n_threads)[0, 0]
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)), dtype=np.float64)


def _weighted_sums(bags: Bags, weights: DoubleArray) -> Any:
    return sums_of_bags(bags, sp.diags_array(weights) @ bags.instances)


def _dense(values: Any) -> DoubleArray:
    values = values.toarray() if sp.issparse(values) else values
    return np.asarray(values, dtype=np.float64)
