"""The kernel between instances, for every kernel of the library and for functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmosaic.bags import Bags
from svmosaic.engine import cpu
from svmosaic.engine.gamma import resolve_gamma
from svmosaic.engine.kernels import KernelFunction, kernel_spec
from svmosaic.engine.problem import DoubleArray, KernelSpec
from svmosaic.engine.rows import make_rows
from svmosaic.utils.threads import resolve_threads
from svmosaic.utils.validation import canonical_csr, match_form

__all__ = ["GAMMA_RULES", "INSTANCE_KERNELS", "InstanceKernel", "make_kernel"]

# Not "precomputed": instances are sorted and split, and a matrix of pairs is neither.
INSTANCE_KERNELS = ("linear", "poly", "rbf", "sigmoid", "laplacian")
# The rules that need no label per instance; bags have none.
GAMMA_RULES = ("scale", "auto")

# Kernel values that are in memory at once, besides those that a caller keeps.
_BLOCK_VALUES = 4_000_000


@dataclass(frozen=True)
class InstanceKernel:
    """A kernel with its parameters resolved, and the threads that compute it.

    Attributes
    ----------
    function : str or callable
        The name of the kernel, or the function itself.
    spec : KernelSpec
        What the compiled core is told.
    n_threads : int
        Threads.
    """

    function: str | KernelFunction
    spec: KernelSpec
    n_threads: int = 1

    def values(self, X: Any, Z: Any) -> DoubleArray:
        """Return the kernel values of all pairs, shape (rows of X, rows of Z)."""
        if callable(self.function):
            found = self.function(X, Z)
            found = found.toarray() if sp.issparse(found) else np.asarray(found, dtype=np.float64)
            if found.shape != (X.shape[0], Z.shape[0]):
                raise ValueError(
                    f"The kernel function must return an array of shape "
                    f"({X.shape[0]}, {Z.shape[0]}) for {X.shape[0]} and {Z.shape[0]} instances. "
                    f"Got shape {found.shape} instead."
                )
            return np.asarray(found, dtype=np.float64)
        # An output for each row of Z: the expansion of it alone.
        n = Z.shape[0]
        ones = cpu.Coefficients(np.arange(n + 1), np.arange(n), np.ones(n))
        return self._decide(match_form(X, Z), Z, ones, np.zeros(n))

    def blocks(self, X: Any, Z: Any) -> Iterator[tuple[int, DoubleArray]]:
        """Yield the columns of `values` some at a time, with the number of the first."""
        width = max(1, _BLOCK_VALUES // max(1, X.shape[0]))
        for begin in range(0, Z.shape[0], width):
            yield begin, self.values(X, Z[begin : begin + width])

    def sums(self, X: Any, bags: Bags, weights: DoubleArray) -> DoubleArray:
        """Return sum_j w_j k(x, z_j) over each bag's instances z_j, shape (rows of X, bags).

        `weights` has one entry per instance of the bags.
        """
        Z = bags.instances
        if not callable(self.function):
            # An output for each bag; no table of pairs of instances exists.
            places = np.arange(bags.n_instances + 1)
            members = cpu.Coefficients(places, bags.bag_of, weights)
            return self._decide(match_form(X, Z), Z, members, np.zeros(len(bags)))
        found = np.zeros((X.shape[0], len(bags)))
        for begin, block in self.blocks(X, Z):
            rows = slice(begin, begin + block.shape[1])
            numbers = bags.bag_of[rows]
            starts = np.flatnonzero(np.concatenate([[True], np.diff(numbers) > 0]))
            # A bag may go on in the next block.
            found[:, numbers[starts]] += np.add.reduceat(block * weights[rows], starts, axis=1)
        return found

    def expand(self, X: Any, vectors: Any, coef: DoubleArray, intercept: float) -> DoubleArray:
        """Return sum_j coef_j k(vector_j, x) + intercept for each row x."""
        if coef.size == 0:
            return np.full(X.shape[0], intercept)
        X = match_form(X, vectors)
        if not callable(self.function):
            n = coef.size
            column = cpu.Coefficients(np.arange(n + 1), np.zeros(n, dtype=np.int64), coef)
            return self._decide(X, vectors, column, np.array([intercept]))[:, 0]
        scores = np.full(X.shape[0], intercept)
        for begin, block in self.blocks(X, vectors):
            scores += block @ coef[begin : begin + block.shape[1]]
        return scores

    def _decide(
        self, X: Any, vectors: Any, coefficients: Any, intercepts: DoubleArray
    ) -> DoubleArray:
        return cpu.decide(
            make_rows(X, self.function),
            make_rows(vectors, self.function),
            np.arange(vectors.shape[0], dtype=np.int64),
            self.spec,
            coefficients,
            intercepts,
            n_threads=self.n_threads,
        )


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
        everyone = np.arange(X.shape[0], dtype=np.int64)
        value = resolve_gamma(gamma, canonical_csr(X), everyone, np.ones(X.shape[0]), None, kernel)
    return InstanceKernel(
        kernel, kernel_spec(kernel, value, degree, coef0), resolve_threads(n_jobs)
    )
