import json

import numpy as np
import pytest
import scipy.sparse

from svmosaic.datasets import cache_folder, describe, fetch, load
from svmosaic.datasets.openml import Download
from svmosaic.exceptions import DataFileError, DataNotFoundError

SPAMBASE = describe("spambase")


def spambase(data_id):
    assert data_id == 44
    rng = np.random.default_rng(7)
    X = rng.normal(size=(SPAMBASE.n_samples, SPAMBASE.n_features))
    y = np.array(["0", "1"], dtype=object)[np.arange(len(X)) % 2]
    return Download(X, y, [f"f{j}" for j in range(X.shape[1])])


def test_fetched_set_loads_from_the_cache(no_data):
    path = fetch("spambase", download=spambase)
    data = load("spambase")

    assert path.parent == no_data / "datasets"
    assert np.array_equal(data.X, spambase(44).X)
    assert data.y.tolist()[:3] == [0, 1, 0]
    assert data.feature_names[:2] == ("f0", "f1")
    assert data.name == "spambase"


def test_second_fetch_takes_the_copy_at_hand(no_data):
    fetch("spambase", download=spambase)

    fetch("spambase", download=lambda _: pytest.fail("downloaded again"))


def test_forced_fetch_downloads_again(no_data):
    path = fetch("spambase", download=spambase)
    path.write_bytes(b"damaged")

    fetch("spambase", force=True, download=spambase)

    assert load("spambase").n_samples == SPAMBASE.n_samples


def test_sparse_features_stay_sparse(no_data):
    def sparse(data_id):
        dense = spambase(data_id)
        return Download(scipy.sparse.csr_matrix(dense.X), dense.y, dense.feature_names)

    fetch("spambase", download=sparse)
    data = load("spambase")

    assert scipy.sparse.issparse(data.X)
    assert np.array_equal(load("spambase", dense=True).X, spambase(44).X)


def test_nominal_features_become_numbers_or_one_hot(no_data):
    info = describe("spambase")

    def nominal(data_id):
        X = np.zeros((info.n_samples, info.n_features - 1))
        X[1, :2] = 1
        names = [f"f{j}" for j in range(X.shape[1])]
        categories = {"f0": ["10", "20"], "f1": ["red", "blue"]}
        return Download(X, np.array(["spam", "ham"])[np.arange(len(X)) % 2], names, categories)

    fetch("spambase", download=nominal)
    data = load("spambase")

    assert data.feature_names[:4] == ("f0", "f1=red", "f1=blue", "f2")
    assert data.X[:2, :3].tolist() == [[10, 1, 0], [20, 0, 1]]
    assert data.y.tolist()[:2] == ["spam", "ham"]


def test_other_sizes_are_not_kept(no_data):
    def short(data_id):
        whole = spambase(data_id)
        return Download(whole.X[:-1], whole.y[:-1], whole.feature_names)

    with pytest.raises(DataFileError, match=r"OpenML data set 44 has .* \(4600, 57, 2\)"):
        fetch("spambase", download=short)
    with pytest.raises(DataNotFoundError):
        load("spambase")


def test_missing_values_are_not_kept(no_data):
    def holed(data_id):
        whole = spambase(data_id)
        whole.X[3, 3] = np.nan
        return whole

    with pytest.raises(DataFileError, match="has missing values"):
        fetch("spambase", download=holed)


@pytest.mark.parametrize("error", [OSError("no network"), ValueError("no such set")])
def test_failed_download_is_explained(no_data, error):
    def fail(data_id):
        raise error

    with pytest.raises(DataNotFoundError, match=rf"could not be downloaded .*\({error}\)"):
        fetch("spambase", download=fail)


def test_damaged_copy_is_refused(no_data):
    path = fetch("spambase", download=spambase)
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(content)

    with pytest.raises(DataFileError, match=r"spambase\.npz: .* svmosaic data fetch --force"):
        load("spambase")


def test_copy_without_a_record_does_not_count(no_data):
    path = fetch("spambase", download=spambase)
    path.with_suffix(".json").unlink()

    with pytest.raises(DataNotFoundError):
        load("spambase")


def test_damaged_record_is_named(no_data):
    path = fetch("spambase", download=spambase)
    assert json.loads(path.with_suffix(".json").read_text())["openml"] == 44
    path.with_suffix(".json").write_text("{")

    with pytest.raises(DataFileError, match=r"^spambase\.json: the record"):
        load("spambase")


def test_sets_without_a_home_are_explained(no_data):
    with pytest.raises(DataNotFoundError, match="has no public home"):
        fetch("reuters")
    with pytest.raises(DataNotFoundError, match="comes with scikit-learn"):
        fetch("sklearn-iris")
    with pytest.raises(DataNotFoundError, match="Did you mean 'spambase'"):
        fetch("spambas")


def test_cache_is_in_the_home_by_default(monkeypatch, tmp_path):
    monkeypatch.delenv("SVMOSAIC_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))

    assert cache_folder() == tmp_path / ".cache" / "svmosaic"
