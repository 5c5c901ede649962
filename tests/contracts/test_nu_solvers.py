"""The solver of the nu-SVMs and the one-class SVM: against plain NumPy and an interior point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from problems import problems, solve_nu_exactly
from svmosaic.engine import cpu
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DenseRows, Problem
from svmosaic.engine.settings import NuSettings
from twins import nu_smo

TASKS = ("classification", "regression", "one_class")
SHARES = (0.1, 0.35, 0.5, 0.8, 1.0)


def solve(rows, kernel, target, weights, n_threads=1, **params):
    problem = Problem(np.arange(target.size), target, weights)
    (solution,) = cpu.solve(rows, kernel, [problem], NuSettings(**params), n_threads=n_threads)
    return solution


def matrix(data):
    everyone = DenseRows(data.X)
    return cpu.kernel_matrix(everyone, everyone, data.kernel)


def coefficients(solution, n, task):
    """Return the solution of the dual: f is divided by the margin, if there is one."""
    beta = np.zeros(n)
    has_margin = task == "classification" and solution.width > 0.0
    beta[solution.support] = solution.coef * (solution.width if has_margin else 1.0)
    return beta


def is_feasible(data, nu):
    positive = data.weights[data.y > 0].sum()
    total = data.weights.sum()
    return 0.5 * nu * total <= min(positive, total - positive)


def targets(data, task):
    return data.X[:, 0] + 0.3 * data.y if task == "regression" else data.y


@pytest.mark.parametrize("task", TASKS)
@settings(max_examples=60)
@given(data=problems(kernels=("rbf", "linear", "laplacian")), nu=st.sampled_from(SHARES))
def test_the_objective_is_that_of_an_interior_point(task, data, nu):
    assume(task != "classification" or is_feasible(data, nu))
    K, t = matrix(data), targets(data, task)
    best = solve_nu_exactly(K, t, data.weights, task=task, nu=nu, C=2.0)
    assume(best is not None)
    params = {"task": task, "nu": nu, "C": 2.0, "tol": 1e-7}

    solution = solve(data.dense(), data.kernel, t, data.weights, **params)
    sparse = solve(data.csr(), data.kernel, t, data.weights, **params)

    assert solution.status == "converged"
    # Without a margin f has another unit.
    assume(task != "classification" or min(solution.width, sparse.width) > 0.0)
    beta = coefficients(solution, t.size, task)
    linear = t if task == "regression" else np.zeros(t.size)
    reached = beta @ linear - 0.5 * beta @ K @ beta
    scale = max(1.0, abs(best))
    assert reached == pytest.approx(best, abs=2e-5 * scale)
    assert sparse.objective == pytest.approx(solution.objective, rel=1e-4, abs=1e-5)
    # The gap is never less than the distance to the optimum.
    square = solution.width**2 if task == "classification" else 1.0
    assert solution.dual_gap * square >= best - reached - 1e-7 * scale


@pytest.mark.parametrize("task", TASKS)
@settings(max_examples=40)
@given(data=problems(), nu=st.sampled_from(SHARES))
def test_bounds_and_sums_are_kept(task, data, nu):
    t, w = targets(data, task), data.weights

    solution = solve(data.dense(), data.kernel, t, w, task=task, nu=nu, C=2.0, max_iter=2000)

    beta = coefficients(solution, t.size, task)
    if task == "classification" and solution.width == 0.0:
        assert np.all(beta * t >= 0.0)
        assert beta.sum() == pytest.approx(0.0, abs=1e-9 * t.size)
        return
    bound = (2.0 if task == "regression" else 1.0) * w * (1.0 + 1e-9)
    assert np.all(np.abs(beta) <= bound)
    if task == "one_class":
        assert beta.sum() == pytest.approx(nu * w.sum())
    else:
        assert beta.sum() == pytest.approx(0.0, abs=1e-9 * w.sum())
    if task == "classification":
        half = min(0.5 * nu * w.sum(), w[t > 0].sum(), w[t < 0].sum())
        assert np.all(beta * t >= 0.0)
        assert beta[t > 0].sum() == pytest.approx(half)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("nu", [0.15, 0.4])
def test_the_steps_are_those_of_plain_numpy(task, nu):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 4))
    t = np.where(X[:, 0] + 0.5 * rng.normal(size=150) > 0.1, 1.0, -1.0)
    if task == "regression":
        t = np.sin(X[:, 0]) + 0.1 * rng.normal(size=150)
    w = rng.uniform(0.5, 2.0, 150)
    rows, kernel = DenseRows(X), KernelSpec("rbf", 0.3)
    K = cpu.kernel_matrix(rows, rows, kernel)
    params = {"task": task, "nu": nu, "C": 3.0, "tol": 1e-5}

    # Rounding may part the ways of thousands of steps; where they end is one place.
    few = solve(rows, kernel, t, w, max_iter=40, **params)
    few_of_twin = nu_smo.solve(K, t, w, max_iter=40, **params)
    all_ = solve(rows, kernel, t, w, **params)
    all_of_twin = nu_smo.solve(K, t, w, **params)

    np.testing.assert_array_equal(few.support, few_of_twin.support)
    np.testing.assert_allclose(few.coef, few_of_twin.coef, rtol=1e-6)
    assert few.intercept == pytest.approx(few_of_twin.intercept, rel=1e-6)
    assert all_.objective == pytest.approx(all_of_twin.objective, rel=1e-3)
    if task != "one_class":
        assert few.width == pytest.approx(few_of_twin.width, rel=1e-6)
        assert all_.width == pytest.approx(all_of_twin.width, abs=1e-4)


@pytest.mark.parametrize("task", TASKS)
def test_shrinking_leaves_the_solution(task):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 3))
    t = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=1500) > 0, 1.0, -1.0)
    if task == "regression":
        t = np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=1500)
    rows, kernel, w = DenseRows(X), KernelSpec("rbf", 0.5), np.ones(1500)
    params = {"task": task, "nu": 0.3, "tol": 1e-5}

    shrunk = solve(rows, kernel, t, w, **params)
    whole = solve(rows, kernel, t, w, shrinking=False, **params)

    one, other = coefficients(shrunk, 1500, task), coefficients(whole, 1500, task)
    assert np.abs(one).sum() == pytest.approx(np.abs(other).sum(), rel=1e-3)
    assert shrunk.width == pytest.approx(whole.width, abs=1e-4, nan_ok=True)
    squares = (shrunk.width**2, whole.width**2) if task == "classification" else (1.0, 1.0)
    reached, expected = shrunk.objective * squares[0], whole.objective * squares[1]
    assert reached == pytest.approx(expected, rel=1e-4)


def test_threads_do_not_change_a_bit():
    # Large enough to be split over the threads.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8200, 2))
    rows, kernel, w = DenseRows(X), KernelSpec("rbf", 1.0), np.ones(8200)

    one, two = (solve(rows, kernel, w, w, n_threads=n, task="one_class", nu=0.05) for n in (1, 2))

    np.testing.assert_array_equal(one.coef, two.coef)
    assert one.intercept == two.intercept


def test_a_limit_on_updates_is_told():
    X = np.random.default_rng(0).normal(size=(100, 2))
    t = np.where(X[:, 0] > 0, 1.0, -1.0)

    solution = solve(DenseRows(X), KernelSpec("rbf", 1.0), t, np.ones(100), max_iter=3)

    assert (solution.status, solution.n_iter) == ("max_iter", 3)
    assert solution.violation > 1e-3


def test_the_lighter_class_bounds_nu():
    # One sample against nine: at most nu = 0.2.
    X = np.arange(10.0)[:, None]
    t = np.where(X[:, 0] > 8.5, 1.0, -1.0)

    most, more = (
        solve(DenseRows(X), KernelSpec("rbf", 1.0), t, np.ones(10), nu=nu, tol=1e-9)
        for nu in (0.2, 0.9)
    )

    np.testing.assert_allclose(more.coef, most.coef, atol=1e-6)
    assert more.intercept == pytest.approx(most.intercept, abs=1e-6)
