"""
The tube of support vector regression
=====================================

Errors within epsilon cost nothing. Rows inside of the tube do not enter the model: a wider tube
gives a smaller and smoother one.
"""

import matplotlib.pyplot as plt
import numpy as np

from svmosaic import SMORegressor

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 6, 120))
y = np.sin(x) + 0.15 * rng.normal(size=120)
grid = np.linspace(0, 6, 300)

fig, axes = plt.subplots(1, 3, figsize=(11, 3.4), sharey=True, layout="constrained")
for ax, epsilon in zip(axes, (0.05, 0.2, 0.5), strict=True):
    model = SMORegressor(epsilon=epsilon, gamma=0.5, C=10.0).fit(x[:, None], y)
    centre = model.predict(grid[:, None])
    ax.fill_between(grid, centre - epsilon, centre + epsilon, color="#56B4E9", alpha=0.35)
    ax.plot(grid, centre, color="#0072B2")
    ax.plot(x, y, ".", color="#999999")
    ax.plot(x[model.support_], y[model.support_], "o", mfc="none", color="#D55E00")
    ax.set(title=f"epsilon={epsilon:g}: {model.support_.size} of 120 rows kept", xlabel="x")
