"""
Find a change
=============

The rule behind the labels changes after 10 000 samples. A drift detector watches the errors of a
model and raises an alarm; ``score_alarms`` counts changes found and missed, false alarms and the
delay. ``DDM`` compares the error rate so far with the lowest one.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.naive_bayes import GaussianNB

from svmosaic.metrics import score_alarms
from svmosaic.streams import DDM, ConceptDrift, Sine, prequential

concepts = [Sine(function=1, seed=1), Sine(function=3, seed=1)]
stream = ConceptDrift(concepts, positions=[10_000], width=1)
result = prequential(
    {"bayes": GaussianNB()}, stream, n_samples=20_000, chunk=100, keep_predictions=True
)
predicted = result.predictions["bayes"]
first = result.labels.size - predicted.size
wrong = predicted != result.labels[first:]

# %%
# A young model errs more, so the first samples say little.
detector = DDM(min_samples=1_000)
alarms = [first + i + 1 for i, error in enumerate(wrong) if detector.update(error)]
print(score_alarms(alarms, stream.drifts, result.labels.size))

# %%
windows = wrong[: len(wrong) // 500 * 500].reshape(-1, 500).mean(axis=1)
fig, ax = plt.subplots(layout="constrained")
ax.step(first + 500 * np.arange(windows.size), windows, color="#0072B2", label="error, 500 samples")
ax.axvline(stream.drifts[0], color="#767676", ls="--", label="the change")
for number, alarm in enumerate(alarms):
    ax.axvline(alarm, color="#D55E00", label="alarm" if number == 0 else None)
ax.set(xlabel="samples", ylabel="error rate", title="A change, and when it is noticed")
ax.legend(frameon=False)
ax.spines[["top", "right"]].set_visible(False)
