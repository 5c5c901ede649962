"""Runs: nothing twice, nothing lost, nothing stale."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from quick_processes import start_process
from svmosaic.cli.main import main
from svmosaic.exceptions import DataFileError, DataNotFoundError
from svmosaic.experiments import (
    read_results,
    read_spec,
    result_table,
    run_experiment,
    write_results,
)
from svmosaic.experiments.journal import Journal, read_entries, read_journal
from svmosaic.experiments.results import failed_cells
from svmosaic.model_selection import nested_cv
from svmosaic.stats import compare, read_scores


def _change(folder, old, new):
    path = folder / "spec.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return read_spec(path)


def _scores(folder):
    keys = ("dataset", "method", "repeat", "fold", "accuracy", "f1_macro", "params")
    return [tuple(str(record[key]) for key in keys) for record in read_results(folder)]


def test_a_run_gives_one_record_per_cell(folder):
    summary = run_experiment(read_spec("spec.toml"), "out")

    records = read_results("out")
    assert (summary.n_cells, summary.n_before, summary.n_done, summary.n_failed) == (12, 0, 12, 0)
    assert len(records) == 12
    ours = records[0]
    assert (ours["dataset"], ours["method"], ours["repeat"], ours["fold"]) == (
        *("sklearn-iris", "ours"),
        *(0, 0),
    )
    assert ours["params"].keys() == {"C"}
    assert ours["n_candidates"] == 2
    assert ours["n_support"] > 0
    assert ours["cell_seconds"] >= ours["fit_seconds"] > 0
    assert ours["peak_mb"] is None or ours["peak_mb"] > 10


def test_scores_are_those_of_the_protocol(folder):
    from sklearn.datasets import load_iris
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler

    run_experiment(read_spec("spec.toml"), "out")
    model = make_pipeline(MinMaxScaler(), KNeighborsClassifier())

    expected = nested_cv(model, *load_iris(return_X_y=True), outer=3, scoring="accuracy")

    ours = [
        record["accuracy"]
        for record in read_results("out")
        if (record["dataset"], record["method"]) == ("sklearn-iris", "neighbours")
    ]
    np.testing.assert_array_equal(ours, expected.scores())


def test_gaps_in_a_file_are_refused_or_filled(folder):
    rows = (folder / "two.csv").read_text().splitlines()
    rows[7] = "," + rows[7].split(",", 1)[1]
    (folder / "two.csv").write_text("\n".join(rows) + "\n")
    words = r"two\.csv, line 8: column 'size' has no value\. Fill it in, or set impute"
    with pytest.raises(DataFileError, match=words):
        run_experiment(read_spec("spec.toml"), "out")

    for strategy in ("mean", "most_frequent"):
        spec = _change(folder, "outer = 3", f'outer = 3\nimpute = "{strategy}"')
        summary = run_experiment(spec, strategy)
        assert (summary.n_done, summary.n_failed) == (12, 0)
        _change(folder, f'\nimpute = "{strategy}"', "")

    rows[4] = "inf," + rows[4].split(",", 1)[1]
    (folder / "two.csv").write_text("\n".join(rows) + "\n")
    spec = _change(folder, "outer = 3", 'outer = 3\nimpute = "mean"')
    with pytest.raises(ValueError, match=r"two\.csv has an infinite value, in row 3 and feature 0"):
        run_experiment(spec, "infinite")


def test_a_second_run_does_nothing(folder):
    spec = read_spec("spec.toml")
    run_experiment(spec, "out")
    before = read_entries(folder / "out" / "journal.jsonl")

    summary = run_experiment(spec, "out")

    assert (summary.n_before, summary.n_done) == (12, 0)
    assert read_entries(folder / "out" / "journal.jsonl") == before


def test_workers_do_not_change_the_scores(folder):
    spec = read_spec("spec.toml")
    run_experiment(spec, "one")
    run_experiment(spec, "two", n_jobs=2)

    assert _scores("one") == _scores("two")


@pytest.mark.parametrize(
    ("old", "new", "n_new"),
    [
        ("outer = 3", "outer = 3\nrepeats = 2", 12),
        ("C = [1.0, 10.0]", "C = [1.0, 20.0]", 6),
        ("inner = 2", "inner = 3", 12),
        ("inner = 2", "inner = 2\nrandom_state = 1", 12),
        ("inner = 2", "inner = 2\nscale = 'standard'", 12),
        ('name = "small"', 'name = "renamed"', 0),
    ],
)
def test_what_changes_is_run_again_and_nothing_else(folder, old, new, n_new):
    run_experiment(read_spec("spec.toml"), "out")

    summary = run_experiment(_change(folder, old, new), "out")

    assert summary.n_done == n_new


def test_changed_data_are_run_again(folder):
    run_experiment(read_spec("spec.toml"), "out")
    path = folder / "two.csv"
    path.write_text(path.read_text().replace("6,4,yes", "6.5,4,yes", 1))

    summary = run_experiment(read_spec("spec.toml"), "out")

    assert (summary.n_before, summary.n_done) == (6, 6)
    assert len(read_results("out")) == 12


def test_changed_code_is_run_again(folder, monkeypatch):
    run_experiment(read_spec("spec.toml"), "out")
    monkeypatch.setattr("svmosaic.experiments.cells.method_code_version", lambda *_: "another")

    assert run_experiment(read_spec("spec.toml"), "out").n_done == 12


def test_a_method_that_is_left_out_leaves_the_results(folder):
    run_experiment(read_spec("spec.toml"), "out")
    text = (folder / "spec.toml").read_text()
    (folder / "spec.toml").write_text(text[: text.rindex("[[methods]]")])

    summary = run_experiment(read_spec("spec.toml"), "out")

    assert summary.n_done == 0
    assert {record["method"] for record in read_results("out")} == {"ours"}


def test_a_method_can_leave_out_a_data_set(folder):
    spec = _change(folder, 'name = "ours"', 'name = "ours"\nnot_on = ["two"]')

    run_experiment(spec, "out")

    pairs = {(record["dataset"], record["method"]) for record in read_results("out")}
    assert ("two", "ours") not in pairs
    assert len(pairs) == 3


def test_a_failing_cell_is_recorded_and_the_others_go_on(folder):
    spec = _change(
        folder,
        '"sklearn.neighbors.KNeighborsClassifier"',
        '"sklearn.neighbors.KNeighborsClassifier"\nparams = { n_neighbors = 50 }',
    )

    summary = run_experiment(spec, "out")

    # The 40 training rows of the file are too few to predict; the 100 of iris are enough.
    assert (summary.n_done, summary.n_failed) == (12, 3)
    (failed, *_) = failed_cells("out")
    assert (failed.dataset, failed.method) == ("two", "neighbours")
    assert "n_neighbors" in failed.record["error"]
    assert "Traceback" in failed.record["traceback"]
    with pytest.raises(ValueError, match="score of 'neighbours' on 'two' is missing"):
        result_table("out", "accuracy")
    assert run_experiment(spec, "out").n_done == 0
    assert run_experiment(spec, "out", retry_failed=True).n_done == 3


def test_shards_share_the_work(folder):
    spec = read_spec("spec.toml")
    run_experiment(spec, "whole")

    done = [run_experiment(spec, "out", shard=(i, 3)).n_done for i in (1, 2, 3)]

    assert sum(done) == 12
    assert max(done) < 12
    assert sorted(_scores("out")) == sorted(_scores("whole"))
    with pytest.raises(ValueError, match="Got 4 of 3"):
        run_experiment(spec, "out", shard=(4, 3))


def test_progress_is_reported_with_an_estimate(folder):
    seen = []

    run_experiment(read_spec("spec.toml"), "out", progress=seen.append)

    assert [progress.done for progress in seen] == list(range(1, 13))
    assert all(progress.total == 12 for progress in seen)
    assert seen[-1].remaining_seconds == 0


def test_results_go_on_to_the_statistics(folder):
    run_experiment(read_spec("spec.toml"), "out")

    files = write_results("out", ["accuracy"])

    assert [path.name for path in files] == ["results.csv", "scores-accuracy.csv"]
    np.testing.assert_array_equal(
        read_scores(files[1]).scores, result_table("out", "accuracy").scores
    )
    assert compare(result_table("out", "accuracy")).table.methods == ("ours", "neighbours")


def test_a_method_that_tunes_itself_tells_what_it_chose(folder):
    spec = _change(
        folder,
        'estimator = "OLLAWVClassifier"\ngrid = { C = [1.0, 10.0] }',
        'estimator = "OLLAWVClassifierCV"\ntunes_itself = true\nparams = { Cs = [1, 10] }',
    )

    run_experiment(spec, "out")

    ours = read_results("out")[0]
    assert ours["params"].keys() == {"gamma", "margin", "C"}
    assert ours["n_candidates"] == 16
    assert 0 < ours["inner_score"] <= 1
    assert ours["n_support"] > 0
    assert ours["n_iter"] > 0


def test_warnings_of_a_cell_are_kept(folder):
    spec = _change(folder, "grid = { C = [1.0, 10.0] }", "params = { kernel = 'sigmoid' }")
    run_experiment(spec, "out")

    assert all(isinstance(record["warnings"], list) for record in read_results("out"))


@pytest.mark.parametrize("kind", ["monte-carlo", "holdout"])
def test_the_other_protocols(folder, kind):
    spec = _change(folder, "outer = 3", f"kind = '{kind}'\nn_splits = 2\ntest_size = 0.3")

    summary = run_experiment(spec, "out")

    assert summary.n_failed == 0
    assert summary.n_cells == (8 if kind == "monte-carlo" else 4)
    assert all(record["inner_score"] is not None for record in read_results("out")[:1])


# Journals -----------------------------------------------------------------------------------


def test_a_second_process_on_the_same_journal_is_refused(folder):
    spec = read_spec("spec.toml")
    (folder / "out").mkdir()
    with Journal(folder / "out" / "journal.jsonl"):
        with pytest.raises(BlockingIOError, match="Another process is running the experiment"):
            run_experiment(spec, "out")
        # Another shard has a journal of its own.
        assert run_experiment(spec, "out", shard=(1, 2)).n_done > 0

    assert run_experiment(spec, "out").n_done == 12


def test_a_folder_without_a_journal_is_told(folder):
    with pytest.raises(DataNotFoundError, match="no journal of an experiment in 'nowhere'"):
        read_results("nowhere")


_FULL_DISK = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from svmosaic.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
sys.exit(main(["run", "spec.toml", "--out", "out"]))
"""


def test_a_full_disk_is_one_sentence_and_the_journal_stays_whole(folder):
    _change(folder, "outer = 3", "outer = 3\nrepeats = 4")

    done = subprocess.run(
        [sys.executable, "-c", _FULL_DISK], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1, done.stderr
    # A slow computer may show progress before.
    *progress, error = done.stderr.splitlines()
    assert error.startswith("svmosaic: error: The journal 'out/journal.jsonl' cannot be written")
    assert error.endswith("What was finished before is kept.")
    assert all("s left" in line for line in progress)
    _check_integrity(folder / "out" / "journal.jsonl")
    kept = len(read_entries(folder / "out" / "journal.jsonl"))
    summary = run_experiment(read_spec("spec.toml"), "out")
    assert summary.n_before == kept
    assert 0 < kept < summary.n_cells == 48


def _check_integrity(path):
    content = read_journal(path)
    assert not content.damaged
    assert not content.unknown


def _kill_and_resume(folder, n_kills, seed, longest=0.2):
    """Kill a run at random moments; nothing finished may be lost or done twice.

    It is killed up to `longest` seconds after it has finished a cell.

    Returns how often a living run was killed, and how many cells were kept in the end.
    """
    rng = random.Random(seed)
    command = ["run", str(folder / "spec.toml"), "--out", str(folder / "out"), "--n-jobs", "1"]
    path = folder / "out" / "journal.jsonl"
    kept = {}
    n_killed = 0
    for _ in range(n_kills):
        process = start_process(main, command)
        # Wait until it works, then for a moment more.
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.is_alive():
            if path.exists() and _n_finished(path) > len(kept):
                break
            time.sleep(0.02)
        time.sleep(rng.uniform(0, longest))
        process.kill()
        process.join()
        n_killed += process.exitcode == -signal.SIGKILL
        _check_integrity(path)
        now = {entry.key: entry for entry in read_entries(path)}
        assert all(now[key] == entry for key, entry in kept.items())
        kept = now
    final = run_experiment(read_spec("spec.toml"), "out")
    assert final.n_before == len(kept)
    after = {entry.key: entry for entry in read_entries(path)}
    assert all(after[key] == entry for key, entry in kept.items())
    return n_killed, len(kept)


def _n_finished(path):
    return len(read_journal(path).entries)


def test_killed_runs_go_on(folder):
    _change(folder, "outer = 3", "outer = 3\nrepeats = 5")

    n_killed, kept = _kill_and_resume(folder, n_kills=3, seed=0)

    assert n_killed >= 1
    assert 0 < kept <= 60
    run_experiment(read_spec("spec.toml"), "undisturbed")
    assert _scores("out") == _scores("undisturbed")


@pytest.mark.slow
def test_two_hundred_kills_lose_nothing(folder):
    _change(folder, "outer = 3", "outer = 5\nrepeats = 25")

    n_killed, _ = _kill_and_resume(folder, n_kills=200, seed=1, longest=0.01)

    assert n_killed == 200
    run_experiment(read_spec("spec.toml"), "undisturbed")
    assert len(_scores("out")) == 500
    assert _scores("out") == _scores("undisturbed")
