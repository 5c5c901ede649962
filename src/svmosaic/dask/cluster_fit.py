"""One fit on a cluster, from partitions of rows to the local estimator with the same model."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import compute_class_weight

from svmosaic.dask.checkpoint import read_checkpoint, write_checkpoint
from svmosaic.dask.partition import Description, Moments, Plan, describe, moments, prepare
from svmosaic.dask.rounds import Progress, Settings, SpreadSolution, solve_over_partitions
from svmosaic.dask.tasks import PairSpec, stack_rows, take_from_chunk
from svmosaic.dask.workers import Workers
from svmosaic.engine.class_pairs import MultiClass, class_pairs, split
from svmosaic.engine.kernels import KernelSpec, kernel_spec
from svmosaic.engine.problem import DoubleArray, IndexArray, Problem, Solution

__all__ = ["ClusterFit", "SupportTable", "fit_partitions", "join_classes"]

# A fit may be resumed with other values of these.
_FREE_PARAMETERS = ("checkpoint", "device", "max_time", "verbose")
# Digits of sums that do not depend on the order of the partitions.
_DIGITS = 12


@dataclass(frozen=True, eq=False)
class SupportTable:
    """Support vectors with all that a local estimator wants to know of them.

    Attributes
    ----------
    X : {ndarray, csr_array}
        Their rows, in the order of the training data.
    numbers : ndarray of int64
        Their rows in the training data; of copies the first.
    labels : ndarray of int64
        Class numbers.
    weights : ndarray of float64
        Weights of the samples.
    solutions : list of Solution
        One per problem; their support vectors are rows of the table.
    problems : list of Problem
        The problems over the table.
    """

    X: Any
    numbers: IndexArray
    labels: IndexArray
    weights: DoubleArray
    solutions: list[Solution]
    problems: list[Problem]


@dataclass(frozen=True, eq=False)
class ClusterFit:
    """What came out of a fit."""

    kernel: KernelSpec
    classes: Any
    names: Any
    n_features: int
    n_samples: int
    table: SupportTable
    spread: SpreadSolution


def fit_partitions(
    workers: Workers,
    tables: list[Any],
    estimator: Any,
    *,
    is_regression: bool,
    report: Callable[[Progress], None] | None = None,
) -> ClusterFit:
    """Fit an estimator's model to checked rows of partitions.

    Parameters
    ----------
    workers : Workers
        Who computes.
    tables : list of handles of TableRows
        The partitions.
    estimator : object
        Its parameters say what is solved.
    is_regression : bool
        Whether targets are numbers.
    report : callable, optional
        Called after every round.
    """
    who = type(estimator).__name__
    found = workers.gather(
        [workers.submit(describe, t, is_regression=is_regression) for t in tables]
    )
    plan, first = _plan(found, estimator, who, is_regression)
    partitions = [workers.submit(prepare, t, plan, has_threads=True) for t in tables]
    sizes = workers.gather([workers.submit(_identify, q) for q in partitions])
    n_samples = sum(n for n, _ in sizes)
    # Rows as they came are not needed any more; Dask knows how to make them again.
    tables.clear()
    kernel = _kernel(workers, partitions, estimator, first.n_features)
    multi_class: MultiClass = getattr(estimator, "multi_class", "ovo")
    pairs = [] if is_regression else class_pairs(plan.classes.size, multi_class)
    epsilon = float(getattr(estimator, "epsilon", 0.0)) if is_regression else 0.0
    settings = Settings(
        PairSpec(pairs, epsilon),
        float(estimator.C),
        float(estimator.tol),
        float(estimator.max_time or 0.0),
        estimator.device,
    )
    path = estimator.checkpoint
    fit = {
        "parameters": repr(
            sorted((k, v) for k, v in estimator.get_params().items() if k not in _FREE_PARAMETERS)
        ),
        "partitions": [n for n, _ in sizes],
        "rows": [digest for _, digest in sizes],
    }
    n_problems = settings.spec.n_problems
    counts = [n for n, _ in sizes]
    start = None if path is None else read_checkpoint(path, fit, who, n_problems, counts)
    spread = solve_over_partitions(
        workers,
        partitions,
        sum(d.n_rows for d in found),
        kernel,
        settings,
        n_classes=0 if is_regression else plan.classes.size,
        report=report,
        keep=None if path is None else lambda state: write_checkpoint(path, fit, state),
        start=start,
    )
    rows_before = np.concatenate([[0], np.cumsum([d.n_rows for d in found])])
    table = _support_table(
        workers, partitions, spread, rows_before, plan, multi_class, is_regression
    )
    return ClusterFit(kernel, plan.classes, first.names, first.n_features, n_samples, table, spread)


def _identify(partition: Any) -> tuple[int, str]:
    """Return the number of samples, and a digest of them, their order and weights."""
    digest = hashlib.sha256()
    for array in (partition.keys, partition.weights, partition.numbers):
        digest.update(np.ascontiguousarray(array).tobytes())
    return partition.n, digest.hexdigest()


def _plan(
    found: Sequence[Description], estimator: Any, who: str, is_regression: bool
) -> tuple[Plan, Description]:
    """Return what all partitions agree on, and the description of one that has rows."""
    faults = [d.fault for d in found if d.fault is not None]
    if faults:
        more = f" ({len(faults) - 1} more partitions have faults)" if len(faults) > 1 else ""
        raise ValueError(f"{who}: {faults[0]}{more}. Correct the data of this partition.")
    filled = [d for d in found if d.n_rows]
    if not filled:
        raise ValueError(f"{who} expected rows to fit to. Got {len(found)} empty partitions.")
    first = filled[0]
    for number, d in enumerate(found):
        if d.n_rows and (d.n_features, d.names) != (first.n_features, first.names):
            raise ValueError(
                f"{who} expected the same features in all partitions. Got {d.n_features} in "
                f"partition {number} and {first.n_features} in another, or other names; check how "
                "the partitions were read."
            )
    if not any(d.total_weight > 0 for d in filled):
        raise ValueError(
            f"{who} needs at least one sample of positive weight; all values of sample_weight are "
            "zero."
        )
    is_sparse = any(d.is_sparse for d in filled)
    dtype = np.float32 if all(d.is_single for d in filled) else np.float64
    if is_regression:
        return Plan(None, None, is_sparse, dtype), first
    classes = join_classes([d.classes for d in filled if len(d.classes)], who)
    factors = _factors(classes, filled, estimator.class_weight)
    if factors is not None:
        classes, factors = classes[factors > 0], factors[factors > 0]
    if classes.size < 2:
        raise ValueError(
            f"{who} needs samples of at least 2 classes; the data contain only one class: "
            f"{classes[0]!r}. Check the target column."
        )
    return Plan(classes, factors, is_sparse, dtype), first


def join_classes(parts: Sequence[Any], who: str) -> Any:
    """Return the classes of all partitions, sorted."""
    kinds = {"numbers" if part.dtype.kind in "biuf" else "names" for part in parts}
    try:
        if len(kinds) > 1:
            raise TypeError("numbers and names")
        return np.unique(np.concatenate(parts))
    except TypeError as error:
        raise ValueError(
            f"{who} expected labels of one type. Got numbers in some partitions and names in "
            "others, or both in one; convert y."
        ) from error


def _factors(classes: Any, found: Sequence[Description], class_weight: Any) -> DoubleArray | None:
    if class_weight is None:
        return None
    if class_weight == "balanced":
        totals = np.zeros(classes.size)
        for d in found:
            assert d.class_weights is not None
            totals[np.searchsorted(classes, d.classes)] += d.class_weights
        # Sums in another order have other last digits.
        factors = totals.sum() / (classes.size * totals)
        return np.array([float(f"{f:.{_DIGITS}g}") for f in factors])
    return np.asarray(compute_class_weight(class_weight, classes=classes, y=classes), dtype=float)


def _kernel(
    workers: Workers, partitions: Sequence[Any], estimator: Any, n_features: int
) -> KernelSpec:
    """Return the kernel with its width: the rules of local estimators, over all partitions."""
    kernel = kernel_spec(estimator.kernel, degree=estimator.degree, coef0=estimator.coef0)
    if not kernel.uses_gamma:
        return kernel
    gamma = estimator.gamma
    if gamma == "auto":
        gamma = 1.0 / n_features
    elif gamma == "scale":
        total = Moments()
        for part in workers.gather([workers.submit(moments, q) for q in partitions]):
            total = total.joined(part)
        variance = total.squares / total.weight
        gamma = 1.0 / (n_features * variance) if variance > 0 else 1.0
        if not 0.0 < gamma < np.inf:
            raise ValueError(
                f"gamma='scale' of {type(estimator).__name__} cannot be computed: squared features "
                "overflow float64. Scale the features."
            )
        gamma = float(f"{gamma:.{_DIGITS}g}")
    return kernel_spec(estimator.kernel, float(gamma), estimator.degree, estimator.coef0)


def _numbers(partition: Any, positions: IndexArray) -> IndexArray:
    found: IndexArray = partition.numbers[positions]
    return found


def _support_table(
    workers: Workers,
    partitions: Sequence[Any],
    spread: SpreadSolution,
    rows_before: IndexArray,
    plan: Plan,
    multi_class: MultiClass,
    is_regression: bool,
) -> SupportTable:
    """Bring the support vectors here."""
    in_play = spread.in_play
    chosen = np.flatnonzero(in_play.beta.any(axis=1))
    ends = [*in_play.begins[1:], in_play.n]
    pieces, numbers = [], np.empty(chosen.size, dtype=np.int64)
    for chunk, begin, end in zip(in_play.chunks, in_play.begins, ends, strict=True):
        own = chosen[(chosen >= begin) & (chosen < end)]
        pieces.append(workers.submit(take_from_chunk, chunk, own - begin))
    asked = []
    for q, partition in enumerate(partitions):
        own = np.flatnonzero(in_play.partitions[chosen] == q)
        asked.append((own, workers.submit(_numbers, partition, in_play.positions[chosen[own]])))
    rows = workers.gather(pieces)
    for q, ((own, _), known) in enumerate(
        zip(asked, workers.gather([handle for _, handle in asked]), strict=True)
    ):
        numbers[own] = rows_before[q] + known
    order = np.argsort(numbers, kind="stable")
    X = stack_rows(rows)[order]
    chosen = chosen[order]
    labels, weights = in_play.labels[chosen], in_play.weights[chosen]
    everyone = np.arange(chosen.size)
    if is_regression:
        problems = [Problem(everyone, np.zeros(chosen.size), weights)]
    else:
        problems = split(everyone, labels, weights, plan.classes.size, multi_class)
    beta = in_play.beta[chosen]
    solutions = []
    for p in range(in_play.spec.n_problems):
        support = np.flatnonzero(beta[:, p])
        solutions.append(
            Solution(
                support=support,
                coef=np.ascontiguousarray(beta[support, p]),
                intercept=float(spread.intercepts[p]),
                status=spread.status,
                n_iter=max(1, spread.traffic.n_updates),
                violation=float(spread.violations[p]),
                objective=float(spread.objectives[p]),
                dual_gap=float(spread.gaps[p]),
            )
        )
    return SupportTable(X, numbers[order], labels, weights, solutions, problems)
