"""A small class beside a large one, and weights that make up for it."""

from sklearn import svm
from sklearn.datasets import make_blobs

X, y = make_blobs([400, 40], centers=[[0, 0], [1.8, 1.8]], cluster_std=[1.4, 0.6], random_state=7)

RESULTS = {}
for weight in (None, {1: 10}, "balanced"):
    for kernel in ("linear", "rbf"):
        model = svm.SVC(kernel=kernel, class_weight=weight).fit(X, y)
        RESULTS[f"{weight} {kernel}: found"] = model.predict(X).mean()
        RESULTS[f"{weight} {kernel}: decisions"] = model.decision_function(X[::20])
        RESULTS[f"{weight} {kernel}: weights"] = model.class_weight_
