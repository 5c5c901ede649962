"""
On a GPU, if there is one
=========================

``device="cuda"`` trains and predicts on a GPU with ``pip install 'svmosaic[gpu]'``. The model is
the same exact SVM. Without a GPU this example trains on the CPU and says so.
"""

from importlib.util import find_spec
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

from svmosaic import OLLAWVClassifier

devices = {"CPU": "cpu"}
if find_spec("torch") is not None:
    import torch

    if torch.cuda.is_available():
        devices["GPU"] = "cuda"
if "GPU" not in devices:
    print("There is no GPU here, or no PyTorch: the fit is on the CPU.")

rng = np.random.default_rng(0)
X = rng.normal(size=(6_000, 10)).astype(np.float32)
y = np.sin(X[:, 0] * 2) + X[:, 1] * X[:, 2] > 0
seconds = {}
for name, device in devices.items():
    # The first fit on a GPU compiles; the second one counts.
    for _ in range(2 if device == "cuda" else 1):
        begin = perf_counter()
        model = OLLAWVClassifier(gamma=0.1, C=10.0, n_jobs=-1, device=device).fit(X, y)
        seconds[name] = perf_counter() - begin
    print(f"{name}: {seconds[name]:.2f} s, {model.support_.size} support vectors")

# %%
fig, ax = plt.subplots(figsize=(6, 2.4), layout="constrained")
ax.barh(list(seconds), list(seconds.values()), color="#0072B2")
ax.set(xlabel="seconds to fit", title="6000 rows, the same exact SVM")
