"""``svmosaic report``: a page of a run, and the page at the end of ``svmosaic run``."""

from __future__ import annotations

import pytest

from journals import write_run

_SCORES = [[[0.9, 0.8], [0.7, 0.8]], [[0.7, 0.6], [0.6, 0.6]]]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("svmosaic.plots.style.to_svg", lambda ax: b"<svg/>")
    return write_run(tmp_path / "trial.run", _SCORES)


def test_a_report_is_written_and_told(svmosaic, folder):
    outcome = svmosaic("report", "trial.run", "--control", "method 1")

    assert outcome.code == 0, outcome.err
    assert "cells finished     8" in outcome.out
    assert "trial.run/report.html" in outcome.out
    page = (folder / "report.html").read_text()
    assert "Comparison of method 1 with the others" in page
    assert (folder / "tables" / "accuracy.tex").exists()


def test_names_cannot_lead_out_of_the_folder(svmosaic, tmp_path, monkeypatch):
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    table = "a,b,class\n" + "".join(f"{i % 7},{i % 5},{'yn'[i % 2]}\n" for i in range(40))
    (inside / "table.csv").write_text(table)
    (inside / "spec.toml").write_text(
        """name = "../../name"
        [protocol]
        outer = 2
        [[data]]
        name = "../../data"
        path = "table.csv"
        [[methods]]
        name = "../../one"
        estimator = "sklearn.naive_bayes.GaussianNB"
        [[methods]]
        name = "/two"
        estimator = "sklearn.dummy.DummyClassifier"
        """
    )

    outcome = svmosaic("run", "spec.toml", "--out", "out")
    assert outcome.code == 0, outcome.err
    assert svmosaic("report", "out").code == 0

    assert [path.name for path in tmp_path.iterdir()] == ["inside"]
    assert {path.name for path in inside.iterdir()} == {"table.csv", "spec.toml", "out"}


def test_a_report_goes_where_it_is_asked_to(svmosaic, folder):
    assert svmosaic("report", "trial.run", "--out", "new").code == 0
    assert svmosaic("report", "trial.run", "--out", "page.html", "--alpha", "0.1").code == 0

    assert (folder.parent / "new" / "report.html").exists()
    assert "at the level 0.1" in (folder.parent / "page.html").read_text()
    assert not (folder / "report.html").exists()


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (["nowhere"], 1, "There is no folder 'nowhere'. Name the folder that 'svmosaic run'"),
        (["."], 1, "There is no journal of an experiment in '.'"),
        (["trial.run/journal.jsonl"], 1, "is not a folder"),
        (["trial.run", "--control", "x"], 1, "Its methods are: method 0, method 1; 'best' takes"),
        (["trial.run", "--out", "trial.run/journal.jsonl"], 1, "a file that ends in .html"),
        (["trial.run", "--out", "no/where/page.html"], 0, ""),
        (["trial.run", "--alpha", "2"], 2, "expected a number between 0 and 1, got '2'"),
        (["trial.run", "--contrl", "x"], 2, "Did you mean --control?"),
    ],
)
def test_bad_requests_are_one_line(svmosaic, folder, words, code, part):
    outcome = svmosaic("report", *words)

    assert outcome.code == code, outcome.err
    assert part in outcome.err
    assert outcome.err.count("\n") == (code > 0)


_SPEC = """
[protocol]
outer = 2
[[data]]
name = "sklearn-iris"
[[methods]]
estimator = "OLLAWVClassifierCV"
params = { gammas = [0.1, 1.0], Cs = [0.1, 1.0], cv = 2 }
[[methods]]
estimator = "sklearn.neighbors.KNeighborsClassifier"
grid = { n_neighbors = [1, 3] }
"""


def test_a_run_ends_with_its_page(svmosaic, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spec.toml").write_text(_SPEC)

    outcome = svmosaic("run", "spec.toml")

    assert outcome.code == 0, outcome.err
    assert "report             spec.run/report.html" in outcome.out
    page = (tmp_path / "spec.run" / "report.html").read_text()
    assert "Scores of OLLAWVClassifierCV on sklearn-iris over gamma and C" in page
    assert "Scores of KNeighborsClassifier on sklearn-iris against n_neighbors" in page
    assert '<td class="number">150</td>' in page
    assert "search_scores" not in (tmp_path / "spec.run" / "results.csv").read_text()


def test_a_report_that_fails_does_not_lose_the_run(svmosaic, tmp_path, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("no paper")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("svmosaic.reports.write_report", fail)
    (tmp_path / "spec.toml").write_text(_SPEC)

    outcome = svmosaic("run", "spec.toml")

    assert outcome.code == 0
    assert "the report was not written: RuntimeError: no paper; 'svmosaic report spec.run'" in (
        outcome.err
    )
    assert (tmp_path / "spec.run" / "results.csv").exists()
