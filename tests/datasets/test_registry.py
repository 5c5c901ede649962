import csv
import re
import subprocess
import sys

import pytest

from svmosaic.datasets import describe, list_datasets
from svmosaic.exceptions import DataNotFoundError

IMPORTS = """
import sys, svmosaic
before = "sklearn" in sys.modules
import svmosaic.datasets
assert before or "sklearn" not in sys.modules
"""


def test_every_entry_is_complete():
    for name in list_datasets():
        info = describe(name)
        assert info.name == name
        assert re.fullmatch(r"[A-Za-z0-9_-]+", name)
        assert min(info.n_samples, info.n_features) >= 2
        assert info.title
        assert info.source
        assert info.sha256 or info.sklearn or info.openml
        assert info.sha256 is None or re.fullmatch("[0-9a-f]{64}", info.sha256)
        assert info.title in info.description


@pytest.mark.parametrize(
    ("kind", "has"),
    [
        ("rows", {"n_classes"}),
        ("targets", {"n_targets"}),
        ("bags", {"n_classes", "n_instances", "n_positive"}),
    ],
)
def test_every_kind_has_its_sizes(kind, has):
    names = list_datasets(kind)

    assert names
    for name in names:
        info = describe(name)
        assert info.kind == kind
        sizes = {n: getattr(info, n) for n in ("n_classes", "n_targets", "n_instances")}
        assert {n for n, size in sizes.items() if size} == has - {"n_positive"}, name
        assert 0 < info.n_positive < info.n_samples or kind != "bags"


def test_the_kinds_make_up_the_whole_list():
    kinds = [list_datasets(kind) for kind in ("rows", "targets", "bags")]

    assert list_datasets() == sum(kinds, ())
    with pytest.raises(ValueError, match=r"must be one of 'rows', 'targets', 'bags'\. Got 'row'"):
        list_datasets("row")


def test_openml_numbers_are_used_once():
    ids = [home.id for name in list_datasets() if (home := describe(name).openml) is not None]

    assert len(ids) == len(set(ids))


def _manifest(folder):
    with (folder / "MANIFEST.csv").open(encoding="utf-8", newline="") as stream:
        return {row["name"]: row for row in csv.DictReader(stream)}


def test_entries_agree_with_the_manifest(classification_folder):
    for name, row in _manifest(classification_folder).items():
        info = describe(name)
        assert info.sha256 == row["sha256"]
        assert info.n_samples == int(row["n_samples"])
        assert info.n_features == int(row["n_features"])
        assert info.n_classes == int(row["n_classes"])


def test_several_targets_agree_with_their_manifest(data_home):
    rows = _manifest(data_home / "multitarget")

    assert set(list_datasets("targets")) == set(rows)
    assert all(describe(name).sha256 == row["sha256"] for name, row in rows.items())


def test_bags_agree_with_their_manifest(data_home):
    rows = _manifest(data_home / "multiinstance")

    assert set(list_datasets("bags")) == set(rows)
    for name, row in rows.items():
        info = describe(name)
        assert (info.n_samples, info.n_instances, info.n_features, info.n_positive) == tuple(
            int(row[key]) for key in ("bags", "instances", "d", "positive_bags")
        )
        assert (info.sha256, info.source) == (row["sha256"], row["source"])


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("iriss", "iris"), ("Covertyp", "covertype"), ("andros", "andro"), ("musk3", "musk1")],
)
def test_misspelt_names_are_answered(name, nearest):
    with pytest.raises(DataNotFoundError, match=rf"Did you mean .*'{nearest}'"):
        describe(name)


def test_unknown_names_point_to_the_list():
    with pytest.raises(DataNotFoundError, match="svmosaic data list"):
        describe("../../etc/passwd")


def test_importing_the_data_sets_does_not_import_scikit_learn():
    subprocess.run([sys.executable, "-c", IMPORTS], check=True)
