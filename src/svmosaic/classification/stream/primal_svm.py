"""Models with a weight per feature: an L2-SVM for each pair of classes, or least squares for many.

The features are those of the samples, or their kernel values with a few of them, the landmarks.
With landmarks the model is a combination of a few hundred kernel functions, and all samples decide
on its coefficients: what long windows teach, at the price of few vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from svmosaic.engine import cpu
from svmosaic.engine.class_pairs import MultiClass, class_pairs
from svmosaic.engine.kernels import KernelSpec
from svmosaic.engine.problem import DenseRows, DoubleArray, FloatArray, IndexArray
from svmosaic.utils.side_by_side import call_side_by_side

__all__ = ["Precision", "fit_planes", "is_soon_done", "norm_of_landmarks"]

# Of the largest entry: added to the diagonal, so that near copies among landmarks do no harm. The
# kernel values have seven digits.
_JITTER = 1e-6
# The intercept is hardly penalised: only enough that the matrix can always be inverted.
_INTERCEPT_PENALTY = 1e-6
# Ctrl-C waits for what runs beside the calling thread: this many multiplications take 0.1 seconds.
_MOST_BESIDE = 1e9
# With this many times as many features as samples, combinations of the samples are found faster.
_WIDE = 2
# Newton's steps of most trainings.
_USUAL_STEPS = 4


@dataclass(frozen=True)
class Precision:
    """When Newton's method stops.

    Attributes
    ----------
    gain : float
        When a step lowers the objective by less than this share of it.
    max_steps : int
        After this many steps.
    """

    gain: float
    max_steps: int


def norm_of_landmarks(kernel_values: FloatArray) -> DoubleArray:
    """Return the matrix P for which w'Pw is the squared norm of a combination of landmarks.

    Parameters
    ----------
    kernel_values : ndarray of shape (n_landmarks, n_landmarks)
        Kernel values of the landmarks; not changed.
    """
    norm = np.array(kernel_values, dtype=np.float64)
    norm.flat[:: len(norm) + 1] += _JITTER * float(norm.diagonal().max())
    return norm


def is_soon_done(n_samples: int, n_features: int) -> bool:
    """Whether a model is trained within a tenth of a second, so that Ctrl-C can wait for it.

    Examples
    --------
    >>> from svmosaic.classification.stream.primal_svm import is_soon_done
    >>> is_soon_done(n_samples=9000, n_features=40), is_soon_done(9000, n_features=1000)
    (True, False)
    """
    # A step sums up products of features and solves equations.
    step = float(n_samples) * n_features**2 + n_features**3 / 3.0
    return _USUAL_STEPS * step <= _MOST_BESIDE


def fit_planes(
    X: FloatArray,
    labels: IndexArray,
    C: float,
    precision: Precision,
    multi_class: MultiClass,
    *,
    norm: DoubleArray | None = None,
    start: DoubleArray | None = None,
    decisions: DoubleArray | None = None,
    n_threads: int = 1,
) -> DoubleArray:
    r"""Return the weights of hyperplanes between the labels that occur.

    The L2-SVM minimises :math:`\tfrac12 w^T P w + \tfrac C2 \sum_i \max(0, 1 - y_i w x_i)^2`, where
    :math:`x_i` ends with a one. There is one for each pair of labels; or each label has a score,
    the ridge regression of its indicator. Forty classes have 780 pairs, but one matrix serves all
    of their scores.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Samples.
    labels : ndarray of shape (n_samples,)
        Classes, from 0; at least two occur.
    C : float
        Weight of the losses.
    precision : Precision
        When to stop.
    multi_class : {"ovo", "ovr"}
        Planes between pairs, or scores.
    norm : ndarray of shape (n_features, n_features), default=None
        The matrix P, positive definite. None means the identity.
    start : ndarray of shape (n_planes, n_features + 1), default=None
        Weights of a model of the same labels that is not far from the one that is looked for.
    decisions : ndarray of shape (n_samples, n_planes), default=None
        Decision values of such a model. Neither it nor `start` is of use to scores.
    n_threads : int, default=1
        Threads; the weights do not depend on them.

    Returns
    -------
    planes : ndarray of shape (n_planes, n_features + 1)
        Weights, the intercept last: for each pair, in the order and with the signs of
        `class_pairs`, or for each label.

    References
    ----------
    O. Chapelle (2007), "Training a support vector machine in the primal", Neural Computation 19.
    https://doi.org/10.1162/neco.2007.19.5.1155

    Examples
    --------
    >>> import numpy as np
    >>> from svmosaic.classification.stream.primal_svm import Precision, fit_planes
    >>> X, labels = np.array([[-1.0], [1.0], [-2.0], [2.0]]), np.array([0, 2, 0, 2])
    >>> fit_planes(X, labels, 1e6, Precision(1e-4, 20), "ovo").round(3).tolist()
    [[1.0, 0.0]]
    """
    if norm is None and X.shape[1] >= _WIDE * X.shape[0]:
        return _fit_in_span(X, labels, C, precision, multi_class, start, n_threads)
    known = np.flatnonzero(np.bincount(labels))
    if multi_class == "ovr":
        return _fit_scores(X, labels, known, C, norm, n_threads)
    pairs = class_pairs(known.size, "ovo")
    rows = DenseRows(X)

    def fit(number: int, n_threads: int) -> DoubleArray:
        positive, negative = pairs[number]
        return cpu.solve_primal(
            rows,
            np.subtract(labels == known[positive], labels == known[negative], dtype=np.float64),
            C,
            norm=norm,
            weights=None if start is None else start[number],
            decisions=None if decisions is None else decisions[:, number].copy(),
            gain=precision.gain,
            max_steps=precision.max_steps,
            n_threads=n_threads,
        )

    if len(pairs) == 1 or not is_soon_done(*X.shape):
        return np.stack([fit(number, n_threads) for number in range(len(pairs))])
    calls = [partial(fit, number, 1) for number in range(len(pairs))]
    return np.stack(call_side_by_side(calls, n_threads))


def _fit_in_span(
    X: FloatArray,
    labels: IndexArray,
    C: float,
    precision: Precision,
    multi_class: MultiClass,
    start: DoubleArray | None,
    n_threads: int,
) -> DoubleArray:
    """Return the planes as combinations of the samples: few equations for wide data."""
    rows = DenseRows(X)
    K = cpu.narrow_kernel_matrix(rows, rows, KernelSpec("linear"), n_threads=n_threads)
    decisions = None
    if start is not None:
        decisions = cpu.decide_linear(rows, start, n_threads=n_threads)
    found = fit_planes(
        *(K, labels, C, precision, multi_class),
        norm=norm_of_landmarks(K),
        decisions=decisions,
        n_threads=n_threads,
    )
    # No BLAS, whose sums depend on its threads.
    return np.stack([np.append((X * w[:-1, None]).sum(axis=0), w[-1]) for w in found])


def _fit_scores(
    X: FloatArray,
    labels: IndexArray,
    known: IndexArray,
    C: float,
    norm: DoubleArray | None,
    n_threads: int,
) -> DoubleArray:
    """Return the weights of each class against the rest, row by row."""
    m = X.shape[1]
    penalty = np.zeros((m + 1, m + 1))
    penalty[:m, :m] = np.eye(m) if norm is None else norm
    penalty[m, m] = _INTERCEPT_PENALTY
    targets = (labels[:, None] == known).astype(np.float64)
    return cpu.solve_ridge(DenseRows(X), targets, penalty / C, n_threads=n_threads)
