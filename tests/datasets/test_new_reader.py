"""A file format of one's own, added through the public seam, is read everywhere.

The first is the worked example of CONTRIBUTING.md, taken from there.
"""

from __future__ import annotations

import gzip
import json
import pickle
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from svmosaic.cli.main import main
from svmosaic.datasets import (
    Dataset,
    Reader,
    read_bags,
    read_multitarget,
    read_table,
    register_reader,
)
from svmosaic.datasets.readers import reader
from svmosaic.exceptions import DataFileError
from svmosaic.streams import FileStream

ROOT = Path(__file__).parents[2]


def worked_example() -> ModuleType:
    """Return the module that CONTRIBUTING.md shows."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split("## Adding a reader")[1].split("\n## ")[0]
    (code,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    module = ModuleType("json_lines")
    exec(compile(code, "json_lines.py", "exec"), vars(module))
    return module


ROWS = [
    {"size": size, "colour": colour, "class": label}
    for size, colour, label in [(1.5, "red", "a"), (2, "blue", "b"), (3.25, "red", "b")] * 20
]


def json_text(rows=ROWS):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def own_table(monkeypatch):
    """Let readers be registered for one test only."""
    monkeypatch.setattr(reader, "_READERS", dict(reader._READERS))


@pytest.fixture
def json_lines(own_table, monkeypatch):
    module = worked_example()
    # Pickle looks for its functions there.
    monkeypatch.setitem(sys.modules, "json_lines", module)
    register_reader(module.READER)


@pytest.fixture
def as_csv(write):
    lines = ["size,colour,class", *(",".join(map(str, row.values())) for row in ROWS)]
    return write("same.csv", "\n".join(lines) + "\n")


@pytest.mark.parametrize("name", ["toy.jsonl", "toy.JSONL", "toy.jsonl.gz", "toy.unknown"])
def test_a_table_is_that_of_the_same_csv_file(json_lines, write, as_csv, name):
    text = json_text().encode()
    path = write(name, gzip.compress(text) if name.endswith("gz") else text)

    data, expected = read_table(path), read_table(as_csv)

    assert np.array_equal(data.X, expected.X)
    assert data.y.tolist() == expected.y.tolist()
    assert data.feature_names == expected.feature_names
    assert data.name == "toy"


def test_the_options_of_tables_apply(json_lines, write):
    path = write("toy.jsonl", json_text([*ROWS, {"size": None, "class": "a"}]))

    data = read_table(path, target="class", drop=["colour"], allow_nan=True)

    assert data.feature_names == ("size",)
    assert np.isnan(data.X[60, 0])
    with pytest.raises(DataFileError, match=r"line 61: the target 'colour' has no value"):
        read_table(path, target="colour", drop=["size"])
    with pytest.raises(ValueError, match=r"'delimiter' option .* does not apply to jsonl"):
        read_table(path, delimiter=",")


def test_damage_is_named_with_its_line(json_lines, write):
    path = write("toy.jsonl", json_text() + "{oops\n")

    for read in (read_table, FileStream):
        with pytest.raises(DataFileError, match=r"^toy\.jsonl, line 61: this is not JSON"):
            read(path)


def test_bags_and_several_targets(json_lines, write):
    rows = [{"bag": i // 2, "a": i, "b": 2 * i, "y": i // 4} for i in range(8)]
    path = write("toy.jsonl", json_text(rows))

    bags, several = read_bags(path), read_multitarget(path, targets=["b", "y"], drop=["bag"])

    assert [bag.tolist() for bag in bags.X] == [
        [[i, 2 * i], [i + 1, 2 * i + 2]] for i in (0, 2, 4, 6)
    ]
    assert bags.y.tolist() == [0, 0, 1, 1]
    assert several.X.ravel().tolist() == list(range(8))
    assert several.y.tolist() == [[2 * i, i // 4] for i in range(8)]


def test_a_stream_has_the_rows_of_the_table(json_lines, write):
    path = write("toy.jsonl", json_text())
    data = read_table(path)

    stream = pickle.loads(pickle.dumps(FileStream(path)))

    chunks = list(stream.chunks(7))
    assert np.array_equal(np.concatenate([X for X, _ in chunks]), data.X)
    assert np.concatenate([y for _, y in chunks]).tolist() == data.y.tolist()


def test_the_command_line_trains_predicts_and_streams(
    json_lines, write, as_csv, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    write("toy.jsonl", json_text())

    for source in ("toy.jsonl", "same.csv"):
        assert main(["train", source, "-o", f"{source}.model"]) == 0
        assert main(["predict", f"{source}.model", source, "-o", f"{source}.out"]) == 0
    assert main(["stream", "toy.jsonl", "--learner", "nlsgd", "--chunk", "10"]) == 0

    assert Path("toy.jsonl.out").read_text() == Path("same.csv.out").read_text()
    assert "60" in capsys.readouterr().out
    assert main(["train", "same.csv", "-o", "m", "--format", "jsonl"]) == 1
    assert "this is not JSON" in capsys.readouterr().err


def test_the_help_lists_the_format(json_lines, capsys):
    assert main(["train", "--help"]) == 0

    assert "{csv,libsvm,arff,parquet,excel,jsonl}" in capsys.readouterr().out


# A format that is not text, with nothing but `read` -----------------------------------------


def read_npz(path, options):
    with np.load(path, allow_pickle=False) as file:
        return Dataset(X=file["X"], y=file["y"], name=path.stem)


@pytest.fixture
def npz(own_table, tmp_path):
    register_reader(Reader("npz", (".npz",), read_npz))
    path = tmp_path / "toy.npz"
    rng = np.random.default_rng(0)
    np.savez(path, X=rng.normal(size=(40, 3)), y=np.arange(40) % 2)
    return path


def test_one_function_is_enough_for_tables_and_models(npz, tmp_path, capsys):
    model = str(tmp_path / "m")

    assert read_table(npz).X.shape == (40, 3)
    assert main(["train", str(npz), "-o", model]) == 0
    assert main(["predict", model, str(npz)]) == 0
    assert len(capsys.readouterr().out.splitlines()) >= 40


@pytest.mark.parametrize(
    ("read", "sentence"),
    [
        (read_bags, "npz files cannot hold bags. Use another format"),
        (read_multitarget, "npz files have one target. Use CSV or ARFF"),
        (FileStream, "npz files cannot be read row by row. Read it by read_table"),
    ],
)
def test_what_the_reader_does_not_bring_is_refused(npz, read, sentence):
    with pytest.raises(DataFileError, match=rf"^toy\.npz: {sentence}"):
        read(npz)


def test_an_extension_without_a_point_is_refused(own_table):
    with pytest.raises(ValueError, match=r"begin with a point\. Got 'npz'"):
        register_reader(Reader("npz", ("npz",), read_npz))
