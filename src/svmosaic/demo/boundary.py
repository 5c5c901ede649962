"""The figure of a boundary: the exact SVM, its margins, and the best boundary there can be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import multivariate_normal

from svmosaic.classification.ollawv import OLLAWVClassifier
from svmosaic.demo.chapter import to_figure
from svmosaic.plots import plot_boundary
from svmosaic.reports import Figure

__all__ = ["bayes_decision", "draw_boundary", "draw_gaussians"]

DoubleArray = NDArray[np.float64]

_GAMMA, _C = 0.25, 1.0

_CLASSES = (
    multivariate_normal([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]]),
    multivariate_normal([2.0, 2.0], [[2.5, -0.8], [-0.8, 0.9]]),
)


def draw_gaussians(n_samples: int) -> tuple[DoubleArray, NDArray[np.int64]]:
    """Return samples of two normal classes of equal share with different covariances."""
    rng = np.random.default_rng(3)
    half = n_samples // 2
    X = np.vstack([density.rvs(half, random_state=rng) for density in _CLASSES])
    return X, np.repeat(np.arange(2), half)


def bayes_decision(points: DoubleArray) -> DoubleArray:
    """Return the logarithm of the ratio of the true densities, positive for class 1."""
    return np.asarray(_CLASSES[1].logpdf(points) - _CLASSES[0].logpdf(points))


def draw_boundary(n_samples: int) -> Figure:
    """Return the figure of an exact SVM on two normal classes."""
    X, y = draw_gaussians(n_samples)
    model = OLLAWVClassifier(gamma=_GAMMA, C=_C).fit(X, y)
    new_X, new_y = draw_gaussians(20 * n_samples)
    ours = float(model.score(new_X, new_y))
    best = float(np.mean((bayes_decision(new_X) > 0) == new_y))
    return to_figure(
        plot_boundary(model, X, y),
        f"Boundary, margins and support vectors of the exact SVM on {n_samples} samples",
        f"Two normal classes, {n_samples} samples. Rings mark support vectors, dashed lines the "
        f"margins. Accuracy on new samples {ours:.1%}; of the best classifier {best:.1%}.",
    )
