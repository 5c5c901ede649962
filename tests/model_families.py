"""Fitted models of all families, for tests of what must hold for each of them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_diabetes, load_iris
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from svmosaic import (
    SVRCC,
    SVRRC,
    SVRTC,
    SVRWC,
    CalibratedClassifier,
    KernelPrimalSVC,
    MNSVMClassifier,
    MultiTargetSVR,
    NLSGDClassifier,
    NNISDAClassifier,
    OGEClassifier,
    OLLAL2Classifier,
    OLLAWVClassifier,
    OLLAWVClassifierCV,
    OnlineSVMCBPClassifier,
    OnlineSVMClassifier,
    SMOClassifier,
    SMORegressor,
    StreamOLLAL2,
    StreamOLLAWV,
    SVMCBPClassifier,
    SVMEnsembleClassifier,
    UniformSVC,
)
from svmosaic.preprocessing import ConstantHolder

IRIS, SPECIES = load_iris(return_X_y=True)
ORDER = np.random.default_rng(0).permutation(150)
# In an order that a stream could have.
IRIS, SPECIES = IRIS[ORDER], SPECIES[ORDER]
NAMES = np.array(["setosa", "versicolor", "virginica"])[SPECIES]
BODY, DISEASE = (part[:80] for part in load_diabetes(return_X_y=True))
TARGETS = np.column_stack([DISEASE, DISEASE * BODY[:, 0] + 50 * BODY[:, 2], 100 * BODY[:, 3]])
# Other rows than those of training, most of them near.
NEAR = IRIS + 0.2 * np.random.default_rng(1).standard_normal(IRIS.shape)
GAPS = np.where(np.random.default_rng(2).random(IRIS.shape) < 0.1, np.nan, IRIS)
ENSEMBLE = {"gamma_factors": [0.25, 1.0], "Cs": [1.0, 10.0], "cv": 2}
CHAIN = {"Cs": [1.0, 10.0], "epsilons": [0.1], "cv": 2}


def _on(X, y, test=None):
    return X, y, (X if test is None else test)


IRIS_DATA = _on(IRIS, SPECIES, NEAR)
TWO_CLASSES = _on(IRIS, SPECIES == 2, NEAR)
TWO_NUMBERS = _on(IRIS, np.where(SPECIES == 2, 5, -3), NEAR)
WITH_NAMES = _on(IRIS, NAMES, NEAR)
IN_FLOAT32 = _on(IRIS.astype(np.float32), SPECIES, NEAR.astype(np.float32))
WITH_GAPS = _on(GAPS, SPECIES)
SPARSE = _on(sp.csr_array(np.where(IRIS > 1.5, IRIS, 0.0)), SPECIES)
ONE_TARGET = _on(BODY, DISEASE)
ALL_TARGETS = _on(BODY, TARGETS)

# name -> estimator, (training samples, labels or targets, samples to predict)
FAMILIES = {
    "OLLAWV rbf": (OLLAWVClassifier(), IRIS_DATA),
    "OLLAWV linear": (OLLAWVClassifier(kernel="linear"), TWO_NUMBERS),
    "OLLAWV poly": (OLLAWVClassifier(kernel="poly", degree=2, coef0=1.0), IRIS_DATA),
    "OLLAWV sigmoid": (OLLAWVClassifier(kernel="sigmoid", gamma=0.01), TWO_NUMBERS),
    "OLLAWV laplacian": (OLLAWVClassifier(kernel="laplacian"), WITH_NAMES),
    "OLLAWV one-vs-rest": (OLLAWVClassifier(multi_class="ovr"), WITH_NAMES),
    "OLLAWV all pairs": (OLLAWVClassifier(decision_function_shape="ovo"), IRIS_DATA),
    "OLLAWV not refined": (OLLAWVClassifier(refine=None), TWO_CLASSES),
    "OLLAWV boundary width": (OLLAWVClassifier(gamma="cbp"), IRIS_DATA),
    "OLLAWV float32": (OLLAWVClassifier(), IN_FLOAT32),
    "OLLAWV sparse": (OLLAWVClassifier(), SPARSE),
    "SMO": (SMOClassifier(), TWO_NUMBERS),
    "SMO poly": (SMOClassifier(kernel="poly", degree=3, coef0=1.0), IRIS_DATA),
    "MNSVM": (MNSVMClassifier(), IRIS_DATA),
    "NNISDA": (NNISDAClassifier(), WITH_NAMES),
    "uniform": (UniformSVC(), IRIS_DATA),
    "NL-SGD": (NLSGDClassifier(), IRIS_DATA),
    "NL-SGD linear": (NLSGDClassifier(kernel="linear", fit_intercept=True), IRIS_DATA),
    "OLLA-L2": (OLLAL2Classifier(), IRIS_DATA),
    "kernel primal": (KernelPrimalSVC(), TWO_NUMBERS),
    "OGE": (OGEClassifier(), IRIS_DATA),
    "SVM-CBP": (SVMCBPClassifier(sigma=1.0), IRIS_DATA),
    "online SVM": (OnlineSVMClassifier(), IRIS_DATA),
    "online SVM-CBP": (OnlineSVMCBPClassifier(max_iter=400), IRIS_DATA),
    "stream OLLAWV": (StreamOLLAWV(chunk_size=30), IRIS_DATA),
    "stream OLLAWV published": (StreamOLLAWV(rule="published", chunk_size=30), WITH_NAMES),
    "stream OLLA-L2": (StreamOLLAL2(chunk_size=30), TWO_CLASSES),
    "scaled": (make_pipeline(StandardScaler(), OLLAWVClassifier()), IRIS_DATA),
    "imputed": (
        make_pipeline(SimpleImputer(), ConstantHolder(), MinMaxScaler(), SMOClassifier()),
        WITH_GAPS,
    ),
    "largest 1": (make_pipeline(MaxAbsScaler(), MNSVMClassifier(multi_class="ovr")), IRIS_DATA),
    "ensemble": (SVMEnsembleClassifier(**ENSEMBLE), WITH_NAMES),
    "calibrated": (CalibratedClassifier(OLLAWVClassifier()), WITH_NAMES),
    "calibrated steps": (
        make_pipeline(MinMaxScaler(), CalibratedClassifier(SMOClassifier(), method="isotonic")),
        TWO_NUMBERS,
    ),
    "calibrated stream": (CalibratedClassifier(StreamOLLAWV()), IRIS_DATA),
    "SVR": (SMORegressor(C=100.0), ONE_TARGET),
    "SVR linear": (SMORegressor(kernel="linear", C=100.0), ONE_TARGET),
    "SVR scaled": (make_pipeline(StandardScaler(), SMORegressor(kernel="poly")), ONE_TARGET),
    "targets alone": (MultiTargetSVR(**CHAIN), ALL_TARGETS),
    "one target": (MultiTargetSVR(kernel="laplacian", **CHAIN), ONE_TARGET),
    "random chains": (SVRRC(n_chains=3, **CHAIN), ALL_TARGETS),
    "correlation chain": (SVRCC(appended="out_of_fold", **CHAIN), ALL_TARGETS),
    "weighted chains": (SVRWC(n_chains=2, **CHAIN), ALL_TARGETS),
    "trees and chains": (SVRTC(n_chains=2, n_trees=5, **CHAIN), ALL_TARGETS),
}
# Searches keep a model that is one of these, and their tables.
SEARCHES = {
    "search": (OLLAWVClassifierCV(gammas=[0.1, 1.0], Cs=[1.0], cv=3), IRIS_DATA),
    "scaled search": (
        make_pipeline(StandardScaler(), OLLAWVClassifierCV(gammas=[0.1], Cs=[1.0, 10.0], cv=3)),
        WITH_NAMES,
    ),
}


def fitted_family(name):
    """Return a fitted model and samples to predict."""
    model, (X, y, test) = {**FAMILIES, **SEARCHES}[name]
    return model.fit(X, y), test


def predictions(model, X):
    """Return all that a model predicts, by the names that ONNX files give it."""
    if not hasattr(model, "classes_"):
        return {"prediction": model.predict(X)}
    found = {"label": model.predict(X)}
    if hasattr(model, "predict_proba"):
        found["probability"] = model.predict_proba(X)
    else:
        found["decision"] = model.decision_function(X)
    return found
