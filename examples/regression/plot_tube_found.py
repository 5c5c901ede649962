"""
Let the data choose the tube
============================

``NuSMORegressor`` takes a share of rows instead of a width: at most ``nu`` of them lie outside of
the tube. The noisier the data, the wider the tube that it finds.
"""

import matplotlib.pyplot as plt
import numpy as np

from svmosaic import NuSMORegressor

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 6, 300))
grid = np.linspace(0, 6, 200)

fig, axes = plt.subplots(1, 3, figsize=(11, 3.4), sharey=True, layout="constrained")
for ax, noise in zip(axes, (0.05, 0.2, 0.4), strict=True):
    y = np.sin(x) + noise * rng.normal(size=x.size)
    model = NuSMORegressor(nu=0.2, gamma=0.5, C=10.0).fit(x[:, None], y)
    centre, width = model.predict(grid[:, None]), model.epsilon_
    outside = np.abs(y - model.predict(x[:, None])) > width + 1e-3
    ax.fill_between(grid, centre - width, centre + width, color="#56B4E9", alpha=0.35)
    ax.plot(grid, centre, color="#0072B2")
    ax.scatter(x, y, s=8, c=np.where(outside, "#D55E00", "#999999"))
    ax.set(title=f"noise {noise:g}: width {width:.2f}, {outside.mean():.0%} outside", xlabel="x")
