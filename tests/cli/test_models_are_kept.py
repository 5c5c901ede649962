"""What is measured after a fit never loses the model, and what cannot be measured is refused."""

from __future__ import annotations

import numpy as np
import pytest

from svmosaic.cli.predict import predict_labels
from svmosaic.persistence import load


@pytest.fixture
def rows(tmp_path):
    """Return a function that writes a table: a note, two numbers, a class and their sum."""

    def write(name, n_rows, columns, gap=False):
        rng = np.random.default_rng(4)
        lines = [",".join(columns)]
        for i in range(n_rows):
            a, b = rng.uniform(size=2).round(3)
            cells = {
                "note": f"n{i}",
                "a": a,
                "b": b,
                "y": "np"[int(a > b)],
                "sum": (a + b).round(3),
            }
            if gap and i:
                cells["b"] = ""
            lines.append(",".join(str(cells[name]) for name in columns))
        path = tmp_path / name
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


@pytest.mark.parametrize("column", ["note", "0"])
@pytest.mark.parametrize("option", ["--drop", "--id"])
def test_test_rows_may_lack_what_is_no_feature(svmosaic, rows, tmp_path, option, column):
    data = rows("t.csv", 30, ["note", "a", "b", "y"])
    test = rows("test.csv", 20, ["a", "b", "y"])

    outcome = svmosaic("train", data, "-o", tmp_path / "m", option, column, "--test", test)

    assert outcome.code == 0, outcome.err
    assert "(20 rows)" in outcome.out


def test_an_error_of_the_test_rows_leaves_the_model(svmosaic, rows, tmp_path):
    data, test = rows("t.csv", 30, ["a", "b", "y"]), rows("test.csv", 20, ["a", "y"])

    outcome = svmosaic("train", data, "-o", tmp_path / "m", "--test", test)

    assert outcome.code == 1
    assert "lacks the column 'b'" in outcome.err
    assert outcome.out.splitlines()[-1].startswith("model              ")
    assert predict_labels(load(tmp_path / "m"), np.array([[0.1, 0.9]])).tolist() == ["n"]


def test_an_error_of_the_folds_leaves_the_model(svmosaic, rows, tmp_path, monkeypatch):
    from svmosaic.cli import train

    def fail(*_):
        raise ValueError("A fold fails. Try again.")

    monkeypatch.setattr(train, "_cross_validated", fail)
    data = rows("t.csv", 30, ["a", "b", "y"])

    outcome = svmosaic("train", data, "-o", tmp_path / "m", "--cv", "2")

    assert outcome.code == 1
    assert (tmp_path / "m").exists()
    assert "model  " in outcome.out


def test_a_column_that_is_empty_in_a_fold_is_refused_before_the_fit(svmosaic, rows, tmp_path):
    data = rows("t.csv", 30, ["a", "b", "y"], gap=True)
    words = ("train", data, "-o", tmp_path / "m", "--impute", "mean")

    outcome = svmosaic(*words, "--cv", "3")

    assert outcome.code == 1
    assert outcome.out == ""
    assert "The column 'b' of t has no value in any row of a fold's training rows" in outcome.err
    assert svmosaic(*words).code == 0


def test_folds_too_small_for_a_score_are_refused(svmosaic, rows, tmp_path):
    data = rows("t.csv", 8, ["a", "b", "sum"])
    method = ("--method", "smo-regression", "--cv", "5")

    trained = svmosaic("train", data, "-o", tmp_path / "m", *method)
    grid = ("--Cs", "1", "--gammas", "1", "--grid", "epsilon=0.1", "--no-holdout")
    tuned = svmosaic("tune", data, *method, *grid)
    other = svmosaic("tune", data, *method, *grid, "--scoring", "neg_mean_absolute_error")

    assert (trained.code, trained.out) == (1, "")
    assert "R2 needs 2. Lower --cv." in trained.err
    assert (tuned.code, tuned.out) == (1, "")
    assert "Lower --cv, or choose another --scoring." in tuned.err
    assert other.code == 0, other.err


def test_a_search_is_kept_where_its_hold_out_score_fails(svmosaic, rows, tmp_path, monkeypatch):
    from svmosaic.cli import tune

    def fail(*_):
        raise ValueError("The score fails. Try another.")

    monkeypatch.setattr(tune, "_scores", fail)
    data = rows("t.csv", 30, ["a", "b", "y"])

    outcome = svmosaic(
        "tune", data, "-o", tmp_path / "m", "--Cs", "1", "--gammas", "1", "--cv", "2"
    )

    assert outcome.code == 1
    assert "The score fails." in outcome.err
    assert (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--Cs", "1,10", "--set", "C=5"), "--Cs searches C, and --set C=5 sets it"),
        (("--grid", "C=1,10", "--set", "C=5"), "--grid C searches C, and --set C=5 sets it"),
    ],
)
def test_a_parameter_is_searched_or_set(svmosaic, rows, words, message):
    data = rows("t.csv", 30, ["a", "b", "y"])

    outcome = svmosaic("tune", data, "--gammas", "1", "--cv", "2", *words)

    assert outcome.code == 1
    assert message in outcome.err
