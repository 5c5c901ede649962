"""Records of runs and their tables."""

from __future__ import annotations

import csv

import pytest

from svmosaic.reports.run_records import Run, comparison_table, find_run, write_runs


@pytest.fixture
def runs():
    return [
        Run("iris", "fast", 0.95, 10, 0.5, 0.01, "SVC"),
        Run("iris", "SVC", 0.96, 40, 2.0, 0.04, "SVC"),
        Run("wine", "SVC", 1.0, 5, 0.1, 0.1, "SVC"),
    ]


def test_factors_compare_with_the_reference_on_the_same_data(runs):
    table = comparison_table(runs)

    assert table.rows == [
        ("iris", "fast", "0.9500", "10", "0.25", "0.5000", "4.0", "0.0100", "4.0"),
        ("iris", "SVC", "0.9600", "40", "", "2.00", "", "0.0400", ""),
        (),
        ("wine", "SVC", "1.0000", "5", "", "0.1000", "", "0.1000", ""),
    ]


def test_runs_are_written_with_their_factors(runs, tmp_path):
    write_runs(runs, tmp_path / "runs.csv")

    with (tmp_path / "runs.csv").open() as stream:
        first = next(csv.DictReader(stream))
    assert first["method"] == "fast"
    assert float(first["n_support_ratio"]) == 0.25
    assert float(first["fit_speedup"]) == 4.0
    assert float(first["predict_speedup"]) == 4.0


def test_a_missing_run_is_named(runs):
    with pytest.raises(LookupError, match="No run of 'fast' on 'wine'"):
        find_run(runs, "wine", "fast")
