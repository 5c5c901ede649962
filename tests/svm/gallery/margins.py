"""The margin of a line between two clouds, with a large and with a small penalty."""

import numpy as np
from sklearn import svm

rng = np.random.default_rng(3)
labels = np.repeat(["left", "right"], 25)
points = rng.normal(size=(50, 2)) + np.where(labels == "left", -1.8, 1.8)[:, None]

RESULTS = {}
for C in (1.0, 0.02):
    model = svm.SVC(kernel="linear", C=C)
    model.fit(points, labels)
    across, along = model.coef_.ravel()
    RESULTS[f"C={C}: direction"] = np.arctan2(along, across)
    RESULTS[f"C={C}: width"] = 2.0 / np.linalg.norm(model.coef_)
    RESULTS[f"C={C}: vectors"] = model.n_support_
    RESULTS[f"C={C}: decisions"] = model.decision_function(rng.normal(size=(5, 2)))
