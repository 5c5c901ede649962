"""A model knows the kinds of its columns: no row is predicted without one of them."""

from __future__ import annotations

import numpy as np
import pytest

from svmosaic.cli.main import main
from svmosaic.datasets import read_table
from svmosaic.exceptions import DataFileError

ROWS = 40


def table(seed=0):
    rng = np.random.default_rng(seed)
    size, weight = rng.normal(size=(2, ROWS)).round(3)
    colour = rng.choice(["red", "blue"], ROWS)
    return size, weight, colour, np.where(size + weight > 0, "yes", "no")


def lines_of(*columns):
    return [",".join(map(str, row)) for row in zip(*columns, strict=True)]


@pytest.fixture
def model(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.csv").write_text(
        "\n".join(["size,weight,colour,class", *lines_of(*table())]) + "\n"
    )
    assert main(["train", "train.csv", "-o", "m.model"]) == 0
    capsys.readouterr()
    return "m.model"


@pytest.mark.parametrize("cell", ['"0,9"', '"1,234"', "about 3", "1_0", "-"])
@pytest.mark.parametrize("row", [1, 5])
def test_text_among_numbers_is_an_error_with_its_line(model, tmp_path, capsys, cell, row):
    size, weight, colour, _ = table(1)
    lines = ["size,weight,colour", *lines_of(size, weight, colour)]
    lines[row] = f"{cell},0.5,red"
    (tmp_path / "new.csv").write_text("\n".join(lines) + "\n")

    assert main(["predict", model, "new.csv"]) != 0

    captured = capsys.readouterr()
    assert captured.out == ""
    expected = f"new.csv, line {row + 1}: column 'size' holds numbers, got {cell.strip(chr(34))!r}"
    assert expected in captured.err


@pytest.mark.parametrize("word", ["", "?", "NA", "N/A", "n/a", "null", "NULL", "None", "#N/A"])
def test_words_for_a_missing_value(model, tmp_path, capsys, word):
    (tmp_path / "new.csv").write_text(f"size,weight,colour\n{word},0.5,red\n1,2,blue\n")

    assert main(["predict", model, "new.csv"]) != 0

    assert "new.csv, line 2: column 'size' has no value" in capsys.readouterr().err


def test_order_of_columns_and_further_ones_do_not_matter(model, tmp_path, capsys):
    size, weight, colour, _ = table(1)
    plain = ["size,weight,colour", *lines_of(size, weight, colour)]
    (tmp_path / "plain.csv").write_text("\n".join(plain) + "\n")
    other = ["colour,id,weight,note,size", *lines_of(colour, range(ROWS), weight, colour, size)]
    (tmp_path / "other.csv").write_text("\n".join(other) + "\n")

    assert main(["predict", model, "plain.csv"]) == 0
    expected = capsys.readouterr().out
    assert main(["predict", model, "other.csv"]) == 0

    captured = capsys.readouterr()
    assert captured.out == expected
    assert "'id'" in captured.err
    assert "'note'" in captured.err


def test_numbers_in_a_column_of_names_stay_names(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    size, weight, _, y = table()
    code = np.where(np.arange(ROWS) % 4 == 0, "7", np.where(size > 0, "a", "b"))
    (tmp_path / "train.csv").write_text(
        "\n".join(["code,weight,class", *lines_of(code, weight, y)]) + "\n"
    )
    assert main(["train", "train.csv", "-o", "m.model"]) == 0
    # All of one kind here, and numbers: the model knows better.
    (tmp_path / "new.csv").write_text("code,weight\n7,0.5\n7,-0.5\n")

    assert main(["predict", "m.model", "new.csv"]) == 0
    assert "left out" not in capsys.readouterr().err


@pytest.mark.parametrize("seed", range(5))
def test_kinds_do_not_depend_on_the_order_of_rows(tmp_path, seed):
    rows = [f"{k},{'x' if k < 6 else k},{k % 2}" for k in range(10)]
    order = np.random.default_rng(seed).permutation(len(rows))
    path = tmp_path / "mixed.csv"
    path.write_text("\n".join(["a,b,y", *(rows[k] for k in order)]) + "\n")
    names = read_table(path).feature_names
    assert names == ("a", "b=6", "b=7", "b=8", "b=9", "b=x")

    rows = [f"{k},{'x' if k < 3 else k},{k % 2}" for k in range(10)]
    path.write_text("\n".join(["a,b,y", *(rows[k] for k in order)]) + "\n")
    with pytest.raises(DataFileError, match="column 'b' holds numbers, got 'x'"):
        read_table(path)


def test_a_late_change_of_kind_is_found(tmp_path, monkeypatch):
    from svmosaic.datasets.readers import table_builder

    monkeypatch.setattr(table_builder, "_BATCH_CELLS", 4)
    path = tmp_path / "late.csv"
    path.write_text("a,y\nx,0\nz,1\n" + "".join(f"{k},{k % 2}\n" for k in range(9)))
    with pytest.raises(DataFileError, match=r"late\.csv, line 2: column 'a' holds numbers"):
        read_table(path)
    # A column that is known to hold numbers says so at once, and offers no other way.
    with pytest.raises(DataFileError, match=r"got 'x'\. Correct the cell\.$"):
        read_table(path, numeric_columns=["a"])
    with pytest.raises(ValueError, match="in nominal_columns and in numeric_columns"):
        read_table(path, numeric_columns=["a"], nominal_columns=["a"])


def test_labels_are_found_by_name_wherever_they_are(model, tmp_path, capsys):
    size, weight, colour, y = table(1)
    (tmp_path / "first.csv").write_text(
        "\n".join(["class,colour,size,weight", *lines_of(y, colour, size, weight)]) + "\n"
    )
    (tmp_path / "none.csv").write_text(
        "\n".join(["colour,size,weight", *lines_of(colour, size, weight)]) + "\n"
    )
    (tmp_path / "empty.csv").write_text(
        "\n".join(["colour,size,weight,class", *lines_of(colour, size, weight, [""] * ROWS)]) + "\n"
    )

    assert main(["predict", model, "first.csv"]) == 0
    first = capsys.readouterr()
    assert "accuracy" in first.err
    for name in ("none.csv", "empty.csv"):
        assert main(["predict", model, name]) == 0
        captured = capsys.readouterr()
        assert captured.out == first.out
        assert captured.err == ""

    assert main(["info", model]) == 0
    assert "predicts           class" in capsys.readouterr().out


@pytest.mark.parametrize("words", [(), ("--target", "class"), ("--target", "-1")])
def test_rows_without_a_label_are_predicted_and_not_compared(svmosaic, model, tmp_path, words):
    (tmp_path / "some.csv").write_text("size,weight,colour,class\n1,2,red,yes\n3,4,blue,\n")

    outcome = svmosaic("predict", model, "some.csv", *words)

    assert outcome.code == 0, outcome.err
    assert outcome.out == "row,prediction\n1,yes\n2,yes\n"
    assert "1 of 2 rows have no label and are not compared" in outcome.err
    assert "accuracy 1.0000 (1 of 1 row right)" in outcome.err
    assert "unknown to the model" not in outcome.err


@pytest.mark.parametrize("regression", [False, True])
def test_numbers_as_labels_may_be_missing_too(svmosaic, tmp_path, regression):
    size, weight, _, y = table()
    y = (size + weight).round(3) if regression else (y == "yes").astype(int)
    path = write_rows(tmp_path / "t.csv", "a,b,y", zip(size, weight, y, strict=True))
    method = ("--method", "smo-regression") if regression else ()
    lines = path.read_text().splitlines()
    lines[3] = lines[3].rpartition(",")[0] + ","
    (tmp_path / "some.csv").write_text("\n".join(lines) + "\n")

    words = ("train", path, "-o", tmp_path / "m", *method, "--test", tmp_path / "some.csv")
    trained = svmosaic(*words)
    outcome = svmosaic("predict", tmp_path / "m", tmp_path / "some.csv")

    assert "(39 rows)" in trained.out
    assert len(outcome.out.splitlines()) == ROWS + 1
    assert "1 of 40 rows have no label" in outcome.err
    assert ("R2" if regression else "of 39 rows right") in outcome.err


def test_another_error_beside_missing_labels_is_said(svmosaic, model, tmp_path):
    (tmp_path / "some.csv").write_text("size,weight,colour,class\n1,x,red,yes\n3,4,blue,\n")

    outcome = svmosaic("predict", model, "some.csv")

    assert outcome.code == 1
    assert "some.csv, line 2: column 'weight' holds numbers, got 'x'" in outcome.err


def test_several_targets_are_found_by_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    size, weight, _, _ = table()
    rows = lines_of(size, weight, (size + weight).round(3), (size - weight).round(3))
    (tmp_path / "train.csv").write_text("\n".join(["size,weight,sum,gap", *rows]) + "\n")
    words = ["train", "train.csv", "-o", "m.model", "--method", "multi-target-svr"]
    assert main([*words, "--targets", "sum,gap", "--set", "Cs=[10.0]"]) == 0
    capsys.readouterr()

    assert main(["predict", "m.model", "train.csv"]) == 0

    captured = capsys.readouterr()
    assert "mean R2" in captured.err
    assert captured.out.startswith("row,sum,gap\n1,")
    assert len(captured.out.splitlines()) == ROWS + 1


def write_rows(path, header, rows):
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def test_a_column_of_numbers_with_an_equals_sign_is_needed(svmosaic, tmp_path):
    size, weight, _, y = table()
    write_rows(tmp_path / "t.csv", "lag=1,lag=2,y", zip(size, weight, y, strict=True))
    assert svmosaic("train", tmp_path / "t.csv", "-o", tmp_path / "m").code == 0
    (tmp_path / "one.csv").write_text("lag=1\n0.5\n")
    (tmp_path / "both.csv").write_text("lag=2,lag=1\n0.5,0.5\n")

    outcome = svmosaic("predict", tmp_path / "m", tmp_path / "one.csv")

    assert outcome.code == 1
    assert "one lacks the column 'lag=2'" in outcome.err
    assert svmosaic("predict", tmp_path / "m", tmp_path / "both.csv").code == 0


@pytest.mark.parametrize("name", ["size", "colour"])
def test_a_feature_cannot_be_dropped(svmosaic, model, tmp_path, name):
    (tmp_path / "new.csv").write_text("size,weight,colour\n1,2,red\n")

    outcome = svmosaic("predict", model, "new.csv", "--drop", name)

    assert outcome.code == 1
    assert f"--drop: the model was trained on the column '{name}' of new.csv" in outcome.err


@pytest.mark.parametrize("labels", [("1", "2"), ("90071992547409930", "90071992547409931")])
def test_labels_read_as_names_stay_names(svmosaic, tmp_path, labels):
    size, weight, _, y = table()
    y = np.where(y == "yes", *labels)
    path = write_rows(tmp_path / "t.csv", "a,b,y", zip(size, weight, y, strict=True))

    trained = svmosaic("train", path, "-o", tmp_path / "m", "--categorical", "y", "--test", path)
    predicted = svmosaic("predict", tmp_path / "m", path)

    assert trained.code == predicted.code == 0, trained.err
    assert "test accuracy" in trained.out
    assert "accuracy" in predicted.err
    assert "not classes" not in predicted.err


def test_long_labels_get_no_advice_that_predict_lacks(svmosaic, tmp_path):
    size, weight, _, y = table()
    rows = list(zip(size, weight, (y == "yes").astype(int), strict=True))
    path = write_rows(tmp_path / "t.csv", "a,b,y", rows)
    assert svmosaic("train", path, "-o", tmp_path / "m").code == 0
    (tmp_path / "new.csv").write_text("a,b,y\n1,2,90071992547409930\n")

    outcome = svmosaic("predict", tmp_path / "m", tmp_path / "new.csv")

    assert outcome.code == 1
    assert "--categorical" not in outcome.err
    assert "The model predicts other numbers: correct the label." in outcome.err


def test_labels_of_bags_that_are_names_stay_names(svmosaic, molecules, tmp_path):
    text = molecules.read_text().replace(",active", ",1").replace(",dull", ",B")
    molecules.write_text(text)
    words = ("--method", "mirsvm", "--bag", "molecule", "--categorical", "class")
    assert svmosaic("train", molecules, "-o", tmp_path / "m", *words).code == 0
    head, *lines = text.splitlines()
    ones = tmp_path / "ones.csv"
    ones.write_text("\n".join([head, *(line for line in lines if line.endswith(",1"))]) + "\n")

    outcome = svmosaic("predict", tmp_path / "m", ones)

    assert "accuracy" in outcome.err
    assert "not classes" not in outcome.err


@pytest.mark.parametrize("trained", ["train.csv", "train.parquet"])
def test_codes_are_the_same_in_text_and_as_numbers(tmp_path, monkeypatch, capsys, trained):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    codes = np.arange(ROWS) % 4
    frame = pandas.DataFrame({"code": codes, "size": rng.normal(size=ROWS).round(3)})
    frame["class"] = np.where(codes > 1, "yes", "no")
    as_floats = frame.assign(code=frame["code"].astype(float))
    frame.to_csv("train.csv", index=False)
    as_floats.to_parquet("train.parquet")
    as_floats.to_csv("floats.csv", index=False)

    assert main(["train", trained, "-o", "m.model", "--categorical", "code"]) == 0
    for new in ("train.csv", "train.parquet", "floats.csv"):
        capsys.readouterr()
        assert main(["predict", "m.model", new]) == 0
        told = capsys.readouterr().err
        assert "accuracy 1.0000" in told
        assert "warning" not in told
