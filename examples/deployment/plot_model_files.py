"""
Save a model, load it elsewhere
===============================

``save`` writes a model with its preprocessing to one file, ``load`` reads it. The file holds arrays
and a checked description, and nothing in it is executed: unlike a pickle, a file from a stranger
cannot run code. ``export_libsvm`` writes what LIBSVM's own programs read.
"""

import pickle
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from svmosaic import OLLAWVClassifier, load, save
from svmosaic.persistence import export_libsvm, import_libsvm

X, y = load_digits(return_X_y=True)
model = make_pipeline(MinMaxScaler(), OLLAWVClassifier(gamma=0.25, C=10.0)).fit(X, y)
scaled = model[0].transform(X)

sizes = {}
with tempfile.TemporaryDirectory() as folder:
    file, text = Path(folder, "digits.svmosaic"), Path(folder, "digits.libsvm")
    save(model, file)
    export_libsvm(model[1], text)
    again, imported = load(file), import_libsvm(text, n_features=X.shape[1])
    sizes = {"svmosaic file": file.stat().st_size, "LIBSVM text": text.stat().st_size}
sizes["pickle"] = len(pickle.dumps(model))
assert np.array_equal(again.predict(X), model.predict(X))
print("LIBSVM file, same labels:", np.mean(imported.predict(scaled) == model.predict(X)))

# %%
fig, ax = plt.subplots(figsize=(6.4, 2.6), layout="constrained")
bars = ax.barh(list(sizes), [size / 1e6 for size in sizes.values()], color="#0072B2")
ax.bar_label(bars, fmt="%.2f MB", padding=4)
ax.set(xlabel="MB", title="One model, three files")
ax.spines[["top", "right"]].set_visible(False)
