"""What every estimator owes: scikit-learn's checks with no expected failure, and invariances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import Ridge

from problems import problems
from scikit_learn_checks import parametrize_with_checks
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
    NuSMOClassifier,
    NuSMORegressor,
    OGEClassifier,
    OLLAL2Classifier,
    OLLAWVClassifier,
    OLLAWVClassifierCV,
    OneClassSMO,
    OnlineSVMCBPClassifier,
    OnlineSVMClassifier,
    SMOClassifier,
    SMORegressor,
    StreamOLLAL2,
    StreamOLLAWV,
    SVMCBPClassifier,
    SVMCBPClassifierCV,
    SVMEnsembleClassifier,
    UniformSVC,
)
from svmosaic.preprocessing import ConstantHolder
from svmosaic.regression.peers import ERC, ERCC, MTS, MTSC, RC, RCC, ST
from svmosaic.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

KERNELS = ["rbf", "linear", "poly", "sigmoid", "laplacian", "precomputed"]

# Small grids: the checks fit hundreds of models.
SEARCH = {"gammas": [0.1, 1.0], "margins": [0.1, 1.0], "Cs": [1.0, 100.0], "cv": 3}
# With a large C, polynomials of the checks' raw data take seconds.
SMALLER = {**SEARCH, "Cs": [0.1, 1.0]}

# Not here: start="first", the paper's rule, by which the order of the rows matters; the
# sample-weight checks shuffle them.
CHECKED = [
    OLLAWVClassifier(),
    OLLAWVClassifier(refine=None),
    OLLAWVClassifier(multi_class="ovr"),
    OLLAWVClassifier(kernel="laplacian"),
    OLLAWVClassifier(kernel="linear"),
    OLLAWVClassifierCV(**SEARCH),
    OLLAWVClassifierCV(refine=None, **SEARCH),
    CalibratedClassifier(OLLAWVClassifier()),
    CalibratedClassifier(SMOClassifier(multi_class="ovr"), method="isotonic"),
    CalibratedClassifier(SMOClassifier(kernel="precomputed"), cv=2),
    *(SMOClassifier(kernel=kernel) for kernel in ("rbf", "linear", "laplacian", "precomputed")),
    # The checks use raw data far from the origin, where a polynomial cannot converge: it warns.
    SMOClassifier(kernel="poly", coef0=1.0, max_iter=100_000),
    SMOClassifier(kernel="sigmoid", gamma=1e-3),
    SMOClassifier(multi_class="ovr", shrinking=False),
    *(SMORegressor(kernel=kernel) for kernel in ("rbf", "linear", "laplacian", "precomputed")),
    SMORegressor(kernel="poly", coef0=1.0, max_iter=100_000),
    SMORegressor(kernel="sigmoid", gamma=0.01, C=10.0),
    # The checks draw unequal classes, for which half of the samples is too large a share.
    *(NuSMOClassifier(nu=0.2, kernel=kernel) for kernel in ("rbf", "precomputed")),
    NuSMOClassifier(nu=0.1, multi_class="ovr", shrinking=False),
    NuSMOClassifier(class_weight="balanced"),
    *(NuSMORegressor(kernel=kernel) for kernel in ("rbf", "precomputed")),
    # Not here: precomputed, because the checks of detectors give samples to it.
    *(OneClassSMO(kernel=kernel) for kernel in ("rbf", "linear")),
    *(kind(kernel=kernel) for kind in (SVC, SVR) for kernel in ("rbf", "precomputed")),
    SVC(break_ties=True),
    NuSVC(nu=0.2),
    NuSVR(),
    OneClassSVM(),
    MNSVMClassifier(),
    MNSVMClassifier(multi_class="ovr"),
    NNISDAClassifier(),
    NNISDAClassifier(kernel="linear"),
    UniformSVC(),
    # A larger gamma saturates: all samples become one.
    UniformSVC(kernel="sigmoid", gamma=1e-3),
    NLSGDClassifier(),
    NLSGDClassifier(order="random", average=0.25),
    NLSGDClassifier(multi_class="ovr", fit_intercept=True),
    # Through the origin a line cannot tell three blobs apart.
    NLSGDClassifier(kernel="linear", fit_intercept=True),
    OLLAL2Classifier(),
    OLLAL2Classifier(multi_class="ovr", kernel="laplacian"),
    OLLAL2Classifier(budget=40),
    KernelPrimalSVC(),
    KernelPrimalSVC(multi_class="ovr", kernel="laplacian"),
    OGEClassifier(),
    OGEClassifier(lam=1.0, threshold=0.0),
    SVMCBPClassifier(),
    SVMCBPClassifier(sigma=1.0, ridge=1e-3),
    SVMCBPClassifierCV(lams=[0.1, 1.0], cv=3),
    SVMEnsembleClassifier(gamma_factors=[1.0], Cs=[1.0, 10.0], cv=2),
    OnlineSVMClassifier(),
    OnlineSVMCBPClassifier(),
    OnlineSVMCBPClassifier(sigma="scale", update="printed"),
    *(OLLAWVClassifier(gamma=rule) for rule in ("cbp", "cbp-radius")),
    StreamOLLAWV(),
    StreamOLLAWV(rule="published"),
    ConstantHolder(),
    StreamOLLAWV(memory="support", chunk_size=20),
    StreamOLLAL2(),
    StreamOLLAL2(gamma=0.5, chunk_size=20),
]


# Settings under which every kernel can learn the checks' raw data.
SETTINGS = {
    "linear": {},
    "poly": {"coef0": 1.0, "degree": 2, "gamma": 0.1},
    "sigmoid": {"gamma": 0.1},
    "laplacian": {},
    "precomputed": {},
}
CHECKED += [
    kind(kernel=kernel, **settings, **more)
    for kind, kernels, more in [
        (OLLAWVClassifier, ("poly", "sigmoid", "precomputed"), {}),
        (MNSVMClassifier, ("linear", "poly", "sigmoid", "laplacian", "precomputed"), {}),
        (NNISDAClassifier, ("poly", "sigmoid", "laplacian", "precomputed"), {}),
        (UniformSVC, ("linear", "poly", "laplacian", "precomputed"), {}),
        # k(x, x) of the checks' raw data is about a thousand; the intercept has to keep up.
        (OLLAL2Classifier, ("linear",), {"intercept_scaling": 1000.0}),
        (NLSGDClassifier, ("poly", "sigmoid", "laplacian", "precomputed"), {"fit_intercept": True}),
        (OLLAL2Classifier, ("poly", "sigmoid", "laplacian", "precomputed"), {}),
    ]
    for kernel, settings in SETTINGS.items()
    if kernel in kernels
]
CHECKED += [
    OLLAWVClassifierCV(
        kernel=kernel,
        **{k: v for k, v in settings.items() if k != "gamma"},
        # With a larger C a polynomial follows samples of weight 0.0001 too, that of SVC as well.
        **{**SMALLER, **({"Cs": [0.001, 0.01]} if kernel == "poly" else {})},
    )
    for kernel, settings in SETTINGS.items()
]


# Several targets. Small grids again.
CHAIN = {"gammas": [0.01, 0.1, 1.0], "Cs": [1.0, 100.0], "epsilons": [0.01, 0.1], "cv": 3}
WEIGHTED = {name: value for name, value in CHAIN.items() if name != "gammas"}
CHECKED += [
    MultiTargetSVR(**CHAIN),
    MultiTargetSVR(gammas=[0.1], Cs=[10.0], epsilons=[0.0]),
    SVRRC(**CHAIN),
    SVRRC(appended="out_of_fold", search="grid", **CHAIN),
    SVRCC(appended="out_of_fold", **CHAIN),
    SVRCC(order="cv", scale_targets=False, **CHAIN),
    SVRRC(kernel="laplacian", **CHAIN),
    SVRWC(n_chains=2, **WEIGHTED),
    SVRTC(n_chains=2, n_trees=10, **WEIGHTED),
    *(kind(Ridge()) for kind in (ST, MTS, RC, ERC)),
    *(kind(Ridge(), cv=3) for kind in (MTSC, RCC, ERCC)),
]


# scikit-learn skips two checks by itself when a package or a switch is missing.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore:The least populated class in y:UserWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
# Some checks draw labels at random, which no smooth kernel can separate; UniformSVC says so.
@pytest.mark.filterwarnings("ignore:The convex hulls of the classes overlap")
# One check allows 1000 updates and makes one class ten million times as heavy as another.
@pytest.mark.filterwarnings("ignore:NNISDAClassifier stopped at max_iter=1000")
@parametrize_with_checks(CHECKED)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def fitted(model, X, y, weights=None):
    return model.fit(X, y, sample_weight=weights)


def models():
    return st.builds(
        OLLAWVClassifier,
        refine=st.sampled_from([None, "full"]),
        gamma=st.sampled_from(["scale", "auto", 0.7]),
        margin=st.sampled_from([0.1, 1.0]),
        kernel=st.sampled_from(["rbf", "linear", "laplacian"]),
    )


def assert_same_model(one, other, X):
    assert one.n_support_.tolist() == other.n_support_.tolist()
    np.testing.assert_allclose(
        one.decision_function(X), other.decision_function(X), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@settings(max_examples=100)
@given(data=problems(weighted=False), model=models(), seed=st.integers(0, 1000))
def test_weights_mean_repetition_and_row_order_does_not_matter(form, data, model, seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, data.y.size)
    counts[[0, -1]] = 1  # both classes stay
    repeated = np.repeat(np.arange(data.y.size), counts)
    order = rng.permutation(repeated.size)

    X = form(data.X)
    weighted = fitted(model, X, data.y, counts.astype(float))
    copies = fitted(
        OLLAWVClassifier(**model.get_params()), X[repeated][order], data.y[repeated][order]
    )

    assert_same_model(weighted, copies, X)


@settings(max_examples=40)
@given(data=problems(), model=models())
def test_dense_and_sparse_rows_give_the_same_model(data, model):
    dense = fitted(model, data.X, data.y, data.weights)
    again = OLLAWVClassifier(**model.get_params())
    csr = fitted(again, sparse.csr_array(data.X), data.y, data.weights)

    np.testing.assert_allclose(
        dense.decision_function(data.X), csr.decision_function(data.X), rtol=2e-2, atol=2e-3
    )
    if model.refine is None:
        assert_same_model(dense, csr, data.X)


# The sigmoid kernel is indefinite, and fit says so.
@pytest.mark.filterwarnings("ignore:The kernel of .* is not positive semidefinite")
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_every_kernel_learns_three_classes(kernel, multi_class):
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [4, 0], [0, 4]])
    y = np.repeat(["a", "b", "c"], 30)
    X = np.repeat(centres, 30, axis=0) + rng.normal(size=(90, 2)) * 0.5
    train = X @ X.T if kernel == "precomputed" else X
    model = OLLAWVClassifier(
        kernel=kernel,
        gamma=0.1 if kernel == "sigmoid" else 0.5,
        coef0=0.5,
        C=10.0,
        multi_class=multi_class,
    ).fit(train, y)

    assert model.decision_function(train).shape == (90, 3)
    assert model.score(train, y) >= (0.6 if kernel == "sigmoid" else 0.95)


def test_prediction_is_pure_and_independent_of_the_batch():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(700, 4))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = OLLAWVClassifier(gamma=0.5).fit(X, y)
    state = {k: np.array(v, copy=True) for k, v in vars(model).items() if isinstance(v, np.ndarray)}
    Z = rng.normal(size=(600, 4))
    before = Z.copy()

    whole = model.decision_function(Z)
    parts = np.concatenate([model.decision_function(Z[i : i + 7]) for i in range(0, 600, 7)])

    np.testing.assert_array_equal(whole, parts)
    np.testing.assert_array_equal(Z, before)
    for name, value in state.items():
        np.testing.assert_array_equal(getattr(model, name), value)
