"""The kernels that the library knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from svmosaic.engine.problem import KernelKind, KernelSpec

__all__ = ["KERNELS", "KernelFunction", "kernel_spec"]

KERNELS: tuple[KernelKind, ...] = (
    "linear",
    "poly",
    "rbf",
    "sigmoid",
    "laplacian",
    "precomputed",
)


KernelFunction = Callable[[Any, Any], Any]


def kernel_spec(
    kernel: str | KernelFunction, gamma: float, degree: int, coef0: float
) -> KernelSpec:
    """Return the kernel for the core, which reads a callable's values as they are."""
    kind: Any = "precomputed" if callable(kernel) else kernel
    return KernelSpec(kind, gamma, int(degree), float(coef0))
