"""Cells that take too long, or whose process dies: recorded, and the rest goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import joblib
import pytest

from svmosaic.experiments import read_results, read_spec, run_experiment
from svmosaic.experiments.results import failed_cells
from svmosaic.utils.threads import available_threads

# Each class misbehaves on the first fold only: the others must have results.
BAD = """
import os, signal, sys, time
from pathlib import Path
import numpy as np
from sklearn.neighbors import KNeighborsClassifier

class Slow(KNeighborsClassifier):
    def fit(self, X, y):
        if first(X):
            Path("slow.pid").write_text(str(os.getpid()))
            time.sleep(300)
        return super().fit(X, y)

class Fatal(KNeighborsClassifier):
    def fit(self, X, y):
        if first(X):
            with open("deaths", "a") as stream:
                stream.write("x")
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, y)

class FatalOnce(KNeighborsClassifier):
    def fit(self, X, y):
        if first(X) and not Path("died").exists():
            Path("died").write_text("")
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, y)

class Quits(KNeighborsClassifier):
    def fit(self, X, y):
        if first(X):
            sys.exit(3)
        return super().fit(X, y)

class Chatty(KNeighborsClassifier):
    def fit(self, X, y):
        print("some words", flush=True)
        os.write(1, b"and some more")
        return super().fit(X, y)

class Sharing(KNeighborsClassifier):
    def fit(self, X, y):
        from svmosaic.utils.threads import resolve_threads
        with open("threads", "a") as stream:
            stream.write(f"{resolve_threads(-1)} ")
        return super().fit(X, y)

# On the first fold of iris it waits for one that is fitted on wine.
class Meeting(KNeighborsClassifier):
    def fit(self, X, y):
        if X.shape[1] == 13:
            Path("met").write_text("")
        deadline = time.monotonic() + 60
        while first(X) and not Path("met").exists():
            if time.monotonic() > deadline:
                raise TimeoutError("nobody came")
            time.sleep(0.01)
        return super().fit(X, y)

def first(X):
    mark = Path("first-fold")
    return mark.exists() and mark.read_text() == str(float(np.sum(X)))
"""

SPEC = """
[protocol]
outer = 3
scale = "none"
[[data]]
name = "sklearn-iris"
[[methods]]
name = "bad"
estimator = "bad.{name}"
[[methods]]
name = "good"
estimator = "sklearn.neighbors.KNeighborsClassifier"
"""


@pytest.fixture
def spec_of(tmp_path, monkeypatch):
    """Return the spec of a class in BAD, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "bad", raising=False)
    (tmp_path / "bad.py").write_text(BAD)

    def make(name):
        from sklearn.datasets import load_iris

        from svmosaic.experiments.cells import iter_cells

        (tmp_path / "spec.toml").write_text(SPEC.format(name=name))
        spec = read_spec("spec.toml")
        X, y = load_iris(return_X_y=True)
        cell = next(iter_cells(spec, spec.data[0], X, y))
        (tmp_path / "first-fold").write_text(str(float(X[cell.split.train].sum())))
        return spec

    yield make
    monkeypatch.delitem(sys.modules, "bad", raising=False)


def _is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_cell_past_its_limit_is_stopped_and_recorded(spec_of, tmp_path, n_jobs):
    begin = time.monotonic()

    summary = run_experiment(spec_of("Slow"), "out", n_jobs=n_jobs, time_limit=1.5)

    assert time.monotonic() - begin < 100
    assert (summary.n_done, summary.n_failed) == (6, 1)
    (failed,) = failed_cells("out")
    assert (failed.method, failed.fold) == ("bad", 0)
    assert "took longer than its limit of 1.5 s and was stopped" in failed.record["error"]
    assert failed.record["cell_seconds"] >= 1.5
    assert not _is_alive(int((tmp_path / "slow.pid").read_text()))
    # It is not run again unless asked for.
    assert run_experiment(spec_of("Slow"), "out", time_limit=1.5).n_done == 0


def test_the_limit_can_stand_in_the_spec(spec_of, tmp_path):
    spec_of("Slow")
    text = (tmp_path / "spec.toml").read_text()
    (tmp_path / "spec.toml").write_text(text.replace("outer = 3", "outer = 3\ntime_limit = 2.5"))

    summary = run_experiment(read_spec("spec.toml"), "out")

    assert summary.n_failed == 1
    assert "limit of 2.5 s" in failed_cells("out")[0].record["error"]


def test_cells_side_by_side_share_the_processors(spec_of, tmp_path):
    run_experiment(spec_of("Sharing"), "out", n_jobs=2)

    used = [int(number) for number in (tmp_path / "threads").read_text().split()]
    assert used == [max(1, available_threads() // 2)] * 3


def test_a_limit_that_is_not_reached_changes_nothing(spec_of):
    spec = spec_of("Chatty")
    run_experiment(spec, "one")
    run_experiment(spec, "two", time_limit=60)

    scores = [
        [(r["method"], r["fold"], r["accuracy"]) for r in read_results(f)] for f in ("one", "two")
    ]
    assert scores[0] == scores[1]


def test_a_killed_worker_is_a_failed_cell(spec_of, tmp_path):
    summary = run_experiment(spec_of("Fatal"), "out", n_jobs=2)

    assert (summary.n_done, summary.n_failed) == (6, 1)
    (failed,) = failed_cells("out")
    assert (failed.method, failed.fold) == ("bad", 0)
    assert "killed by signal 9 (SIGKILL), and again when it ran alone" in failed.record["error"]
    assert (tmp_path / "deaths").read_text() == "xx"


def test_one_that_dies_beside_others_gets_a_second_chance_alone(spec_of):
    summary = run_experiment(spec_of("FatalOnce"), "out", n_jobs=2)

    assert (summary.n_done, summary.n_failed) == (6, 0)


def test_a_single_worker_dies_once(spec_of, tmp_path):
    summary = run_experiment(spec_of("Fatal"), "out", time_limit=60)

    assert summary.n_failed == 1
    assert (tmp_path / "deaths").read_text() == "x"
    assert "again" not in failed_cells("out")[0].record["error"].partition(".")[0]


def test_a_worker_that_quits_is_a_failed_cell(spec_of):
    run_experiment(spec_of("Quits"), "out", n_jobs=2)

    assert "ended with exit code 3" in failed_cells("out")[0].record["error"]


def test_nobody_waits_for_the_last_cell_of_a_data_set(spec_of, tmp_path):
    spec_of("Meeting")
    text = (tmp_path / "spec.toml").read_text()
    wine = '[[data]]\nname = "sklearn-wine"\n[[methods]]'
    (tmp_path / "spec.toml").write_text(text.replace("[[methods]]", wine, 1))

    # One process waits on the first fold of iris until the other has come to wine.
    summary = run_experiment(read_spec("spec.toml"), "out", n_jobs=2)

    assert (summary.n_done, summary.n_failed) == (12, 0)


def test_a_backend_of_joblib_has_no_limit(spec_of):
    spec = spec_of("Chatty")

    with (
        joblib.parallel_config("threading", n_jobs=2),
        pytest.raises(ValueError, match="joblib backend ThreadingBackend has none"),
    ):
        run_experiment(spec, "out", time_limit=1.5)


def test_a_killed_run_leaves_no_workers_behind(spec_of, tmp_path):
    spec_of("Slow")
    program = "import sys; from svmosaic.cli.main import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "run", "spec.toml", "--cell-limit", "200"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    mark = tmp_path / "slow.pid"
    deadline = time.monotonic() + 60
    while not (mark.exists() and mark.read_text()) and time.monotonic() < deadline:
        time.sleep(0.1)

    process.send_signal(signal.SIGKILL)
    process.wait()

    pid = int(mark.read_text())
    deadline = time.monotonic() + 20
    while _is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not _is_alive(pid)


def test_ctrl_c_stops_the_workers(spec_of, tmp_path):
    spec_of("Slow")
    program = "import sys; from svmosaic.cli.main import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "run", "spec.toml", "--n-jobs", "2"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    mark = tmp_path / "slow.pid"
    deadline = time.monotonic() + 60
    while not (mark.exists() and mark.read_text()) and time.monotonic() < deadline:
        time.sleep(0.1)

    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)

    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert not _is_alive(int(mark.read_text()))
