"""Curves that three kernels lay through noisy points."""

import numpy as np
from sklearn.svm import SVR

rng = np.random.default_rng(5)
x = np.linspace(0.0, 6.0, 60)
noisy = np.cos(x) + 0.2 * rng.standard_normal(60)
noisy[::12] += 1.5

RESULTS = {}
for options in (
    {"kernel": "rbf", "C": 50.0, "gamma": 0.5},
    {"kernel": "linear", "C": 50.0},
    {"kernel": "poly", "C": 5.0, "gamma": 0.2, "coef0": 1.0, "degree": 4},
):
    model = SVR(epsilon=0.15, **options).fit(x[:, np.newaxis], noisy)
    RESULTS[f"{options}: curve"] = model.predict(x[::3, np.newaxis])
    RESULTS[f"{options}: score"] = model.score(x[:, np.newaxis], noisy)
