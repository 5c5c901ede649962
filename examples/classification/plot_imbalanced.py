"""
Rare classes: weights
=====================

Three of a hundred rows are positive. A weight means repetition, so ``class_weight="balanced"``
makes both classes count the same. The boundary moves, and more of the rare class is found.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs
from sklearn.metrics import precision_score, recall_score

from svmosaic import OLLAWVClassifier
from svmosaic.plots import plot_boundary

centres = [[0, 0], [2.2, 0.5]]
X, y = make_blobs([970, 30], centers=centres, cluster_std=[1.0, 0.6], random_state=0)
X_new, y_new = make_blobs([970, 30], centers=centres, cluster_std=[1.0, 0.6], random_state=1)

fig, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for ax, weight in zip(axes, (None, "balanced"), strict=True):
    model = OLLAWVClassifier(gamma=0.5, class_weight=weight).fit(X, y)
    said = model.predict(X_new)
    recall, precision = recall_score(y_new, said), precision_score(y_new, said)
    title = f"class_weight={weight!r}: {recall:.0%} found, {precision:.0%} right"
    plot_boundary(model, X, y, ax=ax, support=False, margins=False, title=title)
