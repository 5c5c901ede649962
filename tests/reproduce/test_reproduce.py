"""A table run again: ours beside the printed numbers, and what is missing."""

from __future__ import annotations

import csv
import re

import numpy as np
import pytest

import svmosaic.reproduce.paper_spec as spec_module
from svmosaic.bags import Bags
from svmosaic.datasets import Dataset
from svmosaic.exceptions import DataFileError, DataNotFoundError
from svmosaic.reproduce import find_table, list_tables, reproduce

# Printed data sets that are not available, or are other problems; and ours that are not printed.
ONE_SIDED = {
    "3": {
        *("Slump", "Enb", "Water Quality", "M5SPEC", "MP5SPEC", "MP6SPEC"),
        *("corn_m5", "corn_mp5", "corn_mp6", "rf1"),
    }
}


# Printed methods that are not available.
NO_METHOD = {"6": {"SAE2"}}
# A hundred thousand samples of 24 streams by 22 learners take longer than a few minutes.
MINUTES = dict.fromkeys(("6", "fig-6.1", "fig-6.2", "fig-6.3", "fig-6.4"), 300)


def _rows(path):
    with path.open() as stream:
        return list(csv.DictReader(stream))


def test_ours_stands_beside_the_printed_number(small_table, tmp_path):
    result = reproduce("0.1", "out")

    cell = result.numbers.cells["sklearn-iris", "accuracy", "neighbours"]
    assert (cell.paper_method, cell.paper) == ("k-NN", 90.0)
    assert 90 < cell.ours <= 100
    assert cell.difference == cell.ours - 90.0
    assert (cell.paper_rank, result.summary.n_failed) == (2.0, 0)
    ranks = [
        result.numbers.cells["sklearn-wine", "accuracy", method].rank
        for method in ("neighbours", "ours", "tree")
    ]
    assert sum(ranks) == 6
    rows = _rows(tmp_path / "out" / "comparison.csv")
    assert len(rows) == 2 * 3 * 3
    assert float(rows[0]["ours"]) == cell.ours
    assert [path.name for path in result.files] == ["comparison.csv", "0.1.md"]


def test_what_is_missing_is_left_out_and_told(small_table):
    result = reproduce("0.1", "out")

    assert result.missing.data == {"isolet": "'isolet' is not available"}
    assert result.missing.methods == {"oracle": "the package 'no_such_package' is not installed"}
    assert "isolet" not in result.numbers.datasets
    page = result.files[1].read_text()
    assert "Left out, not available: isolet." in page
    assert "Left out: oracle, because the package 'no_such_package' is not installed." in page


def test_the_page_has_numbers_ranks_statistics_notes_and_provenance(small_table):
    page = reproduce("0.1", "out").files[1].read_text()

    assert page.startswith("# 0.1: Neighbours against a tree\n\nNobody (2000), table 0.1.")
    for part in (
        "| date | 20",
        "| computer | ",
        "| commit | ",
        "Nested cross-validation, 3 outer and 2 inner folds, stratified; features scaled to [0, 1]",
        "ours (OLLAWVClassifierCV, tunes itself)",
        "## accuracy (%)",
        "| mean rank |",
        "Ours: 3 methods were compared on 3 data sets",
        "The printed numbers: 2 methods were compared on 2 data sets",
        "Wilcoxon's signed-rank test of neighbours, not adjusted: ",
        "Wilcoxon's signed-rank test of k-NN, not adjusted: C4.5 p = ",
        "## Notes\n\n- The printed numbers are invented.",
    ):
        assert part in page
    (iris,) = (
        line for line in page.splitlines() if line.startswith("| sklearn-iris | ") and "(90" in line
    )
    assert "(90.00, +" in iris
    times = page[page.index("## time") :]
    assert re.search(r"\| sklearn-iris \| [*\d.]+ \([\d.]+, \d+ x\) \|", times)


def test_a_second_call_goes_on(small_table):
    first = reproduce("0.1", "out")
    second = reproduce("0.1", "out")

    assert (first.summary.n_done, second.summary.n_done) == (27, 0)
    assert second.numbers == first.numbers


def test_repeats_show_deviations_over_seeds(small_table):
    result = reproduce("0.1", size="quick", repeats=3)

    assert result.folder.name == "reproduce-0.1-quick-3-repeats"
    assert result.summary.n_done == 3 * 2 * 2 * 3
    one = [
        repeat.cells["sklearn-wine", "accuracy", "tree"].ours for repeat in result.numbers.repeats
    ]
    cell = result.numbers.cells["sklearn-wine", "accuracy", "tree"]
    deviation = result.numbers.deviation("sklearn-wine", "accuracy", "tree")
    assert cell.ours == pytest.approx(np.mean(one))
    assert 0 < deviation == pytest.approx(np.std(one, ddof=1))
    page = result.files[1].read_text()
    assert "Made by `svmosaic reproduce 0.1 --quick --repeats 3`." in page
    assert re.search(rf"{cell.ours:.2f}(\*\*)? ± {deviation:.2f} \(70.00, ", page)
    rank = result.numbers.mean_rank("accuracy", "tree")
    spread = result.numbers.rank_deviation("accuracy", "tree")
    assert f"{rank:.2f} ± {spread:.2f}" in page
    assert "±" not in reproduce("0.1", size="quick").files[1].read_text()


def test_repeats_need_a_nested_cross_validation(small_table):
    text = small_table["0.1"][1].replace("outer = 3\n", 'kind = "holdout"\n')
    small_table["0.2"] = ("0.2.toml", text.replace('id = "0.1"', 'id = "0.2"'))

    with pytest.raises(ValueError, match="repeats must be at least 1, got 0"):
        reproduce("0.1", "out", repeats=0)
    with pytest.raises(
        ValueError, match=r"0\.2 in this size is no nested cross-validation but 'hol"
    ):
        reproduce("0.2", "out", repeats=5)


def test_a_figure_without_data_cannot_be_repeated(tmp_path):
    with pytest.raises(ValueError, match=r"fig-5\.2 is a figure without cross-validation"):
        reproduce("fig-5.2", tmp_path, repeats=5)


def test_the_page_comes_from_the_folds_of_another_run(small_table):
    first = reproduce("0.1", "first")
    results = first.folder / "results.csv"
    second = reproduce("0.1", "second", reuse=results, only_finished=True)
    third = reproduce("0.1", "third", reuse=results)

    assert second.summary is None
    assert (third.summary.n_reused, third.summary.n_done) == (27, 0)
    assert first.numbers == second.numbers == third.numbers
    told = re.compile(
        r"27 of 27 cells were taken from results\.csv: computed \d{4}-\d\d-\d\d(| to \S+), all by "
        r"this code\.\n\n"
    )
    pages = [result.files[1].read_text() for result in (first, second, third)]
    assert [len(told.findall(page)) for page in pages] == [0, 1, 1]
    assert pages[0] == told.sub("", pages[1]) == told.sub("", pages[2])


def test_the_page_says_where_the_code_was_another(small_table, monkeypatch):
    results = reproduce("0.1", "first").folder / "results.csv"
    monkeypatch.setattr(
        "svmosaic.experiments.cells.method_code_version",
        lambda names, _: "another" if "sklearn.tree.DecisionTreeClassifier" in names else "new",
    )
    # As version 0.1 wrote it: a row with a checksum cannot be changed.
    text = re.sub(r"(?m),(checksum|blake2b:\w+)$", "", results.read_text())
    results.write_text(re.sub(r"(?m)^(\S*?,tree,.*,)\w{16} [^,]*,", r"\1another,", text))
    page = reproduce("0.1", "second", reuse=results).files[1].read_text()

    assert "18 of them by an earlier or later code." in page


def test_what_is_finished_can_be_shown_before_the_rest(small_table):
    text = small_table["0.1"][1]
    part = text.replace('[[data]]\nname = "sklearn-wine"\n', "")
    small_table["0.1"] = ("0.1.toml", part)
    reproduce("0.1", "out")
    small_table["0.1"] = ("0.1.toml", text)

    result = reproduce("0.1", "out", only_finished=True)

    assert result.summary is None
    assert result.numbers.datasets == ("sklearn-iris", "flowers")
    assert result.missing.unfinished == {"sklearn-wine": "it is not finished"}
    assert "Not finished, so left out here: sklearn-wine." in result.files[1].read_text()
    small_table["0.1"] = ("0.1.toml", text.replace('"tree"', '"oak"'))
    result = reproduce("0.1", "out", only_finished=True)
    assert result.missing.methods["oak"] == "none of its cells is finished"
    assert "Left out: oak, because none of its cells is finished." in result.files[1].read_text()
    none = re.sub(r'(\[\[methods\]\]\nname = ")', r"\1new ", text)
    small_table["0.1"] = ("0.1.toml", none)
    with pytest.raises(DataNotFoundError, match=r"No data set is finished in 'out'"):
        reproduce("0.1", "out", only_finished=True)


def test_fewer_folds_than_asked_for_can_be_all(small_table):
    """A class of a few rows leaves fewer folds; they are all that there are."""
    text = small_table["0.1"][1].replace("outer = 3", "outer = 200")
    text = text.replace('[[data]]\nname = "sklearn-wine"\n', "")
    text = text.replace("classes = [1, 2]", "classes = [1, 2]\nrows = 9")
    text = text.replace('[[data]]\nname = "sklearn-iris"\n', "", 1)
    small_table["0.1"] = ("0.1.toml", text)
    run = reproduce("0.1", "out")

    assert 0 < run.summary.n_done < 3 * 9
    assert reproduce("0.1", "out", only_finished=True).numbers.datasets == ("flowers",)


def test_the_page_may_end_with_the_ranks_over_all_metrics(small_table):
    text = small_table["0.1"][1]
    assert "Ranks over all metrics" not in reproduce("0.1", "out").files[1].read_text()
    text = text.replace("[statistics]", "[statistics]\nmeta_ranks = true")
    small_table["0.1"] = ("0.1.toml", text)
    result = reproduce("0.1", "out")

    page = result.files[1].read_text()
    rows = page[page.index("## Ranks over all metrics") : page.index("## Notes")].splitlines()
    assert rows[2] == "| method | accuracy (%) | time | mean | meta-rank |"
    found = {
        cells[1]: list(map(float, cells[2:6])) for row in rows[4:7] if (cells := row.split("|"))
    }
    assert [*found] == sorted(found, key=lambda name: found[name][3])
    for name, (accuracy, time, mean, _) in found.items():
        ranks = [result.numbers.mean_rank(m, name.strip()) for m in ("accuracy", "time")]
        assert [accuracy, time] == [round(rank, 2) for rank in ranks]
        assert mean == pytest.approx(sum(ranks) / 2, abs=0.006)
    assert sum(row[3] for row in found.values()) == pytest.approx(6.0, abs=0.02)


def test_the_quick_size_has_what_the_overlay_says(small_table):
    experiment = find_table("0.1").experiment("quick")

    assert [item.name for item in experiment.data] == ["sklearn-iris", "sklearn-wine"]
    assert [item.name for item in experiment.methods] == ["neighbours", "ours", "tree"]
    assert (experiment.protocol.outer, experiment.protocol.inner) == (2, 2)
    assert experiment.methods[0].grid == {"n_neighbors": [3]}
    assert experiment.methods[2].params == {"max_depth": 3, "min_samples_leaf": 2}
    assert find_table("0.1").experiment("full").protocol.outer == 3


def test_a_figure_shares_the_run_of_its_table(small_table, tmp_path):
    reproduce("0.1", size="quick")

    figure = reproduce("fig-0.1", size="quick")

    assert figure.summary.n_done == 0
    assert figure.folder.name == "reproduce-0.1-quick"
    assert [path.name for path in figure.files] == [
        *("fig-0.1.svg", "fig-0.1.png", "fig-0.1.md", "fig-0.1.csv"),
    ]
    assert (tmp_path / figure.files[0]).read_bytes()[:5] == b"<?xml"
    rows = _rows(tmp_path / figure.files[3])
    assert {(row["source"], row["method"]) for row in rows} == {
        *(("ours", "neighbours"), ("ours", "ours"), ("ours", "tree")),
        *(("paper", "k-NN"), ("paper", "C4.5")),
    }


def test_pages_tell_that_cells_come_from_another_run(small_table):
    results = reproduce("0.1", "first", size="quick").folder / "results.csv"
    table = reproduce("0.1", "second", size="quick", reuse=results)
    figure = reproduce("fig-0.1", "third", size="quick", reuse=results, only_finished=True)

    for page in (table.files[1], figure.files[2]):
        assert re.search(r"\n(\d+) of \1 cells were taken from results.csv: ", page.read_text())


def test_figure_5_2_has_boundaries_and_numbers(tmp_path):
    result = reproduce("fig-5.2", tmp_path, size="quick")

    rows = _rows(tmp_path / "fig-5.2.csv")
    assert [row["method"] for row in rows[:3]] == ["OLLAWV", "SMO", "Bayes"]
    assert all(float(row["agreement_with_bayes"]) > 0.9 for row in rows)
    assert len(_rows(tmp_path / "fig-5.2-boundaries.csv")) > 100
    assert result.files[1].read_bytes()[1:4] == b"PNG"
    with pytest.raises(ValueError, match="has no size 'large'"):
        reproduce("fig-5.2", tmp_path, size="large")


def test_a_diagram_of_ranks_has_ours_and_the_printed_ones(small_table, tmp_path):
    kind = small_table["fig-0.1"][1].replace('kind = "growth"', 'kind = "ranks"')
    text = kind.replace('metric = "time"', 'metric = "accuracy"').replace("fig-0.1", "fig-0.2")
    small_table["fig-0.2"] = ("fig-0.2.toml", text)

    figure = reproduce("fig-0.2", "out")

    rows = _rows(tmp_path / "out" / "fig-0.2.csv")
    assert [row["source"] for row in rows] == ["ours"] * 3 + ["paper"] * 2
    assert {row["n_datasets"] for row in rows} == {"3", "2"}
    assert sum(float(row["rank"]) for row in rows[:3]) == pytest.approx(6)
    assert figure.files[0].read_bytes()[:5] == b"<?xml"


def test_details_have_the_tests_of_the_control_against_each_other(small_table):
    text = small_table["0.1"][1].replace(
        'control = "neighbours"', 'control = "ours"\npaper_control = "C4.5"\ndetails = true'
    )
    small_table["0.1"] = ("0.1.toml", text)

    page = reproduce("0.1", "out").files[1].read_text()

    assert "| ours against | wins, ties, losses | Wilcoxon R+ | R- | Wilcoxon p |" in page
    assert "| C4.5 against |" in page
    lines = [line for line in page.splitlines() if line.startswith("| tree | ")]
    assert len(lines[0].split("|")) == 9


def test_the_figure_of_chains_has_the_order_of_svrcc(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    common = rng.normal(size=(50, 1))
    Y = np.hstack([rng.normal(size=(50, 1)), common, common + 0.1 * rng.normal(size=(50, 1))])
    data = Dataset(X=np.zeros((50, 1)), y=Y, target_names=("lonely", "first", "second"))
    monkeypatch.setattr("svmosaic.reproduce.paper_figures.load", lambda name: data)

    reproduce("fig-3.3", tmp_path)

    rows = _rows(tmp_path / "fig-3.3.csv")
    assert [row["dataset"] for row in rows[::3]] == ["andro", "jura", "polymer"]
    assert rows[2]["target"] == "lonely"
    sums = [float(row["sum_of_correlations"]) for row in rows[:3]]
    assert sums == sorted(sums, reverse=True)


def test_the_figure_of_passes_counts_unchanged_representatives(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    y = np.arange(12) % 2
    bags = Bags.from_list([rng.normal(label, 1.0, (3, 2)) for label in y])
    data = Dataset(X=bags, y=y)
    monkeypatch.setattr("svmosaic.reproduce.bag_figures.load", lambda name: data)

    reproduce("fig-4.2", tmp_path, size="quick")

    rows = _rows(tmp_path / "fig-4.2.csv")
    assert {row["method"] for row in rows} == {"equation 4.11", "algorithm 4.1"}
    assert all(0 <= int(row["unchanged"]) <= int(row["bags"]) == 12 for row in rows)
    last = [row for row in rows if row["method"] == "algorithm 4.1"][-1]
    assert last["stop_reason"] == "fixed"


def test_figure_4_3_counts_support_vectors(tmp_path):
    result = reproduce("fig-4.3", tmp_path, size="quick")

    mirsvm, mi_svm = _rows(tmp_path / "fig-4.3.csv")
    assert int(mirsvm["support_vectors"]) <= 6  # one for each bag at most
    assert int(mi_svm["of_positive_bags"]) <= 2
    assert int(mi_svm["support_vectors"]) > int(mirsvm["support_vectors"])
    assert result.files[0].read_bytes()[:5] == b"<?xml"


def test_unknown_tables_and_sizes_are_told(small_table):
    with pytest.raises(DataNotFoundError, match=r"no table or figure '0.2'. Did you mean '0.1'"):
        find_table("0.2")
    with pytest.raises(ValueError, match=r"0.1 has no size 'large'; it has full, quick"):
        reproduce("0.1", size="large")


def test_a_misspelt_entry_of_a_file_is_told(small_table):
    small_table["0.1"] = ("0.1.toml", small_table["0.1"][1].replace("factor", "facter"))

    with pytest.raises(DataFileError, match=r"no entry 'facter'. Did you mean 'factor'"):
        find_table("0.1")


def test_without_any_data_the_table_is_refused(small_table):
    text = small_table["0.1"][1].replace(
        'data = ["sklearn-iris", "sklearn-wine"]', 'data = ["har"]'
    )
    small_table["0.1"] = ("0.1.toml", text)

    with pytest.raises(DataNotFoundError, match=r"None of the data sets of 0.1 is available: har"):
        reproduce("0.1", size="quick")


def test_every_file_of_the_package_is_whole():
    assert list_tables()[-3:] == ("fig-6.2", "fig-6.3", "fig-6.4")
    for name in list_tables():
        spec = find_table(name)
        assert spec.minutes["quick"] <= MINUTES.get(name, 10)
        for size in spec.sizes:
            if spec.figure is None and len(spec.missing(size).data) < len(spec.data_names(size)):
                experiment = spec.experiment(size)
                assert set(spec.paper_methods) >= {
                    method.name
                    for method in experiment.methods
                    if method.name in spec.paper_methods
                }
        if spec.printed is not None:
            from svmosaic.reproduce.printed import read_printed

            printed = read_printed(spec.printed)
            methods = {method for _, _, method in printed} - NO_METHOD.get(name, set())
            assert methods == set(spec.paper_methods.values())
            assert {metric for _, metric, _ in printed} <= {metric.name for metric in spec.metrics}
            sizes = [spec.data_names(size) for size in spec.sizes]
            ours = {spec.printed_as.get(name, name) for names in sizes for name in names}
            there = {dataset for dataset, _, _ in printed}
            assert there ^ ours == ONE_SIDED.get(name, set())
        if spec.control is not None:
            assert spec.control in {item["name"] for item in spec.method_entries}


def test_ids_are_those_of_the_files():
    for name, (file, _) in spec_module._files().items():
        assert file == f"{name}.toml"


STREAMS = """
id = "0.3"
title = "Learners of streams"
source = "Nobody (2000), table 0.3"
minutes = 0.1
[protocol]
kind = "prequential"
chunk = 500
samples = 3000
scoring = ["accuracy", "kappa"]
[[data]]
stream = "SEASuddenAN0"
[[data]]
stream = "STAGGERGeneratorF1"
[[data]]
stream = "CovType"
[[methods]]
name = "Bayes"
paper = "NB"
estimator = "sklearn.naive_bayes.GaussianNB"
[[methods]]
name = "OLLA-L2"
estimator = "OLLAL2Classifier"
params = { budget = 100 }
[[methods]]
name = "elsewhere"
needs = "no_such_package"
estimator = "moa.classifiers.bayes.NaiveBayes"
[printed]
file = "table-0.3.csv"
[statistics]
control = "Bayes"
[[metrics]]
name = "accuracy"
label = "accuracy (%)"
factor = 100
[quick]
minutes = 0.05
protocol = { samples = 2000 }
"""


@pytest.fixture
def stream_table(small_table, monkeypatch):
    small_table["0.3"] = ("0.3.toml", STREAMS)
    printed = [{"dataset": "SEASuddenAN0", "metric": "accuracy", "method": "NB", "value": "88"}]
    monkeypatch.setattr("svmosaic.reproduce.printed.read_rows", {"table-0.3.csv": printed}.get)


def test_streams_stand_beside_the_printed_numbers(stream_table):
    result = reproduce("0.3", "out", size="quick")

    assert result.missing.data == {"CovType": "'CovType' is not available"}
    assert result.missing.methods == {
        "elsewhere": "the package 'no_such_package' is not installed",
    }
    cell = result.numbers.cells["SEASuddenAN0", "accuracy", "Bayes"]
    assert (cell.paper, cell.difference) == (88.0, cell.ours - 88.0)
    assert 75 < cell.ours < 100
    page = result.files[1].read_text()
    assert "The first 2,000 samples of each stream; every chunk of 500 is predicted" in page
    assert "OLLA-L2 (OLLAL2Classifier, budget=100)" in page


def test_finished_streams_are_shown_without_a_run(stream_table):
    reproduce("0.3", "out", size="quick")

    again = reproduce("0.3", "out", size="quick", only_finished=True)

    assert again.summary is None
    assert set(again.numbers.datasets) == {"SEASuddenAN0", "STAGGERGeneratorF1"}
