"""Tuning from the command line."""

from __future__ import annotations

import csv
import re

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.preprocessing import minmax_scale

from svmosaic import OLLAWVClassifierCV
from svmosaic.classification import search_race
from svmosaic.persistence import load

_GRID = ("--gammas", "0.1,1", "--Cs", "1,10", "--cv", "3")


def test_without_holdout_the_search_is_that_of_the_library(svmosaic, tmp_path):
    X, y = load_iris(return_X_y=True)
    expected = OLLAWVClassifierCV(gammas=[0.1, 1.0], Cs=[1.0, 10.0], cv=3).fit(minmax_scale(X), y)

    outcome = svmosaic("tune", "sklearn-iris", "--no-holdout", *_GRID, "-o", tmp_path / "m")

    assert outcome.code == 0
    assert f"{expected.best_score_:.4f} accuracy" in outcome.out
    assert "hold-out" not in outcome.out
    best = load(tmp_path / "m").steps[1][1]
    assert {name: getattr(best, name) for name in expected.best_params_} == (expected.best_params_)


def test_the_holdout_is_never_seen_and_the_model_is_trained_on_all_rows(svmosaic, tmp_path):
    outcome = svmosaic("tune", "sklearn-iris", *_GRID, "-o", tmp_path / "m")

    assert "150: 120 to search on, 30 held out" in outcome.out
    assert re.search(r"hold-out score +[01]\.\d{4} accuracy on 30 rows", outcome.out)
    assert "so it is optimistic" in outcome.out
    model = load(tmp_path / "m")
    X = load_iris().data
    # The scaler of the saved model knows the range of all rows.
    np.testing.assert_array_equal(model.steps[0][1].data_max_, X.max(axis=0))


def test_results_are_written_as_a_table(svmosaic, tmp_path):
    svmosaic("tune", "sklearn-iris", *_GRID, "--results", tmp_path / "grid.csv")

    with (tmp_path / "grid.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 4
    assert {(float(row["param_gamma"]), float(row["param_C"])) for row in rows} == {
        (0.1, 1.0),
        (0.1, 10.0),
        (1.0, 1.0),
        (1.0, 10.0),
    }
    assert all(0 <= float(row["mean_test_score"]) <= 1 for row in rows)


def test_margins_are_searched_for_the_models_that_have_them(svmosaic):
    outcome = svmosaic(
        *("tune", "sklearn-wine", *_GRID, "--margins", "0.1,0.5", "--refine", "none"),
        *("--scoring", "balanced_accuracy", "--scale", "standard", "-v"),
    )

    assert outcome.code == 0
    assert outcome.out.count("hold-out score") == 2
    assert "balanced_accuracy" in outcome.out


def test_a_class_of_one_row_needs_no_holdout(svmosaic, tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("".join(f"{i},{'a' if i % 2 else 'b'}\n" for i in range(10)) + "99,c\n")

    outcome = svmosaic("tune", data, "--cv", "2")

    assert outcome.code == 1
    assert "The class c of data has one row" in outcome.err
    assert "--no-holdout" in outcome.err


@pytest.mark.parametrize(
    ("scoring", "message"),
    [
        ("roc_auc", "--scoring roc_auc is for two classes, and sklearn-wine has 3. Use roc_auc_ma"),
        ("f1", "--scoring f1 is for two classes, and sklearn-wine has 3. Use f1_macro"),
        ("roc_auc_ovr", "--scoring roc_auc_ovr needs probabilities, which the method does not"),
    ],
)
def test_scores_that_do_not_fit_name_one_that_does(svmosaic, scoring, message):
    outcome = svmosaic("tune", "sklearn-wine", "--method", "smo", "--scoring", scoring)

    assert outcome.code == 1
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_the_score_that_is_advised_works(svmosaic):
    outcome = svmosaic(
        *("tune", "sklearn-wine", "--Cs", "1", "--gammas", "1", "--cv", "3"),
        *("--scoring", "roc_auc_macro"),
    )

    assert outcome.code == 0, outcome.err
    assert "roc_auc_macro on 36 rows" in outcome.out


@pytest.mark.parametrize(("racing", "rounds"), [("no", {"0"}), ("yes", {"0", "1"})])
def test_candidates_race_if_asked_to(svmosaic, tmp_path, monkeypatch, racing, rounds):
    monkeypatch.setattr(search_race, "_FIRST_ROWS", 50)
    monkeypatch.setattr(search_race, "_FIRST_ROWS_OF_CLASS", 5)
    grid = ("--gammas", "1e-6,1e-5,1e-4,1", "--Cs", "1,10", "--cv", "3", "--no-holdout")

    outcome = svmosaic(
        "tune", "sklearn-iris", *grid, "--racing", racing, "--results", tmp_path / "r.csv"
    )

    assert outcome.code == 0
    with (tmp_path / "r.csv").open() as stream:
        assert {row["iter"] for row in csv.DictReader(stream)} == rounds


def test_a_race_needs_the_search_that_has_one(svmosaic):
    outcome = svmosaic("tune", "sklearn-iris", "--method", "smo", "--racing", "yes")

    assert outcome.code != 0
    assert "--racing yes needs the method ollawv" in outcome.err
