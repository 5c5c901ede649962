"""
Gamma without tuning
====================

A usable width of the rbf kernel can be read off the data: half-way points between neighbours of
different classes tell how far apart the classes are. ``gamma="cbp-radius"`` does that in one
step. The curve shows what a search over gamma would have found.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score

from svmosaic import SMOClassifier, radius_sigma

# The fields of a chess board.
rng = np.random.default_rng(0)
fields = rng.integers(0, 4, (500, 2))
X, y = fields + rng.normal(scale=0.3, size=(500, 2)), fields.sum(axis=1) % 2
gammas = np.logspace(-2, 3, 16)
scores = [cross_val_score(SMOClassifier(gamma=g, C=10.0), X, y, cv=3).mean() for g in gammas]
found = 1 / (2 * radius_sigma(X, y) ** 2)
scale = 1 / (X.shape[1] * X.var())

fig, ax = plt.subplots(layout="constrained")
ax.semilogx(gammas, scores, "o-", color="#767676", label="3-fold accuracy")
ax.axvline(found, color="#0072B2", label='gamma="cbp-radius"')
ax.axvline(scale, color="#D55E00", ls="--", label='gamma="scale"')
ax.set(xlabel="gamma", ylabel="accuracy", title="A width from the data, and the search it saves")
ax.legend(frameon=False, loc="lower center")
ax.spines[["top", "right"]].set_visible(False)
