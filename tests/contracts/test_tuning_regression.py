"""What the compiled tuner of epsilon-SVR owes: its twin in NumPy, weights, threads, warm starts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svmosaic.engine import cpu
from svmosaic.engine.problem import CsrRows, DenseRows
from svmosaic.engine.tasks import RegressionLink, RegressionTuneSettings
from twins import smo
from twins import tune_regression as twin

NOTHING = np.empty(0, dtype=np.int64)
GRID = RegressionTuneSettings(
    np.array([0.02, 0.3, 2.0]), np.array([10.0, 0.5]), np.array([0.05, 0.3]), tol=1e-9
)


def make_table(rng, n, n_targets=2, n_folds=3):
    X = rng.normal(size=(n, 3))
    D = cpu.pair_distances(DenseRows(X), DenseRows(X))
    targets = np.array([np.sin(X[:, 0]) + 0.3 * X[:, 1] * t for t in range(1, n_targets + 1)])
    targets += 0.1 * rng.normal(size=targets.shape)
    fold_of = rng.permutation(n) % n_folds
    test = (fold_of == np.arange(n_folds)[:, None]).astype(float)
    return D, targets, (1.0 - test, test)


@st.composite
def tables(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    D, targets, folds = make_table(rng, draw(st.integers(8, 20)))
    weights = rng.choice([1.0, 2.0, 3.0], D.shape[0]) if draw(st.booleans()) else np.ones(len(D))
    return D, targets, weights, tuple(part * weights for part in folds)


def test_distances_are_exact_and_sparse_rows_agree():
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(30, 4)), rng.normal(size=(17, 4))
    from scipy.sparse import csr_array

    sparse = [CsrRows(s.data, s.indices, s.indptr, 4) for s in (csr_array(X), csr_array(Z))]

    D = cpu.pair_distances(DenseRows(X), DenseRows(Z), n_threads=2)

    expected = ((X[:, None] - Z) ** 2).sum(axis=2)
    np.testing.assert_allclose(D, expected, rtol=1e-13)
    np.testing.assert_allclose(cpu.pair_distances(*sparse), expected, rtol=1e-9, atol=1e-12)


def test_absolute_distances_are_sums_of_absolute_differences():
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(30, 4)), rng.normal(size=(17, 4))
    from scipy.sparse import csr_array

    sparse = [CsrRows(s.data, s.indices, s.indptr, 4) for s in (csr_array(X), csr_array(Z))]
    expected = np.abs(X[:, None] - Z).sum(axis=2)

    dense = cpu.pair_distances(DenseRows(X), DenseRows(Z), absolute=True)

    np.testing.assert_allclose(dense, expected, rtol=1e-13)
    np.testing.assert_allclose(
        cpu.pair_distances(*sparse, absolute=True), expected, rtol=1e-9, atol=1e-12
    )


@settings(max_examples=25)
@given(tables(), st.booleans())
def test_compiled_tuner_agrees_with_its_twin(table, absolute):
    D, targets, weights, folds = table
    links = [RegressionLink(0, NOTHING), RegressionLink(1, np.array([0]))]
    grid = replace(GRID, absolute=absolute)

    compiled, _ = cpu.tune_regression(D, targets, targets, links, weights, folds, grid)
    plain = twin.tune(D, targets, targets, links, weights, folds, grid)

    for ours, theirs in zip(compiled, plain, strict=True):
        np.testing.assert_allclose(ours.errors, theirs.errors, rtol=1e-5)
        if ours.best == theirs.best:
            np.testing.assert_allclose(ours.held_out, theirs.held_out, atol=1e-5)
            np.testing.assert_allclose(ours.objective, theirs.objective, rtol=1e-7, atol=1e-9)


@settings(max_examples=15)
@given(tables())
def test_a_weight_means_copies(table):
    D, targets, weights, folds = table
    rows = np.repeat(np.arange(len(D)), weights.astype(int))
    links = [RegressionLink(0, NOTHING)]
    once = tuple(np.ascontiguousarray((part / weights)[:, rows]) for part in folds)

    (weighted,), _ = cpu.tune_regression(D, targets, targets, links, weights, folds, GRID)
    (copied,), _ = cpu.tune_regression(
        np.ascontiguousarray(D[np.ix_(rows, rows)]),
        np.ascontiguousarray(targets[:, rows]),
        np.ascontiguousarray(targets[:, rows]),
        links,
        np.ones(rows.size),
        once,
        GRID,
    )

    np.testing.assert_allclose(weighted.errors, copied.errors, rtol=1e-5)


def test_a_complete_search_that_is_led_finds_what_one_without_finds():
    D, targets, folds = make_table(np.random.default_rng(1), 80, n_targets=3)
    weights = np.ones(len(D))
    alone = [RegressionLink(t, NOTHING) for t in range(3)]
    singles, kept = cpu.tune_regression(D, targets, targets, alone, weights, folds, GRID, keep=True)
    beside = [np.array([1, 2]), np.array([0]), np.array([0, 1])]
    free = [RegressionLink(t, columns) for t, columns in enumerate(beside)]
    led = [replace(link, start=t, first=singles[t].best) for t, link in enumerate(free)]

    expected, _ = cpu.tune_regression(D, targets, targets, free, weights, folds, GRID)
    found, _ = cpu.tune_regression(
        D, targets, targets, led, weights, folds, replace(GRID, complete=True), starts=kept
    )

    for ours, theirs in zip(found, expected, strict=True):
        assert ours.best == theirs.best
        np.testing.assert_allclose(ours.held_out, theirs.held_out, atol=1e-6)
        tried = np.isfinite(ours.errors)
        np.testing.assert_allclose(ours.errors[tried], theirs.errors[tried], rtol=1e-6)
        # What was given up was worse.
        assert np.all(theirs.errors[~tried] > theirs.errors[theirs.best])


def test_a_pattern_search_ends_better_than_all_neighbours():
    D, targets, folds = make_table(np.random.default_rng(2), 60)
    weights = np.ones(len(D))
    complete, _ = cpu.tune_regression(
        D, targets, targets, [RegressionLink(1, np.array([0]))], weights, folds, GRID
    )
    errors = complete[0].errors.reshape(2, 2, 3)
    for first in range(GRID.n_candidates):
        link = RegressionLink(1, np.array([0]), first=first)

        (found,), _ = cpu.tune_regression(D, targets, targets, [link], weights, folds, GRID)

        c, e, g = np.unravel_index(found.best, errors.shape)
        neighbours = [(1 - c, e, g), (c, 1 - e, g), (c, e, g - 1), (c, e, g + 1)]
        inside = [n for n in neighbours if 0 <= n[2] < 3]
        assert errors[c, e, g] <= min(errors[n] for n in inside) * (1 + 1e-9)
        assert errors[c, e, g] <= errors.ravel()[first] * (1 + 1e-9)


def test_a_race_tries_less_and_never_ends_worse_than_it_began():
    D, targets, folds = make_table(np.random.default_rng(5), 60)
    weights = np.ones(len(D))
    tried = {}
    for race in (0.0, 0.9, 1.0):
        grid = replace(GRID, race=race)
        tried[race] = 0
        for first in range(GRID.n_candidates):
            link = RegressionLink(1, np.array([0]), first=first)

            (found,), _ = cpu.tune_regression(D, targets, targets, [link], weights, folds, grid)

            assert found.errors[found.best] <= found.errors[first]
            tried[race] += np.isfinite(found.errors).sum()
    assert tried[0.0] >= tried[0.9] >= tried[1.0]
    assert tried[0.0] > tried[1.0]


def test_a_race_does_not_touch_a_complete_search():
    D, targets, folds = make_table(np.random.default_rng(6), 40)
    link = RegressionLink(1, np.array([0]), first=0)
    call = (D, targets, targets, [link], np.ones(40), folds)

    (plain,), _ = cpu.tune_regression(*call, replace(GRID, complete=True))
    (raced,), _ = cpu.tune_regression(*call, replace(GRID, complete=True, race=1.0))

    np.testing.assert_array_equal(raced.errors, plain.errors)


@pytest.mark.parametrize("n_threads", [2, 3])
def test_threads_do_not_change_a_bit(n_threads):
    D, targets, folds = make_table(np.random.default_rng(3), 50, n_targets=4)
    links = [RegressionLink(t, np.array([(t + 1) % 4]), first=3) for t in range(4)]
    links += [RegressionLink(t, NOTHING) for t in range(4)]
    call = (D, targets, targets, links, np.ones(50), folds, GRID)

    one, _ = cpu.tune_regression(*call)
    several, _ = cpu.tune_regression(*call, n_threads=n_threads)

    for a, b in zip(one, several, strict=True):
        assert a.best == b.best
        np.testing.assert_array_equal(a.errors, b.errors)
        np.testing.assert_array_equal(a.coef, b.coef)


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
@pytest.mark.parametrize("C", [0.1, 5.0])
def test_many_samples_are_solved_in_rounds(C, epsilon):
    # More than one working set holds.
    D, targets, folds = make_table(np.random.default_rng(4), 700)
    grid = RegressionTuneSettings(np.array([0.2]), np.array([C]), np.array([epsilon]), tol=1e-4)

    (fitted,), _ = cpu.tune_regression(
        D, targets, targets, [RegressionLink(0, NOTHING)], np.ones(700), folds, grid
    )

    exact = smo.solve(np.exp(-0.2 * D), targets[0], np.full(700, C), tol=1e-4, epsilon=epsilon)
    assert fitted.violation <= 1e-4
    assert fitted.objective == pytest.approx(exact.objective, rel=1e-5)
    assert abs(fitted.coef.sum()) < 1e-8
    assert np.all(np.abs(fitted.coef) <= C)
