"""
Calibrated probabilities
========================

An SVM returns decision values, not probabilities. ``CalibratedClassifier`` adds probabilities
that mean what they say: of the rows with 70 %, about 70 % belong to the class.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import train_test_split

from svmosaic import CalibratedClassifier, OLLAWVClassifier
from svmosaic.plots import plot_reliability

X, y = make_moons(4_000, noise=0.45, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)

model = CalibratedClassifier(OLLAWVClassifier(gamma=1.0, C=10.0)).fit(X_train, y_train)
probability = model.predict_proba(X_test)[:, 1]
# What people do without calibration: squash the decision values.
squashed = 1 / (1 + np.exp(-5 * model.estimator_.decision_function(X_test)))

# %%
curves = {"calibrated": probability, "squashed": squashed}
for name, values in curves.items():
    print(f"{name:10} Brier score {brier_score_loss(y_test, values):.3f}")

fig, ax = plt.subplots(layout="constrained")
happened = y_test == 1
plot_reliability(
    {name: (happened, values) for name, values in curves.items()},
    ax=ax,
    title="How often it happened, against what was predicted",
)
