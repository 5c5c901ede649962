"""Train, predict and info for several targets and for bags, end to end on small files."""

from __future__ import annotations

import re

import numpy as np
import pytest

from svmosaic.cli.methods import METHODS
from svmosaic.cli.predict import predict_labels
from svmosaic.persistence import load


def _field(outcome, name):
    return re.search(rf"^{name} +(.*)$", outcome.out, re.MULTILINE).group(1)


# Several targets ----------------------------------------------------------------------------

FEW = ("--set", "Cs=[1, 10]", "--set", "epsilons=[0.1]", "--set", "cv=3")


@pytest.mark.parametrize("method", ["multi-target-svr", "svrrc", "svrcc", "svrwc", "svrtc"])
def test_several_targets_are_learned_saved_and_predicted(svmosaic, flats, tmp_path, method):
    model = tmp_path / "m"
    options = ("--method", method, "--targets", "price,rent", *FEW)

    outcome = svmosaic("train", flats, "-o", model, *options, "--test", flats)
    predicted = svmosaic("predict", model, flats, "--targets", "price,rent")

    assert outcome.code == 0, outcome.err
    assert _field(outcome, "rows") == "40"
    assert _field(outcome, "features") == "3"
    assert _field(outcome, "targets") == "2: price, rent"
    assert float(_field(outcome, "training mean R2")) > 0.9
    assert float(_field(outcome, "test mean R2").split()[0]) > 0.9
    assert "mean R2 0.9" in predicted.err
    header, *table = [line.split(",") for line in predicted.out.splitlines()]
    assert header == ["row", "price", "rent"]
    values = np.array(table, dtype=float)[:, 1:]
    np.testing.assert_array_equal(values, predict_labels(load(model), _features(flats)))
    info = svmosaic("info", model)
    assert METHODS[method] in info.out
    assert _field(info, "targets") == "2"


@pytest.mark.parametrize(("targets", "dropped"), [("price,rent", ()), ("price", ("rent",))])
def test_the_weights_of_all_kinds_of_parts_are_shown(svmosaic, flats, tmp_path, targets, dropped):
    drop = [part for column in dropped for part in ("--drop", column)]
    options = ("--method", "svrtc", "--targets", targets, *FEW, *drop)

    outcome = svmosaic("train", flats, "-o", tmp_path / "m", *options)

    weights = _field(outcome, "mean weights")
    assert "trees" in weights
    assert "weighted inputs" in weights
    # Each is rounded to two digits.
    found = [float(number) for number in re.findall(r"[01]\.[0-9]+", weights)]
    assert sum(found) == pytest.approx(1.0, abs=0.03)


def _features(path):
    lines = [line.split(",") for line in path.read_text().splitlines()[1:]]
    return np.array([[float(a), b == "north", b == "south"] for a, b, *_ in lines])


def test_new_rows_need_no_targets(svmosaic, flats, tmp_path):
    svmosaic("train", flats, "-o", tmp_path / "m", "--method", "svrcc", "--targets", "2", *FEW)
    new = tmp_path / "new.csv"
    new.write_text("side,size\nnorth,40\nsouth,50\n")

    outcome = svmosaic("predict", tmp_path / "m", new)

    assert outcome.code == 0
    assert [len(line.split(",")) for line in outcome.out.splitlines()] == [3, 3, 3]
    assert "R2" not in outcome.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--method", "svrcc", "--target", "rent"), "svrcc has several targets. Name them with"),
        (("--method", "svrcc"), "does not say which columns are targets"),
        (("--method", "svrcc", "--targets", "size,"), "expected columns with commas between"),
        (("--method", "svrcc", "--targets", "rent,side"), "'side' has names for values"),
        (
            ("--method", "smo", "--targets", "2"),
            "--targets is for several targets, which the method smo",
        ),
        (
            ("--method", "smo", "--bag", "size"),
            "--bag is for bags of instances, which the method smo",
        ),
        (("--method", "svrcc", "--targets", "2", "--C", "1"), "The method svrcc has no --C"),
    ],
)
def test_wrong_words_get_a_sentence(svmosaic, flats, tmp_path, options, message):
    outcome = svmosaic("train", flats, "-o", tmp_path / "m", *options)

    assert outcome.code != 0
    assert message in outcome.err
    assert not (tmp_path / "m").exists()


def test_targets_named_by_the_file_are_those_of_the_test_file_too(svmosaic, tmp_path):
    text = "@attribute a real\n@attribute b real\n@attribute c real\n@data\n"
    rows = "".join(f"{i}, {2 * i}, {-i}\n" for i in range(12))
    for name in ("train", "test"):
        relation = "@relation 'toy: -C -2'\n" if name == "train" else "@relation toy\n"
        (tmp_path / f"{name}.arff").write_text(relation + text + rows)
    options = ("--method", "svrcc", *FEW, "--test", tmp_path / "test.arff")

    outcome = svmosaic("train", tmp_path / "train.arff", "-o", tmp_path / "m", *options)

    assert outcome.code == 0, outcome.err
    assert _field(outcome, "targets") == "2: b, c"
    assert _field(outcome, "test mean R2").endswith("(12 rows)")


def test_the_format_of_several_targets_can_be_named(svmosaic, flats, tmp_path):
    other = tmp_path / "flats.arff"
    other.write_bytes(flats.read_bytes())
    options = ("--method", "svrcc", "--targets", "2", *FEW)

    outcome = svmosaic("train", other, "-o", tmp_path / "m", *options, "--format", "csv")

    assert outcome.code == 0, outcome.err
    outcome = svmosaic("train", other, "-o", tmp_path / "m", *options, "--format", "libsvm")
    assert "libsvm files have one target" in outcome.err


def test_predict_refuses_what_the_model_has_not(svmosaic, flats, tmp_path):
    svmosaic("train", flats, "-o", tmp_path / "m", "--method", "svrcc", "--targets", "2", *FEW)

    outcome = svmosaic("predict", tmp_path / "m", flats, "--bag", "size")

    assert "--bag is for bags of instances, which the model" in outcome.err


# Bags ---------------------------------------------------------------------------------------


# "active" comes before "dull", and an active instance makes a molecule active.
MIRSVM = ("--C", "10", "--set", "positive=first")
SMALL = {
    "mirsvm": MIRSVM,
    "mir-mix-svm": ("--set", "C=[1, 10]", "--set", "gamma=[0.5, 2.0]", "--set", "n_init=1"),
}


@pytest.mark.parametrize("method", SMALL)
@pytest.mark.parametrize("scale", ["minmax", "none"])
def test_bags_are_learned_saved_and_predicted(svmosaic, molecules, tmp_path, method, scale):
    model = tmp_path / "m"
    options = ("--method", method, "--scale", scale, "--set", "random_state=0", *SMALL[method])

    outcome = svmosaic("train", molecules, "-o", model, *options, "--test", molecules)
    predicted = svmosaic("predict", model, molecules, "--bag", "molecule", "--decision")

    assert outcome.code == 0, outcome.err
    assert _field(outcome, "bags") == "24"
    assert _field(outcome, "features") == "2"
    assert _field(outcome, "classes") == "2 (active: 12, dull: 12)"
    assert float(_field(outcome, "training accuracy")) > 0.9
    assert "(24 bags)" in _field(outcome, "test accuracy")
    header, *table = [line.split(",") for line in predicted.out.splitlines()]
    assert header == ["molecule", "prediction", "decision_dull"]
    assert len(table) == 24
    assert table[0][:2] == ["m0", "dull"]
    assert "of 24 bags right" in predicted.err
    info = svmosaic("info", model)
    assert METHODS[method] in info.out
    assert _field(info, "scaling") == ("MinMaxScaler" if scale == "minmax" else "none")
    assert _field(info, "features") == "2: x, z"


def test_new_bags_need_no_labels_and_columns_have_names(svmosaic, molecules, tmp_path):
    svmosaic("train", molecules, "-o", tmp_path / "m", "--method", "mirsvm", *MIRSVM)
    new = tmp_path / "new.csv"
    new.write_text("z,x,id\n4,4,a\n0,0,b\n0,0,a\n")

    outcome = svmosaic("predict", tmp_path / "m", new, "--bag", "id", "--target", "none")

    assert outcome.code == 0, outcome.err
    assert outcome.out.splitlines() == ["id,prediction", "a,active", "b,dull"]


def test_three_classes_of_bags(svmosaic, molecules, tmp_path):
    text = molecules.read_text()
    molecules.write_text(re.sub(r"(m\d*0,.*,)dull", r"\1other", text))

    outcome = svmosaic("train", molecules, "-o", tmp_path / "m", "--method", "mirsvm")

    assert _field(outcome, "binary problems") == "3, each class against the rest"
    assert _field(svmosaic("info", tmp_path / "m"), "classes") == "3: active, dull, other"


def test_float32_and_sparse_bags(svmosaic, tmp_path):
    path = tmp_path / "bags.svm"
    rng = np.random.default_rng(0)
    path.write_text(
        "".join(
            f"{bag % 2} qid:{bag} {1 + 2 * (bag % 2)}:{rng.uniform(1, 2):.3f} 9:1\n"
            for bag in range(12)
            for _ in range(3)
        )
    )

    outcome = svmosaic("train", path, "-o", tmp_path / "m", "--method", "mirsvm", "--float32")

    assert outcome.code == 0, outcome.err
    assert "sparse" in _field(outcome, "features")
    assert load(tmp_path / "m")[-1].support_vectors_.dtype == np.float32
    assert "accuracy 1.0000" in svmosaic("predict", tmp_path / "m", path).err


@pytest.mark.parametrize(
    ("source", "method", "message"),
    [
        ("musk1", "smo", "has bags of instances. Use --method mirsvm"),
        ("edm", "mirsvm", "has several targets. Use --method svrcc"),
        ("sklearn-iris", "svrcc", "has rows of one class each. Use a method for such rows"),
        ("nowhere", "mirsvm", "svmosaic data list --kind bags"),
    ],
)
def test_a_data_set_of_another_kind_is_told(svmosaic, tmp_path, source, method, message):
    outcome = svmosaic("train", source, "-o", tmp_path / "m", "--method", method)

    assert outcome.code != 0
    assert message in outcome.err


def test_a_data_set_of_bags_has_a_name(svmosaic, molecules, tmp_path):
    outcome = svmosaic("train", "musk11", "-o", tmp_path / "m", "--method", "mirsvm")

    assert "Did you mean 'musk1'" in outcome.err


# Missing values -----------------------------------------------------------------------------


def with_gaps(path, column, rows):
    """Empty some cells of a CSV file."""
    lines = [line.split(",") for line in path.read_text().splitlines()]
    for row in rows:
        lines[row][column] = ""
    path.write_text("".join(",".join(line) + "\n" for line in lines))


@pytest.mark.parametrize("impute", ["mean", "median", "most_frequent"])
@pytest.mark.parametrize("single", [(), ("--float32",)])
def test_gaps_are_filled_and_the_model_takes_them_too(svmosaic, flowers, tmp_path, impute, single):
    with_gaps(flowers, 0, [3, 8])

    outcome = svmosaic("train", flowers, "-o", tmp_path / "m", "--impute", impute, *single)
    predicted = svmosaic("predict", tmp_path / "m", flowers)

    assert outcome.code == 0, outcome.err
    assert _field(outcome, "gaps") == f"2 filled with the {impute} of their column"
    assert "accuracy" in predicted.err
    assert len(predicted.out.splitlines()) == 41
    info = svmosaic("info", tmp_path / "m")
    assert _field(info, "scaling") == "SimpleImputer, MinMaxScaler"
    X = np.array([[np.nan, 1, 0, 0], [0.5, 0, 1, 0]])
    filled = np.where(np.isnan(X), load(tmp_path / "m")[0].statistics_, X)
    model = load(tmp_path / "m")
    assert predict_labels(model, X).tolist() == predict_labels(model, filled).tolist()


def test_gaps_in_targets_and_bags_of_instances(svmosaic, flats, molecules, tmp_path):
    with_gaps(flats, 0, [3])
    with_gaps(molecules, 1, [3, 4])
    impute = ("--impute", "mean")
    m, n = tmp_path / "m", tmp_path / "n"

    targets = ("--method", "svrcc", "--targets", "2", *FEW)
    assert svmosaic("train", flats, "-o", m, *targets, *impute).code == 0
    assert svmosaic("predict", m, flats, "--targets", "2").code == 0
    assert svmosaic("train", molecules, "-o", n, "--method", "mirsvm", *MIRSVM, *impute).code == 0
    outcome = svmosaic("predict", n, molecules)
    assert "of 24 bags right" in outcome.err
    assert [type(one.transformer_).__name__ for one in load(n)[:-1]] == [
        "SimpleImputer",
        "MinMaxScaler",
    ]


def test_a_search_fills_gaps_of_what_it_sees(svmosaic, flowers, tmp_path):
    with_gaps(flowers, 0, [3, 8])
    grid = ("--gammas", "0.1,1", "--Cs", "1", "--cv", "2")

    outcome = svmosaic("tune", flowers, "-o", tmp_path / "m", "--impute", "median", *grid)

    assert outcome.code == 0, outcome.err
    assert svmosaic("predict", tmp_path / "m", flowers).code == 0


def test_gaps_without_a_mend_are_told(svmosaic, flowers, tmp_path):
    plain = tmp_path / "m"
    svmosaic("train", flowers, "-o", plain)
    with_gaps(flowers, 0, [3])

    for words in (("train", flowers, "-o", tmp_path / "n"), ("predict", plain, flowers)):
        outcome = svmosaic(*words)
        assert outcome.code != 0
        assert "'size' has no value. Fill it in, or train with --impute mean." in outcome.err

    with_gaps(flowers, 0, range(1, 41))
    outcome = svmosaic("train", flowers, "-o", tmp_path / "n", "--impute", "mean")
    assert "no value in any row, so that it has no mean. Remove it." in outcome.err
