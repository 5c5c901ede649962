"""Random binary problems, with ties and duplicates on purpose, and an interior-point oracle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from svmosaic.problem import CsrRows, DenseRows, KernelSpec

KERNELS = ("rbf", "linear", "poly", "sigmoid", "laplacian")


@dataclass
class Data:
    X: np.ndarray
    y: np.ndarray  # +1 and -1
    weights: np.ndarray
    kernel: KernelSpec

    def dense(self):
        return DenseRows(self.X)

    def csr(self, index_type=np.int32):
        X = sparse.csr_array(self.X)
        return CsrRows(
            X.data, X.indices.astype(index_type), X.indptr.astype(index_type), self.X.shape[1]
        )


@st.composite
def problems(draw, max_samples=40, kernels=KERNELS, weighted=True):
    """Small integer grids give ties and copies, floats give neither."""
    n_samples = draw(st.integers(2, max_samples))
    n_features = draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["grid", "halves", "normal", "sparse"]))
    shape = (n_samples, n_features)
    if kind == "grid":
        X = rng.integers(-2, 3, shape).astype(float)
    elif kind == "halves":
        X = rng.integers(-4, 5, shape) / 2.0
    elif kind == "normal":
        X = rng.normal(size=shape)
    else:
        X = rng.integers(0, 4, shape) * (rng.random(shape) < 0.3).astype(float)
    y = np.where(rng.random(n_samples) < 0.5, 1.0, -1.0)
    y[0], y[-1] = 1.0, -1.0
    weights = np.ones(n_samples)
    if weighted and draw(st.booleans()):
        weights = rng.choice([0.25, 0.5, 1.0, 2.0, 2.5, 3.0], n_samples)
    kernel = KernelSpec(
        draw(st.sampled_from(kernels)),
        gamma=draw(st.sampled_from([0.1, 0.5, 2.0])),
        degree=draw(st.integers(1, 3)),
        coef0=draw(st.sampled_from([0.0, 1.0])),
    )
    return Data(X, y, weights, kernel)


def solve_dual_exactly(K, y, upper):
    """Return the signed solution of the L1 dual and its objective, by an interior-point QP."""
    import clarabel

    n = y.size
    # Half of the symmetric matrix is what the solver wants; a trace of ridge keeps it convex.
    P = sparse.csc_matrix(np.triu(K + 1e-12 * np.eye(n)))
    A = sparse.vstack([sparse.csc_matrix(np.ones((1, n))), sparse.eye(n), -sparse.eye(n)]).tocsc()
    low, high = np.where(y > 0, 0.0, -upper), np.where(y > 0, upper, 0.0)
    b = np.concatenate([[0.0], high, -low])
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(2 * n)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    solution = clarabel.DefaultSolver(P, -y.astype(float), A, b, cones, settings).solve()
    beta = np.array(solution.x)
    return beta, float(beta @ y - 0.5 * beta @ K @ beta)
