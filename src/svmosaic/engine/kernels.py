"""The kernels that the library knows: one table, which everything else asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

__all__ = [
    "KERNELS",
    "SAMPLE_KERNELS",
    "Kernel",
    "KernelFunction",
    "KernelKind",
    "KernelSpec",
    "kernel_spec",
]

# k(X, Z): kernel values of all pairs of samples of two arrays.
KernelFunction = Callable[[Any, Any], Any]

KernelKind = Literal["linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed"]


@dataclass(frozen=True)
class Kernel:
    """What is known of a kernel; ``cpp/core/kernel.hpp`` has the same table for the core.

    Attributes
    ----------
    formula : str
        k(x, z) in words.
    parameters : tuple of str
        The parameters that it uses, of gamma, degree and coef0.
    is_distance : bool
        Whether it depends on the distance of two samples only, so that k(x, x) = 1.
    is_positive_definite : bool
        Whether every kernel matrix is positive semidefinite. Without that an SVM has no unique
        solution and its dual gap certifies nothing.
    """

    formula: str
    parameters: tuple[str, ...] = ()
    is_distance: bool = False
    is_positive_definite: bool = True


KERNELS: dict[str, Kernel] = {
    "linear": Kernel("x'z"),
    "poly": Kernel("(gamma x'z + coef0)^degree", ("gamma", "degree", "coef0")),
    "rbf": Kernel("exp(-gamma |x - z|^2)", ("gamma",), is_distance=True),
    # tanh has negative eigenvalues for most gamma and coef0.
    "sigmoid": Kernel("tanh(gamma x'z + coef0)", ("gamma", "coef0"), is_positive_definite=False),
    "laplacian": Kernel("exp(-gamma |x - z|_1)", ("gamma",), is_distance=True),
    # What a caller passes may have negative eigenvalues.
    "precomputed": Kernel("given", is_positive_definite=False),
}
# Kernels between samples, for estimators that sort and split rows.
SAMPLE_KERNELS = tuple(name for name in KERNELS if name != "precomputed")


@dataclass(frozen=True)
class KernelSpec:
    """A kernel and its parameters, all numbers resolved.

    Attributes
    ----------
    kind : str
        A name of `KERNELS`; ``"precomputed"`` for a function.
    gamma, degree, coef0 : float, int, float
        Its parameters.
    function : callable or None
        The kernel itself, where the caller wrote it.
    """

    kind: KernelKind
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0
    function: KernelFunction | None = None

    @property
    def uses_gamma(self) -> bool:
        """Whether the value of gamma matters."""
        return "gamma" in KERNELS[self.kind].parameters


def kernel_spec(
    kernel: str | KernelFunction, gamma: float = 1.0, degree: int = 3, coef0: float = 0.0
) -> KernelSpec:
    """Return the kernel that an estimator's parameters name, with gamma resolved."""
    if callable(kernel):
        return KernelSpec("precomputed", function=kernel)
    return KernelSpec(kernel, float(gamma), int(degree), float(coef0))  # type: ignore[arg-type]
