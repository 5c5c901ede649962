"""Scorers by name, in scikit-learn's searches and in ours; costs of models."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from svmosaic import OLLAWVClassifier
from svmosaic.metrics import (
    get_scorer,
    scorer_names,
    specificity_score,
    support_vector_share,
    time_improvement,
)
from svmosaic.model_selection import nested_cv


def test_every_scorer_of_ours_scores():
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(MinMaxScaler(), KNeighborsClassifier()).fit(X, y)

    scores = {name: get_scorer(name)(model, X, y) for name in scorer_names(ours=True)}

    assert all(-1 <= score <= 1 for score in scores.values())
    assert scores["specificity"] > 0.9
    assert -0.1 < scores["neg_type_1_error"] <= 0
    assert scores["specificity"] == pytest.approx(1 + scores["neg_type_1_error"])


def test_names_serve_nested_cv_and_searches():
    X, y = load_iris(return_X_y=True)
    grid = {"n_neighbors": [1, 5]}

    result = nested_cv(
        KNeighborsClassifier(), X, y, grid=grid, outer=3, scoring=["cohen_kappa", "accuracy"]
    )

    assert set(result.splits[0].scores) == {"cohen_kappa", "accuracy"}
    assert result.mean("cohen_kappa") < result.mean("accuracy")


def test_functions_serve_make_scorer():
    X, y = load_breast_cancer(return_X_y=True)
    scorer = make_scorer(specificity_score)

    assert cross_val_score(KNeighborsClassifier(), X, y, scoring=scorer).min() > 0.7


def test_a_misspelt_name_gets_a_suggestion():
    with pytest.raises(ValueError, match="Did you mean 'cohen_kappa'"):
        get_scorer("cohen_kapa")


def test_support_vector_share_looks_into_searches_and_pipelines():
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(make_pipeline(MinMaxScaler(), SVC()), {"svc__C": [1.0, 10.0]}).fit(X, y)
    best = search.best_estimator_[-1]

    assert support_vector_share(search, 150) == 100 * best.n_support_.sum() / 150
    with pytest.raises(ValueError, match="has no support vectors"):
        support_vector_share(KNeighborsClassifier().fit(X, y), 150)
    with pytest.raises(ValueError, match="at least 1"):
        support_vector_share(search, 0)


def test_time_improvement():
    assert time_improvement(1.0, 4.0) == 75.0
    with pytest.raises(ValueError, match="positive time of the baseline"):
        time_improvement(1.0, 0.0)


def test_roc_auc_macro_is_the_mean_over_the_classes():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(X[::2], y[::2])
    score = get_scorer("roc_auc_macro")
    values = model.decision_function(X)
    areas = [roc_auc_score(y == k, values[:, k]) for k in range(3)]

    assert score(model, X, y) == pytest.approx(np.mean(areas))
    assert score(model, X[:100], y[:100]) == pytest.approx(
        np.mean([roc_auc_score(y[:100] == k, values[:100, k]) for k in range(2)])
    )
    assert np.isnan(score(model, X[:50], y[:50]))


def test_roc_auc_macro_of_two_classes_is_roc_auc():
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.linspace(1, 2, y.size)
    tree = DecisionTreeClassifier(max_depth=2).fit(X, y)
    svm = make_pipeline(StandardScaler(), OLLAWVClassifier()).fit(X[::3], y[::3])

    for model in (tree, svm):
        assert get_scorer("roc_auc_macro")(model, X, y, sample_weight=weight) == pytest.approx(
            get_scorer("roc_auc")(model, X, y, sample_weight=weight)
        )


def test_values_of_pairs_are_refused():
    X, y = load_iris(return_X_y=True)
    model = OLLAWVClassifier(decision_function_shape="ovo").fit(X, y)

    with pytest.raises(ValueError, match="Use decision_function_shape='ovr'"):
        get_scorer("roc_auc_macro")(model, X, y)
