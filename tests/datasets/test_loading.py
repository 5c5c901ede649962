import gzip
import shutil

import numpy as np
import pytest
import scipy.sparse
from sklearn.datasets import load_iris

from svmosaic.datasets import data_folder, describe, list_datasets, load, whereabouts
from svmosaic.exceptions import DataFileError, DataNotFoundError


@pytest.mark.parametrize("name", [name for name in list_datasets() if describe(name).sklearn])
def test_bundled_sets_load_offline(no_data, name):
    data, info = load(name), describe(name)

    assert data.X.shape == (info.n_samples, info.n_features)
    assert len(data.classes) == len(data.target_names) == info.n_classes
    assert len(data.feature_names) == info.n_features


def test_bundled_iris_is_scikit_learns(no_data):
    data = load("sklearn-iris")
    expected = load_iris()

    assert np.array_equal(data.X, expected.data)
    assert np.array_equal(data.y, expected.target)


def test_sets_of_the_folder_have_the_registered_sizes(classification_folder):
    for name in list_datasets("rows"):
        info = describe(name)
        if info.sha256 is None or info.n_samples > 10_000:
            continue
        data = load(name, data_home=classification_folder.parent)
        assert data.X.shape == (info.n_samples, info.n_features)
        assert len(data.classes) == info.n_classes
        assert data.y.dtype == np.int64
        assert data.name == name
        assert info.title in data.description


@pytest.mark.parametrize("name", ["edm", "sf1", "scpf", "andro", "corn_m5"])
def test_several_targets_have_the_registered_sizes(data_home, name):
    info, data = describe(name), load(name)

    assert data.kind == info.kind == "targets"
    assert data.y.shape == (info.n_samples, info.n_targets)
    assert len(data.target_names) == info.n_targets
    assert np.isfinite(data.y).all()
    assert np.isnan(data.X).any() == (info.n_missing > 0)
    if info.n_nominal == 0:
        assert data.X.shape == (info.n_samples, info.n_features)


@pytest.mark.parametrize("name", ["musk1", "eastWest", "westEast", "suramin", "mutagenesis-atoms"])
def test_bags_have_the_registered_sizes(data_home, name):
    info, data = describe(name), load(name)

    assert data.kind == info.kind == "bags"
    assert (len(data.X), data.X.n_instances, data.n_features) == (
        info.n_samples,
        info.n_instances,
        info.n_features,
    )
    assert np.bincount(data.y).tolist() == [info.n_samples - info.n_positive, info.n_positive]
    assert info.title in data.description


@pytest.mark.slow
def test_web_pages_are_sparse(data_home):
    assert scipy.sparse.issparse(load("webmining75").X.instances)


def test_storage_follows_the_registry_or_the_caller(classification_folder):
    assert isinstance(load("iris").X, np.ndarray)
    assert scipy.sparse.issparse(load("iris", dense=False).X)
    assert scipy.sparse.issparse(load("adult").X)
    assert isinstance(load("sklearn-iris", dense=True).X, np.ndarray)
    assert scipy.sparse.issparse(load("sklearn-iris", dense=False).X)


def test_environment_names_the_folder(classification_folder, tmp_path, monkeypatch):
    (tmp_path / "classification").mkdir()
    shutil.copy(classification_folder / "iris.svm.gz", tmp_path / "classification")
    monkeypatch.setenv("SVMOSAIC_DATA", str(tmp_path))

    assert data_folder() == tmp_path
    assert load("iris").n_samples == 150


def test_changed_file_is_refused(tmp_path):
    (tmp_path / "classification").mkdir()
    path = tmp_path / "classification" / "iris.svm.gz"
    path.write_bytes(gzip.compress(b"1 1:1\n"))

    with pytest.raises(DataFileError, match=r"^iris\.svm\.gz: expected SHA-256 52ab431b7523"):
        load("iris", data_home=tmp_path)


def test_checksum_is_computed_once(classification_folder, monkeypatch):
    load("glass")
    monkeypatch.setattr(
        "svmosaic.datasets.loading.check_sha256", lambda *_: pytest.fail("checked again")
    )

    assert load("glass").n_samples == 214


def test_absent_set_says_how_to_get_it(no_data):
    with pytest.raises(DataNotFoundError, match="svmosaic data fetch spambase"):
        load("spambase")
    with pytest.raises(DataNotFoundError, match=r"as classification/reuters\.svm\.gz and set"):
        load("reuters")
    with pytest.raises(DataNotFoundError, match=r"as multitarget/edm\.arff\.gz and set"):
        load("edm")
    with pytest.raises(DataNotFoundError, match=r"as multiinstance/tiger\.arff\.gz and set"):
        load("tiger")
    assert (load("iris").n_samples, whereabouts("wine")) == (150, "svmosaic")


def test_misspelt_name_is_answered():
    with pytest.raises(DataNotFoundError, match="Did you mean 'sonar'"):
        load("sonnar")


def test_absent_folder_is_named(tmp_path, monkeypatch):
    with pytest.raises(DataNotFoundError, match="nowhere' does not exist"):
        load("iris", data_home=tmp_path / "nowhere")
    monkeypatch.setenv("SVMOSAIC_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataNotFoundError, match="does not exist"):
        data_folder()


def test_folder_beside_the_current_one_is_found(tmp_path, monkeypatch):
    monkeypatch.delenv("SVMOSAIC_DATA", raising=False)
    (tmp_path / "shared" / "data").mkdir(parents=True)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")

    assert data_folder() == tmp_path / "shared" / "data"
