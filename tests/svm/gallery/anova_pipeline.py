"""Features chosen by analysis of variance before the classifier, in one pipeline."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

X, y = load_breast_cancer(return_X_y=True)
noise = np.random.default_rng(0).uniform(size=(len(X), 20))

RESULTS = {}
for k in (2, 5, 10, 30, 50):
    model = make_pipeline(MinMaxScaler(), SelectKBest(f_classif, k=k), SVC(C=2.0))
    scores = cross_validate(model, np.hstack([X, noise]), y, cv=4, return_train_score=True)
    RESULTS[f"{k} features: test"] = scores["test_score"]
    RESULTS[f"{k} features: train"] = scores["train_score"]
