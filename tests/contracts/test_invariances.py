"""What must not matter: units, feature order, useless features, zero weights, who else is running.

And what every model survives: equal rows, one feature, more features than rows, numbers at the
ends of their range.
"""

from __future__ import annotations

import inspect
import multiprocessing
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone, is_classifier, is_outlier_detector, is_regressor
from sklearn.datasets import make_moons

from svmosaic import (
    SVRCC,
    SVRRC,
    SVRWC,
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
    UniformSVC,
)

CHAIN = {"gammas": [0.1, 1.0], "Cs": [1.0, 10.0], "epsilons": [0.1], "cv": 3}

# Models that are given by the samples as a set of points; the width follows their units.
POINTS = [
    OLLAWVClassifier(tol=1e-6),
    OLLAWVClassifier(refine=None),
    SMOClassifier(tol=1e-6),
    MNSVMClassifier(tol=1e-6),
    NNISDAClassifier(tol=1e-6),
    UniformSVC(tol=1e-6),
    KernelPrimalSVC(),
    SMORegressor(tol=1e-6),
    NuSMOClassifier(nu=0.3, tol=1e-6),
    NuSMORegressor(nu=0.3, tol=1e-6),
    OneClassSMO(nu=0.3, tol=1e-6),
]
# Those that visit samples one after another, or measure boundaries, or search a grid.
OTHERS = [
    NLSGDClassifier(random_state=0),
    OLLAL2Classifier(random_state=0),
    OGEClassifier(),
    SVMCBPClassifier(),
    OnlineSVMClassifier(random_state=0),
    OnlineSVMCBPClassifier(random_state=0),
    StreamOLLAWV(),
    StreamOLLAL2(),
    OLLAWVClassifierCV(gammas=[0.1, 1.0], margins=[0.1, 1.0], Cs=[1.0, 100.0], cv=3),
    MultiTargetSVR(**CHAIN),
    SVRRC(**CHAIN),
    SVRCC(**CHAIN),
    SVRWC(n_chains=2, **{k: v for k, v in CHAIN.items() if k != "gammas"}),
]
DENSE_ONLY = (
    OGEClassifier,
    SVMCBPClassifier,
    OnlineSVMClassifier,
    OnlineSVMCBPClassifier,
    StreamOLLAWV,
    StreamOLLAL2,
)


def _name(estimator):
    plain = getattr(estimator, "refine", "") is None
    return type(estimator).__name__ + ("-plain" if plain else "")


points = pytest.mark.parametrize("estimator", POINTS, ids=_name)
everyone = pytest.mark.parametrize("estimator", POINTS + OTHERS, ids=_name)


def _samples(n=90, n_features=4):
    X, y = make_moons(n, noise=0.2, random_state=0)
    noise = np.random.default_rng(0).normal(size=(n, n_features - 2))
    return np.column_stack([X, noise]), y


def _targets(estimator, X, y):
    return X[:, 0] + 0.5 * X[:, 1] ** 2 if is_regressor(estimator) else y


def _values(model, X):
    return model.predict(X) if is_regressor(model) else model.decision_function(X)


# What must not matter -----------------------------------------------------------------------


@points
def test_the_order_of_the_features_does_not_matter(estimator):
    X, y = _samples()
    target = _targets(estimator, X, y)
    order = [2, 0, 3, 1]

    straight = clone(estimator).fit(X, target)
    mixed = clone(estimator).fit(X[:, order], target)

    # Sums of squares are rounded otherwise, and ties between samples fall otherwise.
    assert_allclose(_values(mixed, X[:, order]), _values(straight, X), atol=2e-3)


@points
@pytest.mark.parametrize("factor", [2.0**100, 2.0**-100])
def test_the_unit_of_the_features_does_not_matter(estimator, factor):
    X, y = _samples()
    target = _targets(estimator, X, y)

    one = clone(estimator).fit(X, target)
    other = clone(estimator).fit(X * factor, target)

    # A power of two: the distances in units of the width are the same to the last bit.
    assert_allclose(_values(other, X * factor), _values(one, X), rtol=1e-9, atol=1e-9)


@points
@pytest.mark.parametrize("value", [0.0, -7.0, 5e-324])
def test_a_constant_feature_does_not_matter_to_the_distances(estimator, value):
    X, y = _samples()
    target = _targets(estimator, X, y)
    estimator = clone(estimator).set_params(gamma=0.7)
    wide = np.column_stack([X, np.full(len(X), value)])

    narrow_values = _values(clone(estimator).fit(X, target), X)
    wide_values = _values(clone(estimator).fit(wide, target), wide)

    assert_allclose(wide_values, narrow_values, rtol=1e-9, atol=1e-9)


@everyone
def test_names_of_classes_do_not_matter(estimator):
    if not is_classifier(estimator):
        pytest.skip("it has no classes")
    X, y = _samples()

    by_number = clone(estimator).fit(X, y).predict(X)
    by_name = clone(estimator).fit(X, np.array(["ant", "zebra"])[y]).predict(X)

    assert_array_equal(by_name == "zebra", by_number == 1)


@everyone
def test_samples_without_weight_do_not_matter(estimator):
    if "sample_weight" not in inspect.signature(estimator.fit).parameters:
        pytest.skip("takes no weights")
    if isinstance(estimator, OLLAWVClassifierCV):
        pytest.skip("its folds are cut by rows, whatever their weight")
    X, y = _samples()
    target = _targets(estimator, X, y)
    weights = np.ones(len(X))
    weights[:25] = weights[50:60] = 0.0
    kept = np.flatnonzero(weights)

    weighted = clone(estimator).fit(X, target, sample_weight=weights)
    alone = clone(estimator).fit(X[kept], target[kept])

    assert_allclose(_values(weighted, X), _values(alone, X), rtol=1e-9, atol=1e-9)
    if hasattr(weighted, "support_"):
        # The numbers are those of the rows that were given.
        assert_array_equal(weighted.support_, kept[alone.support_])
        assert_array_equal(X[weighted.support_], weighted.support_vectors_)


@everyone
def test_predicting_changes_nothing_and_nothing_is_printed(estimator, capfd):
    X, y = _samples()
    model = clone(estimator).fit(X, _targets(estimator, X, y))
    before = pickle.dumps(model)

    for part in (X, X[:7], X[::-1].copy()):
        model.predict(part)

    assert pickle.dumps(model) == before
    assert capfd.readouterr() == ("", "")


# Who else is running ------------------------------------------------------------------------

SHARED = [
    OLLAWVClassifier(),
    SMOClassifier(),
    NNISDAClassifier(),
    NLSGDClassifier(random_state=0),
    SMORegressor(),
    NuSMOClassifier(nu=0.3),
    NuSMORegressor(),
    OneClassSMO(),
]


def _fitted_values(estimator):
    X, y = _samples(200)
    return _values(clone(estimator).fit(X, _targets(estimator, X, y)), X)


@pytest.mark.parametrize("estimator", SHARED, ids=_name)
def test_fits_in_several_threads_do_not_disturb_each_other(estimator):
    expected = _fitted_values(estimator)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(_fitted_values, [estimator] * 20))

    for values in found:
        assert_array_equal(values, expected)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes_can_fit_after_this_one_has(method):
    estimator = OLLAWVClassifier(n_jobs=2)
    expected = _fitted_values(estimator)

    X, y = _samples(200)
    with multiprocessing.get_context(method).Pool(1) as pool:
        model = pool.apply_async(clone(estimator).fit, (X, y)).get(timeout=120)
        # This one has started threads for predictions, which a forked process does not have.
        decisions = pool.apply_async(model.decision_function, (X,)).get(timeout=120)

    assert_array_equal(_values(model, X), expected)
    assert_array_equal(decisions, model.decision_function(X))


# What every model survives ------------------------------------------------------------------


@everyone
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("value", [0.0, 1.0, 1e100])
def test_equal_rows(estimator, value):
    X = np.full((30, 3), value)
    y = np.arange(30.0) if is_regressor(estimator) else np.arange(30) % 3 == 0

    model = clone(estimator).fit(X, y)

    assert np.all(np.isfinite(_values(model, X)))


@everyone
@pytest.mark.parametrize("n_features", [1, 200])
def test_one_feature_and_more_features_than_rows(estimator, n_features):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, n_features)) + 3.0 * y[:, None]

    model = clone(estimator).fit(X, X[:, 0] if is_regressor(estimator) else y)

    assert np.all(np.isfinite(_values(model, X)))
    if not is_outlier_detector(estimator):
        assert model.score(X, X[:, 0] if is_regressor(estimator) else y) > 0.6


@everyone
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("exponent", [-0.65, -0.52, 0.48, 0.52, 0.65])
def test_numbers_near_the_ends_of_their_range(estimator, dtype, form, exponent):
    if form is sparse.csr_array and isinstance(estimator, DENSE_ONLY):
        pytest.skip("takes dense samples only")
    X = _samples(60)[0]
    unit = float(np.finfo(dtype).max) ** exponent
    X = (X * unit).astype(dtype)
    target = _targets(estimator, *_samples(60))

    # Either it works or it says what to do; never nan, never a crash, never NumPy's warnings.
    try:
        values = _values(clone(estimator).fit(form(X), target), form(X))
    except ValueError as error:
        told = str(error)
    else:
        told = "" if np.all(np.isfinite(values)) else "values that are not finite"
    assert told == "" or "Scale the features" in told or "Give larger sigmas" in told


@everyone
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_far_from_all_samples_the_values_are_finite(estimator, form):
    if form is sparse.csr_array and isinstance(estimator, DENSE_ONLY):
        pytest.skip("takes dense samples only")
    X, y = _samples()
    model = clone(estimator).fit(form(X), _targets(estimator, X, y))

    assert np.all(np.isfinite(_values(model, form(X * 1e200))))
