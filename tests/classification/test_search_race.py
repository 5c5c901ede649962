"""The race of the candidates of OLLAWVClassifierCV."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import (
    GroupKFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
)

from svmosaic import OLLAWVClassifierCV
from svmosaic.classification import search_race
from svmosaic.classification.search_race import (
    _Judge,
    paired_deviation,
    round_sizes,
    still_hopeful,
    stratified_order,
    subset_rows,
    survivors,
)

# Solved so well that it does not matter from which smaller C a solution started.
GRID = {
    "gammas": [0.01, 0.1, 1.0, 10.0],
    "Cs": [0.1, 1.0, 10.0, 100.0],
    "cv": 4,
    "tol": 1e-8,
}


@pytest.fixture
def short(monkeypatch):
    """A race over 100, 200 and 400 rows."""
    monkeypatch.setattr(search_race, "_FIRST_ROWS", 100)
    monkeypatch.setattr(search_race, "_FIRST_ROWS_OF_CLASS", 5)
    monkeypatch.setattr(search_race, "_GROWTH", 2.0)


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs(400, n_features=3, centers=6, cluster_std=2.5, random_state=0)
    return X, y % 3


def _assert_finalists_agree(raced, whole):
    """The candidates of the last round have the scores of the exhaustive search."""
    ours, theirs = raced.cv_results_, whole.cv_results_
    last = ours["iter"] == ours["iter"].max()
    assert ours["iter"].max() > 0
    assert 1 <= np.count_nonzero(last) < last.size
    assert last[raced.best_index_]
    assert np.all(theirs["iter"] == 0)
    for name, values in ours.items():
        if name.endswith("_test_score"):
            np.testing.assert_allclose(values[last], theirs[name][last], atol=1e-12)
    best = ours["mean_test_score"][last].max()
    assert raced.best_score_ == best
    assert best >= theirs["mean_test_score"].max() - theirs["std_test_score"].max()


# The parts of a race ------------------------------------------------------------------------


def even(n_rows, n_classes):
    return np.bincount(np.arange(n_rows) % n_classes)


def test_rounds_grow_to_all_rows():
    assert round_sizes(even(599, 2), 40) == [599]
    assert round_sizes(even(600, 2), 40) == [300, 600]
    assert round_sizes(even(1500, 2), 40) == [300, 1500]
    assert round_sizes(even(2700, 2), 40) == [300, 900, 2700]
    assert round_sizes(even(19200, 10), 40) == [300, 1200, 4800, 19200]
    assert round_sizes(even(16000, 26), 40) == [780, 3533, 16000]
    assert round_sizes(even(100_000, 100), 40) == [3000, 9655, 31072, 100_000]
    # The finalists are all there is.
    assert round_sizes(even(16000, 26), 5) == [16000]


def test_the_first_round_has_thirty_rows_of_the_rarer_classes():
    assert round_sizes(np.array([4500, 450, 50]), 40) == [300, 1225, 5000]
    assert round_sizes(np.array([100, 4900]), 40) == [1500, 5000]
    assert round_sizes(np.array([50, 4950]), 40) == [5000]


def test_subsets_are_nested_and_stratified():
    rng = np.random.default_rng(0)
    labels = np.sort(rng.choice(3, 900, p=[0.7, 0.2, 0.1]))
    splits = list(StratifiedKFold(5, shuffle=True, random_state=1).split(labels, labels))
    takes_part = rng.random(900) < 0.9

    strata = stratified_order(labels, takes_part, splits)
    small, large = (subset_rows(strata, labels, splits, size) for size in (100, 300))

    assert np.all(large[small])
    assert not np.any(large & ~takes_part)
    for chosen, share in ((small, 100 / takes_part.sum()), (large, 300 / takes_part.sum())):
        for c in range(3):
            for _, test in splits:
                cell = test[(labels[test] == c) & takes_part[test]]
                assert abs(chosen[cell].sum() - share * cell.size) <= 1.5


def test_every_part_keeps_its_classes():
    labels = np.repeat([0, 1, 2], [300, 297, 3])
    rng = np.random.default_rng(0)
    order = rng.permutation(600)
    splits = [(order[:400], order[400:]), (order[200:], order[:200])]

    strata = stratified_order(labels, np.ones(600, dtype=bool), splits)
    chosen = subset_rows(strata, labels, splits, 30)

    assert 30 <= chosen.sum() <= 36
    for split in splits:
        for part in split:
            assert set(labels[part[chosen[part]]]) == set(labels[part])


def test_survivors_by_hand():
    # Four gammas, one margin, one C, four folds.
    scores = np.array(
        [
            [0.50, 0.52, 0.51, 0.49],
            [0.89, 0.93, 0.91, 0.90],
            [0.90, 0.92, 0.92, 0.91],
            [0.70, 0.71, 0.72, 0.70],
        ]
    ).reshape(4, 1, 1, 4)
    alive = np.ones((4, 1, 1), dtype=bool)

    near = survivors(scores, alive, 4, neighbours=False).ravel()
    around = survivors(scores, alive, 4, neighbours=True).ravel()
    one = survivors(scores, alive, 1, neighbours=False).ravel()

    assert near.tolist() == [False, True, True, False]
    assert around.tolist() == [False, True, True, True]
    assert one.tolist() == [False, False, True, False]
    # Differences from the best: 0.01, -0.01, 0.01, 0.01 and about 0.2 four times.
    behind = scores[2] - scores[[1]]
    assert paired_deviation(scores, near.reshape(4, 1, 1)) == pytest.approx(behind.std(ddof=1))
    first_fold = scores[..., :1]
    assert still_hopeful(first_fold, alive, 0.11).ravel().tolist() == [False, True, True, True]
    assert still_hopeful(first_fold, alive, 0.001).ravel().tolist() == [False, False, True, False]


def test_scores_that_are_no_numbers_lose():
    scores = np.full((3, 1, 1, 4), np.nan)
    scores[1] = 0.5
    alive = np.ones((3, 1, 1), dtype=bool)

    assert survivors(scores, alive, 3, neighbours=False).ravel().tolist() == [False, True, False]


def test_one_split_drops_by_rank_only():
    scores = np.array([0.1, 0.4, 0.3, 0.2]).reshape(4, 1, 1, 1)
    alive = np.ones((4, 1, 1), dtype=bool)

    kept = survivors(scores, alive, 2, neighbours=False)

    assert kept.ravel().tolist() == [False, True, True, False]
    assert paired_deviation(scores, kept) == np.inf


# The race itself ----------------------------------------------------------------------------


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("memory_limit_mb", [2000, 1])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"refine": None, "margins": [0.1, 0.3, 1.0]},
        {"multi_class": "ovr", "scoring": "f1_macro"},
        {"class_weight": "balanced", "scoring": "balanced_accuracy"},
        {"class_weight": {0: 1.0, 1: 3.0, 2: 0.5}},
        {"kernel": "laplacian"},
        {"cv": RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)},
        {"cv": ShuffleSplit(3, test_size=0.3, random_state=0)},
        {"cv": ShuffleSplit(1, test_size=0.3, random_state=0)},
    ],
    ids=lambda options: "-".join(options) or "default",
)
def test_finalists_have_the_scores_of_the_exhaustive_search(blobs, options, memory_limit_mb):
    X, y = blobs
    options = {**GRID, **options, "memory_limit_mb": memory_limit_mb}

    raced, whole = (
        OLLAWVClassifierCV(racing=racing, **options).fit(X, y) for racing in (True, False)
    )

    _assert_finalists_agree(raced, whole)


@pytest.mark.usefixtures("short")
def test_early_rounds_have_the_scores_of_a_search_on_their_rows(blobs):
    X, y = blobs
    splits = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))
    strata = stratified_order(y, np.ones(y.size, dtype=bool), splits)
    chosen = subset_rows(strata, y, splits, 100)
    place = np.cumsum(chosen) - 1
    inside = [tuple(place[part[chosen[part]]] for part in split) for split in splits]

    raced = OLLAWVClassifierCV(racing=True, **GRID).fit(X, y).cv_results_
    part = OLLAWVClassifierCV(racing=False, **{**GRID, "cv": inside}).fit(X[chosen], y[chosen])

    first = raced["iter"] == 0
    assert first.sum() >= 8
    assert set(raced["n_resources"][first]) == {chosen.sum()}
    np.testing.assert_allclose(
        raced["mean_test_score"][first], part.cv_results_["mean_test_score"][first], atol=1e-12
    )


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("memory_limit_mb", [2000, 1])
def test_threads_and_repetition_change_nothing(blobs, memory_limit_mb):
    X, y = blobs
    search = OLLAWVClassifierCV(racing=True, memory_limit_mb=memory_limit_mb, **GRID)

    one, again, two = (clone(search).set_params(n_jobs=n).fit(X, y) for n in (1, 1, 2))

    for other in (again, two):
        assert one.best_params_ == other.best_params_
        for name, values in one.cv_results_.items():
            np.testing.assert_array_equal(values, other.cv_results_[name])
        np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))


@pytest.mark.usefixtures("short")
def test_weights_count_and_rows_without_take_no_part(blobs):
    X, y = blobs
    weights = np.random.default_rng(0).integers(0, 3, y.size).astype(float)

    raced, whole = (
        OLLAWVClassifierCV(racing=racing, **GRID).fit(X, y, weights) for racing in (True, False)
    )

    _assert_finalists_agree(raced, whole)
    assert raced.cv_results_["n_resources"].max() == np.count_nonzero(weights)


@pytest.mark.usefixtures("short")
def test_groups_stay_together(blobs):
    X, y = blobs
    groups = np.arange(y.size) % 40
    search = OLLAWVClassifierCV(racing=True, **{**GRID, "cv": GroupKFold(4)})
    splits = list(GroupKFold(4).split(X, y, groups))
    raced = clone(search).fit(X, y, groups=groups)
    given = clone(search).set_params(cv=splits).fit(X, y)

    for name, values in raced.cv_results_.items():
        np.testing.assert_array_equal(values, given.cv_results_[name])


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("scoring", ["roc_auc", make_scorer(accuracy_score)])
def test_other_scorers_race(blobs, scoring):
    X, y = blobs
    y = (y == 1).astype(int)
    options = {**GRID, "gammas": [0.01, 0.1, 1.0], "Cs": [0.1, 1.0, 10.0], "scoring": scoring}

    raced, whole = (
        OLLAWVClassifierCV(racing=racing, **options).fit(X, y) for racing in (True, False)
    )

    _assert_finalists_agree(raced, whole)


@pytest.mark.usefixtures("short")
def test_sparse_rows_and_precomputed_kernels_race(blobs):
    X, y = blobs
    Cs = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0]
    dense = OLLAWVClassifierCV(kernel="linear", racing=True, Cs=Cs).fit(X, y)
    inside = OLLAWVClassifierCV(kernel="linear", racing=True, Cs=Cs).fit(sparse.csr_array(X), y)
    pairwise = OLLAWVClassifierCV(kernel="precomputed", racing=True, Cs=Cs).fit(X @ X.T, y)

    for other in (inside, pairwise):
        np.testing.assert_array_equal(dense.cv_results_["iter"], other.cv_results_["iter"])
        np.testing.assert_allclose(
            dense.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"], atol=0.01
        )
    assert dense.cv_results_["iter"].max() > 0


@pytest.mark.usefixtures("short")
def test_many_small_test_parts_leave_nothing_to_race(blobs, monkeypatch):
    monkeypatch.setattr(search_race, "_FIRST_ROWS", 30)
    X, y = blobs[0][:80], blobs[1][:80]
    grid = {"gammas": [0.1, 1.0], "Cs": [0.1, 1.0, 10.0], "cv": LeaveOneOut()}

    search = OLLAWVClassifierCV(racing=True, **grid).fit(X, y)

    assert np.all(search.cv_results_["iter"] == 0)
    assert np.all(search.cv_results_["n_resources"] == 80)


def test_small_tables_are_searched_exhaustively(blobs):
    X, y = blobs
    auto, never = (
        OLLAWVClassifierCV(racing=racing, **GRID).fit(X, y) for racing in ("auto", False)
    )

    for name, values in auto.cv_results_.items():
        np.testing.assert_array_equal(values, never.cv_results_[name])
    assert set(auto.cv_results_["n_resources"]) == {y.size}


def test_larger_tables_race_by_default():
    X, y = make_blobs(4000, n_features=2, centers=2, cluster_std=1.5, random_state=0)
    grid = {"gammas": [1e4, 1e5, 1e6, 0.1], "Cs": [0.1, 1.0], "cv": 3}

    results = OLLAWVClassifierCV(**grid).fit(X, y).cv_results_

    assert min(results["n_resources"]) == 300
    assert max(results["n_resources"]) == 4000


@pytest.mark.usefixtures("short")
def test_progress_adds_the_calls_before():
    seen = []
    grid = SimpleNamespace(gammas=np.ones(2), margins=np.ones(1), Cs=np.ones(3))
    judge = _Judge(None, None, grid, 1, lambda *report: seen.append(report))

    first = judge._reporter()
    first(3, 10, 50)
    first(10, 10, 90)
    judge._reporter()(1, 4, 5)

    assert seen == [(3, 10, 50), (10, 10, 90), (11, 14, 95)]


def test_an_interrupted_race_leaves_the_old_results(blobs):
    X, y = blobs
    search = OLLAWVClassifierCV(racing=True, **GRID).fit(X, y)
    before = search.cv_results_
    calls = []

    def stop(model, X, y):
        calls.append(len(y))
        if len(calls) == 3:
            raise KeyboardInterrupt
        return 0.5

    with pytest.raises(KeyboardInterrupt):
        search.set_params(scoring=stop).fit(X, y)
    assert search.cv_results_ is before


@pytest.mark.parametrize("racing", ["sometimes", None, 2])
def test_bad_values_get_one_sentence(blobs, racing):
    with pytest.raises(ValueError, match="The 'racing' parameter of OLLAWVClassifierCV must be"):
        OLLAWVClassifierCV(racing=racing).fit(*blobs)
