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


@pytest.fixture
def fresh_installation(monkeypatch, tmp_path):
    """No data folder is named, none is beside the current folder, and nothing was fetched."""
    monkeypatch.delenv("SVMOSAIC_DATA", raising=False)
    monkeypatch.setenv("SVMOSAIC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("svmosaic.datasets.loading._REPOSITORY", tmp_path / "site" / "svmosaic")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


@pytest.fixture
def small_5_3(monkeypatch):
    """Table 5.3 on three data sets with two folds; the first two come with the package."""
    from svmosaic.reproduce import paper_spec

    file, text = paper_spec._files()["5.3"]
    all_data = text[text.index('data = ["iris"') :].splitlines()[0]
    for old, new in (
        (all_data, 'data = ["iris", "teach", "prokaryotic"]'),
        ("outer = 5\ninner = 5", "outer = 2\ninner = 2"),
        ("[0.0625, 0.25, 1, 4, 16, 64, 256, 1024]", "[1]"),
        ("[0.0009765625, 0.00390625, 0.015625, 0.0625, 0.25, 1, 4, 16]", "[1]"),
    ):
        assert old in text
        text = text.replace(old, new)
    monkeypatch.setattr(paper_spec, "_files", lambda: {"5.3": (file, text)})


def test_a_fresh_installation_has_data_for_the_readme(fresh_installation):
    from svmosaic.reproduce import find_table

    table = find_table("5.3")

    assert [data.name for data in table.experiment("quick").data] == [
        *("iris", "teach", "wine", "cancer", "sonar", "glass", "vote", "heart", "dermatology"),
    ]
    assert set(table.missing("quick").data) == {"prokaryotic", "eukaryotic"}
    for name in ("001-4.2", "001-4.3", "004-5.1", "6.2"):
        assert not find_table(name).missing("quick").data


def test_a_fresh_installation_runs_the_table_of_the_readme(
    svmosaic, fresh_installation, small_5_3, tmp_path
):
    outcome = svmosaic("reproduce", "5.3", "--quick")

    assert outcome.code == 0, outcome.err
    assert "failed             0" in outcome.out
    assert "1 data set left out, not available: prokaryotic" in outcome.err
    assert "with a network, --fetch downloads prokaryotic" in outcome.err
    page = (tmp_path / "work" / "reproduce-5.3-quick" / "5.3.md").read_text(encoding="utf-8")
    assert "| teach |" in page


def test_without_a_network_the_others_run_and_the_reason_is_told(
    svmosaic, fresh_installation, small_5_3, monkeypatch
):
    def unreachable(*args, **kwargs):
        raise OSError("Name or service not known")

    monkeypatch.setattr("urllib.request.urlopen", unreachable)

    outcome = svmosaic("reproduce", "5.3", "--quick", "--fetch")

    assert outcome.code == 0, outcome.err
    assert "Data set 'prokaryotic' could not be downloaded from https://raw." in outcome.err
    assert "(Name or service not known). Check the network and try again." in outcome.err
    assert "--fetch downloads" not in outcome.err
