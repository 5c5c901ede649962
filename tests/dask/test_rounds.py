"""The algorithm of the cluster in one process: exact, and the same for all partitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from problems import problems, solve_dual_exactly, solve_svr_exactly
from svmosaic import SMOClassifier, SMORegressor
from svmosaic.dask import rounds, sweeps
from svmosaic.dask.partition import Plan, prepare, read
from svmosaic.dask.rounds import Settings, solve_over_partitions
from svmosaic.dask.tasks import PairSpec
from svmosaic.dask.tree import MedianTree
from svmosaic.dask.workers import InProcess
from svmosaic.engine.class_pairs import class_pairs
from svmosaic.engine.expansion import kernel_matrix
from svmosaic.engine.kernels import kernel_spec
from twins.kernels import gram

RNG = np.random.default_rng(0)
N = 600
X = RNG.uniform(-1, 1, size=(N, 3))
Y = (np.sin(4 * X[:, 0]) * X[:, 1] + 0.2 * RNG.normal(size=N) > 0).astype(int)
THREE = Y + (X[:, 2] > 0.4)
TARGET = np.sin(3 * X[:, 0]) + 0.1 * RNG.normal(size=N)
WEIGHTS = RNG.choice([0.5, 1.0, 2.0], N)
KERNEL = kernel_spec("rbf", 2.0)


def cut(n, n_partitions, seed=None):
    order = np.arange(n) if seed is None else np.random.default_rng(seed).permutation(n)
    return np.array_split(order, n_partitions)


def solved(
    X,
    y,
    parts,
    *,
    n_workers=1,
    C=1.0,
    tol=1e-3,
    kernel=KERNEL,
    weights=None,
    epsilon=None,
    multi_class="ovo",
):
    is_regression = epsilon is not None
    classes = None if is_regression else np.unique(y)
    plan = Plan(classes, None, sparse.issparse(X), X.dtype)
    partitions = []
    for number, rows in enumerate(parts):
        own = None if weights is None else weights[rows]
        table = read(X[rows], y[rows], own, "Test", number, is_regression=is_regression)
        assert table.fault is None
        partitions.append(prepare(table, plan))
    pairs = [] if is_regression else class_pairs(classes.size, multi_class)
    n = sum(q.n for q in partitions)
    found = solve_over_partitions(
        InProcess(n_workers=n_workers),
        partitions,
        n,
        kernel,
        Settings(PairSpec(pairs, epsilon or 0.0), C, tol),
        n_classes=0 if is_regression else classes.size,
    )
    assert found.status == "converged"
    return found


def decisions(found, X):
    chunks = found.in_play.chunks
    rows = sparse.vstack(chunks) if sparse.issparse(chunks[0]) else np.concatenate(chunks)
    return kernel_matrix(KERNEL, X, rows) @ found.in_play.beta + found.intercepts


@pytest.fixture
def small_parts(monkeypatch):
    """Clusters, single blocks, slices and groups on few samples."""
    monkeypatch.setattr(sweeps, "LARGEST_PART", 60)
    monkeypatch.setattr(sweeps, "SINGLE_BLOCK", 20)
    monkeypatch.setattr(sweeps, "SLICE", 50)
    monkeypatch.setattr(sweeps, "GROUP", 60)
    monkeypatch.setattr(rounds, "LEAST_FIRST", 40)
    monkeypatch.setattr(rounds, "LEAST_JOINING", 40)


# Against other solvers ----------------------------------------------------------------------


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(problems(kernels=("rbf", "linear", "laplacian")), st.integers(1, 4))
def test_the_objective_is_that_of_the_interior_point_method(data, n_partitions):
    found = solved(
        data.X,
        data.y,
        cut(len(data.y), n_partitions),
        kernel=data.kernel,
        weights=data.weights,
        tol=1e-7,
        C=2.0,
    )

    expected = solve_dual_exactly(gram(data.X, data.X, data.kernel), data.y, 2.0 * data.weights)
    if expected is not None:
        assert found.objectives[0] == pytest.approx(expected, rel=1e-5, abs=1e-6)
    assert -1e-9 <= found.gaps[0] <= 1e-4


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_regression_reaches_the_objective_of_the_interior_point_method(epsilon):
    rows = np.arange(80)
    K = gram(X[rows], X[rows], KERNEL)

    found = solved(X[rows], TARGET[rows], cut(80, 3), epsilon=epsilon, tol=1e-7)

    expected = solve_svr_exactly(K, TARGET[rows], np.ones(80), epsilon)
    assert found.objectives[0] == pytest.approx(expected, rel=1e-6)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_clusters_lead_to_the_local_model(form, dtype):
    data = form(X.astype(dtype))
    tol = 1e-8 if dtype == np.float64 else 1e-4

    found = solved(data, Y, cut(N, 4), C=10.0, tol=tol)

    local = SMOClassifier(C=10.0, gamma=2.0, tol=tol).fit(data, Y)
    expected = local.decision_function(data)
    np.testing.assert_allclose(decisions(found, data)[:, 0], expected, atol=1e-6 + 10 * tol)
    assert found.traffic.n_sweeps > found.traffic.n_rounds
    assert found.gaps[0] == pytest.approx(0.0, abs=20 * tol * N)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_several_classes_with_weights(multi_class):
    found = solved(X, THREE, cut(N, 3), weights=WEIGHTS, tol=1e-8, multi_class=multi_class)

    local = SMOClassifier(
        gamma=2.0, tol=1e-8, multi_class=multi_class, decision_function_shape="ovo"
    ).fit(X, THREE, WEIGHTS)
    np.testing.assert_allclose(found.objectives, local.objective_, rtol=1e-9)
    np.testing.assert_allclose(decisions(found, X), local._output_values(X), atol=1e-6)


@pytest.mark.usefixtures("small_parts")
def test_regression_by_clusters_leads_to_the_local_model():
    found = solved(X, TARGET, cut(N, 4), epsilon=0.05, C=5.0, tol=1e-8)

    local = SMORegressor(C=5.0, epsilon=0.05, gamma=2.0, tol=1e-8).fit(X, TARGET)
    np.testing.assert_allclose(decisions(found, X)[:, 0], local.predict(X), atol=1e-6)


# Partitions ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("copies", [False, True])
def test_the_bits_of_the_model_depend_on_neither_partitions_nor_workers(copies):
    rows = RNG.integers(0, 300, N) if copies else np.arange(N)
    found = [
        solved(X[rows], Y[rows], cut(N, n, seed), C=10.0, n_workers=n_workers)
        for n, seed, n_workers in ((1, None, 1), (5, None, 2), (3, 7, 5), (N, 1, 100))
    ]

    first = found[0].in_play
    for other in found[1:]:
        np.testing.assert_array_equal(other.in_play.beta, first.beta)
        np.testing.assert_array_equal(other.in_play.keys, first.keys)
        np.testing.assert_array_equal(other.intercepts, found[0].intercepts)
        np.testing.assert_allclose(other.gaps, found[0].gaps, rtol=1e-6, atol=1e-9)


def test_empty_partitions_and_those_of_one_class_are_welcome():
    order = np.argsort(Y, kind="stable")
    parts = [np.empty(0, dtype=int), *np.array_split(order, 3), np.empty(0, dtype=int)]

    found = solved(X, Y, parts)

    np.testing.assert_array_equal(found.in_play.keys, solved(X, Y, cut(N, 1)).in_play.keys)


def test_copies_in_several_partitions_are_one_sample():
    found = solved(np.concatenate([X, X]), np.concatenate([Y, Y]), cut(2 * N, 4))
    expected = solved(X, Y, cut(N, 2), weights=np.full(N, 2.0))

    np.testing.assert_array_equal(found.in_play.weights, expected.in_play.weights)
    np.testing.assert_array_equal(found.in_play.beta, expected.in_play.beta)


def test_a_tree_halves_rows():
    tree = MedianTree.of(X, 3, seed=0)

    counts = np.bincount(tree.leaves(X), minlength=8)

    assert counts.sum() == N
    assert counts.min() > N / 8 - 3
