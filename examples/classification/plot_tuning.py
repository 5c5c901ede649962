"""
Choose C and gamma
==================

``OLLAWVClassifierCV`` tries the whole grid in one call and shares distances between all fits.
Beside it, ``GridSearchCV`` with scikit-learn's SVC does the same search.
"""

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from svmosaic import OLLAWVClassifierCV
from svmosaic.plots import plot_heat_map

X, y = load_breast_cancer(return_X_y=True)
X = MinMaxScaler().fit_transform(X)
Cs, gammas = np.array([0.1, 1, 10, 100, 1000]), np.array([0.01, 0.1, 1, 10])

begin = perf_counter()
ours = OLLAWVClassifierCV(Cs=Cs, gammas=gammas, cv=5).fit(X, y)
middle = perf_counter()
peer = GridSearchCV(SVC(), {"C": Cs, "gamma": gammas}, cv=5).fit(X, y)
end = perf_counter()
print(f"OLLAWVClassifierCV {middle - begin:.2f} s, GridSearchCV(SVC) {end - middle:.2f} s")
print(f"best: {ours.best_score_:.4f} and {peer.best_score_:.4f}")

# %%
scores = peer.cv_results_["mean_test_score"].reshape(len(Cs), len(gammas))
fig, ax = plt.subplots(layout="constrained")
title = f"chosen: C={ours.best_params_['C']:g}, gamma={ours.best_params_['gamma']:g}"
plot_heat_map(scores, gammas, Cs, xlabel="gamma", ylabel="C", label="accuracy", ax=ax, title=title)
