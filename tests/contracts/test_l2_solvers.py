"""The L2 machines and the Uniform SVM: twins, interior point, forms of rows, threads."""

from __future__ import annotations

import itertools
from dataclasses import replace

import clarabel
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

from problems import Data, problems
from svmosaic.engine import cpu
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import CallbackRows, PairwiseRows, Problem
from svmosaic.engine.settings import (
    MinimalNormSettings,
    NnisdaSettings,
    SimpleSmoSettings,
    UniformSettings,
)
from twins import minimal_norm as minimal_norm_twin
from twins import nnisda as nnisda_twin
from twins import simple_smo as simple_smo_twin
from twins import uniform as uniform_twin
from twins.kernels import gram
from twins.l2 import dual_matrix

# Positive semidefinite ones: the L2-SVM has no solution without.
CONVEX = ("rbf", "linear", "laplacian")
PENALTIES = st.sampled_from([0.01, 1.0, 100.0])

SOLVERS = {
    "minimal_norm": (cpu.solve, minimal_norm_twin, MinimalNormSettings),
    "nnisda": (cpu.solve, nnisda_twin, NnisdaSettings),
    "uniform": (cpu.solve, uniform_twin, UniformSettings),
}
L2_SOLVERS = ("minimal_norm", "nnisda")


def problem_of(data, rows):
    """Return the problem on the distinct samples, in canonical order."""
    labels = (data.y > 0).astype(np.int64)
    samples, weights = cpu.distinct_rows(rows, labels, data.weights)
    return Problem(samples, data.y[samples], weights)


def kernel_matrix(data, problem):
    X = data.X[problem.samples]
    return gram(X, X, data.kernel)


def assume_apart(K):
    """Leave out kernels that are singular but for rounding: there a hard margin is rounding too."""
    assume(np.linalg.cond(K) < 1e8)


def decisions(solution, problem, K):
    """Return f at the problem's samples."""
    place = {row: i for i, row in enumerate(problem.samples)}
    at = [place[row] for row in solution.support]
    return K[:, at] @ solution.coef + solution.intercept


def minimise(P, q, A, b, n_equal):
    """Return the minimum point of 1/2 x'Px + q'x with A x = b in the first rows, else <= b."""
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-11
    cones = [clarabel.ZeroConeT(n_equal)] if n_equal else []
    cones.append(clarabel.NonnegativeConeT(len(b) - n_equal))
    upper = sparse.csc_matrix(np.triu(P + 1e-12 * np.eye(len(q))))
    solver = clarabel.DefaultSolver(upper, q, sparse.csc_matrix(A), b, cones, options)
    return np.array(solver.solve().x)


def l2_optimum(K, problem, C):
    """Return the decisions at the samples and the dual objective of the exact L2-SVM."""
    Q, n, y = dual_matrix(K, problem, C), len(K), problem.targets
    a = np.maximum(0.0, minimise(Q, -np.ones(n), -np.eye(n), np.zeros(n), 0))
    return (K + 1.0) @ (y * a), a.sum() - 0.5 * a @ Q @ a


def uniform_optimum(K, problem, C):
    """Return the dual objective of the exact Uniform SVM (Eq. 2.19 of the thesis)."""
    y, n = problem.targets, len(K)
    Q = np.outer(y, y) * K
    A = np.vstack([y, np.ones(n), -np.eye(n)])
    b = np.concatenate([[0.0, C], np.zeros(n)])
    a = minimise(Q, -np.ones(n), A, b, 1)
    return a.sum() - 0.5 * a @ Q @ a


# Twins --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SOLVERS)
@settings(max_examples=60)
@given(data=problems(kernels=CONVEX), C=PENALTIES, as_csr=st.booleans())
def test_a_solver_equals_its_twin(name, data, C, as_csr):
    solve, twin, Settings = SOLVERS[name]
    rows = data.csr() if as_csr else data.dense()
    problem = problem_of(data, rows)
    K = kernel_matrix(data, problem)
    if name == "uniform":
        assume_apart(K)
    chosen = Settings(C=C, tol=1e-6)

    (ours,) = solve(rows, data.kernel, [problem], chosen)

    # The twin takes single steps in Python; some problems want millions.
    theirs = twin.solve(K, problem, chosen.replaced(max_iter=50_000))
    assert ours.status == "converged"
    assert ours.dual_gap <= 1e-4 * max(1.0, C)
    if theirs.status != "converged":
        assert ours.objective >= theirs.objective
        return
    assert ours.objective == pytest.approx(theirs.objective, rel=1e-5, abs=1e-6 * C)
    if name in L2_SOLVERS:
        scale = 1.0 + np.abs(decisions(theirs, problem, K)).max()
        np.testing.assert_allclose(
            decisions(ours, problem, K), decisions(theirs, problem, K), atol=2e-5 * scale
        )


@pytest.mark.parametrize("name", L2_SOLVERS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_joint_steps_find_the_same_machine_with_fewer_updates(name, dtype):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 3)).astype(dtype)
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=400) > 0, 1.0, -1.0)
    data = Data(X, y, np.ones(400), KernelSpec("rbf", gamma=0.05))
    problem = problem_of(data, data.dense())
    solve, _, Settings = SOLVERS[name]
    chosen = Settings(C=1000.0, tol=1e-4)

    (joint,) = solve(data.dense(), data.kernel, [problem], chosen)

    single = chosen.replaced(joint_steps=False)
    (published,) = solve(data.dense(), data.kernel, [problem], single)
    assert joint.status == published.status == "converged"
    assert joint.n_iter < published.n_iter / 4
    K = kernel_matrix(data, problem)
    assert joint.objective == pytest.approx(published.objective, rel=1e-5)
    np.testing.assert_allclose(
        decisions(joint, problem, K), decisions(published, problem, K), atol=2e-3
    )


@settings(max_examples=60)
@given(
    n=st.integers(4, 25),
    kernel=st.sampled_from(CONVEX),
    bounds=st.sampled_from(["per_sample", "uniform_feasible", "uniform_printed"]),
    seed=st.integers(0, 2**31 - 1),
)
def test_simple_smo_equals_its_twin(n, kernel, bounds, seed):
    # Numbers without ties: where rounding decides a step, the two go different ways.
    X = np.random.default_rng(seed).normal(size=(n, 3))
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    data = Data(X, y, np.ones(n), KernelSpec(kernel, gamma=0.5))
    rows = data.dense()
    problem = problem_of(data, rows)
    K = kernel_matrix(data, problem)
    chosen = SimpleSmoSettings(bounds=bounds, C=2.0, max_iter=20, seed=seed)

    (ours,) = cpu.solve(rows, data.kernel, [problem], chosen)

    # Few sweeps: a rounding error has no time to grow.
    theirs = simple_smo_twin.solve(K, problem, chosen)
    assert (ours.n_iter, ours.status) == (theirs.n_iter, theirs.status)
    np.testing.assert_allclose(
        decisions(ours, problem, K), decisions(theirs, problem, K), rtol=1e-6, atol=1e-6
    )


@settings(max_examples=40)
@given(
    data=problems(max_samples=25, kernels=CONVEX),
    bounds=st.sampled_from(["per_sample", "uniform_feasible"]),
    C=PENALTIES,
)
def test_simple_smo_stays_feasible(data, bounds, C):
    rows = data.dense()
    problem = problem_of(data, rows)

    chosen = SimpleSmoSettings(bounds=bounds, C=C, max_iter=30)
    (ours,) = cpu.solve(rows, data.kernel, [problem], chosen)

    place = {row: i for i, row in enumerate(problem.samples)}
    at = [place[row] for row in ours.support]
    alpha = ours.coef * problem.targets[at]
    assert abs(ours.coef.sum()) <= 1e-9 * C * alpha.size
    assert (alpha > 0).all()
    if bounds == "per_sample":
        assert (alpha <= C * problem.weights[at] * (1 + 1e-9)).all()
    else:
        assert alpha.sum() <= C * (1 + 1e-9)


# Interior point -----------------------------------------------------------------------------


@settings(max_examples=120)
@given(data=problems(max_samples=50, kernels=CONVEX), C=PENALTIES)
def test_both_l2_solvers_reach_the_interior_point_optimum(data, C):
    rows = data.dense()
    problem = problem_of(data, rows)
    K = kernel_matrix(data, problem)
    exact, objective = l2_optimum(K, problem, C)
    scale = 1.0 + np.abs(exact).max()

    for name in L2_SOLVERS:
        solve, _, Settings = SOLVERS[name]
        (ours,) = solve(rows, data.kernel, [problem], Settings(C=C, tol=1e-7))
        assert ours.objective == pytest.approx(objective, rel=1e-6)
        np.testing.assert_allclose(decisions(ours, problem, K), exact, atol=1e-5 * scale)
        # The gap is that of a feasible pair, so it bounds the distance to the optimum.
        assert ours.dual_gap >= objective - ours.objective - 1e-7 * max(1.0, objective)


@settings(max_examples=120)
@given(data=problems(max_samples=40, kernels=CONVEX), C=PENALTIES)
def test_uniform_reaches_the_interior_point_optimum(data, C):
    rows = data.dense()
    problem = problem_of(data, rows)
    K = kernel_matrix(data, problem)
    assume_apart(K)

    (ours,) = cpu.solve(rows, data.kernel, [problem], UniformSettings(C=C, tol=1e-7))

    assert ours.objective == pytest.approx(uniform_optimum(K, problem, C), rel=1e-5)
    f = decisions(ours, problem, K)
    margin = (problem.targets * f).min()
    # Overlapping hulls give f = 0 and the slack 1; else both classes are apart.
    assert margin == 0.0 if ours.support.size == 0 else margin > -1e-6 * np.abs(f).max()


# Invariances --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SOLVERS)
@settings(max_examples=25)
@given(data=problems(kernels=CONVEX), C=PENALTIES)
def test_every_form_of_the_rows_gives_the_same_machine(name, data, C):
    solve, _, Settings = SOLVERS[name]
    problem = problem_of(data, data.dense())
    all_pairs = gram(data.X, data.X, data.kernel)
    computed = replace(data.kernel, kind="precomputed")
    forms = [
        (data.dense(), data.kernel),
        (data.csr(np.int32), data.kernel),
        (data.csr(np.int64), data.kernel),
        (PairwiseRows(all_pairs), computed),
        (
            CallbackRows(
                lambda j: all_pairs[:, j].copy(), np.diagonal(all_pairs).copy(), len(all_pairs)
            ),
            computed,
        ),
    ]

    solved = [solve(rows, kernel, [problem], Settings(C=C, tol=1e-7))[0] for rows, kernel in forms]

    K = kernel_matrix(data, problem)
    first = decisions(solved[0], problem, K)
    scale = 1.0 + np.abs(first).max()
    for other in solved[1:]:
        np.testing.assert_allclose(decisions(other, problem, K), first, atol=1e-3 * scale)
        assert other.objective == pytest.approx(solved[0].objective, rel=1e-6)


@pytest.fixture(scope="module")
def large():
    """Large enough to be split over threads inside one problem, and to be drawn from."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9000, 5)) * (rng.random((9000, 5)) < 0.6)
    y = np.where(X.sum(axis=1) + 0.3 * rng.normal(size=9000) > 0, 1.0, -1.0)
    return Data(X, y, np.ones(9000), KernelSpec("rbf", 0.5))


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *itertools.product([*L2_SOLVERS, "uniform"], [np.float32, np.float64]),
        ("simple_smo", np.float64),
    ],
)
def test_threads_do_not_change_a_large_machine(name, dtype, large):
    data = replace(large, X=large.X.astype(dtype))
    rows = data.csr() if dtype == np.float32 else data.dense()
    problem = problem_of(data, rows)
    if name == "simple_smo":
        solve, chosen = cpu.solve, SimpleSmoSettings(max_iter=1)
    else:
        solve, _, Settings = SOLVERS[name]
        chosen = Settings(tol=0.03, max_iter=4000)

    one, *others = (
        solve(rows, data.kernel, [problem], chosen, n_threads=threads)[0] for threads in (1, 3)
    )

    for other in others:
        np.testing.assert_array_equal(one.support, other.support)
        np.testing.assert_array_equal(one.coef, other.coef)
        assert (one.intercept, one.n_iter) == (other.intercept, other.n_iter)


def test_the_draw_changes_the_road_and_not_the_machine(large):
    rows = large.dense()
    problem = problem_of(large, rows)
    solved = [
        cpu.solve(rows, large.kernel, [problem], MinimalNormSettings(**chosen))[0]
        for chosen in ({"draw": 0}, {"seed": 1}, {"seed": 2})
    ]

    X = large.X[problem.samples[::10]]
    values = [gram(X, large.X[s.support], large.kernel) @ s.coef + s.intercept for s in solved]
    for solution, value in zip(solved, values, strict=True):
        assert solution.status == "converged"
        assert solution.dual_gap <= 1e-3 * solution.objective
        np.testing.assert_allclose(value, values[0], atol=0.02)
    # Another seed is another road.
    assert solved[1].n_iter != solved[2].n_iter
