"""L2-SVMs in the primal by Newton's method, and ridge regression, in plain NumPy."""

from __future__ import annotations

import numpy as np

from svmosaic.engine.problem import DoubleArray, FloatArray

__all__ = ["newton", "objective", "ridge"]

# As in cpp/solvers/primal_newton.cpp.
_INTERCEPT_PENALTY = 1e-6


def _bordered(X: FloatArray, norm: DoubleArray | None) -> tuple[DoubleArray, DoubleArray]:
    """Return samples that end with a one, and the penalty of weights and intercept."""
    m = X.shape[1]
    penalty = np.zeros((m + 1, m + 1))
    penalty[:m, :m] = np.eye(m) if norm is None else norm
    penalty[m, m] = _INTERCEPT_PENALTY
    return np.column_stack([X, np.ones(len(X))]).astype(np.float64), penalty


def objective(
    X: FloatArray,
    targets: DoubleArray,
    C: float,
    weights: DoubleArray,
    norm: DoubleArray | None = None,
) -> float:
    """Return half the squared norm and the losses of the samples whose targets are not 0."""
    A, penalty = _bordered(X, norm)
    slack = np.maximum(0.0, 1.0 - targets * (A @ weights))[targets != 0]
    return float(0.5 * weights @ penalty @ weights + 0.5 * C * slack @ slack)


def newton(
    X: FloatArray,
    targets: DoubleArray,
    C: float,
    norm: DoubleArray | None = None,
    max_steps: int = 50,
) -> DoubleArray:
    """Return the weights, the intercept last. Begins with all samples inside the margin."""
    taken = targets != 0
    A, penalty = _bordered(X[taken], norm)
    signed = A * targets[taken][:, None]

    def minimum(inside: DoubleArray) -> DoubleArray:
        active = signed[inside]
        return np.linalg.solve(C * active.T @ active + penalty, C * active.sum(axis=0))

    def slope(weights: DoubleArray, step: DoubleArray) -> float:
        slack = np.maximum(0.0, 1.0 - signed @ weights)
        return float(step @ (penalty @ weights - C * slack @ signed))

    weights = minimum(np.ones(len(A), dtype=bool))
    for _ in range(max_steps):
        step = minimum(signed @ weights < 1.0) - weights
        # The best length up to twice that of the step, by bisection.
        low, high = 0.0, 2.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (
                (middle, high) if slope(weights + middle * step, step) < 0 else (low, middle)
            )
        weights = weights + high * step
    return weights


def ridge(X: FloatArray, targets: DoubleArray, penalty: DoubleArray) -> DoubleArray:
    """Return weights by targets, the intercept last."""
    A = np.column_stack([X, np.ones(len(X))]).astype(np.float64)
    return np.linalg.solve(A.T @ A + penalty, A.T @ targets).T
