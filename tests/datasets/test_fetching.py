"""Downloads: from OpenML and from pinned files, compared with the registry, kept with a record."""

from __future__ import annotations

import http.server
import json
import threading
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse

from svmosaic.datasets import cache_folder, describe, fetch, load, whereabouts
from svmosaic.datasets.content import content_sha256
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

    with pytest.raises(DataFileError, match=r"org \(data set 44\) has .* \(4600, 57, 2\)"):
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
    with pytest.raises(DataNotFoundError, match="comes with svmosaic"):
        fetch("sonar")
    with pytest.raises(DataNotFoundError, match="Did you mean 'spambase'"):
        fetch("spambas")


def test_cache_is_in_the_home_by_default(monkeypatch, tmp_path):
    monkeypatch.delenv("SVMOSAIC_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))

    assert cache_folder() == tmp_path / ".cache" / "svmosaic"


# A small file on a server of our own -------------------------------------------------------------

TOY = "1 1:28.000000 2:24\n2 2:-0.5\n2 1:3 2:1e2\n"
TOY_DIGEST = content_sha256(np.array([[0, -0.5], [28, 24], [3, 100.0]]), np.array([1, 0, 1]))


@pytest.fixture
def server():
    """Serve `server.content` at every address, counting the requests."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.requests += 1
            self.send_response(200 if self.server.content is not None else 404)
            self.end_headers()
            self.wfile.write(self.server.content or b"")

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.content, running.requests = TOY.encode(), 0
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def toy(server, no_data, monkeypatch):
    """An entry of the registry whose home is the server: prokaryotic, but smaller."""
    info = replace(
        describe("prokaryotic"),
        url=f"http://127.0.0.1:{server.server_port}/toy",
        n_samples=3,
        n_features=2,
        n_classes=2,
        content_sha256=TOY_DIGEST,
    )
    for module in ("fetching", "loading"):
        monkeypatch.setattr(f"svmosaic.datasets.{module}.describe", {info.name: info}.__getitem__)
    return info


def test_a_file_of_the_web_is_fetched_once_and_loads_from_the_cache(toy, server, no_data):
    path = fetch("prokaryotic")
    fetch("prokaryotic")
    data = load("prokaryotic")

    assert server.requests == 1
    assert path == no_data / "datasets" / "prokaryotic.npz"
    assert json.loads(path.with_suffix(".json").read_text())["url"] == toy.url
    assert data.X.tolist() == [[28, 24], [0, -0.5], [3, 100]]
    assert data.y.tolist() == [1, 2, 2]
    assert (data.feature_names, whereabouts("prokaryotic")) == (None, "fetched")


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        (TOY.replace("1e2", "1e3"), DataFileError, r"has other values than 'prokaryotic': "),
        (TOY + "2 1:1\n", DataFileError, r"has \(rows, features, classes\) \(4, 2, 2\)"),
        ("<html>log in</html>", DataFileError, r"is not the data set 'prokaryotic' \(download.svm"),
        (None, DataNotFoundError, r"could not be downloaded from http.* \(HTTP Error 404"),
    ],
    ids=["value", "rows", "page", "absent"],
)
def test_another_file_is_not_kept(toy, server, no_data, content, error, message):
    server.content = None if content is None else content.encode()

    with pytest.raises(error, match=message):
        fetch("prokaryotic")

    assert whereabouts("prokaryotic") is None


def test_a_file_that_is_far_too_large_is_not_read_to_its_end(toy, server, monkeypatch):
    monkeypatch.setattr("svmosaic.datasets.web_files._MAX_BYTES", 20)

    with pytest.raises(DataNotFoundError, match="the file has more than 20 bytes"):
        fetch("prokaryotic")


def test_no_server_is_no_network(toy, server, no_data, monkeypatch):
    nobody = replace(toy, url="http://127.0.0.1:1/toy")
    monkeypatch.setattr("svmosaic.datasets.fetching.describe", lambda name: nobody)

    with pytest.raises(DataNotFoundError, match=r"could not .* Check the network and try again\.$"):
        fetch("prokaryotic")


def test_openml_is_asked_through_scikit_learn_and_its_values_are_compared(no_data, monkeypatch):
    pytest.importorskip("sklearn")
    pima = describe("pima")
    asked = []

    def fetch_openml(**options):
        asked.append(options)
        X = np.zeros((pima.n_samples, pima.n_features))
        names = [f"f{j}" for j in range(pima.n_features)]
        y = np.array(["tested_negative", "tested_positive"])[np.arange(len(X)) % 2]
        return SimpleNamespace(data=X, target=y, feature_names=names, categories={})

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)

    with pytest.raises(DataFileError, match=r"openml.org \(data set 37\) has other values than"):
        fetch("pima")
    assert [options["data_id"] for options in asked] == [37]


def test_the_registered_checksums_are_of_the_files(classification_folder):
    for name in ("prokaryotic", "eukaryotic", "letter", "pima", "electricity"):
        data = load(name)
        shuffled = np.random.default_rng(3).permutation(len(data.y))
        assert describe(name).content_sha256 == content_sha256(data.X[shuffled], -data.y[shuffled])
