"""The road to the compiled core. No other module of ours imports its solvers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from scipy.sparse import csr_array

from svmosaic import _core
from svmosaic.engine.number_range import (
    require_gamma,
    require_grid,
    require_kernel,
    require_squares,
)
from svmosaic.engine.problem import (
    CsrRows,
    DenseRows,
    DoubleArray,
    FloatArray,
    IndexArray,
    KernelSpec,
    Problem,
    Rows,
    Solution,
)
from svmosaic.engine.settings import (
    DualDescentSettings,
    KernelSgdSettings,
    MinimalNormSettings,
    NnisdaSettings,
    OllaL2Settings,
    OllawvSettings,
    OnlineSvmSettings,
    RegressionTuneSettings,
    SimpleSmoSettings,
    SmoSettings,
    TuneSettings,
    UniformSettings,
)
from svmosaic.engine.tasks import (
    OnlineSolution,
    OnlineSvmSolution,
    OnlineSvmTask,
    OnlineTask,
    RefineTask,
    RegressionLink,
    TunedRegression,
)

__all__ = [
    "Coefficients",
    "Progress",
    "boundary_pairs",
    "central_sample",
    "decide",
    "distinct_rows",
    "gram_of_rows",
    "midpoints",
    "pair_distances",
    "refine",
    "solve_dual_descent",
    "solve_kernel_sgd",
    "solve_linear_sgd",
    "solve_minimal_norm",
    "solve_nnisda",
    "solve_olla_l2",
    "solve_ollawv",
    "solve_online_svm",
    "solve_simple_smo",
    "solve_smo",
    "solve_uniform",
    "sum_rows",
    "tune_ollawv",
    "tune_regression",
]

# Called about twenty times a second with (machines done, machines in all, steps so far).
Progress = Callable[[int, int, int], None]

TaskT = TypeVar("TaskT")
SettingsT = TypeVar("SettingsT")
SolutionT = TypeVar("SolutionT")


# Samples ------------------------------------------------------------------------------------


def distinct_rows(
    rows: Rows, labels: IndexArray, weights: DoubleArray
) -> tuple[IndexArray, DoubleArray]:
    """Return the first copies of the distinct patterns in canonical order, and their weights."""
    return _core.distinct_rows(rows, labels, weights)


def central_sample(rows: Rows, problem: Problem) -> int:
    """Return the position of the sample nearest to its class mean, larger class first."""
    return _core.central_sample(rows, problem)


def boundary_pairs(
    rows: DenseRows,
    first: IndexArray,
    second: IndexArray,
    *,
    n_threads: int = 1,
    max_time: float = 0.0,
    progress: Progress | None = None,
) -> tuple[IndexArray, IndexArray]:
    """Return the pairs of rows, one of each list, with no listed row inside the ball between.

    When `max_time` seconds are over, those found so far.
    """
    return _core.boundary_pairs(rows, first, second, n_threads, max_time, progress)


def midpoints(
    rows: DenseRows, first: IndexArray, second: IndexArray, *, n_threads: int = 1
) -> tuple[FloatArray, DoubleArray]:
    """Return the midpoints of pairs of rows and half their distances."""
    flat, radii = _core.midpoints(rows, first, second, n_threads)
    return flat.reshape(-1, rows.values.shape[1]), radii


def pair_distances(
    rows: DenseRows | CsrRows,
    vectors: DenseRows | CsrRows,
    *,
    absolute: bool = False,
    n_threads: int = 1,
) -> DoubleArray:
    """Return the distances of all rows to all vectors; the tables have one type.

    They are squared, or with `absolute` sums of absolute differences.
    """
    if not absolute:
        require_squares(vectors)
    flat = _core.pair_distances(rows, vectors, absolute, n_threads)
    return flat.reshape(_n_rows(rows), _n_rows(vectors))


def _n_rows(rows: DenseRows | CsrRows) -> int:
    return int(rows.values.shape[0] if isinstance(rows, DenseRows) else rows.offsets.size - 1)


# Solvers ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Solver(Generic[TaskT, SettingsT, SolutionT]):
    """A solver of the core, which works off tasks on one table with one kernel.

    Attributes
    ----------
    run : callable
        The compiled function.
    solution : type
        What a task gives.
    """

    run: Callable[..., list[dict[str, Any]]]
    solution: type[SolutionT]

    def __call__(
        self,
        rows: Rows,
        kernel: KernelSpec,
        tasks: Sequence[TaskT],
        settings: SettingsT,
        *,
        n_threads: int = 1,
        max_time: float = 0.0,
        progress: Progress | None = None,
    ) -> list[SolutionT]:
        """Solve each task; `max_time` <= 0 means no limit."""
        require_kernel(rows, kernel)
        records = self.run(rows, kernel, list(tasks), settings, n_threads, max_time, progress)
        return [self.solution(**record) for record in records]


# Machines trained on all samples of a problem.
solve_ollawv = _Solver[Problem, OllawvSettings, Solution](_core.solve_ollawv, Solution)
solve_minimal_norm = _Solver[Problem, MinimalNormSettings, Solution](
    _core.solve_minimal_norm, Solution
)
solve_nnisda = _Solver[Problem, NnisdaSettings, Solution](_core.solve_nnisda, Solution)
solve_dual_descent = _Solver[Problem, DualDescentSettings, Solution](
    _core.solve_dual_descent, Solution
)
solve_uniform = _Solver[Problem, UniformSettings, Solution](_core.solve_uniform, Solution)
solve_simple_smo = _Solver[Problem, SimpleSmoSettings, Solution](_core.solve_simple_smo, Solution)

# Machines that go on from the one that a task brings.
solve_kernel_sgd = _Solver[OnlineTask, KernelSgdSettings, OnlineSolution](
    _core.solve_kernel_sgd, OnlineSolution
)
solve_olla_l2 = _Solver[OnlineTask, OllaL2Settings, OnlineSolution](
    _core.solve_olla_l2, OnlineSolution
)


def solve_smo(
    rows: Rows,
    kernel: KernelSpec,
    problems: Sequence[Problem],
    settings: SmoSettings,
    *,
    starts: Sequence[DoubleArray | None] | None = None,
    n_threads: int = 1,
    max_time: float = 0.0,
    progress: Progress | None = None,
) -> list[Solution]:
    """Solve the L1-SVM or epsilon-SVR on all samples of each problem.

    `starts` holds signed coefficients to begin with, one array per problem, one value per sample.
    """
    require_kernel(rows, kernel)
    begin = [None] * len(problems) if starts is None else list(starts)
    records = _core.solve_smo(
        rows, kernel, list(problems), begin, settings, n_threads, max_time, progress
    )
    return [Solution(**record) for record in records]


def refine(
    rows: Rows,
    kernel: KernelSpec,
    tasks: Sequence[RefineTask],
    *,
    cache_mb: float = 200.0,
    n_threads: int = 1,
    max_time: float = 0.0,
    progress: Progress | None = None,
) -> list[Solution]:
    """Solve the L1 dual on selected samples, or from them on all, for each task."""
    records = _core.refine(rows, kernel, list(tasks), cache_mb, n_threads, max_time, progress)
    return [Solution(**record) for record in records]


def solve_linear_sgd(
    rows: Rows,
    tasks: Sequence[OnlineTask],
    settings: KernelSgdSettings,
    *,
    n_threads: int = 1,
    max_time: float = 0.0,
    progress: Progress | None = None,
) -> list[OnlineSolution]:
    """Run NL-SGD with the linear kernel in the primal; `rows` are dense or sparse samples."""
    records = _core.solve_linear_sgd(rows, list(tasks), settings, n_threads, max_time, progress)
    return [OnlineSolution(**record) for record in records]


def solve_online_svm(
    rows: DenseRows,
    boundary: DenseRows,
    gamma: float,
    tasks: Sequence[OnlineSvmTask],
    settings: OnlineSvmSettings,
    *,
    n_threads: int = 1,
    max_time: float = 0.0,
    progress: Progress | None = None,
) -> list[OnlineSvmSolution]:
    """Run the on-line SVM with the rbf kernel, each task from the machine it brings."""
    require_kernel(rows, KernelSpec("rbf", gamma))
    records = _core.solve_online_svm(
        rows, boundary, gamma, list(tasks), settings, n_threads, max_time, progress
    )
    return [OnlineSvmSolution(**record) for record in records]


# Searches -----------------------------------------------------------------------------------


def tune_ollawv(
    rows: Rows,
    kernel: KernelSpec,
    labels: IndexArray,
    weights: DoubleArray,
    splits: Sequence[tuple[IndexArray, IndexArray]],
    settings: TuneSettings,
    *,
    n_threads: int = 1,
    max_time: float = 0.0,
    progress: Progress | None = None,
) -> tuple[DoubleArray, DoubleArray]:
    """Try every candidate of a grid on every split.

    `labels` are class numbers from 0 and, like `weights`, belong to the rows of the table. Returns
    the weights of test rows by (gamma, margin, C, split, true class, predicted class) and the
    numbers of support vectors by (gamma, margin, C, split). Cells that `max_time` cut off are nan.
    """
    require_grid(rows, kernel, settings.gammas)
    confusion, n_support = _core.tune_ollawv(
        rows, kernel, labels, weights, list(splits), settings, n_threads, max_time, progress
    )
    cells = (settings.gammas.size, settings.margins.size, settings.Cs.size, len(splits))
    n_classes = int(labels.max()) + 1
    return confusion.reshape(*cells, n_classes, n_classes), n_support.reshape(cells)


def tune_regression(
    distances: DoubleArray,
    targets: DoubleArray,
    columns: DoubleArray,
    links: Sequence[RegressionLink],
    weights: DoubleArray,
    folds: tuple[DoubleArray, DoubleArray],
    settings: RegressionTuneSettings,
    *,
    starts: DoubleArray | None = None,
    keep: bool = False,
    n_threads: int = 1,
    progress: Progress | None = None,
) -> tuple[list[TunedRegression], DoubleArray]:
    """Choose gamma, C and epsilon of each link by cross-validation and fit it to all samples.

    `targets` and `columns` have one row per target and per column, `folds` are the weights of the
    samples for training and for testing, one row per fold; without folds there must be one
    candidate. With `keep`, the second result holds the coefficients by (link, candidate, fold,
    sample), which are the `starts` of a later call.
    """
    records, kept = _core.tune_regression(
        distances,
        targets,
        columns,
        list(links),
        weights,
        *folds,
        np.empty(0) if starts is None else starts,
        settings,
        keep,
        n_threads,
        progress,
    )
    return [TunedRegression(**record) for record in records], kept


# Decisions ----------------------------------------------------------------------------------


class Coefficients(NamedTuple):
    """What `decide` reads of a CSR table, for calls that are shorter than making one."""

    indptr: IndexArray
    indices: IndexArray
    data: DoubleArray


def decide(
    rows: Rows,
    vectors: Rows,
    support: IndexArray,
    kernel: KernelSpec,
    coefficients: csr_array | Coefficients,
    intercepts: DoubleArray,
    *,
    n_threads: int = 1,
) -> DoubleArray:
    """Return decision values of shape (n_rows, n_outputs).

    `coefficients` has one row per support vector and one column per output.
    """
    require_gamma(vectors, kernel, kernel.gamma)
    flat = _core.decide(
        rows,
        vectors,
        support,
        kernel,
        coefficients.indptr.astype(np.int64, copy=False),
        coefficients.indices.astype(np.int64, copy=False),
        coefficients.data.astype(np.float64, copy=False),
        intercepts,
        n_threads,
    )
    return flat.reshape(-1, intercepts.size)


def sum_rows(
    table: DoubleArray, n_columns: int, places: IndexArray, weights: DoubleArray
) -> DoubleArray:
    """Return the sum of weights[j] times row places[j] of a table, for its first columns.

    The table's width is a multiple of 8; what stands beyond the columns does not matter.
    """
    return _core.sum_rows(table, n_columns, places, weights)


def gram_of_rows(
    table: DoubleArray, n_columns: int, places: IndexArray, instances: IndexArray
) -> DoubleArray:
    """Return kernel values between instances whose rows are at places of a table, symmetric.

    Where rounding tells k(x, z) from k(z, x), it is the mean of both.
    """
    flat = _core.gram_of_rows(table, n_columns, places, instances)
    return flat.reshape(instances.size, instances.size)
