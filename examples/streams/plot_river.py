"""
Our learner inside River
========================

``RiverClassifier`` makes a classifier of River from any estimator with ``partial_fit``. It then
works in River's pipelines and metrics. River is an extra: ``pip install 'svmosaic[river]'``.
"""

from importlib.util import find_spec

import matplotlib.pyplot as plt

from svmosaic import OLLAL2Classifier
from svmosaic.streams import Sine
from svmosaic.streams.river import RiverClassifier

if find_spec("river") is None:
    raise SystemExit("River is not installed. Run: pip install 'svmosaic[river]'")

from river import compose, metrics, preprocessing, tree

models = {
    "OLLA-L2 in River": compose.Pipeline(
        preprocessing.MinMaxScaler(),
        RiverClassifier(OLLAL2Classifier(gamma=4.0, budget=300, random_state=0), chunk=50),
    ),
    "Hoeffding tree": tree.HoeffdingTreeClassifier(),
}

# %%
# River's own loop: predict one, update the metric, learn one.
X, y = Sine(function=1, seed=1).read(0, 3_000)
curves = {name: [] for name in models}
for name, model in models.items():
    accuracy = metrics.Accuracy()
    for row, label in zip(X, y.tolist(), strict=True):
        sample = dict(enumerate(row.tolist()))
        accuracy.update(label, model.predict_one(sample))
        model.learn_one(sample, label)
        curves[name].append(accuracy.get())

fig, ax = plt.subplots(layout="constrained")
for (name, values), colour in zip(curves.items(), ("#0072B2", "#D55E00"), strict=True):
    ax.plot(values, color=colour, label=f"{name}: {values[-1]:.3f}")
ax.set(xlabel="samples", ylabel="accuracy so far", ylim=(0.5, 1), title="Two models of River")
ax.legend(frameon=False, loc="lower right")
