"""What is kept of a search."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from svmosaic import OLLAWVClassifierCV
from svmosaic.model_selection.search_scores import search_scores


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def test_scores_of_a_grid_are_those_of_the_search(iris):
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3], "p": [1, 2]}, cv=2)

    kept = search_scores(search.fit(*iris))

    assert kept["params"] == {"n_neighbors": [1, 1, 3, 3], "p": [1, 2, 1, 2]}
    np.testing.assert_allclose(kept["score"], search.cv_results_["mean_test_score"], atol=1e-6)


def test_a_model_that_tunes_itself_inside_a_pipeline_is_found(iris):
    tuned = OLLAWVClassifierCV(gammas=[0.1, 1.0], Cs=[1.0, 10.0], cv=2)

    kept = search_scores(make_pipeline(MinMaxScaler(), tuned).fit(*iris))

    assert kept["params"]["gamma"] == [0.1, 0.1, 1.0, 1.0]
    assert len(kept["score"]) == 4


def test_without_a_search_there_is_nothing(iris):
    assert search_scores(KNeighborsClassifier().fit(*iris)) is None


def test_a_large_grid_is_not_kept(iris):
    grid = {"n_neighbors": list(range(1, 22)), "leaf_size": list(range(1, 21))}
    search = GridSearchCV(KNeighborsClassifier(), grid, cv=2)
    # Only the length matters, so one fit stands for all.
    search.cv_results_ = {"mean_test_score": np.zeros(420), "param_n_neighbors": np.zeros(420)}

    assert search_scores(search) is None
    search.cv_results_ = {
        "mean_test_score": np.array([np.nan, 0.5]),
        "param_p": np.ma.array([1, 2], mask=[True, False]),
    }
    assert search_scores(search) == {"params": {"p": [None, 2]}, "score": [None, 0.5]}
