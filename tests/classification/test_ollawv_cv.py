"""What is true of OLLAWVClassifierCV only."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine, make_classification
from sklearn.metrics import accuracy_score, fbeta_score, make_scorer, zero_one_loss
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.preprocessing import minmax_scale

from svmosaic import OLLAWVClassifier, OLLAWVClassifierCV

GRID = {"gammas": [0.1, 1.0, 10.0], "margins": [0.1, 0.5], "Cs": [0.5, 50.0], "cv": 4}
# What cv=4 means.
FOLDS = StratifiedKFold(4, shuffle=True, random_state=0)


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return minmax_scale(X), y


@pytest.mark.parametrize("refine", [None, "full"])
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
            max_iter=search.max_iter,
        )
        np.testing.assert_array_equal(
            cross_val_score(model, X, y, cv=FOLDS),
            [results[f"split{f}_test_score"][i] for f in range(4)],
        )


def _share_of_first(model, X, y):
    """A scorer of one's own: how often the first class is predicted, with the sign changed."""
    return -float(np.mean(model.predict(X) == model.classes_[0]))


@pytest.mark.parametrize("cv", [FOLDS, KFold(3, shuffle=True, random_state=1)])
@pytest.mark.parametrize(
    "scoring",
    [
        None,
        "f1_weighted",
        "matthews_corrcoef",
        make_scorer(fbeta_score, beta=2, average="macro"),
        make_scorer(zero_one_loss, greater_is_better=False),
        "roc_auc",
        _share_of_first,
    ],
    ids=lambda scoring: getattr(scoring, "__name__", str(scoring)[:24]),
)
def test_it_agrees_with_grid_search(wine, scoring, cv):
    X, y = wine
    if scoring == "roc_auc":
        # It needs two classes.
        y = (y == 1).astype(int)
    grid = {"gamma": GRID["gammas"], "C": GRID["Cs"]}
    theirs = GridSearchCV(OLLAWVClassifier(), grid, cv=cv, scoring=scoring).fit(X, y)

    ours = OLLAWVClassifierCV(
        gammas=grid["gamma"], Cs=grid["C"], cv=cv, scoring=scoring, n_jobs=2
    ).fit(X, y)

    # Theirs go through C slowest.
    order = np.lexsort((theirs.cv_results_["param_C"], theirs.cv_results_["param_gamma"]))
    for name in ("mean_test_score", "std_test_score", "split0_test_score"):
        np.testing.assert_allclose(ours.cv_results_[name], theirs.cv_results_[name][order])
    assert ours.best_score_ == pytest.approx(theirs.best_score_)


def test_scores_by_models_are_scores_by_counts(wine):
    X, y = wine
    weights = np.random.default_rng(0).integers(0, 3, y.size).astype(float)
    counted = OLLAWVClassifierCV(**GRID).fit(X, y, weights).cv_results_

    def accuracy(model, X, y, sample_weight=None):
        return model.score(X, y, sample_weight)

    fitted = OLLAWVClassifierCV(scoring=accuracy, **GRID).fit(X, y, weights)

    for name, value in fitted.cv_results_.items():
        # Exact models agree up to their tolerance, in which a support vector may come or go.
        rtol = 0.02 if name == "mean_n_support" else 1e-7
        np.testing.assert_allclose(value, counted[name], rtol=rtol)


def test_weights_of_classes_count_in_training_only(wine):
    X, y = wine
    shares = {0: 1.0, 1: 5.0, 2: 0.5}
    model = OLLAWVClassifier(class_weight=shares, gamma=1.0)
    theirs = GridSearchCV(model, {"C": GRID["Cs"]}, cv=FOLDS, scoring="f1_macro").fit(X, y)

    ours = OLLAWVClassifierCV(
        class_weight=shares, gammas=[1.0], Cs=GRID["Cs"], cv=4, scoring="f1_macro"
    ).fit(X, y)

    np.testing.assert_allclose(
        ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"]
    )


@pytest.mark.parametrize("kernel", ["precomputed", "linear"])
def test_other_scorers_with_other_kernels(wine, kernel):
    X, y = wine
    y = (y == 1).astype(int)
    table = X @ X.T if kernel == "precomputed" else sparse.csr_array(X)
    options = {"Cs": [1.0, 100.0], "cv": 3, "scoring": "average_precision"}
    plain = OLLAWVClassifierCV(kernel="linear", **options).fit(X, y)

    search = OLLAWVClassifierCV(kernel=kernel, **options).fit(table, y)

    np.testing.assert_allclose(
        search.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"], rtol=1e-3
    )
    assert "gamma" not in search.best_params_


def test_numbers_mean_shuffled_folds():
    # Ordered by class and, within each, along a line: folds of neighbours would be unlike.
    X = np.linspace(0.0, 1.0, 120)[:, None]
    y = np.repeat([0, 1], 60)
    options = {"gammas": [1.0], "Cs": [1.0]}

    by_number = OLLAWVClassifierCV(cv=3, **options).fit(X, y).cv_results_
    by_splitter = OLLAWVClassifierCV(
        cv=StratifiedKFold(3, shuffle=True, random_state=0), **options
    ).fit(X, y)

    assert by_number["mean_test_score"] == by_splitter.cv_results_["mean_test_score"]


def test_groups_are_kept_together(wine):
    X, y = wine
    groups = np.arange(y.size) % 10
    grid = {"gammas": [0.1, 1.0], "Cs": [1.0, 10.0]}
    cv = GroupKFold(4)

    search = OLLAWVClassifierCV(cv=cv, **grid).fit(X, y, groups=groups)

    split = OLLAWVClassifierCV(cv=list(cv.split(X, y, groups)), **grid).fit(X, y)
    for name, value in search.cv_results_.items():
        np.testing.assert_array_equal(value, split.cv_results_[name])
    with pytest.raises(ValueError, match="'groups' parameter should not be None"):
        OLLAWVClassifierCV(cv=cv, **grid).fit(X, y)
    with pytest.warns(UserWarning, match="groups parameter is ignored"):
        OLLAWVClassifierCV(cv=3, **grid).fit(X, y, groups=groups)


def test_metadata_are_routed_to_splitter_and_scorer(wine):
    X, y = wine
    groups, weights = np.arange(y.size) % 10, 1.0 + np.arange(y.size) % 3
    grid = {"gammas": [0.1, 1.0], "Cs": [1.0], "cv": GroupKFold(3)}
    unrouted = OLLAWVClassifierCV(**grid).fit(X, y, weights, groups=groups).cv_results_
    scorer = make_scorer(accuracy_score)

    with config_context(enable_metadata_routing=True):
        weighted = OLLAWVClassifierCV(scoring=scorer.set_score_request(sample_weight=True), **grid)
        plain = OLLAWVClassifierCV(
            scoring=make_scorer(accuracy_score).set_score_request(sample_weight=False), **grid
        )
        weighted.fit(X, y, weights, groups=groups)
        plain.fit(X, y, weights, groups=groups)
        outer = cross_validate(
            OLLAWVClassifierCV(**grid), X, y, cv=GroupKFold(2), params={"groups": groups}
        )
        with pytest.raises(TypeError, match="unexpected argument"):
            OLLAWVClassifierCV(cv=3).fit(X, y, nonsense=weights)

    np.testing.assert_allclose(weighted.cv_results_["mean_test_score"], unrouted["mean_test_score"])
    by_hand = [
        np.mean(
            OLLAWVClassifier(gamma=gamma).fit(X[train], y[train], weights[train]).predict(X[test])
            == y[test]
        )
        for gamma in grid["gammas"]
        for train, test in grid["cv"].split(X, y, groups)
    ]
    np.testing.assert_allclose(
        plain.cv_results_["mean_test_score"], np.reshape(by_hand, (2, 3)).mean(axis=1)
    )
    assert np.all(outer["test_score"] > 0.9)
    with pytest.raises(ValueError, match="enable_metadata_routing=True"):
        OLLAWVClassifierCV(cv=3).fit(X, y, nonsense=weights)


def test_a_model_below_its_own_scores_is_reported(wine):
    X, y = wine
    # The folds leave out the rows whose labels are noise.
    rows = np.arange(y.size)
    noisy = np.where(rows < 100, np.random.default_rng(0).integers(0, 3, y.size), y)
    folds = [(rows[100::2], rows[101::2]), (rows[101::2], rows[100::2])]

    with pytest.warns(UserWarning, match=r"far below the .* of its cross-validation"):
        OLLAWVClassifierCV(gammas=[0.1], Cs=[1.0], cv=folds).fit(X, noisy)
    OLLAWVClassifierCV(**GRID).fit(X, y)


def test_bad_scorers_get_one_sentence(wine):
    X, y = wine
    with pytest.raises(ValueError, match="The 'scoring' parameter of OLLAWVClassifierCV must be"):
        OLLAWVClassifierCV(scoring="best").fit(X, y)
    with pytest.raises(ValueError, match="'neg_log_loss' needs predict_proba; choose another"):
        OLLAWVClassifierCV(scoring="neg_log_loss").fit(X, y)
    with pytest.raises(ValueError, match=r"must return a number\. <lambda> returned dict"):
        OLLAWVClassifierCV(scoring=lambda model, X, y: {"a": 1.0}).fit(X, y)
    with pytest.raises(ValueError, match="training fold with one class only"):
        OLLAWVClassifierCV(scoring=_share_of_first, cv=KFold(2)).fit(X[50:70], y[50:70])


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
    np.testing.assert_allclose(cross_val_score(model, X, y, cv=FOLDS, scoring=scoring), scores)


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


@pytest.mark.parametrize("weighted", [False, True])
def test_balanced_weights_come_from_the_training_part(weighted):
    rng = np.random.RandomState(0)
    X = rng.randn(120, 2)
    y = (X[:, 0] + 0.8 * rng.randn(120) > 0.6).astype(int)
    # Folds of consecutive rows then have other shares of the classes.
    order = np.argsort(y + 0.5 * rng.randn(120))
    X, y = X[order], y[order]
    weights = rng.uniform(0.5, 2.0, 120) if weighted else None
    grid = {"gammas": [0.1, 1.0], "Cs": [0.1, 10.0], "cv": KFold(3), "class_weight": "balanced"}

    counted, fitted = (
        OLLAWVClassifierCV(scoring=scoring, **grid).fit(X, y, weights)
        for scoring in ("accuracy", make_scorer(accuracy_score))
    )

    np.testing.assert_allclose(
        counted.cv_results_["mean_test_score"], fitted.cv_results_["mean_test_score"]
    )


def test_a_fold_without_weight_is_left_out():
    X, y = load_wine(return_X_y=True)
    X, groups = minmax_scale(X), np.arange(y.size) % 5
    weights = np.where(groups == 2, 0.0, 1.0)
    options = {"gammas": [0.1, 1.0], "Cs": [1.0], "cv": GroupKFold(5)}

    search = OLLAWVClassifierCV(**options).fit(X, y, weights, groups=groups)

    here = groups != 2
    without = OLLAWVClassifierCV(**options | {"cv": LeaveOneGroupOut()})
    without.fit(X[here], y[here], groups=groups[here])
    np.testing.assert_allclose(
        np.sort(search.cv_results_["mean_test_score"]),
        np.sort(without.cv_results_["mean_test_score"]),
    )


@pytest.mark.parametrize("cv", [[], [(np.arange(100), np.empty(0, dtype=int))]])
def test_folds_that_test_nothing_are_refused(cv):
    with pytest.raises(ValueError, match="expected folds that test a sample"):
        OLLAWVClassifierCV(cv=cv).fit(*load_wine(return_X_y=True))


@pytest.mark.parametrize("score", [np.nan, -np.inf])
def test_scores_that_are_never_finite_are_refused(score):
    search = OLLAWVClassifierCV(scoring=lambda *_: score, gammas=[1.0], Cs=[1.0])
    with pytest.raises(ValueError, match="expected a finite score of at least one candidate"):
        search.fit(*load_wine(return_X_y=True))


def test_a_score_that_is_a_sum_does_not_warn(recwarn):
    X, y = make_classification(1500, 10, class_sep=0.5, flip_y=0.1, random_state=0)
    costs = make_scorer(zero_one_loss, normalize=False, greater_is_better=False)

    OLLAWVClassifierCV(scoring=costs, gammas=[0.1], Cs=[1.0]).fit(X, y)

    assert not recwarn.list


def test_rows_that_are_drawn_twice_count_twice():
    X, y = load_wine(return_X_y=True)
    X = minmax_scale(X)
    train = np.random.default_rng(1).integers(0, y.size, y.size)
    options = {
        "cv": [(train, np.setdiff1d(np.arange(y.size), train))],
        "gammas": [0.1, 1.0],
        "Cs": [0.01, 1.0, 10.0],
    }

    counted = OLLAWVClassifierCV(**options).fit(X, y)
    fitted = OLLAWVClassifierCV(scoring=lambda m, X, y: m.score(X, y), **options).fit(X, y)

    np.testing.assert_allclose(
        counted.cv_results_["mean_test_score"], fitted.cv_results_["mean_test_score"]
    )


def test_classes_that_weigh_nothing_are_tested():
    X, y = load_wine(return_X_y=True)
    options = {"gammas": [0.1], "Cs": [1.0], "class_weight": {0: 0, 1: 1, 2: 1}}

    search = OLLAWVClassifierCV(**options).fit(minmax_scale(X), y)

    assert search.best_score_ <= np.mean(y != 0)


def test_threads_do_not_decide_how_kernel_values_are_kept():
    # There is room for the values of one thread, not of two.
    X, y = make_classification(2000, 8, class_sep=0.5, flip_y=0.1, random_state=0)
    options = {"gammas": [0.1], "Cs": np.geomspace(1, 1.3, 6), "racing": False}
    split = np.arange(1600), np.arange(1600, 2000)
    one, two = (
        OLLAWVClassifierCV(n_jobs=n_jobs, cv=[split], memory_limit_mb=70, **options).fit(X, y)
        for n_jobs in (1, 2)
    )

    for name, values in one.cv_results_.items():
        np.testing.assert_array_equal(two.cv_results_[name], values)
