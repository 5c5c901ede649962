"""The search for parameters of OLLAWV on a device: all folds and binary problems together.

The kernel matrix of all rows is computed once for each gamma, if it fits, and serves all folds,
problems, margins and Cs. A selection runs once, to the largest margin; a refinement starts from the
solution for the next smaller C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from svmosaic.engine.class_pairs import MultiClass, choose_classes, split
from svmosaic.engine.gpu.accelerator import Accelerator, Tensor
from svmosaic.engine.gpu.features import DenseFeatures, Features, read_features
from svmosaic.engine.gpu.kernel_values import (
    KernelValues,
    PairwiseKernel,
    SampleKernel,
    kernel_values,
    pairwise_values,
)
from svmosaic.engine.gpu.memory_plan import most_stored, tile_rows
from svmosaic.engine.gpu.monitor import Monitor
from svmosaic.engine.gpu.selection import SelectedPath, select_all
from svmosaic.engine.gpu.solver import ExactSettings, solve_exactly
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DoubleArray, IndexArray, PairwiseRows, Problem, Rows, Solution
from svmosaic.engine.tasks import TuneSettings

__all__ = ["Fold", "fold_of", "tune_on_device"]


# Folds --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fold:
    """One split.

    Attributes
    ----------
    classes : ndarray of int64
        The classes of the training part, ascending.
    problems : list of Problem
        The binary problems over the rows of the table.
    test : ndarray of int64
        Rows to predict.
    """

    classes: IndexArray
    problems: list[Problem]
    test: IndexArray

    def starting_at(self, starts: Sequence[int]) -> Fold:
        """Return the fold with the samples where selections begin."""
        problems = [replace(p, first=s) for p, s in zip(self.problems, starts, strict=True)]
        return replace(self, problems=problems)


def fold_of(
    samples: IndexArray,
    sample_weights: DoubleArray,
    labels: IndexArray,
    test: IndexArray,
    multi_class: MultiClass,
) -> Fold:
    """Return the binary problems of the distinct training samples of a split.

    `labels` belong to all rows of the table.
    """
    of_sample = labels[samples]
    classes = np.unique(of_sample)
    if classes.size < 2:
        raise ValueError(
            "There is a training fold with one class only. Use fewer or stratified folds."
        )
    numbers = np.searchsorted(classes, of_sample)
    problems = split(samples, numbers, sample_weights, classes.size, multi_class)
    return Fold(classes, problems, test)


# Kernel values of one gamma -----------------------------------------------------------------


class _Table:
    """The rows of a search with the kernel of one gamma."""

    def __init__(
        self, rows: Rows, kernel: KernelSpec, place: Accelerator, *, can_store: bool
    ) -> None:
        self._kernel, self._place = kernel, place
        self._features: Features | None = None
        self.values: KernelValues = kernel_values(rows, kernel, place)
        if isinstance(self.values, PairwiseKernel) or isinstance(rows, PairwiseRows):
            return
        is_dense = not isinstance(self.values, SampleKernel) or isinstance(
            self.values.features, DenseFeatures
        )
        item = 4 if str(self.values.dtype).endswith("32") else 8
        if (
            can_store
            and is_dense
            and self.values.n <= most_stored(place.sizes, place.free_bytes, item)
        ):
            everyone = torch.arange(self.values.n, device=place.device)
            self.values = PairwiseKernel(self.values.blocks(everyone[None])[0])
        else:
            # A solver reads them only through the kernel; decisions read them as rows.
            self._features = read_features(rows, place)  # type: ignore[arg-type]

    def decide(self, test: IndexArray, support: IndexArray, coef: Any) -> DoubleArray:
        """Return K(test, support) @ coef in float64; `coef` has shape (n_support, n_outputs)."""
        place = self._place
        right, numbers = place.tensor(coef, torch.float64), place.tensor(support, torch.int64)
        left = place.tensor(test, torch.int64)
        if self._features is not None:
            first, second = pairwise_values(
                self._features.take(left), self._features.take(numbers), self._kernel, place
            )
            everyone = torch.arange(second.n, device=place.device)
            values: Tensor = first.sums(second.columns(everyone), right)[:-1]
        else:
            assert isinstance(self.values, PairwiseKernel)
            matrix = self.values.values
            step = tile_rows(place.free_bytes, support.size + 1, 16)
            values = torch.cat(
                [matrix[part[:, None], numbers].double() @ right for part in left.split(step)]
            )
        found: DoubleArray = values.cpu().numpy()
        return found


# The search ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Model:
    """Rows with coefficients, and the constant term, of one binary problem."""

    support: IndexArray
    coef: DoubleArray
    intercept: float


class _Search:
    """The cells of a grid, by (gamma, margin, C, split)."""

    def __init__(
        self,
        folds: Sequence[Fold],
        labels: IndexArray,
        weights: DoubleArray,
        settings: TuneSettings,
        place: Accelerator,
        monitor: Monitor,
    ) -> None:
        self.folds, self.labels, self.weights = folds, labels, weights
        self.settings, self.place, self.monitor = settings, place, monitor
        self.problems = [problem for fold in folds for problem in fold.problems]
        cells = (settings.gammas.size, settings.margins.size, settings.Cs.size, len(folds))
        n_classes = int(labels.max()) + 1
        self.confusion = np.full((*cells, n_classes, n_classes), np.nan)
        self.n_support = np.full(cells, np.nan)

    def run(self, g: int, table: _Table) -> None:
        """Fill in the cells of one gamma, as far as the time allows."""
        settings = self.settings
        if settings.solver.refine.refinement == "full":
            self._refine(g, table)
            return
        most = float(settings.margins.max())
        solver = settings.solver.replaced(margin=most, C=1.0)
        starts = [problem.first for problem in self.problems]
        paths = select_all(table.values, self.problems, starts, solver, self.place, self.monitor)
        for m, margin in enumerate(settings.margins.tolist()):
            if self.monitor.is_late:
                return
            models = [
                _plain_model(problem, _cut(path, margin), solver.fit_intercept)
                for problem, path in zip(self.problems, paths, strict=True)
            ]
            self._score((g, m, 0), table, models)

    def _refine(self, g: int, table: _Table) -> None:
        """Solve the problems exactly for all Cs, from the smallest to the largest."""
        refine, problems = self.settings.solver.refine, self.problems
        known: list[Solution | None] = [None] * len(problems)
        open_ones = list(range(len(problems)))
        for c in np.argsort(self.settings.Cs, kind="stable").tolist():
            C = float(self.settings.Cs[c])
            if open_ones:
                exact = ExactSettings(C, None, refine.tol, refine.max_iter)
                begun = [_from(problems[i], known[i]) for i in open_ones]
                found = solve_exactly(table.values, begun, exact, self.place, self.monitor)
                if self.monitor.is_late:
                    return
                for i, solution in zip(open_ones, found, strict=True):
                    known[i] = solution
                open_ones = [i for i in open_ones if _has_bound(problems[i], known[i], C)]
            models = [_Model(s.support, s.coef, s.intercept) for s in known if s is not None]
            # The exact solution is the same for all margins.
            for m in range(self.settings.margins.size):
                self._score((g, m, c), table, models)

    def _score(self, cell: tuple[int, int, int], table: _Table, models: list[_Model]) -> None:
        """Count the predictions of a candidate on all folds."""
        begin = 0
        for f, fold in enumerate(self.folds):
            part = models[begin : begin + len(fold.problems)]
            begin += len(fold.problems)
            support, place = np.unique(
                np.concatenate([model.support for model in part]), return_inverse=True
            )
            coef = np.zeros((support.size, len(part)))
            number = np.repeat(np.arange(len(part)), [model.support.size for model in part])
            coef[place, number] = np.concatenate([model.coef for model in part])
            decisions = table.decide(fold.test, support, coef)
            decisions += np.array([model.intercept for model in part])
            chosen = choose_classes(decisions, fold.classes.size, self.settings.multi_class)
            predicted = fold.classes[chosen]
            counts = np.zeros(self.confusion.shape[-2:])
            np.add.at(counts, (self.labels[fold.test], predicted), self.weights[fold.test])
            self.confusion[(*cell, f)] = counts
            self.n_support[(*cell, f)] = support.size


def _cut(path: SelectedPath, margin: float) -> SelectedPath:
    """Return the steps that a run with this margin takes."""
    reached = np.flatnonzero(path.violations >= margin)
    length = int(reached[0]) + 1 if reached.size else path.taken.size
    return replace(
        path,
        taken=path.taken[:length],
        steps=path.steps[:length],
        violations=path.violations[:length],
    )


def _plain_model(problem: Problem, path: SelectedPath, fit_intercept: bool) -> _Model:
    alpha = np.zeros(problem.samples.size)
    np.add.at(alpha, path.taken, path.steps)
    support = np.flatnonzero(alpha)
    bias = float(np.sum(path.steps) / problem.weights.sum()) if fit_intercept else 0.0
    return _Model(problem.samples[support], alpha[support], bias)


def _beta(problem: Problem, solution: Solution) -> DoubleArray:
    """Return the coefficients of all samples of a problem."""
    order = np.argsort(problem.samples)
    places = order[np.searchsorted(problem.samples, solution.support, sorter=order)]
    beta = np.zeros(problem.samples.size)
    beta[places] = solution.coef
    return beta


def _from(problem: Problem, solution: Solution | None) -> Problem:
    return problem if solution is None else replace(problem, initial=_beta(problem, solution))


def _has_bound(problem: Problem, solution: Solution | None, C: float) -> bool:
    """Return whether a coefficient is at its upper bound, so that a larger C matters."""
    if solution is None:
        return True
    full: npt.NDArray[np.bool_] = np.abs(_beta(problem, solution)) >= C * problem.weights
    return bool(full.any())


def tune_on_device(
    rows: Rows,
    kernel: KernelSpec,
    folds: Sequence[Fold],
    labels: IndexArray,
    weights: DoubleArray,
    settings: TuneSettings,
    place: Accelerator,
    monitor: Monitor,
) -> tuple[DoubleArray, DoubleArray]:
    """Return what `cpu.tune_ollawv` does."""
    search = _Search(folds, labels, weights, settings, place, monitor)
    is_full = settings.solver.refine.refinement == "full"
    n_per_gamma = len(search.problems) * (settings.Cs.size if is_full else 1)
    monitor.n_problems = n_per_gamma * settings.gammas.size
    # Large problems are solved exactly by clusters of samples, which kernel values do not show.
    largest = max(problem.samples.size for problem in search.problems)
    can_store = not is_full or largest <= place.sizes.small
    for g, gamma in enumerate(settings.gammas.tolist()):
        if monitor.is_late:
            break
        of_gamma = replace(kernel, gamma=float(gamma))
        search.run(g, _Table(rows, of_gamma, place, can_store=can_store))
        # Solutions that do not depend on C any more are not computed again, but done.
        monitor.n_done = n_per_gamma * (g + 1)
    return search.confusion, search.n_support
