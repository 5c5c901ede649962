"""The data sets from the command line."""

from __future__ import annotations

import pytest

from svmosaic import datasets
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
    (tmp_path / "datasets" / "iris.npz").touch()

    where = {line.split()[0]: line for line in svmosaic("data", "list").out.splitlines()[2:]}

    assert where["iris"].endswith("fetched")
    assert where["wine"].endswith("no; can be fetched")
    assert where["sklearn-iris"].endswith("scikit-learn")
    assert where["teach"].endswith(" no")


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
