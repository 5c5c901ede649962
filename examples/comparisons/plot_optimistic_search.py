"""
The score of a search is too good
=================================

Labels without any pattern: no method can be right more often than half of the time. The best
score of a grid search says otherwise, because it was chosen for being high. Nested
cross-validation does not have this bias.
"""

import matplotlib.pyplot as plt
import numpy as np

from svmosaic import OLLAWVClassifier
from svmosaic.model_selection import nested_cv

grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.1, 1.0, 10.0]}
searched, honest = [], []
for seed in range(8):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 5)), rng.permutation(np.arange(60) % 2)
    result = nested_cv(
        OLLAWVClassifier(), X, y, grid=grid, outer=3, inner=3, scoring="accuracy", random_state=seed
    )
    searched.append(np.mean([split.inner_score for split in result.splits]))
    honest.append(result.mean("accuracy"))

fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.boxplot(
    [searched, honest], tick_labels=["best of the search", "nested"], orientation="horizontal"
)
ax.axvline(0.5, color="#D55E00", ls="--")
ax.set(xlabel="accuracy", title="Eight tables of pure noise: the truth is 0.5")
