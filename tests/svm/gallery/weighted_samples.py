"""What heavy samples do to a boundary."""

import numpy as np
from sklearn.svm import SVC

rng = np.random.default_rng(1)
y = np.arange(24) % 2
X = rng.normal(size=(24, 2)) + y[:, np.newaxis]
weights = rng.exponential(size=24)
weights[20:] *= 6.0

places = rng.uniform(-3.0, 4.0, size=(200, 2))
light, heavy = SVC(gamma=0.8).fit(X, y), SVC(gamma=0.8).fit(X, y, weights)

RESULTS = {
    "light": light.decision_function(places),
    "heavy": heavy.decision_function(places),
    "share that changed": np.mean(light.predict(places) != heavy.predict(places)),
}
