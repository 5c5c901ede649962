"""Results show their main table, and estimators link to their page."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.naive_bayes import GaussianNB

import svmosaic
from journals import write_run
from svmosaic import OLLAWVClassifier
from svmosaic.experiments.results import Cells, read_cells
from svmosaic.stats import compare, score_table
from svmosaic.streams import SEA, prequential
from svmosaic.utils.estimator import documentation_page
from svmosaic.utils.shown_table import ShownTable

_DOCS = Path(__file__).parents[2] / "docs"


def test_a_table_is_text_and_html():
    table = ShownTable("two <b>", ["name", "n"], [["a", "1"], ["long & wide", "200"]], "a note")

    assert table.text() == "two <b>\nname           n\na              1\nlong & wide  200\na note"
    assert "<caption>two &lt;b&gt;</caption>" in table.html()
    assert "long &amp; wide" in table.html()


def test_a_long_table_is_cut_and_says_so():
    table = ShownTable("t", [f"c{j}" for j in range(12)], [["x"] * 12] * 30, "note").cut()

    assert (len(table.header), len(table.rows)) == (9, 20)
    assert table.note == "10 more rows and 3 more columns; note"


def test_a_comparison_shows_its_methods():
    scores = {"a": [0.9, 0.8, 0.7, 0.95], "b": [0.8, 0.7, 0.6, 0.85], "c": [0.7, 0.75, 0.5, 0.8]}

    pairs, control = compare(scores, measure="accuracy"), compare(scores, control="a")

    lines = repr(pairs).splitlines()
    assert lines[0] == "3 methods on 4 data sets by accuracy"
    assert lines[1].split() == ["method", "average", "rank", "mean", "accuracy", "times", "best"]
    assert lines[2].split() == ["a", "1.00", "0.8375", "4"]
    assert "critical difference" in lines[-1]
    assert "p against a" in repr(control)
    assert repr(control).splitlines()[2].endswith("control")
    assert "<table>" in control._repr_html_()


def test_scores_are_shown_whole():
    shown = repr(score_table({"a": [0.5, 1.0], "b": [0.25, 0.125]}, datasets=["x", "y"]))

    assert shown.splitlines()[2:] == ["x         0.5   0.25", "y           1  0.125"]


def test_a_stream_shows_its_learners():
    result = prequential({"bayes": GaussianNB()}, SEA(seed=1), n_samples=2000)

    title, header, row, *baselines = repr(result).splitlines()
    assert title == "1 learners on 2000 samples"
    assert header.split()[:3] == ["learner", "kappa_t", "accuracy"]
    assert row.split()[0] == "bayes"
    assert float(row.split()[2]) == pytest.approx(result.summary()[0]["accuracy"], abs=1e-4)
    assert [line.split()[0] for line in baselines[:2]] == ["no-change", "majority"]


def test_cells_of_a_run_show_their_first_score(tmp_path):
    folder = write_run(tmp_path / "run", [[[0.9, 0.7], [0.5, 0.5]], [[0.8, 0.8], [0.6, None]]])

    lines = repr(read_cells(folder)).splitlines()

    assert lines[0].endswith("1 failed")
    assert "0.8" in lines[2]
    assert lines[-1].startswith("means of ")
    assert repr(Cells([], [], [])).startswith("0 cells finished")


# Links ---------------------------------------------------------------------------------------


def _public_estimators():
    for module in pkgutil.walk_packages(svmosaic.__path__, "svmosaic."):
        if module.name.startswith(("svmosaic.engine", "svmosaic.dask", "svmosaic.utils")):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if (
                inspect.isclass(value)
                and issubclass(value, BaseEstimator)
                and value.__module__ == module.name
                and not name.startswith("_")
            ):
                yield value


def test_every_estimator_has_a_page():
    # Bases and what is inside others are on no page.
    unnamed = {"svmosaic.reproduce.competitors", "svmosaic.multi_instance.instance_scorer"}
    estimators = [e for e in _public_estimators() if not inspect.isabstract(e)]

    assert len(estimators) > 40
    for estimator in estimators:
        page = _DOCS / f"{documentation_page(estimator.__module__)}.md"
        assert page.exists(), estimator
        is_public = "Examples\n" in (estimator.__doc__ or "")
        if is_public and not estimator.__module__.startswith(tuple(unnamed)):
            assert estimator.__name__ in page.read_text(), estimator


def test_html_links_to_the_documentation(monkeypatch):
    monkeypatch.setenv("SVMOSAIC_DOCS", "https://docs.example.org/svmosaic/{page}.html")
    link = "https://docs.example.org/svmosaic/ollawv.html"

    assert link in OLLAWVClassifier()._repr_html_()
    assert OLLAWVClassifier()._get_doc_link() == link
    monkeypatch.setenv("SVMOSAIC_DOCS", "https://example.org/docs/")
    assert OLLAWVClassifier()._get_doc_link() == "https://example.org/docs/ollawv.md"


def test_classes_of_users_have_no_link(monkeypatch):
    monkeypatch.setenv("SVMOSAIC_DOCS", "https://example.org/docs")

    class Mine(OLLAWVClassifier):
        pass

    assert Mine()._get_doc_link() == ""
    assert np.isscalar(Mine().C)
