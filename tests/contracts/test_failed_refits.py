"""A refit that fails, at whatever moment, leaves the old model as it was."""

from __future__ import annotations

import pickle
import sys
import warnings

import numpy as np
import pytest
from sklearn.base import clone, is_outlier_detector, is_regressor
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags

from contracts.test_bag_classifiers import CHECKED as BAG_CLASSIFIERS
from contracts.test_estimators import CHECKED as TABLE_ESTIMATORS
from multi_instance.toy_bags import needle_bags
from svmosaic import OLLAWVClassifier, SMOClassifier, SMORegressor

MOMENTS = 20
RNG = np.random.default_rng(0)
OLD_X = RNG.normal(size=(40, 4))
NEW_X = RNG.normal(size=(30, 6))


def first_of_each_class(estimators):
    return list({type(one): one for one in reversed(estimators)}.values())


# Those that learn slowly learn less.
CHEAP = {
    "BaggedBagsClassifier": {"n_estimators": 3},
    "DiverseDensityClassifier": {"n_starts": 1},
    "EMDDClassifier": {"n_starts": 1},
    "MIBoostClassifier": {"n_rounds": 4},
    "MIRMixSVMClassifier": {"mixing_cv": 2, "cv": 2, "gamma": [0.5]},
    "StackedBagsClassifier": {"cv": 2},
    "TLCClassifier": {"estimator": GradientBoostingClassifier(n_estimators=5, max_depth=1)},
}


def estimators():
    tables = [one for one in TABLE_ESTIMATORS if not get_tags(one).input_tags.pairwise]
    bags = [
        clone(one).set_params(**CHEAP.get(type(one).__name__, {})) for one, _ in BAG_CLASSIFIERS
    ]
    return [*first_of_each_class(tables), *first_of_each_class(bags)]


def takes_bags(model):
    return not get_tags(model).input_tags.two_d_array


def problem(model, X, n_classes):
    """Return training data for the model: a table or bags, and targets."""
    if takes_bags(model):
        bags, y = needle_bags()
        width = X.shape[1]
        # Few bags, because some of these learn slowly.
        bags, y = [np.resize(bag, (len(bag), width)) for bag in bags[::3]], y[::3]
        return bags, y if n_classes == 2 else np.arange(len(y)) % n_classes
    if is_regressor(model):
        targets = np.column_stack([X[:, 0], X[:, 1] - X[:, 0]])
        return X, targets if get_tags(model).target_tags.multi_output else targets[:, 0]
    return X, np.arange(len(X)) % n_classes


def answer(model, X):
    for method in ("decision_function", "predict", "transform"):
        if hasattr(model, method):
            return getattr(model, method)(X)
    raise AssertionError(f"{type(model).__name__} answers nothing")


class Interrupt:
    """Counts the calls of functions of the library and raises KeyboardInterrupt at one of them."""

    def __init__(self, at=None):
        self.at = at
        self.calls = 0

    def __enter__(self):
        # Without a seed of its own, an estimator would take another course each time.
        np.random.seed(0)  # noqa: NPY002
        sys.settrace(self)
        return self

    def __exit__(self, *_):
        sys.settrace(None)

    def __call__(self, frame, event, _):
        if event == "call" and frame.f_globals.get("__name__", "").startswith("svmosaic"):
            self.calls += 1
            if self.calls == self.at:
                sys.settrace(None)
                raise KeyboardInterrupt


def assert_as_before(model, X, before, other):
    after = answer(model, X)
    np.testing.assert_array_equal(after, before)
    with pytest.raises(ValueError, match="features"):
        answer(model, other)


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("model", estimators(), ids=lambda model: type(model).__name__)
def test_an_interrupted_refit_leaves_the_old_model(model):
    X, y = problem(model, OLD_X, 2)
    new_X, new_y = problem(model, NEW_X, 3)
    model = clone(model).fit(X, y)
    before = answer(model, X)
    other = clone(model).fit(X, y)
    with Interrupt() as whole:
        other.fit(new_X, new_y)
    moments = np.unique(np.linspace(1, whole.calls, MOMENTS).astype(int))

    for moment in moments:
        with Interrupt(moment), pytest.raises(KeyboardInterrupt):
            model.fit(new_X, new_y)

        assert_as_before(model, X, before, new_X)

    # Nothing of the attempts is left: the model is still the one that a fit to the old data gives.
    assert pickle.dumps(answer(pickle.loads(pickle.dumps(model)), X)) == pickle.dumps(before)


def spoil_values(X, y):
    X = [bag.copy() for bag in X] if isinstance(X, list) else X.copy()
    X[0][...] = np.nan
    return X, y


def keep_one_class(X, y):
    return X, np.zeros(len(y), dtype=int)


def drop_a_label(X, y):
    return X, y[:-1]


@pytest.mark.parametrize("spoil", [spoil_values, keep_one_class, drop_a_label])
@pytest.mark.parametrize("model", estimators(), ids=lambda model: type(model).__name__)
def test_a_refit_to_bad_data_leaves_the_old_model(model, spoil):
    X, y = problem(model, OLD_X, 2)
    new_X, new_y = problem(model, NEW_X, 3)
    if spoil is keep_one_class and is_regressor(model):
        pytest.skip("one value is a target like any other")
    if hasattr(model, "transform"):
        pytest.skip("it takes any values and needs no target")
    if is_outlier_detector(model) and spoil is not spoil_values:
        pytest.skip("it needs no target")
    model = clone(model).fit(X, y)
    before = answer(model, X)

    with pytest.raises((ValueError, TypeError)):
        model.fit(*spoil(new_X, new_y))

    assert_as_before(model, X, before, new_X)


@pytest.mark.parametrize("kind", [OLLAWVClassifier, SMOClassifier])
def test_a_memory_limit_leaves_the_old_model(kind):
    X, y = problem(kind(), OLD_X, 2)
    new_X, new_y = problem(kind(), NEW_X, 3)
    model = kind().fit(X, y)
    before = answer(model, X)

    with pytest.raises(MemoryError, match="memory_limit_mb"):
        model.set_params(memory_limit_mb=1e-6).fit(new_X, new_y)

    assert_as_before(model, X, before, new_X)


@pytest.mark.parametrize("kind", [OLLAWVClassifier, SMOClassifier, SMORegressor])
def test_a_timeout_that_raises_leaves_the_old_model(kind):
    X, y = problem(kind(), OLD_X, 2)
    new_X, new_y = problem(kind(), RNG.normal(size=(2000, 6)), 3)
    model = kind().fit(X, y)
    before = answer(model, X)

    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        with pytest.raises(ConvergenceWarning, match="max_time"):
            model.set_params(max_time=1e-9).fit(new_X, new_y)

    assert_as_before(model, X, before, new_X)


def test_predictions_during_a_refit_come_from_the_old_model():
    X, y = problem(OLLAWVClassifier(), OLD_X, 2)
    seen, refitting = [], []

    def kernel(a, b):
        if refitting:
            refitting.clear()
            seen.append(answer(model, X))
        return a @ b.T

    model = OLLAWVClassifier(kernel=kernel).fit(X, y)
    before = answer(model, X)
    refitting.append(True)

    model.fit(NEW_X, np.arange(len(NEW_X)) % 3)

    np.testing.assert_array_equal(seen, [before])
