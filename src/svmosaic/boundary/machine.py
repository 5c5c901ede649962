"""SVM-CBP of one binary problem: the SVM whose norm is the distance to the boundary points.

    min over a   |C'a|^2 + ridge |a|^2 + lam sum_i weight_i max(0, 1 - y_i (K a)_i)

with K_ij = k(x_i, x_j) and C_ij = k(x_i, z_j), k = exp(-|x - x'|^2 / (2 sigma^2)), z the boundary
points (Eq. 3.3 of the thesis, with the square of its on-line form). With R = C C' + ridge I = L L'
and u = L'a it is a linear L1-SVM without an intercept on the rows of K L^-T, whose kernel matrix is
G = K R^-1 K and whose bound is lam / 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.spatial.distance import cdist

from svmosaic.backends import cpu
from svmosaic.problem import DoubleArray, FloatArray, KernelSpec, PairwiseRows, Problem, Solution
from svmosaic.solvers.dual_descent import DualDescentSettings
from svmosaic.utils.threads import one_blas_thread

__all__ = ["CbpMachine", "CbpProblem", "WidthTooSmallError", "gamma_of", "sigma_of"]

# Boundary points whose kernel values are held at once.
_BLOCK = 2_048
# C C' of a smaller mean diagonal is rounding or nothing.
_LEAST_TRACE = 1e-200


class WidthTooSmallError(ValueError):
    """No sample has a boundary point within reach of the kernel."""


def gamma_of(sigma: float) -> float:
    """Return 1 / (2 sigma^2)."""
    return float(0.5 / sigma**2)


def sigma_of(gamma: float) -> float:
    """Return the width of which `gamma` is 1 / (2 sigma^2)."""
    return float(np.sqrt(0.5 / gamma))


@dataclass(frozen=True)
class CbpMachine:
    """A fitted machine.

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
    solution : Solution
        Where the dual solver stopped; its coefficients are those of G.
    """

    coef: DoubleArray
    norm: float
    loss: float
    decisions: DoubleArray
    solution: Solution


class CbpProblem:
    """Samples, targets and boundary points, with what all widths share: squared distances."""

    def __init__(
        self, X: FloatArray, targets: DoubleArray, weights: DoubleArray, points: FloatArray
    ) -> None:
        # Around the mean: large constants would cost digits of the distances.
        centre = X.mean(axis=0, dtype=np.float64)
        self.X = X.astype(np.float64) - centre
        self.points = points.astype(np.float64) - centre
        self.targets = targets
        self.weights = weights
        self.squared = cdist(self.X, self.X, "sqeuclidean")

    def _overlap(self, gamma: float) -> DoubleArray:
        """Return C C'; the points come in blocks, they can be many."""
        n = self.targets.size
        total = np.zeros((n, n))
        for begin in range(0, self.points.shape[0], _BLOCK):
            C = cdist(self.X, self.points[begin : begin + _BLOCK], "sqeuclidean")
            C *= -gamma
            np.exp(C, out=C)
            total += C @ C.T
        return total

    def solve(
        self,
        sigma: float,
        lam: float,
        *,
        ridge: float,
        tol: float = 1e-3,
        max_iter: int = 0,
        max_time: float = 0.0,
        progress: cpu.Progress | None = None,
    ) -> CbpMachine:
        """Return the machine of one width.

        `ridge` is relative: it is multiplied by the mean diagonal of C C'.
        """
        with one_blas_thread():
            return self._solve(
                sigma,
                ridge,
                DualDescentSettings(C=0.5 * lam, tol=tol, max_iter=max_iter, cache_mb=1.0),
                max_time,
                progress,
            )

    def _solve(
        self,
        sigma: float,
        ridge: float,
        settings: DualDescentSettings,
        max_time: float,
        progress: cpu.Progress | None,
    ) -> CbpMachine:
        gamma = gamma_of(sigma)
        n = self.targets.size
        K = np.exp(-gamma * self.squared)
        R = self._overlap(gamma)
        mean = float(np.trace(R)) / n
        if not mean > _LEAST_TRACE:
            raise WidthTooSmallError(
                f"sigma={sigma:g} is so small that every kernel value between a sample and a "
                "boundary point is zero; take a larger one."
            )
        # Without it R is singular where there are fewer points than samples.
        added = ridge * mean
        R[np.diag_indices(n)] += added
        L = cholesky(R, lower=True, overwrite_a=True, check_finite=False)
        W = solve_triangular(L, K, lower=True, check_finite=False)
        G = np.ascontiguousarray(W.T @ W)
        problem = Problem(np.arange(n), self.targets, self.weights)
        (solution,) = cpu.solve_dual_descent(
            PairwiseRows(G),
            KernelSpec("precomputed"),
            [problem],
            settings,
            max_time=max_time,
            progress=progress,
        )
        beta = np.zeros(n)
        beta[solution.support] = solution.coef
        # a = R^-1 K beta, and a'R a = beta'G beta.
        coef = solve_triangular(L, W @ beta, lower=True, trans="T", check_finite=False)
        decisions = G @ beta
        squared = float(beta @ decisions) - added * float(coef @ coef)
        slack = np.maximum(0.0, 1.0 - self.targets * decisions)
        return CbpMachine(
            coef,
            float(np.sqrt(max(0.0, squared))),
            float(self.weights @ slack),
            decisions,
            solution,
        )
