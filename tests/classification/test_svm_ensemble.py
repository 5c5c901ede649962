"""The ensemble of tuned SVMs: a NumPy oracle of its mean, its weights and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, load_wine, make_classification
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, QuantileTransformer, StandardScaler
from sklearn.svm import SVC

import svmosaic
from svmosaic import CalibratedClassifier, OLLAWVClassifierCV, SVMEnsembleClassifier
from svmosaic.classification.svm_ensemble import _fitted_ranks
from svmosaic.persistence.onnx_file import encode_onnx

SMALL = {"gamma_factors": [0.25, 1.0], "Cs": [1.0, 100.0], "cv": 3}


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def model(wine):
    return SVMEnsembleClassifier(**SMALL).fit(*wine)


def test_members_are_tuned_svms_of_scikit_learn(wine, model):
    X, y = wine
    scalers = {
        "minmax": MinMaxScaler().fit(X),
        "standard": StandardScaler().fit(X),
        # Where values are equal, rounding in scikit-learn's quantiles moves their ranks.
        "quantile": model.scalers_[-1],
    }
    for scaling, scaler in scalers.items():
        scaled = scaler.transform(X)
        middle = 1.0 / (X.shape[1] * scaled.var())
        grid = {"gamma": [0.25 * middle, middle], "C": [1.0, 100.0]}
        folds = StratifiedKFold(3, shuffle=True, random_state=0)
        search = GridSearchCV(SVC(), grid, cv=folds).fit(scaled, y)
        name = f"{scaling}, rbf"
        assert model.member_scores_[name] == pytest.approx(search.best_score_, abs=1e-12)
        chosen = model.best_params_[name]
        score = {
            (round(p["gamma"], 8), p["C"]): s
            for p, s in zip(
                search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
            )
        }
        assert score[round(chosen["gamma"], 8), chosen["C"]] == pytest.approx(search.best_score_)


@pytest.mark.parametrize("n_rows", [150, 1300])
def test_ranks_are_those_of_scikit_learn(n_rows):
    X = np.random.default_rng(0).normal(size=(n_rows, 4)).round(1)
    ours = _fitted_ranks(X)
    theirs = QuantileTransformer(n_quantiles=min(n_rows, 1000), subsample=None).fit(X)
    np.testing.assert_allclose(ours.quantiles_, theirs.quantiles_, rtol=0, atol=1e-12)
    assert vars(ours).keys() == vars(theirs).keys()
    new = np.random.default_rng(1).normal(size=(50, 4))
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), atol=1e-9)


def test_decision_values_are_the_weighted_mean_of_cut_values(wine, model):
    X, _ = wine
    scores = np.array(list(model.member_scores_.values()))
    weights = np.exp(20.0 * scores)
    weights /= weights.sum()
    np.testing.assert_allclose(model.weights_, weights, rtol=1e-12)
    pairs = np.zeros((len(X), 3))
    scalers = np.repeat(model.scalers_, 2)
    for member, scaler, weight in zip(model.members_, scalers, weights, strict=True):
        shape = member.decision_function_shape
        member.decision_function_shape = "ovo"
        pairs += weight * np.clip(member.decision_function(scaler.transform(X)), -1.0, 1.0)
        member.decision_function_shape = shape
    # Votes of the pairs (0, 1), (0, 2) and (1, 2).
    votes = np.zeros((len(X), 3))
    for column, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        votes[np.arange(len(X)), np.where(pairs[:, column] > 0, a, b)] += 1
    np.testing.assert_array_equal(np.round(model.decision_function(X)), votes)
    np.testing.assert_array_equal(model.predict(X), votes.argmax(axis=1))


def test_scales_features_by_itself(wine, model):
    X, y = wine
    factors = 10.0 ** np.linspace(-3, 3, X.shape[1])
    other = SVMEnsembleClassifier(**SMALL).fit(X * factors + factors, y)
    np.testing.assert_array_equal(other.predict(X * factors + factors), model.predict(X))


def test_one_member_is_the_search_itself(wine):
    X, y = wine
    ours = SVMEnsembleClassifier(kernels=["rbf"], scalings=["standard"], **SMALL).fit(X, y)
    scaled = StandardScaler().fit_transform(X)
    middle = 1.0 / (X.shape[1] * scaled.var())
    search = OLLAWVClassifierCV(gammas=[0.25 * middle, middle], Cs=[1.0, 100.0], cv=3)
    search.fit(scaled, y)
    assert ours.member_scores_ == {"standard, rbf": search.best_score_}
    np.testing.assert_array_equal(ours.predict(X), search.predict(scaled))


def test_sharpness(wine, model):
    level = SVMEnsembleClassifier(sharpness=0.0, **SMALL).fit(*wine)
    np.testing.assert_allclose(level.weights_, 1.0 / 6.0)
    sharp = SVMEnsembleClassifier(sharpness=1e6, **SMALL).fit(*wine)
    scores = np.array(list(model.member_scores_.values()))
    assert np.all(sharp.weights_[scores < scores.max()] < 1e-12)


def test_sparse_rows_keep_their_zeros():
    X, y = make_classification(120, 12, n_informative=6, random_state=0)
    X[np.abs(X) < 0.5] = 0.0
    model = SVMEnsembleClassifier(**SMALL).fit(sp.csr_array(X), y)
    assert [type(scaler) for scaler in model.scalers_] == [MaxAbsScaler, StandardScaler]
    dense = MaxAbsScaler().fit_transform(X)
    member = model.members_[0]
    np.testing.assert_allclose(
        member.decision_function(dense), member.decision_function(sp.csr_array(dense)), atol=1e-9
    )
    assert model.score(sp.csr_array(X), y) > 0.8


def test_does_not_depend_on_the_number_of_threads(wine, model):
    X, y = wine
    threaded = SVMEnsembleClassifier(n_jobs=2, **SMALL).fit(X, y)
    np.testing.assert_array_equal(threaded.decision_function(X), model.decision_function(X))


def test_float32(wine):
    X, y = wine
    model = SVMEnsembleClassifier(**SMALL).fit(X.astype(np.float32), y)
    assert model.score(X.astype(np.float32), y) > 0.97


def test_progress_is_that_of_all_members(wine):
    seen = []
    with svmosaic.report_progress(lambda done, total, steps: seen.append((done, total))):
        SVMEnsembleClassifier(**SMALL).fit(*wine)
    assert [done for done, total in seen if total == 6][-1] == 6
    assert sorted(seen) == seen


def test_model_files(tmp_path, wine, model):
    X, _ = wine
    svmosaic.save(model, tmp_path / "wine.svm")
    again = svmosaic.load(tmp_path / "wine.svm")
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert again.member_scores_ == model.member_scores_


def test_onnx_refuses_it(model):
    with pytest.raises(ValueError, match="SVMEnsembleClassifier"):
        encode_onnx(model)


def test_quantiles_in_a_pipeline_are_stored(tmp_path):
    X, y = load_iris(return_X_y=True)
    scaler = QuantileTransformer(n_quantiles=50, output_distribution="normal", random_state=0)
    pipeline = make_pipeline(scaler, svmosaic.SMOClassifier()).fit(X, y)
    svmosaic.save(pipeline, tmp_path / "iris.svm")
    again = svmosaic.load(tmp_path / "iris.svm")
    np.testing.assert_array_equal(again.decision_function(X), pipeline.decision_function(X))


def test_probabilities(wine):
    X, y = wine
    ensemble = SVMEnsembleClassifier(scalings=["standard"], **SMALL)
    calibrated = CalibratedClassifier(ensemble, cv=3).fit(X, y)
    assert calibrated.predict_proba(X).shape == (len(X), 3)
    assert calibrated.score(X, y) > 0.95


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernels": ["linear"]}, "'kernels' parameter of SVMEnsembleClassifier must be some of"),
        ({"kernels": []}, "'kernels' parameter of SVMEnsembleClassifier must be some of"),
        ({"scalings": ["standard", "standard"]}, "each at most once"),
        ({"gamma_factors": [0.0]}, "'gamma_factors' parameter of SVMEnsembleClassifier must be"),
        ({"Cs": [-1.0]}, "'Cs' parameter"),
    ],
)
def test_refuses(wine, parameters, message):
    with pytest.raises(ValueError, match=message):
        SVMEnsembleClassifier(**parameters).fit(*wine)


def test_refuses_quantiles_of_sparse_rows():
    model = SVMEnsembleClassifier(scalings=["quantile"])
    with pytest.raises(ValueError, match="cannot scale by quantiles alone"):
        model.fit(sp.csr_array(np.eye(6)), [0, 1] * 3)


def test_folds_of_a_generator_serve_all_members():
    X, y = load_iris(return_X_y=True)
    options = {"Cs": [1.0], "gamma_factors": [1.0]}

    drawn = SVMEnsembleClassifier(cv=StratifiedKFold(3).split(X, y), **options).fit(X, y)

    listed = SVMEnsembleClassifier(cv=StratifiedKFold(3), **options).fit(X, y)
    assert drawn.member_scores_ == listed.member_scores_


@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
def test_features_that_cannot_be_scaled_are_refused():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match="SVMEnsembleClassifier cannot scale the features"):
        SVMEnsembleClassifier().fit(X * 1e200, y)
