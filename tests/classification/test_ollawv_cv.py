"""What is true of OLLAWVClassifierCV only."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.preprocessing import minmax_scale

from svmosaic import OLLAWVClassifier, OLLAWVClassifierCV

GRID = {"gammas": [0.1, 1.0, 10.0], "margins": [0.1, 0.5], "Cs": [0.5, 50.0], "cv": 4}


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return minmax_scale(X), y


@pytest.mark.parametrize("refine", [None, "selected", "full"])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_scores_are_those_of_separate_fits(wine, refine, multi_class):
    X, y = wine
    search = OLLAWVClassifierCV(refine=refine, multi_class=multi_class, **GRID).fit(X, y)
    results = search.cv_results_

    for i in range(results["param_gamma"].size):
        model = OLLAWVClassifier(
            gamma=results["param_gamma"][i],
            margin=results["param_margin"][i],
            C=results["param_C"][i],
            refine=refine,
            multi_class=multi_class,
        )
        np.testing.assert_array_equal(
            cross_val_score(model, X, y, cv=4),
            [results[f"split{f}_test_score"][i] for f in range(4)],
        )


def test_it_agrees_with_grid_search(wine):
    X, y = wine
    ours = OLLAWVClassifierCV(gammas=GRID["gammas"], Cs=GRID["Cs"], cv=4).fit(X, y)
    theirs = GridSearchCV(OLLAWVClassifier(), {"gamma": GRID["gammas"], "C": GRID["Cs"]}, cv=4).fit(
        X, y
    )

    assert ours.best_score_ == pytest.approx(theirs.best_score_)


@pytest.mark.parametrize("refine", [None, "full"])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "linear", "poly"])
def test_without_room_for_kernel_values_the_result_is_the_same(wine, kernel, refine):
    X, y = wine
    shared, direct = (
        OLLAWVClassifierCV(kernel=kernel, memory_limit_mb=limit, refine=refine, **GRID).fit(X, y)
        for limit in (2000, 0)
    )

    for name, value in shared.cv_results_.items():
        # Exact models agree up to their tolerance, in which a support vector may come or go.
        rtol = 0.02 if refine and name == "mean_n_support" else 1e-7
        np.testing.assert_allclose(value, direct.cv_results_[name], rtol=rtol)


def test_sparse_rows_and_threads_change_nothing(wine):
    X, y = wine
    one = OLLAWVClassifierCV(**GRID).fit(X, y)
    other = OLLAWVClassifierCV(n_jobs=2, **GRID).fit(sparse.csr_array(X), y)

    assert one.best_params_ == other.best_params_
    np.testing.assert_array_equal(
        one.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"]
    )
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


def test_equal_scores_go_to_the_smaller_model():
    X, y = load_breast_cancer(return_X_y=True)
    search = OLLAWVClassifierCV(refine=None, cv=3, gammas=[0.1, 1.0]).fit(minmax_scale(X), y)
    results = search.cv_results_

    best = results["mean_test_score"] == results["mean_test_score"].max()

    assert results["mean_n_support"][search.best_index_] == results["mean_n_support"][best].min()


def test_weights_count_in_training_and_in_scores(wine):
    X, y = wine
    folds = [
        (np.arange(0, 178, 2), np.arange(1, 178, 2)),
        (np.arange(1, 178, 2), np.arange(0, 178, 2)),
    ]
    weights = np.random.default_rng(0).integers(0, 3, y.size)
    rows = np.repeat(np.arange(y.size), weights)
    repeated = [
        (np.flatnonzero(np.isin(rows, a)), np.flatnonzero(np.isin(rows, b))) for a, b in folds
    ]
    grid = {**GRID, "cv": folds}

    weighted = OLLAWVClassifierCV(**grid).fit(X, y, weights)
    copies = OLLAWVClassifierCV(**{**GRID, "cv": repeated}).fit(X[rows], y[rows])

    np.testing.assert_allclose(
        weighted.cv_results_["mean_test_score"], copies.cv_results_["mean_test_score"]
    )


def test_precomputed_kernels_are_searched_too(wine):
    X, y = wine
    kernel = X @ X.T

    search = OLLAWVClassifierCV(kernel="precomputed", Cs=[1.0, 100.0]).fit(kernel, y)

    assert set(search.best_params_) == {"margin", "C"}
    assert search.score(kernel, y) > 0.9


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "f1_macro"])
def test_scorings(wine, scoring):
    X, y = wine
    search = OLLAWVClassifierCV(scoring=scoring, **GRID).fit(X, y)

    i = search.best_index_
    scores = [search.cv_results_[f"split{f}_test_score"][i] for f in range(4)]
    model = clone(search.best_estimator_)
    np.testing.assert_allclose(cross_val_score(model, X, y, cv=4, scoring=scoring), scores)


def test_the_model_is_that_of_a_separate_fit(wine):
    X, y = wine
    search = OLLAWVClassifierCV(**GRID).fit(X, y)

    separate = clone(search.best_estimator_).fit(X, y)

    np.testing.assert_array_equal(search.best_estimator_.support_, separate.support_)
    np.testing.assert_array_equal(search.best_estimator_.dual_coef_, separate.dual_coef_)
    assert search.best_estimator_.n_features_in_ == separate.n_features_in_


def test_folds_may_be_masks_or_overlap(wine):
    X, y = wine
    even = np.arange(y.size) % 2 == 0
    rows = [(np.flatnonzero(even), np.flatnonzero(~even)), (np.arange(-170, 0), np.arange(20))]
    masks = [(even, ~even), (np.arange(y.size) >= 8, np.arange(y.size) < 20)]

    by_rows, by_masks = (
        OLLAWVClassifierCV(**{**GRID, "cv": cv}).fit(X, y).cv_results_ for cv in (rows, masks)
    )

    np.testing.assert_array_equal(by_rows["mean_test_score"], by_masks["mean_test_score"])


def test_bad_grids_and_folds_get_one_sentence(wine):
    X, y = wine
    with pytest.raises(ValueError, match=r"The 'gammas' parameter .* positive numbers. Got \[-1"):
        OLLAWVClassifierCV(gammas=[-1.0]).fit(X, y)
    with pytest.raises(ValueError, match="The 'margins' parameter"):
        OLLAWVClassifierCV(margins=[]).fit(X, y)
    with pytest.raises(ValueError, match="training fold with one class only"):
        OLLAWVClassifierCV(cv=KFold(2)).fit(np.vstack([X, X])[:100], np.repeat([0, 1], 50))
