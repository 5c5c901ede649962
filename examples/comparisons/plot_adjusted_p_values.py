"""
Many pairs, adjusted p-values
=============================

Four methods make six pairs, and with six tests one may look significant by chance. Friedman's test
asks whether the methods differ at all; Wilcoxon's test compares each pair; then the p-values are
adjusted. Holm's and Shaffer's corrections are never weaker than Bonferroni's.
"""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np

from svmosaic.stats import (
    average_ranks,
    bonferroni,
    critical_difference,
    friedman,
    hochberg,
    holm,
    shaffer,
    wilcoxon,
)

rng = np.random.default_rng(3)
hardness = rng.uniform(70, 95, 16)
gains = {"A": 0.0, "B": 0.8, "C": 1.6, "D": 1.9}
scores = {name: hardness + gain + rng.normal(size=16) for name, gain in gains.items()}
print({name: round(rank, 2) for name, rank in average_ranks(scores).items()})
print(f"Friedman: p = {friedman(scores).p_value:.1g}")
print(f"ranks differ from {critical_difference(4, 16):.2f} on, by Nemenyi's test")

# %%
pairs = list(combinations(scores, 2))
raw = np.array([wilcoxon(scores[a], scores[b]).p_value for a, b in pairs])
adjusted = {
    "raw": raw,
    "Hochberg": hochberg(raw),
    "Shaffer": shaffer(raw, 4),
    "Holm": holm(raw),
    "Bonferroni": bonferroni(raw),
}
fig, ax = plt.subplots(layout="constrained")
for marker, (name, values) in zip("o^Ds|", adjusted.items(), strict=True):
    ax.plot(values, range(6), marker, label=name, ms=8, mew=2 if marker == "|" else 1)
ax.axvline(0.05, color="#767676", ls="--")
ax.set_yticks(range(6), [f"{a} and {b}" for a, b in pairs])
ax.set(xscale="log", xlabel="p-value", title="Which pairs differ at the level 0.05?")
ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
ax.spines[["top", "right"]].set_visible(False)
