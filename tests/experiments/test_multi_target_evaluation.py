"""Protocols of multi-target regression, and several targets in the file of an experiment."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge

from svmosaic.exceptions import DataFileError
from svmosaic.experiments.cells import load_data
from svmosaic.experiments.multi_target_evaluation import evaluate_multitarget, published_regressor
from svmosaic.experiments.runner import run_experiment
from svmosaic.experiments.spec import read_spec


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    Y = np.column_stack([X @ [1.0, 2.0, 0.0], 1000 * X[:, 2] + 5]) + 0.1
    X[3, 1] = np.nan
    return X, Y


def test_the_mean_has_a_relative_error_of_one(data):
    scores = evaluate_multitarget(DummyRegressor(), *data, n_splits=5)

    np.testing.assert_allclose(scores.arrmse, 1.0)
    np.testing.assert_allclose(scores.acc, 0.0)


def test_the_honest_protocol_measures_on_the_original_scale(data):
    X, Y = data

    honest = evaluate_multitarget(Ridge(), X, Y, n_splits=5).means()
    larger = evaluate_multitarget(Ridge(), X, 10 * Y, n_splits=5).means()

    assert larger["armse"] == pytest.approx(10 * honest["armse"])
    assert larger["arrmse"] == pytest.approx(honest["arrmse"])


def test_the_published_protocol_does_not_know_scales(data):
    X, Y = data
    means = [
        evaluate_multitarget(Ridge(), X, scale * Y, protocol="published").means()
        for scale in (1, 10)
    ]

    assert means[0] == pytest.approx(means[1])


@pytest.mark.parametrize("method", ["SVR", "SVRRC", "SVRCC"])
def test_our_regressors_by_name(method, data):
    assert evaluate_multitarget(method, *data, n_splits=2).means()["arrmse"] < 0.5


def test_published_regressors_have_the_published_grid():
    model = published_regressor("SVRCC", [1, 0])

    assert len(model.gammas) * len(model.Cs) * len(model.epsilons) == 72
    assert (model.appended, model.search, model.scale_targets) == ("true", "grid", False)


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("SVM", {}, "The method must be SVR, SVRRC, SVRCC"),
        ("SVR", {"order": [1, 0]}, "'order' is for method 'SVRCC' only"),
        ("SVR", {"protocol": "leaky"}, "must be 'honest' or 'published'"),
    ],
)
def test_unknown_choices_are_refused(method, options, message, data):
    with pytest.raises(ValueError, match=message):
        evaluate_multitarget(method, *data, **options)


# Files of experiments -----------------------------------------------------------------------

SPEC = """
[[data]]
path = "toy.arff"
targets = 2

[[methods]]
estimator = "MultiTargetSVR"
params = { gammas = [0.1], Cs = [10.0], epsilons = [0.1] }

[[methods]]
estimator = "sklearn.linear_model.Ridge"
grid = { alpha = [0.1, 10.0] }

[protocol]
outer = 3
inner = 2
scale = "standard"
impute = "mean"
scoring = ["neg_average_rrmse", "average_correlation", "r2"]
"""


@pytest.fixture
def folder(tmp_path, data):
    X, Y = data
    names = [f"@attribute x{j} real" for j in range(5)]
    rows = [",".join(map(str, row)).replace("nan", "?") for row in np.hstack([X, Y])]
    text = "\n".join(["@relation toy", *names, "@data", *rows])
    (tmp_path / "toy.arff").write_text(text + "\n", encoding="utf-8")
    (tmp_path / "spec.toml").write_text(SPEC, encoding="utf-8")
    return tmp_path


def test_an_experiment_with_several_targets_runs(folder):
    spec = read_spec(folder / "spec.toml")

    summary = run_experiment(spec, folder / "run")

    assert (summary.n_done, summary.n_failed) == (6, 0)


def test_several_targets_have_two_dimensions(folder):
    X, y = load_data(read_spec(folder / "spec.toml").data[0])

    assert (X.shape, y.shape) == ((60, 3), (60, 2))


def test_one_target_and_several_exclude_each_other(folder):
    (folder / "spec.toml").write_text(SPEC.replace("targets = 2", "targets = 2\ntarget = 0"))

    with pytest.raises(DataFileError, match="exclude each other"):
        read_spec(folder / "spec.toml")


def test_names_of_the_registry_are_known(folder):
    (folder / "spec.toml").write_text(
        SPEC.replace('path = "toy.arff"\ntargets = 2', 'name = "andro"')
    )

    assert read_spec(folder / "spec.toml").data[0].name == "andro"


def test_a_regressor_that_tunes_itself_may_follow_an_imputer_alone(folder):
    text = SPEC.replace('scale = "standard"', 'scale = "none"')
    text = text.replace('estimator = "MultiTargetSVR"', 'estimator = "SVRWC"\ntunes_itself = true')
    text = text.replace(
        "params = { gammas = [0.1], Cs = [10.0], epsilons = [0.1] }",
        "params = { Cs = [10.0], epsilons = [0.1] }",
    )
    (folder / "spec.toml").write_text(text, encoding="utf-8")

    summary = run_experiment(read_spec(folder / "spec.toml"), folder / "out")

    assert (summary.n_done, summary.n_failed) == (6, 0)
