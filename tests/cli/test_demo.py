"""The demo, on small data."""

from __future__ import annotations

import csv

import numpy as np

from svmosaic.cli.demo_runs import bayes_decision, draw_gaussians


def test_the_demo_writes_a_report_and_its_numbers(svmosaic, tmp_path):
    outcome = svmosaic("demo", "--quick", "--out", tmp_path / "demo")

    assert outcome.code == 0
    assert outcome.out.rstrip().endswith(f"Report: {tmp_path / 'demo' / 'report.html'}")
    page = (tmp_path / "demo" / "report.html").read_text()
    assert page.count("data:image/svg+xml;base64,") == 5
    with (tmp_path / "demo" / "results.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert {row["data"] for row in rows} == {"iris", "wine", "generated"}
    by_method = {row["method"]: row for row in rows if row["data"] == "wine"}
    assert len(by_method) == 5
    # The exact SVM solves the problem that SVC solves.
    assert by_method["OLLAWV full"]["accuracy"] == by_method["SVC"]["accuracy"]
    assert float(by_method["SVC"]["fit_speedup"]) == 1.0


def test_the_bayes_decision_is_right_more_often_than_not():
    X, y = draw_gaussians(2000)

    right = np.mean((bayes_decision(X) > 0) == y)

    # The two normal densities overlap by about six hundredths.
    assert 0.92 < right < 0.96
