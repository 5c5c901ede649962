"""Solvers that work with a weight per feature, against their twins and against optimisers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests.twins import primal

import svmosaic._core as core
from svmosaic.engine import cpu
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DenseRows

DTYPES = [np.float32, np.float64]
EXACT = {"gain": 0.0, "max_steps": 50}
NEARLY = {"gain": 1e-3, "max_steps": 20}


def noisy_plane(n_samples, n_features, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)).astype(dtype)
    direction = X[:, 0] - X[:, -1] + 0.7 * rng.normal(size=n_samples)
    return X, np.where(direction > 0.3, 1.0, -1.0)


def random_norm(size, seed=0):
    root = np.random.default_rng(seed).normal(size=(size, size))
    return root @ root.T / size + np.eye(size)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_features", [1, 6, 70])
@pytest.mark.parametrize("with_norm", [False, True])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_newton_equals_its_twin(dtype, n_features, with_norm, C):
    X, targets = noisy_plane(700, n_features, dtype)
    targets[::5] = 0.0
    norm = random_norm(n_features) if with_norm else None

    found = cpu.solve_primal(DenseRows(X), targets, C, norm=norm, **EXACT)
    twin = primal.newton(X, targets, C, norm)

    np.testing.assert_allclose(found, twin, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("C", [100.0, 1000.0])
def test_newton_does_not_stop_early_where_whole_steps_lead_too_far(seed, C):
    X, targets = noisy_plane(500, 50, seed=seed)

    found = cpu.solve_primal(DenseRows(X), targets, C, **NEARLY)
    twin = primal.newton(X, targets, C)

    least = primal.objective(X, targets, C, twin)
    assert primal.objective(X, targets, C, found) <= 1.01 * least


@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("start", ["nothing", "weights", "decisions"])
def test_newton_ends_near_the_minimum(C, start):
    X, targets = noisy_plane(300, 5, seed=3)
    norm = random_norm(5, seed=3)
    rng = np.random.default_rng(4)
    begin = {
        "nothing": {},
        "weights": {"weights": rng.normal(size=6)},
        "decisions": {"decisions": rng.normal(size=300)},
    }[start]

    found = cpu.solve_primal(DenseRows(X), targets, C, norm=norm, **NEARLY, **begin)
    oracle = minimize(
        lambda w: primal.objective(X, targets, C, w, norm),
        np.zeros(6),
        method="L-BFGS-B",
        options={"maxiter": 5000},
    )

    assert primal.objective(X, targets, C, found, norm) <= oracle.fun * (1 + 1e-3)


@pytest.mark.parametrize("n_features", [3, 100])
def test_weights_do_not_depend_on_threads(n_features):
    X, targets = noisy_plane(6000, n_features, np.float32)

    one, other = (
        cpu.solve_primal(DenseRows(X), targets, 1.0, **NEARLY, n_threads=n) for n in (1, 3)
    )

    np.testing.assert_array_equal(one, other)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), scale=st.floats(0.1, 10.0))
def test_weights_follow_the_scale_and_the_order(seed, scale):
    X, targets = noisy_plane(60, 3, seed=seed)
    order = np.random.default_rng(seed).permutation(60)

    found = cpu.solve_primal(DenseRows(X), targets, 1.0, **EXACT)
    shuffled = cpu.solve_primal(DenseRows(X[order]), targets[order], 1.0, **EXACT)
    # With features so many times as large, weights so many times as small are as long in this norm.
    scaled = cpu.solve_primal(
        DenseRows(scale * X), targets, 1.0, norm=scale**2 * np.eye(3), **EXACT
    )

    np.testing.assert_allclose(shuffled, found, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(scaled[:-1] * scale, found[:-1], rtol=1e-6, atol=1e-8)


def test_opposite_labels_give_opposite_weights():
    X, targets = noisy_plane(100, 4)

    found, other = (cpu.solve_primal(DenseRows(X), y, 1.0, **NEARLY) for y in (targets, -targets))

    np.testing.assert_array_equal(found, -other)


def test_constant_feature_and_one_class_do_no_harm():
    X = np.column_stack([np.zeros(4), np.ones(4)])
    targets = np.array([1.0, 1.0, 1.0, -1.0])

    weights = cpu.solve_primal(DenseRows(X[:, :1].copy()), targets, 1.0, **EXACT)
    assert weights[0] == 0.0
    assert weights[1] == pytest.approx(0.5, abs=1e-3)
    assert np.isfinite(cpu.solve_primal(DenseRows(X), np.ones(4), 1.0, **EXACT)).all()
    assert (cpu.solve_primal(DenseRows(X), np.zeros(4), 1.0, **EXACT) == 0.0).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_targets", [1, 2, 5])
def test_ridge_equals_its_twin(dtype, n_targets):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(1300, 9)).astype(dtype)
    targets = rng.normal(size=(1300, n_targets))
    penalty = random_norm(10, seed=5)

    found = cpu.solve_ridge(DenseRows(X), targets, penalty)

    np.testing.assert_allclose(found, primal.ridge(X, targets, penalty), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(
        cpu.solve_ridge(DenseRows(X), targets, penalty, n_threads=3), found
    )


def test_ridge_of_a_singular_matrix_is_finite():
    X = np.ones((5, 2))

    weights = cpu.solve_ridge(DenseRows(X), np.arange(5.0)[:, None], np.zeros((3, 3)))

    np.testing.assert_allclose(weights[:, :-1].sum() + weights[0, -1], 2.0, rtol=1e-4)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_sums_that_are_not_finite_give_zeros(value):
    rows, targets = DenseRows(np.array([[value], [1.0]])), np.array([1.0, -1.0])

    assert not cpu.solve_primal(rows, targets, 1.0, **EXACT).any()
    assert not cpu.solve_ridge(rows, targets[:, None], np.eye(2)).any()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_features", [1, 8, 37])
def test_linear_decisions_do_not_depend_on_other_rows(dtype, n_features):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(1500, n_features)).astype(dtype)
    weights = rng.normal(size=(3, n_features + 1))

    found = cpu.decide_linear(DenseRows(X), weights)

    np.testing.assert_allclose(
        found, X @ weights[:, :-1].T + weights[:, -1], rtol=1e-12, atol=1e-13
    )
    np.testing.assert_array_equal(cpu.decide_linear(DenseRows(X), weights, n_threads=3), found)
    alone = cpu.decide_linear(DenseRows(X[7:8].copy()), weights[1:2].copy())
    assert alone[0, 0] == found[7, 1]


@pytest.mark.parametrize("dtype", DTYPES)
def test_narrow_kernel_values_are_those_of_the_wide_matrix(dtype):
    X, _ = noisy_plane(300, 4, dtype)
    rows, vectors, kernel = DenseRows(X), DenseRows(X[:50].copy()), KernelSpec("rbf", 0.3)

    narrow = cpu.narrow_kernel_matrix(rows, vectors, kernel)

    assert narrow.dtype == dtype
    np.testing.assert_array_equal(narrow, cpu.kernel_matrix(rows, vectors, kernel))


def test_core_refuses_arrays_of_other_sizes():
    rows = DenseRows(np.ones((3, 2)))
    right = {
        "targets": np.ones(3),
        "norm": np.empty((0, 0)),
        "weights": np.empty(0),
        "decisions": np.empty(0),
    }
    others = {"C": 1.0, "gain": 1e-4, "max_steps": 20, "n_threads": 1}

    for wrong in (
        {"targets": np.ones(2)},
        {"norm": np.ones((2, 3))},
        {"norm": np.ones((3, 3))},
        {"weights": np.ones(2)},
        {"decisions": np.ones(2)},
    ):
        with pytest.raises(ValueError, match="expected a"):
            core.solve_primal(rows, **(right | others | wrong))
    with pytest.raises(ValueError, match="a row of targets"):
        core.solve_ridge(rows, np.ones((2, 1)), np.eye(3), 1)
    with pytest.raises(ValueError, match="a penalty"):
        core.solve_ridge(rows, np.ones((3, 1)), np.eye(2), 1)
    with pytest.raises(ValueError, match="expected a weight"):
        core.decide_linear(rows, np.ones((1, 2)), 1)
