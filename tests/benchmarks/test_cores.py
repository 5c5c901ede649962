"""The benchmark of cores runs on stored sets with few packages, and sees models that differ."""

from __future__ import annotations

import csv
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "cores.py"
# What a computer may lack that has NumPy, SciPy and scikit-learn.
RUN_BARE = """
import runpy, sys
for name in ("matplotlib", "pandas", "pooch", "rich", "safetensors", "skops"):
    sys.modules[name] = None
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.fixture(scope="module")
def cores():
    """Return the module of the benchmark."""
    spec = importlib.util.spec_from_file_location("cores", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["cores"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["cores"]


@pytest.fixture(scope="module")
def sets(cores, tmp_path_factory):
    """Return a folder with two small sets under the names of real ones."""
    folder = tmp_path_factory.mktemp("sets")
    X, y = make_classification(300, n_informative=4, n_classes=3, random_state=0)
    cores.write_npz(folder / "letter.npz", X.astype(np.float32), y)
    X, y = make_classification(300, random_state=1)
    X = sp.csr_array(np.where(np.abs(X) < 0.7, 0.0, X).astype(np.float32))
    cores.write_npz(folder / "adult.npz", X, y)
    return folder


def run(*arguments, bare=False):
    start = [sys.executable, "-c", RUN_BARE] if bare else [sys.executable]
    return subprocess.run(
        [*start, str(SCRIPT), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


@pytest.fixture
def run_here(cores, monkeypatch, capsys):
    """Return a function that runs the benchmark in this process: no second import."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["cores.py", *map(str, arguments)])
        try:
            code = cores.main()
        except SystemExit as refused:
            code = refused.code
        return code, *capsys.readouterr()

    return call


def test_stored_sets_come_back(cores, sets):
    X, y = cores.read_npz(sets / "letter.npz")
    assert (X.shape, X.dtype, y.shape) == ((300, 20), np.float32, (300,))
    S, _ = cores.read_npz(sets / "adult.npz")
    assert sp.issparse(S)
    assert (S.shape, S.dtype) == ((300, 20), np.float32)


def test_a_run_writes_a_table_a_figure_and_the_same_model_for_all_threads(sets, run_here, tmp_path):
    out, table, figure = tmp_path / "c.csv", tmp_path / "c.md", tmp_path / "c.svg"
    names = ("--sets", "letter,adult", "--models", "full,plain,smo", "--threads", "1,2")

    done = run(
        "--npz", sets, *names, "--quick", "--out", out, "--markdown", table, "--figure", figure
    )

    assert done.returncode == 0, done.stdout + done.stderr
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert len(rows) == 2 * 3 * 2
    for name in ("fit_seconds", "decision_seconds", "fit_per_decision", "values_per_ns"):
        assert all(float(row[name]) > 0 for row in rows)
    assert len({(row["set"], row["model"], row["fingerprint"]) for row in rows}) == 6
    assert "### plain" in table.read_text()
    assert figure.read_text().lstrip().startswith("<?xml")
    # From the file alone, on another computer.
    code, _, _ = run_here("--from", out, "--markdown", tmp_path / "again.md")
    assert code == 0
    assert (tmp_path / "again.md").read_text().splitlines()[:4] == table.read_text().splitlines()[
        :4
    ]


def test_a_few_packages_are_enough(sets, tmp_path):
    figure = tmp_path / "c.svg"

    done = run(
        "--npz", sets, "--sets", "adult", "--threads", 1, "--quick", "--figure", figure, bare=True
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "No figure" in done.stdout
    assert not figure.exists()


def test_a_model_that_depends_on_the_threads_is_seen(cores, run_here, tmp_path):
    row = {"set": "letter", "model": "full", "threads": 1, "fingerprint": "a", "n": 10}
    row |= {"support_vectors": 3, "fit_seconds": 2.0, "fit_per_decision": 4.0, "values_per_ns": 3.0}
    other = {**row, "threads": 2, "fit_seconds": 1.0}
    assert cores.different_models([row, other]) == []
    assert "2.0 (from 1 to 2)" in cores.markdown([row, other])

    broken = [row, {**other, "fingerprint": "b"}]
    assert cores.different_models(broken) == ["full on letter"]
    cores.write_rows(broken, tmp_path / "c.csv")
    code, out, _ = run_here("--from", tmp_path / "c.csv")
    assert code == 1
    assert "Models that depend on the number of threads: full on letter." in out


def test_a_set_that_cannot_be_read_is_told(tmp_path):
    done = run("--npz", tmp_path, "--sets", "web", "--threads", 1)

    assert done.returncode == 1
    assert "web: FileNotFoundError" in done.stdout


def test_an_unknown_set_is_refused(run_here):
    code, _, err = run_here("--sets", "iris")

    assert code == 2
    assert "iris is unknown; expected some of ijcnn1" in err
