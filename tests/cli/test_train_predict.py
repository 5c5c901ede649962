"""Train, predict and info, end to end on small files."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from svmosaic import OLLAWVClassifier, OneClassSMO
from svmosaic.cli.methods import METHODS
from svmosaic.persistence import load, save
from svmosaic.preprocessing import ConstantHolder


def _field(outcome, name):
    return re.search(rf"^{name} +(.*)$", outcome.out, re.MULTILINE).group(1)


def test_training_shows_a_summary_and_saves_the_scaling(svmosaic, flowers, tmp_path):
    outcome = svmosaic("train", flowers, "-o", tmp_path / "m")

    assert (outcome.code, outcome.err) == (0, "")
    assert _field(outcome, "rows") == "40"
    assert _field(outcome, "features") == "4"
    assert _field(outcome, "classes") == "2 (no: 20, yes: 20)"
    assert _field(outcome, "training accuracy") == "1.0000"
    assert _field(outcome, "binary problems").startswith("1; ")
    model = load(tmp_path / "m")
    assert [type(step) for _, step in model.steps] == [MinMaxScaler, OLLAWVClassifier]
    assert model.feature_names_in_[0] == "size"


def test_verbose_training_shows_what_the_fit_did(svmosaic, flowers, tmp_path):
    plain = svmosaic("train", flowers, "-o", tmp_path / "m")
    outcome = svmosaic("train", flowers, "-o", tmp_path / "m", "-v", "--n-jobs", "1")

    assert "kernel values" not in plain.out
    assert _field(outcome, "kernel values").endswith("x (samples x support vectors)")
    assert _field(outcome, "threads") == "1"
    assert _field(outcome, "distinct rows") == "40"
    assert "preparation" in _field(outcome, "seconds of fit")


def test_prediction_agrees_with_the_library(svmosaic, flowers, tmp_path):
    svmosaic("train", flowers, "-o", tmp_path / "m", "--gamma", "2", "--C", "3", "--margin", "0.3")
    lines = flowers.read_text().splitlines()[1:]
    size = np.array([float(line.split(",")[0]) for line in lines])
    colour = np.array([line.split(",")[1] for line in lines])
    y = np.array([line.split(",")[2] for line in lines])
    X = np.column_stack([size, *(colour == c for c in ("blue", "green", "red"))])
    expected = Pipeline(
        [("scale", MinMaxScaler()), ("model", OLLAWVClassifier(gamma=2.0, C=3.0, margin=0.3))]
    ).fit(X, y)

    outcome = svmosaic("predict", tmp_path / "m", flowers, "--decision")

    assert outcome.code == 0
    assert "accuracy 1.0000 (40 of 40 rows right)" in outcome.err
    header, *table = [line.split(",") for line in outcome.out.splitlines()]
    assert header == ["row", "prediction", "decision_yes"]
    assert [row[0] for row in table] == [str(i + 1) for i in range(40)]
    assert [row[1] for row in table] == expected.predict(X).tolist()
    values = [float(row[2]) for row in table]
    np.testing.assert_allclose(values, expected.decision_function(X), rtol=1e-12)


def test_predictions_go_to_a_file(svmosaic, flowers, tmp_path):
    svmosaic("train", flowers, "-o", tmp_path / "m")

    outcome = svmosaic("predict", tmp_path / "m", flowers, "-o", tmp_path / "labels.txt")

    assert outcome.out == ""
    labels = (tmp_path / "labels.txt").read_text().split()
    assert labels == [line.rpartition(",")[2] for line in flowers.read_text().split()[1:]]


def test_columns_are_matched_by_name_and_labels_may_be_absent(svmosaic, flowers, tmp_path):
    svmosaic("train", flowers, "-o", tmp_path / "m")
    new = tmp_path / "new.csv"
    new.write_text("colour,size\nred,1.0\nblue,2.0\nred,1.1\n")

    outcome = svmosaic("predict", tmp_path / "m", new)

    assert outcome.out == "row,prediction\n1,yes\n2,no\n3,yes\n"
    assert "accuracy" not in outcome.err


def test_an_unknown_category_is_left_out_and_said(svmosaic, flowers, tmp_path):
    svmosaic("train", flowers, "-o", tmp_path / "m")
    new = tmp_path / "new.csv"
    new.write_text("size,colour\n1.0,red\n2.0,black\n")

    outcome = svmosaic("predict", tmp_path / "m", new, "--target", "none")

    assert outcome.code == 0
    assert "'colour=black'" in outcome.err


def test_a_missing_column_is_named(svmosaic, flowers, tmp_path):
    svmosaic("train", flowers, "-o", tmp_path / "m")
    new = tmp_path / "new.csv"
    new.write_text("colour,class\nred,yes\nblue,no\n")

    outcome = svmosaic("predict", tmp_path / "m", new)

    assert outcome.code == 1
    assert "lacks the column 'size'" in outcome.err


def test_a_table_of_another_width_is_refused(svmosaic, blobs, tmp_path):
    svmosaic("train", blobs, "-o", tmp_path / "m")
    other = tmp_path / "other.csv"
    other.write_text("1,2,3\n4,5,6\n")

    outcome = svmosaic("predict", tmp_path / "m", other)

    assert outcome.code == 1
    assert "the model was trained on 7" in outcome.err


def test_foreign_labels_give_no_accuracy(svmosaic, blobs, tmp_path):
    svmosaic("train", blobs, "-o", tmp_path / "m")
    unlabelled = tmp_path / "unlabelled.svm"
    unlabelled.write_text("0 1:1 2:1\n0 6:1 7:1\n")

    outcome = svmosaic("predict", tmp_path / "m", unlabelled)

    assert outcome.out == "row,prediction\n1,1\n2,-1\n"
    assert "not classes of the model" in outcome.err


def test_a_model_without_scaling_knows_its_columns_too(svmosaic, flowers, tmp_path):
    trained = svmosaic("train", flowers, "-o", tmp_path / "m", "--scale", "none")
    predicted = svmosaic("predict", tmp_path / "m", flowers)

    assert (trained.code, trained.err) == (0, "")
    assert predicted.err.startswith("svmosaic: accuracy 1.0000 (40 of 40 rows right)\n")
    assert load(tmp_path / "m").feature_names_in_[0] == "size"


def test_the_training_accuracy_of_many_rows_is_an_estimate(svmosaic, tmp_path):
    data = tmp_path / "many.csv"
    data.write_text("".join(f"{i % 97},{int(i % 97 > 48)}\n" for i in range(2500)))

    outcome = svmosaic("train", data, "-o", tmp_path / "m")

    assert _field(outcome, "training accuracy").endswith("(on 2000 rows drawn at random)")


def test_sparse_data_keep_their_zeros(svmosaic, blobs, tmp_path):
    outcome = svmosaic("train", blobs, "-o", tmp_path / "m", "--test", blobs)

    assert "max-abs" in _field(outcome, "scaling")
    assert "sparse" in _field(outcome, "features")
    assert _field(outcome, "test accuracy") == "1.0000 (30 rows)"
    model = load(tmp_path / "m")
    assert isinstance(model["scale"], MaxAbsScaler)
    assert hasattr(model["model"].support_vectors_, "tocsr")


@pytest.mark.parametrize("scale", ["minmax", "standard"])
def test_what_training_never_saw_does_not_change_a_prediction(svmosaic, blobs, tmp_path, scale):
    # Features 3 to 5 are in no row of the training file.
    outcome = svmosaic("train", blobs, "-o", tmp_path / "m", "--scale", scale)
    new = tmp_path / "new.svm"
    new.write_text("1 1:1 2:1\n1 1:1 2:1 4:61\n-1 4:61 6:1 7:1\n")
    predicted = svmosaic("predict", tmp_path / "m", new, "--decision")

    assert _field(outcome, "constant") == "3 features without a range, held at one value"
    assert isinstance(load(tmp_path / "m")[0], ConstantHolder)
    assert "accuracy 1.0000" in predicted.err
    first, second, _ = predicted.out.splitlines()[1:]
    assert first.partition(",")[2] == second.partition(",")[2]
    assert _field(svmosaic("info", tmp_path / "m"), "scaling").startswith("ConstantHolder, ")
    unscaled = svmosaic("train", blobs, "-o", tmp_path / "n", "--scale", "none")
    assert "constant" not in unscaled.out


def test_a_search_holds_what_is_constant(svmosaic, blobs, tmp_path):
    grid = ("--gammas", "0.1,1", "--Cs", "1", "--cv", "2")
    outcome = svmosaic("tune", blobs, "-o", tmp_path / "m", *grid)

    assert outcome.code == 0, outcome.err
    assert isinstance(load(tmp_path / "m")[0], ConstantHolder)


@pytest.mark.parametrize("scale", ["minmax", "standard", "none"])
def test_every_scaling_serves_sparse_and_dense_data(svmosaic, blobs, tmp_path, scale):
    dense = tmp_path / "dense.svm"
    dense.write_text("".join(f"{i % 2} 1:{i % 2 + i / 100} 2:{i}\n" for i in range(1, 21)))

    for data in (blobs, dense):
        trained = svmosaic("train", data, "-o", tmp_path / "m", "--scale", scale)
        predicted = svmosaic("predict", tmp_path / "m", data)
        assert (trained.code, predicted.code) == (0, 0)
        assert len(predicted.out.split()) == len(data.read_text().splitlines()) + 1


def test_options_reach_the_estimator(svmosaic, tmp_path):
    outcome = svmosaic(
        *("train", "sklearn-iris", "-o", tmp_path / "m", "--scale", "standard", "--float32"),
        *("--kernel", "poly", "--degree", "2", "--coef0", "1", "--gamma", "auto"),
        *("--refine", "none", "--multi-class", "ovr", "--class-weight", "balanced"),
        *("--max-support", "9", "--max-iter", "50", "--max-time", "60", "--n-jobs", "1", "-v"),
    )

    assert outcome.code == 0
    model = load(tmp_path / "m")
    assert isinstance(model.steps[0][1], StandardScaler)
    classifier = model.steps[1][1]
    changed = {
        "kernel": "poly",
        "degree": 2,
        "coef0": 1.0,
        "gamma": "auto",
        "refine": None,
        "multi_class": "ovr",
        "class_weight": "balanced",
        "max_support": 9,
        "max_iter": 50,
        "max_time": 60.0,
        "n_jobs": 1,
    }
    assert classifier.get_params() == OLLAWVClassifier().get_params() | changed
    assert classifier.support_vectors_.dtype == np.float32
    assert _field(outcome, "gamma") == "0.25"


def test_the_target_can_be_any_column(svmosaic, flowers, tmp_path):
    swapped = tmp_path / "swapped.csv"
    rows = [line.split(",") for line in flowers.read_text().split()]
    swapped.write_text("".join(f"{c},{a},{b}\n" for a, b, c in rows))

    by_name = svmosaic("train", swapped, "-o", tmp_path / "a", "--target", "class")
    by_number = svmosaic("train", swapped, "-o", tmp_path / "b", "--target", "0")

    assert _field(by_name, "classes") == "2 (no: 20, yes: 20)"
    assert _field(by_number, "classes") == "2 (no: 20, yes: 20)"
    outcome = svmosaic("predict", tmp_path / "a", swapped, "--target", "class")
    assert "accuracy 1.0000" in outcome.err


def test_a_limit_that_is_reached_is_a_warning(svmosaic, tmp_path):
    outcome = svmosaic("train", "sklearn-digits", "-o", tmp_path / "m", "--max-time", "1e-9")

    assert outcome.code == 0
    assert outcome.err.startswith("svmosaic: warning: OLLAWVClassifier stopped at max_time=1e-09")
    assert outcome.err.count("\n") == 1
    assert "max_time" in _field(outcome, "binary problems")


def test_libsvm_text_is_exported_and_predicts_the_same(svmosaic, blobs, tmp_path):
    svmosaic(
        *("train", blobs, "-o", tmp_path / "m", "--scale", "none", "--libsvm", tmp_path / "text")
    )

    ours = svmosaic("predict", tmp_path / "m", blobs)
    theirs = svmosaic("predict", tmp_path / "text", blobs)

    assert (tmp_path / "text").read_text().startswith("svm_type c_svc")
    assert theirs.out == ours.out


def test_libsvm_text_serves_data_with_more_features_than_it_names(svmosaic, tmp_path):
    text = tmp_path / "text"
    text.write_text(
        "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0\n"
        "label 1 -1\nnr_sv 1 1\nSV\n1 1:1\n-1 1:-1\n"
    )
    data = tmp_path / "wide.svm"
    data.write_text("1 1:0.9 3:0.2\n-1 1:-0.5\n")

    outcome = svmosaic("predict", text, data)

    assert (outcome.code, outcome.out) == (0, "row,prediction\n1,1\n2,-1\n")


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (["--kernel", "laplacian"], "no laplacian kernel"),
        (["--multi-class", "ovr"], "one-vs-one models only"),
    ],
)
def test_what_libsvm_text_cannot_hold_is_refused_before_training(
    svmosaic, blobs, tmp_path, options, part
):
    outcome = svmosaic("train", blobs, "-o", tmp_path / "m", "--libsvm", tmp_path / "t", *options)

    assert outcome.code == 1
    assert part in outcome.err
    assert not (tmp_path / "m").exists()


def test_info_tells_what_is_in_a_model(svmosaic, flowers, tmp_path):
    svmosaic("train", flowers, "-o", tmp_path / "m", "--gamma", "2", "--refine", "none")

    outcome = svmosaic("info", tmp_path / "m")

    assert _field(outcome, "model") == "OLLAWVClassifier"
    assert _field(outcome, "scaling") == "MinMaxScaler"
    assert _field(outcome, "features").startswith("4: size, colour=blue")
    assert _field(outcome, "classes") == "2: no, yes"
    assert _field(outcome, "kernel") == "rbf (gamma=2)"
    assert "steps" in _field(outcome, "path") or "step" in _field(outcome, "path")
    assert _field(outcome, "parameters") == "gamma=2, n_jobs=-1, refine=None"


def test_info_understands_libsvm_text(svmosaic, blobs, tmp_path):
    svmosaic("train", blobs, "-o", tmp_path / "m", "--libsvm", tmp_path / "t")

    outcome = svmosaic("info", tmp_path / "t")

    assert outcome.code == 0
    assert _field(outcome, "scaling") == "none"
    assert _field(outcome, "classes") == "2: -1, 1"


# Methods ------------------------------------------------------------------------------------


SEVERAL_TARGETS = {"multi-target-svr", "svrrc", "svrcc", "svrwc", "svrtc"}
REGRESSORS = {"smo-regression", "nu-smo-regression"}
OF_BAGS = {"mirsvm", "mir-set-svm", "mir-mix-svm"}


@pytest.mark.parametrize("method", sorted(set(METHODS) - REGRESSORS - SEVERAL_TARGETS - OF_BAGS))
def test_every_method_is_trained_saved_and_used(svmosaic, blobs, tmp_path, method):
    # The classifiers of the boundary-point thesis have lambda in the place of C, or neither, and a
    # nu-SVM has nu. The ensemble chooses C by itself.
    without_C = {"kernel-primal", "oge", "svm-cbp", "online-svm", "online-svm-cbp", "nu-smo"}
    without_C |= {"svm-ensemble"}
    options = () if method in without_C else ("--C", "10")
    outcome = svmosaic("train", blobs, "-o", tmp_path / "m", "--method", method, *options)

    assert outcome.code == 0
    assert svmosaic("predict", tmp_path / "m", blobs).code == 0
    assert METHODS[method] in svmosaic("info", tmp_path / "m").out


def test_tune_refits_a_method_without_weights(svmosaic, blobs, tmp_path):
    words = ("--method", "svm-ensemble", "--cv", "2", "--set", "scalings=['standard']")
    outcome = svmosaic("tune", blobs, "-o", tmp_path / "m", *words)

    assert outcome.code == 0, outcome.err
    assert svmosaic("predict", tmp_path / "m", blobs).code == 0


@pytest.mark.parametrize(
    ("method", "setting"), [("smo-regression", "epsilon=0.01"), ("nu-smo-regression", "nu=0.2")]
)
def test_a_regressor_is_trained_saved_and_used(svmosaic, tmp_path, method, setting):
    table = tmp_path / "line.csv"
    table.write_text("x,y\n" + "".join(f"{i / 10},{i / 5 + 1}\n" for i in range(40)))
    model = tmp_path / "m"
    options = ("--method", method, "--C", "100", "--set", setting)

    outcome = svmosaic("train", table, "-o", model, *options)
    predicted = svmosaic("predict", model, table)

    assert float(_field(outcome, "training R2").split()[0]) > 0.99
    assert "R2 1.0" in predicted.err
    assert len(predicted.out.splitlines()) == 41
    assert METHODS[method] in svmosaic("info", model).out
    assert "predicts values" in svmosaic("predict", model, table, "--decision").err


def test_a_detector_of_outliers_predicts_and_is_scored(svmosaic, tmp_path):
    X = np.random.default_rng(0).normal(size=(50, 2))
    model = OneClassSMO(nu=0.1).fit(X)
    save(model, tmp_path / "m")
    table = tmp_path / "points.csv"
    rows = [*X[:5].tolist(), [9.0, 9.0]]
    table.write_text("a,b,y\n" + "".join(f"{a},{b},{-1 if a == 9 else 1}\n" for a, b in rows))

    outcome = svmosaic("predict", tmp_path / "m", table, "--decision")

    assert outcome.code == 0
    assert outcome.out.splitlines()[-1].startswith("6,-1,-")
    assert "of 6 rows right" in outcome.err
    assert "OneClassSMO" in svmosaic("info", tmp_path / "m").out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--method", "smo", "--margin", "1"), "The method smo has no --margin. Leave it out."),
        (("--method", "smo", "--set", "epochs=2"), "The method smo has no parameter 'epochs'"),
        (("--set", "epochs"), "expected NAME=VALUE, got 'epochs'"),
        (("--method", "smo", "--libsvm", "out"), "written for the method ollawv only"),
    ],
)
def test_a_method_refuses_what_it_does_not_know(svmosaic, blobs, tmp_path, options, message):
    outcome = svmosaic("train", blobs, "-o", tmp_path / "m", *options)

    assert outcome.code != 0
    assert message in outcome.err
    assert not (tmp_path / "m").exists()
