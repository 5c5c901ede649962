"""Whatever Python says, the compiled core refuses to read beyond an array."""

from __future__ import annotations

import numpy as np
import pytest

from svmosaic.engine import cpu
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import Coefficients, CsrRows, DenseRows, PairwiseRows, Problem
from svmosaic.engine.settings import KernelSgdSettings, OllawvSettings, SmoSettings
from svmosaic.engine.tasks import OnlineTask

RBF = KernelSpec("rbf", 1.0)
X = np.random.default_rng(0).normal(size=(5, 4))
ROWS = DenseRows(X)
REFUSED = (ValueError, IndexError)


def decide(rows, vectors, support=(0, 1), coefficients=None, kernel=RBF):
    table = Coefficients.of_one_output(np.ones(2)) if coefficients is None else coefficients
    return cpu.decide(rows, vectors, np.array(support), kernel, table, np.zeros(1))


def csr(offsets=(0, 1, 2), columns=(0, 1), values=(1.0, 2.0), n_columns=4):
    return CsrRows(np.array(values), np.array(columns), np.array(offsets), n_columns)


@pytest.mark.parametrize("width", [1, 3, 40, 100_000])
def test_decide_compares_widths(width):
    with pytest.raises(ValueError, match=f"rows have {width} features, vectors have 4"):
        decide(DenseRows(np.zeros((3, width))), ROWS)


def test_decide_compares_forms():
    with pytest.raises(ValueError, match="same form"):
        decide(csr(), ROWS)


@pytest.mark.parametrize("support", [(0, 5), (-1, 0), (0, 2**40)])
def test_decide_refuses_vectors_that_are_not_there(support):
    with pytest.raises(IndexError, match="support vectors must be in 0 to 4"):
        decide(ROWS, ROWS, support)


def test_decide_refuses_columns_that_a_kernel_matrix_lacks():
    matrix = PairwiseRows(np.zeros((9, 3)), symmetric=False)
    with pytest.raises(IndexError, match="support vectors"):
        decide(matrix, matrix, (0, 3), kernel=KernelSpec("precomputed"))


@pytest.mark.parametrize(
    "coefficients",
    [
        Coefficients(np.array([0, 1]), np.array([0]), np.ones(1)),
        Coefficients(np.array([0, 1, 9]), np.array([0, 0]), np.ones(2)),
        Coefficients(np.array([0, 2, 1]), np.array([0, 0]), np.ones(2)),
        Coefficients(np.array([0, 1, 2]), np.array([0, 1]), np.ones(2)),
        Coefficients(np.array([0, 1, 2]), np.array([0, -1]), np.ones(2)),
        Coefficients(np.array([0, 1, 2]), np.array([0]), np.ones(2)),
    ],
    ids=["rows", "end", "order", "output", "negative", "sizes"],
)
def test_decide_refuses_broken_coefficients(coefficients):
    with pytest.raises(REFUSED):
        decide(ROWS, ROWS, coefficients=coefficients)


@pytest.mark.parametrize(
    "broken",
    [
        csr(offsets=(0, 3, 2)),
        csr(offsets=(1, 1, 2)),
        csr(offsets=(0, 1, 9)),
        csr(columns=(0, 4)),
        csr(columns=(-1, 0)),
        csr(columns=(0,)),
        csr(n_columns=1),
    ],
    ids=["order", "begin", "end", "column", "negative", "sizes", "width"],
)
def test_broken_compressed_rows_are_refused(broken):
    with pytest.raises(REFUSED):
        decide(broken, broken)
    with pytest.raises(REFUSED):
        cpu.distinct_rows(broken, np.zeros(2, dtype=np.int64), np.ones(2))


def problem(samples=(0, 1, 2, 3), n_targets=4, first=-1, initial=None):
    targets = np.where(np.arange(n_targets) % 2, 1.0, -1.0)
    return Problem(np.array(samples), targets, np.ones(len(samples)), first, initial)


@pytest.mark.parametrize(
    "broken",
    [problem((0, 1, 2, 5)), problem((-1, 1, 2, 3)), problem(n_targets=3), problem(first=4)],
    ids=["beyond", "negative", "sizes", "start"],
)
def test_solvers_refuse_broken_problems(broken):
    with pytest.raises(REFUSED):
        cpu.solve(ROWS, RBF, [broken], OllawvSettings())
    with pytest.raises(REFUSED):
        cpu.solve(ROWS, RBF, [broken], SmoSettings())


def test_solvers_refuse_starts_of_another_length():
    with pytest.raises(REFUSED):
        cpu.solve(ROWS, RBF, [problem(initial=np.zeros(3))], SmoSettings())


@pytest.mark.parametrize(
    ("support", "coef"), [((0, 5), (1.0, 1.0)), ((0,), (1.0, 1.0)), ((-1,), (1.0,))]
)
def test_online_solvers_refuse_a_broken_state(support, coef):
    task = OnlineTask(problem(), np.array(support), np.array(coef))
    with pytest.raises(REFUSED):
        cpu.solve(ROWS, RBF, [task], KernelSgdSettings())
    with pytest.raises(REFUSED):
        cpu.solve_linear_sgd(ROWS, [task], KernelSgdSettings())


def test_pairs_of_rows_must_exist():
    with pytest.raises(REFUSED):
        cpu.boundary_pairs(ROWS, np.array([0, 5]), np.array([1]))
    with pytest.raises(REFUSED):
        cpu.midpoints(ROWS, np.array([0]), np.array([-1]))
    with pytest.raises(REFUSED):
        cpu.midpoints(ROWS, np.array([0, 1]), np.array([2]))
    with pytest.raises(REFUSED):
        cpu.pair_distances(ROWS, DenseRows(X[:, :3].copy()))


def test_a_symmetric_matrix_must_be_square():
    with pytest.raises(REFUSED):
        cpu.solve(PairwiseRows(X), KernelSpec("precomputed"), [problem()], SmoSettings())
