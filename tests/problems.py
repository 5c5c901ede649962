"""Random binary problems, with ties and duplicates on purpose, and an interior-point oracle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import CsrRows, DenseRows

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
    """Return the optimal objective of the L1 dual, by an interior-point QP; None if it gave up."""
    low, high = np.where(y > 0, 0.0, -upper), np.where(y > 0, upper, 0.0)
    beta = _interior_point(K, -y, np.ones(y.size), low, high)
    if beta is None:
        return None
    return float(beta @ y - 0.5 * beta @ K @ beta)


def solve_svr_exactly(K, t, upper, epsilon):
    """Return the optimal objective of the dual of epsilon-SVR, in the usual 2 n variables."""
    both = np.block([[K, -K], [-K, K]])
    linear = np.concatenate([epsilon - t, epsilon + t])
    signs = np.repeat([1.0, -1.0], t.size)
    alpha = _interior_point(both, linear, signs, np.zeros(2 * t.size), np.tile(upper, 2))
    if alpha is None:
        return None
    beta = alpha[: t.size] - alpha[t.size :]
    return float(beta @ t - epsilon * alpha.sum() - 0.5 * beta @ K @ beta)


def solve_nu_exactly(K, t, weights, *, task, nu, C=1.0):
    """Return the optimal objective t'b - 1/2 b'Kb of a nu-SVM or the one-class SVM."""
    n, total = t.size, weights.sum()
    if task == "regression":
        both = np.block([[K, -K], [-K, K]])
        rows = np.repeat(np.eye(2), n, axis=1)
        upper = np.tile(C * weights, 2)
        x = _interior_point(
            both, np.concatenate([-t, t]), rows, np.zeros(2 * n), upper, 0.5 * C * nu * total
        )
        beta = None if x is None else x[:n] - x[n:]
    elif task == "one_class":
        t = np.zeros(n)
        beta = _interior_point(K, t, np.ones(n), t, weights, nu * total)
    else:
        rows = np.stack([t > 0, t < 0]).astype(float)
        alpha = _interior_point(
            K * np.outer(t, t), np.zeros(n), rows, np.zeros(n), weights, 0.5 * nu * total
        )
        beta, t = (None if alpha is None else t * alpha), np.zeros(n)
    return None if beta is None else float(beta @ t - 0.5 * beta @ K @ beta)


def _interior_point(P, q, a, low, high, total=0.0):
    """Minimise 1/2 x'Px + q'x over a'x = total, for one row or several, and the bounds."""
    import clarabel

    n = q.size
    a = np.atleast_2d(a)
    # Half of the symmetric matrix is what the solver wants; a trace of ridge keeps it convex.
    upper_half = sparse.csc_matrix(np.triu(P + 1e-12 * np.eye(n)))
    A = sparse.vstack([sparse.csc_matrix(a), sparse.eye(n), -sparse.eye(n)]).tocsc()
    b = np.concatenate([np.full(len(a), total), high, -low])
    cones = [clarabel.ZeroConeT(len(a)), clarabel.NonnegativeConeT(2 * n)]
    # The default settings give up on a few problems; one of the others then succeeds.
    for regularisation, equilibrate in [(1e-8, True), (1e-12, True), (1e-11, False)]:
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
        settings.static_regularization_constant = regularisation
        settings.equilibrate_enable = equilibrate
        solver = clarabel.DefaultSolver(upper_half, q.astype(float), A, b, cones, settings)
        solution = solver.solve()
        if solution.status == clarabel.SolverStatus.Solved:
            return np.array(solution.x)
    return None
