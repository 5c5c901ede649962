"""From the parameters of a multi-target regressor to the grid, the scales and the threads."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from svmosaic.engine.gamma import resolve_gamma
from svmosaic.engine.problem import DoubleArray
from svmosaic.utils.threads import resolve_threads

__all__ = [
    "ChainKernel",
    "ChainSearch",
    "default_gammas",
    "target_scaling",
    "threads_that_fit",
]

ChainKernel = Literal["rbf", "laplacian"]
ChainSearch = Literal["pattern", "grid"]


def target_scaling(Y: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
    """Return the means and the standard deviations of targets."""
    # In units of a power of two, which changes no digit: squares of large targets overflow.
    largest = np.abs(Y).max(axis=0)
    exponent = np.frexp(largest)[1]
    Z = np.ldexp(Y, -exponent)
    scale = np.ldexp(Z.std(axis=0), exponent)
    # A constant target, or one that only rounding moves, has nothing left when its mean is taken.
    steady = scale <= 10 * np.finfo(np.float64).eps * largest
    mean: DoubleArray = np.ldexp(Z.mean(axis=0), exponent)
    return mean, np.where(steady, np.maximum(1.0, largest), scale)


def default_gammas(X: Any, kernel: ChainKernel) -> DoubleArray:
    """Return the eight widths to try where the caller names none."""
    n_samples = X.shape[0]
    middle = resolve_gamma("scale", X, np.arange(n_samples), np.ones(n_samples))
    if kernel == "rbf":
        return middle * np.power(4.0, np.arange(-4, 4), dtype=np.float64)
    # From 1 / (d var) to 1 / (d std): absolute distances have the unit of the inputs.
    middle = np.sqrt(middle / X.shape[1])
    return np.asarray(middle * np.power(2.0, np.arange(-5, 3), dtype=np.float64))


def threads_that_fit(
    n_samples: int, n_jobs: int | None, memory_limit_mb: float, who: str
) -> tuple[int, float]:
    """Return how many threads have room to work, and the bytes that are left then."""
    limit = 1e6 * float(memory_limit_mb)
    matrix = 8.0 * n_samples * n_samples
    # The distances; per thread, those of a link and their kernel values.
    least = 3.0 * matrix
    if least > limit:
        raise ValueError(
            f"{who} keeps the distances of all pairs of its {n_samples} samples, which takes "
            f"{least / 1e6:.3g} MB; memory_limit_mb is {memory_limit_mb:g}. Raise it or fit to "
            "fewer samples."
        )
    room = int((limit - matrix) // (2.0 * matrix))
    threads = max(1, min(resolve_threads(n_jobs), room))
    return threads, limit - matrix - threads * 2.0 * matrix
