"""Missing names are filled too, with the most frequent one."""

from __future__ import annotations

import numpy as np
import pytest

from svmosaic.cli.predict import predict_labels
from svmosaic.persistence import load


@pytest.fixture
def gaps(tmp_path):
    """A table in which blue is most frequent, without a majority; two names and a number lack."""
    colours = ["blue"] * 18 + ["red"] * 12 + ["green"] * 12
    rng = np.random.default_rng(0)
    lines = ["size,x=1,colour,class"]
    for i, colour in enumerate(colours):
        size = "" if i == 5 else f"{rng.normal():.3f}"
        name = "" if i in (3, 20) else colour
        lines.append(f"{size},{i % 7}.5,{name},{'yes' if colour == 'blue' else 'no'}")
    path = tmp_path / "gaps.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("impute", ["mean", "median", "most_frequent"])
def test_a_missing_name_becomes_the_most_frequent_one(svmosaic, gaps, tmp_path, impute):
    outcome = svmosaic("train", gaps, "-o", tmp_path / "m", "--impute", impute)

    assert outcome.code == 0, outcome.err
    filled = f"1 filled with the {impute} of their column, 2 names with the most frequent"
    assert f"gaps               {filled}" in outcome.out
    model = load(tmp_path / "m")
    names = list(model.feature_names_in_)
    assert names == ["size", "x=1", "colour=blue", "colour=green", "colour=red"]
    assert model[0].statistics_[2:].tolist() == [1.0, 0.0, 0.0]
    assert model[0].statistics_[1] > 0.4

    new = tmp_path / "new.csv"
    new.write_text("size,x=1,colour\n0.5,2.5,\n0.5,2.5,blue\n0.5,2.5,red\n")
    predicted = svmosaic("predict", tmp_path / "m", new, "--decision").out.splitlines()

    assert predicted[1].partition(",")[2] == predicted[2].partition(",")[2]
    assert predicted[1].partition(",")[2] != predicted[3].partition(",")[2]
    X = np.array([[0.5, 2.5, 1.0, 0.0, 0.0]])
    assert predicted[1].split(",")[1] == predict_labels(model, X)[0]


def test_a_search_fills_names_as_well(svmosaic, gaps, tmp_path):
    grid = ("--gammas", "1", "--Cs", "1", "--cv", "2")

    outcome = svmosaic("tune", gaps, "-o", tmp_path / "m", "--impute", "most_frequent", *grid)

    assert outcome.code == 0, outcome.err
    assert "names with the most frequent" in outcome.out or "1 name with" in outcome.out
    assert load(tmp_path / "m")[0].statistics_[2:].tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("others", [["red"], ["green", "red"], ["violet"], []])
def test_other_rows_do_not_change_how_a_name_is_filled(svmosaic, gaps, tmp_path, others):
    assert svmosaic("train", gaps, "-o", tmp_path / "m", "--impute", "mean").code == 0
    (tmp_path / "all.csv").write_text("size,x=1,colour\n0.5,2.5,blue\n")
    expected = svmosaic("predict", tmp_path / "m", tmp_path / "all.csv", "--decision").out
    rows = "".join(f"0.5,2.5,{name}\n" for name in ["", *others])
    (tmp_path / "new.csv").write_text(f"size,x=1,colour\n{rows}")

    outcome = svmosaic("predict", tmp_path / "m", tmp_path / "new.csv", "--decision")

    assert outcome.code == 0, outcome.err
    assert outcome.out.splitlines()[:2] == expected.splitlines()
