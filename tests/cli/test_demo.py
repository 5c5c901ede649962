"""The demo, on small data."""

from __future__ import annotations

import csv

import numpy as np

from svmosaic.demo.bags import draw_bags
from svmosaic.demo.boundary import bayes_decision, draw_gaussians
from svmosaic.demo.targets import draw_targets, relative_error


def test_the_demo_writes_a_report_and_its_numbers(svmosaic, tmp_path):
    outcome = svmosaic("demo", "--quick", "--out", tmp_path / "demo")

    assert outcome.code == 0
    assert outcome.out.rstrip().endswith(f"Report: {tmp_path / 'demo' / 'report.html'}")
    # A sentence for each chapter, then the table.
    sentences, _, rest = outcome.out.partition("\n\n")
    assert len(sentences.splitlines()) == 6
    assert rest.startswith("data  method")
    page = (tmp_path / "demo" / "report.html").read_text()
    assert page.count("data:image/svg+xml;base64,") == 7
    for title in ("faster", "Several targets", "Bags of instances", "drift", "Which method"):
        assert title in page
    assert "Friedman" in page
    with (tmp_path / "demo" / "results.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    by_method = {row["method"]: row for row in rows}
    assert list(by_method) == ["svmosaic", "SVC", "svmosaic tuned", "SVC tuned"]
    # The exact SVM solves the problem that SVC solves.
    assert by_method["svmosaic"]["accuracy"] == by_method["SVC"]["accuracy"]
    assert float(by_method["SVC"]["fit_speedup"]) == 1.0


def test_the_bayes_decision_is_right_more_often_than_not():
    X, y = draw_gaussians(2000)

    right = np.mean((bayes_decision(X) > 0) == y)

    # The two normal densities overlap by about six hundredths.
    assert 0.92 < right < 0.96


def test_targets_depend_on_each_other():
    _, Y = draw_targets(500, seed=1)

    assert np.corrcoef(Y[:, 2], Y[:, 0] * Y[:, 1])[0, 1] > 0.98
    assert relative_error(Y, np.tile(Y.mean(axis=0), (500, 1)), Y.mean(axis=0)) == 1.0
    assert relative_error(Y, Y, Y.mean(axis=0)) == 0.0


def test_the_deciding_instance_of_a_positive_bag_is_far_from_the_others():
    bags, labels, witnesses = draw_bags(40, seed=2)

    for bag, label, witness in zip(bags, labels, witnesses, strict=True):
        if label:
            assert bag[witness].sum() > 3.0
