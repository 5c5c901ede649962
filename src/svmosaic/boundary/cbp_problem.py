"""SVM-CBP of one binary problem: the SVM whose norm is the distance to the boundary points.

    min over a   |C'a|^2 + ridge |a|^2 + lam sum_i weight_i max(0, 1 - y_i (K a)_i)

with K_ij = k(x_i, x_j) and C_ij = k(x_i, z_j), k = exp(-|x - x'|^2 / (2 sigma^2)), z the boundary
points (Eq. 3.3 of the thesis, with the square of its on-line form). With R = C C' + ridge I = L L'
and u = L'a it is a linear L1-SVM without an intercept on the rows of K L^-T, whose kernel matrix is
G = K R^-1 K and whose bound is lam / 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from svmosaic.engine import cpu
from svmosaic.engine.gamma import gamma_from_sigma
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DoubleArray, FloatArray, PairwiseRows, Problem, Solution
from svmosaic.engine.protocol import solve
from svmosaic.engine.settings import DualDescentSettings
from svmosaic.utils.blocked_algebra import (
    add_outer_product,
    exponentials,
    factorise,
    solve_lower,
    squared_distances,
)

__all__ = [
    "CbpProblem",
    "CbpSolution",
    "CbpWidth",
    "WidthTooSmallError",
    "matrix_bytes",
]

# Boundary points whose kernel values are held at once.
_BLOCK = 2_048
# Distances between samples and boundary points that are kept for all widths: 32 MB.
_MOST_KEPT = 1 << 22
# Matrices of n x n numbers besides the squared distances: the factor of R, K that becomes W, G, and
# two on the way.
_N_MATRICES = 5
# C C' of a smaller mean diagonal is rounding or nothing.
_LEAST_TRACE = 1e-200


class WidthTooSmallError(ValueError):
    """No sample has a boundary point within reach of the kernel."""


def matrix_bytes(classes: Sequence[tuple[int, int]]) -> float:
    """Return the most memory that fits to pairs of classes of these sizes need, in bytes.

    The distances of all pairs are held at once, the other matrices for one after the other.
    """
    kept = sum(float(p + q) ** 2 + min(_MOST_KEPT, p * q * (p + q)) for p, q in classes)
    largest = float(max(p + q for p, q in classes))
    return 8.0 * (kept + _N_MATRICES * largest**2 + 2 * _BLOCK * largest)


@dataclass(frozen=True)
class CbpSolution:
    """The binary classifier of one problem, width and lam.

    Attributes
    ----------
    coef : ndarray
        a, one per sample.
    norm : float
        |C'a|, the norm term of the thesis.
    loss : float
        sum_i weight_i max(0, 1 - y_i f(x_i)).
    decisions : ndarray
        f at the samples.
    dual : Solution
        Where the dual solver stopped; its coefficients are those of G.
    """

    coef: DoubleArray
    norm: float
    loss: float
    decisions: DoubleArray
    dual: Solution


class CbpWidth:
    """A problem with a width: what all values of lam share, the factor of R and the matrix G."""

    def __init__(self, problem: CbpProblem, sigma: float, ridge: float) -> None:
        n = problem.targets.size
        gamma = gamma_from_sigma(sigma)
        R = problem.overlap(gamma)
        mean = float(np.trace(R)) / n
        if not mean > _LEAST_TRACE:
            raise WidthTooSmallError(
                f"sigma={sigma:g} is so small that every kernel value between a sample and a "
                "boundary point is zero; take a larger one."
            )
        # Without it R is singular where there are fewer points than samples.
        self._added = ridge * mean
        R[np.diag_indices(n)] += self._added
        self._L = factorise(R)
        self._W = solve_lower(self._L, exponentials(problem.squared, -gamma))
        self._G = np.zeros((n, n))
        add_outer_product(self._G, self._W.T)
        self._problem = problem

    def solve(
        self,
        lam: float,
        *,
        tol: float = 1e-3,
        max_iter: int = 0,
        max_time: float = 0.0,
        progress: cpu.Progress | None = None,
    ) -> CbpSolution:
        """Return the binary classifier of one lam."""
        y, weights = self._problem.targets, self._problem.weights
        (solution,) = solve(
            PairwiseRows(self._G),
            KernelSpec("precomputed"),
            [Problem(np.arange(y.size), y, weights)],
            DualDescentSettings(C=0.5 * lam, tol=tol, max_iter=max_iter, cache_mb=1.0),
            max_time=max_time,
            progress=progress,
        )
        beta = np.zeros(y.size)
        beta[solution.support] = solution.coef
        # a = R^-1 K beta, and a'R a = beta'G beta.
        coef = solve_triangular(self._L, self._W @ beta, lower=True, trans="T", check_finite=False)
        decisions = self._G @ beta
        squared = float(beta @ decisions) - self._added * float(coef @ coef)
        slack = np.maximum(0.0, 1.0 - y * decisions)
        return CbpSolution(
            coef,
            float(np.sqrt(max(0.0, squared))),
            float(weights @ slack),
            decisions,
            solution,
        )


class CbpProblem:
    """Samples, targets and boundary points, with what all widths share: squared distances."""

    def __init__(
        self, X: FloatArray, targets: DoubleArray, weights: DoubleArray, points: FloatArray
    ) -> None:
        # Around the mean: large constants would cost digits of the distances.
        centre = X.mean(axis=0, dtype=np.float64)
        self._X = X.astype(np.float64) - centre
        self._points = points.astype(np.float64) - centre
        self.targets = targets
        self.weights = weights
        self.squared = squared_distances(self._X, self._X)
        few = self._X.shape[0] * self._points.shape[0] <= _MOST_KEPT
        self._to_points = list(self._distances()) if few else None

    def _distances(self) -> Iterator[DoubleArray]:
        """Yield squared distances of all samples to the points, which can be many, in blocks."""
        for begin in range(0, self._points.shape[0], _BLOCK):
            yield squared_distances(self._X, self._points[begin : begin + _BLOCK])

    def overlap(self, gamma: float) -> DoubleArray:
        """Return C C'."""
        n = self.targets.size
        total = np.zeros((n, n))
        for squared in self._distances() if self._to_points is None else self._to_points:
            add_outer_product(total, exponentials(squared, -gamma))
        return total

    def at(self, sigma: float, *, ridge: float) -> CbpWidth:
        """Return the problem with a width; `ridge` is relative to the mean diagonal of C C'.

        Raises
        ------
        WidthTooSmallError
            If no boundary point is within reach of the kernel.
        """
        return CbpWidth(self, sigma, ridge)
