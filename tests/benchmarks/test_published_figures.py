"""Figures in README, on the start page and on the page of results are those of the benchmarks."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from statistics import fmean, median

import pytest
from scipy.stats import gmean, wilcoxon

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
START = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
FORMS = ("intelex", "intelex_dense", "intelex_32")


def _rows(name):
    with (ROOT / "benchmarks" / "results" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _table(text, first):
    """Return the cells of the table whose head begins with a cell, without emphasis."""
    body = re.search(rf"^\| {re.escape(first)} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [
        [cell.strip().strip("*") for cell in line.strip("|").split("|")]
        for line in body[1].splitlines()
    ]


@pytest.fixture(scope="module")
def fits():
    """The rows of classification.csv by data set and peer."""
    found = {}
    for row in _rows("classification.csv"):
        found.setdefault(row["set"], {})[row["peer"]] = row
    return found


@pytest.fixture(scope="module")
def speed_ups(fits):
    """The seconds of the faster peer divided by ours, by data set."""
    return {
        name: min(float(peers[peer]["fit_seconds"]) for peer in ("svc", *FORMS))
        / float(peers["full"]["fit_seconds"])
        for name, peers in fits.items()
    }


def test_table_of_the_readme(fits, speed_ups):
    table = _table(README, "set")

    assert {cells[0] for cells in table} == set(fits)
    for name, n_rows, svc, intelex, ours, ratio, accuracy, our_accuracy in table:
        peers = fits[name]
        assert n_rows == peers["full"]["n_train"]
        assert svc == f"{float(peers['svc']['fit_seconds']):.2f}"
        assert intelex == f"{min(float(peers[form]['fit_seconds']) for form in FORMS):.2f}"
        assert ours == f"{float(peers['full']['fit_seconds']):.2f}"
        assert ratio == f"{speed_ups[name]:.1f}"
        assert accuracy == f"{float(peers['svc']['accuracy']):.2f}"
        assert our_accuracy == f"{float(peers['full']['accuracy']):.2f}"


def test_table_of_fits_on_the_page_of_results(fits):
    peers = ("svc", *FORMS, "full")
    for name, *cells in _table(PAGE, "set (rows x features)"):
        rows = fits[name.split()[0]]
        size = f"({rows['full']['n_train']} x {rows['full']['n_features']})"
        assert name.endswith(size)
        for peer, cell in zip(peers, cells, strict=True):
            row = rows[peer]
            seconds, accuracy = float(row["fit_seconds"]), float(row["accuracy"])
            assert cell == f"{seconds:.2f} s, {accuracy:.2f} %, {row['support_vectors']}"


def test_mean_of_the_speed_ups(speed_ups):
    mean = f"{gmean(list(speed_ups.values())):.1f}"

    assert f"The geometric mean of the speed-ups is {mean}." in README
    assert f"[{mean}×]{{.figure-number}}" in START
    assert f"Full is {mean} times as fast" in PAGE


def test_half_a_million_rows():
    rows = {row["peer"]: row for row in _rows("scaling.csv") if row["n"] == "493021"}
    ours, theirs = (float(rows[peer]["fit_seconds"]) for peer in ("full", "intelex"))

    assert f"[{ours:.1f} s]{{.figure-number}}" in START
    assert START.count(f"svmosaic takes {ours:.1f} seconds") == 2
    assert f"For 493 021 rows on two cores. Intel's extension takes {theirs:.0f} s." in START


def test_tuning():
    rows = {}
    for row in _rows("nested_cv.csv"):
        rows.setdefault(row["method"], {}).setdefault(row["set"], []).append(row)
    assert {len(seeds) for sets in rows.values() for seeds in sets.values()} == {5}
    seconds, accuracies = (
        {
            method: {
                name: average([float(r[field]) for r in seeds]) for name, seeds in sets.items()
            }
            for method, sets in rows.items()
        }
        for field, average in (("cpu_seconds", median), ("accuracy", fmean))
    )
    small = [seconds["svc"][name] / seconds["full"][name] for name in seconds["full"]]
    race = {}
    for row in _rows("search_racing.csv"):
        if row["machine"] == "x86_64":
            race.setdefault(row["set"], {})[row["method"]] = float(row["cpu_seconds"])
    large = {name: of["svc"] / of["racing"] for name, of in race.items() if "svc" in of}
    both = f"{gmean([*small, *large.values()]):.0f}"

    assert (len(small), len(large)) == (11, 4)
    assert f"Tuning takes {both} times less processor time" in README
    assert f"[{both}×]{{.figure-number}}" in START
    assert f"takes **{both} times** less processor time" in PAGE
    assert f"{gmean(small):.0f} times in geometric mean" in PAGE
    for name, _, _, ratio in _table(PAGE, "set, training rows"):
        assert ratio == f"{large[name.partition(',')[0]]:.0f}"
    pairs = [list(accuracies[method].values()) for method in ("full", "svc")]
    assert wilcoxon(*pairs, method="approx").pvalue > 0.05
    nested = PAGE[PAGE.index("## Nested cross-validation") :]
    for name, _, *cells in _table(nested, "set")[:11]:
        for method, cell in zip(("plain", "full", "ensemble", "svc"), cells, strict=True):
            assert cell.startswith(f"{accuracies[method][name]:.2f} ± ")


def test_the_ensemble():
    rows = {}
    for row in _rows("svm_ensemble.csv"):
        rows.setdefault(row["method"], {}).setdefault(row["set"], []).append(row)
    page = (ROOT / "docs" / "ensemble.md").read_text(encoding="utf-8")
    published = {line[0]: line[1:] for line in _table(page, "against one tuned SVM")}
    for method, name in (
        ("svm-standard", "standardised features"),
        ("svm-minmax", "features in [0, 1]"),
    ):
        ours, theirs = (
            [[float(row["accuracy"]) for row in rows[m][s]] for s in sorted(rows[method])]
            for m in ("ensemble", method)
        )
        assert {len(folds) for folds in [*ours, *theirs]} == {25}
        gains = [fmean(a) - fmean(b) for a, b in zip(ours, theirs, strict=True)]
        seconds = [
            [sum(float(row["cpu_seconds"]) for row in rows[m][s]) for s in sorted(rows[method])]
            for m in ("ensemble", method)
        ]
        points, won_lost, p, times = published[name]
        assert points == f"{fmean(gains):+.2f}"
        won, lost = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
        assert won_lost == f"{won}, {lost}"
        assert float(p) == pytest.approx(wilcoxon(gains).pvalue, rel=0.3)
        ratio = gmean([a / b for a, b in zip(*seconds, strict=True)])
        assert times == f"{ratio:.1f} times"
        if method == "svm-standard":
            words = " ".join(README.split())
            assert f"is {fmean(gains):.2f} points more accurate than one tuned SVM" in words
            assert (
                f"on 32 sets ({won} won, {lost} lost), at {ratio:.1f} times the search time"
                in words
            )


def test_a_gpu():
    (row,) = [row for row in _rows("gpu/h200.csv") if row["set"] == "covertype-464809"]

    assert f"464 809 rows of covertype in {float(row['gpu_fit']):.2f} s" in " ".join(README.split())
    assert row["rows"] == "464809"


def test_first_figure_of_the_readme(fits):
    drawn = (ROOT / "docs" / "images" / "fit_times.svg").read_text(encoding="utf-8")

    # Matplotlib draws letters as paths and names each text in a comment.
    for name, peers in fits.items():
        seconds = float(peers["full"]["fit_seconds"])
        assert f"<!-- {name} -->" in drawn
        assert f"<!--  {seconds:.2g} s -->" in drawn
