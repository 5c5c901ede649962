"""
Synthetic streams
=================

Ten generators, and two wrappers that spoil them. A generator is a function of the position: every
chunk size gives the same samples, and any stretch can be read at once. The panels show two features
of 600 samples, coloured by class; small shifts keep apart values that are whole numbers.
"""

import matplotlib.pyplot as plt
import numpy as np

from svmosaic.streams import (
    LED,
    SEA,
    STAGGER,
    Agrawal,
    AttributeNoise,
    Blips,
    Hyperplane,
    Mixed,
    RandomRBF,
    RandomTree,
    Sine,
    Waveform,
)

streams = {
    "SEA": (SEA(seed=1), 0, 1),
    "Sine": (Sine(seed=1), 0, 1),
    "Mixed": (Mixed(seed=1), 2, 3),
    "STAGGER": (STAGGER(seed=1), 0, 1),
    "Agrawal": (Agrawal(seed=1), 0, 2),
    "Hyperplane": (Hyperplane(seed=1), 0, 1),
    "RandomRBF": (RandomRBF(seed=1), 0, 1),
    "RandomTree": (RandomTree(seed=1), 5, 6),
    "LED": (LED(seed=1), 0, 1),
    "Waveform": (Waveform(seed=1), 6, 14),
    "Sine, 20 % noise": (AttributeNoise(Sine(seed=1), 0.2), 0, 1),
    "Sine with blips": (Blips(Sine(function=1, seed=1), Sine(function=2, seed=1), 200, 40), 0, 1),
}

# %%
rng = np.random.default_rng(0)
fig, axes = plt.subplots(3, 4, figsize=(11, 8.4), layout="constrained")
for ax, (name, (stream, first, second)) in zip(axes.flat, streams.items(), strict=True):
    X, y = stream.read(0, 600)
    spread = 0.02 * (X.max(axis=0) - X.min(axis=0))
    X = X + spread * rng.normal(size=X.shape)
    ax.scatter(X[:, first], X[:, second], c=y, cmap="cividis", s=9)
    ax.set(xticks=[], yticks=[], title=name)
    print(f"{name:18} {stream.n_features:2} features, {len(stream.classes):2} classes")
