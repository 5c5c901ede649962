"""Tables as Excel, pandas, R and databases write them, trained on and predicted."""

from __future__ import annotations

import csv
import io

import pytest

from svmosaic.persistence import load
from written_tables import DIALECTS, N_ROWS, excel_german, make_rows

READING = {"--encoding", "--id"}


@pytest.mark.parametrize("name", DIALECTS)
def test_a_table_is_trained_on_and_predicted_with_one_option(svmosaic, tmp_path, name):
    write, options = DIALECTS[name]
    path = write(tmp_path / "table.csv", make_rows())
    new = write(tmp_path / "new.csv", make_rows(seed=1))

    trained = svmosaic("train", path, "-o", tmp_path / "m", *options)
    again = options if set(options) & READING else ()
    predicted = svmosaic("predict", tmp_path / "m", new, *again)

    assert trained.code == 0, trained.err
    assert "classes            2 (ja: 24, nein: 24)" in trained.out
    assert predicted.code == 0, predicted.err
    assert "accuracy 1.0000" in predicted.err
    table = list(csv.reader(io.StringIO(predicted.out)))
    assert len(table) == N_ROWS + 1
    assert {row[-1] for row in table[1:]} == {"ja", "nein"}


@pytest.mark.parametrize("name", DIALECTS)
def test_numbers_and_names_are_the_same_in_every_dialect(svmosaic, tmp_path, name):
    write, options = DIALECTS[name]
    svmosaic("train", write(tmp_path / "t.csv", make_rows()), "-o", tmp_path / "m", *options)

    scaler = dict(load(tmp_path / "m").steps)["scale"]

    lengths = [row[0] for row in make_rows()]
    assert scaler.data_max_[0] == pytest.approx(max(lengths), abs=0.01)
    assert scaler.data_max_[1] == pytest.approx(max(row[1] for row in make_rows()), abs=0.01)
    assert load(tmp_path / "m").n_features_in_ == 5


def test_a_column_that_counts_the_rows_is_named(svmosaic, tmp_path):
    path = DIALECTS["R write.csv"][0](tmp_path / "t.csv", make_rows())
    words = ("train", path, "-o", tmp_path / "m", "--impute", "mean")

    outcome = svmosaic(*words, "--numeric", "x1")

    assert "warning: the column 'x1' counts the rows" in outcome.err
    assert "--id or --drop" in outcome.err
    assert load(tmp_path / "m").n_features_in_ == 6


@pytest.mark.parametrize(
    ("dialect", "name"), [("R write.csv", "x1"), ("pandas index", "x1"), ("R write.table", "row")]
)
def test_row_names_are_ids_and_no_feature(svmosaic, tmp_path, dialect, name):
    write, options = DIALECTS[dialect]
    path = write(tmp_path / "t.csv", make_rows())
    # In any order: the numbers of the rows would tell the class.
    head, *rows = path.read_text().splitlines()
    path.write_text("\n".join([head, *rows[::-2], *rows[::2]]) + "\n")

    trained = svmosaic("train", path, "-o", tmp_path / "m", *options)
    predicted = svmosaic("predict", tmp_path / "m", path)

    assert trained.err.count("the first column of t.csv has no heading") == 1
    assert f"--numeric {name}" in trained.err
    assert load(tmp_path / "m").column_roles_in_ == {"id": [name]}
    first = rows[-1].replace(" ", ",").split(",")[0].strip('"')
    assert predicted.out.startswith(f"{name},prediction\n{first},")
    assert "warning" not in predicted.err


def test_standard_input_is_read(svmosaic, tmp_path, monkeypatch):
    content = excel_german(tmp_path / "t.csv", make_rows()).read_bytes()

    class Stream:
        def __init__(self):
            self.buffer = io.BytesIO(content)

    monkeypatch.setattr("sys.stdin", Stream())
    trained = svmosaic("train", "-", "-o", tmp_path / "m")
    monkeypatch.setattr("sys.stdin", Stream())
    predicted = svmosaic("predict", tmp_path / "m", "-")

    assert trained.code == 0, trained.err
    assert "accuracy 1.0000" in predicted.err
    assert predicted.out.startswith("row,prediction\n1,ja\n2,nein\n")
    monkeypatch.setattr("sys.stdin", Stream())
    assert "longer than 100 bytes" in svmosaic("train", "-", "-o", "m", "--max-bytes", "100").err
    both = svmosaic("train", "-", "-o", tmp_path / "m", "--test", "-")
    assert "can be read once only" in both.err


@pytest.mark.parametrize("extension", ["parquet", "xlsx"])
def test_parquet_and_excel_files(svmosaic, tmp_path, extension):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("openpyxl" if extension == "xlsx" else "pyarrow")
    frame = pandas.DataFrame(make_rows(), columns=["length", "weight", "colour", "class"])
    frame.insert(0, "key", [f"k{i}" for i in range(N_ROWS)])
    frame["day"] = pandas.date_range("2024-01-01", periods=N_ROWS)
    frame = frame[["key", "length", "weight", "colour", "day", "class"]]
    path = tmp_path / f"t.{extension}"
    if extension == "xlsx":
        frame.to_excel(path, index=False)
    else:
        frame.to_parquet(path)
    options = ("--id", "key")

    refused = svmosaic("train", path, "-o", tmp_path / "m", *options)
    trained = svmosaic("train", path, "-o", tmp_path / "m", *options, "--dates", "ymd")
    predicted = svmosaic("predict", tmp_path / "m", path)

    assert "column 'day' holds dates such as '2024-01-01" in refused.err
    assert trained.code == 0, trained.err
    assert "dates              day (ymd)" in trained.out
    assert predicted.code == 0, predicted.err
    assert "accuracy 1.0000" in predicted.err
    assert predicted.out.startswith("key,prediction\nk0,ja\nk1,nein\n")
    # The same columns as text have the same model.
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert svmosaic("predict", tmp_path / "m", tmp_path / "t.csv").out == predicted.out


@pytest.mark.parametrize("package", ["pyarrow", "openpyxl"])
def test_a_missing_reader_is_named(svmosaic, tmp_path, monkeypatch, package):
    import sys

    path = tmp_path / ("t.parquet" if package == "pyarrow" else "t.xlsx")
    path.write_bytes(b"PAR1" if package == "pyarrow" else b"PK\x03\x04")
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setitem(sys.modules, f"{package}.parquet", None)

    outcome = svmosaic("train", path, "-o", tmp_path / "m")

    assert outcome.code == 1
    assert f"The package '{package}' is needed to read" in outcome.err
    assert "pip install 'svmosaic[files]'" in outcome.err


def german_prices(n_rows=40):
    """Return lines of prices such as 4.500, which is four thousand five hundred."""
    lines = ["price;b;y"]
    for i in range(n_rows):
        price = 500 + 113 * i
        grouped = f"{price:,}".replace(",", ".")
        lines.append(f"{grouped};{i % 3},5;{'hi' if price > 2500 else 'lo'}")
    return "\n".join(lines) + "\n"


def test_new_numbers_are_read_as_those_of_the_training_file(svmosaic, tmp_path):
    train, new = tmp_path / "t.csv", tmp_path / "new.csv"
    train.write_text(german_prices())
    trained = svmosaic("train", train, "-o", tmp_path / "m")
    assert "decimal sign       ,\n" in trained.out
    assert load(tmp_path / "m").column_roles_in_ == {"decimal": [","]}

    # No comma tells here that 4.500 is not 4.5.
    new.write_text("price;b\n4.500;1\n1.100;2\n")
    assert svmosaic("predict", tmp_path / "m", new).out == "row,prediction\n1,hi\n2,lo\n"
    points = svmosaic("predict", tmp_path / "m", new, "--decimal", ".")
    assert points.out == "row,prediction\n1,lo\n2,lo\n"

    new.write_text("price;b\n4500.5;1\n1100;2\n")
    refused = svmosaic("predict", tmp_path / "m", new)
    assert refused.code == 1
    assert "column 'price' holds numbers, got '4500.5'" in refused.err
    assert "pass --decimal ." in refused.err
    new.write_text("price,b\n4.500,1\n1.100,2\n")
    refused = svmosaic("predict", tmp_path / "m", new)
    assert refused.code == 1
    assert "Pass --decimal . or --decimal ," in refused.err
    assert svmosaic("predict", tmp_path / "m", new, "--decimal", ",").out == (
        "row,prediction\n1,hi\n2,lo\n"
    )


def test_times_and_short_years_are_refused_in_the_words_of_the_command(svmosaic, tmp_path):
    for cell, expected in (
        ("12:30", "for example of minutes; or name the column with --drop or --categorical."),
        ("1/5/24", "pass --dates; or name the column with --drop or --categorical."),
    ):
        (tmp_path / "t.csv").write_text("d,a,y\n" + f"{cell},1,x\n{cell},2,z\n" * 6)
        outcome = svmosaic("train", tmp_path / "t.csv", "-o", tmp_path / "m")
        assert outcome.code == 1
        assert expected in outcome.err


def test_thousands_need_not_be_named_again(svmosaic, tmp_path):
    write, options = DIALECTS["American thousands"]
    svmosaic("train", write(tmp_path / "t.csv", make_rows()), "-o", tmp_path / "m", *options)

    predicted = svmosaic("predict", tmp_path / "m", write(tmp_path / "n.csv", make_rows(seed=1)))

    assert "accuracy 1.0000" in predicted.err
    assert "thousands sign     ,\n" in svmosaic("info", tmp_path / "m").out
