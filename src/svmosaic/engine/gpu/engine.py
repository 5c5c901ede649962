"""The engine on a device of PyTorch; `protocol.Engine` says what its functions owe."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
import torch

from svmosaic.engine import cpu
from svmosaic.engine.cpu import Progress
from svmosaic.engine.gpu.accelerator import Accelerator, Tensor
from svmosaic.engine.gpu.central_sample import central_sample
from svmosaic.engine.gpu.device_table import DeviceTable
from svmosaic.engine.gpu.distinct_rows import distinct_rows
from svmosaic.engine.gpu.features import Features, read_features, read_table
from svmosaic.engine.gpu.integer_rbf import integer_pair
from svmosaic.engine.gpu.kernel_values import kernel_values, pairwise_values
from svmosaic.engine.gpu.memory_plan import tile_rows
from svmosaic.engine.gpu.monitor import Monitor
from svmosaic.engine.gpu.selection import solve_by_selection
from svmosaic.engine.gpu.solver import ExactSettings, solve_exactly
from svmosaic.engine.gpu.tuning import fold_of, tune_on_device
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.number_range import require_gamma, require_grid, require_kernel
from svmosaic.engine.problem import (
    CallbackRows,
    Coefficients,
    DenseRows,
    DoubleArray,
    IndexArray,
    PairwiseRows,
    Problem,
    Rows,
    Solution,
)
from svmosaic.engine.settings import OllawvSettings
from svmosaic.engine.tasks import TuneSettings

__all__ = ["TorchEngine"]


P = ParamSpec("P")
Result = TypeVar("Result")


def _on_its_device(
    method: Callable[Concatenate[TorchEngine, P], Result],
) -> Callable[Concatenate[TorchEngine, P], Result]:
    @wraps(method)
    def run(self: TorchEngine, /, *args: P.args, **kwargs: P.kwargs) -> Result:
        with self.place.active():
            return method(self, *args, **kwargs)

    return run


class TorchEngine:
    """The functions of an engine, on one device; NumPy in, NumPy out."""

    def __init__(self, place: Accelerator) -> None:
        self.place = place

    def takes(self, rows: Rows) -> bool:
        """Return whether a table is on this device."""
        if isinstance(rows, CallbackRows) or isinstance(rows.values, np.ndarray):
            return False
        # A device without a number is the current one.
        empty = torch.empty(0, device=self.place.device)
        return bool(rows.values.device == empty.device)

    def read_foreign(self, values: Any) -> Tensor:
        """Return an array of another library that shares its memory by DLPack, as a tensor.

        Raises
        ------
        TypeError
            If it is sparse or holds complex numbers.
        """
        tensor = values if isinstance(values, torch.Tensor) else torch.from_dlpack(values)
        if tensor.layout != torch.strided or tensor.is_complex():
            raise TypeError(
                "Tensors must be dense and real. Got one with layout "
                f"{tensor.layout} and type {tensor.dtype} instead; pass SciPy's compressed rows "
                "for sparse samples."
            )
        return tensor

    @_on_its_device
    def read_table(self, values: Any, *, has_padding: bool = True) -> DeviceTable:
        """Return a dense array of NumPy or PyTorch on this device; see `features.read_table`."""
        return read_table(values, self.place, has_padding=has_padding)

    @_on_its_device
    def distinct_rows(
        self, rows: Rows, labels: IndexArray, weights: DoubleArray, *, n_threads: int = 1
    ) -> tuple[IndexArray, DoubleArray]:
        """Return the first copies of the distinct patterns in the order of their hashes.

        Tables that are not on the device are left to the CPU, and its order.
        """
        if isinstance(rows, PairwiseRows):
            samples = np.flatnonzero(weights > 0)
            return samples, weights[samples]
        if isinstance(rows, DeviceTable):
            found = distinct_rows(rows, labels, weights)
            if found is not None:
                return found
            rows = DenseRows(rows.to_numpy())
        return cpu.distinct_rows(rows, labels, weights, n_threads=n_threads)

    @_on_its_device
    def solve(
        self,
        rows: Rows,
        kernel: KernelSpec,
        problems: Sequence[Any],
        settings: Any,
        *,
        n_threads: int = 1,
        max_time: float = 0.0,
        progress: Progress | None = None,
    ) -> list[Any]:
        """Solve problems on one table; the type of the settings names the solver."""
        exact = ExactSettings.of(settings)
        if exact is None and not isinstance(settings, OllawvSettings):
            raise ValueError(
                f"The solver of {type(settings).__name__} has no form for a GPU; use device=None."
            )
        require_kernel(rows, kernel)
        monitor = Monitor(len(problems), max_time, progress)
        table = kernel_values(rows, kernel, self.place, _samples_of(problems))
        if exact is not None:
            return solve_exactly(table, problems, exact, self.place, monitor)
        starts = [p.first if p.first >= 0 else central_sample(rows, p) for p in problems]
        return solve_by_selection(table, problems, starts, settings, self.place, monitor)

    @_on_its_device
    def tune_ollawv(
        self,
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
        """Try every candidate of a grid on every split; see `cpu.tune_ollawv`."""
        require_grid(rows, kernel, settings.gammas)
        monitor = Monitor(0, max_time, progress)
        needs_start = settings.solver.refine.refinement != "full"
        folds = []
        for train, test in splits:
            in_training = np.zeros_like(weights)
            # A row that is drawn twice counts twice.
            np.add.at(in_training, train, weights[train])
            samples, sums = self.distinct_rows(rows, labels, in_training, n_threads=n_threads)
            fold = fold_of(samples, sums, labels, test[weights[test] > 0], settings.multi_class)
            if needs_start:
                fold = fold.starting_at([central_sample(rows, p) for p in fold.problems])
            folds.append(fold)
        return tune_on_device(rows, kernel, folds, labels, weights, settings, self.place, monitor)

    @_on_its_device
    def decide(
        self,
        rows: Rows,
        vectors: Rows,
        support: IndexArray,
        kernel: KernelSpec,
        coefficients: Coefficients,
        intercepts: DoubleArray,
        *,
        n_threads: int = 1,
    ) -> DoubleArray:
        """Return the values of an expansion, shape (n_rows, n_outputs)."""
        require_gamma(vectors, kernel, kernel.gamma)
        place = self.place
        coef = place.tensor(coefficients.matrix().toarray(), torch.float64)
        chosen = place.tensor(support, torch.int64)
        if isinstance(rows, PairwiseRows):
            # The function of a kernel that was given is the identity.
            values = place.tensor(rows.values)[:, chosen].double() @ coef
        else:
            table, other = self._features(rows), self._features(vectors).take(chosen)
            fused = integer_pair(table, other, kernel, place) if intercepts.size == 1 else None
            if fused is not None:
                left, right = fused
                everyone = torch.arange(right.n, device=place.device)
                count = torch.tensor([right.n], device=place.device)
                values = left.products_with(right, everyone, coef[:, 0], count)[:-1, None]
            else:
                first, second = pairwise_values(table, other, kernel, place)
                everyone = torch.arange(second.n, device=place.device)
                values = first.sums(second.columns(everyone), coef)[:-1]
        found: DoubleArray = values.cpu().numpy()
        return found + intercepts

    @_on_its_device
    def kernel_matrix(
        self, rows: Rows, vectors: Rows, kernel: KernelSpec, *, n_threads: int = 1
    ) -> DoubleArray:
        """Return kernel values, shape (n_rows, n_vectors)."""
        require_gamma(vectors, kernel, kernel.gamma)
        left, right = pairwise_values(
            self._features(rows), self._features(vectors), kernel, self.place
        )
        everyone = torch.arange(right.n, device=self.place.device)
        found = np.empty((left.n, right.n))
        step = tile_rows(self.place.free_bytes, right.n, 16)
        for begin in range(0, left.n, step):
            index = torch.arange(begin, min(begin + step, left.n), device=self.place.device)
            values: Tensor = left.values(left.columns(index), right.columns(everyone))
            found[begin : begin + index.numel()] = values.double().cpu().numpy()
        return found

    def _features(self, rows: Rows) -> Features:
        if isinstance(rows, PairwiseRows | CallbackRows):
            raise TypeError(f"Expected samples. Got {type(rows).__name__} instead.")
        return read_features(rows, self.place)

    def worst_violators(
        self, problem: Problem, solution: Solution, decisions: DoubleArray, C: float, count: int
    ) -> tuple[IndexArray, DoubleArray]:
        """Return the samples that violate the optimality conditions most, and by how much."""
        return cpu.worst_violators(problem, solution, decisions, C, count)


def _samples_of(problems: Sequence[Problem]) -> IndexArray:
    """Return the rows that take part in some of the problems."""
    if len(problems) == 1:
        return problems[0].samples
    return np.unique(np.concatenate([problem.samples for problem in problems]))
