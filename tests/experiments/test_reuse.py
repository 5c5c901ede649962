"""Results of another run are taken over where the question is the same, and told."""

from __future__ import annotations

import csv
import gzip
import io
import math
from dataclasses import replace
from pathlib import Path

import pytest
from numpy.testing import assert_array_equal

import svmosaic.experiments.cells as cells_module
from svmosaic.datasets.readers import text
from svmosaic.exceptions import DataFileError, DataNotFoundError
from svmosaic.experiments import (
    read_results,
    read_spec,
    result_table,
    reuse_results,
    run_experiment,
    write_results,
)
from svmosaic.experiments.cells import hash_question
from svmosaic.experiments.classes import find_class
from svmosaic.experiments.journal import Entry, Journal
from svmosaic.experiments.reuse import read_known

MARKS = {"reused_from", "other_code"}


@pytest.fixture
def results(folder):
    """The results.csv of a finished run."""
    run_experiment(read_spec("spec.toml"), "first")
    return write_results("first", ["accuracy"])[0]


def _without(records, names):
    return [{k: v for k, v in record.items() if k not in names} for record in records]


@pytest.mark.parametrize(
    ("first", "now"),
    [
        ("MISVMClassifier", "BagMISVMClassifier"),
        ("MiSVMClassifier", "InstanceMISVMClassifier"),
    ],
)
def test_a_renamed_class_is_found_by_both_names_and_answers_the_same_question(first, now):
    home = "svmosaic.multi_instance."
    outer = {"method": "a", "params": {"estimator": {"estimator": home + first}}}
    renamed = {"method": "a", "params": {"estimator": {"estimator": home + now}}}

    assert find_class(home + first) is find_class(home + now)
    assert find_class(home + now).__name__ == now
    assert hash_question(outer) == hash_question(renamed)
    assert hash_question({"estimator": home + first}) == hash_question({"estimator": home + now})


def _as_of_0_1(text):
    """Return the text of a results.csv without its checksums."""
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0][-1] == "checksum"
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(row[:-1] for row in rows)
    return out.getvalue()


def test_nothing_runs_twice(results):
    summary = run_experiment(read_spec("spec.toml"), "second", reuse=results)

    assert (summary.n_cells, summary.n_reused, summary.n_done) == (12, 12, 0)
    taken = read_results("second")
    assert _without(taken, MARKS) == _without(read_results("first"), {"search_scores"})
    assert {(r["reused_from"], r["other_code"]) for r in taken} == {("results.csv", False)}


def test_records_and_tables_come_from_the_file_too(results):
    assert read_results(results) == _without(read_results("first"), {"search_scores"})

    table = result_table(results, "accuracy")
    assert_array_equal(table.scores, result_table("first", "accuracy").scores)
    # One data set is left, and a comparison needs two.
    with pytest.raises(ValueError, match="Got 2 on 1"):
        result_table(results, "accuracy", skip=["two"])


def test_a_third_run_knows_it_from_its_journal(results):
    run_experiment(read_spec("spec.toml"), "second", reuse=results)
    summary = run_experiment(read_spec("spec.toml"), "second", reuse=results)

    assert (summary.n_before, summary.n_reused, summary.n_done) == (12, 0, 0)


def test_what_was_taken_over_can_be_taken_over_again(results):
    run_experiment(read_spec("spec.toml"), "second", reuse=results)
    again = write_results("second", ["accuracy"])[0]
    summary = run_experiment(read_spec("spec.toml"), "third", reuse=again)

    assert summary.n_reused == 12
    assert read_results("third") == read_results("second")


def test_a_packed_file_and_nothing_to_run(results):
    packed = Path("results.csv.gz")
    packed.write_bytes(gzip.compress(results.read_bytes()))

    assert reuse_results(read_spec("spec.toml"), "second", packed) == 12
    assert {record["reused_from"] for record in read_results("second")} == {"results.csv.gz"}


def test_other_code_is_told(results, monkeypatch):
    monkeypatch.setattr(cells_module, "method_code_version", lambda names, around: "another")
    summary = run_experiment(read_spec("spec.toml"), "second", reuse=results)

    assert summary.n_reused == 12
    first = {record["question"]: record["code"] for record in read_results("first")}
    for record in read_results("second"):
        assert record["other_code"] is True
        # That which computed it, not that which took it over.
        assert record["code"] == first[record["question"]]


@pytest.mark.parametrize(
    ("old", "new", "n_reused"),
    [
        ("C = [1.0, 10.0]", "C = [1.0, 20.0]", 6),
        ("inner = 2", "inner = 3", 0),
        ("inner = 2", "inner = 2\nrandom_state = 1", 0),
        ("outer = 3", "outer = 3\nrepeats = 2", 12),
        ('"accuracy", "f1_macro"', '"accuracy"', 0),
    ],
)
def test_another_question_is_run(results, old, new, n_reused):
    path = Path("spec.toml")
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    summary = run_experiment(read_spec(path), "second", reuse=results)

    assert summary.n_reused == n_reused
    assert summary.n_done == summary.n_cells - n_reused


def test_other_data_are_run(results):
    path = Path("two.csv")
    path.write_text(path.read_text().replace("6,4,yes", "6.5,4,yes", 1))
    summary = run_experiment(read_spec("spec.toml"), "second", reuse=results)

    assert (summary.n_reused, summary.n_done) == (6, 6)


def test_a_cell_that_failed_is_replaced(results):
    run_experiment(read_spec("spec.toml"), "second", reuse=results)
    path = Path("second/journal.jsonl")
    one = read_results("second")[0]
    with Journal(path) as journal:
        (key, *_) = journal.finished()
        journal.add(Entry(key, "d", "m", 0, 0, "failed", {"error": "no"}, one["finished"]))
    summary = run_experiment(read_spec("spec.toml"), "second", reuse=results)

    assert (summary.n_before, summary.n_reused, summary.n_done) == (11, 1, 0)


def test_every_kind_of_value_comes_back(folder):
    record = {
        **{"repeat": 0, "fold": 1, "question": "123e4", "code": "1e9", "empty": None},
        **{"yes": True, "third": 1 / 3, "tiny": 5e-324, "list": [1, "a", None], "text": "a, b\nc"},
        **{"params": {"C": 10.0, "kernel": "rbf"}, "infinite": -math.inf, "none": math.nan},
    }
    with Journal(Path("journal.jsonl")) as journal:
        journal.begin({"k": "a cell"}, "now", {})
        journal.add(Entry("k", "1", "2", 0, 1, "done", record, "2000-01-01"))
    (entry,) = read_known(write_results(".", [])[0]).values()

    assert (entry.dataset, entry.method, entry.finished) == ("1", "2", "2000-01-01")
    assert math.isnan(entry.record.pop("none"))
    assert math.isnan(record.pop("none"))
    assert entry.record == record


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda content: content.replace("question", "answer", 1), "'question' is not there"),
        (lambda content: content[: content.rindex(",")], "cut off"),
        (
            lambda content: _as_of_0_1(content).replace("ours,0,", "ours,zero,", 1),
            "whole numbers as repeat and fold",
        ),
        (lambda content: content.replace("ours,0,", "ours,1,", 1), "line 2: this row has changed"),
        (lambda content: content.replace("checksum", "other", 1), "line 2: this row has changed"),
        (lambda content: "", "'dataset' is not there"),
        (lambda content: content.replace("ours", "\udcff", 1), "not UTF-8"),
    ],
)
def test_a_bad_file_gets_one_sentence_and_nothing_is_run(results, damage, words):
    bad = Path("bad.csv")
    bad.write_bytes(damage(results.read_text()).encode(errors="surrogateescape"))

    with pytest.raises(DataFileError, match=words):
        run_experiment(read_spec("spec.toml"), "second", reuse=bad)
    with pytest.raises(DataFileError, match=words):
        reuse_results(read_spec("spec.toml"), "second", bad)
    assert not Path("second").exists()


def test_a_packed_file_that_was_cut_off_gets_one_sentence(results):
    bad = Path("bad.csv.gz")
    bad.write_bytes(gzip.compress(results.read_bytes())[:-20])

    with pytest.raises(DataFileError, match="gzip data are damaged"):
        read_known(bad)


def test_a_packed_file_that_grows_without_end_is_refused(results):
    bad = Path("bad.csv.gz")
    bad.write_bytes(gzip.compress(b"x" * 50_000_000))

    with pytest.raises(DataFileError, match="49 kB unpack to more than") as caught:
        read_known(bad)
    # There is no option for the limit here.
    assert "Unpack it by gunzip" in str(caught.value)
    assert "max_bytes" not in str(caught.value)


def test_a_long_file_gets_advice_that_can_be_followed(results, monkeypatch):
    monkeypatch.setattr(text, "memory_limit", lambda max_bytes=None: 1000.0)

    with pytest.raises(
        DataFileError, match=r"longer than 1 kB .* Free memory, or divide"
    ) as caught:
        read_known(results)
    assert "max_bytes" not in str(caught.value)


def _values(entries):
    """Return the entries without empty values, whose names do not matter."""
    return {
        question: replace(entry, record={k: v for k, v in entry.record.items() if v is not None})
        for question, entry in entries.items()
    }


def test_every_changed_bit_is_refused_or_harmless(folder):
    record = {**dict.fromkeys(["repeat", "fold"], 0), "code": "c", "text": 'a, "b"\r\nc', "x": 0.5}
    with Journal(Path("journal.jsonl")) as journal:
        journal.begin({"k": "one", "l": "two"}, "now", {})
        journal.add(Entry("k", "1", "2", 0, 0, "done", {**record, "question": "q"}, "2000"))
        other = {**record, "question": "r", "n": None, "accuracy": 0.75}
        journal.add(Entry("l", "1", "3", 0, 0, "done", other, "2001"))
    path = write_results(".", [])[0]
    intact, expected = path.read_bytes(), _values(read_known(path))

    for place in range(8 * len(intact)):
        changed = bytearray(intact)
        changed[place // 8] ^= 1 << place % 8
        path.write_bytes(changed)
        try:
            found = read_known(path)
        except DataFileError:
            continue
        assert _values(found) == expected, place


def test_rows_may_be_left_out_or_sorted(results):
    head, *rows = results.read_text().splitlines(keepends=True)
    known = read_known(results)
    results.write_text("".join([head, *rows[:3:-1]]))

    assert read_known(results).items() < known.items()


def test_files_without_checksums_are_still_read(results):
    known = read_known(results)
    results.write_text(_as_of_0_1(results.read_text()))

    assert read_known(results) == known


def test_a_missing_file_gets_one_sentence(results):
    with pytest.raises(DataNotFoundError, match=r"no file 'none.csv'"):
        run_experiment(read_spec("spec.toml"), "second", reuse="none.csv")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"dataset,method\r,finished\n1,2,3\n", "a carriage return within the line"),
        (b"dataset,method,finished," + b"a" * 200_000 + b"\n", "this is not CSV"),
    ],
    ids=["carriage return", "long cell"],
)
def test_a_file_that_is_not_csv_is_one_sentence(tmp_path, content, message):
    path = tmp_path / "results.csv"
    path.write_bytes(content)

    with pytest.raises(DataFileError, match=rf"results\.csv, line \d+: {message}"):
        read_results(path)
