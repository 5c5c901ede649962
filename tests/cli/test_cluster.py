"""Commands on a Dask cluster: the models, predictions and scores of this computer alone."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from clusters import cluster_of
from same_state import assert_same_state
from svmosaic.cli import cluster as connection
from svmosaic.experiments import read_results
from svmosaic.persistence import load

pytestmark = pytest.mark.dask

parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def address():
    with cluster_of(2) as client:
        yield client.scheduler.address


def _split(path, n_files, n_head=0):
    """Write a file as several in a folder, of other lengths each, and return the folder."""
    lines = path.read_text().splitlines()
    head, rows = lines[:n_head], lines[n_head:]
    folder = path.parent / "parts"
    folder.mkdir()
    cuts = np.linspace(0, len(rows), n_files + 1).astype(int) + 1
    cuts[0], cuts[-1] = 0, len(rows)
    for k in range(n_files):
        text = "\n".join([*head, *rows[cuts[k] : cuts[k + 1]]]) + "\n"
        (folder / f"{k}{path.suffix}").write_text(text)
    return folder


def _field(outcome, name):
    return re.search(rf"^{name} +(.*)$", outcome.out, re.MULTILINE).group(1)


def _assert_same_model(model, expected, X):
    """Compare the steps to the last bit, and the decisions to the tolerance of the solver."""
    assert [name for name, _ in model.steps] == [name for name, _ in expected.steps]
    for (_, step), (_, wanted) in zip(model.steps[:-1], expected.steps[:-1], strict=True):
        assert_same_state(step, wanted)
    ours, theirs = model.steps[-1][1], expected.steps[-1][1]
    assert type(ours) is type(theirs)
    assert ours.n_jobs == theirs.n_jobs
    for one in (model, expected):
        for _, step in one.steps:
            vars(step).pop("feature_names_in_", None)
    np.testing.assert_allclose(model.decision_function(X), expected.decision_function(X), atol=1e-4)


def test_a_folder_of_csv_gives_the_model_of_the_whole_file(svmosaic, address, flowers, tmp_path):
    parts = _split(flowers, 3, n_head=1)
    options = ("--C", 10, "--set", "tol=1e-6")
    local = svmosaic("train", flowers, "-o", tmp_path / "local", *options)

    outcome = svmosaic(
        *("train", parts, "-o", tmp_path / "m", "--scheduler", address, "--test", flowers),
        *options,
    )

    assert (outcome.code, outcome.err) == (0, "")
    assert _field(outcome, "rows") == "40 in 3 files"
    assert _field(outcome, "test accuracy") == "1.0000 (40 rows)"
    for name in ("features", "classes", "scaling", "training accuracy"):
        assert _field(outcome, name) == _field(local, name)
    X = np.random.default_rng(0).uniform(0, 2, (20, 4))
    _assert_same_model(load(tmp_path / "m"), load(tmp_path / "local"), X)


def test_sparse_libsvm_files_and_another_method(svmosaic, address, blobs, tmp_path):
    # The second file has the last features, the first and the third may lack them.
    parts = _split(blobs, 3)
    options = ("--method", "smo", "--set", "tol=1e-6", "--gamma", 0.5)
    local = svmosaic("train", blobs, "-o", tmp_path / "local", *options)

    outcome = svmosaic(
        "train", parts / "*.svm", "-o", tmp_path / "m", "--scheduler", address, *options
    )

    assert outcome.code == 0
    for name in ("features", "classes", "constant", "scaling"):
        assert _field(outcome, name) == _field(local, name)
    X = np.random.default_rng(0).uniform(0, 2, (20, 7))
    _assert_same_model(load(tmp_path / "m"), load(tmp_path / "local"), X)


def test_regression_with_progress(svmosaic, address, flats, tmp_path):
    parts = _split(flats, 2, n_head=1)
    options = ("--method", "smo-regression", "--target", "rent", "--set", "tol=1e-6", "--C", 10)
    local = svmosaic("train", flats, "-o", tmp_path / "local", *options)

    outcome = svmosaic("train", parts, "-o", tmp_path / "m", "--scheduler", address, "-v", *options)

    assert outcome.code == 0
    # The mean, 13.03855, is between two numbers of six digits.
    assert _field(outcome, "target")[:-1] == _field(local, "target")[:-1]
    assert _field(outcome, "training R2") == _field(local, "training R2")
    assert "svmosaic: reading 2 files on the workers" in outcome.err
    assert re.search(r"svmosaic: DaskSMORegressor: round 1, ", outcome.err)


def test_predictions_are_those_of_the_local_command(svmosaic, address, flowers, tmp_path):
    parts = _split(flowers, 2, n_head=1)
    svmosaic("train", flowers, "-o", tmp_path / "m")
    svmosaic("predict", tmp_path / "m", flowers, "-o", tmp_path / "labels.txt")
    command = ("predict", tmp_path / "m", parts, "-o", tmp_path / "out", "--scheduler", address)

    outcome = svmosaic(*command)
    again = svmosaic(*command)

    assert outcome.code == 0
    assert outcome.err == "svmosaic: accuracy 1.0000 (40 of 40 rows right)\n"
    assert outcome.out == f"40 rows of 2 files predicted into {tmp_path / 'out'}\n"
    found = [
        label
        for name in ("0.csv.parquet", "1.csv.parquet")
        for label in parquet.read_table(tmp_path / "out" / name)["prediction"].to_pylist()
    ]
    assert found == (tmp_path / "labels.txt").read_text().split()
    assert again.code == 1
    assert "is not empty, and nothing in it is overwritten" in again.err


def test_cells_of_an_experiment_run_on_the_workers(svmosaic, address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("spec.toml").write_text(
        '[protocol]\nouter = 3\n[[data]]\nname = "sklearn-iris"\n'
        '[[methods]]\nestimator = "OLLAWVClassifier"\n'
    )
    svmosaic("run", "spec.toml", "--out", "plain")

    outcome = svmosaic("run", "spec.toml", "--out", "dask", "--scheduler", address)
    refused = svmosaic("run", "spec.toml", "--scheduler", address, "--n-jobs", 2)

    assert outcome.code == 0
    assert "finished now       3" in outcome.out
    ours, theirs = (
        sorted((record["fold"], record["accuracy"]) for record in read_results(name))
        for name in ("dask", "plain")
    )
    assert ours == theirs
    assert refused.code == 1
    assert "--n-jobs is for processes on this computer" in refused.err


def test_files_as_people_have_them(svmosaic, address, export, tmp_path):
    words = ("--id", "patient", "--drop", "note", "--dates", "dmy", "--target", "healthy")
    words = (*words, "--categorical", "age")
    parts = _split(export, 3, n_head=1)

    local = svmosaic("train", export, "-o", tmp_path / "local", *words)
    cluster = svmosaic("train", parts, "-o", tmp_path / "m", "--scheduler", address, *words)
    predicted = svmosaic(
        *("predict", tmp_path / "m", parts, "-o", tmp_path / "out", "--scheduler", address)
    )
    refused = svmosaic(
        *("predict", tmp_path / "m", parts, "-o", tmp_path / "o", "--scheduler", address),
        *("--id", "patient"),
    )

    assert (local.code, cluster.code) == (0, 0), cluster.err
    ours, theirs = load(tmp_path / "m"), load(tmp_path / "local")
    assert ours.feature_names_in_.tolist() == theirs.feature_names_in_.tolist()
    assert ours.column_roles_in_ == theirs.column_roles_in_
    assert ours.target_names_in_.tolist() == ["healthy"]
    assert predicted.code == 0, predicted.err
    assert "accuracy 1.0000 (40 of 40 rows right)" in predicted.err
    assert "--id is not for --scheduler" in refused.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--drop", "note"], "has no column 'note'"),
        (["--encoding", "utf-32"], "is not utf-32. Pass another --encoding."),
        (["--method", "mnsvm"], "does not train on a cluster. Use one of ollawv, smo, smo-regr"),
        (["--refine", "none"], "trains with --refine full only"),
        (["--margin", "0.5"], "The method ollawv on a cluster has no --margin."),
        (["--n-jobs", "2"], "the workers decide how many threads they use"),
        (["--impute", "mean"], "--impute needs all rows on one computer"),
        (["--bag", "0"], "--bag is for bags of instances"),
        (["--set", "epochs=3"], "The method ollawv on a cluster has no parameter 'epochs'."),
        (["--gamma", "cbp"], "'gamma' parameter of DaskOLLAWVClassifier must be"),
        (["--target", "colours"], "no column 'colours'. Did you mean 'colour'?"),
        (["--max-bytes", "10"], "the text is longer than 10 bytes (--max-bytes=10)"),
    ],
)
def test_what_a_cluster_does_not_do_is_said(svmosaic, address, flowers, tmp_path, words, message):
    outcome = svmosaic("train", flowers, "-o", tmp_path / "m", "--scheduler", address, *words)

    assert outcome.code == 1
    assert message in outcome.err
    assert len(outcome.err.splitlines()) == 1
    assert not (tmp_path / "m").exists()


def test_no_scheduler_and_no_dask(svmosaic, flowers, tmp_path, monkeypatch):
    monkeypatch.setattr(connection, "_CONNECT_SECONDS", 0.2)
    command = ("train", flowers, "-o", tmp_path / "m", "--scheduler", "tcp://127.0.0.1:9")

    outcome = svmosaic(*command)
    monkeypatch.setitem(sys.modules, "distributed", None)
    without = svmosaic(*command)

    assert outcome.code == 1
    assert outcome.err.startswith(
        "svmosaic: error: No Dask scheduler answers at 'tcp://127.0.0.1:9'. Start one"
    )
    assert len(outcome.err.splitlines()) == 1
    assert without.code == 1
    assert "Install it with: pip install 'svmosaic[dask]'" in without.err


def test_several_files_need_a_cluster(svmosaic, flowers, blobs, tmp_path):
    svmosaic("train", flowers, "-o", tmp_path / "m")
    for command in (
        ("train", flowers, blobs, "-o", tmp_path / "m2"),
        ("predict", tmp_path / "m", flowers, blobs),
    ):
        outcome = svmosaic(*command)

        assert outcome.code == 1
        assert "Expected one data file, got 2." in outcome.err


def test_an_input_is_never_the_output(svmosaic, flowers, tmp_path):
    parts = _split(flowers, 2, n_head=1)
    before = (parts / "0.csv").read_text()

    outcome = svmosaic("train", parts, "-o", parts / "0.csv", "--scheduler", "tcp://127.0.0.1:9")

    assert outcome.code == 1
    assert "is the same file as the input" in outcome.err
    assert (parts / "0.csv").read_text() == before
