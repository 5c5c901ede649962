"""Pattern search: where it goes, what it counts, and that it is a scikit-learn search."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, minmax_scale
from sklearn.svm import SVC

from scikit_learn_checks import parametrize_with_checks
from svmosaic import OLLAWVClassifier
from svmosaic.model_selection import PatternSearchCV
from svmosaic.model_selection.pattern_search import _search

X, Y = load_iris(return_X_y=True)
GRID = {"C": [4.0**i for i in range(-2, 6)], "gamma": [4.0**i for i in range(-5, 3)]}


def _run(surface, n_restarts=0):
    """Search a table of scores; return the middles and the scored points."""
    known = {}

    def score(points):
        known.update({point: float(surface[point]) for point in points})
        return {point: known[point] for point in points}

    return list(_search(surface.shape, score, known, n_restarts)), known


def test_the_road_over_one_axis_by_hand():
    # Middle 4, steps of 2: 4 < 6, then 6 and the edge 7 < 6; steps of 1: 5, 7 < 6.
    middles, known = _run(np.array([0, 1, 2, 3, 4, 5, 9, 5.0]))

    assert middles == [(4,), (6,)]
    assert set(known) == {(2,), (4,), (6,), (7,), (5,)}


def test_on_one_hill_it_finds_the_top():
    i, j = np.indices((8, 8))
    for top in product(range(8), repeat=2):
        middles, known = _run(-np.hypot(i - top[0], j - top[1]))
        assert middles[-1] == top
        assert len(known) <= 24


def test_a_restart_begins_at_the_farthest_point():
    flat = np.zeros((8, 8))

    middles, known = _run(flat, n_restarts=1)

    # A flat table ends the first search around (4, 4); the corner (0, 0) is farthest from it.
    assert middles == [(4, 4), (0, 0)]
    assert known.keys() >= {(4, 4), (2, 4), (6, 4), (3, 4), (5, 4)}


def test_a_restart_finds_the_second_hill():
    i, j = np.indices((8, 8))
    surface = np.maximum(2 - np.hypot(i - 5, j - 5), 5 - 2 * np.hypot(i - 0, j - 1))

    one, _ = _run(surface)
    two, _ = _run(surface, n_restarts=1)

    assert one[-1] == (5, 5)
    assert (0, 1) in two


@given(st.integers(1, 5), st.integers(1, 9), st.integers(0, 3), st.integers(0, 10**6))
@settings(max_examples=50)
def test_it_ends_where_no_neighbour_is_better(n, m, n_restarts, seed):
    surface = np.random.default_rng(seed).random((n, m))

    middles, known = _run(surface, n_restarts)

    assert set(middles) <= set(known)
    i, j = max(known, key=known.get)
    for a, b in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
        if 0 <= a < n and 0 <= b < m:
            assert surface[a, b] <= surface[i, j]


def test_enough_restarts_see_the_whole_grid():
    surface = np.random.default_rng(0).random((4, 3, 2))

    _, known = _run(surface, n_restarts=100)

    assert len(known) == surface.size


def test_it_scores_less_than_the_grid_and_counts_it():
    X, y = load_wine(return_X_y=True)
    X = minmax_scale(X)
    pattern = PatternSearchCV(SVC(), GRID).fit(X, y)
    grid = GridSearchCV(SVC(), GRID).fit(X, y)

    assert pattern.grid_size_ == 64
    assert pattern.n_evaluations_ == len(pattern.cv_results_["params"]) < 32
    assert pattern.best_score_ >= grid.best_score_ - 0.01
    assert pattern.path_[0] == {"C": GRID["C"][4], "gamma": GRID["gamma"][4]}
    # Nothing is scored twice, and every score is the grid's.
    theirs = {
        tuple(p.values()): s
        for p, s in zip(
            grid.cv_results_["params"], grid.cv_results_["mean_test_score"], strict=True
        )
    }
    ours = [tuple(p.values()) for p in pattern.cv_results_["params"]]
    assert len(set(ours)) == len(ours)
    np.testing.assert_array_equal(pattern.cv_results_["mean_test_score"], [theirs[p] for p in ours])


class _Recorder(BaseEstimator):
    """Remembers the rows of every fit."""

    seen = ()

    def __init__(self, a=0):
        self.a = a

    def fit(self, X, y):
        type(self).seen = (*type(self).seen, (self.a, tuple(X[:, 0])))
        return self

    def score(self, X, y):
        return float(self.a)


def test_shuffled_folds_are_drawn_once():
    _Recorder.seen = ()
    X = np.arange(20.0)[:, None]

    PatternSearchCV(_Recorder(), {"a": list(range(8))}, cv=KFold(2, shuffle=True), refit=False).fit(
        X, np.zeros(20)
    )

    folds = {}
    for a, rows in _Recorder.seen:
        folds.setdefault(a, set()).add(rows)
    assert len(folds) > 3
    assert len(set(map(frozenset, folds.values()))) == 1


def test_a_generator_of_folds_is_taken():
    folds = StratifiedKFold(3).split(X, Y)

    assert PatternSearchCV(SVC(), {"C": [0.1, 1, 10]}, cv=folds).fit(X, Y).n_splits_ == 3


def test_pipelines_and_our_estimators_are_tuned():
    model = make_pipeline(MinMaxScaler(), OLLAWVClassifier())
    grid = {"ollawvclassifier__C": [0.1, 1.0, 10.0, 100.0]}

    search = PatternSearchCV(model, grid, cv=3).fit(X, Y)

    assert search.best_params_.keys() == grid.keys()
    assert search.predict(X).shape == (150,)


def test_several_scores_need_one_to_follow():
    scores = ["accuracy", "f1_macro"]

    search = PatternSearchCV(SVC(), {"C": [0.1, 1, 10]}, scoring=scores, refit="f1_macro")

    assert "mean_test_accuracy" in search.fit(X, Y).cv_results_
    with pytest.raises(ValueError, match="must name the score to follow"):
        clone(search).set_params(refit=False).fit(X, Y)


class _Fails(_Recorder):
    def __init__(self, a=0, largest=5):
        super().__init__(a)
        self.largest = largest

    def fit(self, X, y):
        if self.a > self.largest:
            raise ValueError("too large")
        return self


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
@pytest.mark.filterwarnings("ignore:One or more of the test scores:UserWarning")
@pytest.mark.parametrize("largest", [4, 5, 6])
def test_a_candidate_that_fails_is_worse_than_any_other(largest):
    # With 4, the second cross has one new point that fails alone; the search goes on.
    search = PatternSearchCV(_Fails(largest=largest), {"a": list(range(8))}, cv=2)

    assert search.fit(X, Y).best_params_ == {"a": largest}
    with pytest.raises(ValueError, match="too large"):
        search.set_params(error_score="raise").fit(X, Y)


def test_a_search_that_fails_from_the_start_says_why():
    with pytest.raises(ValueError, match="too large"):
        PatternSearchCV(_Fails(largest=-1), {"a": list(range(8))}, cv=2).fit(X, Y)


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ({}, "is empty"),
        ({"C": []}, "values of 'C'.*not empty"),
        ({"kernel": "rbf"}, "Got 'rbf'"),
        ([{"C": [1]}], "'param_grid' parameter of PatternSearchCV must be an instance of 'dict'"),
    ],
)
def test_bad_grids_are_refused(grid, message):
    with pytest.raises(ValueError, match=message):
        PatternSearchCV(SVC(), grid).fit(X, Y)


# One check gives infinite labels, which scikit-learn itself casts to whole numbers.
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
@parametrize_with_checks(
    [PatternSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 2, 3]}, cv=2, error_score="raise")]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_a_function_may_return_several_scores():
    X, y = load_iris(return_X_y=True)

    def scores(model, X, y):
        return {"right": model.score(X, y), "half": 0.5}

    search = PatternSearchCV(SVC(), {"C": [0.1, 1, 10]}, scoring=scores, refit="right").fit(X, y)

    assert search.best_score_ == search.cv_results_["mean_test_right"].max()
    with pytest.raises(ValueError, match="must name the score to follow"):
        PatternSearchCV(SVC(), {"C": [0.1, 1, 10]}, scoring=scores).fit(X, y)
