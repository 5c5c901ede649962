"""The printed numbers in the package are those of the papers' tables."""

from __future__ import annotations

import pytest

from published import number, rows_of
from svmosaic.reproduce.printed import read_printed, read_rows

pytestmark = pytest.mark.papers


def _body(name):
    return [
        row
        for row in rows_of(name)
        if len(row) > 1 and row[1] and row[0] not in ("Average", "Ranks")
    ]


def test_table_5_3():
    printed = read_printed("table-5.3.csv")
    _, _, *rows = rows_of("003-table-5.3")
    rows = [row for row in rows if len(row) > 1 and row[1] and row[0] not in ("Average", "Ranks")]
    metrics = ("accuracy", "time", "support vectors")
    expected = {
        (row[0], metric, method): number(row[1 + 3 * i + j])
        for row in rows
        for i, metric in enumerate(metrics)
        for j, method in enumerate(("OLLAWV", "NNISDA", "MNSVM"))
    }

    assert printed == expected
    assert len(printed) == 23 * 9


def test_table_5_5():
    printed = read_printed("table-5.5.csv")
    _, *rows = _body("003-table-5.5")
    methods = ("OLLAWV", "k-NN", "J48", "JRip", "Naive Bayes", "Logistic")

    assert printed == {
        # The data set that table 5.3 calls heart.
        (row[0].replace("heart2", "heart"), "accuracy", method): number(cell)
        for row in rows
        for method, cell in zip(methods, row[1:], strict=True)
    }


def test_tables_2_and_3_of_nlsgd():
    printed = read_printed("tables-002-2-3.csv")
    _, *rows = rows_of("002-tables-2-3")
    columns = [(m, k) for m in ("accuracy", "time") for k in ("MNSVM", "NNISDA", "NL-SGD")]

    assert printed == {
        (row[0], *column): number(cell)
        for row in rows
        for column, cell in zip(columns, row[1:], strict=True)
    }


def test_table_5_1_of_the_uniform_svm():
    printed = read_printed("table-004-5.1.csv")
    _, *rows = rows_of("004-table-5.1")

    assert printed == {
        ("iris", row[0], method): number(cell)
        for row in rows
        for method, cell in zip(("SVM", "Uniform SVM"), row[1:], strict=True)
    }


def test_tables_3_3_to_3_11():
    printed = read_printed("tables-3.3-3.11.csv")
    expected = {}
    for table, metric in (
        *(("3.3", "aCC"), ("3.5", "MSE"), ("3.7", "aRMSE"), ("3.9", "aRRMSE")),
        ("3.11", "time"),
    ):
        (_, *methods), *_ = rows_of(f"003-table-{table}")
        _, *rows = _body(f"003-table-{table}")
        expected |= {
            (row[0], metric, method): number(cell)
            for row in rows
            for method, cell in zip(methods, row[1:], strict=True)
        }

    assert printed == expected
    assert len(printed) == 24 * 10 * 5


def test_sizes_of_table_5_2():
    _, *rows = _body("003-table-5.2")

    assert {
        row["dataset"]: float(row["n_samples"]) for row in read_rows("table-5.2-sizes.csv")
    } == {row[0].replace("web (w8a)", "web"): number(row[1]) for row in rows}


@pytest.mark.parametrize(
    ("metric", "table"),
    [
        ("accuracy", "4.3"),
        ("precision", "4.5"),
        ("recall", "4.7"),
        ("kappa", "4.9"),
        ("one-point AUC", "4.11"),
        ("time", "4.13"),
    ],
)
def test_tables_of_chapter_4(metric, table):
    printed = {key: v for key, v in read_printed("tables-4.csv").items() if key[1] == metric}
    head, *rows = rows_of(f"003-table-{table}")
    # Data sets that are not available have no numbers of ours to stand beside.
    absent = {"mutagenesis-bonds", "fox", "component", "function", "Average", "Rank"}

    assert printed == {
        (row[0], metric, method): number(cell)
        for row in rows
        if row[0] not in absent
        for method, cell in zip(head[1:], row[1:], strict=True)
    }
    assert len(printed) == 11 * 12
