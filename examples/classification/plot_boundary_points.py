"""
Points on the boundary, before any training
===========================================

A characteristic boundary point lies midway between two rows of different classes, with no third
row nearer to it. Together the points trace the boundary and tell the scale of the data: their radii
give a width for the rbf kernel, and ``SVMCBPClassifier`` learns from the points themselves.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from svmosaic import (
    OGEClassifier,
    SVMCBPClassifier,
    SVMCBPClassifierCV,
    characteristic_boundary_points,
    peak_sigma,
    radius_sigma,
)
from svmosaic.plots import plot_boundary, plot_boundary_points

X, y = make_moons(200, noise=0.25, random_state=0)
found = characteristic_boundary_points(X, y)
print(f"{len(found.points)} points for {len(X)} rows")
print(f"widths: {radius_sigma(X, y):.2f} by radii, {peak_sigma(X, y):.2f} by the peak of the norm")
for model in (OGEClassifier(), SVMCBPClassifier(), SVMCBPClassifierCV(cv=3)):
    print(f"{type(model).__name__:20} {model.fit(X, y).score(X, y):.3f}")

# %%
# On the left the points, with the balls that hold no other row. On the right the boundary that an
# SVM learns from them.
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
plot_boundary_points(X, y, ax=left, title="Boundary points and their balls")
plot_boundary(model, X, y, ax=right, support=False, margins=False, title="The boundary")
