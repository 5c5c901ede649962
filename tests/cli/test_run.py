"""``svmosaic run``: an experiment from a file, stopped and taken up again."""

from __future__ import annotations

import json
import signal
import sys
import time

import pytest

from svmosaic.experiments.journal import read_entries

SPEC = """
[protocol]
outer = 3
[[data]]
name = "sklearn-iris"
[[data]]
name = "sklearn-wine"
[[methods]]
name = "ours"
estimator = "OLLAWVClassifier"
[[methods]]
name = "neighbours"
estimator = "sklearn.neighbors.KNeighborsClassifier"
params = { n_neighbors = 3 }
"""


@pytest.fixture
def spec(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "spec.toml"
    path.write_text(SPEC)
    return path


def test_a_run_shows_scores_and_statistics_and_goes_on(svmosaic, spec):
    first, second = svmosaic("run", spec), svmosaic("run", spec)

    assert first.code == 0, first.err
    assert "finished now       12" in first.out
    assert "finished before    12" in second.out
    assert "accuracy      " in first.out
    assert "2 methods were compared on 2 data sets by accuracy" in first.out
    assert {path.name for path in (spec.parent / "spec.run").iterdir()} >= {
        *("journal.jsonl", "results.csv", "scores-accuracy.csv"),
    }
    scores = svmosaic("stats", "spec.run/scores-accuracy.csv")
    assert scores.code == 0, scores.err


def test_results_of_another_run_are_taken_over(svmosaic, spec):
    assert svmosaic("run", spec, "--out", "first").code == 0

    second = svmosaic("run", spec, "--out", "second", "--reuse", "first/results.csv")
    third = svmosaic("run", spec, "--out", "third", "--reuse", "first/result.csv")

    assert second.code == 0, second.err
    assert "reused             12" in second.out
    assert "finished now       0" in second.out
    page = (spec.parent / "second" / "report.html").read_text()
    assert "12 of 12 cells were taken from results.csv: computed 20" in page
    assert third.code == 1
    assert third.err == (
        "svmosaic: error: There is no file 'first/result.csv'. Name the results.csv of a run.\n"
    )


def test_statistics_from_the_folds(svmosaic, spec):
    assert svmosaic("run", spec).code == 0
    by_table = svmosaic("stats", "spec.run/scores-accuracy.csv", "--measure", "accuracy")

    for source in ("spec.run/results.csv", "spec.run"):
        by_folds = svmosaic("stats", source, "--score", "accuracy")
        assert by_folds.code == 0, by_folds.err
        assert by_folds.out == by_table.out

    for words, part in (
        (["spec.run/results.csv"], "has a line per fold. Name the column to compare"),
        (["spec.run/results.csv", "--score", "acuracy"], "have no score 'acuracy'. They have acc"),
        (["spec.run", "--score", "accuracy", "--skip", "no"], "no data set or method 'no' to skip"),
        (["spec.runs", "--score", "accuracy"], "There is no journal of an experiment in"),
    ):
        outcome = svmosaic("stats", *words)
        assert outcome.code == 1
        assert part in outcome.err
        assert outcome.err.count("\n") == 1


def test_damage_of_the_journal_is_named_and_run_again(svmosaic, spec):
    svmosaic("run", spec)
    path = spec.parent / "spec.run" / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[4] = lines[4].replace(b'"accuracy": ', b'"accuracy": 1', 1)
    path.write_bytes(b"".join(lines))
    _, _, cell = json.loads(lines[4])
    name = f"{cell['method']} on {cell['dataset']}, repeat {cell['repeat']}, fold {cell['fold']}"

    stats = svmosaic("stats", "spec.run", "--score", "accuracy")
    report = svmosaic("report", "spec.run")
    again = svmosaic("run", spec)
    after = svmosaic("report", "spec.run")

    assert (stats.code, report.code, again.code) == (1, 0, 0)
    for outcome in (stats, report, again):
        assert f"warning: 1 damaged record in the journal: {name} (" in outcome.err
    assert "finished before    11" in again.out
    assert "finished now       1\n" in again.out
    assert after.err == ""


def test_failures_are_told(svmosaic, spec):
    spec.write_text(SPEC.replace("n_neighbors = 3", "n_neighbors = 110"))

    outcome = svmosaic("run", spec, "--out", "out")

    assert outcome.code == 0
    assert "failed now         3" in outcome.out
    assert "failed: neighbours on sklearn-iris, repeat 0, fold 0: ValueError" in outcome.err
    assert "3 cells failed in all" in outcome.err
    assert "too few complete data sets" in outcome.err


def test_shards(svmosaic, spec):
    outcomes = [svmosaic("run", spec, "--out", "out", "--shard", f"{i}/2") for i in (1, 2)]

    assert [outcome.code for outcome in outcomes] == [0, 0]
    assert len((spec.parent / "out" / "results.csv").read_text().splitlines()) == 13


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (["--shard", "3/2"], 2, "expected a share such as 3/8, got '3/2'"),
        (["--shard", "half"], 2, "expected a share such as 3/8"),
        (["--out", "spec.toml"], 1, "'spec.toml' is not a folder"),
    ],
)
def test_bad_requests_are_one_line(svmosaic, spec, words, code, part):
    outcome = svmosaic("run", spec, *words)

    assert outcome.code == code
    assert part in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_bad_spec_is_one_line(svmosaic, spec):
    spec.write_text(SPEC.replace("outer", "outr"))

    outcome = svmosaic("run", spec)

    assert outcome.code == 1
    assert outcome.err == (
        "svmosaic: error: spec.toml, [protocol]: there is no entry 'outr'. Did you mean 'outer'?\n"
    )
    assert svmosaic("run", "nothing.toml").code == 1


def test_ctrl_c_keeps_what_is_finished(start, spec):
    spec.write_text(SPEC.replace("outer = 3", "outer = 5\nrepeats = 50"))
    process = start("run", spec, "--out", "out")
    journal = spec.parent / "out" / "journal.jsonl"
    while not (journal.exists() and read_entries(journal)):
        assert process.poll() is None
        time.sleep(0.01)

    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)

    assert process.returncode == 130
    assert "finished cells are kept; the same command resumes with the others" in err
    assert "Traceback" not in err
    assert 0 < len(read_entries(journal)) < 1000


OWN = """
[protocol]
outer = 2
[[data]]
name = "sklearn-iris"
[[methods]]
name = "mine"
estimator = "beside_the_spec.Mine"
"""


def test_a_module_beside_the_spec_is_found(svmosaic, tmp_path, monkeypatch):
    folder = tmp_path / "study"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(sys.path))
    monkeypatch.delitem(sys.modules, "beside_the_spec", raising=False)
    (folder / "spec.toml").write_text(OWN)
    module = folder / "beside_the_spec.py"
    module.write_text("from sklearn.neighbors import KNeighborsClassifier as Mine\n")

    outcome = svmosaic("run", "study/spec.toml", "--out", tmp_path / "out")

    assert outcome.code == 0, outcome.err
    assert "finished now       2" in outcome.out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import numpy\nnumpy.no_such_name\n", "AttributeError: module 'numpy' has no attribute"),
        ("import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("class Mine\n", "SyntaxError"),
        ("", "there is no estimator 'beside_the_spec.Mine'"),
    ],
)
def test_an_error_in_a_module_beside_the_spec_is_shown(
    svmosaic, tmp_path, monkeypatch, text, message
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(sys.path))
    monkeypatch.delitem(sys.modules, "beside_the_spec", raising=False)
    (tmp_path / "spec.toml").write_text(OWN)
    (tmp_path / "beside_the_spec.py").write_text(text)

    outcome = svmosaic("run", "spec.toml")
    sys.modules.pop("beside_the_spec", None)

    assert outcome.code == 1
    assert message in outcome.err
    if text:
        assert "(beside_the_spec.py, line" in outcome.err
