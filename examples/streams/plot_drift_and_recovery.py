"""
Drift and recovery
==================

After 6000 samples the rule that makes the labels changes. ``StreamOLLAWV`` notices, forgets what
no longer holds and recovers; a model that keeps everything does not. Every sample is predicted
before it is learned.
"""

import matplotlib.pyplot as plt
from sklearn.naive_bayes import GaussianNB

from svmosaic import StreamOLLAWV
from svmosaic.plots import plot_prequential
from svmosaic.streams import ConceptDrift, Sine, prequential

concepts = [Sine(function=1, seed=1), Sine(function=2, seed=1)]
drifting = ConceptDrift(concepts, positions=[6_000], width=1, seed=0)
learners = {"StreamOLLAWV": StreamOLLAWV(), "naive Bayes": GaussianNB()}
result = prequential(learners, drifting, n_samples=12_000, chunk=500)

for row in result.summary():
    print(f"{row['learner']:14} accuracy {row['accuracy']:.3f}")

# %%
fig, ax = plt.subplots(layout="constrained")
plot_prequential(result, ax=ax, title="A sudden change after 6000 samples")
