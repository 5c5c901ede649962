"""What every solver owes: its twin in NumPy, dense = CSR, threads, weights, row order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problems import Data, problems, solve_dual_exactly, solve_svr_exactly
from svmosaic.engine import cpu
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import CallbackRows, PairwiseRows, Problem
from svmosaic.engine.settings import OllawvSettings, RefineSettings, SmoSettings
from twins import ollawv as ollawv_twin
from twins import smo as smo_twin
from twins.kernels import gram

PLAIN = RefineSettings(refinement="none")

ollawv_settings = st.builds(
    OllawvSettings,
    margin=st.sampled_from([0.0, 0.1, 0.5, 2.0]),
    learning_rate=st.sampled_from(["2/sqrt(t)", "1/sqrt(t)", "1/t"]),
    fit_intercept=st.booleans(),
    max_iter_share=st.sampled_from([0.5, 1.0, 3.0]),
    max_support=st.sampled_from([0, 0, 0, 3]),
    C=st.sampled_from([1.0, 10.0]),
    refine=st.just(PLAIN),
)


def problem_of(data, rows):
    """Return the problem on the distinct samples, in canonical order, with its start."""
    labels = (data.y > 0).astype(np.int64)
    samples, weights = cpu.distinct_rows(rows, labels, data.weights)
    problem = Problem(samples, data.y[samples], weights)
    return replace(problem, first=cpu.central_sample(rows, problem))


def assert_same_path(ours, theirs):
    np.testing.assert_array_equal(ours.path_rows, theirs.path_rows)
    np.testing.assert_allclose(ours.path_steps, theirs.path_steps, rtol=1e-12)
    scale = max(
        1.0, np.abs(theirs.path_violations[np.isfinite(theirs.path_violations)]).max(initial=0)
    )
    np.testing.assert_allclose(
        ours.path_violations, theirs.path_violations, rtol=1e-6, atol=1e-6 * scale
    )
    np.testing.assert_array_equal(np.sort(ours.support), np.sort(theirs.support))
    np.testing.assert_allclose(
        ours.coef[np.argsort(ours.support)], theirs.coef[np.argsort(theirs.support)], rtol=1e-6
    )
    assert ours.intercept == pytest.approx(theirs.intercept, abs=1e-6)
    assert (ours.status, ours.n_iter) == (theirs.status, theirs.n_iter)


@settings(max_examples=200)
@given(data=problems(), chosen=ollawv_settings, sparse=st.booleans())
def test_ollawv_equals_its_twin(data, chosen, sparse):
    rows = data.csr() if sparse else data.dense()
    problem = problem_of(data, rows)
    X = data.X[problem.samples]

    (ours,) = cpu.solve(rows, data.kernel, [problem], chosen)

    assert_same_path(ours, ollawv_twin.solve(gram(X, X, data.kernel), problem, chosen))


@settings(max_examples=60)
@given(data=problems(), chosen=ollawv_settings)
def test_every_form_of_the_rows_gives_the_same_machine(data, chosen):
    problem = problem_of(data, data.dense())
    K = gram(data.X, data.X, data.kernel)
    forms = [
        (data.dense(), data.kernel),
        (data.csr(np.int32), data.kernel),
        (data.csr(np.int64), data.kernel),
        (PairwiseRows(K), replace(data.kernel, kind="precomputed")),
        (
            CallbackRows(lambda j: K[:, j].copy(), np.diagonal(K).copy(), len(K)),
            replace(data.kernel, kind="precomputed"),
        ),
    ]

    solved = [cpu.solve(rows, kernel, [problem], chosen)[0] for rows, kernel in forms]

    for other in solved[1:]:
        assert_same_path(solved[0], other)


@settings(max_examples=60)
@given(data=problems(kernels=("rbf", "linear", "laplacian")), C=st.sampled_from([0.1, 1.0, 30.0]))
def test_smo_equals_its_twin(data, C):
    rows = data.dense()
    problem = problem_of(data, rows)
    X = data.X[problem.samples]

    (ours,) = cpu.solve(rows, data.kernel, [problem], SmoSettings(C=C, tol=1e-6))

    twin = smo_twin.solve(gram(X, X, data.kernel), problem.targets, C * problem.weights, tol=1e-6)
    assert ours.objective == pytest.approx(twin.objective, rel=1e-6, abs=1e-9)
    assert ours.violation <= 1e-6


@settings(max_examples=100)
@given(
    data=problems(max_samples=60, kernels=("rbf", "linear", "laplacian")),
    C=st.sampled_from([0.01, 1.0, 100.0]),
)
def test_refinement_reaches_the_interior_point_optimum(data, C):
    rows = data.dense()
    problem = problem_of(data, rows)
    X = data.X[problem.samples]
    K = gram(X, X, data.kernel)
    upper = C * problem.weights
    # It starts from two samples and has to find the rest by itself.
    refine = RefineSettings(refinement="full", C=C, tol=1e-7)

    (ours,) = cpu.solve(rows, data.kernel, [problem], OllawvSettings(max_support=2, refine=refine))

    objective = solve_dual_exactly(K, problem.targets, upper)
    assert ours.objective == pytest.approx(objective, rel=1e-6, abs=1e-6 * max(1.0, C))
    assert ours.violation <= 1e-7
    # The reported gap is that of a feasible pair, so it bounds the distance to the optimum.
    assert ours.dual_gap >= max(0.0, objective - ours.objective) - 1e-7 * max(1.0, abs(objective))


@settings(max_examples=60)
@given(
    data=problems(kernels=("rbf", "linear", "laplacian")),
    C=st.sampled_from([0.1, 1.0, 30.0]),
    epsilon=st.sampled_from([0.0, 0.1, 0.7]),
    seed=st.integers(0, 1000),
)
def test_smo_for_regression_equals_its_twin(data, C, epsilon, seed):
    targets = data.y + np.random.default_rng(seed).normal(size=data.y.size)
    problem = Problem(np.arange(targets.size), targets, data.weights)
    chosen = SmoSettings(loss="epsilon_insensitive", C=C, epsilon=epsilon, tol=1e-6)

    (ours,) = cpu.solve(data.dense(), data.kernel, [problem], chosen)

    K = gram(data.X, data.X, data.kernel)
    twin = smo_twin.solve(K, targets, C * data.weights, tol=1e-6, epsilon=epsilon)
    assert ours.objective == pytest.approx(twin.objective, rel=1e-6, abs=1e-9)
    assert ours.violation <= 1e-6
    assert ours.coef.sum() == pytest.approx(0.0, abs=1e-9 * max(1.0, C) * targets.size)


def random_problem(seed):
    """Up to 200 samples, C from 1e-3 to 1e4, every kernel that is positive definite."""
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(5, 201)), int(rng.integers(1, 8)))
    X = rng.normal(size=shape) if rng.random() < 0.6 else rng.integers(-2, 3, shape).astype(float)
    noise = rng.normal(size=shape[0]) * rng.choice([0.1, 1.0, 3.0])
    y = np.where(X[:, 0] + noise > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    kernel = KernelSpec(
        str(rng.choice(["rbf", "laplacian", "linear", "poly"])),
        gamma=float(10 ** rng.uniform(-2, 0)),
        degree=2,
        coef0=1.0,
    )
    weights = np.ones(shape[0]) if rng.random() < 0.5 else rng.uniform(0.2, 3.0, shape[0])
    return Data(X, y, weights, kernel), float(10 ** rng.uniform(-3, 4)), y + noise


@pytest.mark.parametrize("hundred", [0, 1, 2])
def test_smo_reaches_the_interior_point_optimum(hundred):
    for seed in range(100 * hundred, 100 * hundred + 100):
        data, C, real_targets = random_problem(seed)
        K = gram(data.X, data.X, data.kernel)
        everyone = np.arange(data.y.size)
        upper = C * data.weights
        if seed % 4 == 0:
            problem = Problem(everyone, real_targets, data.weights)
            chosen = SmoSettings(loss="epsilon_insensitive", C=C, epsilon=0.2)
            best = solve_svr_exactly(K, real_targets, upper, 0.2)
        else:
            problem = Problem(everyone, data.y, data.weights)
            chosen = SmoSettings(loss="hinge", C=C)
            best = solve_dual_exactly(K, data.y, upper)
        assert best is not None, f"the oracle gave up on seed {seed}"

        for tol, accuracy in ((1e-3, 1e-4), (1e-9, 1e-8)):
            (ours,) = cpu.solve(data.dense(), data.kernel, [problem], chosen.replaced(tol=tol))

            case = f"seed {seed}, tol {tol}"
            assert abs(ours.objective - best) <= accuracy * max(abs(best), 1e-3 * C), case
            # Never smaller than the true distance, but for the rounding of the oracle.
            assert ours.dual_gap >= best - ours.objective - 1e-8 * max(1.0, abs(best)), case


@settings(max_examples=60)
@given(
    data=problems(max_samples=60, kernels=("rbf", "laplacian")),
    before=st.sampled_from([0.1, 1.0, 10.0]),
    after=st.sampled_from([0.1, 1.0, 10.0]),
    loss=st.sampled_from(["hinge", "epsilon_insensitive"]),
)
def test_a_warm_start_reaches_the_same_optimum(data, before, after, loss):
    rows = data.dense()
    problem = Problem(np.arange(data.y.size), data.y, data.weights)
    first, second = (SmoSettings(loss=loss, C=C, tol=1e-8) for C in (before, after))
    (start,) = cpu.solve(rows, data.kernel, [problem], first)
    coef = np.zeros(data.y.size)
    coef[start.support] = start.coef

    (cold,) = cpu.solve(rows, data.kernel, [problem], second)
    (warm,) = cpu.solve(rows, data.kernel, [replace(problem, initial=coef)], second)

    assert warm.objective == pytest.approx(cold.objective, rel=1e-7, abs=1e-9)
    assert warm.coef.sum() == pytest.approx(0.0, abs=1e-8)


@settings(max_examples=30)
@given(data=problems(max_samples=60), chosen=ollawv_settings)
def test_the_number_of_threads_changes_nothing(data, chosen):
    rows = data.dense()
    problem = problem_of(data, rows)
    refined = chosen.replaced(refine=RefineSettings(refinement="full", C=1.0))

    one, many = (
        cpu.solve(rows, data.kernel, [problem, problem], refined, n_threads=threads)
        for threads in (1, 4)
    )

    for a, b in zip(one, many, strict=True):
        np.testing.assert_array_equal(a.support, b.support)
        np.testing.assert_array_equal(a.coef, b.coef)
        assert a.intercept == b.intercept


@pytest.mark.parametrize("form", ["dense", "csr"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_do_not_change_a_large_machine(form, dtype):
    """Large enough to be split over threads inside one problem."""
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(9000, 5)) * (rng.random((9000, 5)) < 0.6)).astype(dtype)
    y = np.where(X.sum(axis=1) + rng.normal(size=9000) > 0, 1.0, -1.0)
    data = Data(X, y, np.ones(9000), KernelSpec("rbf", 0.5))
    rows = data.dense() if form == "dense" else data.csr()
    problem = problem_of(data, rows)
    chosen = OllawvSettings(max_iter=600, refine=RefineSettings(refinement="full", tol=1e-2))

    solved = [
        cpu.solve(rows, data.kernel, [problem], chosen, n_threads=threads)[0]
        for threads in ((1, 2, 4, 16) if form == "dense" else (1, 3, 8, 16))
    ]

    for other in solved[1:]:
        np.testing.assert_array_equal(solved[0].path_rows, other.path_rows)
        np.testing.assert_array_equal(solved[0].coef, other.coef)
        assert solved[0].intercept == other.intercept
