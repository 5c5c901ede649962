"""
Predict without Python: ONNX
============================

``export_onnx`` writes a pipeline as an ONNX file. ONNX Runtime predicts with it from C++, C#,
Java or in a browser. Here both predictions are compared: they agree to rounding.
"""

import tempfile
from importlib.util import find_spec
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from svmosaic import OLLAWVClassifier, export_onnx

if find_spec("onnx") is None or find_spec("onnxruntime") is None:
    raise SystemExit("Run: pip install 'svmosaic[onnx]' onnxruntime")

import onnxruntime

X, y = load_breast_cancer(return_X_y=True)
model = make_pipeline(StandardScaler(), OLLAWVClassifier()).fit(X, y)
path = Path(tempfile.mkdtemp()) / "cancer.onnx"
export_onnx(model, path)
session = onnxruntime.InferenceSession(path)
label, decision = session.run(["label", "decision"], {"X": X})

# %%
ours = model.decision_function(X)
difference = np.abs(decision.ravel() - ours).max()
print(f"{path.stat().st_size / 1024:.0f} kB; largest difference {difference:.1e}")

fig, ax = plt.subplots(layout="constrained")
ax.plot(ours, decision.ravel(), ".", color="#0072B2")
ax.axline((0, 0), slope=1, color="#767676", lw=1)
ax.set(xlabel="svmosaic", ylabel="ONNX Runtime", title="Decision values of 569 rows")
