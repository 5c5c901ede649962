"""What the online solvers owe: their twins, every form of rows, threads, one pass in chunks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problems import Data, problems
from svmosaic.engine import cpu
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import CallbackRows, PairwiseRows, Problem
from svmosaic.engine.settings import KernelSgdSettings, OllaL2Settings
from svmosaic.engine.tasks import OnlineTask
from twins import kernel_sgd as kernel_sgd_twin
from twins import olla_l2 as olla_l2_twin
from twins.kernels import gram
from twins.sampling import Sampler, visits

ORDERS = st.sampled_from(["shuffled", "random", "given"])

sgd_settings = st.builds(
    KernelSgdSettings,
    C=st.sampled_from([0.5, 1.0, 20.0, 1000.0]),
    epochs=st.integers(1, 4),
    average=st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    order=ORDERS,
    fit_intercept=st.booleans(),
    seed=st.integers(0, 2**31),
    cache_mb=st.sampled_from([0.0, 200.0]),
)
olla_settings = st.builds(
    OllaL2Settings,
    C=st.sampled_from([0.1, 1.0, 10.0]),
    epochs=st.integers(1, 4),
    order=ORDERS,
    beta=st.sampled_from([0.0, 1.0, 3.0]),
    budget=st.sampled_from([0, 0, 1, 4]),
    seed=st.integers(0, 2**31),
    cache_mb=st.sampled_from([0.0, 200.0]),
)

# (compiled solver, twin, settings) of each machine.
MACHINES = {
    "kernel_sgd": (cpu.solve, kernel_sgd_twin.solve, sgd_settings),
    "olla_l2": (cpu.solve, olla_l2_twin.solve, olla_settings),
}
machines = pytest.mark.parametrize("name", MACHINES)


def distinct(data, rows):
    labels = (data.y > 0).astype(np.int64)
    samples, weights = cpu.distinct_rows(rows, labels, data.weights)
    return Problem(samples, data.y[samples], weights)


def assert_same_machine(ours, theirs, rtol=1e-9):
    np.testing.assert_array_equal(ours.support, theirs.support)
    scale = np.abs(theirs.coef).max(initial=1.0)
    np.testing.assert_allclose(ours.coef, theirs.coef, rtol=rtol, atol=rtol * scale)
    np.testing.assert_allclose(ours.state, theirs.state, rtol=rtol, atol=rtol * scale)
    assert ours.intercept == pytest.approx(theirs.intercept, rel=rtol, abs=rtol * scale)
    assert ours.t == pytest.approx(theirs.t, rel=1e-12)
    assert (ours.status, ours.n_iter, ours.counters.n_updates) == (
        theirs.status,
        theirs.n_iter,
        theirs.counters.n_updates,
    )


# Random numbers -----------------------------------------------------------------------------


def test_the_sampler_gives_the_published_numbers():
    """The first outputs of SplitMix64 for the seed 1234567."""
    sampler = Sampler(1234567)

    assert [sampler.next() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_the_shuffle_is_a_permutation_and_the_draw_is_uniform():
    sampler = Sampler(3)
    values = list(range(100))
    sampler.shuffle(values)
    counts = np.bincount([sampler.below(6) for _ in range(6000)], minlength=6)

    assert sorted(values) == list(range(100)) != values
    assert counts.size == 6
    assert np.abs(counts - 1000).max() < 150


@pytest.mark.parametrize("order", ["shuffled", "given"])
def test_a_sample_is_visited_as_often_as_it_weighs(order):
    weights = np.array([1.0, 2.5, 0.25, 3.0])
    problem = Problem(np.arange(4), np.array([1.0, -1.0, 1.0, -1.0]), weights)

    seen = list(visits(problem, order, 2, seed=5))

    assert len(seen) == 2 * (1 + 3 + 1 + 3)
    totals = np.zeros(4)
    for i, share in seen:
        totals[i] += share
    np.testing.assert_allclose(totals, 2 * weights)


# Twins --------------------------------------------------------------------------------------


@machines
@settings(max_examples=150)
@given(data=problems(), choice=st.data(), sparse=st.booleans())
def test_a_solver_equals_its_twin(name, data, choice, sparse):
    solve, twin, strategy = MACHINES[name]
    chosen = choice.draw(strategy)
    rows = data.csr() if sparse else data.dense()
    problem = distinct(data, rows)
    X = data.X[problem.samples]

    (ours,) = solve(rows, data.kernel, [OnlineTask(problem)], chosen)

    assert_same_machine(ours, twin(gram(X, X, data.kernel), problem, chosen))


@machines
@settings(max_examples=40)
@given(data=problems(), choice=st.data())
def test_every_form_of_the_rows_gives_the_same_machine(name, data, choice):
    solve, _, strategy = MACHINES[name]
    chosen = choice.draw(strategy)
    problem = distinct(data, data.dense())
    K = gram(data.X, data.X, data.kernel)
    precomputed = replace(data.kernel, kind="precomputed")
    callback = CallbackRows(lambda j: K[:, j].copy(), np.diagonal(K).copy(), len(K))
    forms = [
        (data.dense(), data.kernel),
        (data.csr(np.int32), data.kernel),
        (data.csr(np.int64), data.kernel),
        (PairwiseRows(K), precomputed),
        (callback, precomputed),
    ]

    solved = [solve(rows, kernel, [OnlineTask(problem)], chosen)[0] for rows, kernel in forms]

    for other in solved[1:]:
        assert_same_machine(solved[0], other)


@settings(max_examples=100)
@given(data=problems(kernels=("linear",)), chosen=sgd_settings, sparse=st.booleans())
def test_the_primal_form_equals_the_kernel_form(data, chosen, sparse):
    rows = data.csr() if sparse else data.dense()
    problem = distinct(data, rows)

    (primal,) = cpu.solve_linear_sgd(rows, [OnlineTask(problem)], chosen)
    (kernel,) = cpu.solve(rows, data.kernel, [OnlineTask(problem)], chosen)

    expected = kernel.coef @ data.X[kernel.support]
    scale = max(1.0, np.abs(kernel.coef).sum() * np.abs(data.X).max())
    np.testing.assert_allclose(primal.weights, expected, rtol=1e-9, atol=1e-9 * scale)
    np.testing.assert_allclose(primal.state, kernel.state @ data.X[kernel.support], atol=1e-9)
    assert primal.intercept == pytest.approx(kernel.intercept, rel=1e-9, abs=1e-9 * scale)
    assert (primal.n_iter, primal.counters.n_updates) == (kernel.n_iter, kernel.counters.n_updates)


# Streams ------------------------------------------------------------------------------------


def chunked(solve, rows, kernel, problem, chosen, cuts):
    """Solve one part of the samples after the other, each from the machine before."""
    task = OnlineTask(problem)
    machine = None
    for begin, end in zip([0, *cuts], [*cuts, problem.samples.size], strict=True):
        part = Problem(
            problem.samples[begin:end], problem.targets[begin:end], problem.weights[begin:end]
        )
        if machine is not None:
            task = OnlineTask(
                part, machine.support, machine.state, machine.state_intercept, machine.t
            )
        else:
            task = OnlineTask(part)
        (machine,) = solve(rows, kernel, [task], chosen)
    return machine


@machines
@settings(max_examples=80)
@given(data=problems(), choice=st.data())
def test_chunks_one_after_another_are_one_pass_over_the_whole(name, data, choice):
    solve, _, strategy = MACHINES[name]
    changes = {"order": "given", "epochs": 1}
    if name == "kernel_sgd":
        changes["average"] = 0.0
    chosen = choice.draw(strategy).replaced(**changes)
    n = data.y.size
    problem = Problem(np.arange(n), data.y, data.weights)
    cuts = sorted(choice.draw(st.sets(st.integers(1, n - 1), max_size=3)))

    (whole,) = solve(data.dense(), data.kernel, [OnlineTask(problem)], chosen)
    parts = chunked(solve, data.dense(), data.kernel, problem, chosen, cuts)

    scale = np.abs(whole.coef).max(initial=1.0)
    np.testing.assert_array_equal(parts.support, whole.support)
    np.testing.assert_allclose(parts.coef, whole.coef, rtol=1e-9, atol=1e-9 * scale)
    assert parts.intercept == pytest.approx(whole.intercept, rel=1e-9, abs=1e-9 * scale)
    assert parts.t == pytest.approx(whole.t)


@settings(max_examples=60)
@given(
    data=problems(kernels=("rbf", "laplacian")),
    budget=st.integers(1, 6),
    order=ORDERS,
    cuts=st.sets(st.integers(1, 30), max_size=3),
)
def test_a_budget_is_never_exceeded(data, budget, order, cuts):
    chosen = OllaL2Settings(budget=budget, order=order, epochs=3)
    problem = Problem(np.arange(data.y.size), data.y, data.weights)
    cuts = sorted(c for c in cuts if c < data.y.size)

    machine = chunked(cpu.solve, data.dense(), data.kernel, problem, chosen, cuts)

    assert machine.support.size <= budget
    # A lower budget holds from the next samples on.
    later = OnlineTask(problem, machine.support, machine.state, machine.state_intercept, machine.t)
    (machine,) = cpu.solve(data.dense(), data.kernel, [later], chosen.replaced(budget=1))
    assert machine.support.size <= 1


# Threads ------------------------------------------------------------------------------------


@machines
@pytest.mark.parametrize("form", ["dense", "csr"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_do_not_change_a_large_machine(name, form, dtype):
    """Large enough to be split over threads inside one problem."""
    solve = MACHINES[name][0]
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(9000, 5)) * (rng.random((9000, 5)) < 0.6)).astype(dtype)
    y = np.where(X.sum(axis=1) + rng.normal(size=9000) > 0, 1.0, -1.0)
    data = Data(X, y, np.ones(9000), KernelSpec("rbf", 0.5))
    rows = data.dense() if form == "dense" else data.csr()
    task = OnlineTask(distinct(data, rows))
    chosen = {
        "kernel_sgd": KernelSgdSettings(C=9000.0, epochs=1),
        "olla_l2": OllaL2Settings(epochs=1, budget=300),
    }[name]

    solved = [
        solve(rows, data.kernel, [task, task], chosen, n_threads=threads)[0] for threads in (1, 3)
    ]

    np.testing.assert_array_equal(solved[0].support, solved[1].support)
    np.testing.assert_array_equal(solved[0].coef, solved[1].coef)
    assert solved[0].intercept == solved[1].intercept
