"""Solutions on PyTorch's CPU device, by sweeps and in batches, against oracles."""

from __future__ import annotations

import time

import numpy as np
import pytest

pytest.importorskip("torch")

from scipy import sparse

from problems import solve_dual_exactly, solve_svr_exactly
from svmosaic.engine import cpu
from svmosaic.engine.kernels import SAMPLE_KERNELS, KernelSpec
from svmosaic.engine.problem import DenseRows, PairwiseRows, Problem
from svmosaic.engine.rows import rows_of_samples
from svmosaic.engine.settings import SmoSettings
from torch_engine import BATCHES, SWEEPS, engine
from twins.kernels import gram

N = 120
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3))
SIGNS = np.where(np.sin(3 * X[:, 0]) + X[:, 1] + 0.5 * RNG.normal(size=N) > 0, 1.0, -1.0)
TARGETS = np.sin(3 * X[:, 0]) + 0.2 * RNG.normal(size=N)
WEIGHTS = RNG.choice([0.5, 1.0, 2.0], N)
RBF = KernelSpec("rbf", gamma=1.0)
SVR = {"loss": "epsilon_insensitive", "epsilon": 0.1}

both_ways = pytest.mark.parametrize("sizes", [SWEEPS, BATCHES], ids=["sweeps", "batches"])


def problem(targets=SIGNS, weights=WEIGHTS, initial=None):
    return Problem(np.arange(targets.size), targets, weights, initial=initial)


def solve(sizes, *, rows=None, kernel=RBF, task=None, progress=None, max_time=0.0, **settings):
    rows = DenseRows(X) if rows is None else rows
    task = problem() if task is None else task
    (solution,) = engine(sizes).solve(
        rows, kernel, [task], SmoSettings(**settings), progress=progress, max_time=max_time
    )
    return solution


def coefficients(solution, n=N):
    beta = np.zeros(n)
    beta[solution.support] = solution.coef
    return beta


@both_ways
def test_classification_reaches_the_objective_of_the_interior_point_method(sizes):
    found = solve(sizes, C=3.0, tol=1e-5)

    expected = solve_dual_exactly(gram(X, X, RBF), SIGNS, 3.0 * WEIGHTS)
    beta = coefficients(found)
    assert found.status == "converged"
    assert found.violation <= 1e-5
    np.testing.assert_allclose(found.objective, expected, rtol=1e-6)
    assert 0 <= found.dual_gap <= 5e-3
    assert abs(beta.sum()) < 1e-9
    assert np.all((SIGNS * beta >= 0) & (SIGNS * beta <= 3.0 * WEIGHTS))


@both_ways
def test_regression_reaches_the_objective_of_the_interior_point_method(sizes):
    found = solve(sizes, task=problem(TARGETS), C=3.0, tol=1e-4, **SVR)

    expected = solve_svr_exactly(gram(X, X, RBF), TARGETS, 3.0 * WEIGHTS, 0.1)
    np.testing.assert_allclose(found.objective, expected, rtol=1e-5)
    assert abs(coefficients(found).sum()) < 1e-9
    assert 0 <= found.dual_gap <= 5e-3


@both_ways
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_expansion_is_that_of_the_compiled_core(sizes, dtype):
    rows = DenseRows(X.astype(dtype))
    settings = SmoSettings(C=3.0, tol=1e-4)
    (expected,) = cpu.solve(rows, RBF, [problem()], settings)

    found = solve(sizes, rows=rows, C=3.0, tol=1e-4)

    np.testing.assert_allclose(found.objective, expected.objective, rtol=1e-6)
    np.testing.assert_allclose(found.intercept, expected.intercept, atol=1e-3)
    K = gram(X, X, RBF)
    ours, theirs = (K @ coefficients(s) + s.intercept for s in (found, expected))
    np.testing.assert_allclose(ours, theirs, atol=1e-3)


@both_ways
@pytest.mark.parametrize("kind", SAMPLE_KERNELS)
def test_every_kernel(sizes, kind):
    kernel = KernelSpec(kind, gamma=0.1, degree=2, coef0=1.0)
    (expected,) = cpu.solve(DenseRows(X), kernel, [problem()], SmoSettings(C=0.5, tol=1e-4))

    found = solve(sizes, kernel=kernel, C=0.5, tol=1e-4)

    assert found.violation <= 1e-4
    # tanh is not positive semidefinite, and there is more than one solution.
    rtol = 1e-2 if kind == "sigmoid" else 1e-5
    np.testing.assert_allclose(found.objective, expected.objective, rtol=rtol)


@both_ways
def test_kernel_values_that_are_given(sizes):
    rows = PairwiseRows(gram(X, X, RBF))
    found = solve(sizes, rows=rows, kernel=KernelSpec("precomputed"), C=3.0, tol=1e-4)

    np.testing.assert_allclose(found.objective, solve(sizes, C=3.0, tol=1e-4).objective, rtol=1e-5)


@both_ways
def test_sparse_rows_give_the_model_of_dense_ones(sizes):
    table = np.where(RNG.random(X.shape) < 0.5, X, 0.0)
    dense = solve(sizes, rows=DenseRows(table), C=3.0, tol=1e-4)
    rows = rows_of_samples(sparse.csr_array(table))

    found = solve(sizes, rows=rows, C=3.0, tol=1e-4)

    np.testing.assert_allclose(found.objective, dense.objective, rtol=1e-5)


def test_weights_mean_repetition():
    counts = RNG.integers(1, 4, N)
    rows = np.repeat(np.arange(N), counts)
    repeated = Problem(np.arange(rows.size), SIGNS[rows], np.ones(rows.size))

    weighted = solve(SWEEPS, task=problem(weights=counts.astype(float)), C=1.0, tol=1e-4)
    found = solve(SWEEPS, rows=DenseRows(X[rows]), task=repeated, C=1.0, tol=1e-4)

    np.testing.assert_allclose(found.objective, weighted.objective, rtol=1e-5)


def test_a_batch_gives_the_solutions_of_its_problems():
    tasks = [
        Problem(part, SIGNS[part], WEIGHTS[part])
        for part in (np.arange(N), np.arange(0, N, 3), np.arange(50), np.array([3, 5, 8, 100]))
    ]
    settings = SmoSettings(C=2.0, tol=1e-7)

    together = engine(BATCHES).solve(DenseRows(X), RBF, tasks, settings)

    for task, found in zip(tasks, together, strict=True):
        expected = solve(BATCHES, task=task, C=2.0, tol=1e-7)
        np.testing.assert_array_equal(found.support, expected.support)
        np.testing.assert_allclose(found.coef, expected.coef, atol=1e-9)


@both_ways
def test_a_good_start_needs_few_updates(sizes):
    first = solve(sizes, C=3.0, tol=1e-4)
    again = problem(initial=coefficients(first))

    found = solve(sizes, task=again, C=3.0, tol=1e-4)

    assert found.n_iter < first.n_iter / 10
    np.testing.assert_allclose(found.objective, first.objective, rtol=1e-6)


@both_ways
def test_a_start_beyond_the_bounds_is_made_feasible(sizes):
    start = coefficients(solve(sizes, C=3.0, tol=1e-4))

    found = solve(sizes, task=problem(initial=start), C=1.0, tol=1e-4)

    assert abs(coefficients(found).sum()) < 1e-9
    np.testing.assert_allclose(found.objective, solve(sizes, C=1.0, tol=1e-4).objective, rtol=1e-5)


# Hard and degenerate problems ---------------------------------------------------------------


@both_ways
@pytest.mark.parametrize(
    "rows",
    [
        np.zeros((40, 2)),
        np.repeat(RNG.normal(size=(4, 2)), 10, axis=0),
        np.column_stack([np.ones(40), RNG.normal(size=40)]),
        1e3 + RNG.normal(size=(40, 2)),
    ],
    ids=["one point", "copies", "constant column", "far from zero"],
)
def test_degenerate_samples(sizes, rows):
    task = problem(SIGNS[:40], np.ones(40))
    for C in (0.1, 100.0):
        found = solve(sizes, rows=DenseRows(rows), task=task, C=C, tol=1e-3)
        assert found.status == "converged"
        assert found.violation <= 1e-3


@pytest.mark.parametrize("n", [2, 3, 17, 33])
def test_few_samples(n):
    signs = np.where(np.arange(n) % 2, 1.0, -1.0)
    found = solve(SWEEPS, rows=DenseRows(X[:n]), task=problem(signs, np.ones(n)), C=10.0, tol=1e-6)

    expected = solve_dual_exactly(gram(X[:n], X[:n], RBF), signs, np.full(n, 10.0))
    np.testing.assert_allclose(found.objective, expected, rtol=1e-6)


def test_features_far_from_zero_keep_their_digits_in_float32():
    # The squared norms are 1e8 and more, and squared distances about 1.
    moved = (X + 5000.0).astype(np.float32)
    back = moved.astype(float)

    found = engine(BATCHES).kernel_matrix(DenseRows(moved), DenseRows(moved[:9]), RBF)

    np.testing.assert_allclose(found, gram(back, back[:9], RBF), atol=1e-6)


def test_wide_spread_features_keep_their_digits_in_float32():
    wide = (X * 1000.0).astype(np.float32)
    wide[::2] = wide[1::2] + RNG.normal(size=wide[1::2].shape).astype(np.float32)
    exact = wide.astype(float)

    found = engine(BATCHES).kernel_matrix(DenseRows(wide), DenseRows(wide), RBF)

    np.testing.assert_allclose(found, gram(exact, exact, RBF), atol=1e-6)


# Limits -------------------------------------------------------------------------------------


@both_ways
def test_max_iter(sizes):
    found = solve(sizes, C=3.0, tol=1e-6, max_iter=20)

    assert found.status == "max_iter"
    assert 20 <= found.n_iter <= 40
    assert found.violation > 1e-6
    assert found.dual_gap > 0


def test_max_time():
    found = solve(SWEEPS, C=1e6, tol=1e-12, max_time=0.05)

    assert found.status == "max_time"
    assert np.isnan(found.objective)
    assert np.isnan(found.dual_gap)


def test_progress_and_interruption():
    seen = []

    def stop(done, total, steps):
        seen.append((done, total, steps))
        if len(seen) == 2:
            raise KeyboardInterrupt

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        solve(SWEEPS, C=1e6, tol=1e-12, progress=stop)

    assert time.monotonic() - began < 5
    assert seen[0][:2] == (0, 1)
    # On a busy computer the first report comes before the first step.
    assert seen[1][2] > seen[0][2] >= 0


def test_the_same_problem_gives_the_same_model():
    first, second = (solve(SWEEPS, C=3.0, tol=1e-3) for _ in range(2))

    np.testing.assert_array_equal(first.coef, second.coef)
    assert first.counters == second.counters
    assert first.counters.n_sweeps > 0
    assert 0 < first.counters.theta_min <= 1
