"""``svmosaic reproduce``: lists, runs, tells."""

from __future__ import annotations

import pytest


def test_the_list_has_every_table(svmosaic):
    outcome = svmosaic("reproduce", "list")

    assert outcome.code == 0, outcome.err
    for name in ("5.3", "5.5", "002-2-3", "004-5.1", "fig-5.2", "fig-5.6", "fig-5.7"):
        assert any(line.startswith(f"{name} ") for line in outcome.out.splitlines())
    assert "data available" in outcome.out
    assert "quick" in outcome.out


def test_a_table_is_run_and_shown(svmosaic, tmp_path, monkeypatch):
    from svmosaic.reproduce import paper_spec

    file, text = paper_spec._files()["004-5.1"]
    files = {"004-5.1": (file, text.replace("n_splits = 20", "n_splits = 3"))}
    monkeypatch.setattr(paper_spec, "_files", lambda: files)

    outcome = svmosaic("reproduce", "004-5.1", "--quick", "--out", tmp_path / "out")

    assert outcome.code == 0, outcome.err
    assert "cells              24, of them 0 finished before" in outcome.out
    assert "paper's rank" in outcome.out
    assert "median difference to C-SVC over 3 paired splits" in outcome.out
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {
        *("004-5.1.md", "comparison.csv", "journal.jsonl"),
    }


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (["5.33"], 1, "There is no table or figure '5.33'. Did you mean '5.3'?"),
        (["5.3", "--quick", "--large"], 2, "not allowed with argument"),
        (["5.3", "--cell-limit", "no"], 2, "expected a positive number of seconds, got 'no'"),
        (["004-5.1", "--large"], 1, "004-5.1 has no size 'large'; it has full, quick."),
    ],
)
def test_bad_requests_are_one_line(svmosaic, words, code, part):
    outcome = svmosaic("reproduce", *words)

    assert outcome.code == code
    assert part in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_fresh_installation_has_data_for_the_readme(monkeypatch, tmp_path):
    from svmosaic.reproduce import find_table

    monkeypatch.setenv("SVMOSAIC_DATA", str(tmp_path))
    monkeypatch.setenv("SVMOSAIC_CACHE", str(tmp_path))

    experiment = find_table("5.3").experiment("quick")

    assert [data.name for data in experiment.data] == ["iris", "wine"]
