"""
Several targets at once
=======================

Twenty men in a gym: from three exercises, predict weight, waist and pulse. One call fits and
tunes the models of all targets.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_linnerud
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from svmosaic import SVRCC

data = load_linnerud()
model = make_pipeline(StandardScaler(), SVRCC())
predicted = cross_val_predict(model, data.data, data.target, cv=LeaveOneOut())

fig, axes = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained")
for target, (ax, name) in enumerate(zip(axes, data.target_names, strict=True)):
    true = data.target[:, target]
    ax.plot(true, predicted[:, target], "o", color="#0072B2")
    ax.axline((true.mean(), true.mean()), slope=1, color="#767676", lw=1)
    ax.set(title=name, xlabel="measured", ylabel="predicted, row left out")
