"""Protocols: nothing leaks, methods are paired, and the records tell what happened."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler
from sklearn.svm import SVC

from svmosaic import OLLAWVClassifier, OLLAWVClassifierCV
from svmosaic.model_selection import derive_seed, holdout_cv, monte_carlo_cv, nested_cv
from svmosaic.stats import compare, table_of_records

X, Y = load_iris(return_X_y=True)
SCALED_SVC = make_pipeline(MinMaxScaler(), SVC())
GRID = {"svc__C": [1.0, 100.0], "svc__gamma": [0.1, 1.0]}


class _Watcher(ClassifierMixin, BaseEstimator):
    """Remembers which rows it was trained on and which it predicted; rows carry their number."""

    log = ()

    def __init__(self, a=0):
        self.a = a

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        type(self).log = (*type(self).log, ("fit", self.a, frozenset(X[:, 0])))
        return self

    def predict(self, X):
        type(self).log = (*type(self).log, ("predict", self.a, frozenset(X[:, 0])))
        return np.full(len(X), self.classes_[0])


@pytest.fixture
def watched():
    _Watcher.log = ()
    n = 60
    return np.column_stack([np.arange(n), np.zeros(n)]), np.arange(n) % 3


def test_the_outer_fold_is_seen_by_its_score_only(watched):
    X, y = watched

    result = nested_cv(_Watcher(), X, y, grid={"a": [0, 1]}, outer=3, inner=2, scoring="accuracy")

    # Each outer fold: 2 candidates x 2 inner folds, one refit, one last prediction.
    per_fold = len(_Watcher.log) // 3
    assert per_fold == 2 * 2 * 2 + 2
    everything = set(range(60))
    tested = []
    for f in range(3):
        *before, last = _Watcher.log[f * per_fold : (f + 1) * per_fold]
        held_out = last[2]
        tested.append(held_out)
        assert all(not (rows & held_out) for _, _, rows in before)
        refit = before[-1]
        assert refit[0] == "fit"
        assert refit[2] == everything - held_out
    assert set.union(*map(set, tested)) == everything
    assert sum(map(len, tested)) == 60
    assert [split.n_test for split in result.splits] == [20, 20, 20]


def test_scaling_in_a_pipeline_sees_training_rows_only():
    seen = []
    spy = FunctionTransformer(lambda X: (seen.append(len(X)), X)[1])
    model = make_pipeline(spy, KNeighborsClassifier(1))

    nested_cv(model, X, Y, outer=5)

    assert seen == [120, 30] * 5


@pytest.mark.parametrize("search", ["grid", "pattern"])
def test_nested_is_a_search_inside_each_outer_fold(search):
    result = nested_cv(SCALED_SVC, X, Y, grid=GRID, search=search, inner=3, scoring="accuracy")

    for split in result.splits:
        assert split.params.keys() == GRID.keys()
        assert 1 <= split.n_candidates <= 4
        assert split.n_fits == 3 * split.n_candidates + 1
        assert 0.8 <= split.inner_score <= 1.0
        assert 0 < split.refit_seconds <= split.fit_seconds
        assert split.score_seconds > 0
        assert 0 < split.n_support < split.n_train
    assert search in result.protocol


def test_without_a_grid_it_is_plain_cross_validation():
    result = nested_cv(SCALED_SVC, X, Y, outer=KFold(4, shuffle=True, random_state=7))
    expected = cross_val_score(SCALED_SVC, X, Y, cv=KFold(4, shuffle=True, random_state=7))

    np.testing.assert_array_equal(result.scores(), expected)
    assert result.splits[0].params == {}
    assert (result.splits[0].n_candidates, result.splits[0].n_fits) == (None, 1)


@pytest.mark.parametrize(
    "searcher",
    [
        GridSearchCV(make_pipeline(MinMaxScaler(), SVC()), GRID, cv=2),
        OLLAWVClassifierCV(gammas=[0.1, 1.0], Cs=[1.0, 10.0], cv=2),
    ],
)
def test_an_estimator_that_searches_by_itself_is_nested_too(searcher):
    split = nested_cv(searcher, X, Y, outer=2).splits[0]

    assert split.params
    assert split.n_candidates == 4
    assert split.inner_score > 0.8
    assert split.n_support > 0


def test_all_methods_see_the_same_splits():
    runs = [
        nested_cv(model, X, Y, grid=grid, random_state=3)
        for model, grid in ((SCALED_SVC, GRID), (KNeighborsClassifier(), None))
    ]

    assert runs[0].splits_digest == runs[1].splits_digest
    assert nested_cv(KNeighborsClassifier(), X, Y, random_state=4).splits_digest != (
        runs[0].splits_digest
    )


@pytest.mark.parametrize("protocol", [nested_cv, monte_carlo_cv, holdout_cv])
def test_results_depend_on_the_seed_only(protocol):
    options = {"grid": {"svc__C": [1.0, 10.0]}, "inner": 2, "scoring": ["accuracy", "f1_macro"]}
    if protocol is monte_carlo_cv:
        options["n_splits"] = 4

    one, two = (protocol(SCALED_SVC, X, Y, n_jobs=n, **options) for n in (None, 2))

    for a, b in zip(one.splits, two.splits, strict=True):
        assert (a.scores, a.params, a.inner_score) == (b.scores, b.params, b.inner_score)
    assert one.splits_digest == two.splits_digest


def test_more_repeats_begin_with_the_fewer():
    few, many = (
        nested_cv(KNeighborsClassifier(), X, Y, outer=3, repeats=r).scores() for r in (1, 3)
    )

    np.testing.assert_array_equal(many[:3], few)
    assert many.size == 9


def test_folds_are_stratified_for_classifiers_only():
    rare = np.array([0] * 45 + [1] * 5)
    table = np.random.default_rng(0).normal(size=(50, 2))

    def count(y, predicted):
        return float(np.sum(y == 1))

    counts = nested_cv(KNeighborsClassifier(1), table, rare, scoring=make_scorer(count)).scores()
    regression = nested_cv(Ridge(), *load_diabetes(return_X_y=True), outer=3)

    assert counts.tolist() == [1.0] * 5
    assert [split.n_test for split in regression.splits] == [148, 147, 147]


def test_monte_carlo_draws_random_splits():
    result = monte_carlo_cv(KNeighborsClassifier(), X, Y, n_splits=7, test_size=0.25)

    assert [(split.n_train, split.n_test) for split in result.splits] == [(112, 38)] * 7
    assert [split.repeat for split in result.splits] == list(range(7))
    assert len(np.unique(result.scores())) > 1


def test_hold_out_tests_once_and_cross_validates_on_the_rest():
    plain = holdout_cv(SCALED_SVC, X, Y, scoring="accuracy").splits[0]
    tuned = holdout_cv(SCALED_SVC, X, Y, grid=GRID, scoring="accuracy").splits[0]

    assert (plain.n_train, plain.n_test) == (120, 30)
    assert (plain.params, plain.n_candidates, plain.n_fits) == ({}, 1, 6)
    assert 0.9 <= plain.inner_score <= 1.0
    assert tuned.n_candidates == 4
    assert tuned.inner_score >= plain.inner_score - 0.05


@pytest.mark.parametrize(
    "form", [X, X.tolist(), sparse.csr_array(X), pd.DataFrame(X, columns=list("abcd"))]
)
def test_usual_tables_are_taken(form):
    result = nested_cv(KNeighborsClassifier(), form, Y, outer=3)

    np.testing.assert_allclose(
        result.scores(), nested_cv(KNeighborsClassifier(), X, Y, outer=3).scores(), atol=0.021
    )


def test_bags_are_taken():
    rng = np.random.default_rng(0)
    bags = [rng.normal(i % 2, 0.1, (rng.integers(1, 5), 2)) for i in range(20)]

    class BagMeans(ClassifierMixin, BaseEstimator):
        def fit(self, bags, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, bags):
            return np.array([int(bag.mean() > 0.5) for bag in bags])

    assert nested_cv(BagMeans(), bags, np.arange(20) % 2, outer=4).mean() == 1.0


def test_groups_come_as_splits():
    groups = np.arange(150) % 10
    folds = list(GroupKFold(5).split(X, Y, groups))

    result = nested_cv(KNeighborsClassifier(), X, Y, outer=folds)

    assert len(result.splits) == 5


def test_scores_have_names():
    model = KNeighborsClassifier()
    double = make_scorer(lambda y, p: 2 * accuracy_score(y, p))

    single = nested_cv(model, X, Y, scoring="accuracy", outer=3)
    several = nested_cv(model, X, Y, scoring=("accuracy", "f1_macro"), outer=3)
    own = nested_cv(model, X, Y, scoring={"twice": double, "accuracy": "accuracy"}, outer=3)

    assert list(single.splits[0].scores) == ["accuracy"]
    assert list(several.splits[0].scores) == ["accuracy", "f1_macro"]
    np.testing.assert_allclose(own.scores("twice"), 2 * own.scores("accuracy"))
    assert own.mean() == pytest.approx(2 * own.mean("accuracy"))
    with pytest.raises(ValueError, match=r"no score 'auc'\. There is: accuracy"):
        single.scores("auc")


def test_the_first_score_chooses():
    X, y = make_classification(80, weights=[0.9], flip_y=0.1, random_state=1)
    grid = {"C": [0.01, 1.0], "class_weight": [None, "balanced"]}
    by_accuracy, by_recall = (
        nested_cv(SVC(), X, y, grid=grid, scoring=s, outer=3)
        for s in (["accuracy", "recall_macro"], ["recall_macro", "accuracy"])
    )

    chosen = [
        [split.params["class_weight"] for split in r.splits] for r in (by_accuracy, by_recall)
    ]
    assert chosen[0] != chosen[1]


def test_records_go_on_to_the_statistics():
    data = {f"d{i}": make_classification(60, random_state=i, flip_y=0.2) for i in range(4)}
    models = {"knn": KNeighborsClassifier(), "ollawv": OLLAWVClassifier()}

    records = [
        record
        for dataset, (X, y) in data.items()
        for method, model in models.items()
        for record in nested_cv(
            model, X, y, outer=3, scoring="accuracy", dataset=dataset, method=method
        ).records()
    ]
    result = compare(table_of_records(records, "accuracy"), measure="accuracy")

    assert result.table.scores.shape == (4, 2)
    assert records[0]["support_percent"] is None
    assert 0 < records[-1]["support_percent"] <= 100
    # Plain values, which any store takes.
    json.dumps(records)


def test_seeds_depend_on_every_label_and_nothing_else():
    seeds = [
        derive_seed(0, "iris", 1),
        derive_seed(1, "iris", 1),
        derive_seed(0, "iris", 2),
        derive_seed(0, "iris1"),
        derive_seed(0, "iris", "1"),
        derive_seed(0),
    ]

    assert len(set(seeds)) == 6
    assert all(0 <= seed < 2**32 for seed in seeds)
    # Made by this function; a change would silently change every stored experiment.
    assert derive_seed(0, "iris", 1) == SEED


SEED = 1803462395


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"outer": 1}, "at least 2 folds. Got 1"),
        ({"outer": 2.5}, "number, a splitter or a list of splits. Got 2.5"),
        ({"outer": []}, "no splits"),
        ({"repeats": 0}, "must be 1, or more"),
        ({"repeats": 2, "outer": KFold(3)}, "if 'outer' is a number"),
        ({"grid": {"n_neighbors": [1]}, "search": "random"}, "'grid' or 'pattern'. Got 'random'"),
        ({"scoring": []}, "list of scores is empty"),
    ],
)
def test_bad_requests_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        nested_cv(KNeighborsClassifier(), X, Y, **options)


def test_tables_of_different_length_are_refused():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        nested_cv(KNeighborsClassifier(), X, Y[:-1])
