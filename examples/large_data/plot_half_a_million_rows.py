"""
Half a million rows
===================

The exact kernel SVM on 500 000 rows, on the cores of this computer. The time grows a little
faster than the number of rows.
"""

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

from svmosaic import OLLAWVClassifier
from svmosaic.plots import plot_growth

# The fields of a chess board, in two of six features.
rng = np.random.default_rng(0)
fields = rng.integers(0, 4, (500_000, 2))
y = fields.sum(axis=1) % 2
X = rng.normal(scale=0.1, size=(500_000, 6)).astype(np.float32)
X[:, :2] += fields

points = []
for n in (5_000, 50_000, 500_000):
    begin = perf_counter()
    model = OLLAWVClassifier(gamma=2.0, C=10.0, n_jobs=-1).fit(X[:n], y[:n])
    points.append((n, perf_counter() - begin))
    print(f"{n:7} rows: {points[-1][1]:6.2f} s, {model.support_.size} support vectors")

# %%
fig, ax = plt.subplots(layout="constrained")
plot_growth({"OLLAWVClassifier": points}, ylabel="seconds", ax=ax, title="Time of a fit")
