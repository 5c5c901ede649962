"""The page of a prequential run."""

from __future__ import annotations

import sys

import pytest
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB

from svmosaic.reports import render, stream_report, write_stream_report
from svmosaic.streams import PrequentialResult, prequential, stream

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def result():
    return prequential(
        {EVIL: GaussianNB(), "SGD": SGDClassifier(random_state=0)},
        stream("SEASuddenAN0", n_samples=8000),
        metrics=("accuracy", "kappa"),
    )


@pytest.fixture(autouse=True)
def _outlines(monkeypatch):
    """Figures are made but not painted, which takes most of the time."""
    monkeypatch.setattr("svmosaic.plots.style.to_svg", lambda ax: b"<svg/>")


def test_the_page_has_the_end_the_curves_the_costs_and_what_was_run(result):
    document = stream_report(result, "SEA", facts=[("chunk", "1000")])

    titles = [section.title for section in document.sections]
    assert titles == ["At the end", "accuracy", "kappa", "Time and size", "What was run"]
    assert "The concept changes at sample 2,000, 4,000, 6,000." in document.summary
    assert dict(document.facts)["samples"] == "8,000"
    assert all(section.figures for section in document.sections[1:3])


def test_the_best_of_each_measure_is_bold(result):
    (table,) = stream_report(result, "SEA").sections[0].tables

    last = result.last()
    best = max(last, key=lambda name: last[name]["accuracy"])
    assert [row[0] for row in table.rows if row[1].bold] == [best]
    assert table.rows[0][1].text == f"{last[EVIL]['accuracy']:.4f}"
    assert table.rows[0][1].note == f"{last[EVIL]['window_accuracy']:.4f}"


def test_the_numbers_along_the_stream_end_with_the_last_chunk(result):
    (details,) = stream_report(result, "SEA").sections[1].details
    (table,) = details.tables

    assert [row[0] for row in table.rows][-1] == "8,000"
    assert table.rows[-1][1] == f"{result.last()[EVIL]['window_accuracy']:.4f}"


def test_names_are_escaped_and_nothing_is_loaded(result):
    page = render(stream_report(result, EVIL))

    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")


def test_it_is_written_whole(result, tmp_path):
    write_stream_report(result, "SEA", tmp_path / "page.html")

    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_without_matplotlib_the_page_says_so(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)

    document = stream_report(result, "SEA")

    assert "This page has no figures. The package 'matplotlib' is needed" in document.summary


def test_a_run_without_a_chunk_is_refused():
    with pytest.raises(ValueError, match="at least one chunk"):
        stream_report(PrequentialResult([]), "SEA")
