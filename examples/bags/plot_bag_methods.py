"""
All classifiers of bags
=======================

The evidence is one instance of a bag, or the mean of all of them. Few methods are good at both: an
SVM on representatives finds single instances, an SVM on summaries finds shifts of the mean. Know
which kind of evidence you expect, or let ``MIRMixSVMClassifier`` weigh several views.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score

from svmosaic import Bags, MIRMixSVMClassifier, MIRSVMClassifier
from svmosaic.multi_instance import NodeCountSVMClassifier, SummarySVMClassifier
from svmosaic.multi_instance.peers import (
    BagMISVMClassifier,
    CitationKNNClassifier,
    EMDDClassifier,
    InstanceMISVMClassifier,
    MIBoostClassifier,
    MIGraphClassifier,
    MIOptimalBallClassifier,
    MIWrapperClassifier,
    SetKernelClassifier,
    SimpleMIClassifier,
    TLCClassifier,
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
    "MIR-Mix-SVM": MIRMixSVMClassifier(random_state=0),
    "MIRSVM": MIRSVMClassifier(C=10.0, gamma=0.1, random_state=0),
    "node counts": NodeCountSVMClassifier(random_state=0),
    "summary SVM": SummarySVMClassifier(),
    "set kernel": SetKernelClassifier(gamma=0.1),
    "miGraph": MIGraphClassifier(gamma=0.1),
    "MI-SVM": BagMISVMClassifier(C=10.0, gamma=0.1),
    "mi-SVM": InstanceMISVMClassifier(C=10.0, gamma=0.1),
    "SimpleMI": SimpleMIClassifier(),
    "MIWrapper": MIWrapperClassifier(),
    "MIBoost": MIBoostClassifier(),
    "TLC": TLCClassifier(random_state=0),
    "EM-DD": EMDDClassifier(random_state=0),
    "optimal ball": MIOptimalBallClassifier(),
    "citation k-NN": CitationKNNClassifier(),
}
data = {"one instance decides": make_bags(True), "the mean decides": make_bags(False)}

# %%
# Where no single instance decides, MIRSVM does not settle; it keeps its best pass and warns.
warnings.simplefilter("ignore", ConvergenceWarning)
places = np.arange(len(methods))[::-1]
fig, ax = plt.subplots(figsize=(6.4, 6), layout="constrained")
for (kind, bags), marker, colour in zip(data.items(), "os", ("#0072B2", "#E69F00"), strict=True):
    scores = [cross_val_score(model, bags, y, cv=3).mean() for model in methods.values()]
    ax.plot(scores, places, marker, color=colour, label=kind, ms=8)
ax.set_yticks(places, list(methods))
ax.set(xlim=(0.4, 1.02), xlabel="accuracy, 3 folds", title="Bags with two kinds of evidence")
ax.grid(axis="y", alpha=0.3)
fig.legend(frameon=False, loc="outside lower center", ncols=2)
ax.spines[["top", "right"]].set_visible(False)
