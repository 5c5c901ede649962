"""A search on a cluster gives the scores and the model of the search on one computer."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_moons
from sklearn.metrics import make_scorer, top_k_accuracy_score
from sklearn.model_selection import GridSearchCV, GroupKFold, ShuffleSplit
from sklearn.svm import SVC

from same_state import assert_same_state, identical
from svmosaic import SVRCC, SVRRC, MultiTargetSVR, OLLAWVClassifierCV
from svmosaic.dask.search import _parts, spread_search
from svmosaic.multi_instance import BagSearchCV, SetKernelClassifier

pytestmark = pytest.mark.dask

pytest.importorskip("distributed")


# A scorer that needs decision values.
_BY_VALUES = {"response_method": "decision_function"}


def _assert_same_search(found, expected):
    assert identical(found.cv_results_, expected.cv_results_)
    assert found.best_params_ == expected.best_params_
    assert found.best_score_ == expected.best_score_
    assert found.best_index_ == expected.best_index_
    assert found.classes_.tolist() == expected.classes_.tolist()
    assert_same_state(found.best_estimator_, expected.best_estimator_)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"refine": None, "margins": (0.1, 0.5), "gammas": [0.5]},
        {"gammas": [4.0, 0.5, 1.0], "class_weight": "balanced"},
        {"kernel": "linear", "multi_class": "ovr", "scoring": "f1_macro"},
        {"gammas": [0.5, 1.0], "scoring": "matthews_corrcoef"},
        {"gammas": [0.5, 1.0], "scoring": make_scorer(top_k_accuracy_score, k=2, **_BY_VALUES)},
    ],
    ids=["defaults", "one gamma", "three gammas", "linear", "by counts", "by models"],
)
def test_a_spread_search_is_the_local_one(client, options):
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["x", "y", "z"])[y]
    search = OLLAWVClassifierCV(cv=3, Cs=(1.0, 10.0), **options)

    found = spread_search(search, X, names, client=client)

    _assert_same_search(found, search.fit(X, names))
    assert found.feature_names_in_.tolist() == list(X.columns)
    assert found.predict(X).tolist() == search.predict(X).tolist()


def test_weights_sparse_rows_and_splits_from_an_iterator(client):
    X, y = make_moons(120, noise=0.3, random_state=0)
    X = sp.csr_array(np.where(np.abs(X) < 0.2, 0.0, X))
    weight = np.random.default_rng(0).choice([0.0, 1.0, 2.5], y.size)
    splits = list(ShuffleSplit(3, random_state=0).split(X))
    options = {"gammas": [0.5, 2.0], "Cs": (1.0,)}

    found = spread_search(
        OLLAWVClassifierCV(cv=iter(splits), **options), X, y, weight, client=client
    )

    expected = OLLAWVClassifierCV(cv=splits, **options).fit(X, y, weight)
    assert identical(found.cv_results_, expected.cv_results_)
    assert found.best_params_ == expected.best_params_
    assert identical(found.best_estimator_.dual_coef_, expected.best_estimator_.dual_coef_)


def test_groups_are_kept_together(client):
    X, y = make_moons(60, noise=0.3, random_state=0)
    groups = np.arange(60) % 7
    search = OLLAWVClassifierCV(cv=GroupKFold(3), gammas=[1.0], Cs=(1.0, 10.0))

    found = spread_search(search, X, y, groups=groups, client=client)

    _assert_same_search(found, search.fit(X, y, groups=groups))


def test_the_search_is_not_changed_and_errors_are_its_own(client):
    X, y = make_moons(40, random_state=0)
    search = OLLAWVClassifierCV(cv=2, gammas=[-1.0])

    with pytest.raises(ValueError, match="'gammas' parameter of OLLAWVClassifierCV must be"):
        spread_search(search, X, y, client=client)
    with pytest.raises(ValueError, match="at least 2 classes"):
        spread_search(OLLAWVClassifierCV(), X, np.zeros(40), client=client)
    with pytest.raises(ValueError, match="computes on the processors of workers"):
        spread_search(OLLAWVClassifierCV(device="cuda"), X, y, client=client)

    assert not hasattr(search, "best_params_")


@pytest.mark.parametrize("n_workers", [1, 2, 3, 8, 50])
@pytest.mark.parametrize("n_gammas", [1, 3, 8])
def test_parts_cover_every_gamma_and_fold_once(n_gammas, n_workers):
    parts = _parts(n_gammas, 5, n_workers)

    pairs = [(g, f) for gammas, folds in parts for g in gammas for f in folds]
    assert sorted(pairs) == [(g, f) for g in range(n_gammas) for f in range(5)]
    assert len(parts) >= min(n_workers, n_gammas)


def _bags(n_classes):
    rng = np.random.default_rng(1)
    y = np.arange(24) % n_classes
    return [rng.normal(size=(3, 2)) + 2.0 * label for label in y], y


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("grid", [{"C": [1.0, 10.0], "gamma": [0.1, 1.0]}, {"C": [1.0, 10.0]}])
def test_a_search_of_bags_is_the_local_one(client, n_classes, grid):
    bags, y = _bags(n_classes)
    search = BagSearchCV(SetKernelClassifier(), grid, random_state=0)

    found = spread_search(search, bags, y, client=client)

    search.fit(bags, y)
    searches = [search, *search.binary_classifiers_], [found, *found.binary_classifiers_]
    for mine, theirs in zip(*searches, strict=True):
        assert getattr(theirs, "best_params_", None) == getattr(mine, "best_params_", None)
        scores = [getattr(one, "cv_results_", {}).get("mean_test_score") for one in (theirs, mine)]
        assert identical(*scores)
    assert identical(found.decision_function(bags), search.decision_function(bags))


@pytest.mark.parametrize("regressor", [MultiTargetSVR, SVRRC, SVRCC], ids=lambda c: c.__name__)
def test_targets_are_tuned_as_on_one_computer(client, regressor):
    rng = np.random.default_rng(2)
    X = rng.uniform(-1, 1, (60, 3))
    Y = np.column_stack([np.sin(3 * X[:, 0]), X[:, 1] ** 2, X[:, 0] * X[:, 2]])
    model = regressor(Cs=[1.0, 10.0], epsilons=[0.01, 0.1], cv=3, tol=1e-8, random_state=0)

    found = spread_search(model, X, Y, client=client)

    model.fit(X, Y)
    assert found.C_.tolist() == model.C_.tolist()
    np.testing.assert_allclose(found.cv_errors_, model.cv_errors_, rtol=1e-5)
    np.testing.assert_allclose(found.predict(X), model.predict(X), atol=1e-5)


def test_other_searches_are_refused(client):
    with pytest.raises(TypeError, match="expected OLLAWVClassifierCV, BagSearchCV or a regressor"):
        spread_search(GridSearchCV(SVC(), {}), [[0.0]], [0], client=client)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        spread_search(SVRRC(), [[0.0]], [0.0], [1.0], client=client)
