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
        assert re.fullmatch(r"[a-z0-9_-]+", name)
        assert info.task == "classification"
        assert min(info.n_samples, info.n_features, info.n_classes) >= 2
        assert info.title
        assert info.source
        assert info.sha256 or info.sklearn or info.openml
        assert info.sha256 is None or re.fullmatch("[0-9a-f]{64}", info.sha256)
        assert info.title in info.description


def test_openml_numbers_are_used_once():
    ids = [home.id for name in list_datasets() if (home := describe(name).openml) is not None]

    assert len(ids) == len(set(ids))


def test_entries_agree_with_the_manifest(classification_folder):
    with (classification_folder / "MANIFEST.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))

    for row in rows:
        info = describe(row["name"])
        assert info.sha256 == row["sha256"]
        assert info.n_samples == int(row["n_samples"])
        assert info.n_features == int(row["n_features"])
        assert info.n_classes == int(row["n_classes"])


@pytest.mark.parametrize(("name", "nearest"), [("iriss", "iris"), ("Covertyp", "covertype")])
def test_misspelt_names_are_answered(name, nearest):
    with pytest.raises(DataNotFoundError, match=rf"Did you mean .*'{nearest}'"):
        describe(name)


def test_unknown_names_point_to_the_list():
    with pytest.raises(DataNotFoundError, match="svmosaic data list"):
        describe("../../etc/passwd")


def test_importing_the_data_sets_does_not_import_scikit_learn():
    subprocess.run([sys.executable, "-c", IMPORTS], check=True)
