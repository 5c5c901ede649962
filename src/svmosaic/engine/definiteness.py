"""Whether a kernel is positive semidefinite on given samples: what a dual gap rests on."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.linalg import lapack

from svmosaic.engine.expansion import kernel_matrix
from svmosaic.engine.kernels import KERNELS, KernelSpec
from svmosaic.engine.problem import DoubleArray, IndexArray

__all__ = ["Intercept", "is_known_semidefinite", "is_semidefinite_on"]

# How a problem treats its intercept: free, part of the norm, or left out.
Intercept = Literal["free", "regularised", "none"]

# A matrix of this many samples is factorised in hundredths of a second.
_MOST_SAMPLES = 1000
# Rounding of kernel values in single precision gives negative eigenvalues of this relative size.
_ROUNDING = 1e-5


def is_known_semidefinite(kernel: KernelSpec) -> bool:
    """Say whether every matrix of a kernel is positive semidefinite, by its formula."""
    if kernel.kind == "poly" and kernel.coef0 < 0.0:
        return False
    return KERNELS[kernel.kind].is_positive_definite


def is_semidefinite_on(
    kernel: KernelSpec, X: Any, samples: IndexArray, intercept: Intercept
) -> bool:
    """Say whether a kernel is positive semidefinite for a problem over some rows of `X`.

    Of more than 1000 samples, 1000 evenly spaced ones are looked at. A negative eigenvalue that
    only the others would show, or one that is as small as rounding, is not seen.

    Parameters
    ----------
    kernel : KernelSpec
        The kernel.
    X : {ndarray, csr_array}
        All rows; for a precomputed kernel, the kernel matrix.
    samples : ndarray of int64
        The rows of the problem.
    intercept : {"free", "regularised", "none"}
        With a free intercept the coefficients sum to zero, and only such directions count. A
        regularised one adds 1 to the kernel.
    """
    n = min(samples.size, _MOST_SAMPLES)
    chosen = samples[np.linspace(0, samples.size - 1, n).astype(np.int64)]
    if kernel.kind == "precomputed" and kernel.function is None:
        K = np.asarray(X[np.ix_(chosen, chosen)], dtype=np.float64)
    else:
        K = kernel_matrix(kernel, X[chosen], X[chosen])
    K = 0.5 * (K + K.T)
    scale = float(np.abs(K).max(initial=0.0))
    if intercept == "free":
        means = K.mean(axis=0)
        K += means.mean() - means - means[:, np.newaxis]
    elif intercept == "regularised":
        K += 1.0
    return scale == 0.0 or _has_factor(K, _ROUNDING * scale)


def _has_factor(K: DoubleArray, shift: float) -> bool:
    K[np.diag_indices_from(K)] += shift
    return int(lapack.dpotrf(K, overwrite_a=True)[1]) == 0
