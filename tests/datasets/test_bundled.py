"""Data sets that come with the package: those of the registry, small, with their licences."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
import sklearn.datasets

import svmosaic.datasets.bundled as package
from svmosaic.datasets import describe, list_datasets, load, whereabouts

FOLDER = Path(package.__file__).parent
BUNDLED = [name for name in list_datasets() if package.bundled_path(describe(name)) is not None]


def test_every_file_is_of_the_registry_and_small():
    files = set(FOLDER.rglob("*.gz"))

    assert files == {package.bundled_path(describe(name)) for name in BUNDLED}
    assert max(path.stat().st_size for path in files) < 150_000
    assert sum(path.stat().st_size for path in files) < 600_000
    for name in BUNDLED:
        content = package.bundled_path(describe(name)).read_bytes()
        assert hashlib.sha256(content).hexdigest() == describe(name).sha256


def test_the_notice_has_every_data_set():
    notice = (FOLDER / "NOTICE").read_text(encoding="utf-8")
    table = notice[notice.index("  name  ") :].splitlines()[2:]
    named = {word.strip(",") for line in table for word in line[2:13].split()}

    assert "CC BY 4.0" in notice
    assert named == set(BUNDLED)


@pytest.mark.parametrize("name", BUNDLED)
def test_they_load_without_a_data_folder(no_data, name):
    info, data = describe(name), load(name)

    assert whereabouts(name) == "svmosaic"
    assert (data.n_samples, data.kind) == (info.n_samples, info.kind)


def test_wine_is_scikit_learns_and_iris_but_for_the_errors_of_the_text(no_data):
    wine, iris = sklearn.datasets.load_wine(), sklearn.datasets.load_iris()

    np.testing.assert_array_equal(load("wine").X, wine.data)
    np.testing.assert_array_equal(load("wine").y, wine.target + 1)
    np.testing.assert_array_equal(np.argwhere(iris.data != load("iris").X)[:, 0], [34, 37, 37])
    np.testing.assert_array_equal(load("iris").y, iris.target + 1)
