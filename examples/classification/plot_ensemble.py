"""
Two kernels, three scalings, one mean
=====================================

Which kernel and which scaling suit a table is hard to see in advance. ``SVMEnsembleClassifier``
tunes an SVM for each pair and averages them, with larger weights for higher cross-validated scores.
Here half of the features have heavy tails, and most say nothing about the class. Each row of the
figure is an SVM on ten random splits; the last is their mean.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

from svmosaic import SVMEnsembleClassifier

X, y = make_classification(300, 20, n_informative=6, flip_y=0.05, random_state=2)
X[:, ::2] = np.sinh(1.5 * X[:, ::2])

accuracy = []
for seed in range(10):
    split = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
    X_train, X_test, y_train, y_test = split
    model = SVMEnsembleClassifier().fit(X_train, y_train)
    scaled = [scaler.transform(X_test) for scaler in model.scalers_ for _ in model.kernels]
    pairs = zip(model.members_, scaled, strict=True)
    alone = [member.score(rows, y_test) for member, rows in pairs]
    accuracy.append([*alone, model.score(X_test, y_test)])

names = [*model.member_scores_, "ensemble"]
fig, ax = plt.subplots(layout="constrained")
for place, (name, values) in enumerate(zip(names, np.transpose(accuracy), strict=True)):
    color = "#0072B2" if name == "ensemble" else "#767676"
    ax.plot(values, np.full(len(values), place), "o", color=color, alpha=0.35)
    ax.plot(values.mean(), place, "|", color=color, markersize=22, markeredgewidth=3)
ax.set_yticks(range(len(names)), names)
ax.invert_yaxis()
ax.set(xlabel="accuracy on test rows", title="Splits (dots) and their mean (line)")
ax.spines[["top", "right"]].set_visible(False)
