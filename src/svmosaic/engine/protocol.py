"""What an engine must do, and which one runs.

An engine computes on one device: `svmosaic.engine.cpu`, the compiled core, where nothing else is
asked for, and `svmosaic.engine.gpu` on the devices of PyTorch. It works on the plain records of
`problem`, `tasks`, `kernels` and `settings` and returns such records, so that estimators,
model files and predictions never know which engine trained a model.

To add one, write a module or an object with the functions of `Engine` and call `register`.
``tests/contracts/test_engines.py`` then runs on it without a change. A single solver in Python
needs no engine: see `register_solver`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from svmosaic.engine import cpu
from svmosaic.engine.cpu import Progress
from svmosaic.engine.gpu.device_table import DeviceTable, device_name
from svmosaic.engine.gpu.devices import DEVICE_NAMES, engine_on, is_device_name
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import (
    Coefficients,
    DoubleArray,
    IndexArray,
    PairwiseRows,
    Problem,
    Rows,
    Solution,
)
from svmosaic.engine.tasks import TuneSettings

__all__ = ["Engine", "engine_for", "engine_names", "register", "register_solver", "solve"]


class Engine(Protocol):
    """The functions of an engine. Results do not depend on the number of threads."""

    def takes(self, rows: Rows) -> bool:
        """Return whether the arrays of a table live where this engine computes."""

    def distinct_rows(
        self, rows: Rows, labels: IndexArray, weights: DoubleArray, *, n_threads: int = 1
    ) -> tuple[IndexArray, DoubleArray]:
        """Return the first copies of the distinct patterns, and the summed weights of the copies.

        A pattern is a row and its label; rows of weight 0 are left out. The patterns are in an
        order that depends on neither the order of the rows nor their repetition; each engine has
        its own. Pairwise values have no rows to compare: their samples stay as they came.
        """

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
        """Try every candidate of a grid on every split.

        `labels` are class numbers from 0 and, like `weights`, belong to the rows of the table.
        Returns the weights of test rows by (gamma, margin, C, split, true class, predicted class)
        and the numbers of support vectors by (gamma, margin, C, split). Cells that `max_time` cut
        off are nan.
        """

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

    def kernel_matrix(
        self, rows: Rows, vectors: Rows, kernel: KernelSpec, *, n_threads: int = 1
    ) -> DoubleArray:
        """Return kernel values, shape (n_rows, n_vectors)."""

    def worst_violators(
        self, problem: Problem, solution: Solution, decisions: DoubleArray, C: float, count: int
    ) -> tuple[IndexArray, DoubleArray]:
        """Return the samples that violate the optimality conditions most, and by how much."""


_ENGINES: dict[str, Engine] = {"cpu": cpu}
# Solvers written outside of an engine, by the type of their settings.
_SOLVERS: dict[type, Callable[..., list[Any]]] = {}


def register(name: str, engine: Engine) -> None:
    """Add an engine, which is asked before those registered earlier."""
    _ENGINES[name] = engine


def register_solver(settings: type, solve: Callable[..., list[Any]]) -> None:
    """Add a solver, which is called as `Engine.solve` for settings of this type."""
    _SOLVERS[settings] = solve


def engine_names() -> tuple[str, ...]:
    """Return the names of the engines that are registered, the compiled core first.

    Those of PyTorch's devices are made when they are asked for, and are not among them.
    """
    return tuple(_ENGINES)


def engine_for(rows: Rows, device: str | None = None) -> Engine:
    """Return the engine for a table: the one that `device` names, else the one of its arrays."""
    if device is not None:
        if device in _ENGINES:
            return _ENGINES[device]
        if is_device_name(device):
            return engine_on(device)
        names = ", ".join(map(repr, (*_ENGINES, *DEVICE_NAMES)))
        raise ValueError(f"There is no engine for device={device!r}; expected one of {names}.")
    for engine in reversed(_ENGINES.values()):
        if engine.takes(rows):
            return engine
    if isinstance(rows, DeviceTable):
        return engine_on(rows.device)
    if isinstance(rows, PairwiseRows):
        return engine_on(device_name(rows.values))
    raise TypeError(
        f"No engine takes {type(rows).__name__} of these arrays; expected NumPy arrays, SciPy's "
        "compressed rows or tables on a device."
    )


def solve(
    rows: Rows,
    kernel: KernelSpec,
    problems: Sequence[Any],
    settings: Any,
    *,
    n_threads: int = 1,
    max_time: float = 0.0,
    progress: Progress | None = None,
    device: str | None = None,
) -> list[Any]:
    """Solve problems on one table, by a registered solver or the engine of `device`.

    Without a device, it is the engine of the table's arrays.
    """
    registered = _SOLVERS.get(type(settings))
    if registered is not None and device not in (None, "cpu"):
        raise ValueError(
            f"The solver of {type(settings).__name__} runs on the CPU only. Got device={device!r}; "
            "use device=None."
        )
    run = engine_for(rows, device).solve if registered is None else registered
    return run(
        rows,
        kernel,
        problems,
        settings,
        n_threads=n_threads,
        max_time=max_time,
        progress=progress,
    )
