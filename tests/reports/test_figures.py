"""The figures of a report, painted."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from journals import write_run
from svmosaic.reports import experiment_report
from svmosaic.reports.figures import Studio


def test_every_figure_is_drawn(plain_run):
    sections = experiment_report(plain_run).document.sections

    figures = [figure for section in sections for figure in section.figures]
    hidden = [f for section in sections for details in section.details for f in details.figures]
    # A diagram for each of five measures, and growth with n for three of them; on each of three
    # data sets a map and a curve.
    assert (len(figures), len(hidden)) == (8, 6)
    assert all(ElementTree.fromstring(f.data).tag.endswith("svg") for f in figures + hidden)


def test_names_are_not_taken_for_mathematics(tmp_path):
    names = ["$\\nothing{$", "_hidden", "\u6587 \U0001f600"]
    folder = write_run(tmp_path / "run", [[[0.9], [0.8], [0.7]], [[0.6]] * 3], methods=names)

    sections = experiment_report(folder).document.sections

    (failures,) = [s for s in sections if s.title == "Failures and warnings"]
    assert "could not be drawn" not in failures.text


def test_a_studio_without_its_package_stays_silent(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    studio = Studio()

    def make():
        from svmosaic.plots import new_axes

        return new_axes()

    assert studio.draw(make, "first") == studio.draw(make, "second") == []
    assert "pip install" in studio.missing
    assert studio.failures == []
