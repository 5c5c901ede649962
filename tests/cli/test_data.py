"""The data sets from the command line."""

from __future__ import annotations

import argparse

import pytest

from svmosaic import datasets
from svmosaic.cli.options import byte_count
from svmosaic.datasets import list_datasets


def test_list_names_every_data_set(svmosaic):
    outcome = svmosaic("data", "list")

    assert outcome.code == 0
    names = [line.split()[0] for line in outcome.out.splitlines()[2:]]
    assert names == list(list_datasets())


def test_list_says_where_a_set_was_found(svmosaic, tmp_path, monkeypatch):
    monkeypatch.setenv("SVMOSAIC_CACHE", str(tmp_path))
    (tmp_path / "datasets").mkdir()
    (tmp_path / "data").mkdir()
    monkeypatch.setenv("SVMOSAIC_DATA", str(tmp_path / "data"))
    (tmp_path / "datasets" / "spambase.npz").touch()

    where = {line.split()[0]: line for line in svmosaic("data", "list").out.splitlines()[2:]}

    assert where["spambase"].endswith("fetched")
    assert where["letter"].endswith("no; can be fetched")
    assert where["eukaryotic"].endswith("no; can be fetched")
    assert where["wine"].endswith("svmosaic")
    assert where["sklearn-iris"].endswith("scikit-learn")
    assert where["reuters"].endswith(" no")


def test_describe_tells_size_and_source(svmosaic):
    outcome = svmosaic("data", "describe", "sklearn-iris")

    assert outcome.code == 0
    assert "150" in outcome.out
    assert "scikit-learn" in outcome.out


@pytest.mark.parametrize(
    ("kind", "heads"),
    [
        ("rows", "samples features classes"),
        ("targets", "samples features targets"),
        ("bags", "samples instances features classes"),
    ],
)
def test_a_list_of_one_kind_has_its_columns(svmosaic, kind, heads):
    lines = svmosaic("data", "list", "--kind", kind).out.splitlines()

    assert lines[0].split() == ["name", "kind", *heads.split(), "found", "in"]
    assert [line.split()[:2] for line in lines[2:]] == [[n, kind] for n in list_datasets(kind)]


@pytest.mark.parametrize(("name", "words"), [("musk1", "92, 47 of them"), ("edm", "targets")])
def test_describe_knows_bags_and_targets(svmosaic, name, words):
    outcome = svmosaic("data", "describe", name)

    assert outcome.code == 0
    assert words in outcome.out


@pytest.mark.parametrize(
    ("name", "words"),
    [("muskk", "Did you mean 'musk"), ("lettr", "'letter'"), ("zzzz", "svmosaic data list")],
)
def test_a_misspelt_name_is_looked_for_in_all_kinds(svmosaic, name, words):
    outcome = svmosaic("data", "describe", name)

    assert outcome.code != 0
    assert words in outcome.err


def test_fetch_prints_the_file(svmosaic, tmp_path, monkeypatch):
    asked = []

    def fetch(name, *, force):
        asked.append((name, force))
        return tmp_path / f"{name}.npz"

    monkeypatch.setattr(datasets, "fetch", fetch)

    outcome = svmosaic("data", "fetch", "--force", "letter")

    assert asked == [("letter", True)]
    assert outcome.out == f"{tmp_path / 'letter.npz'}\n"


# Limits of files ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ["train", "flowers.csv", "-o", "m"],
        ["tune", "flowers.csv"],
        ["stream", "flowers.csv", "--learner", "nlsgd"],
    ],
)
def test_a_file_longer_than_allowed_is_refused(svmosaic, flowers, monkeypatch, words):
    monkeypatch.chdir(flowers.parent)

    outcome = svmosaic(*words, "--max-bytes", "100")

    assert outcome.code == 1
    assert "flowers.csv: the text is longer than 100 bytes (--max-bytes=100)" in outcome.err
    assert "Pass a larger --max-bytes" in outcome.err
    assert outcome.out == ""


def test_a_larger_limit_lets_a_file_pass(svmosaic, flowers, tmp_path):
    model = tmp_path / "m"

    assert svmosaic("train", flowers, "-o", model, "--max-bytes", "1M").code == 0
    assert svmosaic("predict", model, flowers, "--max-bytes", "1M").code == 0
    assert "--max-bytes=100)" in svmosaic("predict", model, flowers, "--max-bytes", "100").err


def test_a_limit_is_for_files(svmosaic, tmp_path):
    outcome = svmosaic("train", "sklearn-iris", "-o", tmp_path / "m", "--max-bytes", "1G")

    assert "--max-bytes is for files" in outcome.err


@pytest.mark.parametrize(
    ("text", "number"), [("1", 1), ("500k", 500_000), ("20M", 20_000_000), ("4G", 4_000_000_000)]
)
def test_numbers_of_bytes_may_have_a_unit(text, number):
    assert byte_count(text) == number


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5", "1T", "k", "2 k", "1kk", "१"])
def test_other_numbers_of_bytes_are_refused(text):
    with pytest.raises(argparse.ArgumentTypeError, match="expected a number of bytes such as"):
        byte_count(text)


@pytest.mark.parametrize("command", ["train", "stream"])
def test_a_path_too_long_for_the_computer_earns_one_line(svmosaic, tmp_path, command):
    more = ("-o", tmp_path / "m") if command == "train" else ("--learner", "nlsgd")
    outcome = svmosaic(command, "a" * 3000 + ".csv", *more)

    assert outcome.code == 1
    assert outcome.err.count("\n") == 1
    assert "unexpected" not in outcome.err


def test_a_sparse_file_does_not_fill_the_memory_as_a_dense_one(svmosaic, tmp_path):
    wide = tmp_path / "wide.svm"
    wide.write_text("".join(f"{i % 2} {i + 1}:1 9999999:2\n" for i in range(40_000)))

    outcome = svmosaic("train", wide, "-o", tmp_path / "m", "--method", "svm-cbp")

    assert outcome.code == 1
    assert "has 40000 x 9999999 values, mostly zeros, which take 3200000 MB" in outcome.err
