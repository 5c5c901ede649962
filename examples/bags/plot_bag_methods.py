"""
Five classifiers of bags
========================

The evidence is one instance of a bag, or the mean of all of them. No method is best for both: an
SVM on representatives finds single instances, an SVM on summaries finds shifts of the mean. Know
which kind of evidence you expect, or try both.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score

from svmosaic import Bags, MIRSVMClassifier
from svmosaic.multi_instance import SummarySVMClassifier
from svmosaic.multi_instance.peers import (
    BagMISVMClassifier,
    CitationKNNClassifier,
    SetKernelClassifier,
)

rng = np.random.default_rng(0)
y = np.arange(60) % 2


def make_bags(one_instance):
    """Return bags whose label shows in one instance, or in all."""
    bags = [rng.normal(size=(8, 3)) for _ in y]
    for bag, label in zip(bags, y, strict=True):
        bag[: 1 if one_instance else 8] += label * (3.0 if one_instance else 0.5)
    return Bags.from_list(bags)


methods = {
    "MIRSVM": MIRSVMClassifier(C=10.0, gamma=0.1, random_state=0),
    "MI-SVM": BagMISVMClassifier(C=10.0, gamma=0.1),
    "summary SVM": SummarySVMClassifier(),
    "set kernel": SetKernelClassifier(gamma=0.1),
    "citation k-NN": CitationKNNClassifier(),
}
data = {"one instance decides": make_bags(True), "the mean decides": make_bags(False)}

# %%
# Where no single instance decides, MIRSVM does not settle; it keeps its best pass and warns.
warnings.simplefilter("ignore", ConvergenceWarning)
fig, ax = plt.subplots(layout="constrained")
for shift, (kind, bags) in enumerate(data.items()):
    scores = [cross_val_score(model, bags, y, cv=5).mean() for model in methods.values()]
    ax.barh(
        np.arange(5) + 0.38 * shift, scores, 0.36, label=kind, color=("#0072B2", "#E69F00")[shift]
    )
ax.set_yticks(np.arange(5) + 0.19, list(methods))
ax.set(xlim=(0.4, 1), xlabel="accuracy, 5 folds", title="Bags with two kinds of evidence")
ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, -0.3), ncols=2)
ax.spines[["top", "right"]].set_visible(False)
