"""
Which instance made the bag positive?
=====================================

A bag is positive if at least one of its instances is. Only bags have labels. ``MIRSVMClassifier``
finds the instance that decides: its representative, circled in the figure.
"""

import matplotlib.pyplot as plt
import numpy as np

from svmosaic import MIRSVMClassifier
from svmosaic.plots import plot_bag_boundary

rng = np.random.default_rng(0)
y = np.arange(40) % 2
bags = [rng.normal(size=(rng.integers(3, 7), 2)) for _ in y]
for bag, label in zip(bags, y, strict=True):
    bag[0] += 4.0 * label  # the one instance that makes a bag positive

model = MIRSVMClassifier(C=10.0, gamma=0.2, random_state=0).fit(bags, y)
print("bag 1, decision value of each instance:", model.predict_instances(bags[1]).round(2))

# %%
fig, ax = plt.subplots(layout="constrained")
plot_bag_boundary(model, bags, y, ax=ax, title="The instances that decide")
