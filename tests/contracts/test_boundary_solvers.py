"""Boundary points and their machines: brute force, twins, interior point, threads."""

from __future__ import annotations

from dataclasses import replace

import clarabel
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from problems import problems
from svmosaic.boundary.cbp_problem import CbpProblem, WidthTooSmallError
from svmosaic.boundary.points import _mutual_neighbours, pair_midpoints, pairs_between
from svmosaic.engine import cpu
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DenseRows, PairwiseRows, Problem
from svmosaic.engine.settings import DualDescentSettings, OnlineSvmSettings
from svmosaic.engine.tasks import OnlineSvmTask
from twins import boundary as boundary_twin
from twins import dual_descent as descent_twin
from twins import online_svm as online_twin
from twins.kernels import gram

CONVEX = ("rbf", "linear", "laplacian")


def as_set(pairs):
    return set(zip(pairs[0].tolist(), pairs[1].tolist(), strict=True))


# Boundary points ----------------------------------------------------------------------------


@settings(max_examples=150)
@given(
    data=problems(max_samples=40, weighted=False),
    dtype=st.sampled_from([np.float64, np.float32]),
    shift=st.sampled_from([0.0, 1000.0]),
    scale=st.sampled_from([1.0, 1e-3, 1.0 / 3.0]),
)
def test_pairs_are_those_of_brute_force(data, dtype, shift, scale):
    """Grids give ties and copies within and between the classes."""
    X = np.ascontiguousarray(((data.X + shift) * scale).astype(dtype))
    first, second = np.flatnonzero(data.y > 0), np.flatnonzero(data.y < 0)

    found = cpu.boundary_pairs(DenseRows(X), first, second)

    assert as_set(found) == as_set(boundary_twin.pairs(X, first, second))


@pytest.mark.parametrize("n_features", [1, 2, 3, 20])
def test_pairs_of_many_tiles_and_chunks(n_features):
    rng = np.random.default_rng(n_features)
    X = np.round(rng.normal(size=(420, n_features)), 2)
    # More than a tile of each class, unequal ones, and a chunk that does not fill a vector.
    first, second = np.arange(150), np.arange(150, 420)

    found = cpu.boundary_pairs(DenseRows(X), first, second)
    threaded = cpu.boundary_pairs(DenseRows(X), first, second, n_threads=2)

    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    slack = (squared[first][:, None, :] + squared[second][None, :, :]).min(axis=2)
    expected = np.argwhere(slack >= squared[np.ix_(first, second)] * (1 - 1e-12))
    assert as_set(found) == {(int(first[i]), int(second[j])) for i, j in expected}
    np.testing.assert_array_equal(found, threaded)


@pytest.mark.parametrize("size", [1e-30, 1e25])
def test_pairs_do_not_depend_on_the_unit(size):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    first, second = np.arange(25), np.arange(25, 60)

    plain = cpu.boundary_pairs(DenseRows(X), first, second)
    scaled = cpu.boundary_pairs(DenseRows(X * size), first, second)

    assert as_set(plain) == as_set(scaled)


def test_every_sample_near_the_other_class_has_a_pair():
    """The nearest sample of the other class always makes one."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    first, second = np.arange(30), np.arange(30, 80)

    pairs = as_set(cpu.boundary_pairs(DenseRows(X), first, second))

    squared = ((X[first][:, None] - X[second][None]) ** 2).sum(axis=2)
    i, j = np.unravel_index(squared.argmin(), squared.shape)
    assert (int(first[i]), int(second[j])) in pairs


@settings(max_examples=60)
@given(data=problems(max_samples=30))
def test_a_search_without_time_has_a_pair_of_mutual_neighbours(data):
    first, second = np.flatnonzero(data.y > 0), np.flatnonzero(data.y < 0)

    found = _mutual_neighbours(data.X, first, second)

    assert found.shape == (1, 2)
    assert as_set(found.T) <= as_set(boundary_twin.pairs(data.X, first, second))


# The L1-SVM without an intercept ------------------------------------------------------------


def decisions(solution, problem, K):
    place = {row: i for i, row in enumerate(problem.samples)}
    return K[:, [place[row] for row in solution.support]] @ solution.coef


@settings(max_examples=60)
@given(
    data=problems(max_samples=30, kernels=CONVEX),
    C=st.sampled_from([0.01, 1.0, 100.0]),
    as_csr=st.booleans(),
)
def test_dual_descent_equals_its_twin(data, C, as_csr):
    rows = data.csr() if as_csr else data.dense()
    labels = (data.y > 0).astype(np.int64)
    samples, weights = cpu.distinct_rows(rows, labels, data.weights)
    problem = Problem(samples, data.y[samples], weights)
    K = gram(data.X[samples], data.X[samples], data.kernel)
    chosen = DualDescentSettings(C=C, tol=1e-5, max_iter=200_000)

    (ours,) = cpu.solve(rows, data.kernel, [problem], chosen)

    theirs = descent_twin.solve(K, problem, chosen)
    if theirs.status != "converged":
        return
    assert ours.status == "converged"
    scale = C * weights.sum()
    assert ours.objective == pytest.approx(theirs.objective, rel=1e-5, abs=1e-5 * scale)
    assert ours.dual_gap <= 2e-5 * scale * (1 + np.abs(K).max())


def interior_point(P, q, A, b):
    """Minimise 1/2 x'Px + q'x subject to A x <= b."""
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-10
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(np.triu(P)),
        q,
        sparse.csc_matrix(A),
        b,
        [clarabel.NonnegativeConeT(len(b))],
        options,
    )
    return np.array(solver.solve().x)


def primal(R, K, y, weights, lam, a):
    return a @ R @ a + lam * weights @ np.maximum(0.0, 1.0 - y * (K @ a))


@pytest.mark.parametrize("seed", range(25))
def test_the_baseline_reaches_the_interior_point_optimum(seed):
    rng = np.random.default_rng(seed)
    n, lam = int(rng.integers(8, 40)), float(rng.choice([0.1, 1.0, 20.0]))
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)
    K = gram(X, X, KernelSpec("rbf", 1.0))
    problem = Problem(np.arange(n), y, np.ones(n))

    (ours,) = cpu.solve(
        PairwiseRows(K),
        KernelSpec("precomputed"),
        [problem],
        DualDescentSettings(C=lam / 2, tol=1e-7),
    )

    Q = np.outer(y, y) * K
    A, b = np.vstack([np.eye(n), -np.eye(n)]), np.repeat([lam / 2, 0.0], n)
    alpha = interior_point(Q + 1e-12 * np.eye(n), -np.ones(n), A, b)
    np.testing.assert_allclose(decisions(ours, problem, K), K @ (y * alpha), atol=1e-4)


@pytest.mark.parametrize("seed", range(50))
def test_svm_cbp_reaches_the_interior_point_optimum(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(8, 35)), int(rng.integers(1, 4))
    lam, sigma = float(rng.choice([0.1, 1.0, 20.0])), float(rng.choice([0.3, 1.0, 3.0]))
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    weights = rng.choice([0.5, 1.0, 2.0], n)
    pairs = pairs_between(X, np.flatnonzero(y > 0), np.flatnonzero(y < 0))
    Z = pair_midpoints(X, pairs)[0]
    ridge = 1e-4

    ours = CbpProblem(X, y, weights, Z).at(sigma, ridge=ridge).solve(lam, tol=1e-6)

    kernel = KernelSpec("rbf", 0.5 / sigma**2)
    K, C = gram(X, X, kernel), gram(X, Z, kernel)
    R = C @ C.T
    R += ridge * np.trace(R) / n * np.eye(n)
    # The primal in a and the slacks, as it is printed.
    P = np.block([[2 * R, np.zeros((n, n))], [np.zeros((n, n)), np.zeros((n, n))]])
    q = np.concatenate([np.zeros(n), lam * weights])
    A = np.block([[-y[:, None] * K, -np.eye(n)], [np.zeros((n, n)), -np.eye(n)]])
    exact = interior_point(P, q, A, np.repeat([-1.0, 0.0], n))[:n]
    best = primal(R, K, y, weights, lam, exact)
    assert primal(R, K, y, weights, lam, ours.coef) == pytest.approx(best, rel=2e-5, abs=5e-6)
    assert ours.norm == pytest.approx(np.linalg.norm(C.T @ ours.coef), rel=1e-5, abs=1e-7)
    np.testing.assert_allclose(ours.decisions, K @ ours.coef, atol=1e-6)
    assert ours.loss == pytest.approx(weights @ np.maximum(0, 1 - y * ours.decisions))


def test_a_width_that_reaches_no_boundary_point_is_refused():
    X, y = np.array([[0.0], [1.0]]), np.array([1.0, -1.0])

    with pytest.raises(WidthTooSmallError, match=r"sigma=0\.001 is so small"):
        CbpProblem(X, y, np.ones(2), np.array([[0.5]])).at(1e-3, ridge=1e-6)


# The on-line SVM ----------------------------------------------------------------------------


online_settings = st.builds(
    OnlineSvmSettings,
    lam=st.sampled_from([0.01, 0.3, 1.0, 10.0]),
    max_iter=st.integers(1, 120),
    order=st.sampled_from(["random", "given"]),
    update=st.sampled_from(["gradient", "printed", "clipped"]),
    seed=st.integers(0, 2**31),
)


def assert_same_machine(ours, theirs, rtol=1e-8):
    np.testing.assert_array_equal(ours.support, theirs.support)
    scale = np.abs(theirs.coef).max(initial=1.0)
    np.testing.assert_allclose(ours.coef, theirs.coef, rtol=rtol, atol=rtol * scale)
    assert ours.norm == pytest.approx(theirs.norm, rel=1e-7, abs=1e-7 * scale)
    assert (ours.status, ours.n_iter, ours.counters.n_updates, ours.t) == (
        theirs.status,
        theirs.n_iter,
        theirs.counters.n_updates,
        theirs.t,
    )


def with_points(data):
    """Return a problem of the data and its boundary points."""
    problem = Problem(np.arange(data.y.size), data.y, data.weights)
    pairs = pairs_between(data.X, np.flatnonzero(data.y > 0), np.flatnonzero(data.y < 0))
    return problem, np.ascontiguousarray(pair_midpoints(data.X, pairs)[0])


@settings(max_examples=120)
@given(data=problems(max_samples=25), chosen=online_settings, plain=st.booleans())
def test_the_online_svm_equals_its_twin(data, chosen, plain):
    problem, Z = with_points(data)
    task = OnlineSvmTask(problem, boundary=np.arange(0 if plain else len(Z)))

    (ours,) = cpu.solve_online_svm(DenseRows(data.X), DenseRows(Z), 0.5, [task], chosen)

    assert_same_machine(ours, online_twin.solve(data.X, Z, 0.5, task, chosen))


@pytest.mark.parametrize("update", ["gradient", "printed", "clipped"])
@pytest.mark.parametrize("plain", [True, False])
def test_the_online_svm_equals_its_twin_step_by_step(plain, update):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)
    problem = Problem(np.arange(40), y, np.ones(40))
    pairs = pairs_between(X, np.flatnonzero(y > 0), np.flatnonzero(y < 0))
    Z = np.ascontiguousarray(pair_midpoints(X, pairs)[0])
    task = OnlineSvmTask(problem, boundary=np.arange(0 if plain else len(Z)))

    for steps in range(1, 100):
        chosen = OnlineSvmSettings(lam=0.1, max_iter=steps, update=update, seed=9)
        (ours,) = cpu.solve_online_svm(DenseRows(X), DenseRows(Z), 2.0, [task], chosen)
        assert_same_machine(ours, online_twin.solve(X, Z, 2.0, task, chosen))


@settings(max_examples=40)
@given(data=problems(max_samples=25), chosen=online_settings, cut=st.integers(1, 119))
def test_an_online_run_can_be_cut_anywhere(data, chosen, cut):
    problem, Z = with_points(data)
    chosen = chosen.replaced(order="random", max_iter=120)
    task = OnlineSvmTask(problem, boundary=np.arange(len(Z)))
    tables = DenseRows(data.X), DenseRows(Z)

    (whole,) = cpu.solve_online_svm(*tables, 0.5, [task], chosen)
    (part,) = cpu.solve_online_svm(*tables, 0.5, [task], chosen.replaced(max_iter=cut))
    later = replace(task, support=part.support, coef=part.coef, t=part.t)
    (rest,) = cpu.solve_online_svm(*tables, 0.5, [later], chosen.replaced(max_iter=120 - cut))

    np.testing.assert_array_equal(whole.support, rest.support)
    np.testing.assert_array_equal(whole.coef, rest.coef)


@settings(max_examples=40)
@given(data=problems(max_samples=25, weighted=False), chosen=online_settings)
def test_the_printed_factor_never_leaves_the_unit_interval(data, chosen):
    """Step t has at most t - 1 kept samples and kernel values of at most 1."""
    problem, Z = with_points(data)
    task = OnlineSvmTask(problem, boundary=np.arange(len(Z)))
    tables = DenseRows(data.X), DenseRows(Z)

    (printed,) = cpu.solve_online_svm(*tables, 0.5, [task], chosen.replaced(update="printed"))
    (clipped,) = cpu.solve_online_svm(*tables, 0.5, [task], chosen.replaced(update="clipped"))

    np.testing.assert_array_equal(printed.coef, clipped.coef)


def test_threads_and_precision_do_not_matter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    tasks = [OnlineSvmTask(Problem(np.arange(60), s * y, np.ones(60))) for s in (1, -1, 1)]
    chosen = OnlineSvmSettings(max_iter=300)

    one = cpu.solve_online_svm(DenseRows(X), DenseRows(X[:0]), 0.5, tasks, chosen)
    two = cpu.solve_online_svm(DenseRows(X), DenseRows(X[:0]), 0.5, tasks, chosen, n_threads=2)
    X = X.astype(np.float32)
    single = cpu.solve_online_svm(DenseRows(X), DenseRows(X[:0]), 0.5, tasks, chosen)

    for a, b, c in zip(one, two, single, strict=True):
        np.testing.assert_array_equal(a.coef, b.coef)
        np.testing.assert_array_equal(a.support, c.support)
        np.testing.assert_allclose(a.coef, c.coef, rtol=1e-4, atol=1e-5)
