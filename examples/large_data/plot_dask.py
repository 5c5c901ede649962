"""
Rows on a Dask cluster
======================

Rows stay on their workers; only the few that may become support vectors travel. The cluster of
this example is this computer. ``to_local`` returns the ordinary estimator.
"""

from importlib.util import find_spec

import matplotlib.pyplot as plt
import numpy as np

from svmosaic.plots import plot_boundary

if find_spec("distributed") is None:
    raise SystemExit("Dask is not installed. Run: pip install 'svmosaic[dask]'")

import dask.array as da
from distributed import Client

from svmosaic.dask import DaskOLLAWVClassifier

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, size=(2_000, 2))
y = (X**2).sum(axis=1) < 0.5

with Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None):
    rows, labels = da.from_array(X, chunks=(500, -1)), da.from_array(y, chunks=500)
    model = DaskOLLAWVClassifier(C=10.0).fit(rows, labels)
    print(model.fit_report_)
    local = model.to_local()

# %%
fig, ax = plt.subplots(layout="constrained")
plot_boundary(local, X, y, ax=ax, title="Trained on four partitions, used here")
