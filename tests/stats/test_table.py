"""Scores in any usual form become one checked table."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from svmosaic.stats import score_table, table_of_records

SCORES = [[0.9, 0.7], [0.8, 0.6], [0.5, 0.5]]
METHODS = ("a", "b")
DATASETS = ("x", "y", "z")


def _forms():
    frame = pd.DataFrame(SCORES, columns=list(METHODS), index=list(DATASETS))
    yield "array", np.array(SCORES), {"methods": METHODS, "datasets": DATASETS}
    yield "lists", SCORES, {"methods": METHODS, "datasets": DATASETS}
    yield "frame with index", frame, {}
    yield "frame with a column of names", frame.rename_axis("set").reset_index(), {}
    yield "mapping", {"a": [0.9, 0.8, 0.5], "b": [0.7, 0.6, 0.5]}, {"datasets": DATASETS}
    yield (
        "nested mapping",
        {m: dict(zip(DATASETS, [r[j] for r in SCORES], strict=True)) for j, m in enumerate("ab")},
        {},
    )
    yield "columns of another order", frame[["b", "a"]], {"methods": METHODS}


@pytest.mark.parametrize(("form", "options"), [pytest.param(f, o, id=n) for n, f, o in _forms()])
def test_every_form_gives_the_same_table(form, options):
    table = score_table(form, **options)

    assert table.methods == METHODS
    assert table.datasets == DATASETS
    np.testing.assert_array_equal(table.scores, SCORES)


class _Frame:
    """A frame of a library without an index, as far as the table needs it."""

    columns = ("set", "a", "b")

    def __getitem__(self, name):
        return {"set": DATASETS, "a": [0.9, 0.8, 0.5], "b": [0.7, 0.6, 0.5]}[name]


def test_a_frame_of_any_library_is_taken():
    assert score_table(_Frame()).datasets == DATASETS


def test_a_table_is_returned_as_it_is():
    table = score_table(SCORES)

    assert score_table(table) is table
    assert score_table(table, methods=["method 2", "method 1"]).scores.tolist() == [
        row[::-1] for row in SCORES
    ]
    assert table.methods == ("method 1", "method 2")
    assert table.datasets == ("data set 1", "data set 2", "data set 3")


@pytest.mark.parametrize("hole", [None, math.nan, "", " "])
def test_a_missing_score_is_refused_or_its_data_set_dropped(hole):
    scores = {"a": [0.9, hole, 0.5], "b": [0.7, 0.6, 0.5]}

    with pytest.raises(ValueError, match=r"score of 'a' on 'y' is missing \(1 missing in all\)"):
        score_table(scores, datasets=DATASETS)
    table = score_table(scores, datasets=DATASETS, missing="drop")

    assert table.datasets == ("x", "z")
    assert table.dropped == ("y",)


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ({"a": [1, 2]}, {}, "at least 2 methods on 2 data sets. Got 1 on 2"),
        ({"a": [1], "b": [2]}, {}, "Got 2 on 1"),
        ({"a": [1, 2], "b": [2]}, {}, "'b' has 1 scores for 2 data sets"),
        ({"a": [1, "n/a"], "b": [2, 3]}, {}, "is 'n/a', not a number"),
        ({"a": [1, math.inf], "b": [2, 3]}, {}, "infinite"),
        ({"a": [1, 2], "b": {"x": 1}}, {}, "Got both"),
        ([1.0, 2.0], {}, "Got an array of shape"),
        (SCORES, {"methods": ["a"]}, "2 columns and 1 names"),
        (SCORES, {"methods": ["a", "a"]}, "The method 'a' appears twice"),
        (SCORES, {"datasets": ["x", "x", "z"]}, "The data set 'x' appears twice"),
        (SCORES, {"datasets": ["x", "y", "Average"]}, "'Average' is a summary"),
        (SCORES, {"missing": "ignore"}, "must be 'refuse' or 'drop'"),
        ({"a": [1, 2], "b": [2, 3]}, {"methods": ["c"]}, "no method 'c'. Its methods are: a, b"),
    ],
)
def test_bad_tables_are_refused_with_a_sentence(table, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        score_table(table, **options)


def _records(rows):
    return [dict(zip(("dataset", "method", "accuracy"), row, strict=True)) for row in rows]


def test_records_of_folds_are_averaged():
    records = _records(
        [(d, m, s) for d in "xy" for m, s in (("a", 0.1), ("b", 0.4), ("a", 0.3), ("b", 0.6))]
    )

    table = table_of_records(records, "accuracy")

    assert table.methods == ("a", "b")
    np.testing.assert_allclose(table.scores, [[0.2, 0.5], [0.2, 0.5]])


def test_records_of_different_folds_are_not_compared():
    rows = [(d, m, 0.5) for d in "xyz" for m in "ab" for _ in range(2)]

    with pytest.raises(ValueError, match="score of 'b' on 'z' is missing"):
        table_of_records(_records(rows[:-1]), "accuracy")
    assert table_of_records(_records(rows[:-1]), "accuracy", missing="drop").dropped == ("z",)


def test_records_without_the_score_are_refused():
    with pytest.raises(ValueError, match="Record 0 has no entry 'f1'; it has dataset, method"):
        table_of_records(_records([("x", "a", 0.5)]), "f1")
