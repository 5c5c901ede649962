"""What the compiled tuner owes: its twin in NumPy, every form of rows, threads, both roads."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from svmosaic import SMOClassifier
from svmosaic.engine import cpu
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import CsrRows, DenseRows, PairwiseRows
from svmosaic.engine.settings import OllawvSettings, RefineSettings
from svmosaic.engine.tasks import TuneSettings
from twins import tune as twin
from twins.kernels import gram

PLAIN = RefineSettings(refinement="none")


@st.composite
def tables(draw, *, copies=True):
    """Rows of several classes, weighted or not, with copies of rows, and two or three folds."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(12, 40))
    n_classes = draw(st.integers(2, 4))
    labels = np.arange(n) % n_classes
    X = rng.normal(size=(n, draw(st.integers(1, 5)))) + labels[:, None] * rng.normal()
    if copies and draw(st.booleans()):
        # Inside a class: equal rows with different labels make decisions that are exactly zero.
        X = X[(labels + n_classes * rng.integers(0, n // n_classes, n))]
    weights = np.ones(n)
    if draw(st.booleans()):
        weights = rng.choice([0.0, 0.5, 1.0, 2.0, 3.5], n)
        # Every class stays in every training part.
        weights[: 3 * n_classes] = 1.0
    n_folds = draw(st.integers(2, 3))
    fold_of = np.arange(n) // n_classes % n_folds
    splits = [(np.flatnonzero(fold_of != f), np.flatnonzero(fold_of == f)) for f in range(n_folds)]
    return X, labels, weights, splits


def grids(refine, **fixed):
    return st.builds(
        TuneSettings,
        gammas=st.sampled_from([np.array([0.3]), np.array([2.0, 0.1])]),
        margins=st.sampled_from([np.array([0.1]), np.array([1.0, 0.05, 0.3])]),
        Cs=st.just(np.ones(1))
        if refine.refinement == "none"
        else st.sampled_from([np.array([1.0]), np.array([20.0, 0.2, 3.0])]),
        multi_class=st.sampled_from(["ovo", "ovr"]),
        solver=st.builds(OllawvSettings, refine=st.just(refine), **fixed),
    )


plain_grids = grids(
    PLAIN,
    learning_rate=st.sampled_from(["2/sqrt(t)", "1/sqrt(t)", "1/t"]),
    fit_intercept=st.booleans(),
    max_iter_share=st.sampled_from([0.5, 1.0, 3.0]),
    max_support=st.sampled_from([0, 0, 3]),
)
exact_grids = grids(RefineSettings(refinement="full", tol=1e-8))
kernels = st.sampled_from(
    [KernelSpec("rbf"), KernelSpec("laplacian"), KernelSpec("linear"), KernelSpec("poly", coef0=1)]
)


def tuned(table, kernel, grid, rows=None, **options):
    X, labels, weights, splits = table
    rows = DenseRows(X) if rows is None else rows
    return cpu.tune_ollawv(rows, kernel, labels, weights, splits, grid, **options)


def by_twin(table, kernel, grid):
    X, labels, weights, splits = table
    start = partial(cpu.central_sample, DenseRows(X))
    return twin.tune(X, kernel, labels, weights, splits, grid, start)


@settings(max_examples=100, deadline=None)
@given(table=tables(), kernel=kernels, grid=plain_grids)
def test_plain_machines_equal_the_twin(table, kernel, grid):
    ours = tuned(table, kernel, grid)

    theirs = by_twin(table, kernel, grid)
    np.testing.assert_array_equal(ours[0], theirs[0])
    np.testing.assert_array_equal(ours[1], theirs[1])


@settings(max_examples=25, deadline=None)
@given(table=tables(), kernel=st.sampled_from([KernelSpec("rbf"), KernelSpec("laplacian")]))
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_exact_machines_equal_the_twin(multi_class, table, kernel):
    grid = TuneSettings(
        # With larger ones samples are so far apart that all decisions are ties, up to rounding.
        np.array([0.5, 1.5]),
        np.array([0.1, 1.0]),
        np.array([30.0, 0.5]),
        multi_class,
        OllawvSettings(refine=RefineSettings(refinement="full", tol=1e-8)),
    )

    ours = tuned(table, kernel, grid)

    theirs = by_twin(table, kernel, grid)
    # Copies of samples make ties between classes; rounding may decide one the other way.
    moved = np.abs(ours[0] - theirs[0]).sum(axis=(-2, -1)) / (2 * table[2].max())
    assert moved.max() <= 2
    assert np.mean(moved > 0) <= 0.25
    # A coefficient of zero may be a trace more or less.
    np.testing.assert_allclose(ours[1], theirs[1], rtol=0.05, atol=1)


@settings(max_examples=60, deadline=None)
@given(table=tables(), grid=st.one_of(plain_grids, exact_grids), sparse_indices=st.booleans())
def test_forms_of_the_rows_and_threads_change_nothing(table, grid, sparse_indices):
    X = table[0]
    index = np.int64 if sparse_indices else np.int32
    S = sparse.csr_array(X)
    csr = CsrRows(S.data, S.indices.astype(index), S.indptr.astype(index), X.shape[1])

    dense = tuned(table, KernelSpec("rbf"), grid)
    threads = tuned(table, KernelSpec("rbf"), grid, n_threads=3)
    compressed = tuned(table, KernelSpec("rbf"), grid, rows=csr)

    for a, b, c in zip(dense, threads, compressed, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, c)


@settings(max_examples=60, deadline=None)
@given(table=tables(), kernel=kernels, grid=plain_grids)
def test_without_memory_plain_machines_are_the_same(table, kernel, grid):
    stored = tuned(table, kernel, grid)
    streamed = tuned(table, kernel, replace(grid, memory_mb=0.0))

    np.testing.assert_array_equal(stored[0], streamed[0])
    np.testing.assert_array_equal(stored[1], streamed[1])


def test_memory_for_fewer_threads_gives_the_same_exact_machines():
    X, labels, weights, splits = larger_table(600, 3, 2)
    grid = TuneSettings(
        np.array([0.1, 2.0]),
        np.array([0.1]),
        np.array([1.0, 100.0]),
        "ovo",
        OllawvSettings(refine=RefineSettings(refinement="full", tol=1e-4)),
    )
    table = X, labels, weights, splits

    # Two matrices of 600 rows take 5.8 MB and a thread 1 MB, so that there is room for all four
    # threads, for one or two, for none, or not even for the matrices.
    alone = tuned(table, KernelSpec("rbf"), grid)
    for memory_mb in (20.0, 8.0, 7.0, 6.0):
        limited = tuned(table, KernelSpec("rbf"), replace(grid, memory_mb=memory_mb), n_threads=4)
        if memory_mb >= 7.0:
            np.testing.assert_array_equal(limited[0], alone[0])
            np.testing.assert_array_equal(limited[1], alone[1])
        np.testing.assert_array_equal(limited[0].sum(axis=(-2, -1)), alone[0].sum(axis=(-2, -1)))


@settings(max_examples=30, deadline=None)
@given(table=tables(copies=False), grid=exact_grids)
def test_stored_kernel_values_give_the_same_exact_machines(table, grid):
    X = table[0]
    grid = replace(grid, gammas=np.array([0.5]))
    K = gram(X, X, KernelSpec("rbf", gamma=0.5))

    from_rows = tuned(table, KernelSpec("rbf"), grid)
    from_values = tuned(table, KernelSpec("precomputed"), grid, rows=PairwiseRows(K))

    np.testing.assert_array_equal(from_rows[0], from_values[0])


def larger_table(n, n_classes, seed):
    """More samples than one working set holds."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % n_classes
    X = rng.normal(size=(n, 3)) + 0.7 * labels[:, None]
    fold_of = np.arange(n) // n_classes % 2
    splits = [(np.flatnonzero(fold_of != f), np.flatnonzero(fold_of == f)) for f in range(2)]
    return X, labels, np.ones(n), splits


@pytest.mark.parametrize("precision", [np.float64, np.float32])
def test_large_machines_are_solved_in_working_sets(precision):
    X, labels, weights, splits = larger_table(1800, 2, 0)
    grid = TuneSettings(
        np.array([0.1, 2.0]),
        np.array([0.1]),
        np.array([0.1, 10.0, 300.0]),
        "ovo",
        OllawvSettings(refine=RefineSettings(refinement="full", tol=1e-6)),
    )
    table = X.astype(precision), labels, weights, splits

    stored = tuned(table, KernelSpec("rbf"), grid)
    streamed = tuned(table, KernelSpec("rbf"), replace(grid, memory_mb=0.0))

    total = stored[0].sum(axis=(-2, -1))
    hits = [np.trace(confusion, axis1=-2, axis2=-1) for confusion, _ in (stored, streamed)]
    np.testing.assert_array_less(np.abs(hits[0] - hits[1]) / total, 2e-3)
    np.testing.assert_allclose(stored[1], streamed[1], rtol=0.01)


@pytest.mark.parametrize("C", [1e-3, 0.1, 0.2, 1 / 3, 0.7])
@pytest.mark.parametrize("weighted", [False, True])
def test_balanced_classes_with_a_small_C_have_the_intercept_of_a_fit(weighted, C):
    # All coefficients are at their bounds, which an interval of intercepts allows: the middle.
    grid = TuneSettings(
        gammas=np.array([1.0]),
        margins=np.array([0.1]),
        Cs=np.array([C]),
        multi_class="ovo",
        solver=OllawvSettings(refine=RefineSettings(refinement="full", tol=1e-6)),
    )
    for seed in range(20):
        rng = np.random.default_rng(seed)
        labels = np.arange(120) % 3
        X = rng.normal(size=(120, 4)) + 0.5 * labels[:, None]
        # Classes of the same total weight, in sums that are not exact.
        weights = np.repeat(rng.choice([0.1, 0.7, 1.0, 3.3], 40), 3) if weighted else np.ones(120)
        fold = np.arange(120) // 3 % 4
        splits = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(4)]

        confusion, _ = tuned((X, labels, weights, splits), KernelSpec("rbf"), grid)

        for f, (train, test) in enumerate(splits):
            model = SMOClassifier(C=C, gamma=1.0, tol=1e-6)
            model.fit(X[train], labels[train], sample_weight=weights[train])
            expected = np.zeros((3, 3))
            np.add.at(expected, (labels[test], model.predict(X[test])), weights[test])
            np.testing.assert_allclose(confusion[0, 0, 0, f], expected)


def test_max_time_leaves_the_rest_out():
    X, labels, weights, splits = larger_table(1000, 2, 1)
    grid = TuneSettings(
        np.array([0.1, 1.0, 10.0]),
        np.array([0.1]),
        np.array([1.0, 100.0, 1e4]),
        "ovo",
        OllawvSettings(refine=RefineSettings(refinement="full")),
    )

    confusion, n_support = cpu.tune_ollawv(
        DenseRows(X), KernelSpec("rbf"), labels, weights, splits, grid, max_time=1e-6
    )

    assert np.isnan(n_support).all()
    assert np.isnan(confusion).all()


def test_an_error_of_the_progress_function_reaches_the_caller():
    table = larger_table(1500, 2, 2)
    grid = TuneSettings(
        4.0 ** np.arange(-5, 3),
        np.array([0.1]),
        4.0 ** np.arange(-2, 8),
        "ovo",
        OllawvSettings(refine=RefineSettings(refinement="full", tol=1e-9)),
    )

    def progress(done, total, steps):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        tuned(table, KernelSpec("rbf"), grid, progress=progress)
