"""Types of the compiled core; tests/contracts/test_mirror.py compares them with the module."""

from typing import Any

import numpy as np
import numpy.typing as npt

from svmosaic.engine.problem import DoubleArray, FloatArray, IndexArray

def distinct_rows(
    rows: object, labels: IndexArray, weights: DoubleArray
) -> tuple[IndexArray, DoubleArray]: ...
def central_sample(rows: object, problem: object) -> int: ...
def boundary_pairs(
    rows: object,
    first: IndexArray,
    second: IndexArray,
    n_threads: int,
    max_time: float,
    progress: object | None,
) -> tuple[IndexArray, IndexArray]: ...
def midpoints(
    rows: object, first: IndexArray, second: IndexArray, n_threads: int
) -> tuple[FloatArray, DoubleArray]: ...
def solve_online_svm(
    rows: object,
    boundary: object,
    gamma: float,
    tasks: list[Any],
    settings: object,
    n_threads: int,
    max_time: float,
    progress: object | None,
) -> list[dict[str, Any]]: ...
def solve_dual_descent(
    rows: object,
    kernel: object,
    problems: list[Any],
    settings: object,
    n_threads: int,
    max_time: float,
    progress: object | None,
) -> list[dict[str, Any]]: ...
def simd_level() -> str: ...
def best_simd_level() -> str: ...
def force_simd_level(name: str) -> None: ...
def time_columns(
    rows: object, kernel: object, n_columns: int, repeats: int, n_threads: int
) -> float: ...
def time_update(n: int, repeats: int, n_threads: int) -> float: ...
def solve_ollawv(
    rows: object,
    kernel: object,
    problems: list[Any],
    settings: object,
    n_threads: int,
    max_time: float,
    progress: object | None,
) -> list[dict[str, Any]]: ...
def refine(
    rows: object,
    kernel: object,
    tasks: list[Any],
    cache_mb: float,
    n_threads: int,
    max_time: float,
    progress: object | None,
) -> list[dict[str, Any]]: ...
def solve_smo(
    rows: object,
    kernel: object,
    problems: list[Any],
    starts: list[Any],
    settings: object,
    n_threads: int,
    max_time: float,
    progress: object | None,
) -> list[dict[str, Any]]: ...
def solve_minimal_norm(
    rows: object,
    kernel: object,
    problems: list[Any],
    settings: object,
    n_threads: int,
    max_time: float,
    progress: object | None,
) -> list[dict[str, Any]]: ...
def solve_nnisda(
    rows: object,
    kernel: object,
    problems: list[Any],
    settings: object,
    n_threads: int,
    max_time: float,
    progress: object | None,
) -> list[dict[str, Any]]: ...
def solve_uniform(
    rows: object,
    kernel: object,
    problems: list[Any],
    settings: object,
    n_threads: int,
    max_time: float,
    progress: object | None,
) -> list[dict[str, Any]]: ...
def solve_simple_smo(
    rows: object,
    kernel: object,
    problems: list[Any],
    settings: object,
    n_threads: int,
    max_time: float,
    progress: object | None,
) -> list[dict[str, Any]]: ...
def decide(
    rows: object,
    vectors: object,
    support: IndexArray,
    kernel: object,
    offsets: IndexArray,
    outputs: IndexArray,
    values: DoubleArray,
    intercepts: DoubleArray,
    n_threads: int,
) -> DoubleArray: ...
def sum_rows(
    table: DoubleArray, n_columns: int, places: IndexArray, weights: DoubleArray
) -> DoubleArray: ...
def gram_of_rows(
    table: DoubleArray, n_columns: int, places: IndexArray, instances: IndexArray
) -> DoubleArray: ...
def solve_kernel_sgd(
    rows: object,
    kernel: object,
    tasks: list[Any],
    settings: object,
    n_threads: int,
    max_time: float,
    progress: object | None,
) -> list[dict[str, Any]]: ...
def solve_linear_sgd(
    rows: object,
    tasks: list[Any],
    settings: object,
    n_threads: int,
    max_time: float,
    progress: object | None,
) -> list[dict[str, Any]]: ...
def solve_olla_l2(
    rows: object,
    kernel: object,
    tasks: list[Any],
    settings: object,
    n_threads: int,
    max_time: float,
    progress: object | None,
) -> list[dict[str, Any]]: ...

class LibsvmTextError(ValueError): ...

class LibsvmTextParser:
    def __init__(
        self,
        *,
        max_features: int = 10000000,
        max_line_bytes: int = 16777216,
        allow_nonfinite: bool = False,
    ) -> None: ...
    def feed(self, chunk: bytes) -> None: ...
    def finish(
        self,
    ) -> tuple[DoubleArray, IndexArray, npt.NDArray[np.int32], DoubleArray, int]: ...
    @property
    def line(self) -> int: ...

def pair_distances(
    rows: object, vectors: object, absolute: bool, n_threads: int
) -> DoubleArray: ...
def tune_regression(
    distances: DoubleArray,
    targets: DoubleArray,
    columns: DoubleArray,
    links: list[Any],
    weights: DoubleArray,
    train: DoubleArray,
    test: DoubleArray,
    starts: DoubleArray,
    settings: object,
    keep: bool,
    n_threads: int,
    progress: object | None,
) -> tuple[list[Any], DoubleArray]: ...
def tune_ollawv(
    rows: object,
    kernel: object,
    labels: IndexArray,
    weights: DoubleArray,
    splits: list[Any],
    settings: object,
    n_threads: int,
    max_time: float,
    progress: object | None,
) -> tuple[DoubleArray, DoubleArray]: ...
