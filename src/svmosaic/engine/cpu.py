"""The engine that is the compiled core. No other module imports its solvers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

import svmosaic._core as _core
from svmosaic.engine.counters import PhaseSeconds, SolveCounters
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.number_range import (
    require_gamma,
    require_grid,
    require_kernel,
    require_squares,
)
from svmosaic.engine.problem import (
    CallbackRows,
    Coefficients,
    CsrRows,
    DenseRows,
    DoubleArray,
    FloatArray,
    IndexArray,
    Problem,
    Rows,
    Solution,
)
from svmosaic.engine.settings import (
    KernelSgdSettings,
    OllaL2Settings,
    OnlineSvmSettings,
    SmoSettings,
)
from svmosaic.engine.tasks import (
    OnlineSolution,
    OnlineSvmSolution,
    OnlineSvmTask,
    OnlineTask,
    RegressionLink,
    RegressionTuneSettings,
    TunedRegression,
    TuneSettings,
)

__all__ = [
    "Progress",
    "boundary_pairs",
    "central_sample",
    "decide",
    "decide_linear",
    "distinct_rows",
    "feature_moments",
    "gram_of_rows",
    "kernel_matrix",
    "midpoints",
    "narrow_kernel_matrix",
    "pair_distances",
    "rbf_between_bags",
    "scale_features",
    "score_left_out",
    "solve",
    "solve_linear_sgd",
    "solve_online_svm",
    "solve_primal",
    "solve_ridge",
    "sum_rows",
    "takes",
    "tune_ollawv",
    "tune_regression",
    "worst_violators",
]

# Solvers that continue from a model and say how to continue from theirs.
ONLINE_SETTINGS = (KernelSgdSettings, OllaL2Settings)

AnySolution = TypeVar("AnySolution", bound=Solution)

_NOTHING, _NO_NORM = np.empty(0), np.empty((0, 0))

# Called about twenty times a second with (problems done, problems in all, steps so far).
Progress = Callable[[int, int, int], None]


# Samples ------------------------------------------------------------------------------------


def distinct_rows(
    rows: Rows, labels: IndexArray, weights: DoubleArray, *, n_threads: int = 1
) -> tuple[IndexArray, DoubleArray]:
    """Return the first copies of the distinct patterns in canonical order, and their weights."""
    return _core.distinct_rows(rows, labels, weights, n_threads)


def central_sample(rows: Rows, problem: Problem) -> int:
    """Return the position of the sample nearest to its class mean, larger class first."""
    return _core.central_sample(rows, problem)


def feature_moments(rows: DenseRows) -> tuple[DoubleArray, DoubleArray]:
    """Return means and standard deviations of the columns; inf or nan where squares overflow."""
    return _core.feature_moments(rows)


def scale_features(
    rows: DenseRows, offset: DoubleArray, scale: DoubleArray
) -> npt.NDArray[np.float32]:
    """Return ``(x - offset) / scale`` for each column, at most 1e6 in size, as float32."""
    return _core.scale_features(rows, offset, scale).reshape(rows.values.shape)


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


def _n_rows(rows: Rows) -> int:
    if isinstance(rows, CallbackRows):
        return rows.n_rows
    return int(rows.offsets.size - 1 if isinstance(rows, CsrRows) else rows.values.shape[0])


# Solvers ------------------------------------------------------------------------------------


def _read(
    kind: type[AnySolution], record: dict[str, Any], cache_mb: float = float("nan")
) -> AnySolution:
    """Return a solution from the dictionary that the core made of it."""
    counters = SolveCounters(**record.pop("counters"))
    seconds = PhaseSeconds(**record.pop("seconds"))
    return kind(**record, counters=counters, seconds=seconds, cache_mb=cache_mb)


def takes(rows: Rows) -> bool:
    """Return whether the arrays of a table are NumPy's, which the compiled core reads."""
    return isinstance(rows, CallbackRows) or isinstance(rows.values, np.ndarray)


def solve(
    rows: Rows,
    kernel: KernelSpec,
    problems: Sequence[Any],
    settings: Any,
    *,
    n_threads: int = 1,
    max_time: float = 0.0,
    progress: Progress | None = None,
) -> list[Any]:
    """Solve problems on one table; the type of the settings names the solver.

    `problems` are problems or, for the solvers that continue from a model, tasks. A `max_time` of 0
    means no limit.
    """
    require_kernel(rows, kernel)
    records = _core.solve(rows, kernel, list(problems), settings, n_threads, max_time, progress)
    solution = OnlineSolution if isinstance(settings, ONLINE_SETTINGS) else Solution
    cache_mb = float(getattr(settings, "cache_mb", "nan"))
    return [_read(solution, record, cache_mb) for record in records]


def worst_violators(
    problem: Problem, solution: Solution, decisions: DoubleArray, C: float, count: int
) -> tuple[IndexArray, DoubleArray]:
    """Return the samples that violate the optimality conditions of the L1-SVM most.

    `decisions` are f(x) at the samples of the problem. Returns positions in these samples, the
    worst first and of equal ones the earlier, and by how much y f(x) is on the wrong side of 1.
    """
    alpha = np.zeros(problem.samples.size)
    place = {row: i for i, row in enumerate(problem.samples.tolist())}
    alpha[[place[row] for row in solution.support.tolist()]] = np.abs(solution.coef)
    slack = 1.0 - problem.targets * decisions
    # A coefficient can grow below its bound and shrink above zero.
    grows = np.where(alpha < C * problem.weights, slack, 0.0)
    shrinks = np.where(alpha > 0.0, -slack, 0.0)
    violations = np.maximum(np.maximum(grows, shrinks), 0.0)
    worst = np.argsort(-violations, kind="stable")[:count]
    worst = worst[violations[worst] > 0.0]
    return worst, violations[worst]


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
    return [_read(OnlineSolution, record) for record in records]


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
    """Run the on-line SVM with the rbf kernel, each task from the model it brings."""
    require_kernel(rows, KernelSpec("rbf", gamma))
    records = _core.solve_online_svm(
        rows, boundary, gamma, list(tasks), settings, n_threads, max_time, progress
    )
    return [_read(OnlineSvmSolution, record) for record in records]


def solve_primal(
    rows: DenseRows,
    targets: DoubleArray,
    C: float,
    *,
    gain: float,
    max_steps: int,
    norm: DoubleArray | None = None,
    weights: DoubleArray | None = None,
    decisions: DoubleArray | None = None,
    n_threads: int = 1,
) -> DoubleArray:
    """Return the weights of the L2-SVM of some rows, the intercept last, by Newton's method.

    Targets are +1, -1, or 0 for rows that do not take part. `norm` is a matrix P for which w'Pw is
    the squared norm of weights, else they have their own. `weights` or, on all rows, `decisions`
    of a model that is not far save steps. The method stops after `max_steps`, or when a step lowers
    the objective by less than the share `gain` of it. Rows that are not finite give zeros.
    """
    return _core.solve_primal(
        rows,
        targets,
        _NO_NORM if norm is None else norm,
        C,
        _NOTHING if weights is None else weights,
        _NOTHING if decisions is None else decisions,
        gain,
        max_steps,
        n_threads,
    )


def solve_ridge(
    rows: DenseRows, targets: DoubleArray, penalty: DoubleArray, *, n_threads: int = 1
) -> DoubleArray:
    """Return the weights of a ridge regression of each target, by targets, the intercept last.

    For the weights v of a target, the intercept included, v'Pv is added to its sum of squared
    errors; `penalty` is P, positive definite. Rows that are not finite give zeros.
    """
    return _core.solve_ridge(rows, targets, penalty, n_threads).reshape(-1, len(penalty))


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
        rows,
        kernel,
        labels,
        weights,
        list(splits),
        settings.gammas,
        settings.margins,
        settings.Cs,
        settings.multi_class,
        settings.solver,
        settings.memory_mb,
        n_threads,
        max_time,
        progress,
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
        settings.gammas,
        settings.Cs,
        settings.epsilons,
        settings.tol,
        settings.max_iter,
        settings.complete,
        settings.absolute,
        settings.race,
        keep,
        n_threads,
        progress,
    )
    return [TunedRegression(**record) for record in records], kept


def score_left_out(
    gram: DoubleArray,
    signs: DoubleArray,
    splits: Sequence[tuple[IndexArray, IndexArray]],
    Cs: DoubleArray,
    settings: SmoSettings,
) -> list[list[DoubleArray]]:
    """Return decision values of the L1-SVM at the rows that splits leave out, by C and split.

    `gram` is a symmetric kernel matrix, `signs` are +1 or -1 for its rows, training rows and `Cs`
    ascend. The C of the settings is not used.
    """
    flat = _core.score_left_out(gram, signs, list(splits), Cs, settings)
    ends = np.cumsum([0, *(test.size for _, test in splits)]).tolist()
    by_C = flat.reshape(Cs.size, ends[-1])
    return [[scores[begin:end] for begin, end in pairwise(ends)] for scores in by_C]


# Decisions ----------------------------------------------------------------------------------


def decide(
    rows: Rows,
    vectors: Rows,
    support: IndexArray,
    kernel: KernelSpec,
    coefficients: Coefficients,
    intercepts: DoubleArray,
    *,
    n_threads: int = 1,
) -> DoubleArray:
    """Return decision values of shape (n_rows, n_outputs).

    `support` names the vectors that the coefficients belong to: rows of `vectors` or, where both
    tables are one of pairwise values, its columns.
    """
    require_gamma(vectors, kernel, kernel.gamma)
    flat = _core.decide(
        rows,
        vectors,
        support,
        kernel,
        coefficients.offsets,
        coefficients.outputs,
        coefficients.values,
        intercepts,
        n_threads,
    )
    return flat.reshape(-1, intercepts.size)


def decide_linear(rows: DenseRows, weights: DoubleArray, *, n_threads: int = 1) -> DoubleArray:
    """Return decision values by rows and by rows of weights, which end with the intercept."""
    return _core.decide_linear(rows, weights, n_threads).reshape(-1, len(weights))


def kernel_matrix(
    rows: Rows, vectors: Rows, kernel: KernelSpec, *, n_threads: int = 1
) -> DoubleArray:
    """Return kernel values of shape (n_rows, n_vectors); the tables have one form and type."""
    return np.asarray(_kernel_values(rows, vectors, kernel, False, n_threads), dtype=np.float64)


def narrow_kernel_matrix(
    rows: Rows, vectors: Rows, kernel: KernelSpec, *, n_threads: int = 1
) -> FloatArray:
    """Return the same values in the type of the rows, in whose precision they are computed."""
    return _kernel_values(rows, vectors, kernel, True, n_threads)


def _kernel_values(
    rows: Rows, vectors: Rows, kernel: KernelSpec, narrow: bool, n_threads: int
) -> FloatArray:
    require_gamma(vectors, kernel, kernel.gamma)
    flat = _core.kernel_matrix(rows, vectors, kernel, narrow, n_threads)
    return flat.reshape(_n_rows(rows), _n_rows(vectors))


def sum_rows(
    table: DoubleArray, n_columns: int, places: IndexArray, weights: DoubleArray
) -> DoubleArray:
    """Return the sum of weights[j] times row places[j] of a table, for its first columns.

    The table's width is a multiple of 8; values beyond the columns do not matter.
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


def rbf_between_bags(
    instances: Rows,
    offsets: IndexArray,
    weights: DoubleArray,
    gammas: DoubleArray,
    *,
    n_threads: int = 1,
) -> DoubleArray:
    """Return sum_ij w_i w_j exp(-gamma |x_i - x_j|^2) over the instances of each pair of bags.

    Bag a has the instances from offsets[a] to offsets[a + 1]. `weights` has a row for each kind of
    bag kernel; the result has the shape (kinds, gammas, bags, bags).
    """
    n_bags = offsets.size - 1
    flat = _core.rbf_between_bags(instances, offsets, weights, gammas, n_threads)
    return flat.reshape(weights.shape[0], gammas.size, n_bags, n_bags)
