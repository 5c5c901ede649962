"""NuSVC, NuSVR and OneClassSVM: scikit-learn's signature, numbers, attributes and errors."""

from __future__ import annotations

import inspect
import pickle
import warnings

import numpy as np
import pytest
import sklearn.svm
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning

import svmosaic.svm
from svmosaic import load, save
from svmosaic.svm import NuSVC, NuSVR, OneClassSVM

X, Y = load_iris(return_X_y=True)
# Measurements of iris are repeated, and identical rows are one sample with us.
X = X + np.random.default_rng(0).normal(scale=1e-3, size=X.shape)
T = load_diabetes().target[:150] / 100.0
KINDS = [NuSVC, NuSVR, OneClassSVM]
# No class or tube has exactly a whole number of vectors: the intercept is then unique.
NU = 0.213


def target(kind):
    return {"NuSVC": Y, "NuSVR": T, "OneClassSVM": None}[kind.__name__]


def values(model, rows):
    return (
        model.predict if isinstance(model, NuSVR | sklearn.svm.NuSVR) else model.decision_function
    )(rows)


def theirs(kind):
    return getattr(sklearn.svm, kind.__name__)


@pytest.mark.parametrize("kind", KINDS)
def test_the_constructor_is_scikit_learns(kind):
    mine, other = (inspect.signature(k).parameters for k in (kind, theirs(kind)))

    assert {p.name: (p.kind, p.default) for p in mine.values()} == {
        p.name: (p.kind, p.default) for p in other.values()
    }


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "options", [{}, {"kernel": "linear"}, {"gamma": 0.3, "shrinking": False}], ids=str
)
@pytest.mark.parametrize("kind", KINDS)
def test_numbers_and_attributes_are_scikit_learns(kind, options, weighted, form):
    if kind is OneClassSVM and options.get("kernel") == "linear":
        pytest.skip("scikit-learn takes a minute")
    weights = np.random.default_rng(1).uniform(0.3, 2.0, len(X)) if weighted else None
    options = {"gamma": 0.2, **options} if weighted else options
    one, two = (
        k(tol=1e-7, nu=NU, **options).fit(form(X), target(kind), sample_weight=weights)
        for k in (kind, theirs(kind))
    )

    # LIBSVM keeps kernel values in single precision.
    scale = max(1.0, float(np.abs(values(two, X)).max()))
    np.testing.assert_allclose(values(one, X), values(two, X), atol=2e-3 * scale)
    assert abs(int(one.n_support_.sum()) - int(two.n_support_.sum())) <= 3
    for name in ("shape_fit_", "fit_status_", "n_features_in_"):
        assert getattr(one, name) == getattr(two, name), name
    for name in ("dual_coef_", "intercept_", "n_support_", "support_vectors_"):
        assert getattr(one, name).ndim == getattr(two, name).ndim, name
        assert sparse.issparse(getattr(one, name)) == sparse.issparse(getattr(two, name)), name
    assert type(one.n_iter_) is type(two.n_iter_)


@pytest.mark.parametrize("kind", KINDS)
def test_a_callable_gets_all_samples(kind):
    def kernel(left, right):
        return np.asarray(left) @ np.asarray(right).T + 1.0

    one, two = (k(kernel=kernel, nu=NU).fit(X, target(kind)) for k in (kind, theirs(kind)))

    scale = max(1.0, float(np.abs(values(two, X)).max()))
    np.testing.assert_allclose(values(one, X), values(two, X), atol=0.05 * scale)


@pytest.mark.parametrize("kind", KINDS)
def test_models_are_cloned_pickled_and_saved(kind, tmp_path):
    model = clone(kind(nu=NU)).fit(X, target(kind))
    save(model, tmp_path / "a.model")

    for back in (pickle.loads(pickle.dumps(model)), load(tmp_path / "a.model")):
        np.testing.assert_array_equal(values(back, X), values(model, X))
        assert type(back) is kind


def test_an_infeasible_nu_is_scikit_learns_error():
    few = np.r_[0:50, 50:53]
    for kind in (NuSVC, sklearn.svm.NuSVC):
        with pytest.raises(ValueError, match="specified nu is infeasible"):
            kind(nu=0.9).fit(X[few], Y[few])


@pytest.mark.parametrize("kind", KINDS)
def test_patching_replaces_and_hands_back(kind, caplog):
    replaced = svmosaic.patch_sklearn([kind.__name__])
    try:
        assert replaced == [f"{m}.{kind.__name__}" for m in ("sklearn.svm", "sklearn.svm._classes")]
        patched = getattr(sklearn.svm, kind.__name__)
        assert isinstance(patched(nu=NU).fit(X, target(kind)), kind)
        with warnings.catch_warnings():
            # Whether it has converged without updates does not matter here.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = patched(nu=NU, max_iter=0).fit(X, target(kind))
    finally:
        svmosaic.unpatch_sklearn()
    assert type(model) is getattr(sklearn.svm, kind.__name__)
    assert "scikit-learn's own" in caplog.text


def test_an_infinite_penalty_is_refused():
    with pytest.raises(ValueError, match="'C' parameter of NuSVR"):
        NuSVR(C=np.inf).fit(X, T)


@pytest.mark.parametrize("factor", [2.0**-13, 2.0**13])
def test_detectors_do_not_depend_on_the_scale_of_weights(factor):
    plain, weighted = (
        OneClassSVM(nu=0.1).fit(X, sample_weight=w) for w in (None, np.full(len(X), factor))
    )

    np.testing.assert_array_equal(weighted.predict(X), plain.predict(X))
    np.testing.assert_allclose(
        weighted.decision_function(X), factor * plain.decision_function(X), rtol=1e-9, atol=1e-9
    )


@pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning")
@pytest.mark.parametrize("weighted", [False, True])
def test_probabilities_near_the_largest_nu_lower_it_in_the_folds(weighted):
    rng = np.random.default_rng(0)
    samples = rng.normal(size=(103, 3))
    y = (samples[:, 0] + 0.5 * rng.normal(size=103) > 0.3).astype(int)
    weights = rng.uniform(0.5, 2.0, 103) if weighted else np.ones(103)
    totals = np.bincount(y, weights)
    largest = 2.0 * totals.min() / totals.sum()

    model = NuSVC(nu=largest, probability=True).fit(samples, y, weights)

    # Without its folds it is the same model, with the nu that was asked for.
    plain = NuSVC(nu=largest).fit(samples, y, weights)
    np.testing.assert_array_equal(
        model.decision_function(samples), plain.decision_function(samples)
    )
    found = model.predict_proba(samples)[:, 1]
    assert np.mean((found > 0.5) == y) > 0.8
    # They are a falling or rising function of this model's decisions.
    order = np.argsort(plain.decision_function(samples))
    assert np.all(np.diff(found[order]) >= 0.0)
    with pytest.raises(ValueError, match="specified nu is infeasible"):
        NuSVC(nu=1.01 * largest, probability=True).fit(samples, y, weights)
