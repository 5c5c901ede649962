"""Score files, good and bad."""

from __future__ import annotations

import csv
import gzip
from functools import partial

import pytest

from svmosaic.exceptions import DataFileError
from svmosaic.stats import read_scores

GOOD = "set,SVC,tree\niris,0.95,0.93\nwine,0.98,0.90\n"


def _write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        GOOD.replace(",", ";"),
        GOOD.replace(",", "\t"),
        "\ufeff" + GOOD.replace("\n", "\r\n\r\n"),
        'set,"SVC",tree\n"iris", 0.95,0.93\nwine ,0.98,0.90',
    ],
)
def test_usual_files_are_read(tmp_path, text):
    table = read_scores(_write(tmp_path / "scores.csv", text))

    assert table.methods == ("SVC", "tree")
    assert table.datasets == ("iris", "wine")
    assert table.scores.tolist() == [[0.95, 0.93], [0.98, 0.90]]


def test_gzip_is_read(tmp_path):
    path = tmp_path / "scores.csv.gz"
    path.write_bytes(gzip.compress(GOOD.encode()))

    assert read_scores(path).methods == ("SVC", "tree")


def test_quoted_names_may_hold_the_delimiter(tmp_path):
    path = _write(tmp_path / "s.csv", 'set,"k-NN, tuned",b\nx,1,2\ny,2,1\n')

    assert read_scores(path).methods == ("k-NN, tuned", "b")


def test_rows_and_columns_can_be_left_out(tmp_path):
    path = _write(tmp_path / "s.csv", "set,a,b,note\nx,1,2,old\ny,2,1,new\nAverage,1.5,1.5,\n")

    table = read_scores(path, skip=["Average", "note"])

    assert (table.methods, table.datasets) == (("a", "b"), ("x", "y"))


def test_empty_cells_are_missing(tmp_path):
    path = _write(tmp_path / "s.csv", "set,a,b\nx,1,2\ny,,1\nz,3,4\n")

    assert read_scores(path, missing="drop").dropped == ("y",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "needs a line that names the methods"),
        ("set,a,b\n", "needs a line that names the methods"),
        ("set,a,b\nx,1\n", "s.csv, line 2: 2 cells where the first line has 3"),
        ("set,a,a\nx,1,2\n", "two columns are called 'a'"),
        ("set,a,\nx,1,2\n", "column 3 has no name"),
        ("set,a,b\nx,1,2\nx,1,2\n", "s.csv: The data set 'x' appears twice"),
        ("set,a,b\nx,1,2\nMean,1,2\n", "'Mean' is a summary"),
        ("set,a,b\nx,1,high\ny,1,2\n", "s.csv: The score of 'b' on 'x' is 'high', not a number"),
        ("set,a,b\nx,1,\ny,1,2\n", "score of 'b' on 'x' is missing"),
        ("set,a\nx,1\ny,2\n", "at least 2 methods"),
        ("set,a,b\nx,1," + "2" * 200_000, "s.csv, line 2: the line is not CSV"),
    ],
)
def test_bad_files_are_refused_with_their_name(tmp_path, text, message, request):
    # Readers of wide tables raise this limit for the whole process.
    request.addfinalizer(partial(csv.field_size_limit, csv.field_size_limit(131_072)))
    with pytest.raises(DataFileError, match=message):
        read_scores(_write(tmp_path / "s.csv", text))


def test_nothing_unknown_is_left_out(tmp_path):
    with pytest.raises(DataFileError, match="no row and no column 'Avg' to leave out"):
        read_scores(_write(tmp_path / "s.csv", GOOD), skip=["Avg"])
