"""The kernel between instances, for every kernel of the library and for functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from svmosaic.bags import Bags
from svmosaic.engine.expansion import KernelExpansion, kernel_matrix
from svmosaic.engine.gamma import resolve_gamma
from svmosaic.engine.kernels import SAMPLE_KERNELS, KernelFunction, KernelSpec, kernel_spec
from svmosaic.engine.problem import Coefficients, DoubleArray
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.validation import canonical_csr

__all__ = [
    "GAMMA_RULES",
    "INSTANCE_KERNELS",
    "InstanceKernel",
    "instance_gamma",
    "make_kernel",
    "one_output",
]

# Not "precomputed": instances are sorted and split, and a matrix of pairs is neither.
INSTANCE_KERNELS = SAMPLE_KERNELS
# The rules that need no label per instance; bags have none.
GAMMA_RULES = ("scale", "auto")

# Kernel values that are in memory at once, besides those that a caller keeps.
_BLOCK_VALUES = 4_000_000


@dataclass(frozen=True)
class InstanceKernel:
    """A kernel between instances, and the threads that compute it.

    Attributes
    ----------
    spec : KernelSpec
        The kernel with its parameters resolved.
    n_threads : int
        Threads.
    """

    spec: KernelSpec
    n_threads: int = 1

    def values(self, X: Any, Z: Any) -> DoubleArray:
        """Return the kernel values of all pairs, shape (rows of X, rows of Z)."""
        return kernel_matrix(self.spec, X, Z, n_threads=self.n_threads)

    def blocks(self, X: Any, Z: Any) -> Iterator[tuple[int, DoubleArray]]:
        """Yield the columns of `values` some at a time, with the number of the first."""
        width = max(1, _BLOCK_VALUES // max(1, X.shape[0]))
        if Z.shape[0] <= width:
            # To slice sparse rows takes longer than a few kernel values.
            yield 0, self.values(X, Z)
            return
        for begin in range(0, Z.shape[0], width):
            yield begin, self.values(X, Z[begin : begin + width])

    def sums(self, X: Any, bags: Bags, weights: DoubleArray) -> DoubleArray:
        """Return sum_j w_j k(x, z_j) over each bag's instances z_j, shape (rows of X, bags).

        `weights` has one entry per instance of the bags.
        """
        # An output for each bag; no table of pairs of instances exists.
        places = np.arange(bags.n_instances + 1)
        members = Coefficients(places, bags.bag_of, weights, len(bags))
        expansion = KernelExpansion(self.spec, bags.instances, members, np.zeros(len(bags)))
        return expansion.decide(X, n_threads=self.n_threads)

    def expand(self, X: Any, vectors: Any, coef: DoubleArray) -> DoubleArray:
        """Return sum_j coef_j k(vector_j, x) for each row x."""
        return one_output(self.spec, vectors, coef).decide(X, n_threads=self.n_threads)[:, 0]


def one_output(
    kernel: KernelSpec, vectors: Any, coef: DoubleArray, intercept: float = 0.0
) -> KernelExpansion:
    """Return the expansion of a single function over instances."""
    coefficients = Coefficients.of_one_output(coef)
    return KernelExpansion(kernel, vectors, coefficients, np.array([float(intercept)]))


def instance_gamma(gamma: float | str, X: Any, kernel: str) -> float:
    """Return the width of a kernel for instances `X`, all of which count alike."""
    everyone = np.arange(X.shape[0], dtype=np.int64)
    return resolve_gamma(gamma, X, everyone, np.ones(X.shape[0]), kernel=kernel)


def make_kernel(
    kernel: str | KernelFunction,
    gamma: float | str,
    degree: int,
    coef0: float,
    X: Any,
    n_jobs: int | None = None,
) -> InstanceKernel:
    """Return the kernel for instances `X`, on which rules for gamma are resolved."""
    value = 1.0
    if not callable(kernel) and kernel != "linear":
        value = instance_gamma(gamma, canonical_csr(X), kernel)
    return InstanceKernel(kernel_spec(kernel, value, degree, coef0), resolve_threads(n_jobs))
