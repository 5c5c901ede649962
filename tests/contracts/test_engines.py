"""What every engine owes; one that is registered is tested here without a change.

That of PyTorch is tested where it is installed: on its CPU device, and on a GPU if there is one.
"""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
import scipy.sparse as sp

from svmosaic.engine import cpu
from svmosaic.engine.expansion import KernelExpansion, kernel_matrix
from svmosaic.engine.kernels import KERNELS, SAMPLE_KERNELS, KernelSpec
from svmosaic.engine.problem import Coefficients, DenseRows, PairwiseRows, Problem
from svmosaic.engine.protocol import engine_for, engine_names, register
from svmosaic.engine.rows import rows_of_samples
from svmosaic.engine.settings import OllawvSettings, RefineSettings, SmoSettings
from svmosaic.engine.tasks import TuneSettings
from twins import smo as smo_twin
from twins import tune as tune_twin
from twins.kernels import gram

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 5))
Z = RNG.normal(size=(700, 5))
TARGETS = np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)


def spec(kind):
    return KernelSpec(kind, gamma=0.3, degree=2, coef0=0.5)


no_pytorch = pytest.mark.skipif(find_spec("torch") is None, reason="needs PyTorch")
TORCH = [
    pytest.param("torch:cpu", marks=no_pytorch),
    pytest.param("cuda", marks=[no_pytorch, pytest.mark.gpu]),
]


@pytest.fixture(params=[*engine_names(), *TORCH])
def engine(request):
    return engine_for(DenseRows(X), device=request.param)


def test_the_compiled_core_takes_numpy_arrays():
    assert engine_for(DenseRows(X)) is engine_for(DenseRows(X), device="cpu")


def test_an_engine_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="no engine for device='abacus'; expected one of 'cpu'"):
        engine_for(DenseRows(X), device="abacus")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.ascontiguousarray, sp.csr_array])
@pytest.mark.parametrize("kind", SAMPLE_KERNELS)
def test_kernel_values_are_those_of_the_formula(engine, kind, form, dtype):
    rows = rows_of_samples(form(Z.astype(dtype)))
    vectors = rows_of_samples(form(X.astype(dtype)))

    found = engine.kernel_matrix(rows, vectors, spec(kind))

    expected = gram(Z.astype(dtype).astype(float), X.astype(dtype).astype(float), spec(kind))
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5 if dtype == np.float32 else 1e-13)


@pytest.mark.parametrize("n_threads", [1, 2, 3])
@pytest.mark.parametrize("kind", SAMPLE_KERNELS)
def test_decisions_are_sums_of_kernel_values(engine, kind, n_threads):
    dense = RNG.normal(size=(40, 3)) * (RNG.random((40, 3)) < 0.5)
    intercepts = np.array([0.1, 0.0, -2.0])
    rows, vectors = rows_of_samples(Z), rows_of_samples(X)

    found = engine.decide(
        rows,
        vectors,
        np.arange(40),
        spec(kind),
        Coefficients.of_matrix(dense),
        intercepts,
        n_threads=n_threads,
    )

    values = engine.kernel_matrix(rows, vectors, spec(kind), n_threads=n_threads)
    np.testing.assert_allclose(found, values @ dense + intercepts, rtol=1e-12, atol=1e-12)


def read(engine, values):
    """Return a dense table where the engine computes."""
    return engine.read_table(values) if hasattr(engine, "read_table") else DenseRows(values)


def patterns(table, labels, samples, weights):
    """Return rows, labels and weights of samples as a list in the order of the patterns."""
    return [
        (*row, label, weight)
        for row, label, weight in zip(
            table[samples].tolist(), labels[samples].tolist(), weights.tolist(), strict=True
        )
    ]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_copies_of_a_pattern_are_one_sample_with_their_weight(engine, dtype):
    table = RNG.integers(-1, 2, size=(500, 3)).astype(dtype)
    # Zeros of both signs are equal.
    table[::2] *= -1
    labels = RNG.integers(0, 3, 500)
    weights = RNG.choice([0.0, 0.1, 1.0, 1 / 3, 7.0], 500)

    samples, sums = engine.distinct_rows(read(engine, table), labels, weights)

    expected = {}
    for row, label, weight in zip(table.tolist(), labels.tolist(), weights, strict=True):
        if weight > 0:
            pattern = (*(value + 0.0 for value in row), label)
            expected[pattern] = expected.get(pattern, 0.0) + weight
    found = {
        (*(value + 0.0 for value in row), label): weight
        for *row, label, weight in patterns(table, labels, samples, sums)
    }
    assert found.keys() == expected.keys()
    assert samples.size == len(found)
    np.testing.assert_allclose([found[p] for p in expected], list(expected.values()), rtol=1e-14)
    # Of the copies, the first one that takes part is named.
    first = {}
    for number, (row, label) in enumerate(zip(table.tolist(), labels.tolist(), strict=True)):
        if weights[number] > 0:
            first.setdefault((*(value + 0.0 for value in row), label), number)
    assert sorted(samples.tolist()) == sorted(first.values())


def test_patterns_come_in_an_order_that_is_not_that_of_the_rows(engine):
    table = RNG.integers(0, 3, size=(300, 4)).astype(float)
    labels = RNG.integers(0, 2, 300)
    weights = RNG.random(300)
    order = RNG.permutation(300)

    samples, sums = engine.distinct_rows(read(engine, table), labels, weights)
    moved, moved_sums = engine.distinct_rows(
        read(engine, np.ascontiguousarray(table[order])), labels[order], weights[order]
    )

    expected = patterns(table, labels, samples, sums)
    assert patterns(table[order], labels[order], moved, moved_sums) == expected


def test_pairwise_values_have_no_rows_to_compare(engine):
    weights = np.array([1.0, 0.0, 2.0])

    samples, sums = engine.distinct_rows(
        PairwiseRows(np.ones((3, 3))), np.zeros(3, dtype=np.int64), weights
    )

    np.testing.assert_array_equal(samples, [0, 2])
    np.testing.assert_array_equal(sums, [1.0, 2.0])


@pytest.mark.parametrize("kind", ["rbf", "linear"])
def test_an_exact_solution_is_that_of_the_oracle(engine, kind):
    problem = Problem(np.arange(40), TARGETS, np.ones(40))
    kernel = spec(kind)

    (solution,) = engine.solve(DenseRows(X), kernel, [problem], SmoSettings(C=2.0, tol=1e-8))

    K = gram(X, X, kernel)
    beta = np.zeros(40)
    beta[solution.support] = solution.coef
    expected = smo_twin.solve(K, TARGETS, np.full(40, 2.0), tol=1e-8)
    other = np.zeros(40)
    other[expected.support] = expected.coef
    objective = [b @ K @ b / 2 - np.abs(b).sum() for b in (beta, other)]
    np.testing.assert_allclose(objective[0], objective[1], rtol=1e-6)
    assert abs(beta.sum()) < 1e-9


@pytest.mark.parametrize("refine", ["none", "full"])
def test_a_search_scores_as_separate_fits_do(engine, refine):
    labels, weights = (TARGETS > 0).astype(np.int64), np.ones(40)
    splits = [(np.arange(0, 40, 2), np.arange(1, 40, 2)), (np.arange(25), np.arange(25, 40))]
    settings = TuneSettings(
        gammas=np.array([0.3, 2.0]),
        margins=np.array([0.2]),
        Cs=np.array([1.0, 0.1]) if refine == "full" else np.ones(1),
        solver=OllawvSettings(refine=RefineSettings(refinement=refine, tol=1e-6)),
    )

    confusion, n_support = engine.tune_ollawv(
        read(engine, X), spec("rbf"), labels, weights, splits, settings
    )

    expected = tune_twin.tune(
        X,
        spec("rbf"),
        labels,
        weights,
        splits,
        settings,
        lambda problem: cpu.central_sample(DenseRows(X), problem),
    )
    np.testing.assert_array_equal(confusion, expected[0])
    np.testing.assert_array_equal(n_support, expected[1])


def test_an_optimal_solution_has_no_violators_and_a_poor_one_has(engine):
    problem = Problem(np.arange(40), TARGETS, np.ones(40))
    kernel = spec("rbf")
    (solution,) = engine.solve(DenseRows(X), kernel, [problem], SmoSettings(C=2.0, tol=1e-9))
    expansion = KernelExpansion(
        kernel,
        X[solution.support],
        Coefficients.of_one_output(solution.coef),
        np.array([solution.intercept]),
    )
    decisions = expansion.decide(X)[:, 0]

    _, left = engine.worst_violators(problem, solution, decisions, 2.0, 40)
    worst, violations = engine.worst_violators(problem, solution, -decisions, 2.0, 3)

    assert np.all(left < 1e-6)
    slack = 1.0 + TARGETS * decisions
    assert worst.size == 3
    assert np.all(np.diff(violations) <= 0)
    np.testing.assert_allclose(np.abs(slack[worst]), violations)


def test_a_registered_engine_takes_its_own_rows():
    class Elsewhere:
        def takes(self, rows):
            return rows.values.shape[1] == 99

    try:
        register("elsewhere", Elsewhere())
        assert isinstance(engine_for(DenseRows(np.zeros((1, 99)))), Elsewhere)
        assert not isinstance(engine_for(DenseRows(X)), Elsewhere)
    finally:
        from svmosaic.engine import protocol

        del protocol._ENGINES["elsewhere"]


# The expansion ------------------------------------------------------------------------------


def expansion(kernel, vectors=X, columns=None):
    coefficients = Coefficients.of_matrix(RNG.normal(size=(40, 2)))
    return KernelExpansion(kernel, vectors, coefficients, np.array([0.5, -0.5]), columns)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csr_matrix])
def test_an_expansion_takes_samples_in_any_form(form):
    model = expansion(spec("rbf"))

    np.testing.assert_array_equal(model.decide(form(Z)), model.decide(Z))


def test_a_kernel_function_gives_the_same_as_the_kernel():
    named = expansion(spec("rbf"))
    function = KernelExpansion(
        KernelSpec("precomputed", function=lambda a, b: gram(a, b, spec("rbf"))),
        X,
        named.coefficients,
        named.intercepts,
    )

    np.testing.assert_allclose(function.decide(Z), named.decide(Z), rtol=0, atol=1e-12)
    np.testing.assert_allclose(function.kernel_matrix(Z), named.kernel_matrix(Z), atol=1e-12)


def test_a_kernel_function_of_another_shape_is_refused():
    with pytest.raises(ValueError, match=r"must return an array of shape \(512, 40\)"):
        kernel_matrix(KernelSpec("precomputed", function=lambda a, b: a), Z, X)


def test_columns_of_a_precomputed_kernel():
    values = gram(Z, X, spec("rbf"))
    chosen = np.array([3, 1, 30])
    coefficients = Coefficients.of_matrix(np.array([[1.0], [2.0], [-1.0]]))
    model = KernelExpansion(
        KernelSpec("precomputed"), np.empty((0, 0)), coefficients, np.zeros(1), chosen
    )

    expected = values[:, 3] + 2.0 * values[:, 1] - values[:, 30]
    np.testing.assert_allclose(model.decide(values)[:, 0], expected, rtol=1e-12)
    np.testing.assert_array_equal(model.kernel_matrix(values), values[:, chosen])


def test_an_expansion_without_vectors_is_its_intercepts():
    model = KernelExpansion(
        spec("rbf"), X[:0], Coefficients.of_matrix(np.zeros((0, 2))), np.array([1.0, 2.0])
    )

    np.testing.assert_array_equal(model.decide(Z[:3]), [[1.0, 2.0]] * 3)


@pytest.mark.parametrize("kind", [name for name in KERNELS if KERNELS[name].is_distance])
def test_kernels_of_distances_have_ones_on_the_diagonal(kind):
    np.testing.assert_array_equal(np.diag(kernel_matrix(spec(kind), X, X)), np.ones(40))


@pytest.mark.parametrize("kind", SAMPLE_KERNELS)
def test_the_table_says_which_kernels_are_positive_definite(kind):
    values = [
        np.linalg.eigvalsh(kernel_matrix(KernelSpec(kind, 1.0, 3, coef0), X, X)).min()
        for coef0 in (0.0, 1.0)
    ]

    assert (min(values) > -1e-6) == KERNELS[kind].is_positive_definite
