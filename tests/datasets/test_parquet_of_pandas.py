"""Parquet files that pandas wrote: an index is neither a feature nor a target."""

from __future__ import annotations

import numpy as np
import pytest

from svmosaic.cli.main import main
from svmosaic.datasets import read_bags, read_table
from svmosaic.exceptions import DataFileError

pandas = pytest.importorskip("pandas")
arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    a = rng.normal(size=40).round(3)
    return pandas.DataFrame(
        {
            "patient": [1000 + i % 7 for i in range(40)],
            "visit": range(40),
            "a": a,
            "y": np.where(a > 0, "p", "n"),
        }
    )


def test_a_named_index_has_the_ids(frame, tmp_path):
    path = tmp_path / "t.parquet"
    frame.drop(columns="visit").set_index("patient").to_parquet(path)

    data = read_table(path)

    assert data.feature_names == ("a",)
    assert data.y.tolist() == frame["y"].tolist()
    assert data.ids.tolist() == [str(one) for one in frame["patient"]]


def test_an_index_of_several_columns(frame, tmp_path):
    path = tmp_path / "t.parquet"
    frame.set_index(["patient", "visit"]).to_parquet(path)

    data = read_table(path)
    assert data.feature_names == ("a",)
    assert data.ids[0] == "1000"
    # What the caller says of a column counts.
    assert read_table(path, id_column="visit").ids[-1] == "39"
    assert read_table(path, numeric_columns=["visit"]).feature_names == ("visit", "a")
    assert read_table(path, target="visit", drop=["y"]).y[-1] == 39
    frame["y"] = "p"
    frame.set_index(["patient", "visit"]).to_parquet(path)
    assert read_bags(path, drop=["visit"]).ids.size == 7


def test_the_command_line_notes_the_index(frame, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame.drop(columns="visit").set_index("patient").to_parquet("t.parquet")
    assert main(["train", "t.parquet", "-o", "m"]) == 0
    captured = capsys.readouterr()
    assert "the index of t.parquet, 'patient', identifies the rows" in captured.err
    assert "ids                patient" in captured.out

    assert main(["predict", "m", "t.parquet"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("patient,prediction\n1000,")
    assert "accuracy" in captured.err

    # A feature of the model stays one.
    frame[["visit", "a"]].set_index("a").to_parquet("a.parquet")
    assert main(["predict", "m", "a.parquet"]) == 0
    assert capsys.readouterr().out.startswith("row,prediction\n1,")


def test_two_columns_of_one_name(tmp_path):
    path = tmp_path / "t.parquet"
    columns = [arrow.array([1.0, 2.0]), arrow.array([3.0, 4.0]), arrow.array(["x", "z"])]
    parquet.write_table(arrow.Table.from_arrays(columns, names=["a", "a", "y"]), path)

    with pytest.raises(DataFileError, match=r"t\.parquet: 2 columns are called 'a'\. Rename"):
        read_table(path)
