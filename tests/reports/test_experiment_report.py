"""The report on a run, from its journal to the page and the tables."""

from __future__ import annotations

import csv
import sys
import tomllib

import pytest

from journals import EVIL, QUOTED, write_run
from svmosaic.exceptions import DataNotFoundError
from svmosaic.experiments.journal import Journal
from svmosaic.experiments.spec import read_spec
from svmosaic.reports import Cell, experiment_report, render, write_report
from svmosaic.stats import read_scores

_TITLES = [
    *("At a glance", "accuracy", "f1", "Training time", "Prediction time", "Support vectors"),
    *("Parameter search", "Data sets", "Failures and warnings", "Provenance"),
]


@pytest.fixture(autouse=True)
def _outlines(monkeypatch):
    """Figures are made but not painted, which takes most of the time."""
    monkeypatch.setattr("svmosaic.plots.style.to_svg", lambda ax: b"<svg/>")


def _section(report, title):
    (found,) = [section for section in report.document.sections if section.title == title]
    return found


def _cells(report, title):
    """Return the cells of a section's table by the first of their row."""
    (table,) = _section(report, title).tables
    return {row[0]: list(row[1:]) for row in table.rows if row}


def _bold(cells):
    return [cell.bold for cell in cells if isinstance(cell, Cell)]


def test_the_page_has_all_sections(plain_run):
    report = experiment_report(plain_run)

    assert [section.title for section in report.document.sections] == _TITLES
    assert dict(report.document.facts)["cells finished"] == "18"
    assert "Nested cross-validation with 2 outer folds" in report.document.summary


def test_names_are_escaped_everywhere(plain_run):
    page = render(experiment_report(plain_run).document)

    assert "<script" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") > 10
    assert "A &amp; &quot;B&quot;" in page


def test_the_best_of_a_row_is_bold_and_ties_share_it(plain_run):
    cells = _cells(experiment_report(plain_run), "accuracy")

    # 0.9 and 0.8 in two orders: the means are the same to the last bit.
    assert _bold(cells["set 0"]) == [True, True, False]
    assert _bold(cells["set 1"]) == [True, False, False]
    assert cells["set 0"][0] == Cell("0.8500", True, "± 0.0500")
    assert [cell.text for cell in cells["Average rank"]] == ["1.17", "1.83", "3.00"]
    assert _bold(cells["Average rank"]) == [True, False, False]


def test_the_lowest_time_is_bold(plain_run):
    cells = _cells(experiment_report(plain_run), "Training time")

    assert _bold(cells["set 0"]) == [True, False, False]
    assert cells["set 0"][1].text == "0.200"


def test_methods_without_support_vectors_are_named(plain_run):
    section = _section(experiment_report(plain_run), "Support vectors")

    assert list(section.tables[0].header) == ["data set", EVIL, QUOTED]
    assert "None are known of: $x_1$." in section.text


def test_the_statistics_stand_in_words_and_numbers(plain_run):
    section = _section(experiment_report(plain_run), "accuracy")

    assert "3 methods were compared on 3 data sets by accuracy" in section.text
    (details,) = section.details
    assert details.title == "Comparison of all pairs (3 pairs)"
    assert "Iman-Davenport F(2, 4) = " in details.text
    assert len(details.tables[0].rows) == 3
    assert "Critical-difference diagram" in section.figures[0].alt


def test_a_control_is_compared_with_the_others(plain_run):
    section = _section(experiment_report(plain_run, control=QUOTED), "accuracy")

    assert section.details[0].title == f"Comparison of {QUOTED} with the others (2 pairs)"


def test_a_control_without_a_measure_is_left_out_of_it_only(plain_run):
    report = experiment_report(plain_run, control="$x_1$")

    text = _section(report, "Support vectors").text
    assert "$x_1$ has no support vectors here, so all pairs are compared." in text


def test_scores_of_grids_become_maps_and_curves(plain_run):
    section = _section(experiment_report(plain_run), "Parameter search")

    chosen, *of_datasets = section.details
    assert chosen.title == "Chosen parameters"
    assert [details.title for details in of_datasets] == ["set 0", "set 1", "set 2"]
    assert [details.opened for details in of_datasets] == [True, False, False]
    first, second = of_datasets[0].figures
    assert first.alt == f"Scores of {EVIL} on set 0 over gamma and C"
    assert "0.9500 at gamma = 1, C = 10" in first.caption
    assert second.alt == f"Scores of {QUOTED} on set 0 against depth"


def test_the_data_sets_are_described(plain_run):
    assert _cells(experiment_report(plain_run), "Data sets")["set 1"][:3] == ["250", "4", "2"]


def test_the_spec_of_the_page_is_a_spec(tmp_path):
    methods = ["OLLAWVClassifier", 'say "no"\n\\']
    folder = write_run(tmp_path / "run", [[[0.9], [0.8]]], methods=methods)

    (details,) = _section(experiment_report(folder), "Provenance").details

    spec = tomllib.loads(details.code)
    assert [method["name"] for method in spec["methods"]] == methods
    assert spec["protocol"]["random_state"] == 7
    text = details.code.replace("some.Thing", "OLLAWVClassifier").replace("set 0", "sklearn-iris")
    (tmp_path / "spec.toml").write_text(text)
    assert read_spec(tmp_path / "spec.toml").protocol.outer == 2


# What is missing ----------------------------------------------------------------------------


def test_failed_cells_are_told_with_their_errors(tmp_path):
    folder = write_run(tmp_path / "run", [[[0.9, 0.8], [0.7, None]], [[0.6, 0.6], [0.5, 0.5]]])

    report = experiment_report(folder)

    section = _section(report, "Failures and warnings")
    assert "1 of 8 cells failed" in section.text
    (details,) = section.details
    assert details.title == f"method 1 on set 0, repeat 0, fold 1: ValueError: no rows {EVIL}"
    assert details.code.startswith("Traceback:")
    cells = _cells(report, "accuracy")
    assert cells["set 0"][1] == Cell("0.7000", note="1 of 2 folds")
    assert "leave out data sets where a method lacks folds: set 0" in (
        _section(report, "accuracy").tables[0].caption
    )
    assert "need at least 2 data sets on which every method has all folds, and this run has 1" in (
        _section(report, "accuracy").text
    )
    assert "<script" not in render(report.document)


def test_a_method_that_fails_everywhere_has_no_column(tmp_path):
    folder = write_run(tmp_path / "run", [[[0.9], [None]], [[0.6], [None]]])

    report = experiment_report(folder)

    assert list(_section(report, "accuracy").tables[0].header) == ["data set", "method 0"]
    assert _cells(report, "At a glance")["method 1"][-1] == "2"
    assert "nothing to compare" in _section(report, "accuracy").text


def test_a_run_in_which_all_failed_has_a_page(tmp_path):
    folder = write_run(tmp_path / "run", [[[None], [None]]])

    report = experiment_report(folder)

    assert "all failed" in _section(report, "Results").text
    assert "<script" not in render(report.document)


def test_a_run_that_is_not_finished_says_so(tmp_path):
    folder = write_run(tmp_path / "run", [[[0.9, 0.8], [0.7]], [[0.6, 0.6], []]])

    report = experiment_report(folder)

    text = _section(report, "Failures and warnings").text
    assert "3 cells of the plan are not finished" in text
    assert dict(report.document.facts)["cells missing"] == "3"
    assert _cells(report, "accuracy")["set 1"][1] == Cell("–")


def test_one_data_set_has_no_statistics(tmp_path):
    report = experiment_report(write_run(tmp_path / "run", [[[0.9, 0.8], [0.7, 0.6]]]))

    section = _section(report, "accuracy")
    assert "no statistics: they compare methods over data sets and need at least 2" in section.text
    assert section.figures == ()
    assert [cell.text for cell in _cells(report, "accuracy")["Rank"]] == ["1.00", "2.00"]
    assert "do not differ in their rows" in _section(report, "Training time").text


def test_one_method_has_no_statistics(tmp_path):
    report = experiment_report(write_run(tmp_path / "run", [[[0.9]], [[0.8]]]))

    assert "There is one method" in _section(report, "accuracy").text
    cells = _cells(report, "accuracy")
    # Without another there is no best.
    assert cells["set 0"] == [Cell("0.9000")]
    assert "Average rank" not in cells


def test_a_data_set_may_be_called_mean(tmp_path):
    folder = write_run(tmp_path / "run", [[[0.9], [0.8]]] * 2, datasets=["mean", "set"])

    text = _section(experiment_report(folder), "accuracy").text
    assert "2 methods were compared on 2 data sets" in text


def test_a_journal_of_an_older_version_has_a_page(tmp_path):
    folder = write_run(tmp_path / "run", [[[0.9], [0.8]], [[0.7], [0.6]]], experiment=False)

    report = experiment_report(folder)

    assert [section.title for section in report.document.sections] == _TITLES
    (details,) = _section(report, "Provenance").details
    assert details.code == "Spec()"


def test_without_matplotlib_the_page_says_how_to_get_figures(plain_run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)

    report = experiment_report(plain_run)

    assert "This page has no figures." in report.document.summary
    assert "pip install 'svmosaic[plot]'" in report.document.summary
    assert "<img" not in render(report.document)
    assert [section.title for section in report.document.sections] == _TITLES


def test_a_figure_that_fails_is_told_and_costs_nothing_else(plain_run, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError("no ink")

    monkeypatch.setattr("svmosaic.plots.growth.plot_growth", fail)

    report = experiment_report(plain_run)

    text = _section(report, "Failures and warnings").text
    assert text.count("A figure could not be drawn.") == 3
    assert "ZeroDivisionError: no ink" in text
    assert len(_section(report, "Training time").figures) == 1


def test_warnings_that_differ_in_numbers_are_one(plain_run, monkeypatch):
    from svmosaic.reports import run_data

    def warn(folder):
        cells = read(folder)
        records = [
            {**record, "warnings": [f"stopped at {i} of 10"]}
            for i, record in enumerate(cells.records)
        ]
        return cells._replace(records=records)

    read = run_data.read_cells
    monkeypatch.setattr(run_data, "read_cells", warn)

    (table,) = _section(experiment_report(plain_run), "Failures and warnings").tables
    assert [row[1:] for row in table.rows if row[0] == EVIL] == [["stopped at 0 of 10", "6"]]


# Files --------------------------------------------------------------------------------------


def test_page_and_tables_are_written(plain_run):
    page, *tables = write_report(plain_run)

    assert page == plain_run / "report.html"
    assert {path.parent for path in tables} == {plain_run / "tables"}
    names = {path.name for path in tables}
    for name in ("accuracy", "accuracy-pairs", "fit_seconds", "n_support", "datasets"):
        assert {f"{name}.csv", f"{name}.tex", f"{name}.md"} <= names


def test_tables_of_scores_are_what_the_statistics_read(plain_run):
    write_report(plain_run)

    table = read_scores(plain_run / "tables" / "accuracy.csv")

    assert table.methods == (EVIL, QUOTED, "$x_1$")
    assert table.scores[0, 0] == table.scores[0, 1] == pytest.approx(0.85)
    with (plain_run / "tables" / "datasets.csv").open() as stream:
        assert next(csv.DictReader(stream))["n_samples"] == "150"


def test_names_are_escaped_in_latex_and_markdown(plain_run):
    write_report(plain_run)

    latex = (plain_run / "tables" / "accuracy.tex").read_text()
    assert r"\textless{}script\textgreater{}" in latex
    assert r"\$x\_1\$" in latex
    assert r"\textbf{0.8500} {\footnotesize $\pm$ 0.0500}" in latex
    markdown = (plain_run / "tables" / "accuracy.md").read_text()
    assert "&lt;script&gt;" in markdown
    assert r"\$x\_1\$" in markdown
    assert "**0.8500** ± 0.0500" in markdown


def test_the_page_goes_where_it_is_asked_to(plain_run, tmp_path):
    assert write_report(plain_run, tmp_path / "new")[0] == tmp_path / "new" / "report.html"
    assert write_report(plain_run, tmp_path / "page.html")[0] == tmp_path / "page.html"
    assert (tmp_path / "tables" / "accuracy.csv").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match="a file that ends in"):
        write_report(plain_run, tmp_path / "file")


def test_a_page_of_many_searches_shows_the_first_ones(tmp_path):
    folder = write_run(tmp_path / "run", [[[0.9], [0.8]]] * 25)

    section = _section(experiment_report(folder), "Parameter search")

    assert len(section.details) == 1 + 18
    assert "The figures of 7 data sets more are left out" in section.text


@pytest.mark.filterwarnings("ignore:1 damaged record in the journal")
def test_a_damaged_cell_is_named_and_left_out(tmp_path):
    folder = write_run(tmp_path / "run", [[[0.9, 0.8], [0.7, 0.6]]] * 2)
    path = folder / "journal.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"accuracy": 0.6', b'"accuracy": 0.9', 1))

    report = experiment_report(folder)

    section = _section(report, "Failures and warnings")
    assert "1 damaged record in the journal: method 1 on set 0, repeat 0, fold 1" in section.text
    assert "runs damaged cells again" in section.text
    assert dict(report.document.facts)["cells finished"].startswith("7")


def test_starts_of_other_code_are_told(plain_run):
    with Journal(plain_run / "journal.jsonl") as journal:
        journal.begin({"0-0-0": "a", "0-1-0": "b"}, "2027-01-01T00:00:00+00:00", {"code": "other"})

    report = experiment_report(plain_run)

    section = _section(report, "Provenance")
    assert "The starts of this run had different code or versions." in section.text
    assert len(section.tables[1].rows) == 2
    assert dict(report.document.facts)["cells finished"] == "2"


def test_requests_that_cannot_be_met_are_sentences(plain_run, tmp_path):
    with pytest.raises(DataNotFoundError, match="There is no folder"):
        experiment_report(tmp_path / "nowhere")
    with pytest.raises(DataNotFoundError, match="no journal of an experiment"):
        experiment_report(tmp_path)
    with pytest.raises(DataNotFoundError, match=r"No cell of the experiment .* is finished yet"):
        experiment_report(write_run(tmp_path / "new", [[[]]]))
    with pytest.raises(ValueError, match="The control 'x' is not a method of this run"):
        experiment_report(plain_run, control="x")
    with pytest.raises(ValueError, match="'alpha' of a report"):
        experiment_report(plain_run, alpha=2)
