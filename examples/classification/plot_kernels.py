"""
Four kernels
============

The same rows, four boundaries. ``kernel`` takes a name or a function of two arrays.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_circles

from svmosaic import SMOClassifier
from svmosaic.plots import plot_boundary

X, y = make_circles(200, noise=0.15, factor=0.4, random_state=0)


def cauchy(A, B):
    """Return heavy tails: 1 / (1 + squared distance)."""
    return 1 / (1 + ((A[:, None] - B[None]) ** 2).sum(axis=2))


kernels = {
    "rbf": SMOClassifier(gamma=1.0),
    "laplacian": SMOClassifier(kernel="laplacian", gamma=1.0),
    "poly, degree 2": SMOClassifier(kernel="poly", degree=2, gamma=1.0, coef0=1.0),
    "a function of yours": SMOClassifier(kernel=cauchy),
}
fig, axes = plt.subplots(2, 2, figsize=(8, 7), layout="constrained")
for ax, (name, model) in zip(axes.flat, kernels.items(), strict=True):
    plot_boundary(model.fit(X, y), X, y, ax=ax, resolution=80, margins=False, title=name)
