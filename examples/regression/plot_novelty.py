"""
Novelty detection
=================

Only normal rows are known. ``OneClassSMO`` draws a border around them; ``nu`` is the share of the
training rows that may fall outside.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from svmosaic import OneClassSMO

normal, _ = make_moons(300, noise=0.08, random_state=0)
odd = np.random.default_rng(1).uniform([-1.5, -1], [2.5, 1.5], (40, 2))

fig, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
x, y = np.meshgrid(np.linspace(-1.8, 2.8, 120), np.linspace(-1.3, 1.8, 120))
for ax, nu in zip(axes, (0.02, 0.2), strict=True):
    model = OneClassSMO(nu=nu, gamma=5.0).fit(normal)
    values = model.decision_function(np.column_stack([x.ravel(), y.ravel()])).reshape(x.shape)
    ax.contourf(x, y, values, levels=[0, values.max()], colors=["#56B4E9"], alpha=0.35)
    ax.contour(x, y, values, levels=[0], colors=["#0072B2"])
    ax.plot(*normal.T, ".", color="#767676", label="training rows")
    found = model.predict(odd) == -1
    ax.plot(*odd[found].T, "x", color="#D55E00", label="found")
    ax.plot(*odd[~found].T, "o", mfc="none", color="#D55E00", label="taken for normal")
    ax.set_title(f"nu={nu:g}: {found.sum()} of 40 random points found")
axes[0].legend(loc="upper right", fontsize="small")
